//! Selections of several choices: their number, values, conditions and posted form.

use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text::texts::Texts;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::choices::{Choice, one};
use crate::fields::definition::items::MAX_CHOICES;
use crate::fields::filter::cond::{self, Cond, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::Cx;

/// The format of conditions on a kind with several selections, for people.
pub const CONDITIONS: &str = "A choice's `api_code`. `eq` and `ne` take a list, which must equal the selected choices as a set; `any_in` finds entries that include at least one. `like` searches the labels.";

/// How many choices may be selected.
#[derive(Debug, Serialize)]
pub struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_selected: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_selected: Option<i64>,
}

impl Limits {
    /// The most choices that may be selected; `None` for all of them.
    pub fn most(&self) -> Option<usize> {
        self.max_selected.and_then(|most| usize::try_from(most).ok())
    }

    /// The fewest choices of an answer.
    pub fn least(&self) -> usize {
        self.min_selected.and_then(|least| usize::try_from(least).ok()).unwrap_or_default().max(1)
    }

    /// Reads `min_selected` and `max_selected`, checked against the choices.
    pub fn read(reader: &mut Reader, choices: &[Choice]) -> Self {
        let all = i64::try_from(choices.len()).unwrap_or(i64::MAX).max(1);
        // While a definition is described, the number of choices is unknown.
        for key in ["min_selected", "max_selected"] {
            reader.note(key, || json!({"maximum": MAX_CHOICES}));
        }
        let min_selected = reader.opt_int("min_selected", 0..=all);
        let max_selected = reader.opt_int("max_selected", 1..=all);
        if let (Some(min), Some(max)) = (min_selected, max_selected)
            && min > max
        {
            reader.fault("max_selected", Reason::LessThan("min_selected"));
        }
        Self { min_selected, max_selected }
    }

    /// An empty selection counts as blank, which only `required` forbids.
    fn check(&self, count: usize, at: &mut Issues) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if let Some(min) = self.min_selected.filter(|min| count > 0 && count < *min) {
            at.push(Reason::too_few(min, Things::Choices));
        }
        if let Some(max) = self.max_selected.filter(|max| count > *max) {
            at.push(Reason::too_many(max, Things::Choices));
        }
    }

    /// The limits in words for a page that shows `shown` choices.
    pub fn text(&self, shown: usize, texts: &Texts) -> Option<String> {
        let number = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        let max = number(self.max_selected).filter(|max| *max < shown);
        let min = number(self.min_selected).filter(|min| *min > 1 || Some(*min) == max);
        texts.range("limit-choices", min, max)
    }
}

/// Reads a list of selections; the first of duplicates counts, blank ones are dropped.
pub fn parse(choices: &[Choice], limits: &Limits, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
    let Json::Array(items) = raw else {
        at.push(Reason::MustBe(Expected::Choices));
        return Json::Null;
    };
    if items.len() > MAX_CHOICES {
        at.push(Reason::too_many(MAX_CHOICES, Things::Choices));
        return Json::Null;
    }
    let mut stored: Vec<Json> = Vec::new();
    for (i, item) in items.into_iter().enumerate() {
        let selection = at.index(i, |at| one::parse(choices, item, cx, at));
        let code = code_of(&selection);
        if !selection.is_null() && stored.iter().all(|known| code_of(known) != code) {
            stored.push(selection);
        }
    }
    limits.check(stored.len(), at);
    Json::Array(stored)
}

/// A filter condition: equality compares the whole set. A single code means a set of one, an empty list no selection.
/// The attribute of a fault is `value`.
pub fn condition(op: Op, value: &Json) -> Result<Cond, Issue> {
    if !matches!(op, Op::Eq | Op::Ne) {
        return cond::by_key(op, value, &one::key);
    }
    let several = if value.is_array() { Op::AnyIn } else { Op::Eq };
    let set = match value.as_array().map(Vec::is_empty) {
        Some(true) => Cond::Null,
        _ => match cond::by_key(several, value, &one::key)? {
            Cond::In(keys) => Cond::Set(keys),
            other => other,
        },
    };
    Ok(if op == Op::Eq { set } else { set.negated() })
}

/// Posted values: codes under the field's own name, or items under the write shape's path (`field_3[0].value`).
pub fn form_value(part: &FormPart) -> Json {
    let mut items: Vec<Json> = part.values().map(|code| one::form_value(part, code)).collect();
    items.extend(part.members().filter_map(|(name, item)| {
        let indexed = name.bytes().all(|b| b.is_ascii_digit());
        let code = item.first().or_else(|| item.member("value")?.first());
        code.filter(|_| indexed).map(|code| one::form_value(item, code))
    }));
    Json::Array(items)
}
