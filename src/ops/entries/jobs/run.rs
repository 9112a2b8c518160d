//! Runs jobs: all of them in turn, a piece at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::model::caller::{Caller, Credential};
use crate::model::entry::jobs::JobState;
use crate::ops::app::App;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::entries::jobs::LOST_ACCESS;
use crate::ops::entries::jobs::pieces::Pieces;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::Cache;
use crate::store::accounts::users;
use crate::store::db::backoff::Backoff;
use crate::store::db::tx::Tx;
use crate::store::entries::jobs;
use crate::store::forms;

/// How long other work in the background waits.
const TURN: Duration = Duration::from_secs(4);

const INTERNAL: &str = "internal";

/// Goes on with the jobs that are not over; returns how many pieces were done.
///
/// # Errors
/// 503 when the writer is busy.
pub fn run(app: &App) -> Result<usize> {
    let (begun, mut done) = (Instant::now(), 0);
    loop {
        let open = app.store.read(jobs::open)?;
        if open.is_empty() {
            return Ok(done);
        }
        for job in open {
            if app.store.is_closed() || begun.elapsed() > TURN {
                return Ok(done);
            }
            next(app, job)?;
            done += 1;
        }
    }
}

/// Does the next piece of a job. A job that can't go on has failed.
fn next(app: &App, job: i64) -> Result<()> {
    let mut backoff = Backoff::begin(&app.store);
    let (cache, outbox) = (Arc::clone(&app.cache), Arc::clone(&app.delivery.outbox));
    match app.store.write(move |tx| step(tx, &cache, &outbox, job)) {
        Err(Error::Busy(why, wait)) => return Err(Error::Busy(why, wait)),
        Err(error) => {
            tracing::error!(job, "a job of entries failed: {error:?}");
            app.store.write(move |tx| jobs::finish(tx, job, JobState::Failed, Some(INTERNAL)))?;
        }
        Ok(()) => {}
    }
    backoff.rest_briefly(&app.store);
    Ok(())
}

/// Does the next piece of a job and notes its progress.
fn step(tx: &Tx, cache: &Arc<Cache>, outbox: &Outbox, id: i64) -> Result<()> {
    let Some(job) = jobs::open_by_id(tx, id)? else {
        // It was stopped meanwhile.
        return Ok(());
    };
    let user = users::by_id(tx, job.user)?;
    let is_disabled = user.disabled_at.is_some();
    let caller = Caller::with_all_scopes(user, Credential::Session);
    let form = forms::by_number(tx, job.form_no)?;
    let form = match access::form_for(tx, &caller, form.token.as_str(), Right::Enter) {
        Ok(form) if !is_disabled => form,
        Ok(_) | Err(Error::NotFound(_) | Error::Forbidden) => {
            return jobs::finish(tx, id, JobState::Failed, Some(LOST_ACCESS));
        }
        Err(error) => return Err(error),
    };
    if let Some(piece) = jobs::next_piece(tx, id)? {
        let parsed = cache.parsed(tx, &form)?;
        let result = Pieces { cache, outbox, caller: &caller, form: &form, parsed: &parsed, job: &job };
        let result = result.run(tx, &piece.serials)?;
        jobs::advance(tx, &job, &piece, &result)?;
    }
    if jobs::next_piece(tx, id)?.is_none() {
        jobs::finish(tx, id, JobState::Done, None)?;
    }
    Ok(())
}
