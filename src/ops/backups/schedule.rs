//! Backups on a schedule.

use std::path::Path;
use std::sync::PoisonError;

use crate::base::backup_fault::BackupFault;
use crate::base::clock;
use crate::base::config::Backups;
use crate::base::error::{Error, Result};
use crate::ops::app::App;
use crate::ops::backups::{Listed, OpenTarget, create, list, prune};
use crate::ops::checkup::{CheckState, Finding};

/// After a failure nothing is tried for so long, or for the time between backups where that is shorter.
const PAUSE_SECS: i64 = 900;

/// Makes a backup if one is due, and removes the oldest ones beyond the limit. Returns the number made.
///
/// # Errors
/// The backup failed.
pub fn run_due(app: &App) -> Result<usize> {
    let settings = &app.config.backups;
    let Some(every) = settings.every_secs else {
        return Ok(0);
    };
    let now = clock::now();
    if app.backups.pause.is_on(now) {
        return Ok(0);
    }
    let data_dir = &app.config.data_dir;
    let run = || -> std::result::Result<usize, BackupFault> {
        let target = OpenTarget::usual(data_dir, settings)?;
        let found = list(&target)?;
        note(app, &found);
        let newest = found.first().map(|backup| backup.created_at);
        // A clock that was put back makes no endless pause.
        let is_due = |age: i64| !(0..every).contains(&age);
        if let Some(age) = newest.map(|at| now.secs_since(at)).filter(|age| !is_due(*age)) {
            if matches!(target, OpenTarget::Bucket(_)) {
                // A store is not asked again and again.
                let pause = (every - age).min(PAUSE_SECS);
                app.backups.pause.begin(now.plus_secs(pause));
            }
            return Ok(0);
        }
        let made = create(app, None, settings.passphrase.as_ref(), &mut |_| {})?;
        if made.lost > 0 {
            let (lost, path) = (made.lost, &made.file);
            tracing::warn!("{lost} files are missing or damaged and not in {path}: run formsvc doctor");
        }
        if let Some(keep) = settings.keep {
            prune(&target, keep)?;
        }
        note(app, &list(&target)?);
        Ok(1)
    };
    run().map_err(|fault| {
        app.backups.pause.begin(now.plus_secs(every.min(PAUSE_SECS)));
        match fault {
            BackupFault::Busy(why) => Error::Busy(why, 1),
            fault => Error::internal(fault),
        }
    })
}

/// Notes for operators how many there are, and when the newest was made.
fn note(app: &App, found: &[Listed]) {
    let seen = (found.len(), found.first().map(|it| it.created_at));
    *app.server.stored_backups.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
}

/// Checks whether backups are made as they should be.
pub fn examine(data_dir: &Path, settings: &Backups, has_entries: bool) -> Finding {
    const CHECK: &str = "backups";
    let place = settings.to.as_ref();
    let place = place.map_or_else(|| "the data dir".to_owned(), ToString::to_string);
    let found = OpenTarget::usual(data_dir, settings).and_then(|target| list(&target));
    let found = match found {
        Ok(found) => found,
        Err(e) => return Finding::new(CHECK, CheckState::Warn, e.to_string()),
    };
    let (count, newest) = (found.len(), found.first().map(|it| it.created_at));
    let is_plain_now = found.first().is_some_and(|it| !it.is_encrypted);
    let age = newest.map(|at| clock::now().secs_since(at));
    let every = settings.every_secs;
    let (state, text) = match (newest, every) {
        (None, None) if has_entries => {
            let text = format!(
                "no backup has been made in {place}, and there are entries to lose: make one with \"formsvc backup \
                 create\", or let serve make them with --backup-every 1d"
            );
            (CheckState::Warn, text)
        }
        (None, None) => (CheckState::Ok, format!("there are no backups in {place}")),
        (None, Some(_)) => {
            let text =
                format!("no backup has been made in {place} yet: see the log of the service if it has run for a while");
            (CheckState::Warn, text)
        }
        (Some(at), Some(every)) if age.is_some_and(|age| age > every.saturating_mul(2)) => {
            let text =
                format!("the newest backup in {place} is of {at}, and one is overdue: see the log of the service");
            (CheckState::Warn, text)
        }
        (Some(at), _) if is_plain_now && found.iter().any(|it| it.is_encrypted) => {
            let text = format!(
                "the newest backup in {place}, of {at}, is not encrypted, and earlier ones are: set the passphrase again, \
                 or remove those"
            );
            (CheckState::Warn, text)
        }
        (Some(at), _) => {
            let text = format!("the newest of {count} backups in {place} is of {at}");
            (CheckState::Ok, text)
        }
    };
    Finding::new(CHECK, state, text).with("backups", count).with("newest", newest.map(|at| at.to_string()))
}
