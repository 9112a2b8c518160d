//! Renders a typed name as a signature, with the ink and size of signatures drawn on the page. The font covers Latin
//! and Cyrillic; names with other letters can't be rendered.

use std::sync::LazyLock;

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider as _};
use unicode_normalization::UnicodeNormalization as _;
use zeno::{Command, Mask, PathBuilder as _};

use crate::base::packed;

/// The page has it too: it is in the program once.
static FONT: LazyLock<Vec<u8>> =
    LazyLock::new(|| packed::unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/assets/caveat.ttf.br"))));
const WIDTH: u32 = 900;
const HEIGHT: u32 = 400;
const INK: u8 = 0x17;
/// The width available for the name.
const TEXT_WIDTH: f32 = 828.0;
const MAX_SIZE: f32 = 200.0;
/// The y coordinate of the baseline.
const BASELINE: f32 = 240.0;

/// A PNG with the name. `None` if the font lacks a letter, or nothing is visible.
pub fn png(name: &str) -> Option<Vec<u8>> {
    let font = FontRef::new(&FONT).ok()?;
    let letters = font.charmap();
    let name: String = name.nfc().collect();
    let line: Vec<&str> = name.split_whitespace().collect();
    let line = line.join(" ");
    if line.is_empty() {
        return None;
    }
    let glyphs = line.chars().map(|letter| letters.map(letter));
    let glyphs: Vec<_> = glyphs.collect::<Option<_>>()?;
    let advance = |size: f32| -> f32 {
        let metrics = font.glyph_metrics(Size::new(size), LocationRef::default());
        let each = glyphs.iter().filter_map(|glyph| metrics.advance_width(*glyph));
        each.sum()
    };
    let size = (MAX_SIZE * TEXT_WIDTH / advance(MAX_SIZE)).min(MAX_SIZE);
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let mut pen = Pen { path: Vec::new(), x: (WIDTH as f32 - advance(size)) / 2.0 };
    let (outlines, location) = (font.outline_glyphs(), LocationRef::default());
    let metrics = font.glyph_metrics(Size::new(size), location);
    for glyph in &glyphs {
        if let Some(outline) = outlines.get(*glyph) {
            let settings = DrawSettings::unhinted(Size::new(size), location);
            outline.draw(settings, &mut pen).ok()?;
        }
        pen.x += metrics.advance_width(*glyph).unwrap_or_default();
    }
    let mut mask = vec![0; (WIDTH * HEIGHT) as usize];
    Mask::new(&pen.path[..]).size(WIDTH, HEIGHT).render_into(&mut mask, None);
    // On white, so that it is readable on pages of any colour.
    let shade = |alpha: u8| 255 - u8::try_from(u32::from(255 - INK) * u32::from(alpha) / 255).unwrap_or(255);
    let pixels: Vec<u8> = mask.iter().map(|alpha| shade(*alpha)).collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

/// Flips outlines vertically, since y grows upwards in fonts.
struct Pen {
    path: Vec<Command>,
    x: f32,
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to([self.x + x, BASELINE - y]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to([self.x + x, BASELINE - y]);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.path.quad_to([self.x + cx, BASELINE - cy], [self.x + x, BASELINE - y]);
    }

    fn curve_to(&mut self, cx: f32, cy: f32, dx: f32, dy: f32, x: f32, y: f32) {
        let (first, second) = ([self.x + cx, BASELINE - cy], [self.x + dx, BASELINE - dy]);
        self.path.curve_to(first, second, [self.x + x, BASELINE - y]);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::media::image;

    #[test]
    fn names_become_pictures() {
        for name in ["Ada Lovelace", "Łukasz Żółć", "Ирина Іванівна", "Zoe\u{308} O’Neil", &"long ".repeat(20)]
        {
            let drawn = png(name).expect(name);
            let header = image::header(Cursor::new(drawn)).expect("a picture");
            assert_eq!((header.content_type, header.width), ("image/png", 900));
        }
        assert_ne!(png("Ada"), png("Eve"));
        for name in ["", "  ", "爱达", "Ada 爱", "😀"] {
            assert_eq!(png(name), None, "{name}");
        }
    }
}
