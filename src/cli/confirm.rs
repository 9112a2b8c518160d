//! Asks for confirmation before a destructive command.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use crate::base::text::escaped;
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};

/// Succeeds if the user answers yes or passed `--yes`; fails if they answer no, or can't be asked.
pub fn confirm(cx: &Cx, question: &str) -> Result<(), Failure> {
    if cx.says_yes {
        return Ok(());
    }
    if !cx.may_ask || !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!("{question} There is no terminal to ask on: confirm with --yes")));
    }
    let ask_fault = |e| Failure::failed("the question can't be asked", e);
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "formsvc: {} [y/N] ", escaped(question)).and_then(|()| stderr.flush()).map_err(ask_fault)?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(ask_fault)?;
    if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        Ok(())
    } else {
        Err(Failure::new(Exit::Failed, "nothing was changed"))
    }
}
