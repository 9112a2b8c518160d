//! An entry's values as they lie in the store: JSON text, in which each value stands under its field's
//! number. The names that the API shows would be a sixth of the file.

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer as _};

use crate::fields::number_of;
use crate::fields::values::Values;

/// The text of values.
pub fn text(values: &Values) -> String {
    let mut out = Vec::with_capacity(128);
    let mut ser = serde_json::Serializer::new(&mut out);
    let numbered = values
        .iter()
        .filter_map(|(code, value)| Some((number_of(code)?, value)));
    let written = ser.serialize_map(None).and_then(|mut map| {
        for (number, value) in numbered {
            map.serialize_entry(&number, value)?;
        }
        map.end()
    });
    // Keys are numbers, and numbers are finite, which is all that could fail.
    written
        .ok()
        .and_then(|()| String::from_utf8(out).ok())
        .unwrap_or_default()
}

/// The values of stored text.
///
/// # Errors
/// When the text is not the JSON object that it was written as.
pub fn values(text: &str) -> Result<Values, serde_json::Error> {
    some_of(text, |_| true)
}

/// Of stored text, the values of these fields alone: for walks over many entries.
///
/// # Errors
/// When the text is not the JSON object that it was written as.
pub fn pick(text: &str, codes: &[&str]) -> Result<Values, serde_json::Error> {
    some_of(text, |number| {
        codes.iter().any(|code| number_of(code) == Some(number))
    })
}

fn some_of(text: &str, wanted: impl Fn(u32) -> bool) -> Result<Values, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_str(text);
    let picked = de.deserialize_map(Picker(wanted))?;
    de.end().map(|()| picked)
}

/// Takes some members of an object and passes the others by unread.
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

/// The same text of a test's object.
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
