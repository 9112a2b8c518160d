//! Imports by a page: the file waits on the server while its columns are looked at, is checked, and comes in. Checking
//! and coming in are jobs.

use std::collections::BTreeMap;

use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text;
use crate::fields::columns::mapping::Mapping;
use crate::model::caller::Caller;
use crate::model::entry::jobs::JobKind;
use crate::ops::app::App;
use crate::ops::entries::jobs;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::imports::outline::{Outline, outline};
use crate::ops::transfer::imports::row_faults;
use crate::store::entries::jobs as rows;
use crate::store::transfer::import_files::{self, ImportFile};

const LONGEST_NAME: usize = 200;

/// A file that waits for its import, and its outline.
pub struct Waiting {
    pub token: String,
    pub name: String,
    pub outline: Outline,
}

/// Keeps a file for an hour; its token.
///
/// # Errors
/// 400, 403, 404, 422 for a file that can't be read.
pub fn put(app: &App, caller: &Caller, form: &str, name: &str, content: Vec<u8>) -> Result<String> {
    let rows = outline(app, caller, form, &content, &Mapping::default())?.rows;
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let name: String = text::file_name(name).unwrap_or_default().chars().take(LONGEST_NAME).collect();
    let (caller, form) = (caller.clone(), form.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &form, Right::Enter)?;
        import_files::put(tx, form.form_no, caller.user.id, &name, &content, rows)
    })
}

/// A file that waits for its import; `columns` map its columns, else the stored mapping does.
///
/// # Errors
/// 403, 404.
pub fn show(app: &App, caller: &Caller, form: &str, token: &str, columns: Option<Mapping>) -> Result<Waiting> {
    let file = find(app, caller, form, token)?;
    let mapping = match columns {
        Some(columns) => columns,
        None => Mapping::of_text(Some(&file.columns), &mut Issues::new())?,
    };
    let outline = outline(app, caller, form, &file.content, &mapping)?;
    Ok(Waiting { token: file.token, name: file.name, outline })
}

fn find(app: &App, caller: &Caller, form: &str, token: &str) -> Result<ImportFile> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Enter)?;
        import_files::find(tx, form.form_no, caller.user.id, token)?.ok_or(Error::NotFound(Noun::File))
    })
}

/// Whether a file waits still.
///
/// # Errors
/// 403, 404 for the form.
pub fn waits(app: &App, caller: &Caller, form: &str, token: &str) -> Result<bool> {
    match find(app, caller, form, token) {
        Ok(_) => Ok(true),
        Err(Error::NotFound(Noun::File)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// A file that waits as CSV, with faults of its rows in a first column that has this name.
///
/// # Errors
/// 403, 404.
pub fn marked(
    app: &App,
    caller: &Caller,
    form: &str,
    token: &str,
    name: &str,
    faults: &BTreeMap<usize, String>,
) -> Result<Vec<u8>> {
    let file = find(app, caller, form, token)?;
    row_faults::marked(app, caller, form, &file.content, name, faults)
}

/// What is begun with a file.
#[derive(Clone, Copy)]
pub enum Step<'s> {
    /// Its rows are checked, with its columns where these go.
    Check(&'s Mapping),
    /// It comes in as the job with this public id checked it: another page may have chosen other columns since.
    Import(&'s str),
}

/// Begins the job of a step; its public id.
///
/// # Errors
/// 403, 404, 429.
pub fn begin(app: &App, caller: &Caller, form: &str, token: &str, step: Step) -> Result<String> {
    let file = find(app, caller, form, token)?;
    let is_check = matches!(step, Step::Check(_));
    let columns = match step {
        Step::Check(mapping) => {
            let pairs = mapping.columns().iter().map(|(name, code)| (name.clone(), json!(code)));
            Json::Object(pairs.collect()).to_string()
        }
        Step::Import(job) => checked(app, caller, form, token, job)?.unwrap_or(file.columns),
    };
    let payload = json!({"file": file.token, "name": file.name, "columns": columns, "is_check": is_check}).to_string();
    let (caller, form, token) = (caller.clone(), form.to_owned(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &form, Right::Enter)?;
        import_files::set_columns(tx, &token, &columns)?;
        Ok(jobs::begin_counted(tx, &caller, &form, JobKind::Import, payload, file.rows)?.token)
    })
}

/// The mapping with which a job checked this file; none if it checked another one.
fn checked(app: &App, caller: &Caller, form: &str, token: &str, job: &str) -> Result<Option<String>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Enter)?;
        let job = rows::by_token(tx, form.form_no, job)?;
        let payload = job.and_then(|job| serde_json::from_str::<Json>(&job.payload).ok()).unwrap_or_default();
        let columns = payload["columns"].as_str().filter(|_| payload["file"] == token);
        Ok(columns.map(str::to_owned))
    })
}
