//! A line of a booking: an item, its day or slot, and how many places of it.

use jiff::civil::{Date, DateTime};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set};
use crate::fields::kind::Cx;
use crate::fields::kinds::booking::{Booking, item};
use crate::fields::values::lines;

/// Maximum places of a line.
pub const MAX_NUMBER: i64 = 10_000;

/// A line as it is stored. A member that is missing or of another type is `None`.
#[derive(Default, Serialize)]
pub struct BookingLine<'v> {
    pub api_code: Option<&'v str>,
    /// The start on the form's wall clock.
    pub scheduled_at: Option<&'v str>,
    /// The end on the form's wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_at: Option<&'v str>,
    pub number: Option<i64>,
    /// The code of the slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_range_code: Option<&'v str>,
}

impl<'v> BookingLine<'v> {
    /// Decodes a stored line in one pass: scans of many entries do this.
    pub fn of(line: &'v Json) -> Self {
        let mut own = Self::default();
        for (name, value) in line.as_object().into_iter().flatten() {
            match name.as_str() {
                "api_code" => own.api_code = value.as_str(),
                "scheduled_at" => own.scheduled_at = value.as_str(),
                "end_at" => own.end_at = value.as_str(),
                "number" => own.number = value.as_i64(),
                "time_range_code" => own.time_range_code = value.as_str(),
                _ => {}
            }
        }
        own
    }

    /// Decodes the lines of a stored value.
    pub fn all(stored: &'v Json) -> impl Iterator<Item = Self> {
        lines::of(stored).map(Self::of)
    }

    /// The start.
    pub fn start(&self) -> Option<DateTime> {
        self.scheduled_at?.parse().ok()
    }

    /// The end.
    pub fn end(&self) -> Option<DateTime> {
        self.end_at?.parse().ok()
    }

    /// The booked place: an item's day, or a slot of it.
    pub fn place(&self) -> (Option<&'v str>, Option<Date>, Option<&'v str>) {
        (self.api_code, self.start().map(DateTime::date), self.time_range_code)
    }
}

/// A wall clock time as it is stored.
pub fn stored_time(at: DateTime) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

impl Booking {
    /// Write shape → stored line; `None` after a fault.
    pub fn parse_line(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Option<Json> {
        let mut line = Reader::new(raw, at);
        let number = if self.allow_multiple_number == Some(true) {
            line.opt_int("number", 1..=MAX_NUMBER)
        } else {
            let number = line.opt_int("number", i64::MIN..=i64::MAX);
            if number.is_some_and(|number| number != 1) {
                line.fault("number", Reason::MustBe(Expected::One));
            }
            number
        };
        if !line.has("api_code") {
            line.fault("api_code", Reason::Blank);
        }
        let api_code = line.opt_text("api_code", 64);
        let item =
            api_code.as_ref().and_then(|code| self.find(code)).filter(|item| !(item.is_hidden() && cx.respondent));
        let (Some(api_code), Some(item)) = (&api_code, item) else {
            if api_code.is_some() {
                line.fault("api_code", Reason::NotOneOf(Set::BookingItems));
            }
            item::check_times(&mut line);
            return None;
        };
        let place = item.place(&mut line, cx)?;
        let (from, to) = (stored_time(place.from), place.to.map(stored_time));
        Some(json!(BookingLine {
            api_code: Some(api_code),
            scheduled_at: Some(&from),
            end_at: to.as_deref(),
            number: Some(number.unwrap_or(1)),
            time_range_code: place.slot.map(|slot| slot.code.as_str()),
        }))
    }

    /// A line for people; `sign` stands between the item and its time, and `day_text` writes the day.
    pub fn line_text(&self, line: &BookingLine, sign: &str, day_text: impl Fn(&str) -> String) -> String {
        let name = self.name_of(line);
        let from = line.start();
        let when = match (from, line.end()) {
            (Some(from), Some(to)) => {
                let is_midnight = to.date() > from.date() && to.time() == jiff::civil::Time::midnight();
                let end = if is_midnight { "24:00".to_owned() } else { to.strftime("%H:%M").to_string() };
                let day = day_text(&from.date().to_string());
                format!("{day} {}–{end}", from.strftime("%H:%M"))
            }
            (Some(from), None) => day_text(&from.date().to_string()),
            (None, _) => String::new(),
        };
        match line.number {
            Some(number) if number > 1 => format!("{number} × {name}{sign}{when}"),
            _ => format!("{name}{sign}{when}"),
        }
    }
}
