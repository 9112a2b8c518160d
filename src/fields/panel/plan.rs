//! The plan of bookable times: the days of a week, or times of them.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::fields::panel::posted::{number, numbered};

/// The key of a day; Monday is 1.
const WEEKDAY: &str = "weekday";
const QUOTA: &str = "quota";
const MONDAY: i64 = 1;
const FRIDAY: i64 = 5;
const SUNDAY: i64 = 7;

/// The days that are ticked, with their places.
pub fn read_week(part: &FormPart, old: Option<&Json>) -> Json {
    let days = numbered(part).filter_map(|(_, row)| {
        let weekday = number(row.member(WEEKDAY)?.first()?);
        let mut day = known(old, |day| day[WEEKDAY] == weekday);
        day.insert(WEEKDAY.to_owned(), weekday);
        put_quota(&mut day, row);
        Some(Json::Object(day))
    });
    days.collect()
}

/// The times that were typed, with their places.
pub fn read_slots(part: &FormPart, old: Option<&Json>) -> Json {
    let slots = numbered(part).filter_map(|(_, row)| {
        let text = |key: &str| row.member(key).and_then(FormPart::first).map(str::trim);
        if ["start_time", "end_time", QUOTA].iter().all(|key| text(key).is_none()) {
            return None;
        }
        let code = text("code");
        let mut slot = code.map(|code| known(old, |slot| slot["code"] == code)).unwrap_or_default();
        if let Some(code) = code {
            slot.insert("code".to_owned(), json!(code));
        }
        slot.insert(WEEKDAY.to_owned(), text(WEEKDAY).map_or(Json::Null, number));
        for key in ["start_time", "end_time"] {
            match text(key) {
                // The end of a day is the beginning of the next in a clock's control.
                Some("00:00") if key == "end_time" => slot.insert(key.to_owned(), json!("24:00")),
                Some(time) => slot.insert(key.to_owned(), json!(time)),
                None => slot.shift_remove(key),
            };
        }
        put_quota(&mut slot, row);
        Some(Json::Object(slot))
    });
    slots.collect()
}

fn known(old: Option<&Json>, is_it: impl Fn(&Json) -> bool) -> Map<String, Json> {
    let found = old.and_then(Json::as_array).and_then(|old| old.iter().find(|item| is_it(item)));
    found.and_then(Json::as_object).cloned().unwrap_or_default()
}

/// No number means any number of places.
fn put_quota(day: &mut Map<String, Json>, row: &FormPart) {
    match row.member(QUOTA).and_then(FormPart::first).map(str::trim) {
        Some(typed) if !typed.is_empty() => {
            day.insert(QUOTA.to_owned(), number(typed));
        }
        _ if day.contains_key(QUOTA) => {
            day.insert(QUOTA.to_owned(), Json::Null);
        }
        _ => {}
    }
}

/// Gives other days the times of Monday: all, or those until Friday. A time that a day has already keeps its code.
pub fn copy_monday(slots: &mut Vec<Json>, to_weekend: bool) {
    let same = |a: &Json, b: &Json| a["start_time"] == b["start_time"] && a["end_time"] == b["end_time"];
    let before = std::mem::take(slots);
    let monday: Vec<&Json> = before.iter().filter(|slot| slot[WEEKDAY] == MONDAY).collect();
    let last = if to_weekend { SUNDAY } else { FRIDAY };
    for weekday in MONDAY..=last {
        for model in &monday {
            let known = before.iter().find(|slot| slot[WEEKDAY] == weekday && same(slot, model));
            let mut slot = (*model).clone();
            slot[WEEKDAY] = json!(weekday);
            if let Some(slot) = slot.as_object_mut() {
                match known.and_then(|known| known.get("code")) {
                    Some(code) => slot.insert("code".to_owned(), code.clone()),
                    None => slot.shift_remove("code"),
                };
            }
            slots.push(slot);
        }
    }
    slots.extend(before.iter().filter(|slot| slot[WEEKDAY].as_i64().is_some_and(|day| day > last)).cloned());
}
