//! Reminders of bookings, a day before each. They follow from the entries as they are: which bookings begin within a day
//! is asked of the filters, so whatever moves, cancels, imports or restores a booking changes what is reminded of.
//! Only what was sent is noted.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Time as ClockTime;
use serde_json::json;

use crate::base::clock::{self, Time};
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::fields::display::dates;
use crate::fields::filter::Filter;
use crate::fields::kind::Booked;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::outbox::MessageKind;
use crate::model::results::ReservationStatus;
use crate::ops::app::App;
use crate::ops::delivery::mail_templates::entry::LetterCx;
use crate::ops::delivery::mail_templates::facts::{self, Facts};
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::respondent_letters;
use crate::ops::entries::Shape;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::query::request::{EntrySet, Query};
use crate::store::db::tx::Tx;
use crate::store::delivery::{outbox as mails, reminders as rows};
use crate::store::entries::Table;
use crate::store::{entries, forms};

/// How long before a booking its reminder is due.
const BEFORE_SECS: i64 = 86_400;
/// When bookings of whole days begin: nobody is reminded at midnight.
const MORNING: ClockTime = ClockTime::constant(9, 0, 0, 0);

/// Queues the reminders that are due. Returns how many.
///
/// # Errors
/// 503.
pub fn run(app: &App) -> Result<usize> {
    if !app.delivery.outbox.sends_mail() {
        return Ok(0);
    }
    let mut queued = 0;
    for form_no in app.store.read(rows::forms)? {
        for serial in app.store.read(|tx| due_entries(&app.cache, &app.delivery.outbox, tx, form_no))? {
            let (cache, outbox) = (Arc::clone(&app.cache), Arc::clone(&app.delivery.outbox));
            queued += usize::from(app.store.write(move |tx| remind(&cache, &outbox, tx, form_no, serial))?);
        }
    }
    let over = clock::now().minus_secs(BEFORE_SECS);
    if app.store.read(|tx| rows::is_any_before(tx, over))? {
        app.store.write(move |tx| rows::forget_before(tx, over))?;
    }
    Ok(queued)
}

/// The entries whose respondents are to be reminded now.
fn due_entries(cache: &Cache, outbox: &Outbox, tx: &Tx, form_no: i64) -> Result<Vec<i64>> {
    let form = forms::by_number(tx, form_no)?;
    let parsed = cache.parsed(tx, &form)?;
    let mut due = Vec::new();
    for serial in soon(cache, tx, &parsed)? {
        if let Some(entry) = entries::by_serial(tx, form_no, serial)?
            && is_due(cache, outbox, tx, &form, &parsed, &entry)?
        {
            due.push(serial);
        }
    }
    Ok(due)
}

fn is_due(
    cache: &Cache,
    outbox: &Outbox,
    tx: &Tx,
    form: &Form,
    parsed: &Arc<ParsedForm>,
    entry: &Entry,
) -> Result<bool> {
    let found = linked_entries::of_entries(cache, tx, parsed, [entry])?;
    let shape = Shape { parsed: Arc::clone(parsed), found };
    let letter = respondent_letters::letter_cx(outbox, tx, form, &shape, entry)?;
    Ok(due(tx, &letter)?.is_some())
}

/// The entries with a booking from today on that begins within a day.
fn soon(cache: &Cache, tx: &Tx, parsed: &Arc<ParsedForm>) -> Result<BTreeSet<i64>> {
    let cx = parsed.cx(tx.now, false);
    let today = dates::local_now(&cx);
    let today = today.split(' ').next().unwrap_or_default();
    let last = dates::local(tx.now.plus_secs(BEFORE_SECS).timestamp(), &parsed.timezone);
    let fields = &parsed.definition.fields;
    let set = EntrySet { form_no: parsed.form_no, table: Table::Live };
    let mut out = BTreeSet::new();
    for field in fields.iter().filter(|field| field.kind.calendar().is_some()) {
        let condition = json!([{"field": field.api_code, "operator": "between", "value": [today, last]}]);
        let mut at = Issues::new();
        let filter = Filter::of_conditions(&condition, fields, &cx, &mut at);
        at.into_result()?;
        let found = crate::query::matching(cache, tx, set, &Query::of(parsed, filter))?;
        out.extend(found.beyond(None, false, usize::MAX));
    }
    Ok(out)
}

/// Reminds the respondent of an entry, if that is due; whether it was.
fn remind(cache: &Cache, outbox: &Outbox, tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    if !forms::exists(tx, form_no)? {
        return Ok(false);
    }
    let form = forms::by_number(tx, form_no)?;
    let parsed = cache.parsed(tx, &form)?;
    let Some(entry) = entries::by_serial(tx, form_no, serial)? else {
        return Ok(false);
    };
    let found = linked_entries::of_entries(cache, tx, &parsed, [&entry])?;
    let shape = Shape { parsed, found };
    let letter = respondent_letters::letter_cx(outbox, tx, &form, &shape, &entry)?;
    let Some(facts) = due(tx, &letter)? else {
        return Ok(false);
    };
    for booked in facts.bookings() {
        if let Some(starts_at) = begins(&letter, booked) {
            rows::note(tx, form_no, serial, starts_at)?;
        }
    }
    respondent_letters::queue_reminder(outbox, tx, &letter, facts)?;
    Ok(true)
}

/// The bookings to be reminded of now: the bookings of the first day with one that begins within a day, and of which
/// nothing told within that time.
fn due<'l>(tx: &Tx, letter: &'l LetterCx) -> Result<Option<Facts<'l>>> {
    let (entry, form_no) = (letter.entry, letter.form.form_no);
    let group = &letter.parsed.settings.notifications;
    let is_sent = group.sends(MessageKind::Reminder);
    let is_by_program = entry.results.is_by_program && !group.receipt.for_programs;
    let is_booked = entry.results.reservation_status == Some(ReservationStatus::Reserved);
    if !is_sent || is_by_program || !is_booked {
        return Ok(None);
    }
    let facts = Facts::of(letter, entry);
    let mut soon: Vec<(Time, &Booked)> = facts
        .bookings()
        .filter_map(|booked| Some((begins(letter, booked)?, booked)))
        .filter(|(starts_at, _)| (tx.now..=tx.now.plus_secs(BEFORE_SECS)).contains(starts_at))
        .collect();
    soon.sort_by_key(|(starts_at, _)| *starts_at);
    for (starts_at, booked) in soon {
        let since = starts_at.minus_secs(BEFORE_SECS);
        let is_told = entry.created_at > since
            || rows::is_noted(tx, form_no, entry.serial, starts_at)?
            || mails::has_told(tx, form_no, entry.serial, &MessageKind::OF_BOOKINGS, since)?;
        if !is_told {
            let day = booked.from.date();
            return Ok(Some(facts.only(|booked| booked.from.date() == day)));
        }
    }
    Ok(None)
}

/// The beginning of a booking, for its reminder.
fn begins(letter: &LetterCx, booked: &Booked) -> Option<Time> {
    let local = if facts::is_whole_day(booked) { booked.from.date().to_datetime(MORNING) } else { booked.from };
    let at = letter.cx.timezone.to_timestamp(local).ok()?;
    Some(Time::from_millis(at.as_millisecond()))
}
