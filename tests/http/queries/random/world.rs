//! Random entries of a form that has each kind a query is searched by.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use support::steps::{add, bulk, serials, set};
use support::{Caller, Form, Server, field};

const ENTRIES: usize = 40;
pub const WORDS: [&str; 12] = [
    "Ada",
    "ada lovelace",
    "ADA",
    "Ａｄａ",
    "Straße",
    "STRASSE",
    "你好",
    "你好吗",
    "100% b_c",
    "<b>bold</b>",
    "it's",
    "=1+1",
];
pub const NAMES: [&str; 5] = ["Zoe Quartz", "zoe quartz", "Ada Lovelace", "李四", "Q"];
pub const NUMBERS: [&str; 4] = ["13812345678", "13800138000", "13898765678", "13900139000"];
pub const MAILS: [&str; 3] = ["jabber@example.com", "JABBER@example.com", "ab@far.example"];
pub const DAYS: [&str; 4] = ["2026-11-20", "2026-11-21", "2026-12-01", "2025-11-20"];
pub const BOOKED: [&str; 3] = ["2030-03-04", "2030-03-11", "2030-04-01"];

/// The field that marks each entry, shown first in every definition.
pub const MARK: &str = "field_1";

/// A form with its entries.
pub struct World {
    pub owner: Caller,
    pub form: Form,
    linked: Vec<Value>,
    /// Live entries by serial number.
    pub entries: BTreeMap<i64, Value>,
}

pub fn one<T: Clone>(dice: &mut StdRng, list: &[T]) -> T {
    list[dice.random_range(0..list.len())].clone()
}

impl World {
    pub fn new(dice: &mut StdRng) -> Self {
        let owner = Server::shared().user();
        let list = owner.form(json!([field("short_text", json!({})), field("rating", json!({}))]));
        let mut linked = Vec::new();
        for name in ["Tulip", "Rose", "Oak"] {
            let values = json!({"field_1": name, "field_2": 3});
            let made = owner.post(list.entries(), json!({ "field_values": values }));
            linked.push(made.data()["token"].clone());
        }
        let days: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect();
        let item = |code: &str, name: &str| {
            json!({"api_code": code, "name": name, "quota_setting": {
            "kind": "weekly", "start_date": "2020-01-01", "end_date": "2099-12-31", "weekly_quotas": days}})
        };
        let form = owner.form_with(json!({"name": "R", "timezone": "Asia/Shanghai", "fields": [
            field("short_text", json!({"label": "Mark"})),
            field("short_text", json!({"label": "Text"})),
            field("long_text", json!({"label": "Long"})),
            field("name", json!({"label": "Name"})),
            field("phone", json!({"label": "Phone"})),
            field("email", json!({"label": "Mail"})),
            field("number", json!({"label": "Number"})),
            field("date", json!({"label": "Day"})),
            field("radio", json!({"label": "Colour", "choices": [
                {"api_code": "red", "label": "Dark red"}, {"api_code": "blue", "label": "Red and blue"}]})),
            field("cascade", json!({"label": "Place", "choices": [
                {"api_code": "eu", "label": "Europe", "children": [
                    {"api_code": "it", "label": "Italy"}, {"api_code": "de", "label": "Germany"}]},
                {"api_code": "as", "label": "Asia", "children": [{"api_code": "cn", "label": "China"}]}]})),
            field("booking", json!({"label": "Booking", "allow_multiple_items": true, "reservation_items": [
                item("room", "Meeting room"), item("hall", "Town hall")]})),
            field("linked_form", json!({"label": "Plant", "form_token": list.token, "search_fields": ["field_1"],
                "display_fields": [{"api_code": "field_1", "public": true}, {"api_code": "field_2", "public": true}]})),
            field("checkbox", json!({"label": "Kinds", "choices": [
                {"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]})),
            field("rating", json!({"label": "Stars"})),
        ]}));
        set(&owner, &form, json!({"verification_code": {"enabled": true}}));
        let entries: Vec<Value> = (0..ENTRIES).map(|n| entry(dice, n, &linked)).collect();
        bulk(&owner, &form, &entries);
        // Links to the oak lead into the trash.
        assert_eq!(owner.delete(list.entry(3)).status, 200);
        let mut world = Self { owner, form, linked, entries: BTreeMap::new() };
        world.disturb(dice);
        world
    }

    /// Changes some entries, trashes some, brings some back, and adds one.
    pub fn disturb(&mut self, dice: &mut StdRng) {
        let (owner, form) = (&self.owner, &self.form);
        let last = self.entries.keys().last().copied().unwrap_or_default();
        let last = last.max(i64::try_from(ENTRIES).expect("few"));
        for serial in 1..=last {
            let n = usize::try_from(serial).expect("few") - 1;
            match dice.random_range(0..10) {
                // It may be in the trash already, or not.
                0 => {
                    owner.delete(form.entry(serial));
                }
                1 => {
                    owner.post(format!("{}/restore", form.trashed(serial)), json!({}));
                }
                2 => {
                    let values = entry(dice, n, &self.linked[..2]);
                    let body = json!({ "field_values": values });
                    let changed = owner.patch(form.entry(serial), body);
                    assert!([200, 404].contains(&changed.status), "{changed}");
                }
                _ => {}
            }
        }
        let next = usize::try_from(last).expect("few");
        add(owner, form, entry(dice, next, &self.linked[..2]));
        let page = owner.get(format!("{}?page_size=100", form.entries())).json();
        let rows = page["data"].as_array().expect("rows").iter();
        let number = |row: &Value| row["serial_number"].as_i64().expect("a number");
        self.entries = rows.map(|row| (number(row), row.clone())).collect();
    }

    /// The entries that all these conditions hold for.
    pub fn serials(&self, filters: &[Value]) -> BTreeSet<i64> {
        let asked = json!({"filters": filters, "page_size": 100, "fields": [MARK]});
        let page = self.owner.post(self.form.query(), asked);
        assert_eq!(page.status, 200, "{filters:?}: {page}");
        serials(&page.json()).into_iter().collect()
    }
}

fn entry(dice: &mut StdRng, n: usize, linked: &[Value]) -> Value {
    let mut out = json!({ MARK: format!("(({n}))") });
    let mut put = |dice: &mut StdRng, code: &str, value: Value| {
        if dice.random_bool(0.8) {
            out[code] = value;
        }
    };
    let number = json!({"country_id": "CN", "number": one(dice, &NUMBERS)});
    let places = [("eu", "it"), ("eu", "de"), ("as", "cn")];
    let (level_1, level_2) = one(dice, &places);
    let items: &[&str] = one(dice, &[&["room"][..], &["hall"], &["room", "hall"]]);
    let booked: Vec<Value> =
        items.iter().map(|code| json!({"api_code": code, "scheduled_at": one(dice, &BOOKED)})).collect();
    for (code, value) in [
        ("field_2", json!(one(dice, &WORDS))),
        ("field_3", json!(one(dice, &WORDS))),
        ("field_4", json!(one(dice, &NAMES))),
        ("field_5", number),
        ("field_6", json!(one(dice, &MAILS))),
        ("field_7", one(dice, &[json!(1), json!(2), json!(2.5), json!(-3)])),
        ("field_8", json!(one(dice, &DAYS))),
        ("field_9", json!(one(dice, &["red", "blue"]))),
        ("field_10", json!({"level_1": level_1, "level_2": level_2})),
        ("field_11", json!(booked)),
        ("field_12", one(dice, linked)),
        ("field_13", one(dice, &[json!(["a"]), json!(["a", "b"]), json!([])])),
        ("field_14", one(dice, &[json!(1), json!(5)])),
    ] {
        put(dice, code, value);
    }
    out
}
