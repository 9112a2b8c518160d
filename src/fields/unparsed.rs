//! Stored values as JSON text, member by member, without parsing more of them than is asked for: for walks
//! over many entries. What it says is what parsing says.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::Error as _;

use crate::fields::Fields;
use crate::fields::kind::Plain;

/// So many times eight bytes are looked at eight at a time.
const SHORT: usize = 4;

/// Gives each member of stored text to `f`: its field's number, and its value as JSON text. Where values end
/// is seen, what stands within them is not: they were written as JSON.
///
/// # Errors
/// When the stored text is no JSON object; what `f` returns.
pub fn each_member<'t>(
    stored: &'t str,
    mut f: impl FnMut(u32, &'t str) -> Result<(), serde_json::Error>,
) -> Result<(), serde_json::Error> {
    let broken = || serde_json::Error::custom("stored values are no object");
    let mut walk = Walk {
        text: stored,
        at: 0,
    };
    walk.take(b'{').ok_or_else(broken)?;
    if walk.take(b'}').is_none() {
        loop {
            let number = walk.name().ok_or_else(broken)?;
            let value = walk.value().ok_or_else(broken)?;
            f(number, value)?;
            match walk.take(b',') {
                Some(()) => {}
                None => break walk.take(b'}').ok_or_else(broken)?,
            }
        }
    }
    walk.is_over().then_some(()).ok_or_else(broken)
}

/// A place in JSON text. All that moves it says nothing where something else stands there.
struct Walk<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Walk<'t> {
    /// The next byte that is no white space.
    fn next(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                other => return Some(*other),
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.next().is_none()
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then(|| self.at += 1)
    }

    /// The number that names a member, with the colon behind it.
    fn name(&mut self) -> Option<u32> {
        self.take(b'"')?;
        let (first, mut number) = (self.at, 0_u32);
        while let Some(digit @ b'0'..=b'9') = self.text.as_bytes().get(self.at) {
            number = number
                .checked_mul(10)?
                .checked_add(u32::from(digit - b'0'))?;
            self.at += 1;
        }
        if self.at == first || self.text.as_bytes().get(self.at) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        self.take(b':').map(|()| number)
    }

    /// A whole value.
    fn value(&mut self) -> Option<&'t str> {
        let kind = self.next()?;
        let start = self.at;
        match kind {
            b'"' => self.string()?,
            b'{' | b'[' => self.nested()?,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                let rest = self.text.as_bytes()[start..].iter();
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
                self.at += rest.take_while(|byte| !is_end(byte)).count();
            }
            _ => return None,
        }
        self.text.get(start..self.at)
    }

    /// Passes a string.
    fn string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            at += end_or_escape(bytes.get(at..)?)?;
            if bytes[at] == b'"' {
                self.at = at + 1;
                return Some(());
            }
            // What stands behind it is no end, whatever it is.
            at += 2;
        }
    }

    /// Passes a list or an object.
    fn nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// Where the first quotation mark or backslash stands.
fn end_or_escape(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = u64::from_le_bytes([0x80; 8]);
    // Of the lowest byte that is nothing, the highest bit is the lowest that is set.
    let nothing = |eight: u64| eight.wrapping_sub(ONES) & !eight & HIGHEST;
    // Most strings are so short that they end before anything cleverer has begun.
    let (eights, _) = bytes.as_chunks::<8>();
    for (nth, eight) in eights.iter().take(SHORT).enumerate() {
        let eight = u64::from_le_bytes(*eight);
        let found =
            nothing(eight ^ (ONES * u64::from(b'"'))) | nothing(eight ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(nth * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let passed = eights.len().min(SHORT) * 8;
    let found = memchr::memchr2(b'"', b'\\', &bytes[passed..])?;
    Some(passed + found)
}

/// A string, not copied where it stands unescaped.
#[derive(serde::Deserialize)]
#[serde(transparent)]
pub struct Text<'t>(#[serde(borrow)] pub Cow<'t, str>);

/// The members of one entry's stored text by the places of their fields; to be used for one entry after
/// the other.
#[derive(Default)]
pub struct Members {
    /// Where each value stands; nowhere, where the entry has none.
    spans: Vec<Range<usize>>,
}

impl Members {
    /// Takes the members of stored text; those of no field are passed over.
    ///
    /// # Errors
    /// When the stored text is not the JSON object that it was written as.
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

    /// The value of the field at a place, as JSON text; `stored` is what was taken last.
    pub fn get<'t>(&self, stored: &'t str, place: usize) -> Option<&'t str> {
        let span = self.spans.get(place).filter(|span| !span.is_empty())?;
        stored.get(span.clone())
    }
}

/// Gives each member that is of a field to `f`: the field's place, and the value as JSON text.
///
/// # Errors
/// When the stored text is not the JSON object that it was written as; what `f` returns.
pub fn each_placed<'t>(
    fields: &Fields,
    stored: &'t str,
    mut f: impl FnMut(usize, &'t str) -> Result<(), serde_json::Error>,
) -> Result<(), serde_json::Error> {
    // Values stand in the order of the fields, as far as those were not put into another.
    let mut next = 0;
    each_member(stored, |number, value| {
        match fields.place_from(next, number) {
            Some(place) => {
                next = place + 1;
                f(place, value)
            }
            None => Ok(()),
        }
    })
}

/// A value whose text, keys and cell are told by its JSON text.
pub enum Told<'t> {
    /// A string that people read and search as it is.
    Text(Cow<'t, str>),
    /// A string that is compared as it is.
    Code(Cow<'t, str>),
    /// A number, as it is written.
    Number(&'t str),
}

/// What the JSON text of a value tells, where values are `plain`; none where it is something else, which
/// needs to be parsed.
pub fn told(plain: Option<Plain>, value: &str) -> Option<Told<'_>> {
    let string = || {
        let inner = value.strip_prefix('"')?.strip_suffix('"')?;
        // A quotation mark within it stands behind a backslash.
        if end_or_escape(inner.as_bytes()).is_none() {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str::<Text>(value).ok().map(|text| text.0)
    };
    match plain? {
        Plain::Text => string().map(Told::Text),
        Plain::Code => string().map(Told::Code),
        Plain::Number => value
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
            .then_some(Told::Number(value)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::base::cases::cases;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kind::Cx;

    #[test]
    fn members_are_found_in_any_order() {
        let fields: Vec<_> = (0..12)
            .map(|n| json!({"type": "short_text", "label": format!("{n}")}))
            .collect();
        let mut at = Issues::new();
        let definition = Definition::create(json!(fields), &Cx::of_a_test(false), &mut at);
        let fields = &definition.fields;
        let mut members = Members::default();
        for stored in [
            r#"{"1":"a","2":[1, {"a":"}"}],"11":"\"\u00e9"}"#,
            r#"{"12":"é","77":{},"3": 7 ,"1":null}"#,
            "{}",
        ] {
            members.take(fields, stored).expect("an object");
            let whole: serde_json::Value = serde_json::from_str(stored).expect("JSON");
            for (place, field) in fields.iter().enumerate() {
                let value = members.get(stored, place);
                let value = value.map(|text| serde_json::from_str(text).expect("JSON"));
                assert_eq!(
                    value.as_ref(),
                    whole.get(field.number().to_string()),
                    "{stored}"
                );
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
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a\"\\\\{}\\[\\],:é🦀]{0,6}".prop_map(Value::from),
            "[a-zé!#]{0,50}[\"\\\\]?[a-z]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let members = prop::collection::vec(("[a\"}]{0,2}", inner.clone()), 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                members.prop_map(Value::from_iter),
            ]
        })
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn values_end_where_they_end(
            values in prop::collection::vec(value(), 0..5), is_spaced in any::<bool>(),
            cut in any::<prop::sample::Index>(), odd in any::<char>(),
        ) {
            let members = values.iter().enumerate().map(|(n, value)| (n.to_string(), value.clone()));
            let whole = Value::from_iter(members);
            let mut text = if is_spaced { format!("\n {whole:#}") } else { whole.to_string() };
            let mut found = Vec::new();
            each_member(&text, |number, value| {
                found.push((number, serde_json::from_str(value)?));
                Ok(())
            }).expect("an object");
            let wanted: Vec<(u32, Value)> = (0..).zip(values).collect();
            prop_assert_eq!(found, wanted);
            // Damage is no panic.
            let cut = (0..=cut.index(text.len())).rev().find(|at| text.is_char_boundary(*at));
            text.insert(cut.unwrap_or_default(), odd);
            let _ = each_member(&text, |_, _| Ok(()));
            text.truncate(cut.unwrap_or_default());
            prop_assert!(each_member(&text, |_, _| Ok(())).is_err());
        }
    }
}
