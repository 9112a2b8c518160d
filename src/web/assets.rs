//! The files that pages load. They are built and compressed with the program (lists of places are generated at
//! start), and their address holds a hash of the content, so browsers cache them forever. No file of an owner or a
//! respondent is asset here.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use bytes::Bytes;
use rust_embed::Embed;
use warp::http::{StatusCode, header};

use crate::base::config::Config;
use crate::base::error::{Error, Noun, Result};
use crate::fields::places;
use crate::model::precondition::Etag;
use crate::web::call::Call;
use crate::web::csp::Csp;
use crate::web::reply::{Answer, Reply};
use crate::web::send::{self, Coding};

/// Output of the build script: each file, and its compressed forms with `.gz` and `.br` appended to the name.
#[derive(Embed)]
#[folder = "$OUT_DIR/assets/"]
struct Embedded;

// `BUNDLES`: the modules of each bundle. Of those that share modules, a page loads one.
include!(concat!(env!("OUT_DIR"), "/bundles.rs"));

const HASH_DIGITS: usize = 16;

struct Asset {
    plain: Bytes,
    /// Gzip and Brotli; `None` for files too small to gain by it.
    compressed: Option<(Bytes, Bytes)>,
    content_type: &'static str,
}

struct Assets {
    /// One hash of all files: it identifies the build.
    hash: String,
    by_name: HashMap<String, Asset>,
}

static ASSETS: LazyLock<Assets> = LazyLock::new(load);

/// The path of a file, below the public address's path.
pub fn address(config: &Config, name: &str) -> String {
    format!("{}/assets/{}/{name}", config.base_path(), ASSETS.hash)
}

/// The bundles that contain these modules, no module twice.
pub fn bundles_of(modules: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let homes = modules.map(|module| {
        let homes = BUNDLES.iter().filter(|(_, all)| all.contains(&module));
        homes.map(|(bundle, _)| *bundle).collect::<Vec<_>>()
    });
    // Modules with one home decide for those with several.
    let mut homes: Vec<_> = homes.collect();
    homes.sort_by_key(Vec::len);
    let mut bundles = Vec::new();
    for homes in homes {
        if !homes.iter().any(|home| bundles.contains(home)) {
            bundles.extend(homes.first());
        }
    }
    bundles
}

/// `GET /assets/{hash}/{name}`
pub fn show(call: &Call) -> Result<Reply> {
    let file = ASSETS
        .by_name
        .get(call.param("name"))
        .filter(|_| call.param("hash") == ASSETS.hash)
        .ok_or(Error::NotFound(Noun::Page))?;
    let mut answer = Answer::empty(StatusCode::OK)
        .header(header::CACHE_CONTROL, "public, max-age=31536000, immutable")
        .header(header::VARY, "Accept-Encoding")
        .tagged(Etag(ASSETS.hash.clone()));
    answer.csp = Csp::Json;
    answer.content_type = Some(file.content_type);
    let coding = send::preferred_coding(call.headers);
    match (&file.compressed, coding) {
        (Some((gzip, brotli)), Some(coding)) => {
            let body = if coding == Coding::Brotli {
                brotli
            } else {
                gzip
            };
            answer.body = body.clone();
            answer = answer.header(header::CONTENT_ENCODING, coding.name());
        }
        _ => answer.body = file.plain.clone(),
    }
    Ok(answer.into())
}

fn load() -> Assets {
    let mut by_name: HashMap<String, Asset> = Embedded::iter()
        .filter(|name| !name.ends_with(".gz") && !name.ends_with(".br"))
        .filter_map(|name| {
            let asset = Asset {
                plain: embedded(&name)?,
                compressed: embedded(&format!("{name}.gz")).zip(embedded(&format!("{name}.br"))),
                content_type: content_type(&name),
            };
            Some((name.into_owned(), asset))
        })
        .collect();
    // The lists are many and short.
    let lists = places::lists().map(|(name, list)| (name, Bytes::from(list.to_string())));
    by_name.extend(lists.map(|(name, plain)| {
        let asset = Asset {
            plain,
            compressed: None,
            content_type: content_type(&name),
        };
        (name, asset)
    }));
    let mut names: Vec<&String> = by_name.keys().collect();
    names.sort();
    let parts: Vec<&[u8]> = names
        .into_iter()
        .flat_map(|name| [name.as_bytes(), &by_name[name].plain])
        .collect();
    let hash = crate::base::secret::hash_parts(&parts)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>()[..HASH_DIGITS]
        .to_owned();
    Assets { hash, by_name }
}

fn embedded(name: &str) -> Option<Bytes> {
    Some(match Embedded::get(name)?.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        Some((_, "json")) => "application/json",
        Some((_, "ttf")) => "font/ttf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn every_file_has_a_type_and_is_packed() {
        assert_eq!(ASSETS.hash.len(), HASH_DIGITS);
        assert!(ASSETS.by_name.len() > 5);
        for (name, file) in &ASSETS.by_name {
            assert_ne!(file.content_type, content_type(""), "{name}");
            let Some((gzip, brotli)) = &file.compressed else {
                continue;
            };
            let mut plain = Vec::new();
            let read = GzDecoder::new(&gzip[..]).read_to_end(&mut plain);
            assert_eq!(
                (read.ok(), &plain[..]),
                (Some(plain.len()), &file.plain[..])
            );
            // Icons are too small to gain by it.
            if file.plain.len() > 1000 {
                assert!(brotli.len() < gzip.len(), "{name}");
                assert!(gzip.len() < file.plain.len(), "{name}");
            }
        }
    }

    #[test]
    fn modules_are_found_in_their_files() {
        let found = |asked: &[&'static str]| bundles_of(asked.iter().copied());
        assert_eq!(found(&["keep.js", "form.js", "none.js"]), ["form.js"]);
        // What is in both files is loaded once.
        assert_eq!(
            found(&["keep.js", "form.js", "table.js", "phone.js"]),
            ["form_controls.js"]
        );
        assert_eq!(found(&["copy.js", "receipt.js"]), ["pages.js"]);
        assert_eq!(found(&["form.js", "copy.js"]).len(), 2);
    }
}
