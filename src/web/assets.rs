//! The files that pages load. They are built and compressed with the program (lists of places are generated at
//! start), and their address holds a hash of the content, so browsers cache them forever. No file of an owner or a
//! respondent is asset here.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read as _;
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::read::GzDecoder;
use rust_embed::Embed;
use warp::http::{StatusCode, header};

use crate::base::config::Config;
use crate::base::error::{Error, Noun, Result};
use crate::fields::places;
use crate::model::precondition::Etag;
use crate::web::csp::Csp;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::send::{self, Coding};

/// Output of the build script: the compressed forms of each file, with `.gz` and `.br` appended to its name.
#[derive(Embed)]
#[folder = "$OUT_DIR/assets/"]
struct Embedded;

// `BUNDLES`: the modules of each bundle. Of those that share modules, a page loads one.
include!(concat!(env!("OUT_DIR"), "/bundles.rs"));

const HASH_DIGITS: usize = 16;

struct Asset {
    content: Content,
    content_type: &'static str,
}

enum Content {
    Plain(Bytes),
    Compressed { gzip: Bytes, brotli: Bytes },
}

impl Content {
    /// Its bytes, and how they are coded. Files are unpacked for clients that take no coding: browsers do.
    fn coded(&self, coding: Option<Coding>) -> Result<(Bytes, Option<Coding>)> {
        match (self, coding) {
            (Self::Plain(plain), _) => Ok((plain.clone(), None)),
            (Self::Compressed { brotli, .. }, Some(Coding::Brotli)) => Ok((brotli.clone(), coding)),
            (Self::Compressed { gzip, .. }, Some(_)) => Ok((gzip.clone(), coding)),
            (Self::Compressed { gzip, .. }, None) => {
                let mut plain = Vec::new();
                GzDecoder::new(&gzip[..])
                    .read_to_end(&mut plain)
                    .map_err(|e| Error::internal(format!("an embedded file: {e}")))?;
                Ok((plain.into(), None))
            }
        }
    }

    /// The bytes that identify the file.
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) | Self::Compressed { gzip: bytes, .. } => bytes,
        }
    }
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
    let name = call.param("name");
    if call.param("hash") != ASSETS.hash {
        return Err(Error::NotFound(Noun::Page));
    }
    answer(call, name, "public, max-age=31536000, immutable")
}

/// `GET /embed.js`: the script of other sites. They write its address into their pages, so it has no hash.
pub fn embed(call: &Call) -> Result<Reply> {
    answer(call, "embed.js", "public, max-age=86400")
}

fn answer(call: &Call, name: &str, caching: &str) -> Result<Reply> {
    let file = ASSETS.by_name.get(name).ok_or(Error::NotFound(Noun::Page))?;
    let mut answer = Answer::empty(StatusCode::OK)
        .header(header::CACHE_CONTROL, caching)
        .header(header::VARY, "Accept-Encoding")
        .tagged(Etag(ASSETS.hash.clone()));
    answer.csp = Csp::Json;
    answer.content_type = Some(file.content_type);
    let (body, coding) = file.content.coded(send::preferred_coding(call.headers))?;
    answer.body = body;
    if let Some(coding) = coding {
        answer = answer.header(header::CONTENT_ENCODING, coding.name());
    }
    Ok(answer.into())
}

fn load() -> Assets {
    let mut by_name: HashMap<String, Asset> = Embedded::iter()
        .filter_map(|packed| {
            let name = packed.strip_suffix(".gz")?;
            let asset = Asset {
                content: Content::Compressed { gzip: embedded(&packed)?, brotli: embedded(&format!("{name}.br"))? },
                content_type: content_type(name),
            };
            Some((name.to_owned(), asset))
        })
        .collect();
    // The lists are many and short.
    let lists = places::lists().map(|(name, list)| (name, Bytes::from(list.to_string())));
    by_name.extend(lists.map(|(name, plain)| {
        let asset = Asset { content: Content::Plain(plain), content_type: content_type(&name) };
        (name, asset)
    }));
    let mut names: Vec<&String> = by_name.keys().collect();
    names.sort();
    let parts: Vec<&[u8]> =
        names.into_iter().flat_map(|name| [name.as_bytes(), by_name[name].content.bytes()]).collect();
    let hash = crate::base::secret::hash_parts(&parts).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        [..HASH_DIGITS]
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
    use super::*;

    #[test]
    fn every_file_has_a_type_and_is_packed() {
        assert_eq!(ASSETS.hash.len(), HASH_DIGITS);
        assert!(ASSETS.by_name.len() > 5);
        for (name, file) in &ASSETS.by_name {
            assert_ne!(file.content_type, content_type(""), "{name}");
            let Content::Compressed { gzip, brotli } = &file.content else {
                continue;
            };
            let (plain, coding) = file.content.coded(None).expect("it unpacks");
            assert!(coding.is_none() && !plain.is_empty(), "{name}");
            // Icons are too small to gain by it.
            if plain.len() > 1000 {
                assert!(brotli.len() < gzip.len(), "{name}");
                assert!(gzip.len() < plain.len(), "{name}");
            }
        }
    }

    #[test]
    fn modules_are_found_in_their_files() {
        let found = |asked: &[&'static str]| bundles_of(asked.iter().copied());
        assert_eq!(found(&["keep.js", "form.js", "none.js"]), ["form.js"]);
        // A module that is in both files is loaded once.
        assert_eq!(found(&["keep.js", "form.js", "table.js", "phone.js"]), ["form_controls.js"]);
        assert_eq!(found(&["copy.js", "receipt.js"]), ["pages.js"]);
        assert_eq!(found(&["form.js", "copy.js"]).len(), 2);
    }
}
