//! `name`: what somebody is called.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Row, Sample};
use crate::fields::text_kind::text_methods;
use crate::fields::text_rules::TextRules;

/// The row in the table.
pub static KIND: Row = Row {
    name: "name",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        unique: true,
        protectable: true,
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#""Ada Lovelace""#,
            stored: r#""Ada Lovelace""#,
            text: "Ada Lovelace",
        },
        Sample {
            definition: r#"{"max_length": 50}"#,
            write: r#""张伟""#,
            stored: r#""张伟""#,
            text: "张伟",
        },
    ],
};

#[derive(Serialize)]
struct Name {
    #[serde(flatten)]
    rules: TextRules,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(Name {
        rules: TextRules::read(reader),
    })
}

impl Kind for Name {
    text_methods!();

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        self.rules.parse(raw, at)
    }

    /// The first character is left: `Z**`.
    fn mask(&self, text: &str) -> String {
        let mut chars = text.chars();
        let first = chars.next().map(String::from).unwrap_or_default();
        first + &"*".repeat(chars.count().max(usize::from(!text.is_empty())))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let attributes = LineAttributes {
            autocomplete: Some("name"),
            ..self.rules.attributes()
        };
        inputs::line(cx, "text", &attributes)
    }
}
