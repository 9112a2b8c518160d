//! Things with a limit: quotas of choices, stock of products, places of bookings. Everything here holds for each
//! [`Thing`] alike, but where it says otherwise.

pub mod begun;
pub mod booking_days;
pub mod booking_days_page;
pub mod bookings;
pub mod changes;
pub mod counts;
pub mod hold_limits;
pub mod holds;
pub mod many;
pub mod on_page;
pub mod orders;
pub mod places;
pub mod races;
pub mod shown;
pub mod waiting;

use jiff::civil::Date;
use jiff::{ToSpan as _, Zoned};
use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field};

/// A thing with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thing {
    Choice,
    Stock,
    Variant,
    Day,
    Slot,
}

const ALL: [Thing; 5] = [Thing::Choice, Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot];

/// A Monday that can be booked for weeks to come.
fn monday() -> Date {
    let mut day = Zoned::now().date() + 28.days();
    while day.weekday() != jiff::civil::Weekday::Monday {
        day += 1.day();
    }
    day
}

impl Thing {
    /// The only field of a form that has `most` of it.
    fn field(self, most: i64) -> Value {
        match self {
            Self::Choice => field(
                "checkbox",
                json!({"choices": [{"api_code": "a", "label": "A", "quota": most}, {"api_code": "b", "label": "B"}]}),
            ),
            Self::Stock => field(
                "product",
                json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": 3, "stock": most}]}),
            ),
            Self::Variant => {
                let options = json!([{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]);
                field(
                    "product",
                    json!({"goods_items": [{"api_code": "cake", "name": "Cake", "price": 9,
                        "dimensions": [{"api_code": "size", "name": "Size", "options": options}],
                        "skus": [{"specification": {"size": "l"}, "stock": most}]}]}),
                )
            }
            Self::Day => self.booking(json!({"kind": "weekly", "weekly_quotas": [
                {"weekday": 1, "quota": most}, {"weekday": 2, "quota": null}]})),
            Self::Slot => {
                let slot = |code: &str, from: &str, to: &str, quota: Value| json!({"code": code, "weekday": 1, "start_time": from, "end_time": to, "quota": quota});
                self.booking(json!({"kind": "time_range", "daily_time_range_quotas": [
                    slot("am", "09:00", "10:00", json!(most)), slot("pm", "14:00", "15:00", Value::Null)]}))
            }
        }
    }

    fn booking(self, setting: Value) -> Value {
        field(
            "booking",
            json!({"allow_multiple_number": true, "reservation_items": [
                {"api_code": "room", "name": "Room", "quota_setting": setting}]}),
        )
    }

    /// A value that takes this amount; a choice can be taken once alone.
    fn value(self, number: i64) -> Value {
        let day = monday();
        match self {
            Self::Choice => json!(["a"]),
            Self::Stock => json!([{"api_code": "tea", "number": number}]),
            Self::Variant => {
                json!([{"api_code": "cake", "number": number, "specification": {"size": "l"}}])
            }
            Self::Day => {
                json!([{"api_code": "room", "scheduled_at": day.to_string(), "number": number}])
            }
            Self::Slot => {
                json!([{"api_code": "room", "scheduled_at": format!("{day}T09:00"), "number": number}])
            }
        }
    }

    /// A value that takes nothing of it.
    fn other(self) -> Value {
        match self {
            Self::Choice => json!(["b"]),
            Self::Stock | Self::Variant | Self::Day | Self::Slot => json!([]),
        }
    }

    fn values(self, number: i64) -> Value {
        json!({"field_values": {"field_1": self.value(number)}})
    }

    /// The path of the value that finds no room.
    fn attribute(self) -> &'static str {
        match self {
            Self::Choice => "field_values.field_1[0]",
            Self::Stock | Self::Variant => "field_values.field_1[0].number",
            Self::Day | Self::Slot => "field_values.field_1[0].scheduled_at",
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Choice | Self::Day | Self::Slot => "quota_exceeded",
            Self::Stock | Self::Variant => "out_of_stock",
        }
    }

    /// The rest of the thing as the published form shows it.
    fn remaining(self, caller: &Caller, form: &Form) -> Value {
        let shown = caller.get(form.published());
        assert_eq!(shown.status, 200, "{shown}");
        let own = shown.data()["fields"][0].clone();
        match self {
            Self::Choice => own["choices"][0]["remaining"].clone(),
            Self::Stock => own["goods_items"][0]["remaining"].clone(),
            Self::Variant => own["goods_items"][0]["skus"][0]["remaining"].clone(),
            // Not of the day that is booked here, but of the next one.
            Self::Day | Self::Slot => Value::Null,
        }
    }
}

/// Asserts that an answer says that there is no room, and where.
fn assert_full(answer: &Response, thing: Thing) {
    assert_eq!(answer.status, 409, "{thing:?}: {answer}");
    assert_eq!(answer.json()["code"], thing.code(), "{answer}");
    assert_eq!(answer.attributes(), [thing.attribute()], "{answer}");
}

/// Whether the counts agree with the entries, as `doctor` sees it.
fn assert_counted(server: &Server) {
    assert_eq!(doctor(server, &[])["state"], "OK", "{}", doctor(server, &[]));
}

/// The finding of `doctor` on capacity.
fn doctor(server: &Server, flags: &[&str]) -> Value {
    let done = server.run(&[&["doctor", "--json"], flags].concat());
    let found: Value = serde_json::from_slice(&done.stdout).expect("one document");
    let mut found = found.as_array().expect("checks").iter();
    let own = found.find(|check| check["check"] == "capacity");
    own.expect("the check").clone()
}

/// Submits one of a thing; the serial number.
fn submit(server: &Server, form: &Form, thing: Thing) -> i64 {
    let done = server.anon().post(form.submissions(), thing.values(1));
    assert_eq!(done.status, 201, "{thing:?}: {done}");
    let serial = done.data()["entry"]["serial_number"].as_i64();
    serial.expect("a number")
}

/// Asserts that nothing is left for respondents.
fn assert_none_left(server: &Server, form: &Form, thing: Thing) {
    assert_full(&server.anon().post(form.submissions(), thing.values(1)), thing);
}
