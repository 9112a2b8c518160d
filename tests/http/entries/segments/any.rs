//! Any form, any entry, any condition: what a seed makes of all kinds that can be filtered.

use std::sync::Mutex;

use serde_json::{Value, json};
use support::field;

/// Numbers that look random and come again with the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("a small number") % n
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn some_of(&mut self, list: &[&str]) -> Vec<String> {
        let count = self.below(list.len()) + 1;
        let mut out: Vec<String> = (0..count).map(|_| (*self.one_of(list)).to_owned()).collect();
        out.sort();
        out.dedup();
        out
    }
}

/// Near-doubles, other scripts, composed and decomposed accents, full width, what patterns would mean.
const WORDS: [&str; 24] = [
    "Ada",
    "ada",
    "ADA Lovelace",
    "Ａｄａ",
    "Straße",
    "STRASSE",
    "café",
    "cafe\u{301}",
    "你好",
    "你好吗",
    "好",
    "🦀 crab",
    "👩‍👩‍👧",
    "100%",
    "a_b",
    "a*b",
    "١٢٣",
    "１２３",
    "123",
    "ﬁne",
    "fine",
    "İstanbul",
    "e",
    "a quite long text that goes on and on",
];
const TEXTS: [&str; 4] = ["short_text", "long_text", "name", "short_text"];
const CODES: [&str; 4] = ["red", "blue", "green", "else"];
const ZONES: [&str; 4] = ["UTC", "Europe/Berlin", "Asia/Shanghai", "America/New_York"];

fn choices() -> Value {
    json!([
        {"api_code": "red", "label": "Ada red"}, {"api_code": "blue", "label": "Blue"},
        {"api_code": "green", "label": "你好 green"}, {"api_code": "else", "label": "Else", "is_other": true},
    ])
}

fn plain_choices() -> Value {
    json!([
        {"api_code": "red", "label": "Ada red"}, {"api_code": "blue", "label": "Blue"},
        {"api_code": "green", "label": "你好 green"},
    ])
}

/// A kind of field as it is made here: its `type` and what else tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text(&'static str),
    /// A kind whose values may stand once only.
    Unique(&'static str),
    Email,
    Url,
    Phone,
    Number,
    Date(&'static str),
    Time,
    Radio,
    Checkbox,
    Dropdown,
    ImageRadio,
    ImageCheckbox,
    Rating,
    Nps,
    Cascade,
    Address,
    Product,
    Booking,
    Table,
    Matrix,
    Formula,
    Linked,
    Attachment,
    Signature,
}

const KINDS: [Kind; 25] = [
    Kind::Text("short_text"),
    Kind::Text("long_text"),
    Kind::Text("name"),
    Kind::Email,
    Kind::Url,
    Kind::Phone,
    Kind::Number,
    Kind::Date("day"),
    Kind::Date("minute"),
    Kind::Date("second"),
    Kind::Time,
    Kind::Radio,
    Kind::Checkbox,
    Kind::Dropdown,
    Kind::ImageRadio,
    Kind::ImageCheckbox,
    Kind::Rating,
    Kind::Nps,
    Kind::Cascade,
    Kind::Address,
    Kind::Product,
    Kind::Booking,
    Kind::Table,
    Kind::Matrix,
    Kind::Formula,
];

/// A form: its kinds by place, its body, the tokens that its links lead to, and the unique values of its entries.
pub struct AnyForm {
    pub kinds: Vec<Kind>,
    pub body: Value,
    links: Vec<String>,
    unique: Mutex<Vec<String>>,
}

impl AnyForm {
    /// A form to link to: texts and numbers.
    pub fn small(dice: &mut Dice) -> Self {
        let kinds = vec![Kind::Text("short_text"), Kind::Number, Kind::Date("day"), Kind::Dropdown];
        Self::of(kinds, None, Vec::new(), dice)
    }

    /// Most kinds, in any order, unique fields, a link and files.
    pub fn new(dice: &mut Dice, linked: &str, links: Vec<String>) -> Self {
        let mut kinds = KINDS.to_vec();
        for i in 0..kinds.len() {
            let other = dice.below(kinds.len());
            kinds.swap(i, other);
        }
        kinds.truncate(18);
        kinds.retain(|kind| *kind != Kind::Formula);
        kinds.insert(0, Kind::Number);
        kinds.push(Kind::Formula);
        kinds.push(Kind::Linked);
        kinds.push(Kind::Unique("short_text"));
        kinds.push(Kind::Unique("email"));
        kinds.push(Kind::Attachment);
        kinds.push(Kind::Signature);
        Self::of(kinds, Some(linked), links, dice)
    }

    fn of(kinds: Vec<Kind>, linked: Option<&str>, links: Vec<String>, dice: &mut Dice) -> Self {
        let fields: Vec<Value> = kinds.iter().map(|kind| definition(*kind, linked)).collect();
        let body = json!({
            "name": "Any", "fields": fields, "timezone": dice.one_of(&ZONES), "locale": dice.one_of(&["en", "de", "zh-CN"]),
        });
        let unique = Mutex::default();
        Self { kinds, body, links, unique }
    }

    /// The codes of fields of this kind.
    pub fn codes(&self, wanted: Kind) -> impl Iterator<Item = String> {
        let all = self.kinds.iter().enumerate();
        all.filter(move |(_, kind)| **kind == wanted).map(|(i, _)| format!("field_{}", i + 1))
    }

    /// The values of an entry: many are empty.
    pub fn entry(&self, dice: &mut Dice) -> Value {
        let mut values = json!({});
        for (i, kind) in self.kinds.iter().enumerate() {
            if !dice.one_in(4)
                && let Some(value) = self.value(*kind, dice)
            {
                values[format!("field_{}", i + 1)] = value;
            }
        }
        values
    }

    fn value(&self, kind: Kind, dice: &mut Dice) -> Option<Value> {
        Some(match kind {
            Kind::Linked => json!(dice.one_of(&self.links)),
            Kind::Formula | Kind::Attachment | Kind::Signature => return None,
            Kind::Unique(kind) => {
                let number = dice.below(1 << 30);
                let text = match kind {
                    "email" => format!("u{number}@example.com"),
                    _ => format!("{} {number}", word(dice)),
                };
                self.unique.lock().expect("no panic").push(text.clone());
                json!(text)
            }
            kind => value(kind, dice),
        })
    }

    /// Some conditions, and now and then a keyword: what a list is asked for, mostly that of the entries.
    pub fn question(&self, dice: &mut Dice) -> Value {
        let many = [1, 1, 1, 1, 2, 2, 3][dice.below(7)];
        let conditions: Vec<Value> = (0..many).map(|_| self.condition(dice)).collect();
        let mut question = json!({"filters": conditions, "page_size": 20, "fields": ["field_1"]});
        if dice.one_in(6) {
            let keyword: String = word_or_part(dice).chars().take(150).collect();
            question["keyword"] = json!(keyword);
            if dice.one_in(2) {
                question["filters"] = json!([]);
            }
        }
        question["sort"] = json!(dice.one_of(&["serial_number", "-serial_number", "-updated_at", "updated_at"]));
        if dice.one_in(4)
            && let Some(field) = self.sorted(dice)
        {
            question["sort"] = json!(if dice.one_in(2) { field } else { format!("-{field}") });
        }
        question["of"] = json!(match dice.below(32) {
            0 => "report",
            1 => "export",
            2..=4 => "trash",
            _ => "entries",
        });
        question
    }

    /// A question by whose answers lists can be sorted; none if the first one that comes up is another.
    fn sorted(&self, dice: &mut Dice) -> Option<String> {
        let place = dice.below(self.kinds.len());
        let is_sorted = matches!(
            self.kinds[place],
            Kind::Text(_)
                | Kind::Unique(_)
                | Kind::Email
                | Kind::Url
                | Kind::Phone
                | Kind::Number
                | Kind::Date(_)
                | Kind::Time
                | Kind::Radio
                | Kind::Dropdown
                | Kind::ImageRadio
                | Kind::Rating
                | Kind::Nps
                | Kind::Formula
        );
        is_sorted.then(|| format!("field_{}", place + 1))
    }

    fn condition(&self, dice: &mut Dice) -> Value {
        let place = dice.below(self.kinds.len() + 3);
        let Some(kind) = self.kinds.get(place) else {
            return match place - self.kinds.len() {
                0 => {
                    let (op, value) = numbers(dice, |dice| json!(3290 + dice.below(1100)));
                    json!({"field": "serial_number", "operator": op, "value": value})
                }
                nth => {
                    let (op, value) = dates(dice);
                    let field = ["created_at", "updated_at"][nth - 1];
                    json!({"field": field, "operator": op, "value": value})
                }
            };
        };
        let field = format!("field_{}", place + 1);
        match kind {
            Kind::Table | Kind::Matrix => {
                let inner = [Kind::Text("short_text"), Kind::Number, Kind::Dropdown];
                let nth = dice.below(3);
                of_kind(&format!("{field}.field_{}", nth + 1), inner[nth], dice)
            }
            Kind::Unique(_) => {
                let (op, value) = self.unique_asked(dice);
                json!({"field": field, "operator": op, "value": value})
            }
            Kind::Linked => match dice.below(4) {
                3 => {
                    let (op, value) = numbers(dice, |dice| json!(dice.below(40)));
                    json!({"field": format!("{field}_associated_serial_number"), "operator": op, "value": value})
                }
                nth => {
                    let inner = [Kind::Text("short_text"), Kind::Number, Kind::Date("day")];
                    of_kind(&format!("{field}_associated_field_{}", nth + 1), inner[nth], dice)
                }
            },
            kind => of_kind(&field, *kind, dice),
        }
    }
}

impl AnyForm {
    /// Values that are there, or were, in other letters too; and parts of them.
    fn unique_asked(&self, dice: &mut Dice) -> (&'static str, Value) {
        if let Some(empty) = empties(dice) {
            return empty;
        }
        if dice.one_in(5) {
            return (["like", "not_like"][dice.below(2)], json!(word_or_part(dice)));
        }
        let all = self.unique.lock().expect("no panic");
        equal(dice, |dice| {
            let text = dice.one_of(&all).clone();
            json!(match dice.below(4) {
                0 => text.to_uppercase(),
                1 => text.to_lowercase(),
                2 => format!("{text}0"),
                _ => text,
            })
        })
    }
}

fn definition(kind: Kind, linked: Option<&str>) -> Value {
    let columns = json!([
        field("short_text", json!({})),
        field("number", json!({})),
        field("dropdown", json!({"choices": plain_choices()})),
    ]);
    match kind {
        Kind::Text(kind) => field(kind, json!({})),
        Kind::Unique(kind) => field(kind, json!({"unique": true})),
        Kind::Email => field("email", json!({})),
        Kind::Url => field("url", json!({})),
        Kind::Phone => field("phone", json!({"default_country": "CN"})),
        Kind::Number => field("number", json!({})),
        Kind::Date(precision) => field("date", json!({"precision": precision})),
        Kind::Time => field("time", json!({"include_second": true})),
        Kind::Radio => field("radio", json!({"choices": choices()})),
        Kind::Checkbox => field("checkbox", json!({"choices": choices()})),
        Kind::Dropdown => field("dropdown", json!({"choices": choices()})),
        Kind::ImageRadio => field("image_radio", json!({"choices": plain_choices()})),
        Kind::ImageCheckbox => field("image_checkbox", json!({"choices": plain_choices()})),
        Kind::Rating => field("rating", json!({})),
        Kind::Nps => field("nps", json!({})),
        Kind::Cascade => field(
            "cascade",
            json!({"choices": [
                {"api_code": "eu", "label": "Europe", "children": [
                    {"api_code": "it", "label": "Italy"}, {"api_code": "de", "label": "Germany"}]},
                {"api_code": "as", "label": "Asia Ada", "children": [{"api_code": "cn", "label": "你好"}]},
            ]}),
        ),
        Kind::Address => field("address", json!({})),
        Kind::Product => field(
            "product",
            json!({"goods_items": [
                {"api_code": "tea", "name": "Tea", "price": 3.5},
                {"api_code": "cake", "name": "Ada's cake", "price": 12, "dimensions": [{"api_code": "size", "name": "Size",
                    "options": [{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]}]},
            ]}),
        ),
        Kind::Booking => field(
            "booking",
            json!({"allow_multiple_items": true, "reservation_items": [
                {"api_code": "room", "name": "Room", "quota_setting": {"kind": "weekly",
                    "start_date": "2020-01-01", "end_date": "2099-12-31",
                    "weekly_quotas": (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect::<Vec<_>>()}},
                {"api_code": "hall", "name": "Hall", "quota_setting": {"kind": "weekly",
                    "start_date": "2020-01-01", "end_date": "2099-12-31",
                    "weekly_quotas": (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect::<Vec<_>>()}},
            ]}),
        ),
        Kind::Table => field("table", json!({"dimensions": columns})),
        Kind::Matrix => field(
            "matrix",
            json!({"dimensions": columns, "statements": [{"api_code": "s", "label": "Monday"}, {"api_code": "t", "label": "Tuesday"}]}),
        ),
        Kind::Formula => field("formula", json!({"expression": "field_1 * 2", "result_type": "number"})),
        Kind::Linked => field(
            "linked_form",
            json!({"form_token": linked, "search_fields": ["field_1"], "display_fields": [
                {"api_code": "field_2", "public": true}, {"api_code": "field_3", "public": false}]}),
        ),
        Kind::Attachment => field("attachment", json!({})),
        Kind::Signature => field("signature", json!({})),
    }
}

fn word(dice: &mut Dice) -> String {
    let mut text = (*dice.one_of(&WORDS)).to_owned();
    if dice.one_in(3) {
        text.push_str(&format!(" {}", dice.below(500)));
    }
    if dice.one_in(40) {
        text = text.repeat(20);
    }
    text
}

fn short(dice: &mut Dice) -> String {
    word(dice).chars().take(60).collect()
}

fn word_or_part(dice: &mut Dice) -> String {
    if dice.one_in(2) {
        return word(dice);
    }
    (*dice.one_of(&["a", "ad", "lace", "好", "%", "_", "ss", "１", "2", "é", "crab", "on and", "I"])).to_owned()
}

fn number(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!(dice.below(10)),
        1 => json!(-(dice.below(1000) as f64) / 8.0),
        2 => json!(dice.below(2_000_000_000)),
        3 => json!(0.1 * dice.below(20) as f64),
        _ => json!(dice.below(100)),
    }
}

/// Also days on which the clock is put forward or back.
fn day(dice: &mut Dice) -> String {
    let days = ["2026-03-29", "2026-10-25", "2026-11-01", "2026-03-08", "2026-02-28", "2024-02-29", "2026-11-21"];
    (*dice.one_of(&days)).to_owned()
}

fn time(dice: &mut Dice) -> String {
    let hours = [0, 1, 2, 3, 12, 23];
    format!("{:02}:{:02}", dice.one_of(&hours), dice.one_of(&[0, 30, 59]))
}

fn value(kind: Kind, dice: &mut Dice) -> Value {
    let phones = ["13800138000", "13900139000", "13800138001"];
    match kind {
        Kind::Text(_) => json!(word(dice)),
        Kind::Email => json!(format!("{}{}@Example.com", dice.one_of(&["ada", "ADA", "b"]), dice.below(300))),
        Kind::Url => json!(format!("https://example.com/{}?q={}", dice.one_of(&["a", "B"]), dice.below(300))),
        Kind::Phone => json!({"country_id": "CN", "number": dice.one_of(&phones)}),
        Kind::Number => number(dice),
        Kind::Date("day") => json!(day(dice)),
        Kind::Date("minute") => json!(format!("{} {}", day(dice), time(dice))),
        Kind::Date(_) => json!(format!("{} {}:{:02}", day(dice), time(dice), dice.below(60))),
        Kind::Time => {
            json!({"hour": dice.below(24), "minute": dice.below(60), "second": dice.below(3)})
        }
        Kind::Radio | Kind::Dropdown => match *dice.one_of(&CODES) {
            "else" => json!({"value": "else", "other_text": word(dice)}),
            code => json!(code),
        },
        Kind::ImageRadio => json!(dice.one_of(&CODES[..3])),
        Kind::Checkbox | Kind::ImageCheckbox => json!(dice.some_of(&CODES[..3])),
        Kind::Rating => json!(dice.below(5) + 1),
        Kind::Nps => json!(dice.below(11)),
        Kind::Cascade => match dice.below(3) {
            0 => json!({"level_1": "eu", "level_2": "it"}),
            1 => json!({"level_1": "eu", "level_2": "de"}),
            _ => json!({"level_1": "as", "level_2": "cn"}),
        },
        Kind::Address => match dice.below(3) {
            0 => {
                json!({"address_line1": short(dice), "city": "上海", "state": "CN-SH", "country": "CN"})
            }
            1 => {
                json!({"address_line1": "1 Main St", "city": short(dice), "state": "US-IL", "postal_code": "62701", "country": "US"})
            }
            _ => json!({"city": dice.one_of(&["Springfield", "springfield"]), "country": "US"}),
        },
        Kind::Product => match dice.below(3) {
            0 => json!([{"api_code": "tea", "number": 1}]),
            1 => {
                json!([{"api_code": "cake", "number": 2, "specification": {"size": dice.one_of(&["s", "l"])}}])
            }
            _ => {
                json!([{"api_code": "tea", "number": 3}, {"api_code": "cake", "number": 1, "specification": {"size": "l"}}])
            }
        },
        Kind::Booking => {
            let mut item = |code: &str| {
                let at = format!("2030-0{}-1{}", dice.below(9) + 1, dice.below(9));
                json!({"api_code": code, "scheduled_at": at})
            };
            let (room, hall) = (item("room"), item("hall"));
            match dice.below(3) {
                0 => json!([room, hall]),
                1 => json!([room]),
                _ => json!([hall]),
            }
        }
        Kind::Table => {
            let rows: Vec<Value> = (0..=dice.below(3)).map(|_| row(dice)).collect();
            json!(rows)
        }
        Kind::Matrix => json!({"s": row(dice), "t": row(dice)}),
        Kind::Formula | Kind::Linked | Kind::Attachment | Kind::Signature | Kind::Unique(_) => Value::Null,
    }
}

fn row(dice: &mut Dice) -> Value {
    let mut row = json!({"field_1": dice.one_of(&TEXTS)});
    if dice.one_in(2) {
        row["field_1"] = json!(word(dice));
    }
    if dice.one_in(2) {
        row["field_2"] = json!(dice.below(10));
    }
    if dice.one_in(2) {
        row["field_3"] = json!(dice.one_of(&CODES[..3]));
    }
    row
}

fn of_kind(field: &str, kind: Kind, dice: &mut Dice) -> Value {
    let (op, value) = asked(kind, dice);
    json!({"field": field, "operator": op, "value": value})
}

fn empties(dice: &mut Dice) -> Option<(&'static str, Value)> {
    let op = *dice.one_of(&["null", "not_null"]);
    dice.one_in(8).then_some((op, Value::Null))
}

/// An operator with one value, or one with several.
fn equal(dice: &mut Dice, mut one: impl FnMut(&mut Dice) -> Value) -> (&'static str, Value) {
    match dice.below(4) {
        0 => ("eq", one(dice)),
        1 => ("ne", one(dice)),
        n => {
            let several: Vec<Value> = (0..=dice.below(6)).map(|_| one(dice)).collect();
            (["any_in", "none_in"][n - 2], json!(several))
        }
    }
}

fn numbers(dice: &mut Dice, mut one: impl FnMut(&mut Dice) -> Value) -> (&'static str, Value) {
    if dice.one_in(2) {
        return equal(dice, one);
    }
    let ops = ["gt", "gte", "lt", "lte", "between", "not_between"];
    let op = *dice.one_of(&ops);
    let value = if op.ends_with("between") { json!([one(dice), one(dice)]) } else { one(dice) };
    (op, value)
}

fn date_value(dice: &mut Dice) -> Value {
    json!(match dice.below(6) {
        0 => day(dice)[..7].to_owned(),
        1 | 2 => day(dice),
        3 => format!("{} {}", day(dice), time(dice)),
        4 => format!("{}T{}:00+02:00", day(dice), time(dice)),
        _ => format!("{}T{}:30Z", day(dice), time(dice)),
    })
}

fn dates(dice: &mut Dice) -> (&'static str, Value) {
    if dice.one_in(6) {
        return ("like", json!(dice.one_of(&["2026-1", "-25", "02:3", ":00", "11-2"])));
    }
    numbers(dice, date_value)
}

fn asked(kind: Kind, dice: &mut Dice) -> (&'static str, Value) {
    if let Some(empty) = empties(dice) {
        return empty;
    }
    let like = dice.one_in(3);
    let part = |dice: &mut Dice| ("like", json!(word_or_part(dice)));
    match kind {
        Kind::Text(_) | Kind::Email | Kind::Url | Kind::Phone if like => {
            (["like", "not_like"][dice.below(2)], json!(word_or_part(dice)))
        }
        Kind::Text(_) => equal(dice, |dice| json!(word(dice))),
        Kind::Email => equal(dice, |dice| value(Kind::Email, dice)),
        Kind::Url => equal(dice, |dice| value(Kind::Url, dice)),
        Kind::Phone => equal(dice, |dice| json!(dice.one_of(&["13800138000", "139 0013 9000", "1"]))),
        Kind::Number => numbers(dice, number),
        Kind::Formula => numbers(dice, |dice| json!(dice.below(20))),
        Kind::Date(_) => dates(dice),
        Kind::Time if like => ("like", json!(dice.one_of(&["1", "12:", ":0", "23:59"]))),
        Kind::Time => equal(dice, |dice| json!(format!("{}:0{}", time(dice), dice.below(3)))),
        Kind::Radio
        | Kind::Dropdown
        | Kind::ImageRadio
        | Kind::Checkbox
        | Kind::ImageCheckbox
        | Kind::Cascade
        | Kind::Address
            if like =>
        {
            part(dice)
        }
        Kind::Radio | Kind::Dropdown | Kind::ImageRadio => equal(dice, |dice| json!(dice.one_of(&CODES))),
        Kind::Checkbox | Kind::ImageCheckbox if dice.one_in(2) => {
            (["eq", "ne"][dice.below(2)], json!(dice.some_of(&CODES[..3])))
        }
        Kind::Checkbox | Kind::ImageCheckbox => {
            (["any_in", "none_in"][dice.below(2)], json!(dice.some_of(&CODES[..3])))
        }
        Kind::Rating | Kind::Nps => {
            if dice.one_in(2) {
                return equal(dice, |dice| json!(dice.below(11)));
            }
            (*dice.one_of(&["gt", "gte", "lt", "lte"]), json!(dice.below(11)))
        }
        Kind::Cascade => equal(dice, |dice| match dice.below(3) {
            0 => json!({"level_1": "eu"}),
            1 => json!({"level_1": "eu", "level_2": "it"}),
            _ => json!({"level_1": "as"}),
        }),
        Kind::Address => equal(dice, |dice| match dice.below(3) {
            0 => json!({"country": "US"}),
            1 => json!({"city": "SPRINGFIELD", "country": "US"}),
            _ => json!({"state": "CN-SH", "city": "上海"}),
        }),
        Kind::Product if like => ("like", json!(dice.one_of(&["tea", "ADA", "cake"]))),
        Kind::Product => {
            let wanted = [
                json!(["tea"]),
                json!([{"api_code": "cake", "specs": ["l"]}]),
                json!(["tea", {"api_code": "cake", "specs": ["s"]}]),
            ];
            (["any_in", "none_in"][dice.below(2)], dice.one_of(&wanted).clone())
        }
        Kind::Booking if dice.one_in(2) => equal(dice, |dice| json!(dice.one_of(&["room", "hall"]))),
        Kind::Booking => numbers(dice, |dice| json!(format!("2030-0{}-1{}", dice.below(9) + 1, dice.below(9)))),
        Kind::Attachment if like => ("like", json!(word_or_part(dice))),
        Kind::Attachment | Kind::Signature => (["null", "not_null"][dice.below(2)], Value::Null),
        Kind::Table | Kind::Matrix | Kind::Linked | Kind::Unique(_) => ("null", Value::Null),
    }
}
