//! Single choice: shared by radio buttons, with and without pictures, and drop-down lists.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::fields::choices::methods::choice_methods;
use crate::fields::choices::{self, Choice};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::{AsJson as _, Cx, InputCx, Kind};

/// A kind whose value is one selection.
#[derive(Serialize)]
pub struct One {
    pub choices: Vec<Choice>,
    /// Whether each page shuffles them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_order: Option<bool>,
    #[serde(skip)]
    pub control: Control,
}

/// How choices are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A button each.
    List,
    Pictures,
    Select,
}

impl Kind for One {
    choice_methods!();

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

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        choices::sheet::one(&self.choices, cells)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        vec![choices::code_of(stored)]
    }

    fn input(&self, cx: &InputCx) -> Markup {
        match self.control {
            Control::List => {
                let is_random = self.random_order == Some(true);
                choices::inputs(&self.choices, is_random, cx, "radio")
            }
            Control::Pictures => choices::pictures(&self.choices, cx, "radio"),
            Control::Select => choices::select(&self.choices, cx),
        }
    }

    fn is_group(&self) -> bool {
        self.control != Control::Select
    }

    fn script(&self) -> Option<&'static str> {
        (self.control != Control::Select).then_some("clear.js")
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        choices::one_of_form(part)
    }
}
