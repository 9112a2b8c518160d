//! Import and export.

pub mod command;
pub mod exports;
pub mod imports;
