//! Value schemas without the names of one definition.

use serde_json::json;

use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::fields::kind::Kind;
use crate::fields::schemas::join::{UPPER, join_all};

/// A value's schema without the codes of one definition, which differ in each. A cell of a nested field refers to the
/// component named `cell`.
pub fn opened(kind: &dyn Kind, schema: Json, cell: &str) -> Json {
    let items = kind.items();
    let names = items.iter().flat_map(|item| item.code.split('.')).collect();
    let own = Own { names, cell: reference(cell) };
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
            // For example a limit that depends on the number of choices: another definition has more.
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
        map.into_iter().map(|(key, value)| (key, self.open(value))).collect()
    }
}

fn is_field(name: &str) -> bool {
    name.strip_prefix("field_").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

pub fn remove(schema: &mut Json, key: &str) {
    if let Json::Object(map) = schema {
        map.shift_remove(key);
    }
}
