//! What a describing [`Reader`](crate::base::reader::Reader) notes down: the JSON Schema of an object, member by
//! member, from the very calls that read one. It judges no value.

use serde_json::{Map, json};

use crate::base::json::Json;

/// How deep objects within objects are described: what contains itself has to end somewhere.
pub const MAX_DEPTH: usize = 8;

/// The members of an object, as far as they were asked for.
#[derive(Default)]
pub struct Sketch {
    properties: Map<String, Json>,
    required: Vec<Json>,
    is_closed: bool,
    other: Option<Json>,
    /// How many objects lie around this one.
    pub depth: usize,
    /// Whether the object is empty: then what is missed in it is required.
    pub is_empty: bool,
}

impl Sketch {
    /// Of an object that has every member, or of an empty one.
    pub fn new(is_empty: bool) -> Self {
        Self {
            is_empty,
            ..Self::default()
        }
    }

    /// One object deeper, in the same pass.
    pub fn inner(&self) -> Self {
        Self {
            depth: self.depth + 1,
            is_empty: self.is_empty,
            ..Self::default()
        }
    }

    /// A member was asked for, or more is known of it.
    pub fn member(&mut self, key: &str, schema: Json) {
        match self.properties.get_mut(key) {
            Some(known) => merge(known, schema),
            None => {
                self.properties.insert(key.to_owned(), schema);
            }
        }
    }

    /// A member may be null, which says something else than leaving it out.
    pub fn nullable(&mut self, key: &str) {
        if let Some(known) = self.properties.get_mut(key) {
            *known = or_null(known.take());
        }
    }

    /// A member was missed.
    pub fn require(&mut self, key: &str) {
        if self.is_empty && !self.required.iter().any(|known| known == key) {
            self.required.push(json!(key));
        }
    }

    /// Other members are refused.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Another schema says what the object is.
    pub fn stand_for(&mut self, other: Json) {
        self.other = Some(other);
    }

    /// The schema of the object.
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

/// What stands among the document's components under this name.
pub fn reference(component: &str) -> Json {
    json!({"$ref": format!("#/components/schemas/{component}")})
}

/// Lays `more` over `schema`: what is new is added, lists of required names are joined, and otherwise the
/// first word counts.
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

/// The schema of the same, or null.
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
        _ if schema["anyOf"]
            .as_array()
            .is_some_and(|any| any.contains(&json!({"type": "null"}))) =>
        {
            schema
        }
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

/// The schema of the same, and not null.
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

/// The schema of what is kept: texts that were read may be longer then, by their markup.
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
