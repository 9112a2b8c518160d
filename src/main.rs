//! The formsvc program: runs the command line and leaves with its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(formsvc::cli::run())
}
