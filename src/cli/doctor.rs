//! `formsvc doctor`: looks whether all is well, a line each, and mends what can be mended.

use serde_json::json;

use crate::base::json::Json;
use crate::cli::failure::{Exit, Failure};
use crate::cli::open;
use crate::cli::settings::Cx;
use crate::jobs::JOBS;
use crate::ops::App;
use crate::ops::checkup::{self, Finding, State};

/// Looks at everything.
///
/// # Errors
/// A check failed, or the data dir can't be used.
pub fn run(cx: &Cx, fix: bool) -> Result<(), Failure> {
    let found = match open(cx)? {
        Ok(app) => {
            let found = examine(&app, fix);
            app.close();
            found?
        }
        Err(fault) => match checkup::of_fault(&fault) {
            Some(finding) => vec![finding],
            None => return Err(fault.into()),
        },
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let document: Vec<Json> = found
        .iter()
        .map(|it| json!({"check": it.check, "state": word(it.state), "text": it.text}))
        .collect();
    cx.out.result(&lines.join("\n"), &document.into())?;
    let failed = found.iter().filter(|it| it.state == State::Fail).count();
    if failed == 0 {
        return Ok(());
    }
    let sentence = format!(
        "{failed} of {} checks failed: see the lines above",
        found.len()
    );
    Err(Failure::new(Exit::CheckFailed, sentence))
}

fn examine(app: &App, fix: bool) -> Result<Vec<Finding>, Failure> {
    if fix {
        // What has expired or belongs to nothing goes first.
        for job in JOBS {
            (job.run)(app)?;
        }
    }
    Ok(checkup::examine(app, fix)?)
}

fn word(state: State) -> &'static str {
    match state {
        State::Ok => "OK",
        State::Warn => "WARN",
        State::Fail => "FAIL",
    }
}

fn line(found: &Finding) -> String {
    format!("{:<4}  {}: {}", word(found.state), found.check, found.text)
}
