//! An entry's values as stored: JSON text with each value under its field's number. The names used by the API would add
//! a sixth to the database.

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer as _};
use serde_json::Map;

use crate::base::json::Json;
use crate::fields::number_of;

/// Stored values by api_code; blank ones are omitted.
pub type Values = Map<String, Json>;

/// Whether a stored value is none at all.
pub fn is_blank(stored: &Json) -> bool {
    match stored {
        Json::Null => true,
        Json::String(text) => crate::base::text::is_blank(text),
        Json::Array(items) => items.is_empty(),
        Json::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Serialises values.
pub fn text(values: &Values) -> String {
    let mut out = Vec::with_capacity(128);
    let mut ser = serde_json::Serializer::new(&mut out);
    let numbered = values.iter().filter_map(|(code, value)| Some((number_of(code)?, value)));
    let written = ser.serialize_map(None).and_then(|mut map| {
        for (number, value) in numbered {
            map.serialize_entry(&number, value)?;
        }
        map.end()
    });
    // Keys are numbers, and numbers are finite: nothing else could fail.
    written.ok().and_then(|()| String::from_utf8(out).ok()).unwrap_or_default()
}

/// Parses stored text. Fails only if that is corrupt.
pub fn values(text: &str) -> Result<Values, serde_json::Error> {
    some_of(text, |_| true)
}

/// Parses only the values of these fields, for scans over many entries. Fails only if the text is corrupt.
pub fn pick(text: &str, codes: &[&str]) -> Result<Values, serde_json::Error> {
    some_of(text, |number| codes.iter().any(|code| number_of(code) == Some(number)))
}

fn some_of(text: &str, wanted: impl Fn(u32) -> bool) -> Result<Values, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_str(text);
    let picked = de.deserialize_map(Picker(wanted))?;
    de.end().map(|()| picked)
}

/// Takes some members of an object and skips the others unparsed.
struct Picker<W>(W);

impl<'de, W: Fn(u32) -> bool> Visitor<'de> for Picker<W> {
    type Value = Values;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stored values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
        let mut out = Values::new();
        while let Some(number) = map.next_key::<u32>()? {
            if (self.0)(number) {
                out.insert(format!("field_{number}"), map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(out)
    }
}

/// The stored text of a test's object.
#[cfg(test)]
pub fn of_test(values: &serde_json::Value) -> String {
    text(values.as_object().expect("an object"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_numbers_in_the_store_alone() {
        let all = json!({"field_2": "a\"b", "field_10": [{"field_1": 1}], "field_1": 2.50});
        let all = all.as_object().expect("an object");
        let stored = text(all);
        assert_eq!(stored, r#"{"2":"a\"b","10":[{"field_1":1}],"1":2.5}"#);
        assert_eq!(&values(&stored).expect("values"), all);
        let some = pick(&stored, &["field_1", "field_3", "serial_number"]).expect("values");
        assert_eq!(serde_json::Value::Object(some), json!({"field_1": 2.5}));
        assert_eq!(text(&Values::new()), "{}");
        for broken in ["[]", "{", r#"{"1":}"#, r#"{"1":1} x"#, r#"{"field_1":1}"#] {
            assert!(values(broken).is_err(), "{broken}");
        }
    }
}
