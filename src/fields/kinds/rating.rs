//! `rating`: a number of stars.

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

const DEFAULT_MAX: i64 = 5;

pub static KIND: Row = Row {
    name: "rating",
    facets: Facets {
        displayable: true,
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: "5.0",
            stored: "5",
            text: "5",
        },
        Sample {
            definition: r#"{"rating_max": 10, "icon": "heart"}"#,
            write: "1",
            stored: "1",
            text: "1",
        },
    ],
};

#[derive(Serialize)]
struct Rating {
    rating_max: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'static str>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let rating_max = reader.opt_int("rating_max", 2..=10);
    let icons = [Mark::Star, Mark::Heart, Mark::Number].map(|mark| (mark.name(), mark.name()));
    Box::new(Rating {
        rating_max: rating_max.unwrap_or(DEFAULT_MAX),
        icon: reader.opt_word("icon", &icons),
    })
}

impl Rating {
    const fn range(&self) -> RangeInclusive<i64> {
        1..=self.rating_max
    }
}

impl Kind for Rating {
    scale_methods!();

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Scores::new(self.range()))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let mark = match self.icon {
            Some("heart") => Mark::Heart,
            Some("number") => Mark::Number,
            _ => Mark::Star,
        };
        let say = |point: i64| {
            let args = [("point", point.into()), ("points", self.rating_max.into())];
            cx.texts.fill("rating-point", &args)
        };
        html! {
            (scales::input(self.range(), mark, cx, &say, None))
            (inputs::clear(cx, cx.name, None))
        }
    }
}
