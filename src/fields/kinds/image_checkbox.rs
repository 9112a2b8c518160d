//! `image_checkbox`: any of several choices, shown as pictures.

use crate::base::reader::Reader;
use crate::fields::choices::many::{self, Limits};
use crate::fields::choices::selection::{Selection, Style};
use crate::fields::choices::{self, Beside};
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};

pub static KIND: KindRow = KindRow {
    name: "image_checkbox",
    facets: Facets { displayable: true, conditions: Some(many::CONDITIONS), ..Facets::NONE },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Sea"}, {"api_code": "b", "label": "Hills"}]}"#,
            write: r#"["b", {"value": "a", "other_text": "ignored"}, "b"]"#,
            stored: r#"[{"value": "b"}, {"value": "a"}]"#,
            text: "Hills, Sea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Sea", "quota": 5, "score": 1.5}, {"label": "Hills"}], "min_selected": 1, "max_selected": 1}"#,
            write: r#"[{"value": "a"}]"#,
            stored: r#"[{"value": "a"}]"#,
            text: "Sea",
        },
    ],
};

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let choices = choices::read_with(reader, cx, Beside::Nothing);
    let limits = Limits::read(reader, &choices);
    Box::new(Selection { choices, several: Some(limits), random_order: None, style: Style::Pictures })
}
