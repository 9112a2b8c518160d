//! Members of a value that its JSON Schema does not know. Understands only the keywords that schemas of this service
//! use.

use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::Phrase;

pub const UNKNOWN: Reason = Reason::Other(Phrase::plain("is not a known key"));

/// Unknown members of a request.
#[derive(Debug, Default)]
pub struct Ignored {
    /// Whether the client wants such a request refused.
    pub is_strict: bool,
    /// Reported beside the data.
    pub warnings: Vec<Issue>,
    /// Reported with all other faults; the request is refused.
    pub faults: Issues,
}

impl Ignored {
    pub fn of(is_strict: bool) -> Self {
        Self { is_strict, ..Self::default() }
    }

    /// Adds the found members.
    pub fn add(&mut self, found: Issues) {
        if self.is_strict {
            self.faults.append(found);
        } else {
            self.warnings.extend(found.into_list());
        }
    }
}

/// Reports the members of `value` that none of the schemas has; `at` is at the value. References are to parts of
/// `document`.
pub fn report(value: &Json, schemas: &[&Json], document: &Json, at: &mut Issues) {
    Walk { document }.value(value, schemas, at);
}

struct Walk<'d> {
    document: &'d Json,
}

impl<'d> Walk<'d> {
    fn value(&self, value: &Json, schemas: &[&'d Json], at: &mut Issues) {
        let mut all = Vec::new();
        for schema in schemas {
            self.resolve(schema, value, &mut all);
        }
        // If one schema allows any key, none is unknown.
        if all.iter().any(|schema| is_open(schema)) {
            return;
        }
        match value {
            Json::Object(members) => {
                let mut all = all;
                all.retain(|schema| has_members(schema));
                if all.is_empty() {
                    return;
                }
                for (key, inner) in members {
                    let known: Vec<&Json> = all.iter().filter_map(|it| member(it, key)).collect();
                    if known.is_empty() {
                        at.push_at(key, UNKNOWN);
                    } else {
                        at.key(key, |at| self.value(inner, &known, at));
                    }
                }
            }
            Json::Array(items) => {
                let known: Vec<&Json> = all.iter().filter_map(|it| it.get("items")).collect();
                if known.is_empty() {
                    return;
                }
                for (i, item) in items.iter().enumerate() {
                    at.index(i, |at| self.value(item, &known, at));
                }
            }
            _ => {}
        }
    }

    /// Collects the parts of a schema that apply to this value, with references resolved.
    fn resolve(&self, schema: &'d Json, value: &Json, out: &mut Vec<&'d Json>) {
        if let Some(path) = schema["$ref"].as_str() {
            if let Some(schema) = self.document.pointer(path.trim_start_matches('#')) {
                self.resolve(schema, value, out);
            }
            return;
        }
        let discriminator = &schema["discriminator"];
        let named = discriminator["propertyName"]
            .as_str()
            .and_then(|key| value[key].as_str())
            .and_then(|name| discriminator["mapping"][name].as_str())
            .and_then(|path| self.document.pointer(path.trim_start_matches('#')));
        if let Some(named) = named {
            self.resolve(named, value, out);
            return;
        }
        for parts in ["allOf", "anyOf", "oneOf"] {
            for part in schema[parts].as_array().into_iter().flatten() {
                self.resolve(part, value, out);
            }
        }
        let is_made_of_parts = ["allOf", "anyOf", "oneOf"].iter().any(|parts| schema.get(*parts).is_some());
        if has_members(schema) || schema.get("items").is_some() || !is_made_of_parts {
            out.push(schema);
        }
    }
}

fn has_members(schema: &Json) -> bool {
    schema.get("properties").is_some() || schema.get("additionalProperties").is_some()
}

/// Whether a schema allows an object or array of any content.
fn is_open(schema: &Json) -> bool {
    let is_about = |kind: &str| match schema.get("type") {
        None => schema.get("const").is_none() && schema.get("enum").is_none(),
        Some(Json::Array(kinds)) => kinds.iter().any(|it| it == kind),
        Some(one) => one == kind,
    };
    let is_open_object = is_about("object") && !has_members(schema);
    let is_open_list = is_about("array") && schema.get("items").is_none();
    if schema.get("type").is_none() { is_open_object && is_open_list } else { is_open_object || is_open_list }
}

/// The schema of a member; `None` if the member is unknown.
fn member<'d>(schema: &'d Json, key: &str) -> Option<&'d Json> {
    let own = schema.get("properties").and_then(|all| all.get(key));
    let other = || {
        let other = schema.get("additionalProperties");
        other.filter(|other| **other != json!(false))
    };
    own.or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &Json) -> Vec<String> {
        let document = json!({"components": {"schemas": {
            "Body": {"type": "object", "properties": {
                "name": {"type": "string"},
                "any": {},
                "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
                "by_name": {"type": "object", "additionalProperties": {
                    "type": "object", "properties": {"score": {"type": "number"}},
                }},
            }},
            "Part": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
                "discriminator": {"propertyName": "type", "mapping": {
                    "a": "#/components/schemas/A", "b": "#/components/schemas/B",
                }}},
            "A": {"type": "object", "properties": {"type": {"const": "a"}, "label": {"type": "string"}}},
            "B": {"type": "object", "properties": {"type": {"const": "b"}, "unit": {
                "anyOf": [{"type": "object", "properties": {"id": {"type": "string"}}}, {"type": "null"}],
            }}},
        }}});
        let mut at = Issues::new();
        let schema = &document["components"]["schemas"]["Body"];
        Walk { document: &document }.value(body, &[schema], &mut at);
        let list = at.into_list().into_iter();
        list.map(|issue| format!("{}: {}", issue.attribute, issue.message())).collect()
    }

    #[test]
    fn keys_are_looked_for_at_every_level() {
        let body = json!({
            "nmae": "x", "any": {"of": [{"it": 1}]}, "far_from_all": 1,
            "parts": [
                {"type": "a", "lable": "x", "unit": 1},
                {"type": "b", "unit": {"id": "x", "idd": 1}},
                {"tpye": "a", "label": "x", "unit": null},
            ],
            "by_name": {"x": {"score": 1, "scored": 1}},
        });
        assert_eq!(
            found(&body),
            [
                "nmae: is not a known key",
                "far_from_all: is not a known key",
                "parts[0].lable: is not a known key",
                "parts[0].unit: is not a known key",
                "parts[1].unit.idd: is not a known key",
                "parts[2].tpye: is not a known key",
                "by_name.x.scored: is not a known key",
            ]
        );
        for body in [json!({}), json!([1]), json!(null), json!({"parts": 5})] {
            assert_eq!(found(&body), [""; 0]);
        }
    }
}
