//! A day of a form's bookings: the places of each item, and their bookings.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::civil::Date;
use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::phrase::Phrase;
use crate::fields::kind::{Booked, Calendar, Counted, Places};
use crate::fields::values::{Values, stored};
use crate::fields::{Field, schedule};
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::results::ReservationStatus;
use crate::ops::app::{App, Ticket};
use crate::ops::entries::Shape;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::request::{EntrySet, FilterRequest, Query};
use crate::query::{self, linked_entries};
use crate::store::capacity;
use crate::store::db::tx::Tx;
use crate::store::entries::check_ins::{self, CheckIn};
use crate::store::entries::{Table, entry_scan};

/// The most entries of one day.
pub const MOST: usize = 500;

/// A day's bookings.
pub struct DaySheet {
    /// The context for showing entries.
    pub shape: Shape,
    pub day: Date,
    /// Today in the form's time zone.
    pub today: Date,
    /// Entries with a booking on the day, by serial number.
    pub entries: Vec<Entry>,
    /// Check-ins of these entries, by serial number.
    pub there: HashMap<i64, CheckIn>,
    /// Items that are open on the day or booked.
    pub items: Vec<ItemOfDay>,
    /// Entries beyond [`MOST`].
    pub left_out: i64,
}

pub struct ItemOfDay {
    pub name: String,
    pub times: Vec<TimeOfDay>,
}

/// The whole day, or a slot of it.
pub struct TimeOfDay {
    counter: String,
    /// `HH:MM` from and to; `None` for the whole day.
    pub hours: Option<(String, String)>,
    /// Number of places taken, or held.
    pub taken: u64,
    /// Number of all places; `None` for any number.
    pub places: Option<u64>,
    /// Bookings with places first, then waiting ones, then cancelled ones.
    pub bookings: Vec<BookedPlaces>,
}

/// Places booked by an entry.
pub struct BookedPlaces {
    /// Its index among the day's entries.
    pub entry: usize,
    pub number: i64,
}

/// Whether a form takes bookings.
pub fn has_bookings(parsed: &ParsedForm) -> bool {
    calendars(parsed).next().is_some()
}

/// The items of a form as an address names them, and their names.
pub fn items(parsed: &ParsedForm) -> Vec<(String, &str)> {
    let all = calendars(parsed).flat_map(|(field, calendar)| {
        let items = calendar.all_items().into_iter();
        items.map(|(code, name)| (address_of(field, code), name))
    });
    all.collect()
}

fn address_of(field: &Field, item: &str) -> String {
    format!("{}.{item}", field.api_code)
}

fn calendars(parsed: &ParsedForm) -> impl Iterator<Item = (&Field, &dyn Calendar)> {
    parsed.definition.fields.iter().filter_map(|field| Some((field, field.kind.calendar()?)))
}

/// The bookings of a day, today if none is named; of one item, as [`items`] names it, or of all.
///
/// # Errors
/// 400 for an unknown item, 404 also for a form without bookings, 503.
pub fn find(
    app: &App,
    caller: &Caller,
    token: &str,
    day: Option<Date>,
    item: Option<String>,
) -> Result<Ticket<DaySheet>> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    Ok(app.store.search(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Read)?;
        let parsed = cache.parsed(tx, &form)?;
        if !has_bookings(&parsed) {
            return Err(Error::NotFound(Noun::Page));
        }
        if item.as_ref().is_some_and(|item| !items(&parsed).iter().any(|(known, _)| known == item)) {
            return Err(Error::BadRequest(Phrase::plain("item must be an item of this form")));
        }
        let today = schedule::today(&parsed.cx(tx.now, false));
        let day = day.unwrap_or(today);
        let (serials, left_out) = serials_of(&cache, tx, &parsed, day)?;
        let entries = entry_scan::by_serials(tx, Table::Live, form.form_no, &serials)?;
        let found = linked_entries::of_entries(&cache, tx, &parsed, &entries)?;
        let items = items_of(tx, &parsed, day, item.as_deref(), &entries)?;
        let there = check_ins::of_entries(tx, form.form_no, &serials)?;
        Ok(DaySheet { shape: Shape { parsed, found }, day, today, entries, there, items, left_out })
    }))
}

/// The entries with a booking on a day, and how many more there are.
fn serials_of(cache: &Cache, tx: &Tx, parsed: &Arc<ParsedForm>, day: Date) -> Result<(Vec<i64>, i64)> {
    let set = EntrySet { form_no: parsed.form_no, table: Table::Live };
    let mut serials = BTreeSet::new();
    let mut all = 0;
    for (field, _) in calendars(parsed) {
        let filters = json!([{"field": field.api_code, "operator": "eq", "value": day.to_string()}]);
        let mut at = Issues::new();
        let query = Query::read(cache, tx, parsed, &FilterRequest { filters, keyword: None }, &mut at)?;
        at.into_result()?;
        let found = query::matching(cache, tx, set, &query)?;
        all = all.max(found.len());
        serials.extend(found.beyond(None, false, MOST));
    }
    let serials: Vec<i64> = serials.into_iter().take(MOST).collect();
    let shown = i64::try_from(serials.len()).unwrap_or(i64::MAX);
    Ok((serials, (all - shown).max(0)))
}

fn items_of(
    tx: &Tx,
    parsed: &ParsedForm,
    day: Date,
    wanted: Option<&str>,
    entries: &[Entry],
) -> Result<Vec<ItemOfDay>> {
    let values = entries.iter().map(|entry| stored::values(&entry.values).map_err(Error::internal));
    let values = values.collect::<Result<Vec<_>>>()?;
    let cx = parsed.cx(tx.now, false);
    let mut out = Vec::new();
    for (field, calendar) in calendars(parsed) {
        let booked = |(at, values): (usize, &Values)| {
            let stored = values.get(&field.api_code).unwrap_or(&Json::Null);
            let lines = calendar.booked(stored).into_iter().filter(|line| line.from.date() == day);
            lines.map(|line| (at, line)).collect::<Vec<_>>()
        };
        let booked: Vec<(usize, Booked)> = values.iter().enumerate().flat_map(booked).collect();
        for (code, name) in calendar.all_items() {
            if wanted.is_some_and(|wanted| wanted != address_of(field, code)) {
                continue;
            }
            let range = schedule::counters_between(code, day, day);
            let names = (range.first.as_str(), range.last.as_str());
            let taken = capacity::taken_between(tx, parsed.form_no, field.number(), names)?;
            let taken: HashMap<String, u64> = taken.into_iter().collect();
            let own = booked.iter().filter(|(_, line)| line.counter.split('/').next() == Some(code));
            let mut times = times_of(calendar.places(code, day, &cx));
            for (at, line) in own {
                let number = line.number;
                let known = times.iter_mut().find(|time| time.counter == line.counter);
                match known {
                    Some(time) => time.bookings.push(BookedPlaces { entry: *at, number }),
                    None => times.push(unplanned(line, BookedPlaces { entry: *at, number })),
                }
            }
            for time in &mut times {
                time.taken = taken.get(&time.counter).copied().unwrap_or_default();
                time.bookings.sort_by_key(|booking| rank(&entries[booking.entry]));
            }
            times.sort_by(|a, b| a.hours.cmp(&b.hours));
            if !times.is_empty() {
                out.push(ItemOfDay { name: name.to_owned(), times });
            }
        }
    }
    Ok(out)
}

/// Order of bookings: those with places, then waiting ones in their order, then cancelled ones.
fn rank(entry: &Entry) -> (u8, i64) {
    match (entry.waiting_position, entry.results.reservation_status) {
        (Some(position), _) => (1, position),
        (None, Some(ReservationStatus::Cancelled)) => (2, entry.serial),
        _ => (0, entry.serial),
    }
}

fn times_of(places: Option<Places>) -> Vec<TimeOfDay> {
    let time = |limit: Counted, hours| TimeOfDay {
        counter: limit.counter,
        hours,
        taken: 0,
        places: limit.places,
        bookings: Vec::new(),
    };
    match places {
        None => Vec::new(),
        Some(Places::Whole(limit)) => vec![time(limit, None)],
        Some(Places::Slots(slots)) => {
            slots.into_iter().map(|slot| time(slot.limit, Some((slot.start_time, slot.end_time)))).collect()
        }
    }
}

/// A booking of a time that the form does not offer any more.
fn unplanned(line: &Booked, booking: BookedPlaces) -> TimeOfDay {
    let clock = |at: jiff::civil::DateTime| at.strftime("%H:%M").to_string();
    let hours = line.to.map(|to| {
        let is_end_of_day = to.date() > line.from.date();
        (clock(line.from), if is_end_of_day { "24:00".to_owned() } else { clock(to) })
    });
    TimeOfDay { counter: line.counter.clone(), hours, taken: 0, places: None, bookings: vec![booking] }
}
