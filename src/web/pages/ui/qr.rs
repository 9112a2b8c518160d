//! QR codes, with error correction level M.

use maud::{Markup, PreEscaped, html};
use qrcode::{Color, EcLevel, QrCode};

use crate::base::error::{Error, Result};

/// The quiet zone that scanners need, in modules.
const MARGIN: usize = 4;
/// The width and height of a code as a PNG, in pixels.
const PIXELS: usize = 1_024;

/// A text as a QR code, black on white whatever the page's colours; empty if the text is too long.
pub fn picture(text: &str, name: &str) -> Markup {
    let Some(Drawing { side, path }) = Drawing::of(text) else {
        return html! {};
    };
    html! {
        svg.scan viewBox={ "0 0 " (side) " " (side) } role="img" aria-label=(name) {
            rect width=(side) height=(side) fill="#ffffff" {}
            path d=(path) fill="#000000" {}
        }
    }
}

/// Whether a text is short enough.
pub fn holds(text: &str) -> bool {
    code(text).is_some()
}

/// A text as a QR code in a file of its own.
///
/// # Errors
/// Internal, for a text that is too long.
pub fn svg_file(text: &str) -> Result<String> {
    let Drawing { side, path } = Drawing::of(text).ok_or_else(too_long)?;
    let drawn = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        svg xmlns="http://www.w3.org/2000/svg" width=(PIXELS) height=(PIXELS) viewBox={ "0 0 " (side) " " (side) }
            shape-rendering="crispEdges" {
            rect width=(side) height=(side) fill="#ffffff" {}
            path d=(path) fill="#000000" {}
        }
    };
    Ok(drawn.into_string())
}

/// A text as a QR code in a PNG. Modules have whole pixels, so that their edges are sharp; the remaining pixels widen
/// the quiet zone.
///
/// # Errors
/// Internal, for a text that is too long.
pub fn png_file(text: &str) -> Result<Vec<u8>> {
    let code = code(text).ok_or_else(too_long)?;
    let width = code.width();
    let module = PIXELS / (width + 2 * MARGIN);
    let edge = (PIXELS - module * width) / 2;
    let colors = code.to_colors();
    let at = |pixel: usize| pixel.checked_sub(edge).map(|inside| inside / module).filter(|at| *at < width);
    let is_dark = |x, y| at(x).zip(at(y)).is_some_and(|(x, y)| colors[y * width + x] == Color::Dark);
    let mut rows = vec![u8::MAX; PIXELS * PIXELS / 8];
    for y in 0..PIXELS {
        for x in (0..PIXELS).filter(|x| is_dark(*x, y)) {
            rows[(y * PIXELS + x) / 8] &= !(0x80 >> (x % 8));
        }
    }
    let mut file = Vec::new();
    let side = u32::try_from(PIXELS).map_err(Error::internal)?;
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().map_err(Error::internal)?;
    writer.write_image_data(&rows).map_err(Error::internal)?;
    writer.finish().map_err(Error::internal)?;
    Ok(file)
}

fn code(text: &str) -> Option<QrCode> {
    QrCode::with_error_correction_level(text, EcLevel::M).ok()
}

fn too_long() -> Error {
    Error::internal("a text that is too long for a code")
}

/// A code as a path, with its quiet zone, in modules.
struct Drawing {
    side: usize,
    path: String,
}

impl Drawing {
    /// `None` if the text is too long.
    fn of(text: &str) -> Option<Self> {
        let code = code(text)?;
        let width = code.width();
        let dark = code.to_colors().into_iter().enumerate();
        let path = dark
            .filter(|(_, color)| *color == Color::Dark)
            .map(|(i, _)| format!("M{} {}h1v1h-1z", i % width + MARGIN, i / width + MARGIN))
            .collect();
        Some(Self { side: width + 2 * MARGIN, path })
    }
}
