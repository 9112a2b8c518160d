//! `rating`: a number of stars.

use crate::base::reader::Reader;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::report::numbers::Scores;
use crate::fields::scales::{Mark, Scale, Style};

const DEFAULT_MAX: i64 = 5;

pub static KIND: KindRow = KindRow {
    name: "rating",
    facets: Facets {
        displayable: true,
        in_cells: true,
        asked_by: &[
            "rate",
            "rating",
            "star",
            "on a scale of",
            "1–5",
            "1-5",
            "1 to 5",
            "1–10",
            "1-10",
            "评分",
            "打分",
            "满意度",
            "评价",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample { definition: "{}", write: "5.0", stored: "5", text: "5" },
        Sample { definition: r#"{"rating_max": 10, "icon": "heart"}"#, write: "1", stored: "1", text: "1" },
    ],
};

static STYLE: Style = Style { has_ends: false, tally: Scores::new };

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let most = reader.opt_int("rating_max", 2..=10).unwrap_or(DEFAULT_MAX);
    let icons = [Mark::Star, Mark::Heart, Mark::Number];
    let icon = reader.opt_word("icon", &icons.map(|mark| (mark.name(), mark)));
    Box::new(Scale {
        rating_max: Some(most),
        icon: icon.map(Mark::name),
        min_label: None,
        max_label: None,
        range: 1..=most,
        mark: icon.unwrap_or(Mark::Star),
        style: &STYLE,
    })
}
