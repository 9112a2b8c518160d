//! Reads an image's type, size and number of frames without decoding it, and strips the metadata that cameras and
//! programs write into it.

mod exif;
mod gif;
mod icc;
mod jpeg;
mod png;
#[cfg(test)]
mod tests;
mod webp;

use std::io::{BufRead, Cursor, Seek};

use imagesize::ImageType;

/// The supported types of images.
pub const TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/// The most pixels per side.
pub const MAX_SIDE: usize = 16_384;

/// The most pixels of an image on a page.
pub const MAX_PIXELS: usize = 40_000_000;

/// The most frames of an animation.
pub const MAX_FRAMES: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// One of `TYPES`.
    pub content_type: &'static str,
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
}

impl Header {
    /// Checks that no side is longer than `MAX_SIDE`.
    pub fn check_sides(&self) -> Result<(), String> {
        if self.width.max(self.height) > MAX_SIDE {
            return Err(format!("has more than {MAX_SIDE} pixels a side"));
        }
        Ok(())
    }

    fn is_too_large(&self) -> bool {
        self.check_sides().is_err() || self.width.saturating_mul(self.height) > MAX_PIXELS
    }
}

/// The header of an image. `None` if its type is none of `TYPES`.
pub fn header(mut bytes: impl BufRead + Seek) -> Option<Header> {
    let content_type = match imagesize::reader_type(&mut bytes).ok()? {
        ImageType::Jpeg => "image/jpeg",
        ImageType::Png => "image/png",
        ImageType::Webp => "image/webp",
        ImageType::Gif => "image/gif",
        _ => return None,
    };
    bytes.rewind().ok()?;
    let size = imagesize::reader_size(bytes).ok()?;
    Some(Header { content_type, width: size.width, height: size.height })
}

/// An image without metadata, except its colour profile and orientation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrippedImage {
    /// As stored, before rotation.
    pub header: Header,
    pub bytes: Vec<u8>,
    /// The EXIF orientation, 1 to 8.
    pub orientation: u8,
    /// 1 if it is not animated.
    pub frames: usize,
    /// Passes over the pixels that decoding takes.
    pub passes: usize,
    /// The pixels of its largest frame.
    largest: usize,
}

impl StrippedImage {
    /// Width and height after rotation.
    pub fn shown_size(&self) -> (u32, u32) {
        let pixels = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
        let (width, height) = (pixels(self.header.width), pixels(self.header.height));
        if self.orientation > 4 { (height, width) } else { (width, height) }
    }

    /// Checks that a page may show it (S61).
    pub fn check(&self) -> Result<(), String> {
        self.header.check_sides()?;
        let whole = self.header.width.saturating_mul(self.header.height);
        if whole.max(self.largest) > MAX_PIXELS {
            return Err(format!("has more than {MAX_PIXELS} pixels"));
        }
        if self.frames > MAX_FRAMES {
            return Err(format!("has more than {MAX_FRAMES} frames"));
        }
        Ok(())
    }
}

/// The output of stripping one format.
#[derive(Default)]
struct Stripped {
    out: Vec<u8>,
    orientation: Option<u8>,
    frames: usize,
    passes: usize,
    largest: usize,
}

/// Removes everything but the picture: location, camera, notes, previews, trailing bytes, and whatever is not
/// understood. The output consists of parsed parts only, except for WebP image data and the data of JPEG scans, which are
/// copied. `None` if the bytes are no image of `TYPES`.
pub fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let header = header(Cursor::new(bytes))?;
    let mut stripped = match header.content_type {
        // The image will be refused, so it is not parsed.
        _ if header.is_too_large() => Stripped::default(),
        "image/jpeg" => jpeg::strip(bytes),
        "image/png" => png::strip(bytes),
        "image/webp" => webp::strip(bytes),
        _ => gif::strip(bytes),
    };
    // The output must be the same picture.
    if !header.is_too_large() && self::header(Cursor::new(&stripped.out)) != Some(header) {
        return None;
    }
    stripped.out.shrink_to_fit();
    Some(StrippedImage {
        header,
        bytes: stripped.out,
        orientation: stripped.orientation.unwrap_or(1),
        frames: stripped.frames.max(1),
        passes: stripped.passes.max(1),
        largest: stripped.largest,
    })
}

/// `len` bytes at offset `at`, if there are as many.
fn slice(bytes: &[u8], at: usize, len: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(len)?)
}

fn be16(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_be_bytes(slice(bytes, at, 2)?.try_into().ok()?).into())
}

fn le16(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(slice(bytes, at, 2)?.try_into().ok()?).into())
}

fn be32(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(slice(bytes, at, 4)?.try_into().ok()?)).ok()
}

fn le32(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(slice(bytes, at, 4)?.try_into().ok()?)).ok()
}
