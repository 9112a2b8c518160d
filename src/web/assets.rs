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

// `HOMES`: the bundle that contains each module.
include!(concat!(env!("OUT_DIR"), "/homes.rs"));

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

/// The bundles that contain these modules, each once.
pub fn bundles_of(modules: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut bundles = Vec::new();
    for module in modules {
        let home = HOMES.iter().find(|(known, _)| *known == module);
        if let Some((_, bundle)) = home
            && !bundles.contains(bundle)
        {
            bundles.push(*bundle);
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
        let asked = ["keep.js", "form.js", "table.js", "copy.js", "none.js"];
        assert_eq!(
            bundles_of(asked.into_iter()),
            ["form.js", "controls.js", "pages.js"]
        );
    }
}
