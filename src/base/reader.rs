//! Reads one JSON object: takes members by name, collects every fault with its path, and ignores or
//! refuses what was not asked for.

use std::ops::RangeInclusive;

use serde_json::{Map, Number};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::patch::Patch;
use crate::base::text;

/// A cursor over an object. Members are taken out as they are read; null counts as absent except
/// where `patch_…` is used.
pub struct Reader<'a> {
    map: Map<String, Json>,
    at: &'a mut Issues,
    whole: bool,
}

impl<'a> Reader<'a> {
    /// Over `json`, which must be an object: else that is the one fault, and no member is missed.
    pub fn new(json: Json, at: &'a mut Issues) -> Self {
        let (map, whole) = match json {
            Json::Object(map) => (map, true),
            _ => {
                at.push("must be an object");
                (Map::new(), false)
            }
        };
        Self { map, at, whole }
    }

    /// A fault of member `key`.
    pub fn fault(&mut self, key: &str, message: impl Into<String>) {
        if self.whole {
            self.at.push_at(key, message);
        }
    }

    /// The faults, at this object's path, for checks of another's making.
    pub fn issues(&mut self) -> &mut Issues {
        self.at
    }

    /// Whether the member is there and not null.
    pub fn has(&self, key: &str) -> bool {
        self.map.get(key).is_some_and(|value| !value.is_null())
    }

    /// Whether the member is named, be it as null.
    pub fn names(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// The member as it came; `None` when absent or null.
    pub fn raw(&mut self, key: &str) -> Option<Json> {
        self.map.shift_remove(key).filter(|value| !value.is_null())
    }

    /// The member as it came, with null told from absent.
    pub fn raw_patch(&mut self, key: &str) -> Patch<Json> {
        match self.map.shift_remove(key) {
            None => Patch::Absent,
            Some(Json::Null) => Patch::Null,
            Some(value) => Patch::Value(value),
        }
    }

    /// The member that must be there.
    pub fn required(&mut self, key: &str) -> Option<Json> {
        let value = self.raw(key);
        if value.is_none() {
            self.fault(key, "is required");
        }
        value
    }

    /// Text, cleaned (S46), at most `max` characters.
    pub fn opt_text(&mut self, key: &str, max: usize) -> Option<String> {
        let raw = self.raw(key)?;
        self.check_text(key, raw, max)
    }

    /// Text that must be there and not be blank; `""` stands in for what was faulty.
    pub fn text(&mut self, key: &str, max: usize) -> String {
        match self.raw(key) {
            None => {
                self.fault(key, "can't be blank");
                String::new()
            }
            Some(raw) => match self.check_text(key, raw, max) {
                Some(text) if text::is_blank(&text) => {
                    self.fault(key, "can't be blank");
                    String::new()
                }
                found => found.unwrap_or_default(),
            },
        }
    }

    /// Text in a PATCH body.
    pub fn patch_text(&mut self, key: &str, max: usize) -> Patch<String> {
        match self.raw_patch(key) {
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Value(raw) => self
                .check_text(key, raw, max)
                .map_or(Patch::Absent, Patch::Value),
        }
    }

    fn check_text(&mut self, key: &str, raw: Json, max: usize) -> Option<String> {
        let Json::String(raw) = raw else {
            self.fault(key, "must be a string");
            return None;
        };
        let Some(clean) = text::clean(raw) else {
            self.fault(key, text::NUL_FAULT);
            return None;
        };
        if text::length(&clean) > max {
            self.fault(key, format!("is too long (at most {max} characters)"));
            return None;
        }
        Some(clean)
    }

    /// True or false.
    pub fn opt_bool(&mut self, key: &str) -> Option<bool> {
        let raw = self.raw(key)?;
        let found = raw.as_bool();
        if found.is_none() {
            self.fault(key, "must be true or false");
        }
        found
    }

    /// True or false, with what holds when it is absent.
    pub fn bool(&mut self, key: &str, default: bool) -> bool {
        self.opt_bool(key).unwrap_or(default)
    }

    /// A whole number in a range. `3.0` is whole.
    pub fn opt_int(&mut self, key: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let raw = self.raw(key)?;
        let Some(found) = as_int(&raw) else {
            self.fault(key, "must be a whole number");
            return None;
        };
        if !range.contains(&found) {
            self.fault(key, out_of(&range));
            return None;
        }
        Some(found)
    }

    /// A number.
    pub fn opt_number(&mut self, key: &str) -> Option<f64> {
        let raw = self.raw(key)?;
        let found = raw.as_f64();
        if found.is_none() {
            self.fault(key, "must be a number");
        }
        found
    }

    /// A number that must be there.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        if !self.has(key) {
            self.fault(key, "is required");
        }
        self.opt_number(key)
    }

    /// One of a list of words, which must be there.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        if !self.has(key) {
            self.fault(key, "is required");
        }
        self.opt_word(key, words)
    }

    /// One of a list of words.
    pub fn opt_word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let raw = self.raw(key)?;
        let found = raw
            .as_str()
            .and_then(|word| words.iter().find(|(name, _)| *name == word))
            .map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<_> = words.iter().map(|(name, _)| *name).collect();
            self.fault(key, format!("must be one of {}", names.join(", ")));
        }
        found
    }

    /// A list of texts, each at most `max` characters and as `check` wants it; its fault is the text's,
    /// at the text's own place in the list.
    pub fn opt_texts(
        &mut self,
        key: &str,
        max: usize,
        check: impl Fn(&str) -> Result<(), &'static str>,
    ) -> Option<Vec<String>> {
        let items = self.opt_list(key)?;
        let mut out = Vec::with_capacity(items.len());
        self.at.key(key, |at| {
            for (i, item) in items.into_iter().enumerate() {
                at.index(i, |at| match item {
                    Json::String(text) if text::length(&text) > max => {
                        at.push(format!("is too long (at most {max} characters)"));
                    }
                    Json::String(text) => match text::clean(text) {
                        Some(text) => match check(&text) {
                            Ok(()) => out.push(text),
                            Err(fault) => at.push(fault),
                        },
                        None => at.push(text::NUL_FAULT),
                    },
                    _ => at.push("must be a string"),
                });
            }
        });
        Some(out)
    }

    /// A list as it came.
    pub fn opt_list(&mut self, key: &str) -> Option<Vec<Json>> {
        match self.raw(key)? {
            Json::Array(items) => Some(items),
            _ => {
                self.fault(key, "must be a list");
                None
            }
        }
    }

    /// A list of objects, each read by `f` at its own path.
    pub fn opt_objects<T>(
        &mut self,
        key: &str,
        mut f: impl FnMut(&mut Reader) -> T,
    ) -> Option<Vec<T>> {
        let items = self.opt_list(key)?;
        Some(self.at.key(key, |at| {
            items
                .into_iter()
                .enumerate()
                .map(|(i, item)| at.index(i, |at| f(&mut Reader::new(item, at))))
                .collect()
        }))
    }

    /// An object, read by `f` at its own path.
    pub fn opt_object<T>(&mut self, key: &str, f: impl FnOnce(&mut Reader) -> T) -> Option<T> {
        let raw = self.raw(key)?;
        Some(self.at.key(key, |at| f(&mut Reader::new(raw, at))))
    }

    /// Refuses what was not read: for bodies that the spec closes.
    pub fn close(self) {
        for key in self.map.keys() {
            self.at.push_at(key, "is not allowed");
        }
    }
}

/// The whole number that a JSON number is, be it written `3`, `3.0` or `3e0`.
pub fn as_int(raw: &Json) -> Option<i64> {
    let number: &Number = raw.as_number()?;
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        // Beyond 2^53 a float no longer names one whole number.
        (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then_some(float as i64)
    })
}

/// What is said of a number outside `range`.
pub fn out_of(range: &RangeInclusive<i64>) -> String {
    match (*range.start(), *range.end()) {
        (low, i64::MAX) => format!("must be {low} or more"),
        (low, high) => format!("must be {low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn collects_every_fault_with_its_path() {
        let mut at = Issues::new();
        let body = json!({"a": 1, "n": 2.5, "list": [{"x": "ok"}, {"x": 7}, 3], "odd": 1});
        let mut reader = Reader::new(body, &mut at);
        reader.text("a", 10);
        reader.text("b", 10);
        reader.opt_int("n", 1..=5);
        reader.opt_objects("list", |item| item.text("x", 5));
        reader.close();
        let found: Vec<_> = at
            .into_list()
            .into_iter()
            .map(|issue| format!("{} {}", issue.attribute, issue.message))
            .collect();
        assert_eq!(
            found,
            [
                "a must be a string",
                "b can't be blank",
                "n must be a whole number",
                "list[1].x must be a string",
                "list[2] must be an object",
                "odd is not allowed",
            ]
        );
    }
}
