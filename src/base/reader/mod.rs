//! Reads one JSON object: takes values by key, collects every fault with its path, and ignores or refuses unknown keys.
//! The same calls on a describing reader build the JSON Schema of these values, so that the API's description can't
//! drift from its validation.

mod describe;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use serde_json::{Map, Number, json};

use crate::base::clock::Time;
use crate::base::issue::Issues;
use crate::base::json::patch::Patch;
use crate::base::json::schema_builder::SchemaBuilder;
use crate::base::json::{Json, digits};
use crate::base::reason::{Expected, Reason};
use crate::base::text;

/// A cursor over an object. Values are taken out as they are read; null counts as absent, except in `patch…`.
pub struct Reader<'a> {
    map: Map<String, Json>,
    at: &'a mut Issues,
    whole: bool,
    schema: Option<SchemaBuilder>,
}

impl<'a> Reader<'a> {
    /// Over `json`. If that is no object, this is its only fault, and no key is reported as missing.
    pub fn new(json: Json, at: &'a mut Issues) -> Self {
        let (map, whole) = match json {
            Json::Object(map) => (map, true),
            _ => {
                at.push(Reason::MustBe(Expected::Object));
                (Map::new(), false)
            }
        };
        Self { map, at, whole, schema: None }
    }

    /// Adds a fault at `key`.
    pub fn fault(&mut self, key: &str, reason: impl Into<Reason>) {
        let reason = reason.into();
        if let Some(builder) = &mut self.schema {
            if matches!(reason, Reason::Required | Reason::Blank) {
                builder.require(key);
            }
        } else if self.whole {
            self.at.push_at(key, reason);
        }
    }

    /// A fault that the other members decide, so that the schema can't show it.
    pub fn fault_beside_others(&mut self, key: &str, reason: impl Into<Reason>) {
        if self.schema.is_none() {
            self.fault(key, reason);
        }
    }

    /// The collector at this object's path, for checks outside the reader.
    pub fn issues(&mut self) -> &mut Issues {
        self.at
    }

    /// Whether the key is present and not null.
    pub fn has(&self, key: &str) -> bool {
        match &self.schema {
            Some(builder) => !builder.is_empty,
            None => self.map.get(key).is_some_and(|value| !value.is_null()),
        }
    }

    /// Whether the key is present, even as null.
    pub fn contains_key(&self, key: &str) -> bool {
        match &self.schema {
            Some(builder) => !builder.is_empty,
            None => self.map.contains_key(key),
        }
    }

    /// The keys that were not read so far.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.map.keys()
    }

    /// The value as it is; `None` if absent or null.
    pub fn raw(&mut self, key: &str) -> Option<Json> {
        self.note(key, || json!({}));
        self.take(key)
    }

    fn take(&mut self, key: &str) -> Option<Json> {
        self.map.shift_remove(key).filter(|value| !value.is_null())
    }

    /// The value as it is, with null kept apart from absent.
    pub fn raw_patch(&mut self, key: &str) -> Patch<Json> {
        self.note(key, || json!({}));
        match self.map.shift_remove(key) {
            None => Patch::Absent,
            Some(Json::Null) => Patch::Null,
            Some(value) => Patch::Value(value),
        }
    }

    /// A value of a PATCH body, read by `read`; absent after a fault.
    pub fn patch<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Patch<T> {
        if self.schema.is_some() {
            read(self);
            self.nullable(key);
        } else if self.has(key) {
            return read(self).map_or(Patch::Absent, Patch::Value);
        } else if self.map.shift_remove(key).is_some() {
            return Patch::Null;
        }
        Patch::Absent
    }

    fn nullable(&mut self, key: &str) {
        if let Some(builder) = &mut self.schema {
            builder.nullable(key);
        }
    }

    /// A required value, as it is.
    pub fn required(&mut self, key: &str) -> Option<Json> {
        let value = self.raw(key);
        if value.is_none() {
            self.fault(key, Reason::Required);
        }
        value
    }

    /// Text of at most `max` characters, cleaned (S46).
    pub fn opt_text(&mut self, key: &str, max: usize) -> Option<String> {
        self.note(key, || json!({"type": "string", "maxLength": max}));
        let raw = self.take(key)?;
        self.check_text(key, raw, max)
    }

    /// Required text that is not blank; `""` after a fault.
    pub fn text(&mut self, key: &str, max: usize) -> String {
        self.note(key, || json!({"type": "string", "minLength": 1, "maxLength": max}));
        match self.take(key) {
            None => {
                self.fault(key, Reason::Blank);
                String::new()
            }
            Some(raw) => match self.check_text(key, raw, max) {
                Some(text) if text::is_blank(&text) => {
                    self.fault(key, Reason::Blank);
                    String::new()
                }
                found => found.unwrap_or_default(),
            },
        }
    }

    /// Text in a PATCH body.
    pub fn patch_text(&mut self, key: &str, max: usize) -> Patch<String> {
        self.patch(key, |reader| reader.opt_text(key, max))
    }

    fn check_text(&mut self, key: &str, raw: Json, max: usize) -> Option<String> {
        let Json::String(raw) = raw else {
            self.fault(key, Reason::MustBe(Expected::Text));
            return None;
        };
        let Some(clean) = text::clean(raw) else {
            self.fault(key, Reason::Nul);
            return None;
        };
        if text::length(&clean) > max {
            self.fault(key, Reason::TooLong { most: max });
            return None;
        }
        Some(clean)
    }

    pub fn opt_bool(&mut self, key: &str) -> Option<bool> {
        self.note(key, || json!({"type": "boolean"}));
        let raw = self.take(key)?;
        let found = raw.as_bool();
        if found.is_none() {
            self.fault(key, Reason::MustBe(Expected::Other("true or false")));
        }
        found
    }

    /// True or false; `default` if absent.
    pub fn bool(&mut self, key: &str, default: bool) -> bool {
        self.opt_bool(key).unwrap_or(default)
    }

    /// A whole number in a range. `3.0` is whole.
    pub fn opt_int(&mut self, key: &str, range: RangeInclusive<i64>) -> Option<i64> {
        self.note(key, || {
            let mut schema = json!({"type": "integer"});
            if *range.start() != i64::MIN {
                schema["minimum"] = json!(range.start());
            }
            if *range.end() != i64::MAX {
                schema["maximum"] = json!(range.end());
            }
            schema
        });
        let raw = self.take(key)?;
        let Some(found) = as_int(&raw) else {
            self.fault(key, Reason::MustBe(Expected::WholeNumber));
            return None;
        };
        if !range.contains(&found) {
            self.fault(key, out_of(&range));
            return None;
        }
        Some(found)
    }

    pub fn opt_number(&mut self, key: &str) -> Option<f64> {
        self.note(key, || json!({"type": "number"}));
        let raw = self.take(key)?;
        digits::double(&raw).map_err(|fault| self.fault(key, fault)).ok()
    }

    /// A required number.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        if !self.has(key) {
            self.fault(key, Reason::Required);
        }
        self.opt_number(key)
    }

    /// One of a list of words, required.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        if !self.has(key) {
            self.fault(key, Reason::Required);
        }
        self.opt_word(key, words)
    }

    /// One of a list of words.
    pub fn opt_word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        self.note(key, || {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            json!({"type": "string", "enum": words})
        });
        let raw = self.take(key)?;
        let found = raw.as_str().and_then(|word| words.iter().find(|(name, _)| *name == word)).map(|(_, value)| *value);
        if found.is_none() {
            let names = words.iter().map(|(name, _)| *name);
            self.fault(key, Reason::one_of(names));
        }
        found
    }

    /// A list of texts, each of at most `max` characters and accepted by `check`. Faults have the item's path.
    pub fn opt_texts(
        &mut self,
        key: &str,
        max: usize,
        check: impl Fn(&str) -> Result<(), Reason>,
    ) -> Option<Vec<String>> {
        self.note(key, || json!({"type": "array", "items": {"type": "string", "maxLength": max}}));
        let items = self.take_list(key)?;
        let mut out = Vec::with_capacity(items.len());
        self.at.key(key, |at| {
            for (i, item) in items.into_iter().enumerate() {
                at.index(i, |at| match item {
                    Json::String(text) if text::length(&text) > max => {
                        at.push(Reason::TooLong { most: max });
                    }
                    Json::String(text) => match text::clean(text) {
                        Some(text) => match check(&text) {
                            Ok(()) => out.push(text),
                            Err(fault) => at.push(fault),
                        },
                        None => at.push(Reason::Nul),
                    },
                    _ => at.push(Reason::MustBe(Expected::Text)),
                });
            }
        });
        Some(out)
    }

    /// A date-time with an offset.
    pub fn opt_time(&mut self, key: &str) -> Option<Time> {
        self.note(key, || json!({"format": "date-time"}));
        let time = Time::parse(&self.opt_text(key, 64)?);
        if time.is_none() {
            self.fault(key, Reason::MustBe(Expected::Other("an RFC 3339 date-time")));
        }
        time
    }

    /// A list as it is.
    pub fn opt_list(&mut self, key: &str) -> Option<Vec<Json>> {
        self.note(key, || json!({"type": "array"}));
        self.take_list(key)
    }

    fn take_list(&mut self, key: &str) -> Option<Vec<Json>> {
        match self.take(key)? {
            Json::Array(items) => Some(items),
            _ => {
                self.fault(key, Reason::MustBe(Expected::List));
                None
            }
        }
    }

    /// A list of objects, each read by `f` at its own path.
    pub fn opt_objects<T>(&mut self, key: &str, mut f: impl FnMut(&mut Reader) -> T) -> Option<Vec<T>> {
        if let Some((schema, item)) = self.describe_inner(&mut f) {
            self.note(key, || json!({"type": "array", "items": schema}));
            return Some(vec![item]);
        }
        let items = self.opt_list(key)?;
        Some(self.at.key(key, |at| {
            items.into_iter().enumerate().map(|(i, item)| at.index(i, |at| f(&mut Reader::new(item, at)))).collect()
        }))
    }

    /// A required list of objects.
    pub fn objects<T>(&mut self, key: &str, f: impl FnMut(&mut Reader) -> T) -> Option<Vec<T>> {
        if !self.has(key) {
            self.fault(key, Reason::Required);
        }
        self.opt_objects(key, f)
    }

    /// An object, read by `f` at its own path.
    pub fn opt_object<T>(&mut self, key: &str, f: impl FnOnce(&mut Reader) -> T) -> Option<T> {
        if self.schema.is_some() {
            let (schema, inner) = self.describe_inner(f)?;
            self.note(key, || schema);
            return Some(inner);
        }
        let raw = self.take(key)?;
        Some(self.at.key(key, |at| f(&mut Reader::new(raw, at))))
    }

    /// A required object.
    pub fn object<T>(&mut self, key: &str, f: impl FnOnce(&mut Reader) -> T) -> Option<T> {
        if !self.has(key) {
            self.fault(key, Reason::Required);
        }
        self.opt_object(key, f)
    }

    /// An object of objects whose keys the client chooses, each read by `f` at its own path. Those for which `f`
    /// returns `None` are left out.
    pub fn opt_map<T>(
        &mut self,
        key: &str,
        mut f: impl FnMut(&str, &mut Reader) -> Option<T>,
    ) -> Option<Vec<(String, T)>> {
        if let Some((schema, _)) = self.describe_inner(|inner| f("", inner)) {
            self.note(key, || json!({"type": "object", "additionalProperties": schema}));
            return None;
        }
        let Json::Object(members) = self.take(key)? else {
            self.fault(key, Reason::MustBe(Expected::Object));
            return None;
        };
        Some(self.at.key(key, |at| {
            members
                .into_iter()
                .filter_map(|(name, raw)| {
                    let made = at.key(&name, |at| f(&name, &mut Reader::new(raw, at)))?;
                    Some((name, made))
                })
                .collect()
        }))
    }

    /// Refuses keys that were not read, where the contract allows no others.
    pub fn close(&mut self) {
        if let Some(builder) = &mut self.schema {
            builder.close();
        }
        for key in self.map.keys() {
            self.at.push_at(key, Reason::NotAllowed);
        }
    }
}

/// A JSON number as a whole number: `3`, `3.0` and `3e0` are 3.
pub fn as_int(raw: &Json) -> Option<i64> {
    let number: &Number = raw.as_number()?;
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        // Beyond 2^53 a float no longer names one whole number.
        (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then_some(float as i64)
    })
}

/// The fault of a number outside `range`.
pub fn out_of(range: &RangeInclusive<i64>) -> Reason {
    match (*range.start(), *range.end()) {
        (low, i64::MAX) => Reason::at_least(low),
        (low, high) => Reason::between(low, high),
    }
}
