//! Turns an answer into an HTTP response: common headers (S8), `304`, compression.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use warp::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use warp::reply::Response;

use crate::base::config::Config;
use crate::base::rate::Allowance;
use crate::base::{clock, id};
use crate::http::access_log::{LogEntry, NO_ROUTE};
use crate::http::conn::Peer;
use crate::http::gate::{MAX_FIELDS, MAX_HEAD, MAX_URL, Refusal};
use crate::http::{net, stream};
use crate::web::event_stream;
use crate::web::request::reply::Answer;

const COMPRESS_FROM: usize = 1024;

// Capacity for the usual headers, so that the map need not grow.
const HEADERS: usize = 24;

/// Headers of every answer (S8).
const COMMON_HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(self), geolocation=(self)"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Headers of answers that any origin may read (S10).
const CORS_HEADERS: [(HeaderName, &str); 2] = [
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        "ETag, Preference-Applied, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, \
         WWW-Authenticate, X-Request-Id, X-Warnings",
    ),
];

/// The parts of a request that the answer's headers depend on.
pub struct Context<'a> {
    pub config: &'a Config,
    pub method: &'a Method,
    pub headers: &'a HeaderMap,
    /// For `X-Request-Id`.
    pub request_id: &'a str,
    /// Whether any origin may read the answer.
    pub is_open: bool,
    /// The state of the rate limit, if one applies.
    pub allowance: Option<Allowance>,
}

/// The answer to `OPTIONS`.
pub fn options(allow: &str) -> Answer {
    Answer::empty(StatusCode::NO_CONTENT).header(header::ALLOW, allow)
}

/// The answer to a CORS preflight.
pub fn preflight(allow: &str) -> Answer {
    options(allow)
        .header(header::ACCESS_CONTROL_ALLOW_METHODS, allow)
        .header(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, \
             Prefer, X-Edit-Token, X-Form-Password",
        )
        .header(header::ACCESS_CONTROL_MAX_AGE, "86400")
}

/// The answer to a request that does not reach the dispatcher, or whose handler panicked (`None`).
pub fn refusal(config: &Config, refusal: Option<Refusal>, peer: Peer) -> Response {
    let status = refusal.map_or(StatusCode::INTERNAL_SERVER_ERROR, Refusal::status);
    let message = match refusal {
        None => "Internal error".to_owned(),
        Some(Refusal::Address) => "The address is malformed: characters such as a space (%20), \" (%22), < (%3C) \
             and > (%3E) must be percent-encoded"
            .to_owned(),
        Some(Refusal::LongAddress) => format!("The URL is longer than {MAX_URL} bytes"),
        Some(Refusal::LargeHead) => {
            format!("The request's head is larger than {MAX_HEAD} bytes or has more than {MAX_FIELDS} fields")
        }
        Some(Refusal::Malformed) => "The request is malformed: it needs one Host, and one length at most".to_owned(),
    };
    let answer = Answer::json_text(status, json!({"error": message}).to_string());
    let id = id::random(16);
    let cx = Context {
        config,
        method: &Method::GET,
        headers: &HeaderMap::new(),
        request_id: &id,
        is_open: false,
        allowance: None,
    };
    let mut response = response(answer, &cx);
    response.extensions_mut().insert(LogEntry {
        log: config.access_log,
        id,
        // The method of a malformed request may be anything.
        method: Method::GET,
        route: NO_ROUTE,
        status: status.as_u16(),
        client: peer.0.map(|peer| peer.ip().to_canonical()),
        begun: clock::now(),
    });
    response
}

pub fn response(mut answer: Answer, cx: &Context) -> Response {
    not_modified(&mut answer, cx);
    let gzip = compress(&mut answer, cx.headers);
    let body = std::mem::take(&mut answer.body);
    let mut response = match (answer.chunks.take(), answer.events.take(), answer.rest.take()) {
        (Some(chunks), ..) => stream::response(chunks),
        (None, Some(events), _) => event_stream::response(*events),
        (None, None, Some(rest)) => stream::begun(body, rest),
        (None, None, None) => Response::new(body.into()),
    };
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    for (name, value) in COMMON_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if cx.is_open {
        for (name, value) in CORS_HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    let mut put = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    put(header::CONTENT_SECURITY_POLICY, &answer.csp.text());
    if cx.config.is_https() {
        put(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    put(HeaderName::from_static("x-request-id"), cx.request_id);
    if let Some(allowance) = cx.allowance {
        put(HeaderName::from_static("ratelimit-limit"), &allowance.limit.to_string());
        put(HeaderName::from_static("ratelimit-remaining"), &allowance.remaining.to_string());
        put(HeaderName::from_static("ratelimit-reset"), &allowance.reset_secs.to_string());
    }
    if let Some(kind) = answer.content_type {
        put(header::CONTENT_TYPE, kind);
    }
    if gzip {
        put(header::CONTENT_ENCODING, "gzip");
    }
    if answer.may_compress {
        put(header::VARY, "Accept-Encoding");
    }
    if let Some(etag) = &answer.etag {
        put(header::ETAG, &format!("\"{}\"", etag.0));
    }
    let mut seen: Vec<HeaderName> = Vec::new();
    for (name, value) in answer.headers {
        if seen.contains(&name) {
            headers.append(name, value);
        } else {
            headers.insert(name.clone(), value);
            seen.push(name);
        }
    }
    response
}

fn not_modified(answer: &mut Answer, cx: &Context) {
    let is_read = *cx.method == Method::GET || *cx.method == Method::HEAD;
    if let Some(etag) = &answer.etag
        && is_read
        && answer.status == StatusCode::OK
        && cx
            .headers
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|text| net::names_tag(text, &etag.0))
    {
        answer.status = StatusCode::NOT_MODIFIED;
        answer.body = Bytes::new();
        answer.content_type = None;
    }
}

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Smallest; only for files that were compressed in the build.
    Brotli,
    /// Accepted by every browser.
    Gzip,
}

impl Coding {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

/// The coding that the client prefers; Brotli if both have the same weight.
pub fn preferred_coding(headers: &HeaderMap) -> Option<Coding> {
    let (brotli, gzip) = (weight(headers, Coding::Brotli), weight(headers, Coding::Gzip));
    if brotli > 0.0 && brotli >= gzip { Some(Coding::Brotli) } else { (gzip > 0.0).then_some(Coding::Gzip) }
}

/// The weight that `Accept-Encoding` gives a coding, 0 to 1 (RFC 9110); 0 if it is not listed.
fn weight(headers: &HeaderMap, coding: Coding) -> f32 {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
    let lines = lines.filter_map(|value| value.to_str().ok());
    let named = lines.flat_map(|line| line.split(',')).find_map(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_it = parts.next()?.eq_ignore_ascii_case(coding.name());
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        is_it.then(|| weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0)))
    });
    named.unwrap_or(0.0)
}

fn compress(answer: &mut Answer, headers: &HeaderMap) -> bool {
    if !answer.may_compress || weight(headers, Coding::Gzip) <= 0.0 || answer.body.len() < COMPRESS_FROM {
        return false;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(5));
    let packed = encoder.write_all(&answer.body).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) => {
            answer.body = Bytes::from(packed);
            true
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_chooses_the_coding() {
        use Coding::{Brotli, Gzip};
        for (line, coding) in [
            ("gzip, deflate, br, zstd", Some(Brotli)),
            ("gzip, deflate", Some(Gzip)),
            ("GZIP", Some(Gzip)),
            ("br;q=0, gzip", Some(Gzip)),
            ("br;q=0.5, gzip;q=0.9", Some(Gzip)),
            ("br; q=0.9 , gzip;q=0.9", Some(Brotli)),
            ("br;q=x, gzip;q=0.000", None),
            ("identity, *", None),
            ("brotli, x-gzip", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(line));
            assert_eq!(preferred_coding(&headers), coding, "{line}");
        }
        assert_eq!(preferred_coding(&HeaderMap::new()), None);
    }
}
