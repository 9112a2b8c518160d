//! A whole entry's values: from the write shape to stored values or all faults, and from stored values to the read
//! shape. The same code serves API, page and import.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::fields::kind::Cx;
use crate::fields::rules::{Outcome, Rules};
pub use crate::fields::stored::{Values, is_blank};
use crate::fields::unparsed;
use crate::fields::{Field, Fields, convert};

/// Reads the `field_values` of a new entry. Unknown keys, read-only fields, hidden fields of a respondent and fields
/// hidden by a rule are silently dropped; an absent field takes its default. Faults go to `at`, under `field_values`.
pub fn create(fields: &Fields, rules: &Rules, raw: Json, cx: &Cx, at: &mut Issues) -> Values {
    at.key("field_values", |at| {
        let given = object(raw, at)?;
        let mut draft = Draft::of_new(fields, given, cx, at);
        let outcome = rules.settle(fields, &mut draft.values, cx);
        for (place, field) in fields.iter().enumerate() {
            draft.say(place, field, &outcome, |_| true, cx, at);
        }
        say_too_long(fields, &outcome, at);
        Some(draft.values)
    })
    .unwrap_or_default()
}

/// The values of a form while it is filled in or an entry is edited: as far as they can be read, with rules applied.
/// Reports no faults.
pub fn look(
    fields: &Fields,
    rules: &Rules,
    old: Option<&Values>,
    given: &Values,
    cx: &Cx,
) -> (Values, Outcome) {
    if rules.is_idle() {
        let outcome = rules.settle(fields, &mut Values::new(), cx);
        return (Values::new(), outcome);
    }
    let (given, mut faults) = (given.clone(), Issues::new());
    let mut draft = match old {
        None => Draft::of_new(fields, given, cx, &mut faults),
        Some(old) => Draft::of_change(fields, old, given, cx, &mut faults),
    };
    let outcome = rules.settle(fields, &mut draft.values, cx);
    (draft.values, outcome)
}

/// Reads the `field_values` of an update and applies it to the stored ones: only the named fields change, the formulas
/// that depend on them, and the fields that the change hides.
pub fn update(
    fields: &Fields,
    rules: &Rules,
    old: &Values,
    raw: Json,
    cx: &Cx,
    at: &mut Issues,
) -> Values {
    at.key("field_values", |at| {
        let given = object(raw, at)?;
        let mut draft = Draft::of_change(fields, old, given, cx, at);
        let named: Vec<bool> = (0..fields.len())
            .map(|place| draft.is_named(place))
            .collect();
        if rules.is_empty() {
            let outcome = rules.settle(fields, &mut draft.values, cx);
            for (place, field) in fields.iter().enumerate() {
                let is_named = draft.is_named(place);
                draft.say(place, field, &outcome, |_| is_named, cx, at);
            }
            say_too_long(fields, &outcome, at);
            draft.keep_untouched(fields, old, &named, cx);
            return Some(draft.values);
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
        Some(draft.values)
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
fn say_too_long(fields: &Fields, outcome: &Outcome, at: &mut Issues) {
    if let Some(field) = outcome.too_long().and_then(|place| fields.at(place)) {
        at.push_at(&field.api_code, Reason::ComputedTooLong);
    }
}

/// The default of a field in the write shape; null if it has none.
pub fn default_of(field: &Field, cx: &Cx) -> Json {
    field
        .default_value
        .as_ref()
        .map_or(Json::Null, |raw| field.kind.resolve_default(raw, cx))
}

/// An entry's values before rules are applied, with the faults of each.
struct Draft {
    values: Values,
    /// By the fields' positions; `None` if no value was given.
    faults: Vec<Option<Issues>>,
    /// What parsing left of values with faults, which may lack more than the faults say.
    faulty: HashMap<usize, Json>,
}

impl Draft {
    fn of_new(fields: &Fields, mut given: Map<String, Json>, cx: &Cx, at: &mut Issues) -> Self {
        let mut draft = Self::empty(fields);
        for (place, field) in fields.iter().enumerate() {
            if !field.kind.has_value() || !field.is_given(cx) {
                continue;
            }
            let raw = given
                .shift_remove(&field.api_code)
                .filter(|_| !(field.hidden && cx.respondent));
            let raw = raw.unwrap_or_else(|| default_of(field, cx));
            draft.parse(place, field, raw, cx, at);
        }
        draft
    }

    fn of_change(
        fields: &Fields,
        old: &Values,
        mut given: Map<String, Json>,
        cx: &Cx,
        at: &mut Issues,
    ) -> Self {
        let mut draft = Self::empty(fields);
        for (place, field) in fields.iter().enumerate() {
            if !field.kind.has_value() {
                continue;
            }
            let raw = given.shift_remove(&field.api_code);
            let is_theirs = field.is_given(cx) && !(field.hidden && cx.respondent);
            match raw.filter(|_| is_theirs) {
                Some(raw) => draft.parse(place, field, raw, cx, at),
                None => {
                    if let Some(stored) = today(field, old.get(&field.api_code), cx) {
                        draft.values.insert(field.api_code.clone(), stored);
                    }
                }
            }
        }
        draft
    }

    fn empty(fields: &Fields) -> Self {
        Self {
            values: Values::new(),
            faults: vec![None; fields.len()],
            faulty: HashMap::new(),
        }
    }

    /// A value with faults is dropped; the faults are kept separately, because rules may hide the field.
    fn parse(&mut self, place: usize, field: &Field, raw: Json, cx: &Cx, at: &mut Issues) {
        let before = at.count();
        let stored = at.key(&field.api_code, |at| match raw {
            Json::Null => Json::Null,
            raw => field.kind.parse(raw, &cx.of_field(field), at),
        });
        let faults = at.split_off(before);
        if !faults.is_empty() {
            self.faulty.insert(place, stored);
        } else if !is_blank(&stored) {
            self.values.insert(field.api_code.clone(), stored);
        }
        self.faults[place] = Some(faults);
    }

    /// Unchanged values stay as stored: a later definition may show more of them than the current one.
    fn keep_untouched(&mut self, fields: &Fields, old: &Values, named: &[bool], cx: &Cx) {
        for (place, field) in fields.iter().enumerate() {
            if named[place] || field.splices() || field.kind.computed().is_some() {
                continue;
            }
            let Some(stored) = old.get(&field.api_code) else {
                continue;
            };
            if let Some(shown) = today(field, Some(stored), cx)
                && self.values.get(&field.api_code) == Some(&shown)
                && let Some(kept) = without_removed(field, stored, cx)
            {
                self.values
                    .insert(field.api_code.clone(), kept.into_owned());
            }
        }
    }

    fn is_named(&self, place: usize) -> bool {
        self.faults[place].is_some()
    }

    /// Reports the faults of a field that rules don't hide; `asks` tells whether a blank counts.
    fn say(
        &mut self,
        place: usize,
        field: &Field,
        outcome: &Outcome,
        asks: impl Fn(usize) -> bool,
        cx: &Cx,
        at: &mut Issues,
    ) {
        let faults = self.faults[place].take().unwrap_or_default();
        if outcome.hides(place) {
            return;
        }
        let is_asked = outcome.requires(place) && asks(place) && !(field.hidden && cx.respondent);
        at.append(faults);
        if !is_asked {
            return;
        }
        at.key(&field.api_code, |at| {
            let stored = self.values.get(&field.api_code);
            match stored.or_else(|| self.faulty.get(&place)) {
                // Nothing of it could be read, which has been reported.
                Some(Json::Null) if stored.is_none() => {}
                Some(stored) => field.kind.check_whole(stored, at),
                None => at.push(Reason::Blank),
            }
        });
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fields::definition::Definition;
    use crate::fields::kinds::KINDS;
    use crate::fields::stored;

    fn fields(raw: Json) -> Arc<Fields> {
        let mut at = Issues::new();
        let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        definition.fields
    }

    fn form() -> Arc<Fields> {
        fields(json!([
            {"type": "short_text", "label": "a", "required": true},
            {"type": "number", "label": "b", "hidden": true, "default_value": 7},
            {"type": "description", "label": "c"},
            {"type": "date", "label": "d", "default_value": "today"},
        ]))
    }

    fn none() -> Rules {
        Rules::read(&json!([]), &form(), &Cx::of_a_test(false)).0
    }

    fn faults(at: Issues) -> Vec<String> {
        let list = at.into_list().into_iter();
        list.map(|issue| issue.to_string()).collect()
    }

    #[test]
    fn new_entries_take_defaults_and_drop_what_is_not_theirs() {
        let given = json!({"field_1": "x", "field_2": 5, "field_3": "y", "field_9": 1, "id": 1});
        let made = |respondent, given: Json| {
            let mut at = Issues::new();
            let values = create(&form(), &none(), given, &Cx::of_a_test(respondent), &mut at);
            assert_eq!(faults(at), Vec::<String>::new());
            Json::Object(values)
        };
        assert_eq!(
            made(true, given.clone()),
            json!({"field_1": "x", "field_2": 7, "field_4": "2026-11-20"})
        );
        assert_eq!(
            made(false, given),
            json!({"field_1": "x", "field_2": 5, "field_4": "2026-11-20"})
        );
        let cleared = json!({"field_1": "x", "field_2": null, "field_4": null});
        assert_eq!(made(false, cleared), json!({"field_1": "x"}));
    }

    #[test]
    fn every_fault_is_found_under_its_field() {
        let mut at = Issues::new();
        create(
            &form(),
            &none(),
            json!({"field_2": "x", "field_4": "y"}),
            &Cx::of_a_test(false),
            &mut at,
        );
        assert_eq!(
            faults(at),
            [
                "field_values.field_1 can't be blank",
                "field_values.field_2 must be a number",
                "field_values.field_4 must be a date as YYYY-MM-DD",
            ]
        );
        for odd in [json!(null), json!([]), json!("x")] {
            let mut at = Issues::new();
            create(&form(), &none(), odd, &Cx::of_a_test(false), &mut at);
            assert_eq!(faults(at), ["field_values must be an object"]);
        }
    }

    #[test]
    fn an_update_changes_the_named_fields_alone() {
        let Json::Object(old) = json!({"field_1": "x", "field_2": 5, "field_9": "gone"}) else {
            panic!("an object");
        };
        let changed = |given: Json| {
            let mut at = Issues::new();
            let values = update(
                &form(),
                &none(),
                &old,
                given,
                &Cx::of_a_test(false),
                &mut at,
            );
            (Json::Object(values), faults(at))
        };
        let none = Vec::<String>::new();
        // No default comes back, and values of unknown fields are dropped.
        assert_eq!(
            changed(json!({})),
            (json!({"field_1": "x", "field_2": 5}), none.clone())
        );
        assert_eq!(
            changed(json!({"field_2": null})),
            (json!({"field_1": "x"}), none)
        );
        let (_, faults) = changed(json!({"field_1": " "}));
        assert_eq!(faults, ["field_values.field_1 can't be blank"]);
    }

    #[test]
    fn blank_is_nothing_to_read() {
        for blank in [json!(null), json!(""), json!(" \n"), json!([]), json!({})] {
            assert!(is_blank(&blank), "{blank}");
        }
        for value in [
            json!("x"),
            json!(0),
            json!(false),
            json!([null]),
            json!({"a": null}),
        ] {
            assert!(!is_blank(&value), "{value}");
        }
    }

    #[test]
    fn spliced_text_says_what_reading_says() {
        for row in KINDS {
            for sample in row.samples {
                let mut raw: Json = serde_json::from_str(sample.definition).expect("JSON");
                raw["type"] = json!(row.name);
                raw["label"] = json!("a label");
                let fields = fields(json!([raw]));
                let Some(field) = fields.with_values().next() else {
                    continue;
                };
                let value: Json = serde_json::from_str(sample.stored).expect("JSON");
                for stored in [
                    json!({"field_1": value, "field_2": "of another"}),
                    json!({}),
                ] {
                    let mut out = String::from("{\"serial_number\":1");
                    write_members(
                        fields.with_values(),
                        &stored::of_test(&stored),
                        &Cx::of_a_test(false),
                        &mut out,
                    )
                    .expect("an object");
                    out.push('}');
                    let read = read(field, stored.get("field_1"), &Cx::of_a_test(false));
                    let written: Json = serde_json::from_str(&out).expect("JSON");
                    assert_eq!(
                        written,
                        json!({"serial_number": 1, "field_1": read}),
                        "{}",
                        row.name
                    );
                }
            }
        }
        let mut out = String::new();
        assert!(
            write_members(form().with_values(), "[]", &Cx::of_a_test(false), &mut out).is_err()
        );
    }
}
