//! QR codes.

use maud::{Markup, html};
use qrcode::{Color, QrCode};

/// The quiet zone that scanners need, in modules.
const MARGIN: usize = 4;

/// A text as a QR code, black on white whatever the page's colours; empty if the text is too long.
pub fn picture(text: &str, name: &str) -> Markup {
    let Ok(code) = QrCode::new(text) else {
        return html! {};
    };
    let width = code.width();
    let dark = code.to_colors().into_iter().enumerate();
    let path: String = dark
        .filter(|(_, color)| *color == Color::Dark)
        .map(|(i, _)| format!("M{} {}h1v1h-1z", i % width + MARGIN, i / width + MARGIN))
        .collect();
    let side = width + 2 * MARGIN;
    html! {
        svg.scan viewBox={ "0 0 " (side) " " (side) } role="img" aria-label=(name) {
            rect width=(side) height=(side) fill="#ffffff" {}
            path d=(path) fill="#000000" {}
        }
    }
}
