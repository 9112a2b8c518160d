//! The files that pages load: compiled in or made of what is, packed once, and addressed by what they hold, so that a
//! browser never asks twice. No file of an owner or a respondent comes from here.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::Embed;
use warp::http::{StatusCode, header};

use crate::base::config::Config;
use crate::base::error::{Error, Noun, Result};
use crate::fields::places;
use crate::model::precondition::Etag;
use crate::web::call::Call;
use crate::web::csp::Csp;
use crate::web::reply::{Answer, Reply};
use crate::web::send;

#[derive(Embed)]
#[folder = "assets/css/"]
struct Css;

#[derive(Embed)]
#[folder = "assets/js/"]
struct Js;

#[derive(Embed)]
#[folder = "assets/icons/"]
struct Icons;

const HASH_DIGITS: usize = 16;

struct File {
    plain: Bytes,
    /// Gzip; none where that is not worth the while.
    packed: Option<Bytes>,
    content_type: &'static str,
}

struct Files {
    /// One for all, so that modules find each other by relative address.
    hash: String,
    by_name: HashMap<String, File>,
}

static FILES: LazyLock<Files> = LazyLock::new(load);

/// The address of a file, with the public address's path before it.
pub fn address(config: &Config, name: &str) -> String {
    format!("{}/assets/{}/{name}", config.base_path(), FILES.hash)
}

/// `GET /assets/{hash}/{name}`
pub fn show(call: &Call) -> Result<Reply> {
    let file = FILES
        .by_name
        .get(call.param("name"))
        .filter(|_| call.param("hash") == FILES.hash)
        .ok_or(Error::NotFound(Noun::Page))?;
    let mut answer = Answer::empty(StatusCode::OK)
        .header(header::CACHE_CONTROL, "public, max-age=31536000, immutable")
        .header(header::VARY, "Accept-Encoding")
        .tagged(Etag(FILES.hash.clone()));
    answer.csp = Csp::Json;
    answer.content_type = Some(file.content_type);
    match &file.packed {
        Some(packed) if send::takes_gzip(call.headers) => {
            answer.body = packed.clone();
            answer = answer.header(header::CONTENT_ENCODING, "gzip");
        }
        _ => answer.body = file.plain.clone(),
    }
    Ok(answer.into())
}

fn load() -> Files {
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |names: Vec<String>, get: fn(&str) -> Option<rust_embed::EmbeddedFile>| {
        for name in names {
            if let Some(file) = get(&name) {
                all.push((name, file.data.into_owned()));
            }
        }
    };
    add(Css::iter().map(Into::into).collect(), Css::get);
    add(Js::iter().map(Into::into).collect(), Js::get);
    add(Icons::iter().map(Into::into).collect(), Icons::get);
    all.extend(places::lists().map(|(name, list)| (name, list.to_string().into_bytes())));
    all.sort();
    let parts: Vec<&[u8]> = all
        .iter()
        .flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()])
        .collect();
    let hash = crate::base::secret::hash_parts(&parts)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>()[..HASH_DIGITS]
        .to_owned();
    let by_name = all
        .into_iter()
        .filter_map(|(name, bytes)| {
            let content_type = content_type(&name)?;
            // The lists are many and short.
            let packed = (!name.ends_with(".json")).then(|| Bytes::from(pack(&bytes)));
            let file = File {
                plain: Bytes::from(bytes),
                packed,
                content_type,
            };
            Some((name, file))
        })
        .collect();
    Files { hash, by_name }
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("writing to memory does not fail")
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "json" => Some("application/json"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_type_and_packs() {
        assert_eq!(FILES.hash.len(), HASH_DIGITS);
        for name in Css::iter().chain(Js::iter()).chain(Icons::iter()) {
            let file = FILES.by_name.get(name.as_ref()).expect("a known type");
            assert!(
                file.packed
                    .as_ref()
                    .is_some_and(|packed| !packed.is_empty()),
                "{name}"
            );
        }
    }
}
