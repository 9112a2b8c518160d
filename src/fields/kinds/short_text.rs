//! `short_text`: one line of text.

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
    name: "short_text",
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

#[derive(Serialize)]
struct ShortText {
    #[serde(flatten)]
    rules: TextRules,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(ShortText {
        rules: TextRules::read(reader),
    })
}

impl Kind for ShortText {
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
        inputs::line(cx, "text", &self.rules.attributes())
    }
}
