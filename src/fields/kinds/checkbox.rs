//! `checkbox`: any of several choices.

use crate::base::reader::Reader;
use crate::fields::choices;
use crate::fields::choices::many::{self, Limits};
use crate::fields::choices::selection::{Selection, Style};
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};

pub static KIND: KindRow = KindRow {
    name: "checkbox",
    facets: Facets {
        displayable: true,
        in_cells: true,
        conditions: Some(many::CONDITIONS),
        asked_by: &[
            "+up to",
            "+at most",
            "+which days",
            "+toppings",
            "+最多选",
            "agree",
            "i accept",
            "i consent",
            "i confirm",
            "all that apply",
            "choose all",
            "select all",
            "tick all",
            "multiple choice",
            "同意",
            "本人承诺",
            "多选",
            "可多选",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Tea"}, {"api_code": "b", "label": "Milk"}]}"#,
            write: r#"["b", {"value": "a"}, "b"]"#,
            stored: r#"[{"value": "b"}, {"value": "a"}]"#,
            text: "Milk, Tea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Tea", "allow_extended_text": true}], "max_selected": 1}"#,
            write: r#"[{"value": "a", "extended_text": "green"}]"#,
            stored: r#"[{"value": "a", "extended_text": "green"}]"#,
            text: "Tea: green",
        },
    ],
};

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let choices = choices::read(reader, cx);
    let limits = Limits::read(reader, &choices);
    Box::new(Selection {
        choices,
        several: Some(limits),
        random_order: reader.opt_bool("random_order"),
        style: Style::List,
    })
}
