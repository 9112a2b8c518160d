//! Asks a person before something is destroyed.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use crate::base::text::escaped;
use crate::cli::failure::{Exit, Failure};
use crate::cli::settings::Cx;

/// Goes on when the person says yes, or said so with `--yes`.
pub fn confirm(cx: &Cx, question: &str) -> Result<(), Failure> {
    if cx.says_yes {
        return Ok(());
    }
    if !cx.may_ask || !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!(
            "{question} Nobody can be asked: say so with --yes"
        )));
    }
    let asked = |e| Failure::failed("the question can't be asked", e);
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "formsvc: {} [y/N] ", escaped(question))
        .and_then(|()| stderr.flush())
        .map_err(asked)?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(asked)?;
    if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        Ok(())
    } else {
        Err(Failure::new(Exit::Failed, "nothing was changed"))
    }
}
