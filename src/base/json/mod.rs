//! Strict JSON: refuses input that serde_json silently accepts (S45): duplicate keys at any depth, nesting beyond 64
//! levels, more values than memory has room for, and numbers whose digits a double does not keep. NUL is found by
//! `Reader` and the kinds, since it has a path; so are whole numbers of up to 64 bits, which are parsed exactly.

pub mod digits;
pub mod json_list;
pub mod patch;
pub mod schema_builder;
pub mod unknown_members;

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::base::text::shortened;

/// Any JSON value.
pub type Json = Value;

const MAX_DEPTH: usize = 64;
/// A value takes some 70 bytes of memory, and two bytes of text are enough for one.
const MAX_VALUES: usize = 50_000;
/// The most of a faulty key that an answer repeats, in bytes.
pub const LONGEST_KEY: usize = 64;

/// Reads a whole request body.
///
/// # Errors
/// 400 `Request body is not valid JSON: <where>`; 422 as [`refuse_lost_digits`].
pub fn parse(body: &[u8]) -> Result<Json> {
    let fault =
        |fault: serde_json::Error| Error::BadRequest(phrase!("Request body is not valid JSON: {}", fault.to_string()));
    let value = read(body).map_err(fault)?;
    refuse_lost_digits(body, &value, "")?;
    Ok(value)
}

/// Refuses numbers that lost digits when a text was parsed into this value; the text is at the path `root`.
///
/// # Errors
/// 422 with the path of each.
pub fn refuse_lost_digits(text: &[u8], value: &Json, root: &str) -> Result<()> {
    if !may_lose_digits(text) {
        return Ok(());
    }
    let is_lost = |number: &str| {
        let is_exact = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
        !is_exact && !digits::is_kept(number)
    };
    let lost: Vec<bool> = numbers(text).map(is_lost).collect();
    if !lost.contains(&true) {
        return Ok(());
    }
    let mut at = Issues::new();
    let mut lost = lost.into_iter();
    if root.is_empty() {
        say_lost(value, &mut lost, &mut at);
    } else {
        at.key(root, |at| say_lost(value, &mut lost, at));
    }
    at.into_result()
}

/// Whether JSON text has as many digits in a row as only a number has that may lose some, or an exponent.
fn may_lose_digits(text: &[u8]) -> bool {
    let mut row = 0;
    text.iter().any(|byte| match byte {
        b'0'..=b'9' | b'.' => {
            row += 1;
            row > digits::MOST
        }
        b'e' | b'E' => row > 0,
        _ => {
            row = 0;
            false
        }
    })
}

/// The numbers of valid JSON text, in its order.
fn numbers(text: &[u8]) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            match rest.first()? {
                b'"' => rest = after_string(rest),
                b'-' | b'0'..=b'9' => {
                    let is_of_it = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                    let end = rest.iter().position(|byte| !is_of_it(byte)).unwrap_or(rest.len());
                    let (number, after) = rest.split_at(end);
                    rest = after;
                    return std::str::from_utf8(number).ok();
                }
                _ => rest = &rest[1..],
            }
        }
    })
}

/// The rest of JSON text that starts with a string, after that string.
fn after_string(text: &[u8]) -> &[u8] {
    let mut rest = text.get(1..).unwrap_or_default();
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let is_end = rest[at] == b'"';
        rest = rest.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            return rest;
        }
    }
    &[]
}

/// Adds a fault at each number that lost digits; `lost` has a flag for each number, in the order of the text.
fn say_lost(value: &Json, lost: &mut impl Iterator<Item = bool>, at: &mut Issues) {
    match value {
        Json::Number(_) => {
            let is_lost = lost.next().unwrap_or_default();
            if is_lost {
                at.push(Reason::TooManyDigits);
            }
        }
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                at.index(i, |at| say_lost(item, lost, at));
            }
        }
        Json::Object(map) => {
            for (key, member) in map {
                at.key(key, |at| say_lost(member, lost, at));
            }
        }
        _ => {}
    }
}

/// Reads one value.
///
/// # Errors
/// The fault of the text, and its position.
pub fn read(text: &[u8]) -> Result<Json, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_slice(text);
    let left = Cell::new(MAX_VALUES);
    Strict { depth: 0, left: &left }.deserialize(&mut de).and_then(|value| de.end().map(|()| value))
}

/// Reads one value at a known depth.
#[derive(Clone, Copy)]
struct Strict<'a> {
    depth: usize,
    /// Number of values that may follow.
    left: &'a Cell<usize>,
}

impl Strict<'_> {
    /// For the values within this one.
    fn deeper(self) -> std::result::Result<Self, String> {
        if self.depth < MAX_DEPTH {
            let depth = self.depth + 1;
            Ok(Self { depth, ..self })
        } else {
            Err(format!("nested deeper than {MAX_DEPTH} levels"))
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, de: D) -> std::result::Result<Json, D::Error> {
        let left = self.left.get().checked_sub(1);
        let left = left.ok_or_else(|| D::Error::custom(format_args!("it holds more than {MAX_VALUES} values")))?;
        self.left.set(left);
        de.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> std::result::Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> std::result::Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Json, A::Error> {
        let inner = self.deeper().map_err(A::Error::custom)?;
        let mut list = Vec::new();
        while let Some(item) = seq.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Json::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Json, A::Error> {
        let inner = self.deeper().map_err(A::Error::custom)?;
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(inner)?;
            if object.contains_key(&key) {
                let key = shortened(&key, LONGEST_KEY);
                return Err(A::Error::custom(format_args!("key {key:?} occurs twice in one object")));
            }
            object.insert(key, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn refuses_what_has_two_readings() {
        for bad in [
            r#"{"a":1,"a":1}"#,
            r#"{"x":[{"a":1,"a":1}]}"#,
            r#""\ud800""#,
            "NaN",
            "1e999",
            "",
            "{} x",
            "[1,]",
            "01",
            "\u{feff}{}",
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(&[b'"', 0xff, b'"']).is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
        let nested = |n| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(nested(64).as_bytes()).is_ok());
        assert!(parse(nested(65).as_bytes()).is_err());
        let list = |n| format!("[{}[]]", "[],".repeat(n - 2));
        assert!(parse(list(MAX_VALUES).as_bytes()).is_ok());
        assert!(parse(list(MAX_VALUES + 1).as_bytes()).is_err());
        assert!(parse(br#"{"a":{"b":1},"b":[1.5,-2,true,null,"x"]}"#).is_ok());
    }

    #[test]
    fn numbers_that_lose_digits_are_named() {
        let said = |text: &str| match parse(text.as_bytes()) {
            Err(Error::Invalid(faults)) => faults.into_iter().map(|fault| fault.attribute).collect(),
            other => vec![format!("{other:?}")],
        };
        for (text, lost) in [
            (r#"{"a": 0.1234567890123456789}"#, vec!["a"]),
            (r#"{"a": [1, -123456789012345678901234, {"b": 1e-400}], "c": 2}"#, vec!["a[1]", "a[2].b"]),
            (r#"{"a\"1": "0.1234567890123456789", "b\\": 1.00000000000000000001e5}"#, vec!["b\\"]),
            ("123456789012345678901", vec![""]),
        ] {
            assert_eq!(said(text), lost, "{text}");
        }
        for kept in [
            r#"{"a": "123456789012345678901234", "b": 1e300, "c": 1.5}"#,
            // Whole numbers of 64 bits are exact; code that needs doubles refuses them itself.
            r#"[123456789012345678, 18446744073709551615, -9223372036854775808]"#,
            r#"[100000000000000000000, 0.30000000000000004, 0.10000000000000000000]"#,
            r#"{"0.1234567890123456789": "\\\" 0.1234567890123456789", "e1e5": "\u0031e5"}"#,
        ] {
            assert!(parse(kept.as_bytes()).is_ok(), "{kept}");
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn no_bytes_are_too_much(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&body);
        }

        #[test]
        fn what_is_read_is_what_serde_reads(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", ":", ",", "\"a\"", "\"b\"", "\"\\u00e9\"", "\"\\ud83d\"", "1", "-0",
                    "1e5", "1e999", "true", "null", " ", "\\", "\"",
                ]),
                0..24,
            )
        ) {
            let text = parts.concat();
            if let Ok(value) = parse(text.as_bytes()) {
                prop_assert_eq!(serde_json::from_str::<Json>(&text).ok(), Some(value));
            }
        }
    }
}
