//! Transfer: entries into and out of files.

pub mod exports;
pub mod imports;
pub mod state;
