//! Conditions on entries, by hand, for each sentence of spec 2.6 and of contract section 4 about them.

mod choices;
mod elsewhere;
mod plain;
pub mod refusals;
mod times;

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server};

/// A form with entries, of which conditions are asked.
pub struct Asked {
    pub owner: Caller,
    pub form: Form,
}

impl Asked {
    pub fn new(timezone: &str, fields: Value, entries: &[Value]) -> Self {
        let owner = Server::shared().user();
        let form = owner.form_with(json!({"name": "A form", "timezone": timezone, "fields": fields}));
        let asked = Self { owner, form };
        entries.iter().for_each(|values| asked.add(values.clone()));
        asked
    }

    pub fn add(&self, values: Value) {
        let made = self.owner.post(self.form.entries(), json!({ "field_values": values }));
        assert_eq!(made.status, 201, "{made}");
    }

    pub fn ask(&self, body: &Value) -> Response {
        let mut body = body.clone();
        body["page_size"] = json!(100);
        body["sort"] = json!("serial_number");
        self.owner.post(self.form.query(), body)
    }

    pub fn finds_all(&self, body: &Value, expected: &[i64]) {
        let page = self.ask(body);
        assert_eq!(page.status, 200, "{body}: {page}");
        let page = page.json();
        let rows = page["data"].as_array().expect("rows");
        let found: Vec<i64> = rows.iter().filter_map(|row| row["serial_number"].as_i64()).collect();
        assert_eq!(found, expected, "{body}");
        assert_eq!(page["pagination"]["total"], expected.len(), "{body}");
    }

    /// Checks that one condition finds these entries.
    pub fn finds(&self, field: &str, operator: &str, value: Value, expected: &[i64]) {
        let condition = json!({"field": field, "operator": operator, "value": value});
        self.finds_all(&json!({ "filters": [condition] }), expected);
    }

    /// Checks that one condition is refused there.
    pub fn refuses(&self, field: &str, operator: &str, value: Value, at: &str) -> String {
        let condition = json!({"field": field, "operator": operator, "value": value});
        let refused = self.ask(&json!({ "filters": [condition] }));
        assert_eq!(
            (refused.status, refused.attributes()),
            (422, vec![format!("filters[0].{at}")]),
            "{condition}: {refused}"
        );
        refused.faults()[0].clone()
    }
}

/// A choice of this code.
pub fn choice(code: &str, label: &str) -> Value {
    json!({"api_code": code, "label": label})
}

pub fn tea_and_coffee() -> Value {
    json!([choice("tea", "Darjeeling"), choice("coffee", "Mokka"), choice("milk", "Milch")])
}
