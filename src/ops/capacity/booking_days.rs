//! Bookable days and slots of a booking field (contract section 5).

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::reason::{Expected, Reason, Set};
use crate::base::text::phrase::phrase;
use crate::fields::kind::{Calendar, Counted, Day, Places};
use crate::fields::schedule::occupancy::Occupancy;
use crate::fields::{Field, schedule};
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::capacity::occupancy;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::published::{self, Visitor};
use crate::query::form_cache::ParsedForm;
use crate::store::capacity::Counts;
use crate::store::db::tx::Tx;

/// Maximum days of one answer.
const MAX_DAYS: i32 = 93;

/// An unchecked request for days.
pub struct Request {
    /// The booking field.
    field: Option<String>,
    /// One of its items; without it, all items.
    item: Option<String>,
    /// The first day.
    from: Option<String>,
    /// The last day.
    to: Option<String>,
}

impl Request {
    /// The request of these parameters, by their names.
    pub fn of(parameter: impl Fn(&str) -> Option<String>) -> Self {
        Self { field: parameter("field"), item: parameter("item"), from: parameter("from"), to: parameter("to") }
    }
}

/// A day that can be booked.
#[derive(Serialize, JsonSchema)]
pub struct BookingDay {
    #[schemars(extend("format" = "date"))]
    date: String,
    /// Of the day. For items with weekly quotas.
    #[serde(flatten)]
    room: Option<Room>,
    /// The day's slots. For items with time slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<Vec<BookingSlot>>,
    /// The item's `api_code`. Only if the field has several items and the request names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<String>,
}

/// A slot of a day.
#[derive(Serialize, JsonSchema)]
struct BookingSlot {
    /// The slot's `code`.
    code: String,
    /// `HH:MM` in the form's time zone.
    start_time: String,
    /// `HH:MM`; `24:00` is the end of the day.
    end_time: String,
    #[serde(flatten)]
    room: Room,
    /// Present only if the slot has begun: respondents can no longer book it or wait for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("const" = true))]
    has_begun: bool,
}

/// How much is left of a day or a slot.
#[derive(Serialize, JsonSchema)]
struct Room {
    /// Places left: 0 once a slot has begun; null if there is no limit.
    remaining: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<u64>,
}

/// The requested days, checked.
struct RequestedDays<'p> {
    field: &'p Field,
    calendar: &'p dyn Calendar,
    items: Vec<&'p str>,
    from: Date,
    to: Date,
}

/// The days that respondents can book, each with the places left, and for managers those held.
///
/// # Errors
/// 403 for the password or while the form shows no fields, 404, 422 with all faults of the request.
pub fn list(
    app: &App,
    caller: Option<&Caller>,
    token: &str,
    visitor: Visitor,
    request: &Request,
) -> Result<Vec<BookingDay>> {
    let published = published::show(app, token, visitor)?;
    if !published.shows_fields() {
        published.status.check()?;
    }
    let wanted = requested_days(&published.parsed, request, |field| !field.hidden)?;
    app.store.read(|tx| {
        let held = published::told_held(tx, &published.form, caller)?;
        days(tx, &published.parsed, &wanted, held.as_ref())
    })
}

/// The same for collaborators who change entries: of hidden fields too, whether or not the form takes submissions.
///
/// # Errors
/// 403, 404, 422 with all faults of the request.
pub fn list_for_collaborator(app: &App, caller: &Caller, token: &str, request: &Request) -> Result<Vec<BookingDay>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let wanted = requested_days(&parsed, request, |_| true)?;
        days(tx, &parsed, &wanted, None)
    })
}

fn requested_days<'p>(
    parsed: &'p ParsedForm,
    request: &'p Request,
    is_seen: fn(&Field) -> bool,
) -> Result<RequestedDays<'p>> {
    let mut at = Issues::new();
    let fields = &parsed.definition.fields;
    let code = request.field.as_deref().unwrap_or_default();
    let field = fields.get(code).filter(|field| is_seen(field));
    let found = field.and_then(|field| Some((field, field.kind.calendar()?)));
    if code.is_empty() {
        at.push_at("field", Reason::Required);
    } else if found.is_none() {
        let expected = Expected::Other("a booking field of this form");
        at.push_at("field", Reason::MustBe(expected));
    }
    let mut items = found.map_or_else(Vec::new, |(_, calendar)| calendar.bookable());
    if let Some(item) = &request.item {
        items.retain(|code| code == item);
        if found.is_some() && items.is_empty() {
            at.push_at("item", Reason::NotOneOf(Set::BookingItems));
        }
    }
    let from = day("from", request.from.as_deref(), &mut at);
    let to = day("to", request.to.as_deref(), &mut at);
    if let (Some(from), Some(to)) = (from, to) {
        let days = from.until(to).map_or(i32::MAX, |span| span.get_days());
        if days < 0 {
            at.push_at("to", Reason::NotBefore("from".to_owned()));
        } else if days >= MAX_DAYS {
            let most = phrase!("must be at most {} days after from", MAX_DAYS - 1);
            at.push_at("to", Reason::other(most));
        }
    }
    match (found, from, to) {
        (Some((field, calendar)), Some(from), Some(to)) if at.is_empty() => {
            Ok(RequestedDays { field, calendar, items, from, to })
        }
        _ => Err(Error::Invalid(at.into_list())),
    }
}

fn day(key: &str, typed: Option<&str>, at: &mut Issues) -> Option<Date> {
    let typed = typed.unwrap_or_default();
    let found = schedule::date(typed);
    if typed.is_empty() {
        at.push_at(key, Reason::Required);
    } else if found.is_none() {
        at.push_at(key, Reason::MustBe(Expected::Date("YYYY-MM-DD")));
    }
    found
}

fn days(tx: &Tx, parsed: &ParsedForm, wanted: &RequestedDays, held: Option<&Counts>) -> Result<Vec<BookingDay>> {
    let cx = parsed.cx(tx.now, true);
    // Without `item`, each day of several items names its item.
    let names_items = wanted.items.len() > 1;
    let mut out = Vec::new();
    for item in &wanted.items {
        let days = wanted.calendar.days(item, wanted.from, wanted.to, &cx);
        let mut taken = Occupancy::default();
        let range = schedule::counters_between(item, wanted.from, wanted.to);
        occupancy::add(tx, parsed.form_no, wanted.field, &range, &mut taken)?;
        for day in &days {
            let item = names_items.then(|| (*item).to_owned());
            out.push(BookingDay { item, ..day_of(wanted.field, day, &taken, held) });
        }
    }
    Ok(out)
}

fn day_of(field: &Field, day: &Day, taken: &Occupancy, held: Option<&Counts>) -> BookingDay {
    let room = |limit: &Counted| Room {
        remaining: taken.left(&field.api_code, &limit.counter, limit.places).map(|left| left.count),
        held: held.map(|held| held.of(field.number(), &limit.counter)),
    };
    let (room_of_day, slots) = match &day.places {
        Places::Whole(limit) => (Some(room(limit)), None),
        Places::Slots(slots) => {
            let slots = slots.iter().map(|slot| BookingSlot {
                code: slot.code.to_owned(),
                start_time: slot.start_time.to_owned(),
                end_time: slot.end_time.to_owned(),
                room: room(&slot.limit),
                has_begun: slot.has_begun,
            });
            (None, Some(slots.collect()))
        }
    };
    BookingDay { date: day.date.to_string(), room: room_of_day, slots, item: None }
}
