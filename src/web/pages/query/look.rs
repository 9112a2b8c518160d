//! The colours that the owner chose, and the focal point of the header image, as the page's style block. Each colour is
//! parsed, and moved as far as text on the page needs to be read, in light and dark (S57).

use std::fmt::Write as _;

use crate::base::colour::{Colour, EDGE, TEXT};
use crate::model::public_query::{DisplayRule, Rules};
use crate::ops::queries::visit::Column;
use crate::web::pages::ui::theme::Theme;

/// The page's grounds, of cards and behind them, and its text, as in the stylesheet.
const LIGHT: [&str; 3] = ["#ffffff", "#f5f6f8", "#111827"];
const DARK: [&str; 3] = ["#101318", "#181c23", "#e9ebef"];
/// How much of a highlight's colour its ground has.
const SOFT: f64 = 0.18;

/// Highlighted columns in their order: lowest position first.
pub fn highlighted<'r>(rules: impl Iterator<Item = &'r DisplayRule>) -> Vec<&'r DisplayRule> {
    let mut marked: Vec<&DisplayRule> = rules.filter(|rule| rule.highlight.is_some()).collect();
    marked.sort_by_key(|rule| rule.highlight.as_ref().map(|it| it.position));
    marked
}

/// The columns in the order in which they are shown, each with the class of its highlight: highlighted ones first.
pub fn ordered<'c, 'q>(columns: &'c [Column<'q>]) -> Vec<(usize, &'c Column<'q>, Option<String>)> {
    let marked = highlighted(columns.iter().map(|column| column.rule));
    let class = |column: &Column| {
        let at = marked.iter().position(|rule| rule.field == column.rule.field);
        at.map(|at| format!("mark-{at}"))
    };
    let rank = |column: &Column| {
        let at = marked.iter().position(|rule| rule.field == column.rule.field);
        at.unwrap_or(usize::MAX)
    };
    let mut all: Vec<_> = columns.iter().enumerate().map(|(at, column)| (at, column, class(column))).collect();
    all.sort_by_key(|(_, column, _)| rank(column));
    all
}

/// The page's own style.
pub fn theme(rules: &Rules) -> Theme {
    Theme {
        css: Some(css(rules)),
        is_coloured: false,
        font: None,
        is_dark: false,
        has_paper: false,
        has_picture: false,
        images: Vec::new(),
        header: None,
        submit: None,
    }
}

fn css(rules: &Rules) -> String {
    let mut light = String::new();
    let mut dark = String::new();
    if let Some(button) = Colour::parse(&rules.search_button.color) {
        let edge = |[ground, behind, _]: [&'static str; 3]| readable(button, [ground, behind], EDGE);
        let _ = write!(light, ":root{{--button:{button};--button-ink:{};--button-edge:{}}}", button.ink(), edge(LIGHT));
        let _ = write!(dark, ":root{{--button-edge:{}}}", edge(DARK));
    }
    for (at, rule) in highlighted(rules.display.iter()).iter().enumerate() {
        let colour = rule.highlight.as_ref().map(|it| it.color.as_str());
        let Some(colour) = colour.and_then(Colour::parse) else {
            continue;
        };
        let _ = write!(light, ".mark-{at}{{--mark:{colour};");
        let _ = write!(dark, ".mark-{at}{{");
        for (out, scheme) in [(&mut light, LIGHT), (&mut dark, DARK)] {
            let (soft, ink) = marked(colour, scheme);
            let _ = write!(out, "--mark-soft:{soft};--mark-ink:{ink}}}");
        }
    }
    if let Some(image) = &rules.background_image {
        let percent = |at: Option<f64>| at.unwrap_or(50.0).clamp(0.0, 100.0);
        let (x, y) = (percent(image.position_x), percent(image.position_y));
        let _ = write!(light, ".query-cover>img{{object-position:{x:.2}% {y:.2}%}}");
    }
    format!("{light}@media screen and (prefers-color-scheme: dark){{{dark}}}")
}

/// A highlight's ground and its text, which is in the owner's colour where that can be read without another look.
fn marked(colour: Colour, [ground, behind, text]: [&str; 3]) -> (Colour, Colour) {
    let parsed = |text: &str| Colour::parse(text).unwrap_or(Colour::INK);
    let soft = colour.mix(parsed(ground), SOFT);
    let soft_text = format!("{soft}");
    let ink = if colour.contrast(parsed(ground)) >= EDGE {
        readable(colour, [ground, behind, &soft_text], TEXT)
    } else {
        readable(parsed(text), [ground, behind, &soft_text], TEXT)
    };
    (soft, ink)
}

/// The nearest colour that has this contrast to all of the grounds.
fn readable<const N: usize>(colour: Colour, grounds: [&str; N], ratio: f64) -> Colour {
    let grounds = grounds.iter().filter_map(|ground| Colour::parse(ground));
    grounds.fold(colour, |colour, ground| colour.readable_on(ground, ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_can_be_read_in_light_and_dark() {
        for at in 0..125 {
            let part = |place: usize| ["00", "40", "80", "C0", "FF"][place % 5];
            let text = format!("#{}{}{}", part(at), part(at / 5), part(at / 25));
            let colour = Colour::parse(&text).expect("a colour");
            assert!(colour.ink().contrast(colour) >= TEXT, "{text}");
            for scheme in [LIGHT, DARK] {
                let (soft, ink) = marked(colour, scheme);
                let grounds = scheme[..2].iter().filter_map(|it| Colour::parse(it));
                for ground in grounds.chain([soft]) {
                    assert!(ink.contrast(ground) >= TEXT, "{text}: {ink} on {ground}");
                }
            }
        }
    }
}
