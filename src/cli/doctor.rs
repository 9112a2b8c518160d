//! `formsvc doctor`: checks the stored data, one line per check, and repairs it if possible.

use crate::base::json::Json;
use crate::cli::app_config;
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};
use crate::jobs::JOBS;
use crate::ops::app::App;
use crate::ops::backups;
use crate::ops::checkup::{self, CheckState, Finding, environment_check};
use crate::ops::server::acme;

/// Runs all checks; fails if one of them does. `verbose` adds the compared values.
pub fn run(cx: &Cx, fix: bool, verbose: bool) -> Result<(), Failure> {
    let tls = cx.tls_beside()?;
    let config = app_config(cx)?;
    let (data_dir, min_free_mb) = (config.data_dir.clone(), config.min_free_mb);
    let backup_settings = config.backups.clone();
    let mut checkpoints = config.checkpoints;
    let mut has_entries = false;
    let mut found = match App::beside(config) {
        Ok(app) => {
            checkpoints = app.checkpoints();
            let found = examine(&app, fix);
            has_entries = checkup::has_entries(&app);
            app.close();
            found?
        }
        Err(fault) => match checkup::of_fault(&fault) {
            Some(finding) => vec![finding],
            None => return Err(fault.into()),
        },
    };
    found.extend(environment_check::examine(&data_dir, min_free_mb, checkpoints));
    found.push(backups::examine(&data_dir, &backup_settings, has_entries));
    found.push(acme::examine(&data_dir, &tls));
    let lines: Vec<String> = found.iter().map(|it| line(it, verbose)).collect();
    let document: Vec<Json> = found.iter().map(document).collect();
    cx.out.result(&lines.join("\n"), &document.into())?;
    let failed = found.iter().filter(|it| it.state == CheckState::Fail).count();
    if failed == 0 {
        return Ok(());
    }
    let sentence = format!("{failed} of {} checks failed: see the lines above", found.len());
    Err(Failure::new(Exit::CheckFailed, sentence))
}

fn examine(app: &App, fix: bool) -> Result<Vec<Finding>, Failure> {
    // Expired and orphaned data is deleted first.
    let sweep = || {
        let mut jobs = JOBS.iter().filter(|_| fix);
        jobs.try_for_each(|job| (job.run)(app).map(drop))
    };
    Ok(checkup::examine(app, fix, sweep)?)
}

fn document(found: &Finding) -> Json {
    let mut document = found.facts.clone();
    document.insert("check".to_owned(), found.check.into());
    document.insert("state".to_owned(), word(found.state).into());
    document.insert("text".to_owned(), found.text.as_str().into());
    if let Some(detail) = &found.detail {
        document.insert("detail".to_owned(), detail.as_str().into());
    }
    document.into()
}

fn word(state: CheckState) -> &'static str {
    match state {
        CheckState::Ok => "OK",
        CheckState::Warn => "WARN",
        CheckState::Fail => "FAIL",
    }
}

fn line(found: &Finding, verbose: bool) -> String {
    let line = format!("{:<4}  {}: {}", word(found.state), found.check, found.text);
    match &found.detail {
        Some(detail) if verbose => format!("{line} ({detail})"),
        _ => line,
    }
}
