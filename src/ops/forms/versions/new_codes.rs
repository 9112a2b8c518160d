//! New codes of fields and their parts, and what names them: formulas and rules.

use std::collections::HashMap;

use serde_json::json;

use crate::base::json::Json;

/// Members of an answer that respondents type: they name nothing.
const TYPED: [&str; 2] = ["other_text", "extended_text"];

/// New codes by the old ones.
#[derive(Default)]
pub struct NewCodes {
    /// Of fields.
    pub fields: HashMap<String, String>,
    /// Of choices and other parts, by the field's old code.
    pub items: HashMap<String, HashMap<String, String>>,
}

impl NewCodes {
    /// A code that names a field, or a column of one.
    fn of_field(&self, code: &str) -> String {
        let (field, rest) = code.split_at(code.find('.').unwrap_or(code.len()));
        self.fields.get(field).map_or_else(|| code.to_owned(), |new| format!("{new}{rest}"))
    }

    /// Renames the fields that a field's formula names.
    pub fn in_formula(&self, body: &mut Json) {
        if let Some(expression) = body["expression"].as_str().map(|expression| renamed(expression, &self.fields)) {
            body["expression"] = json!(expression);
        }
    }

    /// Renames the parts of a field that its default names.
    pub fn in_default(&self, body: &mut Json, field: &str) {
        if let (Some(value), Some(known)) = (body.get_mut("default_value"), self.items.get(field)) {
            rename_values(value, known);
        }
    }

    /// Rules that name what has a new code by it.
    pub fn in_rules(&self, rules: &Json) -> Json {
        let mut rules = rules.clone();
        for rule in rules.as_array_mut().into_iter().flatten() {
            for target in rule["fields"].as_array_mut().into_iter().flatten() {
                if let Some(code) = target.as_str() {
                    *target = json!(self.of_field(code));
                }
            }
            let items = rule.pointer_mut("/condition/items").and_then(Json::as_array_mut);
            for item in items.into_iter().flatten() {
                let Some(code) = item["field"].as_str().map(str::to_owned) else { continue };
                item["field"] = json!(self.of_field(&code));
                if let Some(known) = self.items.get(&code) {
                    rename_values(&mut item["value"], known);
                }
                // A condition without a value has none.
                if item["value"].is_null()
                    && let Some(item) = item.as_object_mut()
                {
                    item.shift_remove("value");
                }
            }
        }
        rules
    }
}

/// A formula with other names for fields; texts in quotes stay.
fn renamed(expression: &str, names: &HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut is_quoted = false;
    let mut is_escaped = false;
    let put = |out: &mut String, word: &mut String| {
        out.push_str(names.get(word.as_str()).unwrap_or(word));
        word.clear();
    };
    for c in expression.chars() {
        if !is_quoted && (c.is_ascii_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        put(&mut out, &mut word);
        out.push(c);
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = is_quoted && c == '\\' && !is_escaped;
    }
    put(&mut out, &mut word);
    out
}

fn rename_values(value: &mut Json, known: &HashMap<String, String>) {
    match value {
        Json::String(code) => {
            if let Some(new) = known.get(code.as_str()) {
                code.clone_from(new);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| rename_values(item, known)),
        Json::Object(members) => {
            for (key, mut value) in std::mem::take(members) {
                if !TYPED.contains(&key.as_str()) {
                    rename_values(&mut value, known);
                }
                members.insert(known.get(&key).unwrap_or(&key).clone(), value);
            }
        }
        _ => {}
    }
}
