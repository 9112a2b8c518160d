//! Type changes that keep data (contract 3.2). No row is rewritten: an old value is converted when it
//! is read and kept converted at its next write.

use serde_json::json;

use crate::base::json::Json;
use crate::fields::Field;

const ALLOWED: &[(&str, &str)] = &[
    ("short_text", "long_text"),
    ("short_text", "name"),
    ("long_text", "short_text"),
    ("long_text", "name"),
    ("name", "short_text"),
    ("name", "long_text"),
    ("radio", "dropdown"),
    ("dropdown", "radio"),
    ("radio", "checkbox"),
    ("dropdown", "checkbox"),
    ("number", "short_text"),
    ("email", "short_text"),
    ("url", "short_text"),
    ("phone", "short_text"),
];

/// Whether a field of type `from` may become one of type `to`.
pub fn is_allowed(from: &str, to: &str) -> bool {
    ALLOWED.contains(&(from, to))
}

/// Whether values keep pointing to items when the type changes so; without items on the new side
/// nothing is lost, since the value was converted to text.
pub fn keeps_items(from: &str, to: &str) -> bool {
    from == to || matches!(to, "radio" | "dropdown" | "checkbox")
}

/// What the stored values of `new` may look like, after it took the place of `old`.
pub fn past_after(old: &Field, new: &Field) -> Vec<String> {
    let mut past = old.past.clone();
    let (was, is) = (old.kind.as_json(), new.kind.as_json());
    let changed = old.row.name != new.row.name
        || was.get("precision") != is.get("precision")
        || takes_less_text(&was["choices"], &is["choices"]);
    if changed && !past.iter().any(|name| name == old.row.name) {
        past.push(old.row.name.to_owned());
    }
    past
}

/// Whether some choice no longer takes the text that could be typed beside it.
fn takes_less_text(was: &Json, is: &Json) -> bool {
    let (was, is) = (was.as_array(), is.as_array());
    ["is_other", "allow_extended_text"].into_iter().any(|key| {
        let took = was.into_iter().flatten().filter(|old| old[key] == true);
        took.flat_map(|old| is.into_iter().flatten().map(move |new| (old, new)))
            .any(|(old, new)| old["api_code"] == new["api_code"] && new[key] != true)
    })
}

/// A value stored under an earlier definition of the field, as today's kind would have stored it.
pub fn to_today(field: &Field, stored: Json) -> Json {
    if field.past.is_empty() {
        return stored;
    }
    match (field.row.name, stored) {
        ("short_text" | "long_text" | "name", Json::Number(number)) => json!(number.to_string()),
        ("short_text" | "long_text" | "name", Json::Object(phone)) => {
            let part = |key: &str| phone.get(key).and_then(Json::as_str).unwrap_or_default();
            json!(format!("+{} {}", part("country_code"), part("number")))
        }
        ("checkbox", choice @ Json::Object(_)) => json!([choice]),
        (_, stored) => stored,
    }
}
