//! Answers with a stored file: whole, a range of it, or 304.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use bytes::Bytes;
use warp::http::{StatusCode, header};

use crate::base::error::Error;
use crate::http::net;
use crate::http::stream::ChunkSource;
use crate::model::precondition::Etag;
use crate::web::csp::Csp;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// A file to send.
pub struct FileContent<'a> {
    pub file: File,
    /// In bytes.
    pub size: u64,
    /// In hexadecimal; its entity tag.
    pub sha256: String,
    pub content_type: &'a str,
    /// The `Cache-Control` header.
    pub cache: &'static str,
    /// The name to save it under; `None` if a page shows it.
    pub name: Option<&'a str>,
}

impl FileContent<'_> {
    /// Respects `Range`, `If-Range` and `If-None-Match`.
    pub fn answer(self, call: &Call) -> Answer {
        let etag = Etag(self.sha256);
        let answer = |status| {
            let mut answer = Answer::empty(status);
            answer.csp = Csp::Files;
            answer.tagged(etag.clone()).header(header::CACHE_CONTROL, self.cache).header(header::ACCEPT_RANGES, "bytes")
        };
        let seen = call.headers.get_all(header::IF_NONE_MATCH).iter();
        let mut seen = seen.filter_map(|value| value.to_str().ok());
        if seen.any(|tags| net::names_tag(tags, &etag.0)) {
            return answer(StatusCode::NOT_MODIFIED);
        }
        // With `If-Range`, the range applies only to the version that the client has.
        let is_same = call.header("if-range").is_none_or(|tag| tag == format!("\"{}\"", etag.0));
        let wanted = call.header("range").filter(|_| is_same);
        let size = self.size;
        let range = wanted.map_or(Range::Whole, |text| Range::read(text, size));
        let (status, from, to) = match range {
            Range::Whole => (StatusCode::OK, 0, size),
            Range::Part(from, to) => (StatusCode::PARTIAL_CONTENT, from, to),
            Range::Outside => {
                let body = "{\"error\":\"The range is outside of the file\"}".to_owned();
                let mut refused = Answer::json_text(StatusCode::RANGE_NOT_SATISFIABLE, body);
                refused.csp = Csp::Files;
                let range = format!("bytes */{size}");
                return refused.header(header::CONTENT_RANGE, &range);
            }
        };
        let mut answer = answer(status)
            .header(header::CONTENT_TYPE, self.content_type)
            .header(header::CONTENT_LENGTH, &(to - from).to_string());
        let disposition = self.name.map(net::attachment);
        answer = answer.header(header::CONTENT_DISPOSITION, disposition.as_deref().unwrap_or("inline"));
        if status == StatusCode::PARTIAL_CONTENT {
            let range = format!("bytes {from}-{}/{size}", to - 1);
            answer = answer.header(header::CONTENT_RANGE, &range);
        }
        answer.chunks = Some(chunks(self.file, from, to));
        answer
    }
}

fn chunks(file: File, from: u64, to: u64) -> ChunkSource {
    let mut at = from;
    ChunkSource::new(move |size| {
        let left = usize::try_from(to - at).unwrap_or(size).min(size);
        if left == 0 {
            return Ok(None);
        }
        let mut chunk = vec![0; left];
        file.read_exact_at(&mut chunk, at).map_err(Error::internal)?;
        at += left as u64;
        Ok(Some(Bytes::from(chunk)))
    })
}

/// The requested part of a file; the end is exclusive.
#[derive(Debug, PartialEq, Eq)]
enum Range {
    Whole,
    Part(u64, u64),
    Outside,
}

impl Range {
    /// An invalid range, or more than one, means the whole file (RFC 9110 section 14.2).
    fn read(text: &str, size: u64) -> Self {
        let Some((unit, range)) = text.split_once('=') else {
            return Self::Whole;
        };
        let Some((first, last)) = range.trim().split_once('-') else {
            return Self::Whole;
        };
        if !unit.eq_ignore_ascii_case("bytes") {
            return Self::Whole;
        }
        // A number that overflows is beyond any end.
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| text.parse().unwrap_or(u64::MAX))
        };
        let (from, to) = match (number(first), number(last)) {
            (Some(from), Some(last)) if last < from => return Self::Whole,
            (Some(from), Some(last)) => (from, last.saturating_add(1).min(size)),
            (Some(from), None) if last.is_empty() => (from, size),
            (None, Some(count)) if first.is_empty() => (size.saturating_sub(count), size),
            _ => return Self::Whole,
        };
        if from < to { Self::Part(from, to) } else { Self::Outside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        for (text, range) in [
            ("bytes=0-0", Range::Part(0, 1)),
            ("bytes=2-", Range::Part(2, 10)),
            ("Bytes=2-99", Range::Part(2, 10)),
            ("bytes=-3", Range::Part(7, 10)),
            ("bytes=-99", Range::Part(0, 10)),
            ("bytes=9-99999999999999999999999", Range::Part(9, 10)),
            ("bytes=10-", Range::Outside),
            ("bytes=-0", Range::Outside),
            ("bytes=99999999999999999999999-", Range::Outside),
            ("bytes=5-2", Range::Whole),
            ("bytes=0-1,3-4", Range::Whole),
            ("bytes=a-b", Range::Whole),
            ("bytes=-", Range::Whole),
            ("bytes=+1-2", Range::Whole),
            ("lines=0-1", Range::Whole),
            ("", Range::Whole),
        ] {
            assert_eq!(Range::read(text, 10), range, "{text}");
        }
    }
}
