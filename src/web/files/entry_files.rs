//! `/files/{id}/{name}`: files of entries, for download; never rendered as a page of this site (S62).

use crate::base::error::Result;
use crate::ops::files::entry_files::{self, Link, Readable};
use crate::web::files::content::FileContent;
use crate::web::openapi::doc::AnswerBody::{self, File};
use crate::web::openapi::doc::Doc;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// Content types that are safe to send; anything else becomes `application/octet-stream`.
const SAFE_TYPES: [&str; 6] = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/plain"];

/// The content types of files.
const FILE_TYPES: AnswerBody = File(&[
    ("application/octet-stream", None),
    ("application/pdf", None),
    ("image/jpeg", None),
    ("image/png", None),
    ("image/webp", None),
    ("image/gif", None),
    ("text/plain", None),
    ("audio/*", None),
    ("video/*", None),
]);

pub const GET_FILE: Doc = Doc::new("get_file", 200, FILE_TYPES)
    .says("Download a file of an entry", "Use the `url` in the entry, which works for 24 hours. Supports `Range`.")
    .also(206)
    .tagged()
    .signed();

/// `GET /files/{id}/{name}`
pub fn show(call: &Call) -> Result<Reply> {
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let link = Link { id: call.param("id"), name: call.param("name"), expires: &expires, signature: &signature };
    Ok(sent(call, entry_files::open(call.app, &link)?).into())
}

/// A file of an entry, for download.
pub fn sent(call: &Call, readable: Readable) -> Answer {
    let content = FileContent {
        content_type: shown_type(&readable.content_type),
        name: Some(&readable.name),
        cache: "no-store",
        file: readable.file,
        size: readable.size,
        sha256: readable.sha256,
    };
    content.answer(call)
}

fn shown_type(content_type: &str) -> &str {
    let is_safe =
        SAFE_TYPES.contains(&content_type) || content_type.starts_with("audio/") || content_type.starts_with("video/");
    if is_safe { content_type } else { "application/octet-stream" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_browser_could_run_is_sent_as_bytes() {
        for kind in ["text/html", "image/svg+xml", "text/xml", "application/xhtml+xml", "text/css"] {
            assert_eq!(shown_type(kind), "application/octet-stream");
        }
        for kind in ["image/png", "audio/mp4", "video/webm", "application/pdf"] {
            assert_eq!(shown_type(kind), kind);
        }
    }
}
