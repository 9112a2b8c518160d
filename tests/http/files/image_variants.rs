//! Images as everybody reads them: without camera metadata, in parts, in smaller widths (contract section 6, S61, S62).

use std::fs;
use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::json;
use support::images::{picture, uploaded};
use support::uploads::{files_in, png as header_alone};
use support::{Caller, Response, Server, at_once, text};

const FOREVER: &str = "public, max-age=31536000, immutable";

/// Left red, right blue, with some grain.
fn drawn(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |x, y| {
        let grain = u8::try_from((x * 7 + y * 13) % 40).unwrap_or_default();
        if x < width / 2 { Rgb([200 + grain, grain, 0]) } else { Rgb([grain, 0, 200 + grain]) }
    }))
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).expect("encoded");
    out.into_inner()
}

/// A photo as a telephone makes it: turned, with the place where it was taken.
pub fn photo(width: u32, height: u32, way: u8) -> Vec<u8> {
    let mut out = encoded(&drawn(width, height), ImageFormat::Jpeg);
    let mut notes = b"Exif\0\0MM\0*\0\0\0\x08\0\x02\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    notes.extend([way, 0, 0]);
    notes.extend(b"\x88\x25\0\x04\0\0\0\x01\0\0\0\x26\0\0\0\0GPSLatitude 48.2082");
    let len = u16::try_from(notes.len() + 2).expect("short").to_be_bytes();
    let mut segment = vec![0xff, 0xe1];
    segment.extend(len);
    segment.extend(notes);
    out.splice(2..2, segment);
    out
}

fn chunk(name: &[u8], own: &[u8]) -> Vec<u8> {
    let len = u32::try_from(own.len()).expect("short").to_be_bytes();
    [&len[..], name, own, b"\0\0\0\0"].concat()
}

/// A drawing with words in it.
fn worded(width: u32, height: u32) -> Vec<u8> {
    let mut out = encoded(&drawn(width, height), ImageFormat::Png);
    out.splice(33..33, chunk(b"tEXt", b"Comment\0GPSLatitude 48.2082"));
    out
}

fn webp(width: u32, height: u32) -> Vec<u8> {
    let plain = encoded(&drawn(width, height), ImageFormat::WebP);
    let side = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
    let mut canvas = b"VP8X\x0a\0\0\0\x04\0\0\0".to_vec();
    canvas.extend([side(width), side(height)].concat());
    let notes = b"XMP \x14\0\0\0GPSLatitude 48.2082 ";
    let body = [&b"WEBP"[..], &canvas, &plain[12..], notes].concat();
    let len = u32::try_from(body.len()).expect("short").to_le_bytes();
    [&b"RIFF"[..], &len, &body].concat()
}

fn moving(width: u32, height: u32) -> Vec<u8> {
    let mut out = encoded(&drawn(width, height), ImageFormat::Gif);
    out.pop();
    let comment = b"\x21\xfe\x13GPSLatitude 48.2082\0";
    let frame = b",\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
    [&out[..], comment, frame, b";GPSLatitude"].concat()
}

fn commit(caller: &Caller, id: &str) -> String {
    let asked = json!({"upload_ids": [id]});
    let committed = caller.post("/api/v1/attachment_commitments", asked);
    assert_eq!(committed.data()[0]["image_url"], picture(caller, id)["image_url"]);
    format!("/images/{id}")
}

/// Brings an image in; the path that shows it.
fn shown(caller: &Caller, kind: &str, bytes: &[u8]) -> String {
    let id = uploaded(caller, "rich_text_image", kind, bytes);
    commit(caller, &id)
}

fn decoded(response: &Response) -> DynamicImage {
    assert_eq!(response.status, 200, "{}", response.header("content-type"));
    image::load_from_memory(&response.bytes).expect("an image")
}

fn has(bytes: &[u8], what: &str) -> bool {
    bytes.windows(what.len()).any(|found| found == what.as_bytes())
}

#[test]
fn everybody_reads_images_and_keeps_them() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let bytes = encoded(&drawn(40, 30), ImageFormat::Png);
    let path = shown(&owner, "image/png", &bytes);
    let read = anon.get(&path);
    assert_eq!((read.status, read.header("content-type")), (200, "image/png"));
    assert_eq!(read.header("cache-control"), FOREVER);
    assert_eq!(read.header("x-content-type-options"), "nosniff");
    assert!(read.header("content-security-policy").contains("sandbox"));
    assert_eq!(read.bytes, bytes);
    assert_eq!(read.header("content-length"), bytes.len().to_string());
    let head = anon.send("HEAD", &path, None, b"");
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.header("etag"), read.header("etag"));
    let seen = anon.header("If-None-Match", read.header("etag")).get(&path);
    assert_eq!((seen.status, seen.header("cache-control")), (304, FOREVER));
    let part = anon.header("Range", "bytes=0-7").get(&path);
    assert_eq!((part.status, &part.bytes[..]), (206, &bytes[..8]));
    assert_eq!(part.header("content-range"), format!("bytes 0-7/{}", bytes.len()));
    assert_eq!(anon.header("Range", "bytes=999999-").get(&path).status, 416);
    for none in ["/images/none", "/images/", "/images/..%2f..%2fformsvc.db", "/images/x/y"] {
        assert_eq!(anon.get(none).status, 404, "{none}");
    }
    assert_eq!(anon.get("/images/none").to_string(), r#"404 {"error":"Image not found"}"#);
    assert_eq!(anon.post(&path, json!({})).status, 405);
}

#[test]
fn what_cameras_and_programs_note_is_not_shown() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for (kind, bytes) in [
        ("image/jpeg", photo(60, 40, 1)),
        ("image/jpeg", photo(60, 40, 6)),
        ("image/png", worded(60, 40)),
        ("image/webp", webp(60, 40)),
        ("image/gif", moving(60, 40)),
    ] {
        assert!(has(&bytes, "GPSLatitude"));
        let path = shown(&owner, kind, &bytes);
        let read = anon.get(&path);
        assert_eq!(read.header("content-type"), kind);
        assert!(!has(&read.bytes, "GPS") && read.bytes.len() < bytes.len(), "{kind}");
        let (image, before) = (decoded(&read), image::load_from_memory(&bytes).expect("an image"));
        assert_eq!(image, before, "{kind}");
    }
    // Not even on the disk is anything left of it, and the way up stays.
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let path = shown(&owner, "image/jpeg", &photo(60, 40, 6));
    let read = anon.get(&path).bytes;
    assert!(has(&read, "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06"));
    for file in files_in(&server.dir, "blobs") {
        assert!(!has(&fs::read(file).expect("a file"), "GPS"));
    }
    assert!(files_in(&server.dir, "tmp").is_empty());
}

#[test]
fn what_hides_beside_the_picture_is_not_shown() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let plain = |format| encoded(&drawn(60, 40), format);
    let with = |mut bytes: Vec<u8>, from_end: usize, hidden: &[u8]| {
        let at = bytes.len() - from_end;
        bytes.splice(at..at, hidden.iter().copied());
        bytes
    };
    let mut cut_short = plain(ImageFormat::WebP);
    let said = cut_short.len() as u32 + 92;
    cut_short[4..8].copy_from_slice(&said.to_le_bytes());
    let jpeg = || plain(ImageFormat::Jpeg);
    let at_start = jpeg().len() - 2;
    for (kind, bytes) in [
        // Behind the end of the picture, as a table of no use, and with a segment that nobody knows.
        ("image/jpeg", with(jpeg(), 0, b"GPSLatitude")),
        (
            "image/jpeg",
            with(jpeg(), at_start, &[b"\xff\xdb\0\x43\x03".as_slice(), &b"GPSLatitude".repeat(6)[..64]].concat()),
        ),
        ("image/jpeg", with(jpeg(), at_start, b"\xff\xf3\0\x0dGPSLatitude")),
        // Behind packed pixels, and in a part that says it is the picture's.
        ("image/png", with(plain(ImageFormat::Png), 12, b"\0\0\0\x0bIDATGPSLatitudesum ")),
        ("image/png", with(plain(ImageFormat::Png), 12, b"\0\0\0\x0bgPSaGPSLatitudesum ")),
        // Behind the codes of a frame, and as text that no browser shows.
        ("image/gif", with(plain(ImageFormat::Gif), 2, b"\x0bGPSLatitude")),
        ("image/gif", with(plain(ImageFormat::Gif), 1, b"\x21\x01\x0c0123456789ab\x0bGPSLatitude\0")),
        // With a wrong length.
        ("image/webp", with(cut_short, 0, b"ICCP\x50\0\0\0GPSLatitude")),
    ] {
        assert!(has(&bytes, "GPSLatitude"));
        let read = anon.get(shown(&owner, kind, &bytes));
        assert!(!has(&read.bytes, "GPS"), "{kind}: {}", read.bytes.escape_ascii());
        let format = ImageFormat::from_mime_type(kind).expect("a format");
        let before = image::load_from_memory(&plain(format)).expect("an image");
        assert_eq!(decoded(&read), before, "{kind}");
    }
}

#[test]
fn nothing_that_a_browser_would_run_comes_as_an_image() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let polyglot = b"GIF89a/*\x01\x00\x01\x00*/=1;alert(document.domain)//<script>".to_vec();
    let path = shown(&owner, "image/gif", &polyglot);
    let read = anon.get(&path);
    assert_eq!((read.status, read.header("content-type")), (200, "image/gif"));
    assert_eq!(read.header("x-content-type-options"), "nosniff");
    // It can't be made smaller: it comes as it is.
    let small = anon.get(format!("{path}?w=320"));
    assert_eq!((small.status, small.header("content-type")), (200, "image/gif"));
}

#[test]
fn an_image_comes_in_smaller_widths() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let path = shown(&owner, "image/jpeg", &photo(1500, 900, 1));
    let whole = anon.get(&path);
    let blobs = || files_in(&server.dir, "blobs").len();
    for (made, (width, height)) in [(320, 192), (640, 384), (1280, 768)].into_iter().enumerate() {
        let at = format!("{path}?w={width}");
        let small = anon.get(&at);
        let image = decoded(&small);
        assert_eq!((image.width(), image.height()), (width, height));
        assert!(small.bytes.len() < whole.bytes.len());
        assert_ne!(small.header("etag"), whole.header("etag"));
        assert_eq!((small.header("content-type"), small.header("cache-control")), ("image/jpeg", FOREVER));
        // Once made it is kept.
        assert_eq!(blobs(), made + 2);
        assert_eq!(anon.get(&at).bytes, small.bytes);
        let seen = anon.header("If-None-Match", small.header("etag")).get(&at);
        assert_eq!(seen.status, 304);
        assert_eq!(anon.header("Range", "bytes=-3").get(&at).bytes, small.bytes[small.bytes.len() - 3..]);
    }
    // It is turned as a camera says, once.
    let path = shown(&owner, "image/jpeg", &photo(1500, 900, 6));
    let turned = decoded(&anon.get(format!("{path}?w=320"))).into_rgb8();
    assert_eq!(turned.dimensions(), (320, 533));
    assert!(turned.get_pixel(160, 20).0[0] > 150 && turned.get_pixel(160, 510).0[2] > 150);
    for (kind, bytes) in [("image/png", worded(700, 350)), ("image/webp", webp(700, 350))] {
        let path = shown(&owner, kind, &bytes);
        let small = decoded(&anon.get(format!("{path}?w=320")));
        assert_eq!((small.width(), small.height()), (320, 160));
    }
    for odd in ["0", "321", "-320", "", "320px", "%20320", "99999999999999999999", "0320"] {
        let refused = anon.get(format!("{path}?w={odd}"));
        assert_eq!(refused.status, 422, "{odd}: {refused}");
        assert_eq!(refused.faults(), ["w: must be one of 320, 640, 1280"]);
        assert_eq!(refused.header("cache-control"), "no-store");
    }
    assert_eq!(anon.get("/images/none?w=320").status, 404);
}

#[test]
fn what_has_no_smaller_form_comes_as_it_is() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for (kind, bytes) in [
        ("image/png", encoded(&drawn(320, 900), ImageFormat::Png)),
        ("image/gif", moving(600, 400)),
        // A header and nothing behind it.
        ("image/png", header_alone(2000, 1000)),
        // Half of a photo.
        ("image/png", worded(1000, 800)[..5000].to_vec()),
    ] {
        let path = shown(&owner, kind, &bytes);
        let whole = anon.get(&path);
        for _ in 0..2 {
            let small = anon.get(format!("{path}?w=320"));
            assert_eq!((small.status, small.header("cache-control")), (200, FOREVER));
            assert_eq!((small.header("content-type"), &small.bytes), (kind, &whole.bytes));
        }
    }
}

#[test]
fn many_who_ask_at_once_get_one() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let path = shown(&owner, "image/jpeg", &photo(2000, 1500, 1));
    let read = at_once(24, |_| {
        let small = anon.get(format!("{path}?w=640"));
        assert_eq!(small.status, 200);
        small.bytes.len()
    });
    // Requests that would have waited too long got the image itself.
    let whole = anon.get(&path).bytes.len();
    let small = anon.get(format!("{path}?w=640")).bytes.len();
    assert!(read.iter().all(|len| [whole, small].contains(len)), "{read:?}");
    assert!(read.contains(&small) && small < whole);
    assert_eq!(files_in(&server.dir, "blobs").len(), 2);
}

#[test]
fn a_smaller_one_that_is_lost_is_made_again() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let path = shown(&owner, "image/jpeg", &photo(900, 600, 1));
    let at = format!("{path}?w=320");
    let (whole, small) = (anon.get(&path), anon.get(&at).bytes);
    let of = |etag: &str| {
        let hash = etag.trim_matches('"').to_owned();
        server.dir.join("blobs").join(&hash[..2]).join(hash)
    };
    let place = of(anon.get(&at).header("etag"));
    fs::remove_file(&place).expect("removed");
    assert_eq!(anon.get(&at).bytes, small);
    assert!(place.exists());
    // Altered, doctor finds it, and it is made again; the image itself would be lost.
    fs::write(&place, "x").expect("written");
    let found = server.run(&["doctor"]);
    assert!(text(&found.stdout).contains("1 stored file is unused"), "{}", text(&found.stdout));
    assert!(server.run(&["doctor", "--fix"]).status.success());
    assert_eq!(anon.get(&at).bytes, small);
    let found = server.run(&["doctor"]);
    assert!(found.status.success(), "{}", text(&found.stdout));
    fs::write(of(whole.header("etag")), "x").expect("written");
    let found = server.run(&["doctor", "--fix"]);
    assert_eq!(found.status.code(), Some(7));
    assert!(text(&found.stdout).contains("1 of 2 stored files missing or altered"));
}

#[test]
fn smaller_ones_go_with_theirs() {
    let server = Server::alone("its jobs run now");
    let (owner, anon) = (server.user(), server.anon());
    let path = shown(&owner, "image/jpeg", &photo(900, 600, 1));
    for width in [320, 640, 1280] {
        assert_eq!(anon.get(format!("{path}?w={width}")).status, 200);
    }
    assert_eq!(files_in(&server.dir, "blobs").len(), 3);
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    database.execute("UPDATE images SET idle_since = 0", []).expect("changed");
    assert!(server.run(&["jobs", "run-once", "files"]).status.success());
    assert!(files_in(&server.dir, "blobs").is_empty());
    assert_eq!(anon.get(&path).status, 404);
    assert_eq!(anon.get(format!("{path}?w=320")).status, 404);
    let doctor = server.run(&["doctor"]);
    assert!(doctor.status.success(), "{}", text(&doctor.stdout));
}

#[test]
fn with_too_little_room_nothing_smaller_is_made() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let path = shown(&server.user(), "image/jpeg", &photo(900, 600, 1));
    server.kill();
    drop(server);
    let server = Server::over(dir.path(), &["--min-free-mb", "1048576"]);
    let small = server.anon().get(format!("{path}?w=320"));
    assert_eq!((small.status, small.header("cache-control")), (200, "public, no-cache"));
    assert_eq!(small.bytes, server.anon().get(&path).bytes);
}
