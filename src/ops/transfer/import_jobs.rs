//! Runs the jobs that check or import a file. The entries of an import are noted in the transaction from which on it
//! can't fail, so that an interrupted import is never done twice.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json;
use crate::fields::columns::mapping::Mapping;
use crate::model::caller::{Caller, Credential};
use crate::model::entry::jobs::{EntryJob, JobState};
use crate::ops::app::App;
use crate::ops::entries::jobs::LOST_ACCESS;
use crate::ops::transfer::imports::row_faults::{self, RowFault};
use crate::ops::transfer::imports::{self, Progress};
use crate::store::accounts::users;
use crate::store::entries::jobs;
use crate::store::forms;
use crate::store::transfer::{self, import_files};

/// The problem of a job whose file has faults, and of one whose file is gone.
pub const FAULTS: &str = "faults";
pub const FILE_GONE: &str = "file_gone";
const INTERNAL: &str = "internal";

/// How often progress is noted.
const NOTED_EVERY: Duration = Duration::from_millis(500);

/// Goes on with the jobs that are not over; returns how many ended.
///
/// # Errors
/// 503 when the writer is busy.
pub fn run(app: &App) -> Result<usize> {
    let mut done = 0;
    for job in app.store.read(jobs::open_imports)? {
        if app.store.is_closed() {
            break;
        }
        done += usize::from(one(app, &job)?);
    }
    Ok(done)
}

/// Does one job; says whether it is over.
fn one(app: &App, job: &EntryJob) -> Result<bool> {
    let id = job.id;
    if job.changed > 0 {
        // It was cut off after its entries had their numbers: others see it through.
        let form_no = job.form_no;
        if app.store.read(|tx| transfer::first_hidden(tx, form_no))?.is_some() {
            return Ok(false);
        }
        return end(app, id, JobState::Done, None);
    }
    let payload = json::read(job.payload.as_bytes()).map_err(Error::internal)?;
    let file = payload["file"].as_str().unwrap_or_default();
    let (user, form, found) = app.store.read(|tx| {
        let user = users::by_id(tx, job.user)?;
        Ok((user, forms::by_number(tx, job.form_no)?, import_files::find(tx, job.form_no, job.user, file)?))
    })?;
    let Some(found) = found else {
        return end(app, id, JobState::Failed, Some(FILE_GONE));
    };
    if user.disabled_at.is_some() {
        return end(app, id, JobState::Failed, Some(LOST_ACCESS));
    }
    let caller = Caller::with_all_scopes(user, Credential::Session);
    if let Some(number) = payload["staged"].as_i64() {
        imports::forget(app, number)?;
    }
    let is_check = payload["is_check"] == json!(true);
    let columns = Mapping::of_text(payload["columns"].as_str(), &mut Issues::new())?;
    let request = imports::Request {
        form: form.token.as_str(),
        file: &found.content,
        dry_run: is_check,
        is_strict: false,
        columns,
        job: (!is_check).then_some(id),
    };
    let mut noted: Option<Instant> = None;
    let mut progress = |progress: Progress| {
        let (Progress::Checked(rows) | Progress::Stored(rows, _)) = progress;
        if noted.is_none_or(|at| at.elapsed() >= NOTED_EVERY) {
            noted = Some(Instant::now());
            let rows = i64::try_from(rows).unwrap_or(i64::MAX);
            // Progress that is not noted is noted the next time.
            let _ = app.store.write(move |tx| jobs::set_done(tx, id, rows));
        }
    };
    match imports::run(app, &caller, &request, Issues::new(), &mut progress) {
        Ok(Ok(done)) => {
            let rows = i64::try_from(done.rows).unwrap_or(i64::MAX);
            app.store.write(move |tx| {
                jobs::set_done(tx, id, rows)?;
                jobs::finish(tx, id, JobState::Done, None)
            })?;
            Ok(true)
        }
        Ok(Err(refused)) => {
            let faults = row_faults::of_file(app, &caller, &request, &refused)?;
            let faults: Vec<String> = faults.iter().map(details).collect();
            app.store.write(move |tx| {
                jobs::note_refused(tx, id, &faults)?;
                jobs::finish(tx, id, JobState::Failed, Some(FAULTS))
            })?;
            Ok(true)
        }
        Err(Error::Busy(why, wait)) => Err(Error::Busy(why, wait)),
        Err(Error::Stale) => Ok(false),
        // It was stopped.
        Err(Error::Gone(_)) => Ok(true),
        Err(Error::NotFound(_) | Error::Forbidden) => end(app, id, JobState::Failed, Some(LOST_ACCESS)),
        Err(error) => {
            tracing::error!(job = id, "an import failed: {error:?}");
            end(app, id, JobState::Failed, Some(INTERNAL))
        }
    }
}

/// A fault as it is stored: the sentence, and its parts.
fn details(fault: &RowFault) -> String {
    json!([{
        "attribute": "",
        "message": fault.line,
        "row": fault.row,
        "column": fault.column,
        "value": fault.value,
        "words": fault.words.to_json(),
    }])
    .to_string()
}

fn end(app: &App, job: i64, state: JobState, problem: Option<&'static str>) -> Result<bool> {
    app.store.write(move |tx| jobs::finish(tx, job, state, problem))?;
    Ok(true)
}
