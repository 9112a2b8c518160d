//! The one filter: match, read the body under its limit, then, where it arrived or on a
//! thread that may wait: caller, scope, the body's fault, handler. The order is S39's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures_util::Stream;
use warp::http::{HeaderMap, Method, header};
use warp::reply::Response;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::id;
use crate::base::rate::Allowance;
use crate::model::caller::{Caller, Credential};
use crate::model::scope::Scope;
use crate::ops::posted_files::TYPED;
use crate::ops::uploads::Taking;
use crate::web::aside::aside;
use crate::web::auth;
use crate::web::body::{self, BodyFault};
use crate::web::call::{self, Call, Parts};
use crate::web::conn::Peer;
use crate::web::csp::Csp;
use crate::web::reply::{Answer, Reply};
use crate::web::route::{BODY_LIMIT, BodyRule, Pace, Route, Run, SHEETS};
use crate::web::site::{Matched, Site};
use crate::web::{error, multipart, net, pages, posting, send, upload};

/// Times a request is run because what it was prepared for changed under it, before it stands in line.
const FREE_ATTEMPTS: usize = 4;
/// Times it is run in all. One at a time is in line, so that only newcomers can come before it.
const ATTEMPTS: usize = 32;

/// A request as it came.
pub struct Request<S> {
    /// The method.
    pub method: Method,
    /// The path, not decoded.
    pub path: String,
    /// The query, not decoded; empty when there is none.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// Where it came from.
    pub peer: Peer,
    /// The body, not yet read.
    pub body: S,
}

/// What of a request outlives its body: shared with the thread that runs the handler.
struct Head {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    client: Option<std::net::IpAddr>,
    id: String,
    now: Time,
}

/// Answers a request; never fails.
pub async fn answer<S, B>(site: Arc<Site>, request: Request<S>) -> Response
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let config = &site.app.config;
    let path = below(config.base_path(), &request.path).to_owned();
    let head = Arc::new(Head {
        client: net::client(request.peer.0, &request.headers, &config.trusted_proxies),
        method: request.method,
        path,
        query: request.query,
        headers: request.headers,
        id: id::random(16),
        now: clock::now(),
    });
    let mut pattern = "";
    let mut for_machines = is_open(&head.path);
    let mut for_clients = false;
    let mut allowance = None;
    let outcome = match site.find(&head.method, &head.path) {
        Matched::Nothing => {
            drain(&head.headers, request.body).await;
            Err(Error::NotFound(Noun::Page))
        }
        Matched::OtherMethod(allow) if head.method == Method::OPTIONS && is_open(&head.path) => {
            Ok(send::preflight(&allow))
        }
        Matched::OtherMethod(allow) => {
            drain(&head.headers, request.body).await;
            Err(Error::MethodNotAllowed(allow))
        }
        Matched::Row(row, params) => {
            pattern = row.path;
            for_machines = !matches!(row.run, Run::Page(_) | Run::Signed(_));
            for_clients = matches!(row.run, Run::Client(_));
            match decode(params) {
                Some(params) => run(&site, &head, row, params, request.body, &mut allowance).await,
                None => Err(Error::NotFound(Noun::Page)),
            }
        }
    };
    let mut answer = outcome.unwrap_or_else(|error| {
        let fault = error::fault(error, pattern, &head.id);
        if for_clients {
            fault.oauth()
        } else if for_machines {
            fault.json()
        } else {
            fault.dress(pages::error::page(&site.app, &head.headers, &fault))
        }
    });
    if answer.csp == Csp::Json && is_of_files(&head.path) {
        answer.csp = Csp::Files;
    }
    tracing::debug!(
        target: "access",
        id = %head.id,
        method = %head.method,
        route = pattern,
        status = answer.status.as_u16(),
        ms = clock::now().millis() - head.now.millis(),
        "request"
    );
    send::response(
        answer,
        &send::Context {
            config,
            method: &head.method,
            headers: &head.headers,
            request_id: &head.id,
            is_open: is_open(&head.path) && for_machines,
            allowance,
        },
    )
}

/// The path below the base address's own. Of a well-known address that one may stand at the end as well, where
/// RFC 8414 has it.
fn below<'p>(base: &str, path: &'p str) -> &'p str {
    if base.is_empty() {
        return path;
    }
    if path == base {
        return "/";
    }
    let is_path = |rest: &&str| rest.starts_with('/');
    let inside = path.strip_prefix(base).filter(is_path);
    let well_known = || {
        path.strip_suffix(base)
            .filter(|rest| rest.starts_with("/.well-known/"))
    };
    inside.or_else(well_known).unwrap_or(path)
}

/// Whether programs ask there, rather than people.
pub fn is_api(path: &str) -> bool {
    path.starts_with("/api/") || path.starts_with("/.well-known/")
}

/// Whether pages of any origin may ask there: what the API says about uploads must be of use where it is read.
pub fn is_open(path: &str) -> bool {
    is_api(path) || path.starts_with("/uploads/")
}

/// Whether files of others come and go there: nothing that is answered may do anything in a browser (S9).
fn is_of_files(path: &str) -> bool {
    let folders = ["/files/", "/images/", "/uploads/"];
    folders.iter().any(|folder| path.starts_with(folder))
}

fn decode(params: Vec<(String, String)>) -> Option<Vec<(String, String)>> {
    params
        .into_iter()
        .map(|(name, value)| Some((name, call::decode(&value)?)))
        .collect()
}

async fn run<S, B>(
    site: &Arc<Site>,
    head: &Arc<Head>,
    row: &'static Route,
    params: Vec<(String, String)>,
    body: S,
    allowance: &mut Option<Allowance>,
) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    if let Run::Spool(begin) = row.run {
        return spool(site, head, row, params, begin, body).await;
    }
    let mut turn = None;
    if row.body.limit() > BODY_LIMIT {
        if let Err(refused) = admit(site, head, row, allowance).await {
            drain(&head.headers, body).await;
            return Err(refused);
        }
        turn = site.large_bodies.acquire().await.ok();
    }
    let params = Arc::new(params);
    // The body's fault is kept: who may not come is told that first.
    let body = match answers_kind(row, &head.headers) {
        Some(kind) => Ok(Body {
            parts: Some(answers(site, head, row, &params, &kind, body).await?),
            bytes: Bytes::new(),
        }),
        None => match read(row, &head.headers, body).await.map(Body::from) {
            Ok(body) if matches!(row.body, BodyRule::Answers(_)) => {
                Ok(signed(site, head, row, &params, body).await?)
            }
            read => read,
        },
    };
    let body = Arc::new(body);
    let mut outcome = Err(Error::Stale);
    let mut in_line = None;
    for attempt in 0..ATTEMPTS {
        if attempt == FREE_ATTEMPTS {
            in_line = Some(site.line.lock().await);
        }
        let reply = match here(site, head, row, &params, &body, allowance).await {
            Some(reply) => reply,
            None => elsewhere(site, head, row, &params, &body, allowance).await,
        };
        outcome = match reply {
            Ok(Reply::Now(answer)) => Ok(answer),
            Ok(Reply::Later(answer)) => answer.await,
            Err(error) => Err(error),
        };
        if !matches!(outcome, Err(Error::Stale)) {
            break;
        }
    }
    drop((in_line, turn));
    outcome
}

/// Takes a file: whether it may come is asked before any of it is read.
async fn spool<S, B>(
    site: &Arc<Site>,
    head: &Arc<Head>,
    row: &'static Route,
    params: Vec<(String, String)>,
    begin: fn(&Call) -> Result<Taking>,
    body: S,
) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let (shared, asked) = (Arc::clone(site), Arc::clone(head));
    let begun = aside(move || {
        begin(&call_of(
            &shared,
            &asked,
            row,
            &params,
            &Bytes::new().into(),
        ))
    })
    .await;
    let length = content_length(&head.headers);
    let taking = match begun {
        Ok(taking) if length.is_some_and(|length| length > taking.limit()) => {
            Err(Error::TooLarge(taking.limit()))
        }
        begun => begun,
    };
    match taking {
        Ok(taking) => upload::receive(taking, body, Arc::clone(&site.app)).await,
        Err(refused) => {
            drain(&head.headers, body).await;
            Err(refused)
        }
    }
}

/// A body that was read.
struct Body {
    bytes: Bytes,
    parts: Option<Parts>,
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, parts: None }
    }
}

/// The content type of answers that come in parts, if that is what comes.
fn answers_kind(row: &Route, headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let is_rule = matches!(row.body, BodyRule::Answers(_));
    let comes = is_rule && multipart::is_multipart(kind) && check_type(headers, FORMS).is_ok();
    comes.then(|| kind.to_owned())
}

/// Answers that came whole; where names were typed as signatures, with pictures of them.
async fn signed(
    site: &Arc<Site>,
    head: &Arc<Head>,
    row: &'static Route,
    params: &Arc<Vec<(String, String)>>,
    body: Body,
) -> Result<Body> {
    if memchr::memmem::find(&body.bytes, TYPED.as_bytes()).is_none() {
        return Ok(body);
    }
    let (site, head, params) = (Arc::clone(site), Arc::clone(head), Arc::clone(params));
    aside(move || {
        let parts = posting::signed(&call_of(&site, &head, row, &params, &body))?;
        Ok(Body { parts, ..body })
    })
    .await
}

/// Takes the answers to a form in, with their files.
async fn answers<S, B>(
    site: &Arc<Site>,
    head: &Arc<Head>,
    row: &'static Route,
    params: &Arc<Vec<(String, String)>>,
    kind: &str,
    body: S,
) -> Result<Parts>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let (shared, asked, known) = (Arc::clone(site), Arc::clone(head), Arc::clone(params));
    let begun =
        aside(move || posting::begin(&call_of(&shared, &asked, row, &known, &Bytes::new().into())));
    match begun.await {
        Ok(begun) => posting::receive(kind, body, begun, row.body.limit()).await,
        Err(refused) => match drain(&head.headers, body).await {
            Some(BodyFault::TooSlow) => Err(Error::BodyTimeout),
            _ => Err(refused),
        },
    }
}

/// Whether the caller may send a body that fills memory: asked before it is read.
async fn admit(
    site: &Arc<Site>,
    head: &Arc<Head>,
    row: &'static Route,
    allowance: &mut Option<Allowance>,
) -> Result<()> {
    let Run::Scoped(scope, _) = row.run else {
        return Ok(());
    };
    let (site, head) = (Arc::clone(site), Arc::clone(head));
    let mut counted = *allowance;
    let hop = aside(move || {
        let admitted = auth::bearer(&head.headers)
            .and_then(|bearer| auth::known(&site.app, &bearer))
            .and_then(|caller| {
                count(&site, &caller, head.now, &mut counted)?;
                auth::need(&caller, scope)
            });
        Ok((admitted, counted))
    });
    let (admitted, counted) = hop.await?;
    *allowance = counted;
    admitted
}

/// Runs a quick row's handler where the request arrived, unless nothing to read with is free.
async fn here(
    site: &Site,
    head: &Head,
    row: &'static Route,
    params: &[(String, String)],
    body: &std::result::Result<Body, BodyProblem>,
    allowance: &mut Option<Allowance>,
) -> Option<Result<Reply>> {
    if row.pace != Pace::Quick {
        return None;
    }
    // Writes stand in line for the processor, so that a read between them does not wait for them all.
    let _turn = match row.method {
        Method::GET => None,
        _ => Some(site.turns.acquire().await.ok()?),
    };
    site.app.lend_reader(|| {
        let handled = AssertUnwindSafe(|| handle(site, head, row, params, body, allowance));
        catch_unwind(handled).unwrap_or_else(|_| Err(Error::internal("a handler panicked")))
    })
}

/// Runs a handler on a thread that may wait.
async fn elsewhere(
    site: &Arc<Site>,
    head: &Arc<Head>,
    row: &'static Route,
    params: &Arc<Vec<(String, String)>>,
    body: &Arc<std::result::Result<Body, BodyProblem>>,
    allowance: &mut Option<Allowance>,
) -> Result<Reply> {
    let (site, head) = (Arc::clone(site), Arc::clone(head));
    let (params, body) = (Arc::clone(params), Arc::clone(body));
    let mut counted = *allowance;
    let hop = tokio::task::spawn_blocking(move || {
        let reply = handle(&site, &head, row, &params, &body, &mut counted);
        (reply, counted)
    });
    let (reply, counted) = hop.await.unwrap_or_else(|panic| {
        let panic = format_args!("a handler panicked: {panic}").to_string();
        (Err(Error::internal(panic)), None)
    });
    *allowance = counted;
    reply
}

fn call_of<'a>(
    site: &'a Site,
    head: &'a Head,
    row: &'static Route,
    params: &'a [(String, String)],
    body: &'a Body,
) -> Call<'a> {
    Call {
        app: &site.app,
        site,
        method: &row.method,
        pattern: row.path,
        path: &head.path,
        query: &head.query,
        headers: &head.headers,
        body: &body.bytes,
        parts: body.parts.as_ref(),
        client: head.client,
        request_id: &head.id,
        now: head.now,
        params,
    }
}

fn handle(
    site: &Site,
    head: &Head,
    row: &'static Route,
    params: &[(String, String)],
    body: &std::result::Result<Body, BodyProblem>,
    allowance: &mut Option<Allowance>,
) -> Result<Reply> {
    let empty = Bytes::new().into();
    let app = &site.app;
    let call = call_of(site, head, row, params, body.as_ref().unwrap_or(&empty));
    let bearer = || auth::bearer(&head.headers);
    let whole = || body.as_ref().map(|_| ()).map_err(BodyProblem::error);
    match row.run {
        Run::Page(page) => {
            whole()?;
            page(&call)
        }
        Run::Signed(page) => match pages::session::caller(&call)? {
            Ok(caller) => {
                whole()?;
                page(&call, &caller)
            }
            Err(to_sign_in) => Ok(to_sign_in),
        },
        Run::Open(f) => {
            match auth::maybe(app, &bearer()?)? {
                Some(caller) => count(site, &caller, head.now, allowance)?,
                // A change of the own entry weighs what a submission does.
                None if row.method == Method::PATCH => {
                    count_submission(site, &call, allowance)?;
                }
                None => {}
            }
            whole()?;
            f(&call)
        }
        Run::Client(f) => {
            // A token is not asked for, but one that is sent must be valid as everywhere.
            auth::maybe(app, &bearer()?)?;
            whole()?;
            f(&call)
        }
        Run::Respond(f) => {
            let caller = auth::maybe(app, &bearer()?)?;
            match &caller {
                Some(caller) => {
                    count(site, caller, head.now, allowance)?;
                    auth::need(caller, Scope::FormRespond)?;
                }
                None if row.method == Method::POST => {
                    count_submission(site, &call, allowance)?;
                }
                None => {}
            }
            whole()?;
            f(&call, caller.as_ref())
        }
        // What takes files answers before handlers are asked.
        Run::Spool(_) => Err(Error::internal("a file came to a handler")),
        Run::Known(f) => {
            let caller = auth::known(app, &bearer()?)?;
            count(site, &caller, head.now, allowance)?;
            whole()?;
            f(&call, &caller)
        }
        Run::Scoped(scope, f) => {
            let caller = auth::known(app, &bearer()?)?;
            count(site, &caller, head.now, allowance)?;
            auth::need(&caller, scope)?;
            whole()?;
            f(&call, &caller)
        }
    }
}

/// Counts a request of a token, once however often it is run again. What is left goes with the answer,
/// a refusal too.
fn count(site: &Site, caller: &Caller, now: Time, allowance: &mut Option<Allowance>) -> Result<()> {
    let limits = &site.app.config.limits;
    let is_token = matches!(
        caller.credential,
        Credential::PersonalToken(_) | Credential::Grant(_)
    );
    if is_token && limits.on && allowance.is_none() {
        let hit = site.api_rate.hit(&caller.credential, limits.api, now);
        within(*allowance.insert(hit))
    } else {
        Ok(())
    }
}

/// Counts a submission to the form of this call, by the sender's network (S87).
///
/// # Errors
/// 429.
pub fn count_submission(site: &Site, call: &Call, allowance: &mut Option<Allowance>) -> Result<()> {
    let limits = &site.app.config.limits;
    if !limits.on || allowance.is_some() {
        return Ok(());
    }
    let key = (call.param("form_token"), call.network());
    within(*allowance.insert(site.submission_rate.hit(&key, limits.submissions, call.now)))
}

/// Counts a search that anybody may make in the entries that this call's form links to. It has as many
/// as there may be submissions, apart from them.
///
/// # Errors
/// 429.
pub fn count_search(site: &Site, call: &Call) -> Result<()> {
    let limits = &site.app.config.limits;
    if !limits.on {
        return Ok(());
    }
    let key = ("search", call.param("form_token"), call.network());
    within(site.submission_rate.hit(&key, limits.submissions, call.now))
}

fn within(allowance: Allowance) -> Result<()> {
    if allowance.is_allowed {
        Ok(())
    } else {
        Err(Error::TooMany(allowance.reset_secs.max(1)))
    }
}

/// Why a body can't be used; kept until it is the body's turn.
enum BodyProblem {
    Type(String),
    Read(BodyFault, usize),
}

impl BodyProblem {
    fn error(&self) -> Error {
        match self {
            Self::Type(message) => Error::UnsupportedType(message.clone()),
            Self::Read(BodyFault::TooLarge, limit) => Error::TooLarge(*limit as u64),
            Self::Read(BodyFault::TooSlow, _) => Error::BodyTimeout,
            Self::Read(BodyFault::Broken, _) => {
                Error::BadRequest("The request body broke off".to_owned())
            }
        }
    }
}

const FORMS: &[&str] = &["application/x-www-form-urlencoded", "multipart/form-data"];

async fn read<S, B>(
    row: &Route,
    headers: &HeaderMap,
    stream: S,
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
        BodyRule::Json(limit) => (limit, &["application/json"], false),
        BodyRule::OptionalJson(limit) => (limit, &["application/json"], true),
        BodyRule::Sheet(limit) => (limit, SHEETS, false),
        BodyRule::Form(limit) | BodyRule::Answers(limit) => (limit, FORMS, false),
        BodyRule::Params(limit) => (
            limit,
            &["application/x-www-form-urlencoded", "application/json"],
            false,
        ),
    };
    let problem = check_type(headers, types).err();
    if let Some(length) = content_length(headers)
        && length > limit as u64
    {
        return Err(BodyProblem::Read(BodyFault::TooLarge, limit));
    }
    let deadline = if limit > BODY_LIMIT {
        body::LARGE_BODY
    } else {
        body::WHOLE_BODY
    };
    let bytes = body::read_limited(stream, limit, deadline)
        .await
        .map_err(|fault| BodyProblem::Read(fault, limit))?;
    match problem {
        Some(_) if optional && bytes.is_empty() => Ok(bytes),
        Some(message) => Err(BodyProblem::Type(message)),
        None => Ok(bytes),
    }
}

/// Takes in a body that nobody wants: where it were left, the connection would end without a word, and a
/// client that sends its next request on it would lose that one. Who asks before sending is not told to. Says
/// what kept it from coming.
async fn drain<S, B>(headers: &HeaderMap, stream: S) -> Option<BodyFault>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let is_small = content_length(headers).is_none_or(|length| length <= BODY_LIMIT as u64);
    if !is_small || headers.contains_key(header::EXPECT) {
        return None;
    }
    let read = body::read_limited(stream, BODY_LIMIT, body::WHOLE_BODY).await;
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

/// That the body is of a type that is read here, in UTF-8, and not compressed (S6).
fn check_type(headers: &HeaderMap, types: &[&str]) -> std::result::Result<(), String> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(coding) = text(header::CONTENT_ENCODING)
        && !coding.eq_ignore_ascii_case("identity")
    {
        return Err("Request bodies must not be compressed".to_owned());
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
