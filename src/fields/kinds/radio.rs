//! `radio`: one of several choices.

use crate::base::reader::Reader;
use crate::fields::choices;
use crate::fields::choices::selection::{self, Selection, Style};
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};

pub static KIND: KindRow = KindRow {
    name: "radio",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        in_cells: true,
        becomes: &["dropdown", "checkbox"],
        conditions: Some(selection::CONDITIONS),
        asked_by: &["=single choice", "choose one", "单选"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "red", "label": "Red"}, {"api_code": "blue", "label": "Blue"}]}"#,
            write: r#""red""#,
            stored: r#"{"value": "red"}"#,
            text: "Red",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "red", "label": "Red"}, {"api_code": "else", "label": "Other", "is_other": true}], "random_order": true}"#,
            write: r#"{"value": "else", "other_text": "Green", "extended_text": "ignored"}"#,
            stored: r#"{"value": "else", "other_text": "Green"}"#,
            text: "Other: Green",
        },
    ],
};

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(Selection {
        choices: choices::read(reader, cx),
        several: None,
        random_order: reader.opt_bool("random_order"),
        style: Style::List,
    })
}
