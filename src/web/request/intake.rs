//! Receives request bodies under their row's rule: whole into memory, or streamed to disk if they carry files. A
//! small body that is not needed is drained, so that the client gets to read the answer.

use std::pin::pin;

use bytes::{Buf, Bytes};
use futures_util::Stream;
use warp::http::{HeaderMap, HeaderName, header};

use crate::base::error::{Error, Result};
use crate::base::text::phrase::Phrase;
use crate::http::blocking::spawn_blocking;
use crate::http::body::{self, BodyFault};
use crate::http::budget::{self, MemoryShare};
use crate::http::multipart;
use crate::ops::files::form_uploads::TYPED;
use crate::ops::files::received_files::Taking;
use crate::web::files::{posted_image, posted_sheet, upload};
use crate::web::forms::posting;
use crate::web::request::call::{Body, Call};
use crate::web::request::matched_request::MatchedRequest;
use crate::web::request::reply::Answer;
use crate::web::request::route::{BODY_LIMIT, BodyRule, Route, SHEETS};
use crate::web::request::site::Site;

/// A body, or why it can't be used. The error waits until the caller is authorised (S39).
pub type BodyResult = std::result::Result<Body, BodyProblem>;

/// Why a body can't be used.
pub enum BodyProblem {
    /// Its content type is not accepted; the message says which are.
    Type(String),
    /// It could not be read to its end; with its limit in bytes.
    Read(BodyFault, usize),
    TooManyPairs,
    /// A header that decides how to read it was sent more than once.
    DuplicateHeader(&'static str),
}

impl BodyProblem {
    pub fn error(&self) -> Error {
        match self {
            Self::Type(message) => Error::UnsupportedType(message.clone()),
            Self::Read(fault, limit) => fault.error(*limit as u64),
            Self::TooManyPairs => Error::BadRequest(Phrase::plain("The form has too many parts")),
            Self::DuplicateHeader(name) => Error::BadRequest(format!("Only one {name} header may be sent").into()),
        }
    }
}

/// The limit of pairs in a urlencoded body, more than any form's page has (S49).
const MAX_PAIRS: usize = 5000;

/// Headers that decide how a body is handled: of two values, readers might use different ones.
const SINGLE_HEADERS: [(HeaderName, &str); 2] =
    [(header::CONTENT_TYPE, "Content-Type"), (HeaderName::from_static("idempotency-key"), "Idempotency-Key")];

/// The first of those headers that was sent more than once.
fn duplicate_header(headers: &HeaderMap) -> Option<BodyProblem> {
    let is_duplicate = |name: &HeaderName| headers.get_all(name).iter().nth(1).is_some();
    let mut single = SINGLE_HEADERS.into_iter();
    let (_, name) = single.find(|(name, _)| is_duplicate(name))?;
    Some(BodyProblem::DuplicateHeader(name))
}

const JSON: &[&str] = &["application/json"];
const FORM_TYPES: &[&str] = &["application/x-www-form-urlencoded", "multipart/form-data"];

/// Whether a body may exceed the free part of its memory budget.
pub fn may_be_large(headers: &HeaderMap) -> bool {
    match content_length(headers) {
        Some(length) => length > budget::FREE as u64,
        None => headers.contains_key(header::TRANSFER_ENCODING),
    }
}

/// Receives the body that the row asks for; `share` accounts for its memory.
pub async fn take<S, B>(request: &MatchedRequest, stream: S, share: &mut MemoryShare) -> Result<BodyResult>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let (row, headers) = (request.row, &request.head.headers);
    if row.body != BodyRule::None
        && let Some(problem) = duplicate_header(headers)
    {
        drain(&request.site, headers, stream).await;
        return Ok(Err(problem));
    }
    if let Some(kind) = multipart_type(row, headers) {
        if let BodyRule::Image(purpose) = row.body {
            return receive_image(request, &kind, purpose, stream, share).await.map(Ok);
        }
        if matches!(row.body, BodyRule::SheetForm(_)) {
            return receive_sheet(request, &kind, stream, share).await.map(Ok);
        }
        return receive_multipart(request, &kind, stream, share).await.map(Ok);
    }
    match read_whole(request, stream, share).await {
        Ok(bytes) if matches!(row.body, BodyRule::Answers(_)) => with_typed_signatures(request, bytes).await.map(Ok),
        read => Ok(read.map(Body::from)),
    }
}

/// Receives an uploaded file. `begin` checks whether it is allowed before any of it is read.
pub async fn receive_file<S, B>(
    request: &MatchedRequest,
    begin: fn(&Call) -> Result<Taking>,
    stream: S,
) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let shared = request.clone();
    let begun = spawn_blocking(move || begin(&shared.call(&Body::default()))).await;
    let headers = &request.head.headers;
    let length = content_length(headers);
    let taking = match begun.and_then(|taking| check_file(headers).map(|()| taking)) {
        Ok(taking) if length.is_some_and(|length| length > taking.limit()) => Err(Error::TooLarge(taking.limit())),
        begun => begun,
    };
    match taking {
        Ok(taking) => upload::receive(taking, stream, request.site.app.clone()).await,
        Err(refused) => {
            drain(&request.site, headers, stream).await;
            Err(refused)
        }
    }
}

/// Checks that a file is sent uncompressed and with one content type at most.
fn check_file(headers: &HeaderMap) -> Result<()> {
    match duplicate_header(headers) {
        Some(problem) => Err(problem.error()),
        None if is_encoded(headers) => Err(Error::UnsupportedType(NOT_COMPRESSED.to_owned())),
        None => Ok(()),
    }
}

/// The content type of the request if it is multipart and its row takes files.
fn multipart_type(row: &Route, headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let is_rule = matches!(row.body, BodyRule::Answers(_) | BodyRule::Image(_) | BodyRule::SheetForm(_));
    let is_multipart = is_rule && multipart::is_multipart(kind) && check_type(headers, FORM_TYPES).is_ok();
    is_multipart.then(|| kind.to_owned())
}

/// Receives the form of a signed-in page with its image.
async fn receive_image<S, B>(
    request: &MatchedRequest,
    kind: &str,
    purpose: &'static str,
    stream: S,
    share: &mut MemoryShare,
) -> Result<Body>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let total = posted_image::LIMITS.total;
    if content_length(&request.head.headers).is_some_and(|length| length > total) {
        return Err(Error::TooLarge(total));
    }
    let mut stream = pin!(stream);
    let received = posted_image::receive(request, kind, purpose, stream.as_mut(), share).await;
    if received.is_err() {
        drain(&request.site, &request.head.headers, stream).await;
    }
    received
}

/// Receives the form of a signed-in page with its spreadsheet.
async fn receive_sheet<S, B>(request: &MatchedRequest, kind: &str, stream: S, share: &mut MemoryShare) -> Result<Body>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let total = posted_sheet::LIMITS.total;
    let length = content_length(&request.head.headers).unwrap_or(total);
    if length > total {
        return Err(Error::TooLarge(total));
    }
    if !share.grow(usize::try_from(length).unwrap_or(usize::MAX)).await {
        return Err(BodyFault::Busy.error(total));
    }
    let deadline = request.site.app.config.request_timeout * body::LARGE_BODY_PATIENCE;
    let mut stream = pin!(stream);
    let received = posted_sheet::receive(kind, stream.as_mut(), deadline, share).await;
    if received.is_err() {
        drain(&request.site, &request.head.headers, stream).await;
    }
    received
}

/// Receives the answers to a form with their files.
async fn receive_multipart<S, B>(
    request: &MatchedRequest,
    kind: &str,
    stream: S,
    share: &mut MemoryShare,
) -> Result<Body>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let shared = request.clone();
    let begun = spawn_blocking(move || posting::begin(&shared.call(&Body::default())));
    match begun.await {
        Ok(begun) => {
            let limits = posting::limits(&begun, request.row.body.limit());
            let length = content_length(&request.head.headers);
            if length.is_some_and(|length| length > limits.total) {
                return Err(Error::TooLarge(limits.total));
            }
            let length = length.unwrap_or(limits.total).min(limits.total);
            let deadline = posting::deadline(request.site.app.config.request_timeout, length);
            let mut stream = pin!(stream);
            match posting::receive(kind, stream.as_mut(), begun, (limits, deadline), share).await {
                Ok(parts) => Ok(Body { bytes: Bytes::new(), parts: Some(parts) }),
                Err(Error::BodyTimeout) => Err(Error::BodyTimeout),
                Err(refused) => {
                    drain(&request.site, &request.head.headers, stream).await;
                    Err(refused)
                }
            }
        }
        Err(refused) => match drain(&request.site, &request.head.headers, stream).await {
            Some(BodyFault::TooSlow) => Err(Error::BodyTimeout),
            _ => Err(refused),
        },
    }
}

/// The body of a urlencoded form. Typed signatures are drawn as pictures.
async fn with_typed_signatures(request: &MatchedRequest, bytes: Bytes) -> Result<Body> {
    let body = Body::from(bytes);
    if memchr::memmem::find(&body.bytes, TYPED.as_bytes()).is_none() {
        return Ok(body);
    }
    let shared = request.clone();
    spawn_blocking(move || {
        let parts = posting::signed(&shared.call(&body))?;
        Ok(Body { parts, ..body })
    })
    .await
}

/// Reads a body into memory; drains it if the row takes none.
async fn read_whole<S, B>(
    request: &MatchedRequest,
    stream: S,
    share: &mut MemoryShare,
) -> std::result::Result<Bytes, BodyProblem>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let headers = &request.head.headers;
    let (limit, types, optional): (usize, &[&str], bool) = match request.row.body {
        BodyRule::None | BodyRule::File => {
            drain(&request.site, headers, stream).await;
            return Ok(Bytes::new());
        }
        // Without a file.
        BodyRule::Image(_) | BodyRule::SheetForm(_) => (BODY_LIMIT, FORM_TYPES, false),
        BodyRule::Json(limit) => (limit, JSON, false),
        BodyRule::OptionalJson(limit) => (limit, JSON, true),
        BodyRule::Sheet(limit) => (limit, SHEETS, false),
        BodyRule::Form(limit) | BodyRule::Answers(limit) => (limit, FORM_TYPES, false),
        BodyRule::Params(limit) => (limit, &["application/x-www-form-urlencoded", "application/json"], false),
    };
    let problem = check_type(headers, types).err();
    if content_length(headers).is_some_and(|length| length > limit as u64) {
        return Err(BodyProblem::Read(BodyFault::TooLarge, limit));
    }
    let patience = request.site.app.config.request_timeout;
    let deadline = if limit > BODY_LIMIT { patience * body::LARGE_BODY_PATIENCE } else { patience };
    let bytes =
        body::read_limited(stream, limit, deadline, share).await.map_err(|fault| BodyProblem::Read(fault, limit))?;
    match problem {
        Some(_) if optional && bytes.is_empty() => Ok(bytes),
        Some(message) => Err(BodyProblem::Type(message)),
        None if types.contains(&FORM_TYPES[0]) && check_type(headers, JSON).is_err() => {
            // A parsed pair takes far more memory than its text.
            match memchr::memchr_iter(b'&', &bytes).count() < MAX_PAIRS {
                true => Ok(bytes),
                false => Err(BodyProblem::TooManyPairs),
            }
        }
        None => Ok(bytes),
    }
}

/// Reads and discards a small body that is not needed. If it were left unread, the connection would be reset, and
/// the client could lose the answer and its next request. A client that sent `Expect` is not asked to continue.
/// Returns the error that ended the reading.
pub async fn drain<S, B>(site: &Site, headers: &HeaderMap, stream: S) -> Option<BodyFault>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let is_small = content_length(headers).is_none_or(|length| length <= BODY_LIMIT as u64);
    if !is_small || headers.contains_key(header::EXPECT) {
        return None;
    }
    let read = body::discard(stream, BODY_LIMIT, site.app.config.request_timeout).await;
    read.err()
}

/// The length of a body as its head says it.
pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

const NOT_COMPRESSED: &str = "Request bodies must not be compressed";

/// Whether a body has a content coding other than identity (S6).
fn is_encoded(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = codings.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| !coding.trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// Checks that the body has one of these content types, is in UTF-8 and not compressed (S6).
fn check_type(headers: &HeaderMap, types: &[&str]) -> std::result::Result<(), String> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if is_encoded(headers) {
        return Err(NOT_COMPRESSED.to_owned());
    }
    let expected = || format!("Content-Type must be {}", types.join(" or "));
    let full = text(header::CONTENT_TYPE).ok_or_else(expected)?;
    let mut parts = full.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    if !types.contains(&essence.as_str()) {
        return Err(expected());
    }
    let charset =
        parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    match charset {
        Some((_, charset)) if !charset.trim().trim_matches('"').eq_ignore_ascii_case("utf-8") => {
            Err("The charset must be utf-8".to_owned())
        }
        _ => Ok(()),
    }
}
