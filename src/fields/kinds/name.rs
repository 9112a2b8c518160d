//! `name`: a person's name.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text;
use crate::base::texts::Texts;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Row, Sample};
use crate::fields::pattern::Cost;
use crate::fields::text_kind::text_methods;
use crate::fields::text_rules::TextRules;

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

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        self.rules.limits(texts)
    }

    fn script(&self) -> Option<&'static str> {
        self.rules.script()
    }

    fn pattern_cost(&self) -> Cost {
        self.rules.pattern_cost()
    }

    /// The first character is left: `Z**`. How long the name is can't be seen, and a name of one character is
    /// hidden whole.
    fn mask(&self, text: &str) -> String {
        let text = text.trim();
        let first = text.chars().next().filter(|_| text::length(text) > 1);
        first.map(String::from).unwrap_or_default() + "**"
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let attributes = LineAttributes {
            autocomplete: Some("name"),
            ..self.rules.attributes()
        };
        inputs::line(cx, "text", &attributes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;
    use crate::base::issue::Issues;

    fn mask(text: &str) -> String {
        let rules = TextRules::read(&mut Reader::new(serde_json::json!({}), &mut Issues::new()));
        Name { rules }.mask(text)
    }

    #[test]
    fn the_first_character_of_a_name_is_left() {
        for (name, masked) in [
            ("Zoe", "Z**"),
            ("Ada Lovelace", "A**"),
            (" Ada", "A**"),
            ("欧阳娜娜", "欧**"),
            ("张伟", "张**"),
            ("محمد", "م**"),
            ("李", "**"),
            (" Q ", "**"),
            ("", "**"),
        ] {
            assert_eq!(mask(name), masked);
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn a_mask_shows_one_character_at_most_and_never_all(name in "\\PC{0,20}") {
            let masked = mask(&name);
            let shown = masked.strip_suffix("**").expect("a mask");
            prop_assert!(text::length(shown) <= 1 && name.trim().starts_with(shown));
            prop_assert!(shown.is_empty() || shown != name.trim());
        }
    }
}
