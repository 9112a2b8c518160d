//! `short_text`: one line of text.

use crate::base::reader::Reader;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::texts::text_kind::{Style, Text};

pub static KIND: KindRow = KindRow {
    name: "short_text",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        unique: true,
        in_cells: true,
        becomes: &["long_text", "name"],
        asked_by: &["=short", "=text", "=short text", "文本", "单行"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"max_length": 20}"#,
            write: r#""Ada Lovelace""#,
            stored: r#""Ada Lovelace""#,
            text: "Ada Lovelace",
        },
        Sample {
            definition: r#"{"pattern": "[A-Z]{2}\\d+", "pattern_message": "must be a part number"}"#,
            write: r#""AB12""#,
            stored: r#""AB12""#,
            text: "AB12",
        },
    ],
};

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Text::with_rules(reader, &Style::LINE)
}
