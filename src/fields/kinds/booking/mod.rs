//! `booking`: places on days or in time slots. Whether a place is free is decided by the writer.

mod calendar;
mod control;
mod filter;
mod item;
mod lookup;
#[cfg(test)]
mod tests;

use jiff::civil::{Date, DateTime};
use maud::Markup;
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::clock::Time;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set, Things};
use crate::base::text::texts::texts;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::display::{local_date, local_number};
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Calendar, Capacity, Control, Counters, Cx, Facets, InputCx, Item, Kind, Limit, Lookup, Parts, Remaining,
    Row, Sample, Sheet, Take, Taken, check_name, put_remaining,
};
use crate::fields::report::goods::Items;
use crate::fields::schedule::{Schedule, Scheme, Slot, counters_between, date, today, weekday};
use crate::fields::values::lines;
use crate::model::capacity::Resource;

pub static KIND: Row = Row {
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
const MAX_NUMBER: i64 = 10_000;
const LOCAL: &str = "%Y-%m-%dT%H:%M:%S";

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

/// Parses a stored wall clock time.
fn stored_at(line: &Json, key: &str) -> Option<DateTime> {
    line[key].as_str()?.parse().ok()
}

/// The counter of an item's day, or of a slot of it.
fn counter_of(item: &str, day: Date, slot: Option<&str>) -> String {
    match slot {
        Some(slot) => format!("{item}/{day}/{slot}"),
        None => format!("{item}/{day}"),
    }
}

/// What a line books: an item's day, or a slot of it.
fn place_of(line: &Json) -> (&Json, Option<Date>, &Json) {
    let day = stored_at(line, "scheduled_at").map(DateTime::date);
    (&line["api_code"], day, &line["time_range_code"])
}

/// A stored wall clock time in UTC, for the API.
fn shown_at(line: &Json, key: &str, cx: &Cx) -> Json {
    stored_at(line, key)
        .and_then(|local| cx.timezone.to_timestamp(local).ok())
        .map_or(Json::Null, |at| Time::from_millis(at.as_millisecond()).into())
}

/// Spreadsheet columns: the member, and the key of its label.
const IN_CELLS: [(&str, &str); 4] =
    [("api_code", "sheet-item"), ("scheduled_at", "sheet-from"), ("end_at", "sheet-to"), ("number", "sheet-number")];

/// A wall clock time in a cell.
fn in_cell(at: DateTime) -> String {
    let has_seconds = at.second() != 0;
    let shape = if has_seconds { "%Y-%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M" };
    at.strftime(shape).to_string()
}

impl Booking {
    fn named(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let items = self.reservation_items.iter();
        items.map(|item| (item.api_code.as_str(), item.name.as_str()))
    }

    fn find(&self, code: &str) -> Option<&item::Bookable> {
        self.reservation_items.iter().find(|item| item.api_code == code)
    }

    fn of_line(&self, line: &Json) -> Option<&item::Bookable> {
        self.find(line["api_code"].as_str()?)
    }

    fn name_of<'b>(&'b self, line: &'b Json) -> &'b str {
        let code = line["api_code"].as_str().unwrap_or_default();
        self.find(code).map_or(code, |item| &item.name)
    }

    fn parse_line(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Option<Json> {
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
        let text = |at: DateTime| json!(at.strftime(LOCAL).to_string());
        let mut out = Map::new();
        out.insert("api_code".to_owned(), json!(api_code));
        out.insert("scheduled_at".to_owned(), text(place.from));
        if let Some(to) = place.to {
            out.insert("end_at".to_owned(), text(to));
        }
        out.insert("number".to_owned(), json!(number.unwrap_or(1)));
        if let Some(slot) = place.slot {
            out.insert("time_range_code".to_owned(), json!(slot.code));
        }
        Some(Json::Object(out))
    }

    fn line_text(&self, line: &Json, day_text: impl Fn(&str) -> String) -> String {
        let name = self.name_of(line);
        let from = stored_at(line, "scheduled_at");
        let when = match (from, stored_at(line, "end_at")) {
            (Some(from), Some(to)) => {
                let is_midnight = to.date() > from.date() && to.time() == jiff::civil::Time::midnight();
                let end = if is_midnight { "24:00".to_owned() } else { to.strftime("%H:%M").to_string() };
                let day = day_text(&from.date().to_string());
                format!("{day} {}–{end}", from.strftime("%H:%M"))
            }
            (Some(from), None) => day_text(&from.date().to_string()),
            (None, _) => String::new(),
        };
        match line["number"].as_i64() {
            Some(number) if number > 1 => format!("{number} × {name} {when}"),
            _ => format!("{name} {when}"),
        }
    }

    /// The posted value of a line: a day, and a slot as `item/code`; or both as `day/code`.
    fn posted(&self, line: &FormPart, cx: &Cx) -> Option<Json> {
        let shown = || self.reservation_items.iter().filter(|item| !item.is_hidden());
        let code = line.single_at("api_code");
        let mut typed = local_date::given(&line.single_at("scheduled_at"), cx.locale);
        let mut slot = line.single_at("time_range_code");
        let listed = typed.as_str().and_then(|typed| typed.split_once('/'));
        if let Some((day, listed)) = listed {
            let item = code.as_str().unwrap_or_default();
            slot = json!(format!("{item}/{listed}"));
            typed = json!(day);
        }
        // A single item is preselected in every line.
        let is_chosen = !code.is_null() && shown().nth(1).is_some();
        if !is_chosen && typed.is_null() && slot.is_null() {
            return None;
        }
        let mut out = Map::new();
        let mut put = |key: &str, value: Json| {
            if !value.is_null() {
                out.insert(key.to_owned(), value);
            }
        };
        let item = code.as_str().and_then(|code| self.find(code));
        let day = typed.as_str().and_then(date);
        let chosen = item.zip(day).and_then(|(item, day)| {
            let chosen = slot.as_str()?.strip_prefix(item.api_code.as_str())?;
            let chosen = chosen.strip_prefix('/')?;
            let slots = &item.quota_setting.slots;
            let chosen = slots.iter().find(|slot| slot.code == chosen)?;
            // Without a script the list may show slots of other days: the slot with the same hours on the chosen day is
            // meant.
            let same = |slot: &&Slot| {
                slot.weekday == weekday(day) && (slot.start_time, slot.end_time) == (chosen.start_time, chosen.end_time)
            };
            Some((day, slots.iter().find(same)?))
        });
        put("api_code", code.clone());
        match chosen {
            Some((day, slot)) => {
                put("scheduled_at", json!(slot.start_time.on(day).strftime(LOCAL).to_string()));
                put("end_at", json!(slot.end_time.on(day).strftime(LOCAL).to_string()));
            }
            None => {
                put("scheduled_at", typed.clone());
                put("end_at", line.single_at("end_at"));
            }
        }
        // Not a code of the item, but the page shows the choice again.
        put("time_range_code", slot.clone());
        let number = line.single_at("number");
        if let Some(typed) = number.as_str() {
            put("number", local_number::of_form(typed.trim(), cx.locale));
        }
        Some(Json::Object(out))
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
                let same = |known: &Json| place_of(known) == place_of(&line);
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
        match stored {
            Json::Array(lines) => lines.into_iter().filter(|line| self.of_line(line).is_some()).collect(),
            other => other,
        }
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let shown = |line: &Json| {
            json!({
                "api_code": line["api_code"],
                "scheduled_at": shown_at(line, "scheduled_at", cx),
                "end_at": shown_at(line, "end_at", cx),
                "number": line["number"],
                "item_name": self.name_of(line),
                "time_range_code": line["time_range_code"],
            })
        };
        lines::of(stored).map(shown).collect()
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let texts = lines::of(stored).map(|line| self.line_text(line, str::to_owned));
        texts.collect::<Vec<_>>().join(", ")
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let day = |day: &str| local_date::alone(day, cx.locale);
        let texts = lines::of(stored).map(|line| self.line_text(line, day));
        texts.collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let keys = |line: &Json| {
            let code = line["api_code"].as_str().unwrap_or_default();
            let at = line["scheduled_at"].as_str().unwrap_or_default();
            [Key::Code(code.to_owned()), Key::Text(at.replacen('T', " ", 1))]
        };
        lines::of(stored).flat_map(keys).collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::NUMBER
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

impl Capacity for Booking {
    fn resource(&self) -> Resource {
        Resource::Places
    }

    fn takes(&self, stored: &Json) -> Vec<Take> {
        let take = |(i, line): (usize, &Json)| {
            let item = line["api_code"].as_str()?;
            let day = stored_at(line, "scheduled_at")?.date();
            let slot = line["time_range_code"].as_str();
            Some(Take {
                counter: counter_of(item, day, slot),
                amount: line["number"].as_u64().unwrap_or(1),
                at: format!("[{i}].scheduled_at"),
            })
        };
        lines::of(stored).enumerate().filter_map(take).collect()
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        let mut steps = counter.split('/');
        let (item, day, slot) = (steps.next()?, date(steps.next()?)?, steps.next());
        let own = |own: &item::Bookable| own.api_code == item;
        let place = self.reservation_items.iter().position(own)?;
        let limit = self.reservation_items[place].quota_setting.limit(day, slot)?;
        let at = format!("reservation_items[{place}].quota_setting.{}", limit.at);
        Some(Limit { at, ..limit })
    }

    /// Of a weekday, or a slot of it: what is left on the next day that can be booked.
    fn show_remaining(&self, shown: &mut Json, taken: Taken, cx: &Cx) {
        let shown = shown.get_mut("reservation_items").and_then(Json::as_array_mut);
        for item in shown.into_iter().flatten() {
            let code = item["api_code"].as_str().unwrap_or_default().to_owned();
            let Some(own) = self.find(&code) else {
                continue;
            };
            let setting = &mut item["quota_setting"];
            for list in ["weekly_quotas", "daily_time_range_quotas"] {
                let days = setting.get_mut(list).and_then(Json::as_array_mut);
                for day in days.into_iter().flatten() {
                    let slot = day["code"].as_str();
                    let weekday = day["weekday"].as_i64().unwrap_or_default();
                    let setting = &own.quota_setting;
                    let remaining = setting.has_limit(weekday, slot).then(|| {
                        let next = setting.next_day(weekday, slot, cx);
                        let used = taken(&next.map_or_else(String::new, |next| counter_of(&code, next, slot)));
                        let limit = next.and_then(|next| setting.limit(next, slot));
                        limit.map_or(Remaining { left: 0, held: used.held }, |limit| limit.remaining(used))
                    });
                    put_remaining(day, remaining);
                }
            }
        }
    }

    fn is_over(&self, counter: &str, cx: &Cx) -> bool {
        let mut steps = counter.split('/');
        let (item, day, slot) = (steps.next(), steps.next().and_then(date), steps.next());
        let Some(day) = day else {
            return false;
        };
        let slots = item.and_then(|item| self.find(item)).map_or(&[][..], |item| &item.quota_setting.slots[..]);
        let mut begun = slots.iter().filter(|own| slot == Some(own.code.as_str()));
        day < today(cx) || begun.any(|slot| Schedule::has_begun(slot, day, cx))
    }

    fn shown(&self, cx: &Cx) -> Vec<Counters> {
        let list = self.short_list(cx);
        let range = list.and_then(|(item, days)| {
            let (first, last) = (days.first()?.date, days.last()?.date);
            Some(counters_between(&item.api_code, first, last))
        });
        range.into_iter().collect()
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

impl Sheet for Booking {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        IN_CELLS.map(|(part, id)| Column::part(part, words.say(id))).to_vec()
    }

    /// Lines are written one per line in each cell, on the form's wall clock.
    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let rows = lines::of(stored).map(|line| {
            let code = line["api_code"].as_str().unwrap_or_default();
            let (from, to) = (stored_at(line, "scheduled_at"), stored_at(line, "end_at"));
            let from = from.map(|from| match to {
                None if from.time() == jiff::civil::Time::midnight() => from.date().to_string(),
                _ => in_cell(from),
            });
            vec![
                Cell::text(columns::word(self.named(), code)),
                Cell::date(from.unwrap_or_default()),
                Cell::date(to.map(in_cell).unwrap_or_default()),
                Cell::of(&line["number"], String::new),
            ]
        });
        columns::stacks(IN_CELLS.len(), rows)
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let rows = columns::filled_rows(cells);
        rows.map(|row| {
            let cell = |i: usize| row.get(i).map_or("", |cell| cell.trim());
            let mut line = Map::new();
            let code = columns::meant(self.named(), cell(0)).unwrap_or(cell(0));
            let has_slots = self.find(code).is_some_and(|item| item.quota_setting.scheme == Scheme::TimeRange);
            line.insert("api_code".to_owned(), json!(code));
            for (i, key) in [(1, "scheduled_at"), (2, "end_at")] {
                let typed = cell(i);
                if !typed.is_empty() {
                    // Spreadsheets write midnight as a day without a time.
                    let is_midnight = has_slots && date(typed).is_some();
                    let at = if is_midnight { format!("{typed}T00:00") } else { typed.replacen(' ', "T", 1) };
                    line.insert(key.to_owned(), json!(at));
                }
            }
            if !cell(3).is_empty() {
                line.insert("number".to_owned(), columns::number(cell(3), cx.locale));
            }
            Json::Object(line)
        })
        .collect()
    }
}

impl Control for Booking {
    fn input(&self, cx: &InputCx) -> Markup {
        let list = self.short_list(cx.cx).map(|(_, days)| days);
        control::draw(
            &self
                .reservation_items
                .iter()
                .filter(|item| !item.is_hidden())
                .map(|item| control::Choice {
                    code: &item.api_code,
                    name: &item.name,
                    description: item.description.as_deref(),
                    images: &item.images,
                    schedule: &item.quota_setting,
                })
                .collect::<Vec<_>>(),
            control::Options {
                several: self.allow_multiple_items == Some(true),
                numbered: self.allow_multiple_number == Some(true),
            },
            list.as_deref(),
            cx,
        )
    }

    fn fullest(&self) -> Option<Json> {
        let is_long = self.allow_multiple_items == Some(true);
        is_long.then(|| json!(vec![json!({}); MAX_LINES]))
    }

    fn script(&self) -> Option<&'static str> {
        Some("booking.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let lines = part.members().filter_map(|(name, line)| {
            let is_line = name.bytes().all(|b| b.is_ascii_digit());
            self.posted(line, cx).filter(|_| is_line)
        });
        lines.collect()
    }
}
