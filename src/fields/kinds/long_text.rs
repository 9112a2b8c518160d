//! `long_text`: several lines of text.

use crate::base::reader::Reader;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::texts::text_kind::{Style, Text};

pub static KIND: KindRow = KindRow {
    name: "long_text",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        unique: true,
        in_cells: true,
        becomes: &["short_text", "name"],
        asked_by: &[
            "=long",
            "=long text",
            "comment",
            "remark",
            "message",
            "describe",
            "explain",
            "anything else",
            "suggestion",
            "feedback",
            "多行",
            "备注",
            "留言",
            "建议",
            "意见",
            "说明",
            "描述",
            "详细",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#""First line\r\nsecond line""#,
            stored: r#""First line\nsecond line""#,
            text: "First line\nsecond line",
        },
        Sample {
            definition: r#"{"min_length": 3, "max_length": 2000}"#,
            write: r#""  kept as sent  ""#,
            stored: r#""  kept as sent  ""#,
            text: "  kept as sent  ",
        },
    ],
};

static STYLE: Style = Style { control: None, ..Style::LINE };

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Text::with_rules(reader, &STYLE)
}
