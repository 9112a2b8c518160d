//! Scales: shared by ratings and recommendation scores.

use std::ops::RangeInclusive;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::{Json, digits};
use crate::base::named::named;
use crate::base::reader::{as_int, out_of};
use crate::base::reason::{Expected, Reason};
use crate::fields::display::local_number;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{Control, Cx, Grading, InputCx, Kind, Live, Operand, Plain, ScoreRange, Scores, Sheet};
use crate::fields::report::numbers::Scores as Points;
use crate::fields::values::formula::{Number, Type};
use crate::fields::{columns, grading, inputs};

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
            Self::Star => Some("M12 2.6l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5-5.8-3.1-5.8 3.1 1.1-6.5-4.7-4.6 6.5-.9z"),
            Self::Heart => Some(
                "M12 20.5C5.6 15.9 2.6 12.6 2.6 8.9 2.6 6.2 4.7 4 7.4 4c1.9 0 3.6 1 4.6 2.6C13 5 14.7 4 16.6 4c2.7 0 4.8 2.2 4.8 4.9 0 3.7-3 7-9.4 11.6z",
            ),
            Self::Number => None,
        }
    }
}

/// A kind whose value is a point on a scale.
#[derive(Serialize)]
pub struct Scale {
    /// The last point, where the definition says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_max: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<&'static str>,
    /// The label of the first point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_label: Option<String>,
    /// The label of the last point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_label: Option<String>,
    #[serde(skip)]
    pub range: RangeInclusive<i64>,
    #[serde(skip)]
    pub mark: Mark,
    #[serde(skip)]
    pub style: &'static Style,
}

/// Differences between kinds of scales.
pub struct Style {
    /// Whether the ends have names of their own; else each point is heard with how many there are.
    pub has_ends: bool,
    pub tally: fn(RangeInclusive<i64>) -> Points,
}

impl Scale {
    fn end(&self, point: i64) -> Option<&str> {
        if point == *self.range.start() {
            self.min_label.as_deref()
        } else if point == *self.range.end() {
            self.max_label.as_deref()
        } else {
            None
        }
    }

    /// The label of a point for screen readers.
    fn say(&self, point: i64, cx: &InputCx) -> String {
        if !self.style.has_ends {
            let points = *self.range.end();
            let args = [("point", point.into()), ("points", points.into())];
            return cx.texts.fill("rating-point", &args);
        }
        match self.end(point) {
            Some(label) => format!("{point}, {label}"),
            None => point.to_string(),
        }
    }
}

impl Kind for Scale {
    fn read_schema(&self) -> Json {
        schema(&self.range)
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        parse(&self.range, &raw, at)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.to_string()
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        vec![format!("{stored} / {}", self.range.end())]
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Number)
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        stored.as_f64().map(Key::Number).into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::SCORE
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        condition(op, value)
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new((self.style.tally)(self.range.clone()))
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn scores(&self) -> Option<&dyn Scores> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Number)
    }
}

impl Sheet for Scale {
    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        columns::number(cells.first().copied().unwrap_or_default(), cx.locale)
    }
}

impl Operand for Scale {
    fn operand_type(&self) -> Type {
        Type::Number
    }
}

impl Scores for Scale {
    fn score(&self, stored: &Json) -> Option<Number> {
        Number::of(stored)
    }

    fn range(&self) -> ScoreRange {
        let ends =
            [*self.range.start(), *self.range.end()].map(|end| f64::from(i32::try_from(end).unwrap_or(i32::MAX)));
        ScoreRange::of_one(&ends)
    }
}

impl Control for Scale {
    fn live(&self) -> Option<Live> {
        Some(Live::Number(None))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let (first, last) = (*self.range.start(), *self.range.end());
        let lang = cx.owners_lang().filter(|_| self.style.has_ends);
        html! {
            // If the points wrap into two rows, the end labels are above and below them.
            @if let Some(label) = &self.min_label {
                p.scale-first aria-hidden="true" lang=[cx.owners_lang()] { (first) " – " bdi { (label) } }
            }
            (input(self.range.clone(), self.mark, cx, &|point| self.say(point, cx), lang))
            @if self.min_label.is_some() || self.max_label.is_some() {
                // Screen readers hear the end labels with the first and last point.
                div.scale-ends aria-hidden="true" lang=[cx.owners_lang()] {
                    @for (point, label) in [first, last].map(|point| (point, self.end(point).unwrap_or_default())) {
                        span data-blank[label.is_empty()] { span.scale-end-point { (point) " – " } bdi { (label) } }
                    }
                }
            }
            (inputs::clear(cx, cx.name, None))
        }
    }

    fn is_group(&self) -> bool {
        true
    }

    fn script(&self) -> Option<&'static str> {
        Some("clear.js")
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        form_value(part, cx)
    }
}

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

/// A condition on the number. The attribute of a fault is `value`.
fn condition(op: Op, value: &Json) -> Result<Cond, Issue> {
    cond::by_key(op, value, &|value| digits::double(value).map(Key::Number))
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
