//! Null in requests: readers treat it as absent, so every optional member may be null. Readers' schemas also describe
//! answers, in which null has a meaning, so it is added here, only to the schemas of requests. A text or a list that
//! can't be empty can't be null.

use std::collections::BTreeSet;

use serde_json::json;

use crate::base::json::Json;
use crate::base::json::schema_builder::or_null;

const PREFIX: &str = "#/components/schemas/";

/// Adds null to the optional members of all schemas that no answer uses.
pub fn allow(document: &mut Json) {
    let (mut sent, mut shown) = (BTreeSet::new(), BTreeSet::new());
    let paths = document["paths"].as_object();
    let items = paths.into_iter().flat_map(|paths| paths.values());
    let operations = items.filter_map(Json::as_object).flat_map(|item| item.values());
    for operation in operations {
        collect(document, &operation["requestBody"], &mut sent);
        collect(document, &operation["responses"], &mut shown);
    }
    for name in sent.difference(&shown) {
        if let Some(schema) = document["components"]["schemas"].get_mut(name) {
            optional_or_null(schema);
        }
    }
}

/// Collects the names of all components that a part of the document refers to.
fn collect(document: &Json, part: &Json, names: &mut BTreeSet<String>) {
    match part {
        Json::Object(map) => {
            if let Some(Json::String(to)) = map.get("$ref") {
                let Some(name) = to.strip_prefix(PREFIX) else {
                    let pointed = document.pointer(to.trim_start_matches('#'));
                    return collect(document, pointed.unwrap_or(&Json::Null), names);
                };
                if names.insert(name.to_owned()) {
                    collect(document, &document["components"]["schemas"][name], names);
                }
            }
            for value in map.values() {
                collect(document, value, names);
            }
        }
        Json::Array(items) => {
            for item in items {
                collect(document, item, names);
            }
        }
        _ => {}
    }
}

fn optional_or_null(schema: &mut Json) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        for (key, member) in properties {
            optional_or_null(member);
            if !required.contains(&json!(key)) && may_be_null(member) {
                *member = or_null(member.take());
            }
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner @ Json::Object(_)) = schema.get_mut(key) {
            optional_or_null(inner);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        let list = schema.get_mut(key).and_then(Json::as_array_mut);
        list.into_iter().flatten().for_each(optional_or_null);
    }
}

fn may_be_null(member: &Json) -> bool {
    let is_empty_refused = |key| member.get(key).and_then(Json::as_u64) > Some(0);
    let is_read_only = member.get("readOnly") == Some(&Json::Bool(true));
    // A schema without types allows anything already.
    let says_types = ["type", "enum", "$ref", "anyOf", "oneOf", "allOf"];
    let says_types = says_types.iter().any(|key| member.get(key).is_some());
    says_types && !is_read_only && !is_empty_refused("minLength") && !is_empty_refused("minItems")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_added_where_requests_alone_leave_members_out() {
        let body = |name: &str| {
            let schema = json!({"$ref": format!("{PREFIX}{name}")});
            json!({"content": {"application/json": {"schema": schema}}})
        };
        let object = json!({
            "type": "object",
            "properties": {
                "must": {"type": "string"},
                "may": {"type": "string", "enum": ["a"]},
                "text": {"type": "string", "minLength": 1},
                "list": {"type": "array", "items": {"$ref": format!("{PREFIX}Inner")}},
                "shown": {"type": "string", "readOnly": true},
            },
            "required": ["must"],
        });
        let inner = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let mut document = json!({
            "paths": {"/a": {"post": {
                "requestBody": body("Sent"),
                "responses": {"200": {"$ref": "#/components/responses/Ok"}},
            }}},
            "components": {
                "responses": {"Ok": body("Shown")},
                "schemas": {"Sent": object, "Shown": object, "Inner": inner},
            },
        });
        // A schema that answers use too stays unchanged, and so do its parts.
        allow(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["Shown"], object);
        assert_eq!(schemas["Inner"], inner);
        let sent = &schemas["Sent"]["properties"];
        assert_eq!(sent["must"], json!({"type": "string"}));
        assert_eq!(sent["may"], json!({"type": ["string", "null"], "enum": ["a", null]}));
        assert_eq!(sent["list"]["type"], json!(["array", "null"]));
        for key in ["text", "shown"] {
            assert_eq!(sent[key], object["properties"][key]);
        }
    }
}
