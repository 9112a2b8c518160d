//! A body that is an object around one long list, `{"entries": […]}`: its items are found as text and parsed one by
//! one, so that they are never all in memory as values.

use std::collections::HashSet;

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::base::error::{Error, Result};
use crate::base::issue::{self, Issues};
use crate::base::json::unknown_members::UNKNOWN;
use crate::base::json::{self, Json};
use crate::base::reason::{Expected, Reason};
use crate::base::text::phrase::phrase;
use crate::base::text::shortened;

/// Members beside the list are ignored, but must be JSON without duplicate keys; longer ones than this are not parsed.
const MOST_BESIDE: usize = 1 << 20;

/// The items of the list, as text.
#[derive(Debug, Default)]
pub struct JsonList<'b> {
    items: Vec<&'b RawValue>,
    /// The keys beside the list.
    others: Vec<String>,
}

impl<'b> JsonList<'b> {
    /// Finds the list `key` of a body, which must have 1 to `most` items; its faults go to `at`, and the list is empty
    /// then.
    ///
    /// # Errors
    /// 400 `Request body is not valid JSON: <where>`.
    pub fn read(body: &'b [u8], key: &str, most: usize, at: &mut Issues) -> Result<Self> {
        let whole: &RawValue = serde_json::from_slice(body).map_err(|fault| invalid(&fault))?;
        if !whole.get().starts_with('{') {
            json::parse(body)?;
            at.push(Reason::MustBe(Expected::Object));
            return Ok(Self::default());
        }
        let mut de = serde_json::Deserializer::from_slice(body);
        let (list, others) = de.deserialize_map(Members { key }).map_err(|fault| invalid(&fault))?;
        let fault = match list.map(RawValue::get) {
            None | Some("null") => Reason::Required,
            Some(text) if !text.starts_with('[') => {
                json::parse(text.as_bytes())?;
                Reason::MustBe(Expected::List)
            }
            Some(text) => {
                let mut de = serde_json::Deserializer::from_str(text);
                let items = de.deserialize_seq(Items { most }).map_err(|fault| invalid(&fault))?;
                if (1..=most).contains(&items.len()) {
                    return Ok(Self { items, others });
                }
                Reason::other(phrase!("must have 1 to {} {}", most, key))
            }
        };
        at.push_at(key, fault);
        Ok(Self::default())
    }

    /// The unknown keys beside the list.
    pub fn unknown_keys(&self) -> Issues {
        let mut at = Issues::new();
        for key in &self.others {
            at.push_at(key, UNKNOWN);
        }
        at
    }

    /// The items, each as text.
    pub fn items(&self) -> impl ExactSizeIterator<Item = &'b str> + '_ {
        self.items.iter().map(|item| item.get())
    }
}

/// Reads one item, by its place in the list.
///
/// # Errors
/// 400 `Request body is not valid JSON: <where>`; 422 when a number has too many digits.
pub fn item(text: &str, key: &str, index: usize) -> Result<Json> {
    let place = format!("{key}[{index}]");
    let fault = |fault| Error::BadRequest(format!("Request body is not valid JSON: in {place}, {fault}").into());
    let value = json::read(text.as_bytes()).map_err(fault)?;
    json::refuse_lost_digits(text.as_bytes(), &value, &place)?;
    Ok(value)
}

fn invalid(fault: &serde_json::Error) -> Error {
    Error::BadRequest(format!("Request body is not valid JSON: {fault}").into())
}

/// The members of the body, of which one is the list.
struct Members<'k> {
    key: &'k str,
}

impl<'de> Visitor<'de> for Members<'_> {
    /// The list, and the other names.
    type Value = (Option<&'de RawValue>, Vec<String>);

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut names = HashSet::new();
        let mut list = None;
        while let Some(name) = map.next_key::<String>()? {
            let value: &RawValue = map.next_value()?;
            if name == self.key {
                list = Some(value);
            } else if value.get().len() <= MOST_BESIDE {
                json::read(value.get().as_bytes()).map_err(A::Error::custom)?;
            }
            if let Some(twice) = names.replace(name) {
                let twice = shortened(&twice, json::LONGEST_KEY);
                let fault = format_args!("key {twice:?} occurs twice in one object");
                return Err(A::Error::custom(fault));
            }
        }
        let others = names.into_iter().filter(|name| name != self.key).take(issue::MOST);
        Ok((list, others.collect()))
    }
}

/// The items of the list: no more of them than show that there are too many.
struct Items {
    most: usize,
}

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while items.len() <= self.most {
            let Some(item) = seq.next_element()? else {
                return Ok(items);
            };
            items.push(item);
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn read(body: &str) -> Result<(Vec<String>, Vec<String>)> {
        let mut at = Issues::new();
        let list = JsonList::read(body.as_bytes(), "entries", 3, &mut at)?;
        let items = list.items().map(str::to_owned).collect();
        let faults = at.into_list().into_iter();
        let faults = faults.map(|fault| fault.to_string());
        Ok((items, faults.collect()))
    }

    #[test]
    fn items_are_found_as_they_stand() {
        let found = read(r#" {"x": [{}], "entries": [ {"a": 1} , 2,"x"], "y": null} "#);
        let (items, faults) = found.expect("JSON");
        assert_eq!(items, [r#"{"a": 1}"#, "2", r#""x""#]);
        assert!(faults.is_empty());
        for (body, fault) in [
            ("{}", "entries is required"),
            (r#"{"entries": null}"#, "entries is required"),
            (r#"{"entries": {}}"#, "entries must be a list"),
            (r#"{"entries": []}"#, "entries must have 1 to 3 entries"),
            (r#"{"entries": [1,2,3,4,5]}"#, "entries must have 1 to 3 entries"),
            ("[1]", " must be an object"),
            ("7", " must be an object"),
        ] {
            let (items, faults) = read(body).expect("JSON");
            assert_eq!((items.len(), faults), (0, vec![fault.to_owned()]), "{body}");
        }
    }

    #[test]
    fn what_has_two_readings_is_refused() {
        for bad in [
            r#"{"entries": [], "entries": []}"#,
            r#"{"x": {"a": 1, "a": 2}, "entries": [1]}"#,
            r#"{"entries": {"a": 1, "a": 2}}"#,
            r#"[{"a": 1, "a": 2}]"#,
            r#"{"entries": [1,]}"#,
            r#"{"entries": [1]} x"#,
            r#"{"entries": [1"#,
            "",
            "\u{feff}{}",
        ] {
            assert!(matches!(read(bad), Err(Error::BadRequest(_))), "{bad}");
        }
        let deep = format!("{{\"entries\": {}1{}}}", "[".repeat(70), "]".repeat(70));
        let (items, _) = read(&deep).expect("its items are looked at later");
        assert!(item(&items[0], "entries", 0).is_err());
        let Err(Error::BadRequest(said)) = item(r#"{"a":1,"a":1}"#, "entries", 4) else {
            panic!("a key stands twice");
        };
        assert!(said.to_string().contains("in entries[4], key \"a\" occurs twice"), "{said}");
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn it_reads_what_a_whole_reading_would(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", ":", ",", "\"entries\"", "\"b\"", "1", "1e999", "null", " ", "\"",
                    "{\"entries\":[", "]}", "{\"b\":1}",
                ]),
                0..16,
            )
        ) {
            let body = parts.concat();
            let mut at = Issues::new();
            let list = JsonList::read(body.as_bytes(), "entries", 3, &mut at);
            let items = list.and_then(|list| {
                let items = list.items().enumerate();
                items.map(|(i, text)| item(text, "entries", i)).collect::<Result<Vec<_>>>()
            });
            let whole = json::parse(body.as_bytes());
            match (items, whole) {
                (Ok(items), Ok(whole)) if at.is_empty() => {
                    prop_assert_eq!(Json::Array(items), whole["entries"].clone());
                }
                // A list that is too long is not looked into.
                (Ok(_), Err(_)) => prop_assert!(!at.is_empty(), "{}", body),
                (items, whole) => prop_assert_eq!(items.is_ok(), whole.is_ok(), "{}", body),
            }
        }
    }
}
