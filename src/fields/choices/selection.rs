//! The kinds whose values are selected choices, one or several of them. Several are stored as a list of selections.

use maud::Markup;
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::choices::many::{self, Limits};
use crate::fields::choices::stored_selection::code_of;
use crate::fields::choices::{self, Choice, one};
use crate::fields::columns::{Cell, Column};
use crate::fields::filter::compared::{Compared, ComparedItem};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::grading;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerOrder, AsJson as _, Capacity, Control, Cx, Grading, InputCx, Kind, Live, Operand, Parts, ScoreRange, Scores,
    Sheet,
};
use crate::fields::report::choices::Choices;
use crate::fields::values::formula::{Number, Type, Value};

/// The format of conditions on a kind with one selection, for people.
pub const CONDITIONS: &str = "A choice's `api_code`; `like` searches the label.";

/// A kind whose value is one selection, or a set of them.
#[derive(Serialize)]
pub struct Selection {
    pub choices: Vec<Choice>,
    /// How many choices may be selected; `None` for a single selection.
    #[serde(flatten)]
    pub several: Option<Limits>,
    /// Whether each page shuffles them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_order: Option<bool>,
    #[serde(skip)]
    pub style: Style,
}

/// How choices are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    List,
    Pictures,
    Select,
}

/// The selections of a stored value.
fn selections(stored: &Json) -> &[Json] {
    match stored {
        Json::Array(several) => several,
        one => std::slice::from_ref(one),
    }
}

impl Selection {
    /// The schema of a value with selections of this schema.
    fn schema(&self, selection: Json) -> Json {
        match self.several {
            Some(_) => json!({"type": "array", "items": selection}),
            None => selection,
        }
    }

    /// The selections that `keep` returns.
    fn each(stored: Json, keep: impl Fn(Json) -> Option<Json>) -> Json {
        match stored {
            Json::Array(several) => several.into_iter().filter_map(keep).collect(),
            one => keep(one).unwrap_or_default(),
        }
    }
}

impl Scores for Selection {
    fn score(&self, stored: &Json) -> Option<Number> {
        one::score(&self.choices, stored)
    }

    fn range(&self) -> ScoreRange {
        let scores = one::scores(&self.choices);
        match &self.several {
            Some(limits) => ScoreRange::of_several(&scores, limits.most().unwrap_or(scores.len())),
            None => ScoreRange::of_one(&scores),
        }
    }
}

impl Kind for Selection {
    fn read_schema(&self) -> Json {
        self.schema(choices::read_schema(&self.choices))
    }

    fn write_schema(&self) -> Json {
        self.schema(choices::write_schema(&self.choices))
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        match &self.several {
            Some(limits) => many::parse(&self.choices, limits, raw, cx, at),
            None => one::parse(&self.choices, raw, cx, at),
        }
    }

    fn empty(&self) -> Json {
        match self.several {
            Some(_) => json!([]),
            None => Json::Null,
        }
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        Self::each(stored, |selection| one::prune(&self.choices, selection))
    }

    /// The only selection of a kind that takes one.
    fn adopt(&self, stored: Json) -> Json {
        match stored {
            one @ Json::Object(_) if self.several.is_some() => json!([one]),
            other => other,
        }
    }

    fn without_removed(&self, stored: Json, _: &Cx) -> Json {
        Self::each(stored, |selection| {
            let choice = choices::find(&self.choices, code_of(&selection));
            choice.is_some().then_some(selection)
        })
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join(", ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        let selections = selections(stored).iter();
        let texts = selections.map(|selection| one::text(&self.choices, selection));
        texts.collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let selections = selections(stored).iter();
        let keys = selections.flat_map(|selection| one::keys(&self.choices, selection));
        keys.collect()
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        match self.several {
            Some(_) => many::condition(op, value),
            None => cond::by_key(op, value, &one::key),
        }
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(self.as_json())
    }

    fn answer_order(&self) -> Option<AnswerOrder> {
        let codes = self.choices.iter().map(|choice| choice.api_code.clone());
        self.several.is_none().then(|| AnswerOrder::Choices(codes.collect()))
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn takes_several(&self) -> bool {
        self.several.is_some()
    }

    fn compared(&self) -> Compared {
        let items = self.choices.iter().map(|choice| ComparedItem::new(choice.api_code.clone(), &choice.label));
        Compared::Items(items.collect())
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Choices::new(&self.choices, room))
    }

    fn groups(&self) -> Vec<(&str, &str)> {
        let choices = self.choices.iter().filter(|_| self.several.is_none());
        choices.map(|choice| (choice.code(), choice.label())).collect()
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(&self.choices)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        match self.several {
            Some(_) => Some(&grading::Choices),
            None => Some(&grading::Choice),
        }
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(&self.choices)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn scores(&self) -> Option<&dyn Scores> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Operand for Selection {
    fn operand_type(&self) -> Type {
        Type::Text
    }

    fn operand_value(&self, stored: &Json, _: &Cx) -> Option<Value> {
        one::operand(&self.choices, stored)
    }
}

impl Sheet for Selection {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        choices::sheet::columns(&self.choices)
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        choices::sheet::cells(&self.choices, stored)
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        match self.several {
            Some(_) => choices::sheet::many(&self.choices, cells),
            None => choices::sheet::one(&self.choices, cells),
        }
    }
}

impl Control for Selection {
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let shown = || self.choices.iter().filter(|choice| !choice.is_hidden() && !choice.is_other());
        match &self.several {
            None => shown().map(|choice| json!(choice.code())).take(1).collect(),
            Some(limits) => vec![shown().take(limits.least()).map(|choice| json!(choice.code())).collect()],
        }
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Codes)
    }

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        let limits = self.several.as_ref()?;
        limits.text(choices::shown_items(&self.choices).count(), texts)
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let is_random = self.random_order == Some(true);
        let input_type = match self.several {
            Some(_) => "checkbox",
            None => "radio",
        };
        match self.style {
            Style::List => choices::inputs(&self.choices, is_random, cx, input_type),
            Style::Pictures => choices::pictures(&self.choices, cx, input_type),
            Style::Select => choices::select(&self.choices, cx),
        }
    }

    fn is_group(&self) -> bool {
        self.style != Style::Select
    }

    fn script(&self) -> Option<&'static str> {
        let is_radio = self.several.is_none() && self.style != Style::Select;
        is_radio.then_some("clear.js")
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        match self.several {
            Some(_) => many::form_value(part),
            None => one::of_form(part),
        }
    }
}
