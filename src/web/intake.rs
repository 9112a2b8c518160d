//! The intake of bodies: each under its row's rule, whole into memory or, with files, to the disk as it comes. A
//! body that nobody wants is taken in too where it is small, so that its sender reads the answer.

use bytes::{Buf, Bytes};
use futures_util::Stream;
use warp::http::{HeaderMap, HeaderName, header};

use crate::base::error::{Error, Result};
use crate::ops::form_uploads::TYPED;
use crate::ops::uploads::Taking;
use crate::web::blocking::spawn_blocking;
use crate::web::body::{self, BodyFault};
use crate::web::budget::{self, Share};
use crate::web::call::{Body, Call};
use crate::web::matched_request::MatchedRequest;
use crate::web::reply::Answer;
use crate::web::route::{BODY_LIMIT, BodyRule, Route, SHEETS};
use crate::web::{multipart, posting, upload};

/// A body, or why it can't be used: who may not come is told that first.
pub type Taken = std::result::Result<Body, BodyProblem>;

/// Why a body can't be used; kept until it is the body's turn.
pub enum BodyProblem {
    /// It is of no type that is read there.
    Type(String),
    /// It was not read to its end; with the most bytes it may have.
    Read(BodyFault, usize),
    /// It has more parts than any form.
    Pairs,
    /// A header that says how to read it was sent more than once.
    Doubled(&'static str),
}

impl BodyProblem {
    /// As requests fail by it.
    pub fn error(&self) -> Error {
        match self {
            Self::Type(message) => Error::UnsupportedType(message.clone()),
            Self::Read(fault, limit) => fault.error(*limit as u64),
            Self::Pairs => Error::BadRequest("The form has too many parts".to_owned()),
            Self::Doubled(name) => Error::BadRequest(format!("Only one {name} header may be sent")),
        }
    }
}

/// More pairs than any form's page has (S49).
const MAX_PAIRS: usize = 5000;

/// Headers that say what becomes of a body: of two, each reader might take another.
const SINGLE: [(HeaderName, &str); 2] = [
    (header::CONTENT_TYPE, "Content-Type"),
    (
        HeaderName::from_static("idempotency-key"),
        "Idempotency-Key",
    ),
];

/// The first of those headers that was sent more than once.
fn doubled(headers: &HeaderMap) -> Option<BodyProblem> {
    let is_doubled = |name: &HeaderName| headers.get_all(name).iter().nth(1).is_some();
    let mut single = SINGLE.into_iter();
    let (_, name) = single.find(|(name, _)| is_doubled(name))?;
    Some(BodyProblem::Doubled(name))
}

const JSON: &[&str] = &["application/json"];
const FORMS: &[&str] = &["application/x-www-form-urlencoded", "multipart/form-data"];

/// Whether a body may take memory that is counted.
pub fn may_be_large(headers: &HeaderMap) -> bool {
    match content_length(headers) {
        Some(length) => length > budget::FREE as u64,
        None => headers.contains_key(header::TRANSFER_ENCODING),
    }
}

/// Takes the body in that the row asks for; `share` is the memory that it holds.
///
/// # Errors
/// Where its files are taken as they come: 400, 404, 408, 413; internal.
pub async fn take<S, B>(request: &MatchedRequest, stream: S, share: &mut Share) -> Result<Taken>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let (row, headers) = (request.row, &request.head.headers);
    if row.body != BodyRule::None
        && let Some(problem) = doubled(headers)
    {
        drain(headers, stream).await;
        return Ok(Err(problem));
    }
    if let Some(kind) = answers_kind(row, headers) {
        return answers(request, &kind, stream, share).await.map(Ok);
    }
    match read(row, headers, stream, share).await {
        Ok(bytes) if matches!(row.body, BodyRule::Answers(_)) => {
            signed(request, bytes).await.map(Ok)
        }
        read => Ok(read.map(Body::from)),
    }
}

/// Takes a file: whether it may come is asked before any of it is read.
///
/// # Errors
/// What `begin` fails with; 400, 408, 410, 413, 422, 503.
pub async fn spool<S, B>(
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
        Ok(taking) if length.is_some_and(|length| length > taking.limit()) => {
            Err(Error::TooLarge(taking.limit()))
        }
        begun => begun,
    };
    match taking {
        Ok(taking) => upload::receive(taking, stream, request.site.app.clone()).await,
        Err(refused) => {
            drain(&request.head.headers, stream).await;
            Err(refused)
        }
    }
}

/// That a file comes as it is, and says once of what type.
fn check_file(headers: &HeaderMap) -> Result<()> {
    match doubled(headers) {
        Some(problem) => Err(problem.error()),
        None if is_encoded(headers) => Err(Error::UnsupportedType(ENCODED.to_owned())),
        None => Ok(()),
    }
}

/// The content type of answers that come in parts, if that is what comes.
fn answers_kind(row: &Route, headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let is_rule = matches!(row.body, BodyRule::Answers(_));
    let comes = is_rule && multipart::is_multipart(kind) && check_type(headers, FORMS).is_ok();
    comes.then(|| kind.to_owned())
}

/// Takes the answers to a form in, with their files.
async fn answers<S, B>(
    request: &MatchedRequest,
    kind: &str,
    stream: S,
    share: &mut Share,
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
            let limits = (limits, length);
            let parts = posting::receive(kind, stream, begun, limits, share).await?;
            Ok(Body {
                bytes: Bytes::new(),
                parts: Some(parts),
            })
        }
        Err(refused) => match drain(&request.head.headers, stream).await {
            Some(BodyFault::TooSlow) => Err(Error::BodyTimeout),
            _ => Err(refused),
        },
    }
}

/// Answers that came whole; where names were typed as signatures, with pictures of them.
async fn signed(request: &MatchedRequest, bytes: Bytes) -> Result<Body> {
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

/// Reads a body whole, or none where the row asks for none.
async fn read<S, B>(
    row: &Route,
    headers: &HeaderMap,
    stream: S,
    share: &mut Share,
) -> std::result::Result<Bytes, BodyProblem>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let (limit, types, optional): (usize, &[&str], bool) = match row.body {
        BodyRule::None | BodyRule::File => {
            drain(headers, stream).await;
            return Ok(Bytes::new());
        }
        BodyRule::Json(limit) => (limit, JSON, false),
        BodyRule::OptionalJson(limit) => (limit, JSON, true),
        BodyRule::Sheet(limit) => (limit, SHEETS, false),
        BodyRule::Form(limit) | BodyRule::Answers(limit) => (limit, FORMS, false),
        BodyRule::Params(limit) => (
            limit,
            &["application/x-www-form-urlencoded", "application/json"],
            false,
        ),
    };
    let problem = check_type(headers, types).err();
    if content_length(headers).is_some_and(|length| length > limit as u64) {
        return Err(BodyProblem::Read(BodyFault::TooLarge, limit));
    }
    let deadline = if limit > BODY_LIMIT {
        body::LARGE_BODY
    } else {
        body::WHOLE_BODY
    };
    let bytes = body::read_limited(stream, limit, deadline, share)
        .await
        .map_err(|fault| BodyProblem::Read(fault, limit))?;
    match problem {
        Some(_) if optional && bytes.is_empty() => Ok(bytes),
        Some(message) => Err(BodyProblem::Type(message)),
        None if types.contains(&FORMS[0]) && check_type(headers, JSON).is_err() => {
            // Each would take far more memory than its text.
            match memchr::memchr_iter(b'&', &bytes).count() < MAX_PAIRS {
                true => Ok(bytes),
                false => Err(BodyProblem::Pairs),
            }
        }
        None => Ok(bytes),
    }
}

/// Takes in a body that nobody wants: where it were left, the connection would end without a word, and a
/// client that sends its next request on it would lose that one. Who asks before sending is not told to. Says
/// what kept it from coming.
pub async fn drain<S, B>(headers: &HeaderMap, stream: S) -> Option<BodyFault>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let is_small = content_length(headers).is_none_or(|length| length <= BODY_LIMIT as u64);
    if !is_small || headers.contains_key(header::EXPECT) {
        return None;
    }
    let read = body::discard(stream, BODY_LIMIT, body::WHOLE_BODY).await;
    read.err()
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

const ENCODED: &str = "Request bodies must not be compressed";

/// Whether a body comes in any other coding than as it is (S6).
fn is_encoded(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = codings.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| !coding.trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// That the body is of a type that is read here, in UTF-8, and not compressed (S6).
fn check_type(headers: &HeaderMap, types: &[&str]) -> std::result::Result<(), String> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if is_encoded(headers) {
        return Err(ENCODED.to_owned());
    }
    let expected = || format!("Content-Type must be {}", types.join(" or "));
    let full = text(header::CONTENT_TYPE).ok_or_else(expected)?;
    let mut parts = full.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    if !types.contains(&essence.as_str()) {
        return Err(expected());
    }
    let charset = parts
        .filter_map(|part| part.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    match charset {
        Some((_, charset))
            if !charset
                .trim()
                .trim_matches('"')
                .eq_ignore_ascii_case("utf-8") =>
        {
            Err("The charset must be utf-8".to_owned())
        }
        _ => Ok(()),
    }
}
