//! `rating`: some of several stars.

use maud::Markup;
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

const DEFAULT_MAX: i64 = 5;

/// The row in the table.
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

impl Kind for Rating {
    fn read_schema(&self) -> Json {
        scales::schema(&(1..=self.rating_max))
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        scales::parse(&(1..=self.rating_max), &raw, at)
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
        Box::new(Scores::new(1..=self.rating_max))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let mark = match self.icon {
            Some("heart") => Mark::Heart,
            Some("number") => Mark::Number,
            _ => Mark::Star,
        };
        scales::input(1..=self.rating_max, mark, cx, &|point| {
            let args = [("point", point.into()), ("points", self.rating_max.into())];
            cx.texts.fill("rating-point", &args)
        })
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart) -> Json {
        scales::form_value(part)
    }
}
