//! The pictures of an example, which are drawn: hills under a sky, and a logo.

use std::io::Error as IoError;

use crate::base::error::{Error, Result};
use crate::ops::server::demo::chance::Chance;
use crate::ops::server::demo::rhythm::as_float;

type Rgb = [u8; 3];

/// The colours of a landscape, from the sky above to the hill in front.
const LANDSCAPES: [[Rgb; 5]; 4] = [
    [[214, 236, 247], [246, 240, 222], [156, 190, 160], [96, 150, 112], [47, 107, 79]],
    [[250, 224, 190], [252, 243, 226], [222, 178, 134], [186, 124, 84], [128, 74, 52]],
    [[198, 214, 240], [236, 230, 244], [150, 160, 200], [104, 112, 168], [62, 66, 120]],
    [[222, 226, 230], [240, 240, 238], [176, 182, 184], [128, 136, 138], [84, 92, 96]],
];
const HILLS: usize = 3;

/// A landscape as PNG, another one for each name; `palette` is the number of its colours.
///
/// # Errors
/// Internal.
pub fn landscape(name: &str, palette: usize, (width, height): (u32, u32)) -> Result<Vec<u8>> {
    let mut chance = Chance::of(name);
    let colours = LANDSCAPES[palette % LANDSCAPES.len()];
    let hills: Vec<[f64; 5]> = (0..HILLS)
        .map(|_| {
            [
                chance.share() * 6.0,
                1.0 + chance.share() * 2.0,
                chance.share() * 6.0,
                3.0 + chance.share() * 4.0,
                chance.share(),
            ]
        })
        .collect();
    let (across, down) = (as_float(i64::from(width)), as_float(i64::from(height)));
    // The line of each hill, column by column.
    let lines: Vec<Vec<f64>> = (0..)
        .zip(&hills)
        .map(|(number, [phase, waves, other, ripples, shift])| {
            let base = 0.42 + 0.18 * as_float(number) + 0.05 * shift;
            let column = |x: u32| {
                let x = as_float(i64::from(x)) / across;
                base + 0.09 * (phase + x * waves * 3.0).sin() + 0.025 * (other + x * ripples * 3.0).sin()
            };
            (0..width).map(column).collect()
        })
        .collect();
    let mut pixels = Vec::new();
    for y in 0..height {
        let y = as_float(i64::from(y)) / down;
        let sky = mixed(colours[0], colours[1], y);
        for x in 0..usize::try_from(width).unwrap_or_default() {
            let front = lines.iter().rposition(|line| y > line[x]);
            pixels.extend(match front {
                Some(hill) => mixed(colours[hill + 2], colours[1], (0.25 - (y - lines[hill][x])).max(0.0)),
                None => sky,
            });
        }
    }
    png(&pixels, png::ColorType::Rgb, (width, height))
}

/// The logo as PNG: two leaves in a circle.
///
/// # Errors
/// Internal.
pub fn logo() -> Result<Vec<u8>> {
    const SIDE: u32 = 192;
    let inside = |x: f64, y: f64, radius: f64| x.hypot(y) < radius;
    let mut pixels = Vec::new();
    for y in 0..SIDE {
        let y = as_float(i64::from(y)) / 96.0 - 1.0;
        for x in 0..SIDE {
            let x = as_float(i64::from(x)) / 96.0 - 1.0;
            let left = inside(x + 0.62, y - 0.1, 0.62) && inside(x - 0.08, y + 0.46, 0.72);
            let right = inside(x - 0.62, y + 0.02, 0.62) && inside(x + 0.08, y - 0.56, 0.78);
            let pixel: [u8; 4] = match inside(x, y, 0.97) {
                true if left => [214, 236, 190, 255],
                true if right => [255, 255, 255, 255],
                true => [47, 107, 79, 255],
                false => [47, 107, 79, 0],
            };
            pixels.extend(pixel);
        }
    }
    png(&pixels, png::ColorType::Rgba, (SIDE, SIDE))
}

fn mixed(one: Rgb, other: Rgb, share: f64) -> Rgb {
    let mix = |at: usize| {
        let mixed = f64::from(one[at]) * (1.0 - share) + f64::from(other[at]) * share;
        byte(mixed)
    };
    [mix(0), mix(1), mix(2)]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the bounds of the type")]
fn byte(number: f64) -> u8 {
    number.clamp(0.0, 255.0).round() as u8
}

fn png(pixels: &[u8], colours: png::ColorType, (width, height): (u32, u32)) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(colours);
    encoder.set_depth(png::BitDepth::Eight);
    let failed = |fault: png::EncodingError| Error::internal(IoError::other(fault));
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::media::image;

    #[test]
    fn pictures_are_small_and_whole() {
        for (picture, width) in [(landscape("one", 0, (320, 200)).expect("drawn"), 320), (logo().expect("drawn"), 192)]
        {
            assert!(picture.len() < 60_000, "{}", picture.len());
            let header = image::header(Cursor::new(picture)).expect("a picture");
            assert_eq!((header.content_type, header.width), ("image/png", width));
        }
        assert_ne!(landscape("one", 0, (64, 64)).expect("drawn"), landscape("two", 0, (64, 64)).expect("drawn"));
    }
}
