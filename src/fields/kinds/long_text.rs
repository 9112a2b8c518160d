//! `long_text`: several lines of text.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text;
use crate::fields::cond::Op;
use crate::fields::formula::Type;
use crate::fields::inputs;
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Live, Plain, Row, Sample};
use crate::fields::report::texts::Texts;
use crate::fields::report::{Room, Tally};
use crate::fields::text_rules::TextRules;

/// The row in the table.
pub static KIND: Row = Row {
    name: "long_text",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        unique: true,
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

#[derive(Serialize)]
struct LongText {
    #[serde(flatten)]
    rules: TextRules,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(LongText {
        rules: TextRules::read(reader),
    })
}

impl Kind for LongText {
    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        self.rules.parse(raw, at)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_str().unwrap_or_default().to_owned()
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Text)
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Text)
    }

    fn operand_type(&self) -> Option<Type> {
        Some(Type::Text)
    }

    fn operators(&self) -> &'static [Op] {
        Op::TEXT
    }

    fn unique_key(&self, stored: &Json) -> Option<String> {
        stored.as_str().map(text::fold)
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Texts::new(room))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        inputs::area(cx, &self.rules.attributes())
    }
}
