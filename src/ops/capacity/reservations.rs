//! The state of an entry's booking: collaborators set it, respondents cancel (contract sections 4 and 5). A cancelled
//! booking gives its places back; it needs room to be reserved again.

use std::sync::Arc;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::values::stored;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::precondition::IfMatch;
use crate::model::results::{ReservationStatus, Results};
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, Asker, RequestedLists};
use crate::ops::delivery::respondent_letters::{self, Cause};
use crate::ops::entries::change::{self, ForChange};
use crate::ops::entries::respondent_entries::{self, OwnEntry};
use crate::ops::entries::{self, EntryView};
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::{entries as rows, forms};

/// The states by their names.
pub const STATUSES: [(&str, ReservationStatus); 3] = [
    ("reserved", ReservationStatus::Reserved),
    ("cancelled", ReservationStatus::Cancelled),
    ("completed", ReservationStatus::Completed),
];

fn read(reader: &mut Reader) -> Option<ReservationStatus> {
    reader.word("status", &STATUSES)
}

/// The JSON Schema of the body of `set`.
pub fn schema() -> Json {
    Reader::describe(|reader| {
        read(reader);
    })
}

/// Sets the state of an entry's booking.
///
/// # Errors
/// 403, 404, 409 if too little is left to reserve it again, 412, 422 also for an entry without a booking.
pub fn set(
    app: &App,
    caller: &Caller,
    token: &str,
    serial: Option<i64>,
    body: Json,
    if_match: IfMatch,
) -> Result<Ticket<EntryView>> {
    let mut at = Issues::new();
    let status = read(&mut Reader::new(body, &mut at));
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let outbox = Arc::clone(&app.delivery.outbox);
    let prepare = move |tx: &Tx| {
        let found = change::for_change(&cache, tx, (&caller, &token), serial, &if_match, None)?;
        at.clone().into_result()?;
        Ok((found, status.ok_or_else(|| Error::internal("a status without a fault"))?))
    };
    app.prepare(prepare, move |tx, (found, status)| {
        let ForChange { form, shape, entry } = found;
        forms::check_version(tx, form.form_no, form.version)?;
        let current = entries::live(tx, &form, Some(entry.serial))?;
        if current.version != entry.version {
            return Err(Error::Stale);
        }
        if current.results.reservation_status.is_none() {
            let reason = Reason::other(if current.results.is_waiting {
                "is possible once the entry moves up from the waiting list"
            } else {
                "is possible only for an entry with a booking"
            });
            return Err(Error::invalid("status", reason));
        }
        let view = EntryView { entry: change(tx, &shape.parsed, current.clone(), status)?, shape };
        respondent_letters::queue_change(&outbox, tx, &form, &view, &current, Cause::default())?;
        Ok(view)
    })
}

/// Cancels the booking of an entry that [`respondent_entries::find`] returned for its respondent, whose network has the
/// pseudonym `sender`.
///
/// # Errors
/// 403 while the form takes no submissions, 404, 422 if there is no booking that can be cancelled.
pub fn cancel(app: &App, own: OwnEntry, sender: String) -> Result<Ticket<EntryView>> {
    let (cache, outbox) = (Arc::clone(&app.cache), Arc::clone(&app.delivery.outbox));
    let prepare = move |tx: &Tx| {
        let own = own.again(&cache, tx)?;
        respondent_entries::check_open(&own.published)?;
        Ok(own)
    };
    app.prepare(prepare, move |tx, own| {
        let OwnEntry { published, entry, shape } = own;
        let form = &published.form;
        forms::check_version(tx, form.form_no, form.version)?;
        let current = rows::by_serial(tx, form.form_no, entry.serial)?;
        let current = current.ok_or(Error::NotFound(Noun::Entry))?;
        let refusal = match current.results.reservation_status {
            None => "is blank: the entry has no booking",
            Some(ReservationStatus::Completed) => "is completed",
            Some(_) => {
                let entry = change(tx, &shape.parsed, current.clone(), ReservationStatus::Cancelled)?;
                let view = EntryView { entry, shape };
                let cause = Cause { is_by_program: false, sender: Some(&sender) };
                respondent_letters::queue_change(&outbox, tx, form, &view, &current, cause)?;
                return Ok(view);
            }
        };
        let reason = Reason::other(refusal);
        Err(Error::invalid("reservation_status_fsf_field", reason))
    })
}

fn change(tx: &Tx, parsed: &ParsedForm, entry: Entry, status: ReservationStatus) -> Result<Entry> {
    if entry.results.reservation_status == Some(status) {
        return Ok(entry);
    }
    let values = stored::values(&entry.values).map_err(Error::internal)?;
    let results = Results { reservation_status: Some(status), ..entry.results.clone() };
    let form_no = parsed.form_no;
    let before = capacity::taken_amounts(parsed, &values, &entry.results);
    let after = capacity::demands(parsed, &values, &results, &RequestedLists::default());
    capacity::refuse_full(tx, form_no, Asker::Collaborator, &before, &after)?;
    capacity::replace(tx, form_no, &before, after.iter().map(|it| &it.taken))?;
    let text = entry.values.clone();
    rows::update(tx, form_no, entry, text, results)
}
