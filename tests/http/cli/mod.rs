//! The command line: flags, exit codes, manual, the example, the terminal.

pub mod demo;
pub mod flags;
pub mod manual;
pub mod terminal;
