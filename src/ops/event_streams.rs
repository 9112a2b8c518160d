//! Streams of a form's events (contract section 9): who may read one, where it begins, what comes next, and what wakes
//! its reader. Events are read from their table, so that none is lost or told twice, also across a restart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::caller::{Caller, Credential};
use crate::model::event::{Event, STREAM_SECS};
use crate::model::user::{OrganizationId, User, UserId};
use crate::ops::App;
use crate::ops::access::{self, Right};
use crate::ops::events::as_it_may_leave;
use crate::store::events;
use crate::store::tx::Tx;

/// The open streams of one token, of a user, of an organisation, and of all (S99).
const MOST_EACH: usize = 5;
const MOST_OF_USER: usize = 20;
const MOST_OF_ORGANIZATION: usize = 200;
const MOST: usize = 1_000;
/// When to come again where all are open.
const WAIT_SECS: u64 = 30;
/// Events that are read at once, and the bytes of them after which no further one is.
pub const PIECE: usize = 100;
const PIECE_BYTES: usize = 32 << 10;
/// How often the form of an open stream is marked again.
const MARK_SECS: i64 = 3600;

/// Who opened a stream.
type Owner = (Credential, UserId, OrganizationId);

fn owner(credential: Credential, user: &User) -> Owner {
    (credential, user.id, user.organization.id)
}

/// The open streams of this process.
#[derive(Debug, Default)]
pub struct Streams(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    by_owner: HashMap<Owner, usize>,
    by_form: HashMap<i64, Readers>,
}

/// The readers of a form's events.
#[derive(Clone, Copy, Debug)]
struct Readers {
    count: usize,
    /// The last event that was looked for on behalf of other processes.
    seen: i64,
}

/// A stream that is being read. Its place is free again when it is dropped.
#[derive(Debug)]
pub struct EventStream {
    cursor: Cursor,
    news: watch::Receiver<()>,
    _place: Place,
}

/// How far a form's events were read.
#[derive(Clone, Debug)]
pub struct Cursor {
    form: Arc<str>,
    after: i64,
}

#[derive(Debug)]
struct Place {
    streams: Arc<Streams>,
    owner: Owner,
    form_no: Option<i64>,
}

/// Opens a stream that begins after the event with this id, or with what happens from now on.
///
/// # Errors
/// 400 where that is no event's id, 404, 403; 410 where the events after that one are not kept; 429 and 503 where too many
/// streams are open.
pub fn open(app: &App, caller: &Caller, form: &str, last: Option<&str>) -> Result<EventStream> {
    let mut place = Streams::place(&app.streams, owner(caller.credential, &caller.user))?;
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
    let news = app.event_bells.subscribe(form_no);
    Ok(EventStream { cursor: Cursor { form: form.into(), after }, news, _place: place })
}

/// Up to `limit` of the next events, if the caller may still read them; at least one where there is one.
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
    let forms = app.streams.forms();
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
        app.streams.see(*form_no, *last);
        app.event_bells.ring(*form_no);
    }
    Ok(newer.len())
}

/// Events from before this time may be gone.
fn kept_since(now: Time) -> Time {
    now.minus_secs(STREAM_SECS)
}

/// The event after which a stream goes on.
fn resume(tx: &Tx, form_no: i64, token: &str) -> Result<i64> {
    if !events::is_token(tx, token) {
        let text = "Last-Event-ID must be the id of an event of this stream, such as evt_ and 22 letters and digits";
        return Err(Error::BadRequest(text.to_owned()));
    }
    let id = events::id_of(tx, form_no, token);
    let id = match id {
        Some(id) if events::is_followed(tx, form_no, id, kept_since(tx.now))? => Some(id),
        _ => None,
    };
    id.ok_or_else(|| {
        let text = "The events after this one are no longer kept: read the entries instead, and open the stream \
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

impl Streams {
    /// How many are open.
    pub(in crate::ops) fn count(&self) -> usize {
        self.open().by_owner.values().sum()
    }

    /// A place for one more stream.
    fn place(streams: &Arc<Self>, owner: Owner) -> Result<Place> {
        let mut open = streams.open();
        let count = |is_counted: fn(&Owner, &Owner) -> bool| -> usize {
            open.by_owner.iter().filter(|(other, _)| is_counted(other, &owner)).map(|(_, count)| count).sum()
        };
        let own = count(|other, owner| other == owner);
        let refused = |text| Err(Error::TooManyOpen(text, WAIT_SECS));
        if own >= MOST_EACH {
            return refused("This token has 5 event streams open: close one of them first");
        }
        if count(|other, owner| other.1 == owner.1) >= MOST_OF_USER {
            return refused("You have 20 event streams open: close one of them first");
        }
        if count(|other, owner| other.2 == owner.2) >= MOST_OF_ORGANIZATION {
            return refused("Your organization has 200 event streams open: close one of them first");
        }
        if count(|_, _| true) >= MOST {
            return Err(Error::Busy("1,000 event streams are open", WAIT_SECS));
        }
        open.by_owner.insert(owner, own + 1);
        Ok(Place { streams: Arc::clone(streams), owner, form_no: None })
    }

    /// The forms whose events are read, with the last ones that were looked for.
    fn forms(&self) -> Vec<(i64, i64)> {
        let open = self.open();
        let all = open.by_form.iter();
        all.map(|(form_no, readers)| (*form_no, readers.seen)).collect()
    }

    fn see(&self, form_no: i64, last: i64) {
        if let Some(readers) = self.open().by_form.get_mut(&form_no) {
            readers.seen = last;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Each change is complete in itself, so a panic elsewhere leaves the tables consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    fn of_form(&mut self, form_no: i64, seen: i64) {
        let mut open = self.streams.open();
        let readers = open.by_form.entry(form_no);
        readers.or_insert(Readers { count: 0, seen }).count += 1;
        self.form_no = Some(form_no);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        let Open { by_owner, by_form } = &mut *open;
        if let Some(own) = by_owner.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                by_owner.remove(&self.owner);
            }
        }
        if let Some(form_no) = self.form_no
            && let Some(readers) = by_form.get_mut(&form_no)
        {
            readers.count -= 1;
            if readers.count == 0 {
                by_form.remove(&form_no);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_a_user_an_organization_and_all_have_so_many_places() {
        let streams = Arc::default();
        // Of 4 tokens of each of 10 users of each of 5 organisations.
        let place = |token: i64| {
            let owner = (Credential::PersonalToken(token), UserId(token / 4), OrganizationId(token / 40));
            Streams::place(&streams, owner)
        };
        let mut places = Vec::new();
        for token in 0..200 {
            // Another token of a user of this organisation would do.
            for _ in 0..5 {
                places.push(place(token).expect("a place"));
            }
            assert!(matches!(place(token), Err(Error::TooManyOpen(..))), "{token}");
        }
        let refused = |owner: Owner| match Streams::place(&streams, owner) {
            Err(Error::TooManyOpen(text, _) | Error::Busy(text, _)) => text.to_owned(),
            other => panic!("{other:?}"),
        };
        let token = Credential::PersonalToken;
        assert_eq!(
            refused((token(7), UserId(1), OrganizationId(0))),
            "This token has 5 event streams open: close one of them first"
        );
        assert_eq!(
            refused((token(900), UserId(1), OrganizationId(0))),
            "You have 20 event streams open: close one of them first"
        );
        assert_eq!(
            refused((token(900), UserId(900), OrganizationId(0))),
            "Your organization has 200 event streams open: close one of them first"
        );
        assert_eq!(refused((token(900), UserId(900), OrganizationId(900))), "1,000 event streams are open");
        places.remove(35).of_form(1, 0);
        assert!(place(8).is_err());
        places.push(place(7).expect("the place that became free"));
        drop(places);
        let open = streams.open();
        assert!(open.by_owner.is_empty() && open.by_form.is_empty());
    }
}
