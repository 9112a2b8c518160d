//! `nps`: how likely someone is to recommend, from 0 to 10.

use std::ops::RangeInclusive;

use maud::{Markup, html};
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::inputs;
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Row, Sample};
use crate::fields::report::numbers::Scores;
use crate::fields::report::{Room, Tally};
use crate::fields::scales::{self, Mark, scale_methods};

const MOST: i64 = 10;
const MAX_LABEL: usize = 100;

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

impl Nps {
    const fn range(&self) -> RangeInclusive<i64> {
        0..=MOST
    }
}

impl Kind for Nps {
    scale_methods!();

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Scores::nps(self.range()))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let end = |point: i64| match point {
            0 => self.min_label.as_deref(),
            MOST => self.max_label.as_deref(),
            _ => None,
        };
        html! {
            // Where the points stand in two rows, the ends stand above and below them.
            @if let Some(label) = &self.min_label {
                p.scale-first aria-hidden="true" lang=[cx.owners_lang()] { "0 – " bdi { (label) } }
            }
            (scales::input(self.range(), Mark::Number, cx, &|point| match end(point) {
                Some(label) => format!("{point}, {label}"),
                None => point.to_string(),
            }, cx.owners_lang()))
            @if self.min_label.is_some() || self.max_label.is_some() {
                // The ends are part of what a screen reader says of the first and the last point.
                div.scale-ends aria-hidden="true" lang=[cx.owners_lang()] {
                    @for point in [0, MOST] {
                        span { span.scale-end-point { (point) " – " } bdi { (end(point).unwrap_or_default()) } }
                    }
                }
            }
            (inputs::clear(cx, cx.name, None))
        }
    }
}
