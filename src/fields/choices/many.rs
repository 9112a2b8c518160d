//! Multiple choices: shared by check boxes with and without pictures.

use maud::Markup;
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::texts::Texts;
use crate::fields::choices::one::Style;
use crate::fields::choices::{self, Choice};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Type, Value};
use crate::fields::items::MAX_CHOICES;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AsJson as _, Capacity, Control, Cx, InputCx, Kind, Live, Operand, Parts, Scores, Sheet,
};
use crate::fields::report::choices::Choices;
use crate::fields::sheet::{Cell, Column};

/// What conditions on such a kind look like, for people.
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
        Self {
            min_selected,
            max_selected,
        }
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
}

/// A kind whose value is a set of selections.
#[derive(Serialize)]
pub struct Many {
    pub choices: Vec<Choice>,
    #[serde(flatten)]
    pub limits: Limits,
    /// Whether each page shuffles them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_order: Option<bool>,
    /// How they are shown: as a list or with pictures.
    #[serde(skip)]
    pub style: Style,
}

impl Kind for Many {
    fn read_schema(&self) -> Json {
        json!({"type": "array", "items": choices::read_schema(&self.choices)})
    }

    fn write_schema(&self) -> Json {
        json!({"type": "array", "items": choices::write_schema(&self.choices)})
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        parse(&self.choices, &self.limits, raw, cx, at)
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        prune(&self.choices, stored)
    }

    /// The only selection of a kind that takes one.
    fn adopt(&self, stored: Json) -> Json {
        match stored {
            one @ Json::Object(_) => json!([one]),
            other => other,
        }
    }

    fn without_removed(&self, mut stored: Json, _: &Cx) -> Json {
        if let Json::Array(items) = &mut stored {
            items.retain(|item| choices::find(&self.choices, choices::code_of(item)).is_some());
        }
        stored
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join(", ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        let texts = selections(stored).map(|item| choices::text(&self.choices, item));
        texts.collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        keys(&self.choices, stored)
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        condition(op, value)
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(self.as_json())
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Choices::new(&self.choices, room))
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(&self.choices)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(&self.choices)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn scores(&self) -> Option<&dyn Scores> {
        Some(&self.choices)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Operand for Many {
    fn operand_type(&self) -> Type {
        Type::Text
    }

    fn operand_value(&self, stored: &Json, _: &Cx) -> Option<Value> {
        choices::operand(&self.choices, stored)
    }
}

impl Sheet for Many {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        choices::sheet::columns(&self.choices)
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        choices::sheet::cells(&self.choices, stored)
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        choices::sheet::many(&self.choices, cells)
    }
}

impl Control for Many {
    fn live(&self) -> Option<Live> {
        Some(Live::Codes)
    }

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        let Limits {
            min_selected,
            max_selected,
        } = self.limits;
        let number = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        let shown = choices::shown_items(&self.choices).count();
        let max = number(max_selected).filter(|max| *max < shown);
        let min = number(min_selected).filter(|min| *min > 1 || Some(*min) == max);
        texts.range("limit-choices", min, max)
    }

    fn input(&self, cx: &InputCx) -> Markup {
        match self.style {
            Style::Pictures => choices::pictures(&self.choices, cx, "checkbox"),
            _ => {
                let is_random = self.random_order == Some(true);
                choices::inputs(&self.choices, is_random, cx, "checkbox")
            }
        }
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        form_value(part)
    }
}

/// Reads a list of selections; the first of duplicates counts, blank ones are dropped.
fn parse(choices: &[Choice], limits: &Limits, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
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
        let selection = at.index(i, |at| choices::parse(choices, item, cx, at));
        let code = choices::code_of(&selection);
        if !selection.is_null() && stored.iter().all(|known| choices::code_of(known) != code) {
            stored.push(selection);
        }
    }
    limits.check(stored.len(), at);
    Json::Array(stored)
}

fn selections(stored: &Json) -> impl Iterator<Item = &Json> {
    stored.as_array().into_iter().flatten()
}

/// Removes choices that no longer exist from a stored set.
fn prune(choices: &[Choice], stored: Json) -> Json {
    match stored {
        Json::Array(items) => items
            .into_iter()
            .filter_map(|selection| choices::prune(choices, selection))
            .collect(),
        other => other,
    }
}

/// The filter keys: codes and labels of all selections.
fn keys(choices: &[Choice], stored: &Json) -> Vec<Key> {
    selections(stored)
        .flat_map(|item| choices::keys(choices, item))
        .collect()
}

/// A filter condition: equality compares the whole set. A single code stands for a set of one, an empty list for no
/// selection. The attribute of a fault is `value`.
fn condition(op: Op, value: &Json) -> Result<Cond, Issue> {
    if !matches!(op, Op::Eq | Op::Ne) {
        return cond::by_key(op, value, &choices::key);
    }
    let several = if value.is_array() { Op::AnyIn } else { Op::Eq };
    let set = match value.as_array().map(Vec::is_empty) {
        Some(true) => Cond::Null,
        _ => match cond::by_key(several, value, &choices::key)? {
            Cond::In(keys) => Cond::Set(keys),
            other => other,
        },
    };
    Ok(if op == Op::Eq { set } else { set.negated() })
}

/// Posted values: codes under the field's own name, or items under the write shape's path (`field_3[0].value`).
fn form_value(part: &FormPart) -> Json {
    let mut items: Vec<Json> = part
        .values()
        .map(|code| choices::form_value(part, code))
        .collect();
    items.extend(part.members().filter_map(|(name, item)| {
        let indexed = name.bytes().all(|b| b.is_ascii_digit());
        let code = item.first().or_else(|| item.member("value")?.first());
        code.filter(|_| indexed)
            .map(|code| choices::form_value(item, code))
    }));
    Json::Array(items)
}
