//! Scales an image down: decodes it within limits and encodes it again. The only module that handles pixels.

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::{PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageEncoder, Limits};

use crate::media::image::{MAX_SIDE, StrippedImage};

/// The most memory that decoding may take (S61).
const MEMORY: u64 = 256 << 20;
/// The most passes over the pixels. Progressive images usually have about ten.
const PASSES: usize = 50;
/// The most pixels for which the slower, finer filter is used, if the image is scaled by less than half.
const FINE_PIXELS: u64 = 6_000_000;
const QUALITY: u8 = 82;

/// An image's pixels: red, green, blue and alpha, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

pub struct Smaller {
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The image scaled to this width, after rotation. `None` if it is animated, not wider, can't be decoded, or would have
/// more bytes.
pub fn shrink(source: &StrippedImage, width: u32) -> Option<Smaller> {
    let (shown, _) = source.shown_size();
    if source.frames > 1 || shown <= width || !is_within_limits(source) {
        return None;
    }
    let is_rotated = source.orientation > 4;
    let kind = source.header.content_type;
    let (whole, colours) = open(source)?;
    let small = scale(whole, width, is_rotated);
    let mut small = to_bytes(small);
    let orientation = Orientation::from_exif(source.orientation)?;
    small.apply_orientation(orientation);
    let smaller = encode(&small, kind, colours)?;
    (smaller.bytes.len() < source.bytes.len()).then_some(smaller)
}

/// The pixels of an image as it is shown, scaled down to fit into this width and height. `None` if it can't be decoded.
pub fn pixels(source: &StrippedImage, width: u32, height: u32) -> Option<Pixels> {
    if source.frames > 1 || !is_within_limits(source) {
        return None;
    }
    let (mut image, _) = open(source)?;
    image.apply_orientation(Orientation::from_exif(source.orientation)?);
    if image.width() > width || image.height() > height {
        image = image.resize(width, height, FilterType::CatmullRom);
    }
    let image = image.into_rgba8();
    Some(Pixels { width: image.width(), height: image.height(), rgba: image.into_raw() })
}

/// Whether decoding stays within the limits, by an estimate of each decoder's memory.
fn is_within_limits(source: &StrippedImage) -> bool {
    let pixels = u64::try_from(source.header.width.saturating_mul(source.header.height));
    let each = match source.header.content_type {
        // With several passes, all coefficients are held in memory.
        "image/jpeg" if source.passes > 1 => 9,
        "image/jpeg" => 4,
        "image/png" => 1,
        _ => 8,
    };
    let needed = pixels.unwrap_or(u64::MAX).saturating_mul(each);
    needed <= MEMORY && source.passes <= PASSES
}

/// The image and its colour profile.
fn open(source: &StrippedImage) -> Option<(DynamicImage, Option<Vec<u8>>)> {
    let bytes = Cursor::new(source.bytes.as_slice());
    match source.header.content_type {
        "image/jpeg" => decode(JpegDecoder::new(bytes).ok()?),
        "image/png" => decode(PngDecoder::new(bytes).ok()?),
        "image/webp" => decode(WebPDecoder::new(bytes).ok()?),
        _ => decode(GifDecoder::new(bytes).ok()?),
    }
}

fn decode(mut decoder: impl ImageDecoder) -> Option<(DynamicImage, Option<Vec<u8>>)> {
    let side = u32::try_from(MAX_SIDE).ok();
    let mut limits = Limits::no_limits();
    limits.max_image_width = side;
    limits.max_image_height = side;
    limits.max_alloc = Some(MEMORY);
    limits.reserve(decoder.total_bytes()).ok()?;
    decoder.set_limits(limits).ok()?;
    let colours = decoder.icc_profile().ok().flatten();
    // Decoders return RGB: a profile of another colour space would be wrong.
    let colours = colours.filter(|colours| colours.get(16..20) == Some(b"RGB "));
    let image = DynamicImage::from_decoder(decoder).ok()?;
    Some((image, colours))
}

/// Scales to a width after rotation. An image that is still to be rotated gets it as its height.
fn scale(whole: DynamicImage, width: u32, is_rotated: bool) -> DynamicImage {
    let (old_width, old_height) = (whole.width(), whole.height());
    let proportional = |side: u32, by: u32, of: u32| {
        let scaled = u64::from(side) * u64::from(by) / u64::from(of.max(1));
        u32::try_from(scaled).unwrap_or(side).max(1)
    };
    let (new_width, new_height) = if is_rotated {
        (proportional(old_width, width, old_height), width)
    } else {
        (width, proportional(old_height, width, old_width))
    };
    let pixels = u64::from(old_width) * u64::from(old_height);
    if old_width < 2 * new_width && pixels <= FINE_PIXELS {
        whole.resize_exact(new_width, new_height, FilterType::CatmullRom)
    } else {
        whole.thumbnail_exact(new_width, new_height)
    }
}

/// Eight bits per channel, with an alpha channel only if some pixel is transparent.
fn to_bytes(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return DynamicImage::ImageRgb8(image.into_rgb8());
    }
    let image = image.into_rgba8();
    if image.pixels().all(|pixel| pixel.0[3] == u8::MAX) {
        DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(image).into_rgb8())
    } else {
        DynamicImage::ImageRgba8(image)
    }
}

fn encode(image: &DynamicImage, kind: &str, colours: Option<Vec<u8>>) -> Option<Smaller> {
    let (has_alpha, is_photo) = (image.color().has_alpha(), kind == "image/jpeg");
    let jpeg = || {
        let mut out = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut out, QUALITY);
        write(encoder, image, colours.clone())?;
        Some(out)
    };
    let png = || {
        let mut out = Vec::new();
        write(PngEncoder::new(&mut out), image, colours.clone())?;
        Some(out)
    };
    let of = |content_type, bytes| Smaller { content_type, bytes };
    if has_alpha {
        return Some(of("image/png", png()?));
    }
    let jpeg = jpeg()?;
    if is_photo || kind == "image/webp" {
        return Some(of("image/jpeg", jpeg));
    }
    // A drawing is sharper without loss; a photo as PNG is not worth its bytes.
    let png = png()?;
    Some(if png.len() <= 2 * jpeg.len() { of("image/png", png) } else { of("image/jpeg", jpeg) })
}

fn write(mut encoder: impl ImageEncoder, image: &DynamicImage, colours: Option<Vec<u8>>) -> Option<()> {
    if let Some(colours) = colours {
        encoder.set_icc_profile(colours).ok()?;
    }
    let (width, height) = (image.width(), image.height());
    let colour = image.color().into();
    encoder.write_image(image.as_bytes(), width, height, colour).ok()
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;
    use crate::media::image::strip;

    proptest! {
        #![proptest_config(cases())]

        /// However an image is damaged: it has a smaller form or none.
        #[test]
        fn damage_is_no_danger(
            format in prop::sample::select(vec![
                ImageFormat::Jpeg,
                ImageFormat::Png,
                ImageFormat::WebP,
                ImageFormat::Gif,
            ]),
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            length in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        ) {
            let mut bytes = Cursor::new(Vec::new());
            picture(48, 36).write_to(&mut bytes, format).expect("encoded");
            let mut bytes = bytes.into_inner();
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if let Some(length) = length {
                bytes.truncate(length.index(bytes.len()));
            }
            let is_whole = damage.is_empty() && length.is_none();
            if let Some(source) = strip(&bytes) {
                let smaller = shrink(&source, 8);
                prop_assert!(smaller.is_some() || !is_whole);
            } else {
                prop_assert!(!is_whole);
            }
        }
    }

    /// Left red, right blue; something happens in it, so that fewer pixels are fewer bytes.
    fn picture(width: u32, height: u32) -> DynamicImage {
        DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |x, y| {
            let grain = u8::try_from((x * 7 + y * 13) % 40).unwrap_or_default();
            if x < width / 2 { Rgb([200 + grain, grain, 0]) } else { Rgb([grain, 0, 200 + grain]) }
        }))
    }

    fn jpeg(image: &DynamicImage, way: u8) -> Vec<u8> {
        let mut out = Vec::new();
        write(JpegEncoder::new(&mut out), image, None).expect("encoded");
        let notes =
            [&b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..], &[way, 0, 0, 0, 0, 0, 0]];
        out.splice(2..2, notes.concat());
        out
    }

    fn png(image: &DynamicImage) -> Vec<u8> {
        let mut out = Vec::new();
        write(PngEncoder::new(&mut out), image, None).expect("encoded");
        out
    }

    fn made(bytes: &[u8], width: u32) -> Option<(&'static str, DynamicImage)> {
        let smaller = shrink(&strip(bytes)?, width)?;
        let image = image::load_from_memory(&smaller.bytes).expect("an image");
        Some((smaller.content_type, image))
    }

    #[test]
    fn a_photo_is_made_smaller_the_right_way_up() {
        let photo = picture(1000, 500);
        let (kind, small) = made(&jpeg(&photo, 1), 320).expect("smaller");
        assert_eq!((kind, small.width(), small.height()), ("image/jpeg", 320, 160));
        let small = small.into_rgb8();
        assert!(small.get_pixel(10, 80).0[0] > 150 && small.get_pixel(310, 80).0[2] > 150);
        // Turned to the right: the left side is above.
        let (_, turned) = made(&jpeg(&photo, 6), 320).expect("smaller");
        assert_eq!((turned.width(), turned.height()), (320, 640));
        let turned = turned.into_rgb8();
        assert!(turned.get_pixel(160, 10).0[0] > 150 && turned.get_pixel(160, 630).0[2] > 150);
        // It carries no notes, so nothing turns it once more.
        let bytes = shrink(&strip(&jpeg(&photo, 6)).expect("an image"), 320).expect("smaller").bytes;
        assert_eq!(strip(&bytes).expect("an image").orientation, 1);
    }

    #[test]
    fn none_is_made_larger() {
        assert!(made(&jpeg(&picture(640, 100), 1), 640).is_none());
        assert!(made(&jpeg(&picture(300, 900), 1), 320).is_none());
        // Turned, it is 300 pixels wide.
        assert!(made(&jpeg(&picture(900, 300), 6), 320).is_none());
    }

    #[test]
    fn what_can_be_seen_through_stays_so() {
        let holes = RgbaImage::from_fn(700, 700, |x, y| {
            let alpha = if (x / 50 + y / 50) % 2 == 0 { 0 } else { 255 };
            Rgba([200, u8::try_from((x * y) % 251).unwrap_or_default(), 50, alpha])
        });
        let (kind, small) = made(&png(&DynamicImage::ImageRgba8(holes)), 320).expect("smaller");
        assert_eq!((kind, small.width()), ("image/png", 320));
        assert_eq!(small.into_rgba8().get_pixel(5, 5).0[3], 0);
    }

    #[test]
    fn what_is_no_image_or_too_much_of_one_has_no_smaller_form() {
        let good = png(&picture(1000, 800));
        assert!(made(&good, 320).is_some());
        assert!(made(&good[..good.len() / 2], 320).is_none());
        let mut wide = good.clone();
        wide[16..24].copy_from_slice(b"\0\0\x20\0\0\0\x10\0");
        let sum = crc32fast::hash(&wide[12..29]).to_be_bytes();
        wide[29..33].copy_from_slice(&sum);
        assert!(made(&wide, 320).is_none());
        let mut photo = strip(&jpeg(&picture(1000, 800), 1)).expect("an image");
        assert!(shrink(&photo, 320).is_some());
        photo.passes = PASSES + 1;
        assert!(shrink(&photo, 320).is_none());
        photo.passes = 2;
        photo.header.width = 40_000;
        assert!(shrink(&photo, 320).is_none());
    }
}
