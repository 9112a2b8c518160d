//! `booking`: places on days or in time slots. Whether a place is free is decided by the writer.

mod calendar;
mod capacity;
mod control;
mod filter;
mod item;
mod line;
mod lookup;
mod page;
mod sheet;
#[cfg(test)]
mod tests;

use jiff::civil::DateTime;
use serde::Serialize;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::fields::display::local_date;
use crate::fields::filter::compared::{Compared, ComparedItem};
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Calendar, Capacity, Cx, Facets, Item, Kind, KindRow, Lookup, Parts, Sample, Sheet, check_name,
};
use crate::fields::kinds::booking::line::{BookingLine, MAX_NUMBER};
use crate::fields::report::goods::Items;
use crate::fields::values::lines;

pub static KIND: KindRow = KindRow {
    name: "booking",
    facets: Facets {
        displayable: true,
        conditions: Some(
            "An item's `api_code`, or a date or date-time of the booking; which one is meant follows from the value.",
        ),
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"reservation_items": [{"api_code": "room", "name": "Room A", "quota_setting": {
                "kind": "time_range", "closed_dates": ["2026-12-24"], "min_days_ahead": 1, "max_days_ahead": 60,
                "daily_time_range_quotas": [
                    {"code": "am", "weekday": 1, "start_time": "09:00", "end_time": "10:30", "quota": 2},
                    {"code": "pm", "weekday": 1, "start_time": "22:00", "end_time": "24:00", "quota": null}
                ]
            }}], "allow_multiple_items": true, "allow_multiple_number": true}"#,
            write: r#"[
                {"api_code": "room", "scheduled_at": "2026-11-23T09:00", "number": 2, "item_name": "ignored", "time_range_code": 5},
                {"api_code": "room", "scheduled_at": "2026-11-24T06:00:00+08:00", "end_at": "2026-11-24T00:00:00Z"}
            ]"#,
            stored: r#"[
                {"api_code": "room", "scheduled_at": "2026-11-23T09:00:00", "end_at": "2026-11-23T10:30:00", "number": 2, "time_range_code": "am"},
                {"api_code": "room", "scheduled_at": "2026-11-23T22:00:00", "end_at": "2026-11-24T00:00:00", "number": 1, "time_range_code": "pm"}
            ]"#,
            text: "2 × Room A 2026-11-23 09:00–10:30, Room A 2026-11-23 22:00–24:00",
        },
        Sample {
            definition: r#"{"reservation_items": [{"api_code": "tour", "name": "Tour", "quota_setting": {
                "kind": "weekly", "start_date": "2026-01-01", "end_date": "2026-12-31",
                "weekly_quotas": [{"weekday": 6, "quota": 20}, {"weekday": 7, "quota": null}]
            }}, {"api_code": "secret", "name": "Secret", "hidden": true, "quota_setting": {
                "kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 0}]
            }}]}"#,
            write: r#"[{"api_code": "tour", "scheduled_at": "2026-11-28"}]"#,
            stored: r#"[{"api_code": "tour", "scheduled_at": "2026-11-28T00:00:00", "number": 1}]"#,
            text: "Tour 2026-11-28",
        },
    ],
};

const MAX_LINES: usize = 100;

#[derive(Serialize)]
struct Booking {
    reservation_items: Vec<item::Bookable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_multiple_items: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_multiple_number: Option<bool>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(Booking {
        reservation_items: item::read_items(reader, cx),
        allow_multiple_items: reader.opt_bool("allow_multiple_items"),
        allow_multiple_number: reader.opt_bool("allow_multiple_number"),
    })
}

/// A wall clock time in UTC, for the API.
fn in_utc(local: Option<DateTime>, cx: &Cx) -> Json {
    let at = local.and_then(|local| cx.timezone.to_timestamp(local).ok());
    at.map_or(Json::Null, |at| Time::from_millis(at.as_millisecond()).into())
}

impl Booking {
    fn named(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let items = self.reservation_items.iter();
        items.map(|item| (item.api_code.as_str(), item.name.as_str()))
    }

    fn find(&self, code: &str) -> Option<&item::Bookable> {
        self.reservation_items.iter().find(|item| item.api_code == code)
    }

    fn name_of<'b>(&'b self, line: &BookingLine<'b>) -> &'b str {
        let code = line.api_code.unwrap_or_default();
        self.find(code).map_or(code, |item| &item.name)
    }
}

impl Kind for Booking {
    fn read_schema(&self) -> Json {
        let codes: Vec<&str> = self.named().map(|(code, _)| code).collect();
        json!({"type": "array", "items": {
            "type": "object",
            "properties": {
                "api_code": {"type": "string", "enum": codes},
                "scheduled_at": {"type": "string", "format": "date-time"},
                "end_at": {"type": ["string", "null"], "format": "date-time"},
                "number": {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
                "item_name": {"type": "string"},
                "time_range_code": {"type": ["string", "null"]},
            },
            "required": ["api_code", "scheduled_at", "end_at", "number", "item_name", "time_range_code"],
        }})
    }

    fn write_schema(&self) -> Json {
        let mut schema = self.read_schema();
        let item = &mut schema["items"];
        item["required"] = json!(["api_code", "scheduled_at"]);
        // Local times need no offset, which `date-time` requires.
        item["properties"]["scheduled_at"] = json!({"type": "string"});
        item["properties"]["end_at"] = json!({"type": ["string", "null"]});
        if let Some(properties) = item["properties"].as_object_mut() {
            properties.shift_remove("item_name");
            properties.shift_remove("time_range_code");
        }
        schema
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Array(items) = raw else {
            at.push(Reason::MustBe(Expected::Other("a list of bookings")));
            return Json::Null;
        };
        let most = if self.allow_multiple_items == Some(true) { MAX_LINES } else { 1 };
        if items.len() > most {
            at.push(Reason::too_many(most, Things::Bookings));
            return Json::Null;
        }
        let mut stored: Vec<Json> = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            at.index(i, |at| {
                let Some(line) = self.parse_line(item, cx, at) else {
                    return;
                };
                let same = |known: &Json| BookingLine::of(known).place() == BookingLine::of(&line).place();
                if stored.iter().any(same) {
                    at.push_at("scheduled_at", Reason::BookedTwice);
                }
                stored.push(line);
            });
        }
        Json::Array(stored)
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn reads_as_stored(&self) -> bool {
        false
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let is_known = |line: &Json| BookingLine::of(line).api_code.is_some_and(|code| self.find(code).is_some());
        match stored {
            Json::Array(lines) => lines.into_iter().filter(is_known).collect(),
            other => other,
        }
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let shown = |line: BookingLine| {
            json!({
                "api_code": line.api_code,
                "scheduled_at": in_utc(line.start(), cx),
                "end_at": in_utc(line.end(), cx),
                "number": line.number,
                "item_name": self.name_of(&line),
                "time_range_code": line.time_range_code,
            })
        };
        BookingLine::all(stored).map(shown).collect()
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let texts = BookingLine::all(stored).map(|line| self.line_text(&line, " ", str::to_owned));
        texts.collect::<Vec<_>>().join(", ")
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let day = |day: &str| local_date::alone(day, cx.locale);
        let texts = BookingLine::all(stored).map(|line| self.line_text(&line, " · ", day));
        texts.collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let keys = |line: BookingLine| {
            let (code, at) = (line.api_code.unwrap_or_default(), line.scheduled_at.unwrap_or_default());
            [Key::Code(code.to_owned()), Key::Text(at.replacen('T', " ", 1))]
        };
        BookingLine::all(stored).flat_map(keys).collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::NUMBER
    }

    fn compared(&self) -> Compared {
        let items = self.reservation_items.iter();
        Compared::ItemsOrDay(items.map(|item| ComparedItem::new(item.api_code.clone(), &item.name)).collect())
    }

    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        filter::condition(op, value, cx)
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }

    fn for_respondent(&self) -> Json {
        let mut own = serde_json::to_value(self).unwrap_or_default();
        if let Some(items) = own["reservation_items"].as_array_mut() {
            items.retain(|item| item["hidden"] != json!(true));
            for item in items {
                for list in ["weekly_quotas", "daily_time_range_quotas"] {
                    let days = item["quota_setting"].get_mut(list);
                    for day in days.and_then(Json::as_array_mut).into_iter().flatten() {
                        if let Some(day) = day.as_object_mut() {
                            day.shift_remove("quota");
                        }
                    }
                }
            }
        }
        own
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Items::booked(self.named().collect()))
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(self)
    }

    fn calendar(&self) -> Option<&dyn Calendar> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Parts for Booking {
    fn items(&self) -> Vec<Item<'_>> {
        let item = |code, label| Item { list: "reservation_items", code, label };
        let mut out = Vec::new();
        for own in &self.reservation_items {
            out.push(item(own.api_code.as_str(), own.name.as_str()));
            // Slots are items too, so that their codes are not reused: bookings outlive them.
            let slots = own.quota_setting.slots.iter();
            out.extend(slots.map(|slot| item(slot.path.as_str(), slot.code.as_str())));
        }
        out
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        lines::codes(stored)
    }

    /// An item; dates name nothing.
    fn check_names(&self, value: &Json, items: &[Item], at: &mut Issues) {
        if let Some(code) = value.as_str().filter(|_| !filter::is_date(value)) {
            check_name(code, items.iter().filter(|item| !item.code.contains('.')), at);
        }
    }
}
