//! Transfer: entries into and out of files.

pub mod exports;
pub mod import_files;
pub mod import_jobs;
pub mod imports;
pub mod state;
