//! The search fields of random definitions, visitors' inputs, and the equivalent conditions.

use serde_json::{Value, json};

use crate::queries::condition;
use crate::queries::random::world::{BOOKED, DAYS, MAILS, NAMES, NUMBERS, WORDS};

/// A search field, and the meaning of a search by it.
pub struct Searched {
    pub code: &'static str,
    pub can_be_fuzzy: bool,
    /// Values that a visitor may type, exactly.
    pub exact: Vec<Value>,
    /// Parts that a visitor may type.
    pub parts: Vec<Value>,
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

/// The fields of these forms to search by.
pub fn searched() -> Vec<Searched> {
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
                let number =
                    value.as_str().map_or_else(|| value.clone(), |text| json!(text.parse::<f64>().expect("a number")));
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
                .chain([json!({"level_1": "eu"}), json!({"level_1": "as", "level_2": "cn"})])
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
                    let found = items.into_iter().filter(move |(_, name)| name.contains(part));
                    found.map(|(code, _)| code).collect::<Vec<_>>()
                };
                let codes = match fuzzy {
                    true => named(&value.as_str().expect("a text").to_lowercase()),
                    false => vec![value.as_str().expect("a text")],
                };
                codes.iter().map(|code| condition("field_11", "eq", json!(code))).collect()
            },
            ..plain("field_11_attribute_api_code", &[], &["ROOM", "town", "ee", "nowhere"])
        },
        Searched {
            means: |value, _| vec![condition("field_11", "eq", value.clone())],
            ..plain("field_11_attribute_date_time", &BOOKED, &["2030-03", "2030-04-01"])
        },
        Searched {
            can_be_fuzzy: false,
            exact: vec![json!("Tulip"), json!("ROSE"), json!(1), json!("2"), json!("Oak")],
            means: |value, _| {
                let number = value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
                vec![match number {
                    Some(number) => condition("field_12_associated_serial_number", "eq", json!(number)),
                    None => condition("field_12_associated_field_1", "eq", value.clone()),
                }]
            },
            ..plain("field_12", &[], &[])
        },
        plain("field_12_associated_field_1", &["tulip", "Rose"], &["tul", "OS", "zz"]),
        Searched {
            can_be_fuzzy: false,
            exact: vec![json!(1), json!("2"), json!(3)],
            means: |value, _| {
                let number =
                    value.as_str().map_or_else(|| value.clone(), |text| json!(text.parse::<i64>().expect("a number")));
                vec![condition("field_12_associated_serial_number", "eq", number)]
            },
            ..plain("field_12_associated_serial_number", &[], &[])
        },
        Searched {
            can_be_fuzzy: false,
            exact: vec![json!(1), json!("7"), json!(39), json!(99)],
            means: |value, _| {
                let number =
                    value.as_str().map_or_else(|| value.clone(), |text| json!(text.parse::<i64>().expect("a number")));
                vec![condition("serial_number", "eq", number)]
            },
            ..plain("serial_number", &[], &[])
        },
    ]
}

impl Searched {
    pub fn conditions(&self, value: &Value, fuzzy: bool) -> Vec<Value> {
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
