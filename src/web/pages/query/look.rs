//! The colours that the owner chose, and the focal point of the header image, as the page's style block. Each colour is
//! parsed, and moved as far as text on the page needs to be read, in light and dark (S57).

use std::fmt::Write as _;

use crate::model::public_query::{DisplayRule, Rules};
use crate::ops::public_queries::visit::Column;
use crate::web::pages::colour::{Colour, EDGE, TEXT};
use crate::web::pages::theme::Theme;

/// The page's grounds: of the cards and of what lies behind them.
const LIGHT: [&str; 2] = ["#ffffff", "#f5f6f8"];
const DARK: [&str; 2] = ["#101318", "#181c23"];

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
        let at = marked
            .iter()
            .position(|rule| rule.field == column.rule.field);
        at.map(|at| format!("mark-{at}"))
    };
    let rank = |column: &Column| {
        let at = marked
            .iter()
            .position(|rule| rule.field == column.rule.field);
        at.unwrap_or(usize::MAX)
    };
    let mut all: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| (at, column, class(column)))
        .collect();
    all.sort_by_key(|(_, column, _)| rank(column));
    all
}

/// The page's own style.
pub fn theme(rules: &Rules) -> Theme {
    Theme {
        css: Some(css(rules)),
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
        let edge = |grounds| readable(button, grounds, EDGE);
        let _ = write!(
            light,
            ":root{{--button:{button};--button-ink:{};--button-edge:{}}}",
            button.ink(),
            edge(LIGHT)
        );
        let _ = write!(dark, ":root{{--button-edge:{}}}", edge(DARK));
    }
    for (at, rule) in highlighted(rules.display.iter()).iter().enumerate() {
        let colour = rule.highlight.as_ref().map(|it| it.color.as_str());
        let Some(colour) = colour.and_then(Colour::parse) else {
            continue;
        };
        let ink = |grounds| readable(colour, grounds, TEXT);
        let _ = write!(
            light,
            ".mark-{at}{{--mark:{colour};--mark-ink:{}}}",
            ink(LIGHT)
        );
        let _ = write!(dark, ".mark-{at}{{--mark-ink:{}}}", ink(DARK));
    }
    if let Some(image) = &rules.background_image {
        let percent = |at: Option<f64>| at.unwrap_or(50.0).clamp(0.0, 100.0);
        let (x, y) = (percent(image.position_x), percent(image.position_y));
        let _ = write!(light, ".query-cover>img{{object-position:{x:.2}% {y:.2}%}}");
    }
    format!("{light}@media screen and (prefers-color-scheme: dark){{{dark}}}")
}

/// The nearest colour that has this contrast to all of the grounds.
fn readable(colour: Colour, grounds: [&str; 2], ratio: f64) -> Colour {
    let grounds = grounds.iter().filter_map(|ground| Colour::parse(ground));
    grounds.fold(colour, |colour, ground| colour.readable_on(ground, ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_can_be_read_in_light_and_dark() {
        for text in [
            "#FFFFFF", "#FFFF00", "#000000", "#2563EB", "#777777", "#101318",
        ] {
            let colour = Colour::parse(text).expect("a colour");
            assert!(colour.ink().contrast(colour) >= TEXT, "{text}");
            for grounds in [LIGHT, DARK] {
                let ink = readable(colour, grounds, TEXT);
                for ground in grounds {
                    let ground = Colour::parse(ground).expect("a colour");
                    assert!(ink.contrast(ground) >= TEXT, "{text}: {ink} on {ground}");
                }
            }
        }
    }
}
