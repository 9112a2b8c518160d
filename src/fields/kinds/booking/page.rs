//! Bookings on the form's page: the control, and the value that it posts.

use maud::Markup;
use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::display::{local_date, local_number};
use crate::fields::form_part::FormPart;
use crate::fields::kind::{Control, Cx, InputCx};
use crate::fields::kinds::booking::line::stored_time;
use crate::fields::kinds::booking::{Booking, MAX_LINES, control};
use crate::fields::schedule::{Slot, date, weekday};

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

impl Booking {
    /// The posted value of a line: a day, and a slot as `item/code`; or both as `day/code`.
    fn posted(&self, line: &FormPart, cx: &Cx) -> Option<Json> {
        let shown = || self.reservation_items.iter().filter(|item| !item.is_hidden());
        let code = line.single_at("api_code");
        let mut typed = local_date::iso_date(&line.single_at("scheduled_at"), cx.locale);
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
            // Without a script the list may show slots of other days: choose the slot with the same hours on the chosen
            // day.
            let same = |slot: &&Slot| {
                slot.weekday == weekday(day) && (slot.start_time, slot.end_time) == (chosen.start_time, chosen.end_time)
            };
            Some((day, slots.iter().find(same)?))
        });
        put("api_code", code.clone());
        match chosen {
            Some((day, slot)) => {
                put("scheduled_at", json!(stored_time(slot.start_time.on(day))));
                put("end_at", json!(stored_time(slot.end_time.on(day))));
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
