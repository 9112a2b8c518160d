//! `nps`: how likely someone is to recommend, from 0 to 10.

use crate::base::reader::Reader;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::report::numbers::Scores;
use crate::fields::scales::{Mark, Scale, Style};

const MOST: i64 = 10;
const MAX_LABEL: usize = 100;

pub static KIND: KindRow = KindRow {
    name: "nps",
    facets: Facets {
        displayable: true,
        asked_by: &["nps", "how likely", "recommend us", "推荐我们", "愿意推荐"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample { definition: "{}", write: "0", stored: "0", text: "0" },
        Sample {
            definition: r#"{"min_label": "Not likely", "max_label": "Very likely"}"#,
            write: "1e1",
            stored: "10",
            text: "10",
        },
    ],
};

static STYLE: Style = Style { has_ends: true, tally: Scores::nps };

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(Scale {
        rating_max: None,
        icon: None,
        min_label: reader.opt_text("min_label", MAX_LABEL),
        max_label: reader.opt_text("max_label", MAX_LABEL),
        range: 0..=MOST,
        mark: Mark::Number,
        style: &STYLE,
    })
}
