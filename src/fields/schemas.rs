//! The kinds as JSON Schema (2020-12), for the API description: for each the definition, the field in the read shape,
//! and its values in both shapes. Everything is derived from the kinds: from how they read a definition, and from their
//! value schemas.

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::schema_builder::{or_null, reference, unbounded};
use crate::fields::cond::Op;
use crate::fields::field_reader::{Edited, one_of, type_name};
use crate::fields::kind::tally::{Members, Room};
use crate::fields::kind::{BuildCx, Cx, Kind, Row, Sample};
use crate::fields::kinds::KINDS;
use crate::fields::report;

/// Lower bounds that depend on the definition: of several definitions the widest applies.
const LOWER: [&str; 4] = ["minimum", "minItems", "minLength", "minProperties"];
const UPPER: [&str; 4] = ["maximum", "maxItems", "maxLength", "maxProperties"];

/// One complete example of a kind.
pub struct Example {
    /// The definition in a request.
    pub definition: Json,
    /// The value in a request; `None` for kinds without values.
    pub write: Option<Json>,
    /// The value in the read shape.
    pub read: Option<Json>,
}

/// All schemas of kinds, by their names among the document's components.
pub fn components() -> Map<String, Json> {
    let mut out = Map::new();
    let (mut inputs, mut values) = (Vec::new(), Vec::new());
    for row in KINDS {
        let name = type_name(row.name);
        let built: Vec<Box<dyn Kind>> = row
            .samples
            .iter()
            .map(|sample| build(row, sample))
            .collect();
        let has_value = built.iter().any(|kind| kind.has_value());
        let mut definition = definition_schema(row);
        if !has_value {
            for ignored in ["required", "placeholder", "default_value"] {
                remove(&mut definition["properties"], ignored);
            }
        }
        if !row.facets.unique {
            remove(&mut definition["properties"], "unique");
        }
        let mut shown = field(&definition);
        if let Some(Json::Array(required)) = shown.get_mut("required") {
            required.retain(|key| key.as_str().is_some_and(|key| is_for_all(&built, key)));
        }
        out.insert(format!("{name}Field"), shown);
        definition["examples"] = examples(row)
            .into_iter()
            .map(|example| example.definition)
            .collect();
        if let Some(conditions) = conditions(row, &built) {
            definition["x-conditions"] = conditions;
        }
        out.insert(format!("{name}Definition"), definition);
        if !has_value {
            continue;
        }
        let written = built.iter().filter(|kind| kind.is_written());
        if let Some(mut input) =
            join_all(written.map(|kind| opened(kind.as_ref(), kind.write_schema(), "FieldInput")))
        {
            let shown = examples(row)
                .into_iter()
                .filter_map(|example| example.write);
            input["examples"] = shown.collect();
            inputs.push(reference(&format!("{name}Input")));
            out.insert(format!("{name}Input"), input);
        }
        let read = built
            .iter()
            .map(|kind| opened(kind.as_ref(), kind.read_schema(), "FieldValue"));
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
            (
                "answered",
                report::described(report::count(), "The number of entries with a value."),
            ),
        ]);
        properties.extend(own);
        report::object(properties)
    });
    json!({"oneOf": families.collect::<Vec<_>>()})
}

/// JSON Schema of a field of this type in a request.
fn definition_schema(row: &'static Row) -> Json {
    Reader::describe(|reader| {
        let mut edited = Edited {
            old: &|_| None,
            kinds: &[row],
            table: KINDS,
            unknown: "",
            next_field: 1,
        };
        edited.read(reader);
    })
}

/// The filter operators of a kind, and the schema of their values.
fn conditions(row: &Row, built: &[Box<dyn Kind>]) -> Option<Json> {
    let of_some = |op: &Op| built.iter().any(|kind| kind.operators().contains(op));
    let operators: Vec<&str> = Op::ALL
        .iter()
        .filter(|op| of_some(op))
        .map(|op| op.name())
        .collect();
    let value = built
        .iter()
        .find_map(|kind| values_of(row, kind.as_ref()))?;
    Some(json!({"operators": operators, "value": value}))
}

/// How people write values of conditions on a kind; `None` if it has no conditions.
fn values_of(row: &Row, kind: &dyn Kind) -> Option<&'static str> {
    let by_operators = || match kind.operators() {
        operators if operators == Op::TEXT => {
            Some("A text; ignores case and character width, without wildcards.")
        }
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

pub fn examples(row: &'static Row) -> Vec<Example> {
    let cx = Cx::of_none();
    let examples = row.samples.iter().map(|sample| {
        let kind = build(row, sample);
        let mut definition = json!({"type": row.name, "label": label(row)});
        if let (Json::Object(definition), Json::Object(own)) =
            (&mut definition, parsed(sample.definition))
        {
            definition.extend(own);
        }
        Example {
            definition,
            write: (kind.has_value() && kind.is_written())
                .then(|| known(parsed(sample.write), &kind.write_schema())),
            read: Some(parsed(sample.stored))
                .filter(|stored| kind.has_value() && !stored.is_null())
                .map(|stored| kind.read(&stored, &cx)),
        }
    });
    examples.collect()
}

fn label(row: &Row) -> String {
    let words = row.name.replace('_', " ");
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn parsed(text: &str) -> Json {
    // Samples are constants that a test parses.
    serde_json::from_str(text).unwrap_or_default()
}

/// The kind of a sample.
pub fn build(row: &'static Row, sample: &Sample) -> Box<dyn Kind> {
    let cx = BuildCx {
        kinds: KINDS,
        ..BuildCx::default()
    };
    let mut at = Issues::new();
    (row.build)(&mut Reader::new(parsed(sample.definition), &mut at), &cx)
}

/// The field in the read shape: it and its parts have codes.
fn field(definition: &Json) -> Json {
    let mut field = named(unbounded(definition.clone()));
    if let Some(Json::Array(required)) = field.get_mut("required")
        && !required.contains(&json!("label"))
    {
        // An empty label is shown as well.
        required.push(json!("label"));
    }
    field
}

/// Makes api_code required in every object that can have one.
fn named(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(map) => {
            for value in map.values_mut() {
                *value = named(value.take());
            }
            let has_code = map
                .get("properties")
                .is_some_and(|all| all.get("api_code").is_some());
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
                    *to = json!(
                        to.as_str()
                            .unwrap_or_default()
                            .replace("Definition", "Field")
                    );
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

fn remove(schema: &mut Json, key: &str) {
    if let Json::Object(map) = schema {
        map.shift_remove(key);
    }
}

/// A value's schema without the codes of one definition, which differ in each. A cell of a nested field refers to the
/// component named `cell`.
fn opened(kind: &dyn Kind, schema: Json, cell: &str) -> Json {
    let items = kind.items();
    let names = items.iter().flat_map(|item| item.code.split('.')).collect();
    let own = Own {
        names,
        cell: reference(cell),
    };
    own.open(schema)
}

/// The names in one definition.
struct Own<'a> {
    names: Vec<&'a str>,
    cell: Json,
}

impl Own<'_> {
    fn is(&self, name: &str) -> bool {
        self.names.contains(&name) || is_field(name)
    }

    fn is_word(&self, word: &Json) -> bool {
        word.as_str().is_some_and(|word| self.is(word))
    }

    fn is_words(&self, words: Option<&Json>) -> bool {
        let words = words.and_then(Json::as_array);
        words.is_some_and(|words| words.is_empty() || words.iter().any(|word| self.is_word(word)))
    }

    fn open(&self, schema: Json) -> Json {
        let mut map = match schema {
            Json::Object(map) => map,
            Json::Array(items) => return items.into_iter().map(|item| self.open(item)).collect(),
            other => return other,
        };
        if self.is_words(map.get("enum")) {
            map.shift_remove("enum");
        }
        if map.get("const").is_some_and(|word| self.is_word(word)) {
            map.shift_remove("const");
            map.insert("type".to_owned(), json!("string"));
        }
        if self.is_words(map.get("propertyNames").and_then(|names| names.get("enum"))) {
            map.shift_remove("propertyNames");
            // For example a limit by the number of choices: another definition has more.
            for bound in UPPER {
                if let Some(any) = map.get_mut("additionalProperties") {
                    remove(any, bound);
                }
            }
        }
        let are_own = match map.get("properties") {
            Some(Json::Object(all)) => !all.is_empty() && all.keys().all(|name| self.is(name)),
            _ => false,
        };
        if are_own && let Some(Json::Object(all)) = map.shift_remove("properties") {
            map.shift_remove("required");
            let are_cells = all.keys().all(|name| is_field(name));
            let any = if are_cells {
                Some(self.cell.clone())
            } else {
                join_all(all.into_iter().map(|(_, schema)| self.open(schema)))
            };
            map.insert("additionalProperties".to_owned(), any.unwrap_or_default());
        }
        map.into_iter()
            .map(|(key, value)| (key, self.open(value)))
            .collect()
    }
}

fn is_field(name: &str) -> bool {
    name.strip_prefix("field_")
        .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

/// An example without keys unknown to its definition, which would be ignored.
fn known(example: Json, schema: &Json) -> Json {
    let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    if let Some(Json::Array(all)) = alternatives {
        let fits = |schema: &&Json| match &example {
            Json::Object(_) => schema.get("properties").is_some(),
            Json::Array(_) => schema.get("items").is_some(),
            _ => false,
        };
        return match all.iter().find(fits) {
            Some(schema) => known(example, schema),
            None => example,
        };
    }
    match (example, schema.get("properties"), schema.get("items")) {
        (Json::Object(map), Some(properties), _) => map
            .into_iter()
            .filter_map(|(key, value)| {
                let schema = properties.get(&key)?;
                Some((key, known(value, schema)))
            })
            .collect(),
        (Json::Array(items), _, Some(schema)) => {
            items.into_iter().map(|item| known(item, schema)).collect()
        }
        (example, _, _) => example,
    }
}

fn join_all(schemas: impl Iterator<Item = Json>) -> Option<Json> {
    schemas.reduce(join)
}

/// A schema that is true for values of both.
fn join(a: Json, b: Json) -> Json {
    if a == b {
        return a;
    }
    let (Json::Object(mut a), Json::Object(b)) = (a.clone(), b.clone()) else {
        return either(a, b);
    };
    if a.get("type") != b.get("type") || a.contains_key("$ref") != b.contains_key("$ref") {
        return either(Json::Object(a), Json::Object(b));
    }
    let mut out = Map::new();
    let keys: Vec<String> = a.keys().chain(b.keys()).cloned().collect();
    let mut b = b;
    for key in keys {
        if out.contains_key(&key) {
            continue;
        }
        let joined = match (a.shift_remove(&key), b.shift_remove(&key)) {
            (Some(a), Some(b)) => join_member(&key, a, b),
            // A property that only one has is optional; any other keyword that only one has does not hold for both.
            (Some(only), None) | (None, Some(only)) if key == "properties" => Some(only),
            _ => None,
        };
        if let Some(joined) = joined {
            out.insert(key, joined);
        }
    }
    Json::Object(out)
}

fn join_member(key: &str, a: Json, b: Json) -> Option<Json> {
    if a == b {
        return Some(a);
    }
    if LOWER.contains(&key) {
        return Some(if a.as_f64() <= b.as_f64() { a } else { b });
    }
    if UPPER.contains(&key) {
        return Some(if a.as_f64() >= b.as_f64() { a } else { b });
    }
    match (key, a, b) {
        ("properties", Json::Object(mut a), Json::Object(b)) => {
            for (name, schema) in b {
                let joined = match a.shift_remove(&name) {
                    Some(known) => join(known, schema),
                    None => schema,
                };
                a.insert(name, joined);
            }
            Some(Json::Object(a))
        }
        ("items" | "additionalProperties", a @ Json::Object(_), b @ Json::Object(_)) => {
            Some(join(a, b))
        }
        ("required", Json::Array(a), Json::Array(b)) => {
            Some(a.into_iter().filter(|name| b.contains(name)).collect())
        }
        ("enum", Json::Array(mut a), Json::Array(b)) => {
            a.extend(b);
            a.dedup();
            Some(Json::Array(a))
        }
        ("oneOf" | "anyOf", Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            Some(a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect())
        }
        _ => None,
    }
}

fn either(a: Json, b: Json) -> Json {
    let mut all = match a {
        Json::Object(mut a) if a.len() == 1 && a.contains_key("anyOf") => {
            match a.shift_remove("anyOf") {
                Some(Json::Array(all)) => all,
                _ => Vec::new(),
            }
        }
        a => vec![a],
    };
    if !all.contains(&b) {
        all.push(b);
    }
    json!({"anyOf": all})
}

/// A schema or null: for a field that may be blank.
pub fn nullable(component: &str) -> Json {
    or_null(reference(component))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(f: impl Fn(&'static Row, &Sample, &dyn Kind)) {
        for row in KINDS {
            for sample in row.samples {
                let kind = build(row, sample);
                if kind.has_value() {
                    f(row, sample, kind.as_ref());
                }
            }
        }
    }

    fn validator(schema: &Json) -> jsonschema::Validator {
        jsonschema::draft202012::new(schema).expect("a schema")
    }

    /// Values of every shape that some kind takes, and of some that none does.
    fn odd_values() -> Vec<Json> {
        let mut all = vec![
            json!(true),
            json!(0),
            json!(-1),
            json!(2.5),
            json!(11),
            json!("x"),
            json!([]),
            json!([1]),
            json!([[]]),
            json!([{}]),
            json!({}),
            json!({"x": 1}),
            json!({"value": 1}),
            json!({"value": []}),
        ];
        for row in KINDS {
            all.extend(
                examples(row)
                    .into_iter()
                    .filter_map(|example| example.write),
            );
        }
        all
    }

    #[test]
    fn samples_keep_to_the_schemas_of_their_own_definition() {
        each(|row, sample, kind| {
            if kind.is_written() {
                let write = parsed(sample.write);
                assert!(
                    validator(&kind.write_schema()).is_valid(&write),
                    "{}: {write}",
                    row.name
                );
            }
            let cx = Cx::of_a_test(false);
            let stored = parsed(sample.stored);
            if stored.is_null() {
                return;
            }
            let read = kind.read(&stored, &cx);
            assert!(
                validator(&kind.read_schema()).is_valid(&read),
                "{}: {read}",
                row.name
            );
        });
    }

    #[test]
    fn what_is_taken_keeps_to_the_schema_and_what_is_read_too() {
        let odd = odd_values();
        each(|row, _, kind| {
            if !kind.is_written() {
                return;
            }
            let cx = Cx::of_a_test(false);
            let (write, read) = (
                validator(&kind.write_schema()),
                validator(&kind.read_schema()),
            );
            assert!(!write.is_valid(&json!(true)), "{}: anything goes", row.name);
            for value in &odd {
                let mut at = Issues::new();
                let stored = kind.parse(value.clone(), &cx, &mut at);
                if !at.is_empty() || crate::fields::values::is_blank(&stored) {
                    continue;
                }
                assert!(write.is_valid(value), "{}: {value} is taken", row.name);
                let shown = kind.read(&stored, &cx);
                assert!(read.is_valid(&shown), "{}: {shown} is read", row.name);
            }
        });
    }

    #[test]
    fn names_of_one_definition_are_not_in_the_schema_of_all() {
        let components = components();
        let radio = &components["RadioValue"];
        assert_eq!(radio["properties"]["value"], json!({"type": "string"}));
        assert_eq!(radio["required"], json!(["value"]));
        assert_eq!(components["NumberValue"]["type"], "number");
        assert!(components["NumberValue"].get("minimum").is_none());
    }

    #[test]
    fn what_is_true_of_two_is_joined() {
        let a = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 5}}, "required": ["a", "b"]});
        let b = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 7}, "c": {}}, "required": ["a"]});
        let both = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 7}, "c": {}}, "required": ["a"]});
        assert_eq!(join(a, b), both);
        let mixed = join(json!({"type": "string"}), json!({"type": "number"}));
        assert_eq!(
            mixed,
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]})
        );
        assert_eq!(join(mixed.clone(), json!({"type": "number"})), mixed);
    }
}
