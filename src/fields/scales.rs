//! Scales: shared by ratings and recommendation scores.

use std::ops::RangeInclusive;

use maud::{Markup, html};
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::named::named;
use crate::base::reader::{as_int, out_of};
use crate::base::reason::{Expected, Reason};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::inputs;
use crate::fields::kind::{Cx, InputCx};
use crate::fields::local_number;

named! {
    /// The symbol of each point.
    pub enum Mark {
        /// A star; those up to the chosen one are filled.
        Star = "star",
        /// A heart, likewise.
        Heart = "heart",
        /// The number.
        Number = "number",
    }
}

impl Mark {
    /// The outline in a square of 24.
    const fn outline(self) -> Option<&'static str> {
        match self {
            Self::Star => Some(
                "M12 2.6l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5-5.8-3.1-5.8 3.1 1.1-6.5-4.7-4.6 6.5-.9z",
            ),
            Self::Heart => Some(
                "M12 20.5C5.6 15.9 2.6 12.6 2.6 8.9 2.6 6.2 4.7 4 7.4 4c1.9 0 3.6 1 4.6 2.6C13 5 14.7 4 16.6 4c2.7 0 4.8 2.2 4.8 4.9 0 3.7-3 7-9.4 11.6z",
            ),
            Self::Number => None,
        }
    }
}

/// The methods of a kind that are the same in both: a value is a point of `self.range()`.
macro_rules! scale_methods {
    () => {
        fn read_schema(&self) -> Json {
            $crate::fields::scales::schema(&self.range())
        }

        fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
            $crate::fields::scales::parse(&self.range(), &raw, at)
        }

        fn text(&self, stored: &Json, _: &Cx) -> String {
            stored.to_string()
        }

        fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
            vec![format!("{stored} / {}", self.range().end())]
        }

        fn plain(&self) -> Option<$crate::fields::kind::Plain> {
            Some($crate::fields::kind::Plain::Number)
        }

        fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
            $crate::fields::sheet::number(cells.first().copied().unwrap_or_default())
        }

        fn keys(&self, stored: &Json, _: &Cx) -> Vec<$crate::fields::cond::Key> {
            $crate::fields::scales::keys(stored)
        }

        fn live(&self) -> Option<$crate::fields::kind::Live> {
            Some($crate::fields::kind::Live::Number(None))
        }

        fn operand_type(&self) -> Option<$crate::fields::formula::Type> {
            Some($crate::fields::formula::Type::Number)
        }

        fn has_scores(&self) -> bool {
            true
        }

        fn score(&self, stored: &Json) -> Option<$crate::fields::formula::Number> {
            $crate::fields::formula::Number::of(stored)
        }

        fn operators(&self) -> &'static [$crate::fields::cond::Op] {
            $crate::fields::cond::Op::SCORE
        }

        fn condition(
            &self,
            op: $crate::fields::cond::Op,
            value: &Json,
            _: &Cx,
        ) -> Result<$crate::fields::cond::Cond, $crate::base::issue::Issue> {
            $crate::fields::scales::condition(op, value)
        }

        fn is_group(&self) -> bool {
            true
        }

        fn script(&self) -> Option<&'static str> {
            Some("clear.js")
        }

        fn form_value(&self, part: &$crate::fields::form_part::FormPart, cx: &Cx) -> Json {
            $crate::fields::scales::form_value(part, cx)
        }
    };
}

pub(in crate::fields) use scale_methods;

pub fn schema(range: &RangeInclusive<i64>) -> Json {
    json!({"type": "integer", "minimum": range.start(), "maximum": range.end()})
}

/// Reads a point: a whole number in the range.
pub fn parse(range: &RangeInclusive<i64>, raw: &Json, at: &mut Issues) -> Json {
    match as_int(raw) {
        None => at.push(Reason::MustBe(Expected::WholeNumber)),
        Some(point) if range.contains(&point) => return json!(point),
        Some(_) => at.push(out_of(range)),
    }
    Json::Null
}

/// What conditions look at: the number.
pub fn keys(stored: &Json) -> Vec<Key> {
    stored.as_f64().map(Key::Number).into_iter().collect()
}

/// A condition on the number.
///
/// # Errors
/// A fault whose attribute is `value`.
pub fn condition(op: Op, value: &Json) -> Result<Cond, Issue> {
    cond::by_key(op, value, &|value| {
        value
            .as_f64()
            .map(Key::Number)
            .ok_or(Reason::MustBe(Expected::Number))
    })
}

/// The posted value; text that is not a number is passed on, so that parsing reports it.
pub fn form_value(part: &FormPart, cx: &Cx) -> Json {
    let Some(typed) = part.first().map(str::trim) else {
        return Json::Null;
    };
    local_number::of_form(typed, cx.locale)
}

/// Radio buttons in a row, each with its text for screen readers, in the language `lang` or the page's.
pub fn input(
    range: RangeInclusive<i64>,
    mark: Mark,
    cx: &InputCx,
    say: &dyn Fn(i64) -> String,
    lang: Option<&str>,
) -> Markup {
    let first = *range.start();
    let chosen = as_int(cx.value);
    html! {
        div.scale lang=[lang] data-mark=(mark.name()) data-points=(range.clone().count()) {
            @for point in range {
                // The first one has the group's own id, so that an error's link leads to it.
                @let id = if point == first { cx.name.to_owned() } else { format!("{}.{point}", cx.name) };
                label.point for=(id) {
                    input type="radio" id=(id) name=(cx.name) value=(point) aria-label=(say(point))
                        checked[chosen == Some(point)] required[cx.required]
                        aria-invalid=[cx.invalid.then_some("true")]
                        aria-describedby=[inputs::described_by(cx)];
                    span aria-hidden="true" {
                        @match mark.outline() {
                            Some(outline) => svg viewBox="0 0 24 24" { path d=(outline) {} },
                            None => (point),
                        }
                    }
                }
            }
        }
    }
}
