//! `formsvc jobs run-once`: runs background jobs in this process.

use serde_json::json;

use crate::base::json::Json;
use crate::cli::config::settings::Cx;
use crate::cli::failure::Failure;
use crate::cli::with_app;
use crate::jobs::{JOBS, Job};

/// Runs all jobs, or the named one.
pub fn run_once(cx: &Cx, name: Option<&str>) -> Result<(), Failure> {
    let wanted: Vec<&Job> = JOBS.iter().filter(|job| name.is_none_or(|name| job.name == name)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        return Err(Failure::usage(format!("there is no such job: name one of {}", names.join(", "))));
    }
    let done = with_app(cx, |app| {
        let mut done = Vec::new();
        for job in wanted {
            done.push((job.name, (job.run)(app)?));
        }
        Ok(done)
    })?;
    let rows: Vec<Vec<String>> = done.iter().map(|(name, count)| vec![(*name).to_owned(), count.to_string()]).collect();
    let document: Vec<Json> = done.iter().map(|(name, count)| json!({"job": name, "done": count})).collect();
    cx.out.table(&["job", "done"], &rows, &document.into())
}
