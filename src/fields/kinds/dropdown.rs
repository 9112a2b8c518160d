//! `dropdown`: one of several choices, in a drop-down list.

use crate::base::reader::Reader;
use crate::fields::choices::selection::{self, Selection, Style};
use crate::fields::choices::{self, Beside};
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};

pub static KIND: KindRow = KindRow {
    name: "dropdown",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        in_cells: true,
        becomes: &["radio", "checkbox"],
        conditions: Some(selection::CONDITIONS),
        asked_by: &["dropdown", "drop-down", "下拉"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "red", "label": "Red"}, {"api_code": "blue", "label": "Blue"}]}"#,
            write: r#""blue""#,
            stored: r#"{"value": "blue"}"#,
            text: "Blue",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "red", "label": "Red", "quota": 9}, {"api_code": "else", "label": "Other", "is_other": true}]}"#,
            write: r#"{"value": "else", "other_text": "Green", "extended_text": "ignored"}"#,
            stored: r#"{"value": "else", "other_text": "Green"}"#,
            text: "Other: Green",
        },
    ],
};

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(Selection {
        choices: choices::read_with(reader, cx, Beside::Other),
        several: None,
        random_order: None,
        style: Style::Select,
    })
}
