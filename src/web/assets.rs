//! The files that pages load: made and packed when the program is built, or made of what is, and addressed by what
//! they hold, so that a browser never asks twice. No file of an owner or a respondent comes from here.

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

/// What the build script made: each file, and the same packed, with `.gz` and `.br` behind its name.
#[derive(Embed)]
#[folder = "$OUT_DIR/assets/"]
struct Made;

// Which file holds a module.
include!(concat!(env!("OUT_DIR"), "/homes.rs"));

const HASH_DIGITS: usize = 16;

struct Served {
    plain: Bytes,
    /// Gzip and Brotli; none where that is not worth the while.
    packed: Option<(Bytes, Bytes)>,
    content_type: &'static str,
}

struct All {
    /// One for all, so that an address tells which build it is of.
    hash: String,
    by_name: HashMap<String, Served>,
}

static ALL: LazyLock<All> = LazyLock::new(load);

/// The address of a file, with the public address's path before it.
pub fn address(config: &Config, name: &str) -> String {
    format!("{}/assets/{}/{name}", config.base_path(), ALL.hash)
}

/// The files that hold these modules, each once.
pub fn holding(modules: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut files = Vec::new();
    for module in modules {
        let home = HOMES.iter().find(|(known, _)| *known == module);
        if let Some((_, file)) = home
            && !files.contains(file)
        {
            files.push(*file);
        }
    }
    files
}

/// `GET /assets/{hash}/{name}`
pub fn show(call: &Call) -> Result<Reply> {
    let file = ALL
        .by_name
        .get(call.param("name"))
        .filter(|_| call.param("hash") == ALL.hash)
        .ok_or(Error::NotFound(Noun::Page))?;
    let mut answer = Answer::empty(StatusCode::OK)
        .header(header::CACHE_CONTROL, "public, max-age=31536000, immutable")
        .header(header::VARY, "Accept-Encoding")
        .tagged(Etag(ALL.hash.clone()));
    answer.csp = Csp::Json;
    answer.content_type = Some(file.content_type);
    let coding = send::taken(call.headers);
    match (&file.packed, coding) {
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

fn load() -> All {
    let mut by_name: HashMap<String, Served> = Made::iter()
        .filter(|name| !name.ends_with(".gz") && !name.ends_with(".br"))
        .filter_map(|name| {
            let served = Served {
                plain: made(&name)?,
                packed: made(&format!("{name}.gz")).zip(made(&format!("{name}.br"))),
                content_type: content_type(&name),
            };
            Some((name.into_owned(), served))
        })
        .collect();
    // The lists are many and short.
    let lists = places::lists().map(|(name, list)| (name, Bytes::from(list.to_string())));
    by_name.extend(lists.map(|(name, plain)| {
        let served = Served {
            plain,
            packed: None,
            content_type: content_type(&name),
        };
        (name, served)
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
    All { hash, by_name }
}

fn made(name: &str) -> Option<Bytes> {
    Some(match Made::get(name)?.data {
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
        assert_eq!(ALL.hash.len(), HASH_DIGITS);
        assert!(ALL.by_name.len() > 5);
        for (name, file) in &ALL.by_name {
            assert_ne!(file.content_type, content_type(""), "{name}");
            let Some((gzip, brotli)) = &file.packed else {
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
            holding(asked.into_iter()),
            ["form.js", "controls.js", "pages.js"]
        );
    }
}
