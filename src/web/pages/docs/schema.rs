//! A schema as a table: key, type, meaning.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::web::pages::docs::{inline, resolve, text};

const MAX_DEPTH: usize = 8;

struct KeyRow<'a> {
    path: String,
    schema: &'a Json,
    is_required: bool,
}

/// The table of an object's members, including nested ones.
pub fn table(document: &Json, schema: &Json) -> Markup {
    let mut rows = Vec::new();
    collect(document, schema, "", 0, &mut rows);
    html! {
        @if rows.is_empty() {
            p { (kind(document, schema)) }
        } @else {
            div.table-wrap tabindex="0" {
                table.table.keys {
                    thead { tr { th { "Key" } th { "Type" } th { "Meaning" } } }
                    tbody {
                        @for row in &rows {
                            tr {
                                td {
                                    code { (row.path) }
                                    @if row.is_required { " " span.needed { "required" } }
                                }
                                td { (kind(document, row.schema)) }
                                td { (inline(text(&row.schema["description"]))) (bounds(row.schema)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn collect<'a>(document: &'a Json, schema: &'a Json, path: &str, depth: usize, out: &mut Vec<KeyRow<'a>>) {
    if depth > MAX_DEPTH {
        return;
    }
    // A named schema has a table of its own, except the outermost.
    let (schema, name) = resolve(document, schema);
    if depth > 0 && name.is_some() {
        return;
    }
    for part in ["allOf", "anyOf", "oneOf"] {
        for alternative in schema[part].as_array().into_iter().flatten() {
            if depth == 0 || alternative.get("$ref").is_none() {
                collect(document, alternative, path, depth, out);
            }
        }
    }
    let required = schema["required"].as_array();
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if out.iter().any(|row| row.path == path) {
            continue;
        }
        let is_required = required.is_some_and(|names| names.iter().any(|name| name == key));
        out.push(KeyRow { path: path.clone(), schema: member, is_required });
        collect(document, member, &path, depth + 1, out);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(key).filter(|inner| inner.is_object()) {
            let mark = if key == "items" { "[]" } else { ".{name}" };
            collect(document, inner, &format!("{path}{mark}"), depth + 1, out);
        }
    }
    for (pattern, inner) in schema["patternProperties"].as_object().into_iter().flatten() {
        if pattern.contains("field_") {
            let path = if path.is_empty() { "field_N".to_owned() } else { format!("{path}.field_N") };
            out.push(KeyRow { path, schema: inner, is_required: false });
        }
    }
}

/// The type in a few words.
pub fn kind(document: &Json, schema: &Json) -> Markup {
    if let Some(name) = resolve(document, schema).1 {
        return html! { (link(name)) };
    }
    let alternatives = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema[*key].as_array());
    if let Some(all) = alternatives {
        return html! {
            @for (i, one) in all.iter().take(4).enumerate() {
                @if i > 0 { " or " }
                (kind(document, one))
            }
            @if all.len() > 4 { " …" }
        };
    }
    if let Some(word) = schema.get("const") {
        return html! { code { (word.to_string()) } };
    }
    if let Some(words) = schema["enum"].as_array() {
        return html! {
            @for (i, word) in words.iter().enumerate() {
                @if i > 0 { ", " }
                code { (word.as_str().map_or_else(|| word.to_string(), str::to_owned)) }
            }
        };
    }
    let names: Vec<&str> = match &schema["type"] {
        Json::String(name) => vec![name],
        Json::Array(names) => names.iter().filter_map(Json::as_str).collect(),
        _ => vec!["any"],
    };
    html! {
        @for (i, name) in names.iter().enumerate() {
            @if i > 0 { " or " }
            @if *name == "array" && schema["items"].is_object() {
                "list of " (kind(document, &schema["items"]))
            } @else if *name == "string" && schema["format"].is_string() {
                (text(&schema["format"]))
            } @else {
                (name)
            }
        }
    }
}

/// A named schema; those of field types link to their page.
fn link(name: &str) -> Markup {
    let ends = ["Definition", "Field", "Input", "Value", "Values"];
    let is_kind = ends.iter().any(|end| name.ends_with(end)) && name != "FieldRules";
    html! {
        @if is_kind { a href="kinds" { (name) } } @else { (name) }
    }
}

fn bounds(schema: &Json) -> Markup {
    let number = |key: &str| schema.get(key).map(Json::to_string);
    let range = |low: &str, high: &str, unit: &str| match (number(low), number(high)) {
        (Some(low), Some(high)) if low == high => Some(format!("{low}{unit}")),
        (Some(low), Some(high)) => Some(format!("{low} to {high}{unit}")),
        (Some(low), None) => Some(format!("{low} or more{unit}")),
        (None, Some(high)) => Some(format!("at most {high}{unit}")),
        (None, None) => None,
    };
    let mut all: Vec<String> = [
        range("minimum", "maximum", ""),
        range("minLength", "maxLength", " characters"),
        range("minItems", "maxItems", " items"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(default) = schema.get("default") {
        all.push(format!("default {default}"));
    }
    html! {
        @if !all.is_empty() && schema.get("enum").is_none() { " " span.muted.small { (all.join("; ")) } }
        @if schema["pattern"].is_string() { " " span.muted.small { "matches " code { (text(&schema["pattern"])) } } }
    }
}
