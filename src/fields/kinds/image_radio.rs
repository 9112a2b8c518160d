//! `image_radio`: one of several choices, shown as pictures.

use crate::base::reader::Reader;
use crate::fields::choices::selection::{self, Selection, Style};
use crate::fields::choices::{self, Beside};
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};

pub static KIND: KindRow = KindRow {
    name: "image_radio",
    facets: Facets { displayable: true, conditions: Some(selection::CONDITIONS), ..Facets::NONE },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "sea", "label": "Sea"}, {"api_code": "hills", "label": "Hills"}]}"#,
            write: r#""sea""#,
            stored: r#"{"value": "sea"}"#,
            text: "Sea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "sea", "label": "Sea", "quota": 3, "score": 1}]}"#,
            write: r#"{"value": "sea", "other_text": "ignored", "extended_text": "ignored"}"#,
            stored: r#"{"value": "sea"}"#,
            text: "Sea",
        },
    ],
};

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(Selection {
        choices: choices::read_with(reader, cx, Beside::Nothing),
        several: None,
        random_order: None,
        style: Style::Pictures,
    })
}
