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
        codes.in_default(body, code);
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
                codes.in_default(column, &whole);
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
            let dimensions = members.get("dimensions").map(codes_of_options);
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
            for (key, value) in members.iter_mut() {
                let is_apart = is_field && key == "dimensions" && holds_columns(value);
                // These have no parts of their own: they name those of others.
                let names = key == "default_value" || key == "skus";
                if !is_apart && !names {
                    // The codes of a tree are unique in the whole of it.
                    let within = if key == "children" { outer } else { &inner };
                    renew_items(value, within, retired, field, codes, false);
                }
            }
            let renewed = members.get("dimensions").map(codes_of_options);
            if let (Some(old), Some(new), Some(skus)) = (dimensions, renewed, members.get_mut("skus")) {
                rename_options(skus, &old, &new);
            }
        }
        _ => {}
    }
}

/// The codes of a product's dimensions, each with those of its options.
fn codes_of_options(dimensions: &Json) -> Vec<(String, Vec<String>)> {
    let code = |part: &Json| part["api_code"].as_str().unwrap_or_default().to_owned();
    let options = |dimension: &Json| dimension["options"].as_array().into_iter().flatten().map(code).collect();
    let dimensions = dimensions.as_array().into_iter().flatten();
    dimensions.map(|dimension| (code(dimension), options(dimension))).collect()
}

/// Renames what the variants of a product name: dimensions and options that have new codes in the same places.
fn rename_options(skus: &mut Json, old: &[(String, Vec<String>)], new: &[(String, Vec<String>)]) {
    for sku in skus.as_array_mut().into_iter().flatten() {
        let Some(specification) = sku.get_mut("specification").and_then(Json::as_object_mut) else { continue };
        let named = std::mem::take(specification);
        for (dimension, option) in named {
            let place = old.iter().position(|(code, _)| *code == dimension);
            let (code, option) = match place.and_then(|place| Some((&old[place].1, new.get(place)?))) {
                Some((options, (code, renewed))) => {
                    let place = options.iter().position(|known| option == known.as_str());
                    let renewed = place.and_then(|place| renewed.get(place));
                    (code.clone(), renewed.map_or(option, |renewed| json!(renewed)))
                }
                None => (dimension, option),
            };
            specification.insert(code, option);
        }
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
    fn defaults_trees_and_variants_follow_new_codes() {
        let option = |code: &str| json!({"api_code": code, "name": code});
        let node = |code: &str, children: Json| json!({"api_code": code, "label": code, "children": children});
        let item = |options: Json, skus: Json| {
            json!({"api_code": "shirt", "name": "Shirt", "price": 1, "images": [], "skus": skus,
                "dimensions": [{"api_code": "size", "name": "Size", "options": options}]})
        };
        let choices = json!([{"api_code": "aa", "label": "aa"}, {"api_code": "bb", "label": "bb"}]);
        let leaf = |code: &str| json!({"api_code": code, "label": code});
        let radio = json!({"type": "radio", "label": "R", "choices": choices, "default_value": "aa"});
        let mut column = radio.clone();
        column["api_code"] = json!("field_1");
        let matrix = |columns: Json| {
            let statements = [leaf("aa")];
            json!({"api_code": "field_4", "type": "matrix", "label": "M", "statements": statements,
                "dimensions": columns})
        };
        let with = |mut field: Json, code: &str| {
            field["api_code"] = json!(code);
            field
        };
        let old = definition(json!([
            with(radio, "field_1"),
            {"api_code": "field_2", "type": "cascade", "label": "C", "choices":
                [node("cn", json!([leaf("sh"), leaf("bj")]))], "default_value": {"level_1": "cn", "level_2": "sh"}},
            {"api_code": "field_3", "type": "product", "label": "P", "goods_items":
                [item(json!([option("s"), option("m")]), json!([{"specification": {"size": "m"}, "price": 3}]))]},
            matrix(json!([column])),
        ]));
        let kept = json!([{"api_code": "bb", "label": "bb"}]);
        let now = definition(json!([
            {"api_code": "field_1", "type": "radio", "label": "R", "choices": kept, "retired": ["aa"]},
            {"api_code": "field_2", "type": "cascade", "label": "C", "choices": [node("cn", json!([leaf("bj")]))],
                "retired": ["sh"]},
            {"api_code": "field_3", "type": "product", "label": "P",
                "goods_items": [item(json!([option("s")]), json!([]))], "retired": ["shirt.size.m"]},
            matrix(json!([{"api_code": "field_1", "type": "radio", "label": "R", "choices": kept, "retired": ["aa"]}])),
        ]));
        let rules = json!([{
            "condition": {"operand": "and", "items": [
                {"field": "field_2", "operator": "eq", "value": {"level_1": "cn", "level_2": "sh"}},
            ]},
            "action": "show",
            "fields": ["field_3"],
        }]);
        let back = returning(&old, &rules, &now.fields, 5);
        let [radio, cascade, product, matrix] = &back.fields[..] else { panic!("four fields") };
        let fresh = |part: &Json, old: &str| {
            assert!(part.is_string() && part != old, "{part}");
            part.clone()
        };
        assert_eq!(radio["default_value"], fresh(&radio["choices"][0]["api_code"], "aa"));
        let city = fresh(&cascade["choices"][0]["children"][0]["api_code"], "sh");
        assert_eq!(cascade["choices"][0]["children"][1]["api_code"], "bj");
        assert_eq!(cascade["default_value"], json!({"level_1": "cn", "level_2": city}));
        assert_eq!(back.field_rules[0]["condition"]["items"][0]["value"], json!({"level_1": "cn", "level_2": city}));
        let item = &product["goods_items"][0];
        assert_eq!(
            (&item["api_code"], &item["dimensions"][0]["options"][0]["api_code"]),
            (&json!("shirt"), &json!("s"))
        );
        let size = fresh(&item["dimensions"][0]["options"][1]["api_code"], "m");
        assert_eq!(item["skus"][0]["specification"], json!({"size": size}));
        let column = &matrix["dimensions"][0];
        assert_eq!(column["default_value"], fresh(&column["choices"][0]["api_code"], "aa"));
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
