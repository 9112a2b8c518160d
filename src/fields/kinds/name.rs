//! `name`: a person's name.

use crate::base::reader::Reader;
use crate::base::text;
use crate::fields::inputs::LineAttributes;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::texts::text_kind::{Style, Text};

pub static KIND: KindRow = KindRow {
    name: "name",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        unique: true,
        protectable: true,
        in_cells: true,
        becomes: &["short_text", "long_text"],
        asked_by: &[
            "=name",
            "your name",
            "full name",
            "first name",
            "last name",
            "surname",
            "family name",
            "姓名",
            "名字",
            "称呼",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample { definition: "{}", write: r#""Ada Lovelace""#, stored: r#""Ada Lovelace""#, text: "Ada Lovelace" },
        Sample { definition: r#"{"max_length": 50}"#, write: r#""张伟""#, stored: r#""张伟""#, text: "张伟" },
    ],
};

static STYLE: Style = Style {
    attributes: LineAttributes { autocomplete: Some("name"), ..LineAttributes::NONE },
    mask: Some(mask),
    ..Style::LINE
};

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Text::with_rules(reader, &STYLE)
}

/// Keeps the first character: `Z**`. The length of the name is not shown, and a name of one character is hidden
/// entirely.
fn mask(text: &str) -> String {
    let text = text.trim();
    let first = text.chars().next().filter(|_| text::length(text) > 1);
    first.map(String::from).unwrap_or_default() + "**"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

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
