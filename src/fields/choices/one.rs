//! Single choice: shared by radio buttons, with and without pictures, and drop-down lists.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::fields::choices::{self, Choice};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Type, Value};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AsJson as _, Capacity, Control, Cx, InputCx, Kind, Live, Operand, Parts, Scores, Sheet,
};
use crate::fields::report::choices::Choices;
use crate::fields::sheet::{Cell, Column};

/// What conditions on such a kind look like, for people.
pub const CONDITIONS: &str = "A choice's `api_code`; `like` searches the label.";

/// A kind whose value is one selection.
#[derive(Serialize)]
pub struct One {
    pub choices: Vec<Choice>,
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

impl Kind for One {
    fn read_schema(&self) -> Json {
        choices::read_schema(&self.choices)
    }

    fn write_schema(&self) -> Json {
        choices::write_schema(&self.choices)
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        choices::parse(&self.choices, raw, cx, at)
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        choices::prune(&self.choices, stored).unwrap_or_default()
    }

    fn without_removed(&self, stored: Json, _: &Cx) -> Json {
        match choices::find(&self.choices, choices::code_of(&stored)) {
            Some(_) => stored,
            None => Json::Null,
        }
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        choices::text(&self.choices, stored)
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        choices::keys(&self.choices, stored)
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &choices::key)
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

impl Operand for One {
    fn operand_type(&self) -> Type {
        Type::Text
    }

    fn operand_value(&self, stored: &Json, _: &Cx) -> Option<Value> {
        choices::operand(&self.choices, stored)
    }
}

impl Sheet for One {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        choices::sheet::columns(&self.choices)
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        choices::sheet::cells(&self.choices, stored)
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        choices::sheet::one(&self.choices, cells)
    }
}

impl Control for One {
    fn live(&self) -> Option<Live> {
        Some(Live::Codes)
    }

    fn input(&self, cx: &InputCx) -> Markup {
        match self.style {
            Style::List => {
                let is_random = self.random_order == Some(true);
                choices::inputs(&self.choices, is_random, cx, "radio")
            }
            Style::Pictures => choices::pictures(&self.choices, cx, "radio"),
            Style::Select => choices::select(&self.choices, cx),
        }
    }

    fn is_group(&self) -> bool {
        self.style != Style::Select
    }

    fn script(&self) -> Option<&'static str> {
        (self.style != Style::Select).then_some("clear.js")
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        choices::one_of_form(part)
    }
}
