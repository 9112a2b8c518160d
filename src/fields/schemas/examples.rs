//! Examples of definitions and values, from the samples of the kinds.

use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::kind::{BuildCx, Cx, Kind, KindRow, Sample};
use crate::fields::kinds::KINDS;

/// One complete example of a kind.
pub struct Example {
    /// The definition in a request.
    pub definition: Json,
    /// The value in a request; `None` for kinds without values.
    pub write: Option<Json>,
    /// The value in the read shape.
    pub read: Option<Json>,
}

pub fn examples(row: &'static KindRow) -> Vec<Example> {
    let cx = Cx::of_none();
    let examples = row.samples.iter().map(|sample| {
        let kind = build(row, sample);
        let mut definition = json!({"type": row.name, "label": label(row)});
        if let (Json::Object(definition), Json::Object(own)) = (&mut definition, parsed(sample.definition)) {
            definition.extend(own);
        }
        Example {
            definition,
            write: (kind.has_value() && kind.is_written()).then(|| known(parsed(sample.write), &kind.write_schema())),
            read: Some(parsed(sample.stored))
                .filter(|stored| kind.has_value() && !stored.is_null())
                .map(|stored| kind.read(&stored, &cx)),
        }
    });
    examples.collect()
}

fn label(row: &KindRow) -> String {
    let words = row.name.replace('_', " ");
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

pub fn parsed(text: &str) -> Json {
    // Samples are constants that a test parses.
    serde_json::from_str(text).unwrap_or_default()
}

/// The kind of a sample.
pub fn build(row: &'static KindRow, sample: &Sample) -> Box<dyn Kind> {
    let cx = BuildCx { kinds: KINDS, ..BuildCx::default() };
    let mut at = Issues::new();
    (row.build)(&mut Reader::new(parsed(sample.definition), &mut at), &cx)
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
        (Json::Array(items), _, Some(schema)) => items.into_iter().map(|item| known(item, schema)).collect(),
        (example, _, _) => example,
    }
}
