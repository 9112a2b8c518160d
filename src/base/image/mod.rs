//! What the bytes of an image say without being decoded: its type, its size, how many frames it has; and the
//! same image without what cameras and programs write into it beside the picture.

mod exif;
mod gif;
mod jpeg;
mod png;
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

/// Takes out of an image what is not the picture: where it was taken, with what, notes, previews, and what
/// follows its end. What can't be understood stays as it is, where it can't hold any of that. `None` where
/// the bytes begin as none of `TYPES` does.
pub fn bare(bytes: &[u8]) -> Option<Bare> {
    let header = header(Cursor::new(bytes))?;
    let mut walk = match header.content_type {
        "image/jpeg" => jpeg::walk(bytes),
        "image/png" => png::walk(bytes),
        "image/webp" => webp::walk(bytes),
        _ => gif::walk(bytes),
    };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn headers_are_read() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xc3\x50\0\0\xc3\x50\x08\x06\0\0\0";
        let gif = b"GIF89a\x03\0\x02\0\x80\0\0";
        let read = |bytes: &[u8]| header(Cursor::new(bytes.to_vec()));
        let of = |content_type, width, height| {
            Some(Header {
                content_type,
                width,
                height,
            })
        };
        assert_eq!(read(png), of("image/png", 50_000, 50_000));
        assert_eq!(read(gif), of("image/gif", 3, 2));
        for none in [
            &b"<html>"[..],
            b"",
            b"GIF",
            b"%PDF-1.7",
            &png[..12],
            b"\xff\xd8\xff",
        ] {
            assert_eq!(read(none), None);
        }
    }

    fn segment(marker: u8, own: &[u8]) -> Vec<u8> {
        let len = u16::try_from(own.len() + 2).expect("short").to_be_bytes();
        [&[0xff, marker], &len[..], own].concat()
    }

    fn jpeg(way: u8) -> Vec<u8> {
        let mut notes = b"Exif\0\0MM\0*\0\0\0\x08\0\x02\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        notes.extend([way, 0, 0]);
        notes.extend(b"\x88\x25\0\x04\0\0\0\x01\0\0\0\x26 GPS 48.2082");
        let size = b"\x08\0\x02\0\x03\x01\x01\x11\0";
        [
            &[0xff, 0xd8][..],
            &segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            &segment(0xe1, &notes),
            &segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0GPS"),
            &segment(0xe2, b"ICC_PROFILE\0\x01\x01colours"),
            &segment(0xe2, b"MPF\0GPS"),
            &segment(0xed, b"Photoshop 3.0\0GPS"),
            &segment(0xfe, b"GPS in words"),
            &segment(0xc0, size),
            &segment(0xda, b"\x01\x01\0\0\x3f\0"),
            b"\x12\xff\0\x34\xff\xd0\x56",
            &segment(0xfe, b"GPS"),
            &[0xff, 0xd9],
            b"\xff\xd8\xff\xe1 GPS again",
        ]
        .concat()
    }

    fn chunk(name: &[u8], own: &[u8]) -> Vec<u8> {
        let len = u32::try_from(own.len()).expect("short").to_be_bytes();
        [&len[..], name, own, b"sum "].concat()
    }

    fn riff(name: &[u8], own: &[u8]) -> Vec<u8> {
        let len = u32::try_from(own.len()).expect("short").to_le_bytes();
        let pad = vec![0; own.len() % 2];
        [name, &len[..], own, &pad].concat()
    }

    fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
        let chunks = chunks.concat();
        [&riff(b"RIFF", &[b"WEBP", &chunks[..]].concat())[..], b"GPS"].concat()
    }

    fn png() -> Vec<u8> {
        let turned = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0GPS";
        [
            &b"\x89PNG\r\n\x1a\n"[..],
            &chunk(b"IHDR", b"\0\0\0\x03\0\0\0\x02\x08\x06\0\0\0"),
            &chunk(b"gAMA", b"keep"),
            &chunk(b"tEXt", b"Comment\0GPS"),
            &chunk(b"eXIf", turned),
            &chunk(b"caBX", b"GPS"),
            &chunk(b"IDAT", b"keep"),
            &chunk(b"IEND", b""),
            b"GPS",
        ]
        .concat()
    }

    fn gif(frames: usize) -> Vec<u8> {
        let frame = b"\x21\xf9\x04\0\0\0\0\0,\0\0\0\0\x03\0\x02\0\0\x02\x02\x44\x01\0";
        [
            &b"GIF89a\x03\0\x02\0\x80\0\0\0\0\0\xff\xff\xff"[..],
            b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0",
            b"\x21\xff\x0bXMP DataXMP\x03GPS\0",
            b"\x21\xfe\x03GPS\x03GPS\0",
            &frame.repeat(frames),
            b";GPS",
        ]
        .concat()
    }

    #[test]
    fn nothing_but_the_picture_is_left() {
        let turned = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0GPS";
        let canvas = b"\x3e\0\0\0\x02\0\0\x01\0\0";
        let moving = webp(&[
            riff(b"VP8X", canvas),
            riff(b"ICCP", b"colours"),
            riff(b"ANIM", b"keeps!"),
            riff(b"ANMF", b"one"),
            riff(b"ANMF", b"two"),
            riff(b"EXIF", turned),
            riff(b"XMP ", b"GPS"),
            riff(b"ODD ", b"GPS"),
        ]);
        for (bytes, shown, way, frames) in [
            (jpeg(1), (3, 2), 1, 1),
            (jpeg(6), (2, 3), 6, 1),
            (png(), (2, 3), 6, 1),
            (gif(3), (3, 2), 1, 3),
            (moving, (2, 3), 8, 2),
        ] {
            let bare = bare(&bytes).expect("an image");
            let has = |what: &[u8]| bare.bytes.windows(what.len()).any(|found| found == what);
            assert!(!has(b"GPS"), "{}", String::from_utf8_lossy(&bare.bytes));
            assert_eq!(
                (bare.shown_size(), bare.orientation, bare.frames),
                (shown, way, frames)
            );
            assert!(bare.check().is_ok());
            let again = super::bare(&bare.bytes).expect("an image");
            assert_eq!(again, bare);
        }
        let bare = bare(&jpeg(6)).expect("an image");
        let has = |what: &[u8]| bare.bytes.windows(what.len()).any(|found| found == what);
        assert!(has(b"JFIF\0") && has(b"ICC_PROFILE\0") && has(b"\x12\xff\0\x34\xff\xd0\x56"));
        assert!(bare.bytes.ends_with(b"\xff\xd9"));
    }

    #[test]
    fn what_is_too_much_is_told_without_decoding() {
        assert!(bare(&gif(500)).expect("an image").check().is_ok());
        let fault = |bytes: &[u8]| bare(bytes).expect("an image").check().err();
        assert_eq!(
            fault(&gif(501)).as_deref(),
            Some("has more than 500 frames")
        );
        let mut wide = gif(1);
        let at = wide.iter().position(|b| *b == b',').expect("a frame");
        wide[at + 5..at + 9].fill(0xff);
        assert_eq!(
            fault(&wide).as_deref(),
            Some("has more than 40000000 pixels")
        );
        let mut large = png();
        large[16..24].copy_from_slice(b"\0\0\x20\0\0\0\x20\0");
        assert_eq!(
            fault(&large).as_deref(),
            Some("has more than 40000000 pixels")
        );
        large[16..24].copy_from_slice(b"\0\0\x40\x01\0\0\0\x01");
        assert_eq!(
            fault(&large).as_deref(),
            Some("has more than 16384 pixels a side")
        );
    }

    /// Images of each type, to be damaged.
    fn whole() -> Vec<Vec<u8>> {
        let canvas = riff(b"VP8X", b"\x0c\0\0\0\x02\0\0\x01\0\0");
        vec![
            jpeg(6),
            png(),
            gif(2),
            webp(&[canvas, riff(b"EXIF", b"GPS"), riff(b"VP8 ", b"data")]),
        ]
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_is_left_of_damaged_images_stays_as_it_is(
            kind in 0..4_usize,
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let mut bytes = whole().swap_remove(kind);
            for (at, byte) in damage {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Some(once) = bare(&bytes) {
                prop_assert!(once.bytes.len() <= bytes.len() + 64);
                let _ = once.check();
                // What a changed byte makes of it may be read in another way, but never grows or fails.
                if let Some(twice) = bare(&once.bytes) {
                    prop_assert!(twice.bytes.len() <= once.bytes.len());
                }
            }
        }

        #[test]
        fn no_bytes_are_more_than_refused(
            magic in prop::sample::select(vec![
                &b"\x89PNG\r\n\x1a\n"[..], b"GIF89a", b"\xff\xd8\xff\xe0", b"RIFF\0\0\0\0WEBPVP8 ", b"",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let bytes = [magic, &rest].concat();
            let _ = (header(Cursor::new(&bytes)), bare(&bytes));
        }
    }
}
