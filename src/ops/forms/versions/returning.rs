//! Conversion of an old version that is restored. Codes are never used again: a field that was removed since returns
//! with a new code, and so does a choice; rules and formulas follow.

use std::collections::HashSet;

use serde_json::json;

use crate::base::id;
use crate::base::json::Json;
use crate::fields::definition::{Definition, convert};
use crate::fields::{Field, Fields};
use crate::ops::forms::versions::new_codes::NewCodes;

/// Length of the code of a choice.
const CODE: usize = 6;

/// A version as the form would take it.
pub struct Returning {
    /// Definitions in the API's shape, each with its code: its own, or a new one.
    pub fields: Vec<Json>,
    pub field_rules: Json,
    /// The new codes of fields.
    pub new_codes: HashSet<String>,
    /// The N of the next `field_N` after them.
    pub next_field: u32,
    /// Labels of fields that return as new ones, with their new codes.
    pub renewed: Vec<(String, String)>,
}

/// The fields and rules to restore in a form that has these fields now. New fields get numbers from `next_field` on.
pub fn returning(old: &Definition, rules: &Json, now: &Fields, next_field: u32) -> Returning {
    let mut next = next_field;
    let mut codes = NewCodes::default();
    let mut out = Vec::new();
    let mut renewed = Vec::new();
    for field in old.fields.iter() {
        let stays = now
            .get(&field.api_code)
            .filter(|known| known.row.name == field.row.name || convert::is_allowed(known.row, field.row));
        let mut body = field.to_json();
        if stays.is_none() {
            let code = format!("field_{next}");
            next += 1;
            renewed.push((field.label.clone(), code.clone()));
            body["api_code"] = json!(code);
            codes.fields.insert(field.api_code.clone(), code);
        }
        renew_parts(&mut body, stays, &field.api_code, &mut codes);
        out.push(body);
    }
    for body in &mut out {
        codes.in_formula(body);
    }
    Returning {
        fields: out,
        field_rules: codes.in_rules(rules),
        new_codes: codes.fields.values().cloned().collect(),
        next_field: next,
        renewed,
    }
}

/// Gives new codes to the parts of a field that must not have theirs again, and takes out those of columns that nothing
/// knows.
fn renew_parts(body: &mut Json, now: Option<&Field>, code: &str, codes: &mut NewCodes) {
    if let Some(now) = now.filter(|now| !now.retired.is_empty()) {
        renew_items(body, "", &now.retired, code, codes, true);
    }
    let columns = now.map_or(&[][..], |now| now.kind.sub_fields());
    let is_grid =
        body["dimensions"].as_array().is_some_and(|list| list.iter().all(|column| column["type"].is_string()));
    for column in body["dimensions"].as_array_mut().into_iter().flatten().filter(|_| is_grid) {
        let known = columns.iter().find(|known| column["api_code"] == known.api_code.as_str());
        match known {
            Some(known) if !known.retired.is_empty() => {
                let whole = format!("{code}.{}", known.api_code);
                renew_items(column, "", &known.retired, &whole, codes, true);
            }
            Some(_) => {}
            None => {
                if let Some(column) = column.as_object_mut() {
                    column.shift_remove("api_code");
                }
            }
        }
    }
}

/// The same for what has a code below `outer`; `is_field` at the definition itself, whose code is that of the field.
fn renew_items(body: &mut Json, outer: &str, retired: &[String], field: &str, codes: &mut NewCodes, is_field: bool) {
    match body {
        Json::Array(items) => {
            items.iter_mut().for_each(|item| renew_items(item, outer, retired, field, codes, false));
        }
        Json::Object(members) => {
            let mut inner = outer.to_owned();
            for key in ["api_code", "code"] {
                let Some(code) = members.get(key).and_then(Json::as_str).filter(|_| !is_field) else { continue };
                let path = if outer.is_empty() { code.to_owned() } else { format!("{outer}.{code}") };
                if retired.contains(&path) {
                    let fresh = id::random(CODE);
                    codes.items.entry(field.to_owned()).or_default().insert(code.to_owned(), fresh.clone());
                    members.insert(key.to_owned(), json!(fresh));
                }
                inner = path;
            }
            let columns_apart = |key: &str| is_field && key == "dimensions";
            for (_, value) in members.iter_mut().filter(|(key, value)| !columns_apart(key) || !holds_columns(value)) {
                renew_items(value, &inner, retired, field, codes, false);
            }
        }
        _ => {}
    }
}

/// Whether a member holds the columns of a table: fields of their own.
fn holds_columns(value: &Json) -> bool {
    value.as_array().is_some_and(|list| list.iter().any(|column| column["type"].is_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(fields: Json) -> Definition {
        Definition::from_stored(json!({ "fields": fields })).expect("a definition")
    }

    #[test]
    fn what_was_removed_returns_with_new_codes_which_rules_and_formulas_follow() {
        let choice = |code: &str| json!({"api_code": code, "label": code});
        let old = definition(json!([
            {"api_code": "field_1", "type": "number", "label": "Gone"},
            {"api_code": "field_2", "type": "radio", "label": "Track", "choices": [choice("aa"), choice("bb")]},
            {"api_code": "field_3", "type": "formula", "label": "Sum", "result_type": "number",
             "expression": "field_1 + LEN(\"field_1\") + field_11"},
        ]));
        let now = definition(json!([
            {"api_code": "field_2", "type": "radio", "label": "Track", "choices": [choice("aa")], "retired": ["bb"]},
            {"api_code": "field_3", "type": "formula", "label": "Sum", "expression": "1", "result_type": "number"},
        ]));
        let rules = json!([{
            "condition": {"operand": "and", "items": [
                {"field": "field_2", "operator": "eq", "value": "bb"}, {"field": "field_1", "operator": "null"},
            ]},
            "action": "show",
            "fields": ["field_1", "field_3"],
        }]);
        let back = returning(&old, &rules, &now.fields, 7);
        assert_eq!(back.renewed, [("Gone".to_owned(), "field_7".to_owned())]);
        assert_eq!(back.next_field, 8);
        assert_eq!(back.new_codes, HashSet::from(["field_7".to_owned()]));
        assert_eq!(back.fields[0]["api_code"], "field_7");
        assert_eq!(back.fields[1]["choices"][0]["api_code"], "aa");
        let fresh = back.fields[1]["choices"][1]["api_code"].as_str().expect("a code").to_owned();
        assert_ne!(fresh, "bb");
        assert_eq!(back.fields[2]["expression"], "field_7 + LEN(\"field_1\") + field_11");
        let items = &back.field_rules[0]["condition"]["items"];
        assert_eq!(items[0], json!({"field": "field_2", "operator": "eq", "value": fresh}));
        assert_eq!(items[1], json!({"field": "field_7", "operator": "null"}));
        assert_eq!(back.field_rules[0]["fields"], json!(["field_7", "field_3"]));
    }

    #[test]
    fn a_field_that_became_something_else_for_good_returns_as_a_new_one() {
        let of = |kind: &str| {
            let choices = json!([{"api_code": "aa", "label": "a"}]);
            definition(json!([{"api_code": "field_1", "type": kind, "label": "A", "choices": choices}]))
        };
        let back = returning(&of("radio"), &json!([]), &of("checkbox").fields, 2);
        assert_eq!(back.fields[0]["api_code"], "field_2");
        let back = returning(&of("checkbox"), &json!([]), &of("radio").fields, 2);
        assert_eq!(back.fields[0]["api_code"], "field_1");
    }
}
