//! Random forms and answers to them, right or wrong: rules, formulas, quotas, stock, scores and discounts. The same
//! dice give the same forms and answers.

use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::{Map, Value, json};

use crate::steps::set;
use crate::{Caller, Form, Response, field};

/// Submissions to each random form.
pub const TO_EACH: usize = 25;
const SCENES: [&str; 4] = ["survey", "exam", "evaluation", "order"];

/// A random form and its settings.
pub struct Plan {
    pub form: Value,
    rules: Value,
    settings: Vec<Value>,
    /// Before which fields a page begins.
    breaks: Vec<usize>,
}

fn choices(dice: &mut StdRng, codes: &[&str]) -> Value {
    codes
        .iter()
        .map(|code| {
            let mut choice = json!({"api_code": code, "label": format!("choice {code}")});
            if dice.random_bool(0.5) {
                choice["score"] = json!(dice.random_range(0..50) as f64 / 10.0);
            }
            if dice.random_bool(0.3) {
                choice["quota"] = json!(dice.random_range(1..8));
            }
            choice
        })
        .collect()
}

fn fields(dice: &mut StdRng) -> Value {
    let limit = dice.random_range(5..60);
    let goods = json!([
        {"api_code": "tea", "name": "Tea", "price": dice.random_range(0..2000) as f64 / 100.0, "stock": limit},
        {"api_code": "pot", "name": "Pot", "price": 20},
    ]);
    let number = json!({"precision": dice.random_range(0..3), "min": -10, "max": 1000});
    let formulas = [
        "field_3 * 2 + 1",
        "IF(field_3 > 5, field_3 / 3, LEN(field_4))",
        "SCORE(field_1) + SCORE(field_2)",
        "field_6 - 1",
    ];
    let formula = |expression: &str| {
        let own = json!({"expression": expression, "result_type": "number", "precision": 2});
        field("formula", own)
    };
    json!([
        field("radio", json!({"choices": choices(dice, &["a", "b", "c"]), "required": dice.random_bool(0.2)})),
        field("checkbox", json!({"choices": choices(dice, &["d", "e", "f"])})),
        field("number", number),
        field("short_text", json!({"max_length": 20, "required": dice.random_bool(0.2)})),
        field("product", json!({"goods_items": goods})),
        formula(formulas[dice.random_range(0..3)]),
        formula(formulas[dice.random_range(0..3)]),
        formula(formulas[3]),
        field("radio", json!({"choices": choices(dice, &["g", "h"])})),
    ])
}

fn condition(dice: &mut StdRng) -> Value {
    match dice.random_range(0..4) {
        0 => json!({"field": "field_1", "operator": "eq", "value": "a"}),
        1 => json!({"field": "field_2", "operator": "any_in", "value": ["d", "f"]}),
        2 => json!({"field": "field_3", "operator": "gt", "value": dice.random_range(-5..20)}),
        _ => json!({"field": "field_4", "operator": "not_null"}),
    }
}

/// Rules in the order of the questions, so that none of them looks at a question that it decides on.
fn rules(dice: &mut StdRng) -> Value {
    let targets = ["field_5", "field_9"];
    let count = dice.random_range(0..4);
    (0..count)
        .map(|_| {
            let conditions: Vec<Value> = (0..dice.random_range(1..3)).map(|_| condition(dice)).collect();
            let operand = ["and", "or"][dice.random_range(0..2)];
            let action = ["show", "hide", "require"][dice.random_range(0..3)];
            let target = targets[dice.random_range(0..2)];
            json!({
                "condition": {"operand": operand, "items": conditions},
                "action": action,
                "fields": [target],
            })
        })
        .collect()
}

/// The next random form.
pub fn plan(dice: &mut StdRng) -> Plan {
    let scene = SCENES[dice.random_range(0..SCENES.len())];
    let mut settings = Vec::new();
    if scene == "exam" {
        let partial = ["none", "proportional", "per_choice"][dice.random_range(0..3)];
        settings.push(json!({"exam": {"show_score": true, "questions": {
            "field_1": {"scored": true, "score": 2.5, "answer": "b"},
            "field_2": {"scored": true, "score": dice.random_range(1..9), "answer": ["d", "e"], "partial": partial},
            "field_4": {"scored": true, "score": 1, "answer": "Ada"},
        }}}));
    }
    if scene == "order" {
        let discounts = json!([{"min_total": 30, "percent_off": 7.5}, {"min_total": 90, "amount_off": 11.11}]);
        settings.push(json!({"pricing": {"currency": "EUR", "discounts": discounts}}));
    }
    let layout = ["classic", "card"][dice.random_range(0..2)];
    let breaks = (1..9).filter(|_| dice.random_bool(0.1)).collect();
    Plan {
        form: json!({"name": "Random", "scene": scene, "layout": layout, "fields": fields(dice)}),
        breaks,
        rules: json!({"rules": rules(dice)}),
        settings,
    }
}

/// Makes such a form.
pub fn make(owner: &Caller, plan: &Plan) -> Form {
    let form = owner.form_with(plan.form.clone());
    // Afterwards, so that the fields are numbered alike with and without pages.
    let mut fields: Vec<Value> = serde_json::from_value(form.body["fields"].clone()).expect("a list");
    for at in plan.breaks.iter().rev() {
        fields.insert(*at, json!({"type": "page_break"}));
    }
    let done = owner.patch(form.path(), json!({ "fields": fields }));
    assert_eq!(done.status, 200, "{done}");
    let path = format!("{}/field_rules", form.path());
    let done = owner.put(path, plan.rules.clone());
    assert_eq!(done.status, 200, "{done}");
    for settings in &plan.settings {
        set(owner, &form, settings.clone());
    }
    form
}

/// Answers of a respondent, right or wrong; texts are as they are typed.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Of field_1.
    pub one: Option<&'static str>,
    /// Of field_2.
    pub several: Vec<&'static str>,
    /// Of field_3.
    pub number: Option<&'static str>,
    /// Of field_4.
    pub text: Option<&'static str>,
    /// Of field_5.
    pub goods: Vec<(&'static str, i64)>,
    /// Of field_9.
    pub last: Option<&'static str>,
}

/// The next respondent's answers.
pub fn answers(dice: &mut StdRng) -> Answers {
    let mut maybe = |likely: f64| dice.random_bool(likely);
    let several = ["d", "e", "f"].into_iter().filter(|_| maybe(0.4)).collect();
    let mut goods = Vec::new();
    for code in ["tea", "pot"] {
        if dice.random_bool(0.4) {
            let wrong = dice.random_bool(0.05);
            goods.push((code, if wrong { -1 } else { dice.random_range(1..5) }));
        }
    }
    let numbers = ["0", "7", "-3", "12.5", "2.345", "999.99", "1000.5", "abc"];
    let texts = ["Ada", "ada", "x", "a text that is too long by far"];
    let mut of = |likely: f64, all: &[&'static str]| {
        let is_given = dice.random_bool(likely);
        is_given.then(|| all[dice.random_range(0..all.len())])
    };
    Answers {
        one: of(0.8, &["a", "b", "c", "a", "b", "c", "nothing"]),
        several,
        number: of(0.7, &numbers),
        text: of(0.7, &texts),
        goods,
        last: of(0.6, &["g", "h"]),
    }
}

impl Answers {
    fn goods(&self) -> Value {
        let goods = self.goods.iter();
        goods.map(|(code, number)| json!({"api_code": code, "number": number})).collect()
    }

    /// In the write shape.
    pub fn json(&self) -> Value {
        let mut values = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            value.map(|value| values.insert(name.to_owned(), value));
        };
        put("field_1", self.one.map(Value::from));
        put("field_2", Some(json!(self.several)));
        put(
            "field_3",
            self.number.map(|typed| {
                let number = typed.parse::<f64>();
                number.map_or_else(|_| json!(typed), |number| json!(number))
            }),
        );
        put("field_4", self.text.map(Value::from));
        put("field_5", Some(self.goods()));
        put("field_9", self.last.map(Value::from));
        values.into()
    }

    /// As a page without a script posts them.
    pub fn typed(&self) -> Vec<(String, String)> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut put = |name: &str, value: &str| pairs.push((name.to_owned(), value.to_owned()));
        put("field_1", self.one.unwrap_or_default());
        self.several.iter().for_each(|code| put("field_2", code));
        put("field_3", self.number.unwrap_or_default());
        put("field_4", self.text.unwrap_or_default());
        for (at, (code, number)) in self.goods.iter().enumerate() {
            put(&format!("field_5[{at}].api_code"), code);
            put(&format!("field_5[{at}].number"), &number.to_string());
        }
        put("field_9", self.last.unwrap_or_default());
        pairs
    }

    /// A file to import.
    pub fn csv(&self) -> String {
        let goods = match self.goods.is_empty() {
            true => String::new(),
            false => self.goods().to_string(),
        };
        let cells = [
            self.one.unwrap_or_default().to_owned(),
            self.several.join(", "),
            self.number.unwrap_or_default().to_owned(),
            self.text.unwrap_or_default().to_owned(),
            goods,
            self.last.unwrap_or_default().to_owned(),
        ];
        let cells = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        format!("field_1,field_2,field_3,field_4,field_5,field_9\n{}\n", cells.join(","))
    }
}

/// The questions whose answers are refused; none where it was taken.
pub type Outcome = Vec<String>;

/// The field of an attribute such as `field_values.field_5[0].number`.
fn field_of(attribute: &str, before: &str) -> String {
    let rest = attribute.strip_prefix(before).unwrap_or_else(|| panic!("{attribute}"));
    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Each of these fields once.
pub fn unique(mut codes: Vec<String>) -> Outcome {
    codes.sort();
    codes.dedup();
    codes
}

/// The outcome of an answer of the API; paths begin with `before`.
pub fn of_json(answer: &Response, before: &str) -> Outcome {
    match answer.status {
        201 => Vec::new(),
        409 | 422 => {
            let attributes = answer.attributes();
            assert!(!attributes.is_empty(), "{answer}");
            unique(attributes.iter().map(|it| field_of(it, before)).collect())
        }
        other => panic!("{other}: {answer}"),
    }
}

/// The outcome of a page.
pub fn of_page(answer: &Response) -> Outcome {
    if answer.status == 303 {
        return Vec::new();
    }
    assert!(matches!(answer.status, 409 | 422), "{answer}");
    let wrong = answer.text.split("class=\"field wrong\" data-field=\"");
    let codes: Vec<String> = wrong.skip(1).map(|rest| field_of(rest, "")).collect();
    assert!(!codes.is_empty(), "{answer}");
    unique(codes)
}

/// All entries from the first on, without values that differ from form to form.
pub fn entries(owner: &Caller, form: &Form) -> Vec<Value> {
    let path = format!("{}?page_size=100&sort=serial_number&order=asc", form.entries());
    let mut all: Vec<Value> = serde_json::from_value(owner.get(path).data()).expect("a list");
    all.sort_by_key(|entry| entry["serial_number"].as_i64());
    for entry in &mut all {
        let keys = entry.as_object_mut().expect("an entry");
        keys.retain(|key, _| {
            key.starts_with("field_") || ["exam_score", "total_price", "preferential_price"].contains(&key.as_str())
        });
    }
    all
}
