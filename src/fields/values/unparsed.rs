//! Reads stored values as JSON text, member by member, parsing only the necessary ones: for scans over many entries.
//! The results equal those of parsing.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::fields::Fields;
use crate::fields::kind::Plain;

/// Calls `f` with each member of stored text: its field's number, and its value as JSON text. Fails if the text is
/// corrupt, or `f` fails.
pub fn each_member<'t>(
    stored: &'t str,
    f: impl FnMut(u32, &'t str) -> Result<(), serde_json::Error>,
) -> Result<(), serde_json::Error> {
    let mut de = serde_json::Deserializer::from_str(stored);
    serde::Deserializer::deserialize_map(&mut de, Each(f))?;
    de.end()
}

struct Each<F>(F);

impl<'t, F> Visitor<'t> for Each<F>
where
    F: FnMut(u32, &'t str) -> Result<(), serde_json::Error>,
{
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stored values")
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(number) = map.next_key()? {
            let value: &RawValue = map.next_value()?;
            (self.0)(number, value.get()).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// A string, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
pub struct Text<'t>(#[serde(borrow)] pub Cow<'t, str>);

/// The members of one entry's stored text by the positions of their fields; reused from entry to entry.
#[derive(Default)]
pub struct Members {
    /// The range of each value; empty if the entry has none.
    spans: Vec<Range<usize>>,
}

impl Members {
    /// Finds the members of stored text; those of unknown fields are skipped. Fails only if the text is corrupt.
    pub fn take(&mut self, fields: &Fields, stored: &str) -> Result<(), serde_json::Error> {
        self.spans.clear();
        self.spans.resize(fields.len(), 0..0);
        let begin = stored.as_ptr().addr();
        each_placed(fields, stored, |place, value| {
            let start = value.as_ptr().addr() - begin;
            self.spans[place] = start..start + value.len();
            Ok(())
        })
    }

    /// The value of a field as JSON text; `stored` must be the text last taken.
    pub fn get<'t>(&self, stored: &'t str, place: usize) -> Option<&'t str> {
        let span = self.spans.get(place).filter(|span| !span.is_empty())?;
        stored.get(span.clone())
    }
}

/// Calls `f` with each member of a known field: the field's position, and the value as JSON text. Fails if the text is
/// corrupt, or `f` fails.
pub fn each_placed<'t>(
    fields: &Fields,
    stored: &'t str,
    mut f: impl FnMut(usize, &'t str) -> Result<(), serde_json::Error>,
) -> Result<(), serde_json::Error> {
    // Values are in the order of the fields, unless those were reordered.
    let mut next = 0;
    each_member(stored, |number, value| match fields.place_from(next, number) {
        Some(place) => {
            next = place + 1;
            f(place, value)
        }
        None => Ok(()),
    })
}

/// A value whose text, keys and cell follow from its JSON text.
pub enum PlainValue<'t> {
    /// A string that is shown and searched as it is.
    Text(Cow<'t, str>),
    /// A string that is compared as it is.
    Code(Cow<'t, str>),
    /// A number as written.
    Number(&'t str),
}

/// Whether JSON text contains escapes.
pub fn has_escapes(json: &str) -> bool {
    memchr::memchr(b'\\', json.as_bytes()).is_some()
}

/// The value in JSON text of a kind with `plain` values; `None` if it has to be parsed. `may_escape` is false if the
/// text is known to have no escapes.
pub fn plain_value(plain: Option<Plain>, value: &str, may_escape: bool) -> Option<PlainValue<'_>> {
    let string = || {
        let inner = value.strip_prefix('"')?.strip_suffix('"')?;
        if !may_escape || !has_escapes(inner) {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str::<Text>(value).ok().map(|text| text.0)
    };
    match plain? {
        Plain::Text => string().map(PlainValue::Text),
        Plain::Code => string().map(PlainValue::Code),
        Plain::Number => {
            value.starts_with(|c: char| c == '-' || c.is_ascii_digit()).then_some(PlainValue::Number(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kind::Cx;

    #[test]
    fn members_are_found_in_any_order() {
        let fields: Vec<_> = (0..12).map(|n| json!({"type": "short_text", "label": format!("{n}")})).collect();
        let mut at = Issues::new();
        let definition = Definition::create(json!(fields), &Cx::of_a_test(false), &mut at);
        let fields = &definition.fields;
        let mut members = Members::default();
        for stored in
            [r#"{"1":"a","2":[1, {"a":"}"}],"11":"\"\u00e9"}"#, r#"{"12":"é","77":{},"3": 7 ,"1":null}"#, "{}"]
        {
            members.take(fields, stored).expect("an object");
            let whole: serde_json::Value = serde_json::from_str(stored).expect("JSON");
            for (place, field) in fields.iter().enumerate() {
                let value = members.get(stored, place);
                let value = value.map(|text| serde_json::from_str(text).expect("JSON"));
                assert_eq!(value.as_ref(), whole.get(field.number().to_string()), "{stored}");
            }
        }
        for broken in [
            "",
            "[]",
            "{",
            r#"{"1":}"#,
            r#"{"1":1} x"#,
            r#"{"1":1,}"#,
            r#"{"1":1"#,
            r#"{"1" 1}"#,
            r#"{"":1}"#,
            r#"{"x":1}"#,
            r#"{"99999999999":1}"#,
            r#"{"1":"\"}"#,
            r#"{"1":"\"#,
            r#"{"1":[{"a":"]"}"#,
            r#"{"1":é}"#,
        ] {
            assert!(members.take(fields, broken).is_err(), "{broken}");
        }
    }
}
