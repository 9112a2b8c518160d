//! The kinds as JSON Schema (2020-12), for the API description: for each the definition, the field in the read shape,
//! and its values in both shapes. Everything is derived from the kinds: from how they read a definition, and from their
//! value schemas.

mod examples;
mod join;
mod open_schema;
#[cfg(test)]
mod tests;

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::json::schema_builder::{or_null, reference, unbounded};
use crate::base::reader::Reader;
use crate::fields::definition::field_reader::{Edited, one_of, type_name};
use crate::fields::filter::cond::Op;
use crate::fields::kind::tally::{Members, Room};
use crate::fields::kind::{Kind, KindRow};
use crate::fields::kinds::KINDS;
use crate::fields::report;
use crate::fields::schemas::join::join_all;
use crate::fields::schemas::open_schema::{opened, remove};

pub use examples::{Example, build, examples};

/// All schemas of kinds, by their names among the document's components.
pub fn components() -> Map<String, Json> {
    let mut out = Map::new();
    let (mut inputs, mut values) = (Vec::new(), Vec::new());
    for row in KINDS {
        let name = type_name(row.name);
        let built: Vec<Box<dyn Kind>> = row.samples.iter().map(|sample| build(row, sample)).collect();
        let has_value = built.iter().any(|kind| kind.has_value());
        let mut definition = definition(row);
        let mut shown = field(&definition);
        if let Some(Json::Array(required)) = shown.get_mut("required") {
            required.retain(|key| key.as_str().is_some_and(|key| is_for_all(&built, key)));
        }
        out.insert(format!("{name}Field"), shown);
        definition["examples"] = examples(row).into_iter().map(|example| example.definition).collect();
        if let Some(conditions) = conditions(row, &built) {
            definition["x-conditions"] = conditions;
        }
        out.insert(format!("{name}Definition"), definition);
        if !has_value {
            continue;
        }
        let written = built.iter().filter(|kind| kind.is_written());
        if let Some(mut input) = join_all(written.map(|kind| opened(kind.as_ref(), kind.write_schema(), "FieldInput")))
        {
            let shown = examples(row).into_iter().filter_map(|example| example.write);
            input["examples"] = shown.collect();
            inputs.push(reference(&format!("{name}Input")));
            out.insert(format!("{name}Input"), input);
        }
        let read = built.iter().map(|kind| opened(kind.as_ref(), kind.read_schema(), "FieldValue"));
        if let Some(mut value) = join_all(read) {
            let shown = examples(row).into_iter().filter_map(|example| example.read);
            value["examples"] = shown.collect();
            values.push(reference(&format!("{name}Value")));
            out.insert(format!("{name}Value"), value);
        }
    }
    out.insert("FieldDefinition".to_owned(), one_of(KINDS, "Definition"));
    out.insert("Field".to_owned(), one_of(KINDS, "Field"));
    let null = json!({"type": "null"});
    inputs.push(null.clone());
    values.push(null);
    out.insert("FieldInput".to_owned(), json!({"anyOf": inputs}));
    out.insert("FieldValue".to_owned(), json!({"anyOf": values}));
    out.insert("ReportField".to_owned(), report_field());
    out.insert(
        "FieldValues".to_owned(),
        json!({
            "type": "object",
            "description": "Values by api_code. What names no field is ignored; null clears.",
            "patternProperties": {"^field_[1-9][0-9]*$": reference("FieldInput")},
        }),
    );
    out
}

/// JSON Schema of a kind's definition, without the keys that mean nothing for it.
pub fn definition(row: &'static KindRow) -> Json {
    let mut definition = definition_schema(row);
    if !row.samples.iter().any(|sample| build(row, sample).has_value()) {
        for ignored in ["required", "placeholder", "default_value"] {
            remove(&mut definition["properties"], ignored);
        }
    }
    if !row.facets.unique {
        remove(&mut definition["properties"], "unique");
    }
    definition
}

/// JSON Schema of a question's report, one variant for each type.
fn report_field() -> Json {
    let mut families: Vec<(Members, Vec<&str>)> = Vec::new();
    for row in KINDS {
        for sample in row.samples {
            let kind = build(row, sample);
            if !kind.has_value() {
                continue;
            }
            let own = kind.tally(Room::FIELD).schema();
            match families.iter_mut().find(|(known, _)| *known == own) {
                Some((_, names)) if names.contains(&row.name) => {}
                Some((_, names)) => names.push(row.name),
                None => families.push((own, vec![row.name])),
            }
        }
    }
    let families = families.into_iter().map(|(own, names)| {
        let mut properties = report::members([
            ("api_code", json!({"type": "string"})),
            ("type", json!({"enum": names})),
            ("label", json!({"type": "string"})),
            ("answered", report::described(report::count(), "The number of entries with a value.")),
        ]);
        properties.extend(own);
        report::object(properties)
    });
    json!({"oneOf": families.collect::<Vec<_>>()})
}

/// JSON Schema of a field of this type in a request.
fn definition_schema(row: &'static KindRow) -> Json {
    Reader::describe(|reader| {
        let mut edited =
            Edited { old: &|_| None, kinds: &[row], table: KINDS, unknown: "", drafted: None, next_field: 1 };
        edited.read(reader);
    })
}

/// The filter operators of a kind, and the schema of their values.
fn conditions(row: &KindRow, built: &[Box<dyn Kind>]) -> Option<Json> {
    let of_some = |op: &Op| built.iter().any(|kind| kind.operators().contains(op));
    let operators: Vec<&str> = Op::ALL.iter().filter(|op| of_some(op)).map(|op| op.name()).collect();
    let value = built.iter().find_map(|kind| values_of(row, kind.as_ref()))?;
    Some(json!({"operators": operators, "value": value}))
}

/// How people write values of conditions on a kind; `None` if it has no conditions.
fn values_of(row: &KindRow, kind: &dyn Kind) -> Option<&'static str> {
    let by_operators = || match kind.operators() {
        operators if operators == Op::TEXT => Some("A text; ignores case and character width, without wildcards."),
        operators if operators == Op::NUMBER => Some("A number."),
        operators if operators == Op::SCORE => Some("A whole number."),
        operators if operators == Op::DATE => Some(
            "A date or date-time in ISO 8601. Without an offset it is in the form's time zone; a day or month means the whole day or month. `like` searches its text.",
        ),
        _ => None,
    };
    row.facets.conditions.or_else(by_operators)
}

/// Whether everyone who sees such a field sees this key: some are hidden from respondents, such as expressions that
/// reveal hidden fields.
fn is_for_all(built: &[Box<dyn Kind>], key: &str) -> bool {
    built.iter().all(|kind| {
        let is_own = kind.as_json().get(key).is_some();
        let is_shown = kind.for_respondent().get(key).is_some();
        (!is_own || is_shown) && !(kind.computed().is_some() && key == "expression")
    })
}

/// The field in the read shape: it and its parts have codes.
fn field(definition: &Json) -> Json {
    let mut field = with_remaining(named(unbounded(definition.clone())));
    if let Some(Json::Array(required)) = field.get_mut("required")
        && !required.contains(&json!("label"))
    {
        // An empty label is shown as well.
        required.push(json!("label"));
    }
    field
}

/// Adds the keys that published forms have on each limited item.
fn with_remaining(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(map) => {
            let properties = map.get_mut("properties").and_then(Json::as_object_mut);
            if let Some(properties) = properties
                && (properties.contains_key("quota") || properties.contains_key("stock"))
            {
                let remaining = json!({"type": "integer", "minimum": 0});
                properties.insert("remaining".to_owned(), remaining);
                let held = json!({"type": "integer", "minimum": 0});
                properties.insert("held".to_owned(), held);
            }
            for value in map.values_mut() {
                *value = with_remaining(value.take());
            }
        }
        Json::Array(items) => {
            for item in items {
                *item = with_remaining(item.take());
            }
        }
        _ => {}
    }
    schema
}

/// Makes api_code required in every object that can have one.
fn named(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(map) => {
            for value in map.values_mut() {
                *value = named(value.take());
            }
            let has_code = map.get("properties").is_some_and(|all| all.get("api_code").is_some());
            if has_code {
                let required = map.entry("required").or_insert_with(|| json!([]));
                if let Json::Array(required) = required
                    && !required.contains(&json!("api_code"))
                {
                    required.insert(0, json!("api_code"));
                }
            }
            if let Some(Json::String(to)) = map.get_mut("$ref") {
                *to = to.replace("Definition", "Field");
            }
            if let Some(Json::Object(mapping)) = map.get_mut("mapping") {
                for to in mapping.values_mut() {
                    *to = json!(to.as_str().unwrap_or_default().replace("Definition", "Field"));
                }
            }
        }
        Json::Array(items) => {
            for item in items {
                *item = named(item.take());
            }
        }
        _ => {}
    }
    schema
}

/// A schema or null: for a field that may be blank.
pub fn nullable(component: &str) -> Json {
    or_null(reference(component))
}
