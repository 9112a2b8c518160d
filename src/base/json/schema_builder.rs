//! Builds the JSON Schema of an object, key by key, from the calls that a describing
//! [`Reader`](crate::base::reader::Reader) gets. It validates nothing.

use serde_json::{Map, json};

use crate::base::json::Json;

/// The depth to which nested objects are described: recursive ones must end.
pub const MAX_DEPTH: usize = 8;

/// The keys of an object that were read.
#[derive(Default)]
pub struct SchemaBuilder {
    properties: Map<String, Json>,
    required: Vec<Json>,
    is_closed: bool,
    other: Option<Json>,
    /// How many objects enclose this one.
    pub depth: usize,
    /// Whether the object seems to be empty: faults about missing keys then say which are required.
    pub is_empty: bool,
}

impl SchemaBuilder {
    /// The builder of an object that seems to have every key, or of an empty one.
    pub fn new(is_empty: bool) -> Self {
        Self { is_empty, ..Self::default() }
    }

    /// A builder for a nested object in the same pass.
    pub fn inner(&self) -> Self {
        Self { depth: self.depth + 1, is_empty: self.is_empty, ..Self::default() }
    }

    /// Adds a key, or adds to its schema.
    pub fn member(&mut self, key: &str, schema: Json) {
        match self.properties.get_mut(key) {
            Some(known) => merge(known, schema),
            None => {
                self.properties.insert(key.to_owned(), schema);
            }
        }
    }

    /// Allows null for a key.
    pub fn nullable(&mut self, key: &str) {
        if let Some(known) = self.properties.get_mut(key) {
            *known = or_null(known.take());
        }
    }

    /// Makes a key required.
    pub fn require(&mut self, key: &str) {
        if self.is_empty && !self.required.iter().any(|known| known == key) {
            self.required.push(json!(key));
        }
    }

    /// Allows no other keys.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Replaces the whole schema.
    pub fn replace_by(&mut self, other: Json) {
        self.other = Some(other);
    }

    pub fn schema(self) -> Json {
        if let Some(other) = self.other {
            return other;
        }
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = Json::Array(self.required);
        }
        if self.is_closed {
            schema["additionalProperties"] = json!(false);
        }
        schema
    }
}

/// A reference to a component of the document.
pub fn reference(component: &str) -> Json {
    json!({"$ref": format!("#/components/schemas/{component}")})
}

/// Merges `more` into `schema`: new keys are added, lists of required names are joined, and other values of `schema`
/// win.
pub fn merge(schema: &mut Json, more: Json) {
    let (Json::Object(schema), Json::Object(more)) = (schema, more) else {
        return;
    };
    for (key, value) in more {
        match schema.get_mut(&key) {
            None => {
                schema.insert(key, value);
            }
            Some(Json::Array(known)) if key == "required" => {
                for name in value.as_array().into_iter().flatten() {
                    if !known.contains(name) {
                        known.push(name.clone());
                    }
                }
            }
            Some(known) => merge(known, value),
        }
    }
}

/// An object that always has all of these members.
pub fn whole(properties: Json) -> Json {
    let keys = properties.as_object().into_iter().flatten();
    let required: Vec<String> = keys.map(|(key, _)| key.clone()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The schema with null allowed.
pub fn or_null(mut schema: Json) -> Json {
    match schema.get("type") {
        Some(Json::String(kind)) => {
            schema["type"] = json!([kind, "null"]);
            if let Some(Json::Array(words)) = schema.get_mut("enum") {
                words.push(Json::Null);
            }
            schema
        }
        Some(Json::Array(kinds)) if kinds.contains(&json!("null")) => schema,
        Some(Json::Array(kinds)) => {
            let kinds = kinds.iter().cloned().chain([json!("null")]);
            schema["type"] = kinds.collect();
            schema
        }
        _ if schema == json!({}) => schema,
        _ if schema["anyOf"].as_array().is_some_and(|any| any.contains(&json!({"type": "null"}))) => schema,
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

/// The schema with null forbidden.
pub fn not_null(mut schema: Json) -> Json {
    if let Some(Json::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            schema["type"] = kind.clone();
        }
    }
    if let Some(Json::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    schema
}

/// The schema without limits on lengths: stored texts may be longer by their markup.
pub fn unbounded(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(map) => {
            map.shift_remove("maxLength");
            map.shift_remove("minLength");
            for value in map.values_mut() {
                *value = unbounded(value.take());
            }
        }
        Json::Array(items) => {
            for item in items {
                *item = unbounded(item.take());
            }
        }
        _ => {}
    }
    schema
}
