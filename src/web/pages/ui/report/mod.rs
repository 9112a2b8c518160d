//! Parts of reports: a card for each question, and the chart in it. Charts are SVG without styles of their own: their
//! lengths are attributes, their colours the classes of the stylesheet, so that they print and follow dark mode.

pub mod bars;
pub mod card;
pub mod columns;
pub mod figures;
pub mod heat;
#[cfg(test)]
pub mod sample;
pub mod segments;
pub mod texts;

/// A part of a whole as an attribute of SVG: `42.5%`.
pub(in crate::web::pages::ui) fn percent(part: f64) -> String {
    format!("{:.2}%", part.clamp(0.0, 1.0) * 100.0)
}
