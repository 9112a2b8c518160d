//! What the bytes of an image say without being decoded: its type, its size, how many frames it has; and the
//! same image without what cameras and programs write into it beside the picture.

mod exif;
mod gif;
mod icc;
mod jpeg;
mod png;
mod scan;
#[cfg(test)]
mod tests;
mod webp;

use std::io::{BufRead, Cursor, Seek};

use imagesize::ImageType;

/// The types of images that are told apart.
pub const TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/// More pixels a side than any picture needs.
pub const MAX_SIDE: usize = 16_384;

/// The most pixels of an image that pages show.
pub const MAX_PIXELS: usize = 40_000_000;

/// The most frames of an image that moves.
pub const MAX_FRAMES: usize = 500;

/// An image as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// One of `TYPES`.
    pub content_type: &'static str,
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
}

impl Header {
    /// That no side is longer than any picture needs.
    ///
    /// # Errors
    /// What is wrong.
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

/// The header of an image; `None` where the bytes begin as none of `TYPES` does.
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
    Some(Header {
        content_type,
        width: size.width,
        height: size.height,
    })
}

/// An image with nothing in it but the picture: colours and the way up stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bare {
    /// Its header, as it is stored: before it is turned.
    pub header: Header,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How it is turned to be shown, from 1 to 8 as cameras count.
    pub orientation: u8,
    /// How many pictures follow each other; 1 where it does not move.
    pub frames: usize,
    /// How often the pixels are gone over to decode it.
    pub passes: usize,
    /// The pixels of its largest part.
    largest: usize,
}

impl Bare {
    /// Width and height as it is shown.
    pub fn shown_size(&self) -> (u32, u32) {
        let pixels = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
        let (width, height) = (pixels(self.header.width), pixels(self.header.height));
        if self.orientation > 4 {
            (height, width)
        } else {
            (width, height)
        }
    }

    /// That a page may show it (S61).
    ///
    /// # Errors
    /// What is wrong.
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

/// What a walk over the parts of an image gives.
#[derive(Default)]
struct Walk {
    out: Vec<u8>,
    orientation: Option<u8>,
    frames: usize,
    passes: usize,
    largest: usize,
}

/// Takes out of an image what is not the picture: where it was taken, with what, notes, previews, what follows its
/// end, and whatever else is not understood. What is put out is made of understood parts alone, but for the data of
/// a WebP picture, which is taken as it is. `None` where the bytes are no picture of `TYPES`.
pub fn bare(bytes: &[u8]) -> Option<Bare> {
    let header = header(Cursor::new(bytes))?;
    let mut walk = match header.content_type {
        // Nobody will show it, so nothing of it is gone through.
        _ if header.is_too_large() => Walk::default(),
        "image/jpeg" => jpeg::walk(bytes),
        "image/png" => png::walk(bytes),
        "image/webp" => webp::walk(bytes),
        _ => gif::walk(bytes),
    };
    // What is left must be the same picture.
    if !header.is_too_large() && self::header(Cursor::new(&walk.out)) != Some(header) {
        return None;
    }
    walk.out.shrink_to_fit();
    Some(Bare {
        header,
        bytes: walk.out,
        orientation: walk.orientation.unwrap_or(1),
        frames: walk.frames.max(1),
        passes: walk.passes.max(1),
        largest: walk.largest,
    })
}

/// `len` bytes from a place on, if there are as many.
fn part(bytes: &[u8], at: usize, len: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(len)?)
}

fn be16(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_be_bytes(part(bytes, at, 2)?.try_into().ok()?).into())
}

fn le16(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(part(bytes, at, 2)?.try_into().ok()?).into())
}

fn be32(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(part(bytes, at, 4)?.try_into().ok()?)).ok()
}

fn le32(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(part(bytes, at, 4)?.try_into().ok()?)).ok()
}
