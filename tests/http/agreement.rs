//! Random submissions to random forms: the API, the page without a script and the import take the same ones, refuse
//! the same answers and store the same values, scores and prices. The page with a script posts what the page without
//! one does, after rules that `tests/browser/rules.rs` compares to the server's.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};

use crate::support::steps::set;
use crate::support::{Caller, Form, Response, Server, field, rounds};

/// Submissions to each random form.
const TO_EACH: usize = 25;
const SCENES: [&str; 4] = ["survey", "exam", "evaluation", "order"];

/// A random form and its settings.
struct Plan {
    form: Value,
    rules: Value,
    settings: Vec<Value>,
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
        field(
            "radio",
            json!({"choices": choices(dice, &["a", "b", "c"]), "required": dice.random_bool(0.2)})
        ),
        field(
            "checkbox",
            json!({"choices": choices(dice, &["d", "e", "f"])})
        ),
        field("number", number),
        field(
            "short_text",
            json!({"max_length": 20, "required": dice.random_bool(0.2)})
        ),
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

/// Rules in the order of the questions, so that none of them asks what itself decides.
fn rules(dice: &mut StdRng) -> Value {
    let targets = ["field_5", "field_9"];
    let count = dice.random_range(0..4);
    (0..count)
        .map(|_| {
            let conditions: Vec<Value> = (0..dice.random_range(1..3))
                .map(|_| condition(dice))
                .collect();
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

fn plan(dice: &mut StdRng) -> Plan {
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
        let discounts =
            json!([{"min_total": 30, "percent_off": 7.5}, {"min_total": 90, "amount_off": 11.11}]);
        settings.push(json!({"pricing": {"currency": "EUR", "discounts": discounts}}));
    }
    Plan {
        form: json!({"name": "Random", "scene": scene, "fields": fields(dice)}),
        rules: json!({"rules": rules(dice)}),
        settings,
    }
}

fn make(owner: &Caller, plan: &Plan) -> Form {
    let form = owner.form_with(plan.form.clone());
    let path = format!("{}/field_rules", form.path());
    let done = owner.put(path, plan.rules.clone());
    assert_eq!(done.status, 200, "{done}");
    for settings in &plan.settings {
        set(owner, &form, settings.clone());
    }
    form
}

/// What somebody wants to answer, right or wrong; texts are as they are typed.
#[derive(Debug, Default)]
struct Answers {
    one: Option<&'static str>,
    several: Vec<&'static str>,
    number: Option<String>,
    text: Option<&'static str>,
    goods: Vec<(&'static str, i64)>,
    last: Option<&'static str>,
}

fn answers(dice: &mut StdRng) -> Answers {
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
    let texts = ["Ada", " ada ", "x", "a text that is too long by far"];
    let mut of = |likely: f64, all: &[&'static str]| {
        let is_given = dice.random_bool(likely);
        is_given.then(|| all[dice.random_range(0..all.len())])
    };
    Answers {
        one: of(0.8, &["a", "b", "c", "a", "b", "c", "nothing"]),
        several,
        number: of(0.7, &numbers).map(str::to_owned),
        text: of(0.7, &texts),
        goods,
        last: of(0.6, &["g", "h"]),
    }
}

impl Answers {
    fn goods(&self) -> Value {
        let goods = self.goods.iter();
        goods
            .map(|(code, number)| json!({"api_code": code, "number": number}))
            .collect()
    }

    fn json(&self) -> Value {
        let mut values = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            value.map(|value| values.insert(name.to_owned(), value));
        };
        put("field_1", self.one.map(Value::from));
        put("field_2", Some(json!(self.several)));
        put(
            "field_3",
            self.number.as_ref().map(|typed| {
                let number = typed.parse::<f64>();
                number.map_or_else(|_| json!(typed), |number| json!(number))
            }),
        );
        put("field_4", self.text.map(Value::from));
        put("field_5", Some(self.goods()));
        put("field_9", self.last.map(Value::from));
        values.into()
    }

    fn typed(&self) -> Vec<(String, String)> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut put = |name: &str, value: &str| pairs.push((name.to_owned(), value.to_owned()));
        put("field_1", self.one.unwrap_or_default());
        self.several.iter().for_each(|code| put("field_2", code));
        put("field_3", self.number.as_deref().unwrap_or_default());
        put("field_4", self.text.unwrap_or_default());
        for (at, (code, number)) in self.goods.iter().enumerate() {
            put(&format!("field_5[{at}].api_code"), code);
            put(&format!("field_5[{at}].number"), &number.to_string());
        }
        put("field_9", self.last.unwrap_or_default());
        pairs
    }

    fn csv(&self) -> String {
        let goods = match self.goods.is_empty() {
            true => String::new(),
            false => self.goods().to_string(),
        };
        let cells = [
            self.one.unwrap_or_default().to_owned(),
            self.several.join(", "),
            self.number.clone().unwrap_or_default(),
            self.text.unwrap_or_default().to_owned(),
            goods,
            self.last.unwrap_or_default().to_owned(),
        ];
        let cells = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        format!(
            "field_1,field_2,field_3,field_4,field_5,field_9\n{}\n",
            cells.join(",")
        )
    }
}

/// The questions whose answers are refused; none where it was taken.
type Outcome = Vec<String>;

/// The field of an attribute such as `field_values.field_5[0].number`.
fn field_of(attribute: &str, before: &str) -> String {
    let rest = attribute
        .strip_prefix(before)
        .unwrap_or_else(|| panic!("{attribute}"));
    rest.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

fn unique(mut codes: Vec<String>) -> Outcome {
    codes.sort();
    codes.dedup();
    codes
}

fn of_json(answer: &Response, before: &str) -> Outcome {
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

fn of_page(answer: &Response) -> Outcome {
    if answer.status == 303 {
        return Vec::new();
    }
    assert!(matches!(answer.status, 409 | 422), "{answer}");
    let wrong = answer.text.split("class=\"field wrong\" data-field=\"");
    let codes: Vec<String> = wrong.skip(1).map(|rest| field_of(rest, "")).collect();
    assert!(!codes.is_empty(), "{answer}");
    unique(codes)
}

/// All entries from the first on, without what differs from form to form.
fn entries(owner: &Caller, form: &Form) -> Vec<Value> {
    let path = format!(
        "{}?page_size=100&sort=serial_number&order=asc",
        form.entries()
    );
    let mut all: Vec<Value> = serde_json::from_value(owner.get(path).data()).expect("a list");
    all.sort_by_key(|entry| entry["serial_number"].as_i64());
    for entry in &mut all {
        let keys = entry.as_object_mut().expect("an entry");
        keys.retain(|key, _| {
            key.starts_with("field_")
                || ["exam_score", "total_price", "preferential_price"].contains(&key.as_str())
        });
    }
    all
}

#[test]
fn all_ways_agree_on_random_submissions() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let submissions = rounds("TEST_SUBMISSIONS", 500_usize);
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..submissions.div_ceil(TO_EACH) as u64 {
        let mut dice = StdRng::seed_from_u64(seed);
        let plan = plan(&mut dice);
        let [api, page, imported] = [(); 3].map(|()| make(&owner, &plan));
        for _ in 0..TO_EACH {
            let mut answers = answers(&mut dice);
            if answers.csv().ends_with("\"\",\"\",\"\",\"\",\"\",\"\"\n") {
                // A row of blanks is no entry of an import.
                answers.last = Some("g");
            }
            let sent = anon.post(api.submissions(), json!({"field_values": answers.json()}));
            let by_api = of_json(&sent, "field_values.");
            let typed = answers.typed();
            let typed: Vec<(&str, &str)> = typed.iter().map(|(a, b)| (&**a, &**b)).collect();
            let by_page = of_page(&anon.post_form(page.page(), &typed));
            assert_eq!(by_api, by_page, "seed {seed}: {answers:?}: {sent}");
            // Quotas of choices do not refuse what an owner imports.
            if sent.status != 409 {
                let path = format!("{}/import", imported.entries());
                let csv = answers.csv();
                let done = owner.send("POST", &path, Some("text/csv"), csv.as_bytes());
                let by_import = of_json(&done, "rows[0].");
                assert_eq!(by_api, by_import, "seed {seed}: {csv}: {done}");
            }
            *(if by_api.is_empty() {
                &mut taken
            } else {
                &mut refused
            }) += 1;
        }
        let stored = entries(&owner, &api);
        assert_eq!(stored, entries(&owner, &page), "seed {seed}");
        assert_eq!(stored, entries(&owner, &imported), "seed {seed}");
    }
    assert!(
        taken * 4 > submissions && refused * 20 > submissions,
        "{taken} {refused}"
    );
}
