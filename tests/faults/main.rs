//! The program as it is, but that it asks `clock.c` for the time and `disk.c` to write.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(formsvc::cli::run())
}
