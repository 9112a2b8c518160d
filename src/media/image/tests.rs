//! Images that are taken apart: whole ones, damaged ones, and such with something hidden in every place.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use proptest::prelude::*;

use super::*;
use crate::base::cases::cases;

#[test]
fn headers_are_read() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xc3\x50\0\0\xc3\x50\x08\x06\0\0\0";
    let gif = b"GIF89a\x03\0\x02\0\x80\0\0";
    let read = |bytes: &[u8]| header(Cursor::new(bytes.to_vec()));
    let of = |content_type, width, height| Some(Header { content_type, width, height });
    assert_eq!(read(png), of("image/png", 50_000, 50_000));
    assert_eq!(read(gif), of("image/gif", 3, 2));
    for none in [&b"<html>"[..], b"", b"GIF", b"%PDF-1.7", &png[..12], b"\xff\xd8\xff"] {
        assert_eq!(read(none), None);
    }
}

const MARK: &[u8] = b"48.2082N-16.3738E";

fn holds_mark(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, MARK).is_some()
}

fn picture(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let byte = |n: u32| u8::try_from(n % 256).expect("a byte");
        Rgb([byte(x * 9), byte(y * 13), byte(x * y)])
    })
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgb8(picture(27, 18));
    picture.write_to(&mut bytes, format).expect("encoded");
    bytes.into_inner()
}

fn pixels(bytes: &[u8]) -> Option<image::RgbaImage> {
    Some(image::load_from_memory(bytes).ok()?.into_rgba8())
}

fn segment(marker: u8, own: &[u8]) -> Vec<u8> {
    let len = u16::try_from(own.len() + 2).expect("short").to_be_bytes();
    [&[0xff, marker], &len[..], own].concat()
}

fn chunk(name: &[u8], own: &[u8]) -> Vec<u8> {
    let len = u32::try_from(own.len()).expect("short").to_be_bytes();
    let sum = crc32fast::hash(&[name, own].concat()).to_be_bytes();
    [&len[..], name, own, &sum].concat()
}

fn riff(name: &[u8], own: &[u8]) -> Vec<u8> {
    let len = u32::try_from(own.len()).expect("short").to_le_bytes();
    let pad = vec![b'M'; own.len() % 2];
    [name, &len[..], own, &pad].concat()
}

/// The parts that an image is made of, one behind the other.
fn parts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut rest = match bytes[0] {
        0xff => 2,
        0x89 => 8,
        b'R' => 12,
        _ => 13 + 3 * (2 << (bytes[10] & 7)) * usize::from(bytes[10] >> 7),
    };
    parts.push(bytes[..rest].to_vec());
    while rest < bytes.len() {
        let part = &bytes[rest..];
        let len = match bytes[0] {
            0xff if part[1] == 0xd9 => 2,
            0xff if part[0] == 0xff && !matches!(part[1], 0 | 0xd0..=0xd7) => 2 + be16(part, 2).expect("a length"),
            // The data of a scan.
            0xff => {
                let mut ends = part.windows(2).skip(1);
                1 + ends.position(|two| two[0] == 0xff && !matches!(two[1], 0 | 0xd0..=0xd7)).expect("an end")
            }
            0x89 => 12 + be32(part, 0).expect("a length"),
            b'R' => 8 + le32(part, 4).expect("a length").next_multiple_of(2),
            _ if part[0] == 0x3b => 1,
            _ => {
                let mut at = match part[0] {
                    0x21 => 2,
                    _ => 11 + 3 * (2 << (part[9] & 7)) * usize::from(part[9] >> 7),
                };
                while part[at] > 0 {
                    at += 1 + usize::from(part[at]);
                }
                at + 1
            }
        };
        parts.push(part[..len].to_vec());
        rest += len;
    }
    parts
}

/// Put together again; with the right length, where there is one.
fn joined(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = parts.concat();
    if bytes.starts_with(b"RIFF") {
        let len = u32::try_from(bytes.len() - 8).expect("short").to_le_bytes();
        bytes[4..8].copy_from_slice(&len);
    }
    bytes
}

/// A profile of two colours with marks wherever it has room.
fn profile() -> Vec<u8> {
    let mut whole = vec![b'M'; 128];
    whole[..MARK.len()].copy_from_slice(MARK);
    whole[8..24].copy_from_slice(b"\x02\x10\0\0mntrRGB XYZ ");
    whole[36..40].copy_from_slice(b"acsp");
    whole[84..84 + MARK.len()].copy_from_slice(MARK);
    let curve = [b"curv\0\0\0\0\0\0\0\x01\x02\x33".as_slice(), MARK].concat();
    let text = [b"desc\0\0\0\0\0\0\0\x20".as_slice(), MARK, &[0; 90]].concat();
    let tags = [(b"rTRC", &curve), (b"desc", &text), (b"vcgt", &text), (b"cprt", &text)];
    let mut data = Vec::new();
    whole.extend(u32::try_from(tags.len()).expect("few").to_be_bytes());
    for (name, own) in tags {
        let at = 132 + 12 * tags.len() + data.len();
        whole.extend(name);
        whole.extend([at, own.len()].iter().flat_map(|n| u32::try_from(*n).expect("short").to_be_bytes()));
        data.extend(own);
    }
    [whole, data].concat()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::none());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

/// Notes that turn the picture and say where it was taken.
fn notes() -> Vec<u8> {
    [b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0".as_slice(), MARK].concat()
}

/// Copies of an image with a marked part added: at each position, instead of the part there or in front of it.
fn planted(whole: &[u8]) -> Vec<Vec<u8>> {
    let own = parts(whole);
    let mut out = Vec::new();
    let mut put = |at: usize, part: Vec<u8>| {
        let mut all = own.clone();
        all.insert(at, part);
        out.push(joined(&all));
    };
    let behind = |part: &[u8]| [part, MARK].concat();
    let last = own.len() - 1;
    match whole[0] {
        0xff => {
            let scan = own.iter().position(|part| part.starts_with(&[0xff, 0xda])).expect("a scan");
            let tables = [[0x03].as_slice(), &[7; 64 - MARK.len()], MARK].concat();
            let codes = [[0x13, 0, MARK.len() as u8].as_slice(), &[0; 14], MARK].concat();
            let colours = [b"ICC_PROFILE\0\x01\x01".as_slice(), &profile()].concat();
            let mut all = vec![
                MARK.to_vec(),
                segment(0xe0, &behind(b"JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01")),
                segment(0xe1, &[b"Exif\0\0".as_slice(), &notes()].concat()),
                segment(0xe1, &behind(b"http://ns.adobe.com/xap/1.0/\0")),
                segment(0xe2, &colours),
                segment(0xe2, &behind(b"ICC_PROFILE\0\x02\x02")),
                segment(0xee, &behind(b"Adobe\0\x64\0\0\0\0\x01")),
                segment(0xdb, &tables),
                segment(0xdb, MARK),
                segment(0xc4, &codes),
                segment(0xdd, &behind(&[0, 0])),
                [&[0xff, 0x01], MARK].concat(),
            ];
            all.extend((0xe0..=0xfe).map(|marker| segment(marker, &behind(b"MPF\0"))));
            all.extend((0x02..=0xbf).map(|marker| segment(marker, MARK)));
            for at in [1, scan] {
                all.iter().for_each(|part| put(at, part.clone()));
            }
        }
        0x89 => {
            let mut names: Vec<&[u8]> =
                vec![b"tEXt", b"zTXt", b"iTXt", b"tIME", b"caBX", b"sPLT", b"hIST", b"dSIG", b"ABCD", b"abcd"];
            names.extend([b"PLTE", b"tRNS", b"gAMA", b"sBIT", b"acTL", b"fcTL", b"fdAT"].map(|name| name.as_slice()));
            for at in 1..=last {
                names.iter().for_each(|name| put(at, chunk(name, MARK)));
            }
            put(2, chunk(b"eXIf", &notes()));
            put(2, chunk(b"iCCP", &[MARK, b"\0\0", &packed(&profile())].concat()));
            put(last, chunk(b"IDAT", MARK));
            put(last + 1, chunk(b"tEXt", MARK));
        }
        b'R' => {
            for name in [b"EXIF", b"XMP ", b"ODD ", b"ANMF", b"ICCP", b"VP8X", b"VP8L", b"ALPH"] {
                put(last + 1, riff(name, MARK));
            }
        }
        _ => {
            for at in 1..=last {
                put(at, [b"\x21\xff\x0bXMP DataXMP\x11".as_slice(), MARK, b"\0"].concat());
                put(at, [b"\x21\xff\x0bICCRGBG1012\x11".as_slice(), MARK, b"\0"].concat());
                put(at, [b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\x11".as_slice(), MARK, b"\0"].concat());
                put(at, [b"\x21\x01\x0c0123456789ab\x11".as_slice(), MARK, b"\0"].concat());
                put(at, [b"\x21\xf9\x04\0\0\0\0\x11".as_slice(), MARK, b"\0"].concat());
                for label in [0x02, 0x80, 0xfe] {
                    put(at, [&[0x21, label, 0x11], MARK, b"\0"].concat());
                }
            }
            // Behind the codes of a frame.
            let mut all = own.clone();
            let frame = all.iter_mut().find(|part| part[0] == 0x2c).expect("a frame");
            frame.pop();
            frame.extend([b"\x11".as_slice(), MARK, b"\0"].concat());
            out.push(joined(&all));
        }
    }
    out.push(behind(whole));
    out
}

/// Real images of each type.
fn whole() -> Vec<Vec<u8>> {
    let formats = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP];
    let mut all: Vec<Vec<u8>> = formats.into_iter().map(encoded).collect();
    all.push(include_bytes!("progressive.jpg").to_vec());
    all
}

#[test]
fn nothing_but_the_picture_is_left() {
    let (mut turned, mut left, mut refused) = (0, 0, 0);
    for whole in whole() {
        let shown = pixels(&whole);
        assert!(shown.is_some());
        for bytes in planted(&whole) {
            assert!(holds_mark(&bytes));
            let Some(bare) = strip(&bytes).filter(|bare| bare.check().is_ok()) else {
                // Where the size is, or another picture comes first: ambiguous images are refused.
                refused += 1;
                continue;
            };
            left += 1;
            assert!(!holds_mark(&bare.bytes), "{}", bytes.escape_ascii());
            assert!(pixels(&bare.bytes) == shown, "{}", bytes.escape_ascii());
            assert_eq!(super::strip(&bare.bytes).as_ref(), Some(&bare));
            turned += usize::from(bare.orientation == 6);
        }
        let bare = strip(&whole).expect("an image");
        assert!(pixels(&bare.bytes) == shown && bare.check().is_ok());
    }
    assert!(turned >= 5 && left > 500 && refused < 25, "{turned} {left} {refused}");
}

#[test]
fn colours_stay_without_who_made_them() {
    let bare = icc::strip(&profile()).expect("a profile");
    assert!(!holds_mark(&bare) && memchr::memmem::find(&bare, b"MM").is_none());
    assert_eq!(be32(&bare, 0), Some(bare.len()));
    assert!(memchr::memmem::find(&bare, b"curv\0\0\0\0\0\0\0\x01\x02\x33").is_some());
    assert_eq!(icc::strip(&bare).as_ref(), Some(&bare));
    for cut in 0..bare.len() {
        let _ = icc::strip(&bare[..cut]);
    }
}

#[test]
fn packed_pixels_hold_no_more_than_the_picture() {
    let rows = b"\0abcdef\0ghijkl";
    let head = chunk(b"IHDR", b"\0\0\0\x02\0\0\0\x02\x08\x02\0\0\0");
    let image = |data: &[u8]| [&b"\x89PNG\r\n\x1a\n"[..], &head, &chunk(b"IDAT", data), &chunk(b"IEND", b"")].concat();
    let whole = image(&packed(rows));
    assert_eq!(strip(&whole).expect("an image").bytes, whole);
    for odd in [[packed(rows), MARK.to_vec()].concat(), packed(&[rows, MARK].concat())] {
        let bare = strip(&image(&odd)).expect("an image").bytes;
        let unpacked = io::read_to_string(ZlibDecoder::new(&bare[41..])).expect("text");
        assert_eq!(unpacked.as_bytes(), rows);
        assert!(!holds_mark(&bare) && pixels(&bare) == pixels(&whole));
    }
    // With one in front of it that is of another kind, and frames behind it.
    let frame = |number: u8| {
        let size = b"\0\0\0\x02\0\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\x0a\0\0";
        chunk(b"fcTL", &[&[0, 0, 0, number], &size[..]].concat())
    };
    let pixels = |number: u8| chunk(b"fdAT", &[&[0, 0, 0, number], &packed(rows)[..], MARK].concat());
    let moving = [
        &whole[..33],
        &chunk(b"acTL", b"\0\0\0\x02\0\0\0\0"),
        &frame(0),
        &chunk(b"IDAT", &packed(rows)),
        &frame(1),
        &pixels(2),
        &pixels(3),
        &chunk(b"IEND", b""),
    ]
    .concat();
    let found = strip(&moving).expect("an image");
    assert!(!holds_mark(&found.bytes) && found.frames == 2);
    assert_eq!(strip(&found.bytes).as_ref(), Some(&found));
}

#[test]
fn what_moves_goes_on_moving() {
    let found = strip(&gif(3)).expect("an image");
    assert_eq!((found.frames, found.bytes.len()), (3, gif(3).len()));
    let one = encoded(ImageFormat::WebP);
    let size = b"\0\0\0\0\0\0\x1a\0\0\x11\0\0\x0a\0\0\0";
    let frame = |own: &[Vec<u8>]| riff(b"ANMF", &[&size[..], &own.concat()].concat());
    let odd = riff(b"ODD ", MARK);
    let moving = joined(&[
        one[..12].to_vec(),
        riff(b"VP8X", b"\x02\0\0\0\x1a\0\0\x11\0\0"),
        riff(b"ANIM", b"\0\0\0\0\0\0"),
        frame(&[one[12..].to_vec(), odd.clone()]),
        frame(&[odd.clone(), one[12..].to_vec(), MARK.to_vec()]),
        odd,
    ]);
    let found = strip(&moving).expect("an image");
    assert!(!holds_mark(&found.bytes) && found.frames == 2);
    assert!(pixels(&found.bytes).is_some() && pixels(&found.bytes) == pixels(&moving));
}

fn png() -> Vec<u8> {
    encoded(ImageFormat::Png)
}

fn gif(frames: usize) -> Vec<u8> {
    let frame = b"\x21\xf9\x04\0\0\0\0\0,\0\0\0\0\x03\0\x02\0\0\x02\x02\x44\x01\0";
    [
        &b"GIF89a\x03\0\x02\0\x80\0\0\0\0\0\xff\xff\xff"[..],
        b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0",
        &frame.repeat(frames),
        b";",
    ]
    .concat()
}

#[test]
fn what_is_too_much_is_told_without_decoding() {
    assert!(strip(&gif(500)).expect("an image").check().is_ok());
    let fault = |bytes: &[u8]| strip(bytes).expect("an image").check().err();
    assert_eq!(fault(&gif(501)).as_deref(), Some("has more than 500 frames"));
    let mut wide = gif(1);
    let at = wide.iter().position(|b| *b == b',').expect("a frame");
    wide[at + 5..at + 9].fill(0xff);
    assert_eq!(fault(&wide).as_deref(), Some("has more than 40000000 pixels"));
    let mut large = png();
    large[16..24].copy_from_slice(b"\0\0\x20\0\0\0\x20\0");
    assert_eq!(fault(&large).as_deref(), Some("has more than 40000000 pixels"));
    large[16..24].copy_from_slice(b"\0\0\x40\x01\0\0\0\x01");
    assert_eq!(fault(&large).as_deref(), Some("has more than 16384 pixels a side"));
}

#[test]
fn one_that_is_cut_off_anywhere_does_not_grow() {
    for whole in whole() {
        for cut in 0..whole.len() {
            if let Some(once) = strip(&whole[..cut])
                && let Some(twice) = strip(&once.bytes)
            {
                assert!(twice.bytes.len() <= once.bytes.len(), "{cut}");
            }
        }
    }
}

proptest! {
    // Each case goes over the pixels of a picture, twice.
    #![proptest_config(ProptestConfig { cases: 500, ..cases() })]

    #[test]
    fn what_is_left_of_damaged_images_stays_as_it_is(
        kind in 0..5_usize,
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
        if let Some(once) = strip(&bytes) {
            prop_assert!(once.bytes.len() <= bytes.len() + 128);
            let _ = once.check();
            // An image with a changed byte may be read in another way, but never grows or fails.
            if let Some(twice) = strip(&once.bytes) {
                prop_assert!(twice.bytes.len() <= once.bytes.len());
            }
        }
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
        let bytes = [magic, &rest].concat();
        let _ = (header(Cursor::new(&bytes)), strip(&bytes));
    }
}
