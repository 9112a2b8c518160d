//! `formsvc completions`: scripts that complete commands and options in shells.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::config::args::CommandLine;
use crate::cli::failure::Failure;
use crate::cli::output;

/// Needs no data dir and no settings.
pub fn print(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "formsvc", &mut script);
    output::print_verbatim(&script)
}
