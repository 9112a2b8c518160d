//! What the first bytes of an image say: its type and its size. Nothing is decoded here.

use std::io::{BufRead, Seek};

use imagesize::ImageType;

/// The types of images that are told apart.
pub const TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/// More pixels a side than any picture needs.
pub const MAX_SIDE: usize = 16_384;

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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

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

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn no_bytes_are_more_than_refused(
            magic in prop::sample::select(vec![
                &b"\x89PNG\r\n\x1a\n"[..], b"GIF89a", b"\xff\xd8\xff\xe0", b"RIFF\0\0\0\0WEBPVP8 ", b"",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = header(Cursor::new([magic, &rest].concat()));
        }
    }
}
