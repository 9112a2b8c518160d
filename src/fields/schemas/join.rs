//! One schema that accepts the values of several.

use serde_json::{Map, json};

use crate::base::json::Json;

/// Lower bounds that depend on the definition: of several definitions the widest applies.
const LOWER: [&str; 4] = ["minimum", "minItems", "minLength", "minProperties"];
pub const UPPER: [&str; 4] = ["maximum", "maxItems", "maxLength", "maxProperties"];

pub fn join_all(schemas: impl Iterator<Item = Json>) -> Option<Json> {
    schemas.reduce(join)
}

/// A schema that is true for values of both.
pub fn join(a: Json, b: Json) -> Json {
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
        ("items" | "additionalProperties", a @ Json::Object(_), b @ Json::Object(_)) => Some(join(a, b)),
        ("required", Json::Array(a), Json::Array(b)) => Some(a.into_iter().filter(|name| b.contains(name)).collect()),
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
        Json::Object(mut a) if a.len() == 1 && a.contains_key("anyOf") => match a.shift_remove("anyOf") {
            Some(Json::Array(all)) => all,
            _ => Vec::new(),
        },
        a => vec![a],
    };
    if !all.contains(&b) {
        all.push(b);
    }
    json!({"anyOf": all})
}
