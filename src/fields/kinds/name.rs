//! `name`: what somebody is called.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text;
use crate::fields::cond::Op;
use crate::fields::formula::Type;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Live, Plain, Row, Sample};
use crate::fields::report::texts::Texts;
use crate::fields::report::{Room, Tally};
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
    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        self.rules.parse(raw, at)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_str().unwrap_or_default().to_owned()
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Text)
    }

    /// The first character is left: `Z**`.
    fn mask(&self, text: &str) -> String {
        let mut chars = text.chars();
        let first = chars.next().map(String::from).unwrap_or_default();
        first + &"*".repeat(chars.count().max(usize::from(!text.is_empty())))
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
        let attributes = LineAttributes {
            autocomplete: Some("name"),
            ..self.rules.attributes()
        };
        inputs::line(cx, "text", &attributes)
    }
}
