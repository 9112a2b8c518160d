//! Streams of a form's events (contract section 9): permission, start, next events, and waking the reader. Events are
//! read from their table, so that none is lost or sent twice, even across a restart.

use std::sync::Arc;

use tokio::sync::watch;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::event::{Event, STREAM_SECS};
use crate::ops::app::App;
use crate::ops::delivery::events::as_it_may_leave;
use crate::ops::delivery::open_streams::{StreamSlot, Streams, owner};
use crate::ops::forms::access::{self, Right};
use crate::store::db::tx::Tx;
use crate::store::delivery::events;

/// Events that are read at once, and the bytes of them after which no further one is.
pub const PIECE: usize = 100;
const PIECE_BYTES: usize = 32 << 10;
/// The interval of marking the form of an open stream again.
const MARK_SECS: i64 = 3600;

/// A stream that is being read. Its place is free again when it is dropped.
#[derive(Debug)]
pub struct EventStream {
    cursor: Cursor,
    news: watch::Receiver<()>,
    _place: StreamSlot,
}

/// Position in a form's events.
#[derive(Clone, Debug)]
pub struct Cursor {
    form: Arc<str>,
    after: i64,
}

/// Opens a stream that begins after the event with this id, or with the events from now on.
///
/// # Errors
/// 400 if that is no event's id, 404, 403; 410 if the events after that one are not kept; 429 and 503 if too many
/// streams are open.
pub fn open(app: &App, caller: &Caller, form: &str, last: Option<&str>) -> Result<EventStream> {
    let mut place = Streams::place(&app.delivery.streams, owner(caller.credential, &caller.user))?;
    let (by, token, last) = (caller.clone(), form.to_owned(), last.map(str::to_owned));
    // A job of the writer, so that each event comes either before it or after it.
    let (form_no, after) = app.store.write(move |tx| {
        let form = access::form_for(tx, &by, &token, Right::Read)?;
        let after = match last {
            Some(last) => resume(tx, form.form_no, &last)?,
            None => events::last(tx, form.form_no)?,
        };
        mark(tx, form.form_no)?;
        Ok((form.form_no, after))
    })?;
    place.of_form(form_no, after);
    let news = app.delivery.stream_wakeups.subscribe(form_no);
    Ok(EventStream { cursor: Cursor { form: form.into(), after }, news, _place: place })
}

/// Up to `limit` of the next events, if the caller may still read them; at least one if there is one.
///
/// # Errors
/// 404, 403.
pub fn read(app: &App, caller: &Caller, cursor: &Cursor, limit: usize) -> Result<Vec<Event>> {
    let (form_no, is_marked, found) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, &cursor.form, Right::Read)?;
        let is_marked = !is_due(tx, events::streamed_at(tx, form.form_no)?);
        let mut found = events::after(tx, form.form_no, cursor.after, limit, PIECE_BYTES)?;
        for event in &mut found {
            event.body = as_it_may_leave(app, tx, form.form_no, std::mem::take(&mut event.body))?;
        }
        Ok((form.form_no, is_marked, found))
    })?;
    if !is_marked {
        app.store.write(move |tx| mark(tx, form_no))?;
    }
    Ok(found)
}

/// Wakes the readers of forms with events that other processes wrote. Returns the number of forms.
///
/// # Errors
/// 503.
pub fn look_around(app: &App) -> Result<usize> {
    let forms = app.delivery.streams.forms();
    if forms.is_empty() {
        return Ok(0);
    }
    let newer = app.store.read(|tx| {
        let mut newer = Vec::new();
        for (form_no, seen) in forms {
            // A form may be gone.
            let last = events::last(tx, form_no).unwrap_or(seen);
            if last > seen {
                newer.push((form_no, last));
            }
        }
        Ok(newer)
    })?;
    for (form_no, last) in &newer {
        app.delivery.streams.see(*form_no, *last);
        app.delivery.stream_wakeups.ring(*form_no);
    }
    Ok(newer.len())
}

/// Events from before this time may be gone.
fn kept_since(now: Time) -> Time {
    now.minus_secs(STREAM_SECS)
}

/// The event after which a stream resumes.
fn resume(tx: &Tx, form_no: i64, token: &str) -> Result<i64> {
    if !events::is_token(tx, token) {
        let text = "Last-Event-ID must be the id of an event of this stream, such as evt_ and 22 letters and digits";
        return Err(Error::BadRequest(text.to_owned().into()));
    }
    let id = events::id_of(tx, form_no, token);
    let id = match id {
        Some(id) if events::is_followed(tx, form_no, id, kept_since(tx.now))? => Some(id),
        _ => None,
    };
    id.ok_or_else(|| {
        let text = "The events after this one are no longer stored: read the entries instead, and open the stream \
                    without Last-Event-ID";
        Error::Gone(text.to_owned())
    })
}

/// Notes that a form is streamed, unless that was done within the last hour.
fn mark(tx: &Tx, form_no: i64) -> Result<()> {
    match is_due(tx, events::streamed_at(tx, form_no)?) {
        true => events::mark_streamed(tx, form_no, kept_since(tx.now)),
        false => Ok(()),
    }
}

fn is_due(tx: &Tx, marked_at: Option<Time>) -> bool {
    marked_at.is_none_or(|at| at < tx.now.minus_secs(MARK_SECS))
}

impl EventStream {
    pub fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// Notes that these events were taken.
    pub fn sent(&mut self, events: &[Event]) {
        if let Some(last) = events.last() {
            self.cursor.after = last.id;
        }
    }

    /// Waits until there may be events that were not read.
    pub async fn news(&mut self) {
        // The bell exists for as long as the place.
        let _ = self.news.changed().await;
    }
}
