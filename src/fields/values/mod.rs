//! A whole entry's values: from the write shape to stored values or all faults, and from stored values to the read
//! shape. The same code serves API, page and import.

mod draft;
pub mod examples;
pub mod formula;
mod ignored;
pub mod known_keys;
pub mod lines;
pub mod live;
pub mod results;
pub mod rewrite;
pub mod rules;
pub mod stored;
#[cfg(test)]
mod tests;
pub mod unparsed;

use std::borrow::Cow;

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::fields::definition::convert;
use crate::fields::kind::Cx;
use crate::fields::values::draft::Draft;
pub use crate::fields::values::ignored::KnownValues;
use crate::fields::values::rules::{RuleEffects, Rules};
pub use crate::fields::values::stored::{Values, is_blank};
use crate::fields::{Field, Fields};

/// An entry's parsed values, and the effects of the rules for them. Code that needs either takes it from here: nothing
/// is parsed and no rule is run again.
#[derive(Debug, Default)]
pub struct Checked {
    /// As they would be stored, by api_code.
    pub values: Values,
    /// Which fields are shown and required.
    pub outcome: RuleEffects,
}

/// Reads the `field_values` of a new entry. Unknown keys, read-only fields, hidden fields of a respondent and fields
/// hidden by a rule are silently dropped; an absent field takes its default. Faults go to `at`, under `field_values`.
pub fn create(fields: &Fields, rules: &Rules, raw: Json, cx: &Cx, at: &mut Issues) -> Checked {
    at.key("field_values", |at| {
        let given = object(raw, at)?;
        let mut draft = Draft::of_new(fields, given, cx, at);
        let outcome = rules.settle(fields, &mut draft.values, cx);
        for (place, field) in fields.iter().enumerate() {
            draft.say(place, field, &outcome, |_| true, cx, at);
        }
        say_too_long(fields, &outcome, at);
        Some(Checked { values: draft.values, outcome })
    })
    .unwrap_or_default()
}

/// The stored values of an entry with today's rules applied. A form without rules and formulas has no use for the
/// values: there they are not read.
pub fn settled(fields: &Fields, rules: &Rules, stored: &Values, cx: &Cx) -> Checked {
    let mut values = Values::new();
    if !rules.is_idle() {
        values = Draft::of_change(fields, stored, Map::new(), cx, &mut Issues::new()).values;
    }
    let outcome = rules.settle(fields, &mut values, cx);
    Checked { values, outcome }
}

/// Reads the `field_values` of an update and applies it to the stored ones: only the named fields change, the formulas
/// that depend on them, and the fields that the change hides.
pub fn update(fields: &Fields, rules: &Rules, old: &Values, raw: Json, cx: &Cx, at: &mut Issues) -> Checked {
    at.key("field_values", |at| {
        let given = object(raw, at)?;
        let mut draft = Draft::of_change(fields, old, given, cx, at);
        let named: Vec<bool> = (0..fields.len()).map(|place| draft.is_named(place)).collect();
        if rules.is_empty() {
            let outcome = rules.settle(fields, &mut draft.values, cx);
            for (place, field) in fields.iter().enumerate() {
                let is_named = draft.is_named(place);
                draft.say(place, field, &outcome, |_| is_named, cx, at);
            }
            say_too_long(fields, &outcome, at);
            draft.keep_untouched(fields, old, &named, cx);
            return Some(Checked { values: draft.values, outcome });
        }
        let mut before = Draft::of_change(fields, old, Map::new(), cx, at).values;
        let was = rules.settle(fields, &mut before, cx);
        let merged = draft.values.clone();
        let outcome = rules.settle(fields, &mut draft.values, cx);
        for (place, field) in fields.iter().enumerate() {
            let is_named = draft.is_named(place);
            // A value that was blank before, under the same rules, is not a fault of this change.
            let is_new = |place| is_named || !was.requires(place);
            draft.say(place, field, &outcome, is_new, cx, at);
            // Nor is a value that was hidden before, by rules made after it was stored.
            if outcome.hides(place)
                && was.hides(place)
                && !is_named
                && field.kind.computed().is_none()
                && let Some(kept) = merged.get(&field.api_code)
            {
                draft.values.insert(field.api_code.clone(), kept.clone());
            }
        }
        say_too_long(fields, &outcome, at);
        draft.keep_untouched(fields, old, &named, cx);
        Some(Checked { values: draft.values, outcome })
    })
    .unwrap_or_default()
}

fn object(raw: Json, at: &mut Issues) -> Option<Map<String, Json>> {
    match raw {
        Json::Object(map) => Some(map),
        _ => {
            at.push(Reason::MustBe(Expected::Object));
            None
        }
    }
}

/// Reports formulas that multiply text beyond the limit of an entry.
fn say_too_long(fields: &Fields, outcome: &RuleEffects, at: &mut Issues) {
    if let Some(field) = outcome.too_long().and_then(|place| fields.at(place)) {
        at.push_at(&field.api_code, Reason::ComputedTooLong);
    }
}

/// The default of a field in the write shape; null if it has none.
pub fn default_of(field: &Field, cx: &Cx) -> Json {
    field.default_value.as_ref().map_or(Json::Null, |raw| field.kind.resolve_default(raw, cx))
}

/// A stored value under the current definition of the field; `None` if nothing remains.
pub fn today(field: &Field, stored: Option<&Json>, cx: &Cx) -> Option<Json> {
    as_today(field, stored?, cx).map(Cow::into_owned)
}

/// The same without a copy if the value is unchanged.
pub fn as_today<'v>(field: &Field, stored: &'v Json, cx: &Cx) -> Option<Cow<'v, Json>> {
    if field.splices() {
        return Some(Cow::Borrowed(stored));
    }
    let stored = convert::to_today(field, stored.clone());
    let stored = field.kind.prune(stored, cx);
    (!is_blank(&stored)).then_some(Cow::Owned(stored))
}

/// A stored value without data of removed parts of its field; data that the current definition only hides is kept.
/// `None` if nothing remains.
pub fn without_removed<'v>(field: &Field, stored: &'v Json, cx: &Cx) -> Option<Cow<'v, Json>> {
    if field.retired.is_empty() {
        return Some(Cow::Borrowed(stored));
    }
    let given = convert::to_today(field, stored.clone());
    let kept = field.kind.without_removed(given.clone(), cx);
    if kept == given {
        return Some(Cow::Borrowed(stored));
    }
    (!is_blank(&kept)).then_some(Cow::Owned(kept))
}

/// The read shape of one field.
pub fn read(field: &Field, stored: Option<&Json>, cx: &Cx) -> Json {
    match today(field, stored, cx) {
        Some(stored) => field.kind.read(&stored, cx),
        None => field.kind.empty(),
    }
}

/// The value of a field as the page's control shows it.
pub fn on_page(field: &Field, stored: Option<&Json>, cx: &Cx) -> Json {
    match today(field, stored, cx) {
        Some(stored) => {
            let own = field.kind.page_value(&stored);
            own.unwrap_or_else(|| field.kind.read(&stored, cx))
        }
        None => field.kind.empty(),
    }
}

/// Appends the fields of an entry in the read shape as JSON members, `,"field_1":…`, to `out`. Stored text that equals
/// the read shape is spliced unparsed. Fails only if it is corrupt.
pub fn write_members<'f>(
    fields: impl Iterator<Item = &'f Field>,
    stored: &str,
    cx: &Cx,
    out: &mut String,
) -> Result<(), serde_json::Error> {
    let mut members = Vec::new();
    unparsed::each_member(stored, |number, value| {
        members.push((number, value));
        Ok(())
    })?;
    for field in fields {
        out.push_str(",\"");
        out.push_str(&field.api_code);
        out.push_str("\":");
        let own = field.number();
        let mut found = members.iter().filter(|(number, _)| *number == own);
        match found.next().map(|(_, value)| *value) {
            Some(value) if field.splices() => out.push_str(value),
            Some(value) => {
                let stored: Json = serde_json::from_str(value)?;
                out.push_str(&read(field, Some(&stored), cx).to_string());
            }
            None => out.push_str(&json!(field.kind.empty()).to_string()),
        }
    }
    Ok(())
}
