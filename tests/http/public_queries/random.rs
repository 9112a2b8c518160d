//! Random definitions, data and searches: page, JSON and CSV show the same entries, those that the list of entries
//! gives for filters that mean the same. The suite makes 60 definitions, three searches each; `TEST_PUBLIC_QUERIES=600`
//! makes as many as it says.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::public_queries::exports::csv;
use crate::public_queries::{Query, body, condition, links, local};
use crate::removed_values::bulk;
use crate::support::steps::set;
use crate::support::{Caller, Form, Server, field, rounds};

/// Definitions for each random set of entries.
const TO_EACH: usize = 6;
const ENTRIES: usize = 40;

const WORDS: [&str; 12] = [
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
const NAMES: [&str; 5] = ["Zoe Quartz", "zoe quartz", "Ada Lovelace", "李四", "Q"];
const NUMBERS: [&str; 4] = ["13812345678", "13800138000", "13898765678", "13900139000"];
const MAILS: [&str; 3] = ["jabber@example.com", "JABBER@example.com", "ab@far.example"];
const DAYS: [&str; 4] = ["2026-11-20", "2026-11-21", "2026-12-01", "2025-11-20"];
const BOOKED: [&str; 3] = ["2030-03-04", "2030-03-11", "2030-04-01"];

/// The field that marks each entry, shown first in every definition.
const MARK: &str = "field_1";

/// A field by which entries are searched, and what a search by it means.
struct Searched {
    code: &'static str,
    can_be_fuzzy: bool,
    /// What a visitor may type, exactly.
    exact: Vec<Value>,
    /// Parts that a visitor may type.
    parts: Vec<Value>,
    /// The conditions that find the same, any of them.
    means: fn(&Value, bool) -> Vec<Value>,
}

fn plain(code: &'static str, values: &[&str], parts: &[&str]) -> Searched {
    Searched {
        code,
        can_be_fuzzy: true,
        exact: values.iter().map(|text| json!(text)).collect(),
        parts: parts.iter().map(|text| json!(text)).collect(),
        means: |_, _| Vec::new(),
    }
}

/// What is searched by in these forms.
fn searched() -> Vec<Searched> {
    let texts = ["ad", "ss", "你好", "% b", "_c", "<b", "t's", "=1", "zz"];
    vec![
        plain("field_2", &WORDS, &texts),
        plain("field_3", &WORDS, &texts),
        plain("field_4", &NAMES, &["zoe", "LACE", "李四", "qu"]),
        Searched {
            exact: NUMBERS.iter().map(|text| json!(text)).collect(),
            ..plain("field_5", &[], &["13812", "5678", "0013"])
        },
        plain("field_6", &MAILS, &["jab", "@FAR", "example"]),
        Searched {
            can_be_fuzzy: false,
            exact: vec![json!(1), json!("2"), json!(2.5), json!(-3)],
            means: |value, _| {
                let number = value.as_str().map_or_else(
                    || value.clone(),
                    |text| json!(text.parse::<f64>().expect("a number")),
                );
                vec![condition("field_7", "eq", number)]
            },
            ..plain("field_7", &[], &[])
        },
        plain("field_8", &DAYS, &["2026-11", "2025", "2026-11-2"]),
        Searched {
            exact: ["red", "blue", "none"].map(|code| json!(code)).to_vec(),
            ..plain("field_9", &[], &["red", "BLUE", "and"])
        },
        Searched {
            exact: ["eu", "it", "cn"]
                .map(|code| json!(code))
                .into_iter()
                .chain([
                    json!({"level_1": "eu"}),
                    json!({"level_1": "as", "level_2": "cn"}),
                ])
                .collect(),
            means: |value, fuzzy| {
                let path = match value.as_str() {
                    Some("it") => json!({"level_1": "eu", "level_2": "it"}),
                    Some("cn") => json!({"level_1": "as", "level_2": "cn"}),
                    Some("eu") => json!({"level_1": "eu"}),
                    _ => value.clone(),
                };
                match fuzzy {
                    true => vec![condition("field_10", "like", value.clone())],
                    false => vec![condition("field_10", "eq", path)],
                }
            },
            ..plain("field_10", &[], &["euro", "ital", "in"])
        },
        Searched {
            exact: vec![json!("room"), json!("hall")],
            means: |value, fuzzy| {
                let named = |part: &str| {
                    let items = [("room", "meeting room"), ("hall", "town hall")];
                    let found = items
                        .into_iter()
                        .filter(move |(_, name)| name.contains(part));
                    found.map(|(code, _)| code).collect::<Vec<_>>()
                };
                let codes = match fuzzy {
                    true => named(&value.as_str().expect("a text").to_lowercase()),
                    false => vec![value.as_str().expect("a text")],
                };
                codes
                    .iter()
                    .map(|code| condition("field_11", "eq", json!(code)))
                    .collect()
            },
            ..plain(
                "field_11_attribute_api_code",
                &[],
                &["ROOM", "town", "ee", "nowhere"],
            )
        },
        Searched {
            means: |value, _| vec![condition("field_11", "eq", value.clone())],
            ..plain(
                "field_11_attribute_date_time",
                &BOOKED,
                &["2030-03", "2030-04-01"],
            )
        },
        Searched {
            can_be_fuzzy: false,
            exact: vec![
                json!("Tulip"),
                json!("ROSE"),
                json!(1),
                json!("2"),
                json!("Oak"),
            ],
            means: |value, _| {
                let number = value
                    .as_i64()
                    .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
                vec![match number {
                    Some(number) => {
                        condition("field_12_associated_serial_number", "eq", json!(number))
                    }
                    None => condition("field_12_associated_field_1", "eq", value.clone()),
                }]
            },
            ..plain("field_12", &[], &[])
        },
        plain(
            "field_12_associated_field_1",
            &["tulip", "Rose"],
            &["tul", "OS", "zz"],
        ),
        Searched {
            can_be_fuzzy: false,
            exact: vec![json!(1), json!("2"), json!(3)],
            means: |value, _| {
                let number = value.as_str().map_or_else(
                    || value.clone(),
                    |text| json!(text.parse::<i64>().expect("a number")),
                );
                vec![condition("field_12_associated_serial_number", "eq", number)]
            },
            ..plain("field_12_associated_serial_number", &[], &[])
        },
        Searched {
            can_be_fuzzy: false,
            exact: vec![json!(1), json!("7"), json!(39), json!(99)],
            means: |value, _| {
                let number = value.as_str().map_or_else(
                    || value.clone(),
                    |text| json!(text.parse::<i64>().expect("a number")),
                );
                vec![condition("serial_number", "eq", number)]
            },
            ..plain("serial_number", &[], &[])
        },
    ]
}

impl Searched {
    fn conditions(&self, value: &Value, fuzzy: bool) -> Vec<Value> {
        // A field of the form by the operator of the same name.
        let simple = [
            "field_2",
            "field_3",
            "field_4",
            "field_5",
            "field_6",
            "field_8",
            "field_9",
            "field_12_associated_field_1",
        ];
        if simple.contains(&self.code) {
            let operator = if fuzzy { "like" } else { "eq" };
            return vec![condition(self.code, operator, value.clone())];
        }
        (self.means)(value, fuzzy)
    }
}

/// A form with its entries.
struct World {
    owner: Caller,
    form: Form,
    /// Live entries by serial number.
    entries: BTreeMap<i64, Value>,
}

fn one<T: Clone>(dice: &mut StdRng, list: &[T]) -> T {
    list[dice.random_range(0..list.len())].clone()
}

impl World {
    fn new(dice: &mut StdRng) -> Self {
        let owner = Server::shared().user();
        let list = owner.form(json!([
            field("short_text", json!({})),
            field("rating", json!({}))
        ]));
        let mut linked = Vec::new();
        for name in ["Tulip", "Rose", "Oak"] {
            let values = json!({"field_1": name, "field_2": 3});
            let made = owner.post(list.entries(), json!({ "field_values": values }));
            linked.push(made.data()["token"].clone());
        }
        let days: Vec<Value> = (1..=7)
            .map(|day| json!({"weekday": day, "quota": null}))
            .collect();
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
        set(
            &owner,
            &form,
            json!({"verification_code": {"enabled": true}}),
        );
        let entries: Vec<Value> = (0..ENTRIES).map(|n| entry(dice, n, &linked)).collect();
        bulk(&owner, &form, &entries);
        // Links to the oak lead into the trash.
        assert_eq!(owner.delete(list.entry(3)).status, 200);
        for serial in 1..=i64::try_from(ENTRIES).expect("few") {
            if dice.random_bool(0.1) {
                assert_eq!(owner.delete(form.entry(serial)).status, 200);
            } else if dice.random_bool(0.1) {
                let text = json!({"field_values": {"field_2": one(dice, &WORDS)}});
                assert_eq!(owner.patch(form.entry(serial), text).status, 200);
            }
        }
        let page = owner
            .get(format!("{}?page_size=100", form.entries()))
            .json();
        let rows = page["data"].as_array().expect("rows").iter();
        let entries = rows
            .map(|row| {
                (
                    row["serial_number"].as_i64().expect("a number"),
                    row.clone(),
                )
            })
            .collect();
        Self {
            owner,
            form,
            entries,
        }
    }

    /// The entries that all these conditions hold for.
    fn serials(&self, filters: &[Value]) -> BTreeSet<i64> {
        let asked = json!({"filters": filters, "page_size": 100, "fields": [MARK]});
        let page = self.owner.post(self.form.query(), asked);
        assert_eq!(page.status, 200, "{filters:?}: {page}");
        crate::support::steps::serials(&page.json())
            .into_iter()
            .collect()
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
    let at = one(dice, &BOOKED);
    let booked: Vec<Value> = items
        .iter()
        .map(|code| json!({"api_code": code, "scheduled_at": at}))
        .collect();
    for (code, value) in [
        ("field_2", json!(one(dice, &WORDS))),
        ("field_3", json!(one(dice, &WORDS))),
        ("field_4", json!(one(dice, &NAMES))),
        ("field_5", number),
        ("field_6", json!(one(dice, &MAILS))),
        (
            "field_7",
            one(dice, &[json!(1), json!(2), json!(2.5), json!(-3)]),
        ),
        ("field_8", json!(one(dice, &DAYS))),
        ("field_9", json!(one(dice, &["red", "blue"]))),
        ("field_10", json!({"level_1": level_1, "level_2": level_2})),
        ("field_11", json!(booked)),
        ("field_12", one(dice, linked)),
        (
            "field_13",
            one(dice, &[json!(["a"]), json!(["a", "b"]), json!([])]),
        ),
        ("field_14", one(dice, &[json!(1), json!(5)])),
    ] {
        put(dice, code, value);
    }
    out
}

/// What may be shown besides the mark, and its label.
const SHOWN: [(&str, &str); 19] = [
    ("field_2", "Text"),
    ("field_3", "Long"),
    ("field_4", "Name"),
    ("field_5", "Phone"),
    ("field_6", "Mail"),
    ("field_7", "Number"),
    ("field_8", "Day"),
    ("field_9", "Colour"),
    ("field_10", "Place"),
    ("field_11", "Booking"),
    ("field_12_associated_field_1", ""),
    ("field_12_associated_field_2", ""),
    ("field_12_associated_serial_number", ""),
    ("field_13", "Kinds"),
    ("field_14", "Stars"),
    ("serial_number", ""),
    ("created_at", ""),
    ("reservation_status_fsf_field", ""),
    ("gen_code", ""),
];

/// A random definition.
struct Plan {
    /// By operand: fields by their place in the list of all, and whether they are fuzzy.
    groups: Vec<(&'static str, Vec<(usize, bool)>)>,
    /// What is shown, and whether masked.
    rules: Vec<(&'static str, bool)>,
    scope: Vec<Value>,
}

fn plan(dice: &mut StdRng, all: &[Searched]) -> Plan {
    let mut left: Vec<usize> = (0..all.len()).collect();
    let mut groups = Vec::new();
    for _ in 0..dice.random_range(1..4) {
        let operand = one(dice, &["and", "or", "or"]);
        let count = dice.random_range(1..4);
        let fields = (0..count)
            .map(|_| {
                let at = left.swap_remove(dice.random_range(0..left.len()));
                (at, all[at].can_be_fuzzy && dice.random_bool(0.4))
            })
            .collect();
        groups.push((operand, fields));
    }
    let mut rules = vec![(MARK, false)];
    for (code, _) in SHOWN {
        if dice.random_bool(0.5) {
            rules.push((code, dice.random_bool(0.5)));
        }
    }
    let conditions = [
        condition("field_7", "gte", json!(1)),
        condition("field_9", "ne", json!("red")),
        condition("field_8", "null", Value::Null),
        condition("field_13", "any_in", json!(["b"])),
        condition("field_2", "not_like", json!("ada")),
        condition("field_12_associated_field_1", "ne", json!("Tulip")),
        condition("serial_number", "between", json!([3, 37])),
        condition("field_14", "not_null", Value::Null),
    ];
    let count = one(dice, &[0, 0, 1, 1, 2]);
    let scope = (0..count).map(|_| one(dice, &conditions)).collect();
    Plan {
        groups,
        rules,
        scope,
    }
}

impl Plan {
    fn make(&self, world: &World, all: &[Searched]) -> Query {
        let groups: Vec<Value> = self
            .groups
            .iter()
            .map(|(operand, fields)| {
                let fields: Vec<Value> = fields
                    .iter()
                    .map(|(at, fuzzy)| json!({"field": all[*at].code, "fuzzy": fuzzy}))
                    .collect();
                json!({"operand": operand, "fields": fields})
            })
            .collect();
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|(code, protected)| json!({"field": code, "protected": protected, "label": format!("L {code}")}))
            .collect();
        let mut whole = body(&world.form, json!(groups), json!(rules));
        whole["scope_conditions"] = json!(self.scope);
        whole["allow_to_export_results"] = json!(true);
        Query::new(&world.owner, whole)
    }

    /// Random values; now and then something is left out that must be there.
    fn values(&self, dice: &mut StdRng, all: &[Searched]) -> Value {
        let mut out = json!({});
        for (operand, fields) in &self.groups {
            for (at, fuzzy) in fields {
                let likely = if *operand == "and" { 0.97 } else { 0.6 };
                if dice.random_bool(likely) {
                    let field = &all[*at];
                    let list = if *fuzzy { &field.parts } else { &field.exact };
                    out[field.code] = one(dice, list);
                } else if dice.random_bool(0.5) {
                    out[all[*at].code] = one(dice, &[json!(""), json!(" "), Value::Null]);
                }
            }
        }
        out
    }

    /// Which fields are missing, or else which entries are meant, newest first.
    fn expected(
        &self,
        world: &World,
        all: &[Searched],
        values: &Value,
    ) -> Result<Vec<i64>, Vec<String>> {
        let filled = |at: usize| {
            let value = &values[all[at].code];
            let is_blank =
                value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
            (!is_blank).then_some(value)
        };
        let mut missing = Vec::new();
        let mut found = world.serials(&self.scope);
        for (operand, fields) in &self.groups {
            let blank = fields.iter().filter(|(at, _)| filled(*at).is_none());
            let blank: Vec<String> = blank
                .map(|(at, _)| format!("values.{}", all[*at].code))
                .collect();
            if *operand == "and" || blank.len() == fields.len() {
                missing.extend(blank);
            }
            let sets = fields.iter().filter_map(|(at, fuzzy)| {
                let conditions = all[*at].conditions(filled(*at)?, *fuzzy);
                let any = conditions
                    .iter()
                    .map(|condition| world.serials(std::slice::from_ref(condition)));
                Some(any.fold(BTreeSet::new(), |all, some| {
                    all.union(&some).copied().collect()
                }))
            });
            let group = match *operand {
                "and" => sets.reduce(|all, one| all.intersection(&one).copied().collect()),
                _ => sets.reduce(|all, one| all.union(&one).copied().collect()),
            };
            found = found
                .intersection(&group.unwrap_or_default())
                .copied()
                .collect();
        }
        match missing.is_empty() {
            true => Ok(found.into_iter().rev().collect()),
            false => Err(missing),
        }
    }
}

/// A value of an entry as a row shows it.
fn value(entry: &Value, code: &str, protected: bool) -> Value {
    let linked = code.strip_prefix("field_12_associated_");
    let value = match linked {
        Some("serial_number") => &entry["field_12"]["serial_number"],
        Some(inner) => &entry["field_12"]["display_fields"][inner],
        None => &entry[code],
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    match (code, protected && !value.is_null()) {
        ("field_4", true) => {
            let name = text(value);
            let first: String = name.chars().take(1).collect();
            let is_short = name.chars().count() == 1;
            json!(format!("{}**", if is_short { "" } else { &first }))
        }
        ("field_5", true) => {
            let mut phone = value.clone();
            let number = text(&phone["number"]);
            phone["number"] = json!(format!("{}****{}", &number[..3], &number[7..]));
            phone
        }
        ("field_6", true) => {
            let mail = text(value);
            let (own, rest) = mail.split_once('@').expect("an address");
            let first = if own.len() > 2 { &own[..1] } else { "" };
            json!(format!("{first}***@{rest}"))
        }
        _ => value.clone(),
    }
}

/// The text of a value where its cell in a file is sure to be the same.
fn cell(code: &str, value: &Value) -> Option<String> {
    if value.is_null() {
        let is_one_cell = !["field_5", "field_10", "field_11", "field_13"].contains(&code);
        return is_one_cell.then(String::new);
    }
    let text = value.as_str().map(str::to_owned);
    match code {
        "field_9" => Some(match value["value"].as_str() {
            Some("red") => "Dark red".to_owned(),
            _ => "Red and blue".to_owned(),
        }),
        "field_1"
        | "field_2"
        | "field_3"
        | "field_4"
        | "field_6"
        | "field_8"
        | "gen_code"
        | "field_12_associated_field_1" => text.map(|text| match text.starts_with('=') {
            true => format!("'{text}"),
            false => text,
        }),
        "field_7"
        | "field_14"
        | "serial_number"
        | "field_12_associated_serial_number"
        | "field_12_associated_field_2" => {
            Some(value.to_string().trim_end_matches(".0").to_owned())
        }
        _ => None,
    }
}

/// All rows by pages of a random size.
fn by_pages(query: &Query, values: &Value, size: usize, total: usize) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = query.ask(json!({"values": values, "page_size": size, "cursor": cursor}));
        assert_eq!(page.status, 200, "{values}: {page}");
        let page = page.json();
        assert_eq!(page["pagination"]["total"], total, "{values}");
        all.extend(page["data"].as_array().expect("rows").clone());
        cursor = page["pagination"]["next_cursor"]
            .as_str()
            .expect("a text")
            .to_owned();
        if cursor.is_empty() {
            return all;
        }
        assert!(all.len() <= total, "{values}: pages without an end");
    }
}

/// The marks of all pages that a visitor gets to, in their order, and the text from each on.
fn on_pages(query: &Query, values: &Value) -> Vec<(String, String)> {
    let anon = query.anon();
    let first = query.typed(values);
    let (mut waiting, mut been) = (VecDeque::from([first.clone()]), BTreeSet::from([first]));
    let mut out: Vec<(String, String)> = Vec::new();
    while let Some(address) = waiting.pop_front() {
        let page = anon.get(&address);
        assert_eq!(page.status, 200, "{address}: {page}");
        for rest in page.text.split("((").skip(1) {
            let (mark, rest) = rest.split_once("))").expect("a whole mark");
            match out.iter_mut().find(|(known, _)| known == mark) {
                Some((_, text)) => text.push_str(rest),
                None => out.push((mark.to_owned(), rest.to_owned())),
            }
        }
        for link in links(&page) {
            let link = local(&anon, &link);
            let link = match link.strip_prefix('?') {
                Some(rest) => format!("{}?{rest}", query.page()),
                None => link,
            };
            let is_page = link.starts_with(&query.page()) && link.contains("cursor=");
            if is_page && !link.contains("/export") && been.insert(link.clone()) {
                waiting.push_back(link);
            }
        }
        assert!(been.len() < 100, "pages without an end");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn check(
    world: &World,
    plan: &Plan,
    query: &Query,
    values: &Value,
    all: &[Searched],
    size: usize,
) -> usize {
    let at = format!(
        "{:?} {:?} {:?} for {values}",
        plan.groups
            .iter()
            .map(|(operand, fields)| {
                let names: Vec<String> = fields
                    .iter()
                    .map(|(at, fuzzy)| {
                        format!("{}{}", all[*at].code, if *fuzzy { "~" } else { "" })
                    })
                    .collect();
                format!("{operand} {names:?}")
            })
            .collect::<Vec<_>>(),
        plan.rules,
        plan.scope
    );
    let serials = match plan.expected(world, all, values) {
        Ok(serials) => serials,
        Err(mut missing) => {
            let refused = query.search(values);
            assert_eq!(refused.status, 422, "{at}: {refused}");
            let mut told = refused.attributes();
            told.sort();
            missing.sort();
            assert_eq!(told, missing, "{at}");
            let file = query.anon().get(query.export("csv", values));
            assert_eq!(file.status, 422, "{at}: {file}");
            let page = query.anon().get(query.typed(values));
            assert!(
                [200, 422].contains(&page.status) && !page.text.contains("(("),
                "{at}: {page}"
            );
            return 0;
        }
    };
    let entries: Vec<&Value> = serials
        .iter()
        .map(|serial| &world.entries[serial])
        .collect();
    let mark = |entry: &Value| entry[MARK].as_str().expect("a mark").to_owned();
    let marks: Vec<String> = entries.iter().map(|entry| mark(entry)).collect();

    let rows = by_pages(query, values, size, entries.len());
    let told: Vec<String> = rows.iter().map(mark).collect();
    assert_eq!(told, marks, "{at}");
    for (row, entry) in rows.iter().zip(&entries) {
        let mut expected = json!({"entry_token": entry["token"]});
        for (code, protected) in &plan.rules {
            expected[*code] = value(entry, code, *protected);
        }
        assert_eq!(*row, expected, "{at}");
    }

    let pages = on_pages(query, values);
    let told: Vec<String> = pages
        .iter()
        .map(|(mark, _)| format!("(({mark}))"))
        .collect();
    assert_eq!(told, marks, "{at}");
    for ((_, text), entry) in pages.iter().zip(&entries) {
        for (code, protected) in &plan.rules[1..] {
            let value = value(entry, code, *protected);
            let shown = match *code {
                "field_2"
                | "field_3"
                | "field_4"
                | "field_6"
                | "gen_code"
                | "field_12_associated_field_1" => value.as_str().map(escaped),
                "field_5" => value["number"].as_str().map(str::to_owned),
                _ => None,
            };
            if let Some(shown) = shown {
                let is_there =
                    text.contains(&shown) || text.contains(&shown.replace('\'', "&#39;"));
                assert!(is_there, "{at}: {code}: {shown} in {text}");
            }
            if let ("field_5" | "field_6", true) = (*code, *protected) {
                let hidden = [&entry["field_5"]["number"], &entry["field_6"]];
                let hidden = hidden[usize::from(*code == "field_6")].as_str();
                // What a visitor typed comes back to them.
                let was_typed = hidden.is_some_and(|hidden| values.to_string().contains(hidden));
                let is_there = hidden.is_some_and(|hidden| text.contains(hidden));
                assert!(was_typed || !is_there, "{at}: {code} in {text}");
            }
        }
    }

    let file = csv(&query.anon().get(query.export("csv", values)));
    let (head, lines) = file.split_first().expect("a header");
    assert_eq!(lines.len(), entries.len(), "{at}");
    let first = head.iter().position(|label| *label == format!("L {MARK}"));
    let first = first.expect("the mark's column");
    for entry in &entries {
        let own = lines.iter().find(|line| line[first] == mark(entry));
        let own = own.unwrap_or_else(|| panic!("{at}: {} is not in {lines:?}", mark(entry)));
        for (code, protected) in &plan.rules {
            let Some(expected) = cell(code, &value(entry, code, *protected)) else {
                continue;
            };
            let column = head.iter().position(|label| *label == format!("L {code}"));
            if let Some(column) = column {
                assert_eq!(own[column], expected, "{at}: {code}");
            } else {
                // What may be of several cells has a column for each.
                assert!(
                    head.iter()
                        .any(|label| label.starts_with(&format!("L {code}"))),
                    "{at}: {code}: {head:?}"
                );
            }
        }
    }
    entries.len()
}

#[test]
fn page_json_and_csv_show_what_the_list_of_entries_gives() {
    let count = rounds("TEST_PUBLIC_QUERIES", 60_usize);
    let all = searched();
    let mut hits = 0;
    for seed in 0..count.div_ceil(TO_EACH) {
        let dice = &mut StdRng::seed_from_u64(u64::try_from(seed).expect("few"));
        let world = World::new(dice);
        for _ in 0..TO_EACH.min(count - seed * TO_EACH) {
            let plan = plan(dice, &all);
            let query = plan.make(&world, &all);
            for _ in 0..3 {
                let values = plan.values(dice, &all);
                let size = one(dice, &[1, 3, 10, 100]);
                hits += check(&world, &plan, &query, &values, &all, size);
            }
        }
    }
    assert!(hits > count, "searches find something: {hits}");
}
