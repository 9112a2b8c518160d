//! `long_text`: several lines of text.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::texts::Texts;
use crate::fields::inputs;
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Row, Sample};
use crate::fields::pattern::Cost;
use crate::fields::text_kind::text_methods;
use crate::fields::text_rules::TextRules;

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
    text_methods!();

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        self.rules.parse(raw, at)
    }

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        self.rules.limits(texts)
    }

    fn script(&self) -> Option<&'static str> {
        self.rules.script()
    }

    fn pattern_cost(&self) -> Cost {
        self.rules.pattern_cost()
    }

    fn input(&self, cx: &InputCx) -> Markup {
        inputs::area(cx, &self.rules.attributes())
    }
}
