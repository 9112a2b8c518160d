//! `nps`: how likely it is that somebody recommends, from 0 to 10.

use maud::{Markup, html};
use serde::Serialize;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::cond::{Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Number, Type};
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Live, Plain, Row, Sample};
use crate::fields::report::numbers::Scores;
use crate::fields::report::{Room, Tally};
use crate::fields::scales::{self, Mark};
use crate::fields::sheet;

const MOST: i64 = 10;
const MAX_LABEL: usize = 100;

/// The row in the table.
pub static KIND: Row = Row {
    name: "nps",
    facets: Facets {
        displayable: true,
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: "0",
            stored: "0",
            text: "0",
        },
        Sample {
            definition: r#"{"min_label": "Not likely", "max_label": "Very likely"}"#,
            write: "1e1",
            stored: "10",
            text: "10",
        },
    ],
};

#[derive(Serialize)]
struct Nps {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_label: Option<String>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(Nps {
        min_label: reader.opt_text("min_label", MAX_LABEL),
        max_label: reader.opt_text("max_label", MAX_LABEL),
    })
}

impl Kind for Nps {
    fn read_schema(&self) -> Json {
        scales::schema(&(0..=MOST))
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        scales::parse(&(0..=MOST), &raw, at)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.to_string()
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Number)
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        sheet::number(cells.first().copied().unwrap_or_default())
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        scales::keys(stored)
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Number(None))
    }

    fn operand_type(&self) -> Option<Type> {
        Some(Type::Number)
    }

    fn has_scores(&self) -> bool {
        true
    }

    fn score(&self, stored: &Json) -> Option<Number> {
        Number::of(stored)
    }

    fn operators(&self) -> &'static [Op] {
        Op::SCORE
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        scales::condition(op, value)
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Scores::nps(0..=MOST))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let end = |point: i64| match point {
            0 => self.min_label.as_deref(),
            MOST => self.max_label.as_deref(),
            _ => None,
        };
        html! {
            (scales::input(0..=MOST, Mark::Number, cx, &|point| match end(point) {
                Some(label) => format!("{point}, {label}"),
                None => point.to_string(),
            }))
            @if self.min_label.is_some() || self.max_label.is_some() {
                // The ends are part of what a screen reader says of the first and the last point.
                div.scale-ends aria-hidden="true" {
                    @for point in [0, MOST] { span dir="auto" { (end(point).unwrap_or_default()) } }
                }
            }
        }
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart) -> Json {
        scales::form_value(part)
    }
}
