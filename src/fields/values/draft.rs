//! An entry's values while they are written.

use std::collections::HashMap;

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::kind::Cx;
use crate::fields::values::rules::RuleEffects;
use crate::fields::values::stored::{Values, is_blank};
use crate::fields::values::{default_of, today, without_removed};
use crate::fields::{Field, Fields};

/// Whether a respondent sends back the bookings that are stored: they stay although their time has come, so that the
/// other answers can still be changed.
fn is_kept_booking(field: &Field, raw: &Json, old: &Values, cx: &Cx) -> bool {
    let stored = old.get(&field.api_code);
    if !cx.respondent || field.kind.calendar().is_none() || stored.is_none() {
        return false;
    }
    let mut faults = Issues::new();
    let given = field.kind.parse(raw.clone(), &Cx { respondent: false, ..*cx }.of_field(field), &mut faults);
    faults.is_empty() && stored == Some(&given)
}

/// Whether what the entry shows of a link or a booking is sent back: it stays, also when the linked entry is gone, or
/// the form has no such time any more, and it could not be chosen anew.
fn is_sent_back(field: &Field, raw: &Json, old: &Values, cx: &Cx) -> bool {
    if field.kind.linking().is_none() && field.kind.calendar().is_none() {
        return false;
    }
    today(field, old.get(&field.api_code), cx)
        .is_some_and(|stored| field.kind.read(&stored, &cx.of_field(field)) == *raw)
}

/// An entry's values before rules are applied, with the faults of each.
pub struct Draft {
    pub values: Values,
    /// By the fields' positions; `None` if no value was given.
    faults: Vec<Option<Issues>>,
    /// The parsed parts of faulty values, which may lack more than the faults say.
    faulty: HashMap<usize, Json>,
}

impl Draft {
    pub fn of_new(fields: &Fields, mut given: Map<String, Json>, cx: &Cx, at: &mut Issues) -> Self {
        let mut draft = Self::empty(fields);
        for (place, field) in fields.iter().enumerate() {
            if !field.kind.has_value() || !field.is_given(cx) {
                continue;
            }
            let raw = given.shift_remove(&field.api_code).filter(|_| !(field.hidden && cx.respondent));
            let raw = raw.unwrap_or_else(|| default_of(field, cx));
            draft.parse(place, field, raw, cx, at);
        }
        draft
    }

    pub fn of_change(fields: &Fields, old: &Values, mut given: Map<String, Json>, cx: &Cx, at: &mut Issues) -> Self {
        let mut draft = Self::empty(fields);
        for (place, field) in fields.iter().enumerate() {
            if !field.kind.has_value() {
                continue;
            }
            let raw = given.shift_remove(&field.api_code);
            let is_theirs = field.is_given(cx) && !(field.hidden && cx.respondent);
            match raw.filter(|_| is_theirs) {
                Some(raw) if is_kept_booking(field, &raw, old, cx) => {
                    draft
                        .values
                        .extend(old.get_key_value(&field.api_code).map(|(code, old)| (code.clone(), old.clone())));
                    draft.faults[place] = Some(Issues::new());
                }
                Some(raw) if is_sent_back(field, &raw, old, cx) => {
                    let stored = today(field, old.get(&field.api_code), cx);
                    draft.values.extend(stored.map(|stored| (field.api_code.clone(), stored)));
                    draft.faults[place] = Some(Issues::new());
                }
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
        Self { values: Values::new(), faults: vec![None; fields.len()], faulty: HashMap::new() }
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
    pub fn keep_untouched(&mut self, fields: &Fields, old: &Values, named: &[bool], cx: &Cx) {
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
                self.values.insert(field.api_code.clone(), kept.into_owned());
            }
        }
    }

    pub fn is_named(&self, place: usize) -> bool {
        self.faults[place].is_some()
    }

    /// Reports the faults of a field that rules don't hide; `asks` decides whether a blank counts.
    pub fn say(
        &mut self,
        place: usize,
        field: &Field,
        outcome: &RuleEffects,
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
                // Nothing of the value could be read, which has been reported.
                Some(Json::Null) if stored.is_none() => {}
                Some(stored) => field.kind.check_whole(stored, at),
                None => at.push(Reason::Blank),
            }
        });
    }
}
