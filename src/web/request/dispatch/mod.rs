//! The way of a request: match, intake of its body, then, where it arrived or on a thread that may wait: caller,
//! scope, the body's fault, handler; and the answer. The order is S39's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bytes::Buf;
use futures_util::Stream;
use warp::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use warp::reply::Response;

use crate::base::error::{Error, Noun, Result};
use crate::base::rate::Allowance;
use crate::base::{clock, id};
use crate::http::access_log::{LogEntry, NO_ROUTE};
use crate::http::blocking::spawn_blocking;
use crate::http::conn::Peer;
use crate::http::{body, net};
use crate::model::caller::Caller;
use crate::model::scope::Scope;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::web::csp::Csp;
use crate::web::pages;
use crate::web::request::admission::{Class, Permit};
use crate::web::request::call::{self, Body, Call};
use crate::web::request::intake::{self, BodyProblem, BodyResult};
use crate::web::request::matched_request::{MatchedRequest, RequestHead};
use crate::web::request::paths::{self, is_open};
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::request_metrics::RequestMetrics;
use crate::web::request::route::{BODY_LIMIT, BodyRule, Route, Run, Threading};
use crate::web::request::router::{Matched, Router};
use crate::web::request::site::Site;
use crate::web::request::{auth, error, query_parameters, rates, send, session, unknown_keys};

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

/// The front of the table of routes.
pub struct Dispatcher {
    site: Arc<Site>,
    router: Router,
    figures: Arc<RequestMetrics>,
}

impl Dispatcher {
    /// Over these routes.
    pub fn new(site: Site, routes: impl IntoIterator<Item = &'static Route>) -> Self {
        let routes: Vec<_> = routes.into_iter().collect();
        Self {
            site: Arc::new(site),
            figures: Arc::new(RequestMetrics::new(routes.iter().copied())),
            router: Router::new(routes),
        }
    }

    /// The metrics of its requests.
    pub fn figures(&self) -> Arc<RequestMetrics> {
        Arc::clone(&self.figures)
    }

    /// Answers a request; never fails.
    pub async fn answer<S, B>(&self, request: Request<S>) -> Response
    where
        S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
        B: Buf,
    {
        let begun = Instant::now();
        let site = &self.site;
        let config = &site.app.config;
        let (body, unread) = body::watched(request.body, intake::content_length(&request.headers).unwrap_or_default());
        let inside = paths::below(config.base_path(), &request.path).map(str::to_owned);
        let is_outside = inside.is_none();
        let is_trusted = net::is_trusted(request.peer.0, &config.trusted_proxies);
        site.untrusted_proxy.check(request.peer.0, &request.headers, is_trusted);
        let head = Arc::new(RequestHead {
            client: net::client(request.peer.0, &request.headers, &config.trusted_proxies),
            method: request.method,
            path: inside.unwrap_or(request.path),
            query: request.query,
            headers: request.headers,
            id: id::random(16),
            now: clock::now(),
        });
        let mut pattern = NO_ROUTE;
        let mut route = None;
        let mut for_machines = paths::is_for_programs(&head.path);
        let mut for_clients = false;
        let mut allowance = None;
        let mut is_strict = false;
        let matched = match is_outside {
            true => Matched::NotFound,
            false => self.router.find(&head.method, &head.path),
        };
        let outcome = match matched {
            Matched::NotFound => {
                intake::drain(site, &head.headers, body).await;
                Err(Error::NotFound(Noun::Page))
            }
            Matched::OtherMethod(allow) if head.method == Method::OPTIONS && for_machines => {
                Ok(match is_open(&head.path) {
                    true => send::preflight(&allow),
                    false => send::options(&allow),
                })
            }
            Matched::OtherMethod(allow) => {
                intake::drain(site, &head.headers, body).await;
                Err(Error::MethodNotAllowed(allow))
            }
            Matched::Row(row, params) => {
                pattern = row.path;
                route = Some(row);
                for_machines = !matches!(row.run, Run::Page(_) | Run::Session(_));
                for_clients = matches!(row.run, Run::Client(_));
                is_strict = query_parameters::are_told(row) && unknown_keys::is_strict(&head.headers);
                match decode(params) {
                    Some(params) => {
                        let matched = MatchedRequest {
                            site: Arc::clone(site),
                            head: Arc::clone(&head),
                            row,
                            params: Arc::new(params),
                        };
                        run(&matched, body, &mut allowance).await
                    }
                    None => Err(Error::NotFound(Noun::Page)),
                }
            }
        };
        let mut answer = match outcome {
            Ok(answer) => answer.with_warnings_written(),
            Err(error) => {
                let fault = error::reply(error, pattern, &head.id);
                // Pages lead a reader without a session to sign in, and tell scripts alone.
                let is_for_script = fault.status == StatusCode::UNAUTHORIZED;
                if for_clients {
                    fault.oauth()
                } else if is_for_script || for_machines && !is_for_reader(&head, &fault) {
                    fault.json()
                } else {
                    fault_page(site, &head, pattern, fault).await
                }
            }
        };
        match site.admission.answer(std::mem::take(&mut answer.body), head.address()).await {
            Ok(body) => answer.body = body,
            Err(busy) => answer = error::reply(busy, pattern, &head.id).json(),
        }
        if answer.csp == Csp::Json && paths::serves_files(&head.path) {
            answer.csp = Csp::Files;
        }
        if is_strict {
            let applied = HeaderName::from_static("preference-applied");
            answer = answer.header(applied, "handling=strict");
        }
        // The address of a file opens it, and so does that of a row, so no search engine may list it (S58).
        if paths::is_signed_link(&head.path) || head.path.starts_with("/q/") {
            answer = answer.header(HeaderName::from_static("x-robots-tag"), "noindex");
        }
        let mut response = send::response(
            answer,
            &send::Context {
                config,
                method: &head.method,
                headers: &head.headers,
                request_id: &head.id,
                is_open: is_open(&head.path) && for_machines,
                allowance,
            },
        );
        // The connection ends with a body that was not read to its end: a client has to know before its next request.
        if unread.is_any() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        self.figures.count(route, response.status(), begun.elapsed());
        let line = LogEntry {
            log: config.access_log,
            id: head.id.clone(),
            method: head.method.clone(),
            route: pattern,
            status: response.status().as_u16(),
            client: head.client,
            begun: head.now,
        };
        response.extensions_mut().insert(line);
        response
    }
}

/// Whether the reader of the answer is a person whose link leads nowhere any more.
fn is_for_reader(head: &RequestHead, fault: &error::ErrorReply) -> bool {
    let is_dead = matches!(fault.status, StatusCode::FORBIDDEN | StatusCode::NOT_FOUND);
    let accepts = head.headers.get(header::ACCEPT).map(HeaderValue::as_bytes);
    let is_browser = accepts.is_some_and(|accepts| accepts.starts_with(b"text/html"));
    is_dead && is_browser && paths::is_signed_link(&head.path)
}

/// The page of an error. The signed-in user, if any, is looked up on a blocking thread.
async fn fault_page(
    site: &Arc<Site>,
    head: &Arc<RequestHead>,
    pattern: &'static str,
    fault: error::ErrorReply,
) -> Answer {
    let (site, head) = (Arc::clone(site), Arc::clone(head));
    let has_session = session::cookie_value(&head.call(&site, pattern, &Body::default())).is_some();
    let draw = move || {
        let empty = Body::default();
        let call = head.call(&site, pattern, &empty);
        fault.add_headers(pages::error::page(&call, &fault))
    };
    if !has_session {
        return draw();
    }
    // Drawing does not fail; only a thread that ends would.
    spawn_blocking(move || Ok(draw())).await.unwrap_or_else(|error| error::reply(error, pattern, "").json())
}

fn decode(params: Vec<(String, String)>) -> Option<Vec<(String, String)>> {
    params.into_iter().map(|(name, value)| Some((name, call::decode(&value)?))).collect()
}

async fn run<S, B>(request: &MatchedRequest, body: S, allowance: &mut Option<Allowance>) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    if let Run::Upload(begin) = request.row.run {
        return intake::receive_file(request, begin, body).await;
    }
    let site = &request.site;
    if intake::may_be_large(&request.head.headers)
        && let Err(refused) = authorize_first(request, allowance).await
    {
        intake::drain(site, &request.head.headers, body).await;
        return Err(refused);
    }
    let mut permit = site.admission.receive(request.head.address());
    let body = intake::take(request, body, &mut permit.memory).await?;
    // Only once the body is here: a slow one keeps nobody waiting.
    let class = class_of(request, &body).await?;
    if let Some(class) = class {
        site.admission.admit(class, &mut permit).await?;
    }
    let is_quick = request.row.threading == Threading::Inline && matches!(class, None | Some(Class::Write));
    let quick = if is_quick { here(request, &body, allowance) } else { None };
    if is_quick {
        permit.end_turn();
    }
    // The body is counted as memory until the request is answered.
    let (reply, _permit) = match quick {
        Some(reply) => (reply, Some(permit)),
        None => elsewhere(request, body, permit, allowance).await,
    };
    match reply? {
        Reply::Now(answer) => Ok(answer),
        Reply::Later(answer) => answer.await,
        Reply::Begun(mut answer, goes_on) => {
            answer.rest = Some(goes_on(request.clone()));
            Ok(answer)
        }
    }
}

/// The class of work that a request is admitted to, if it has to wait for admission.
async fn class_of(request: &MatchedRequest, body: &BodyResult) -> Result<Option<Class>> {
    if request.row.body.limit() > BODY_LIMIT {
        return Ok(Some(Class::Bulk));
    }
    if let Some(form) = request.param("form_token")
        && is_heavy(&request.site, form).await?
    {
        return Ok(Some(Class::Heavy));
    }
    let large = Class::of_size(body.as_ref().map_or(0, Body::size));
    let is_quick_write = request.row.threading == Threading::Inline && request.row.method != Method::GET;
    Ok(large.or(is_quick_write.then_some(Class::Write)))
}

/// Whether a form is heavy. One that is not kept is read first, where that holds up nobody.
async fn is_heavy(site: &Site, form: &str) -> Result<bool> {
    if let Some(is_heavy) = site.app.is_heavy(form) {
        return Ok(is_heavy);
    }
    let (app, form) = (Arc::clone(&site.app), form.to_owned());
    spawn_blocking(move || app.read_form(&form)).await
}

/// Checks the caller before a large body is read; for a body of many entries also the access to the form.
async fn authorize_first(request: &MatchedRequest, allowance: &mut Option<Allowance>) -> Result<()> {
    let request = request.clone();
    let mut counted = *allowance;
    let hop = spawn_blocking(move || {
        let empty = Body::default();
        let call = request.call(&empty);
        let authorized = authorize(&request, &call, &mut counted).and_then(|caller| match caller {
            Some(caller) if request.row.body.limit() > BODY_LIMIT => {
                let form = call.param("form_token");
                access::check(call.app, &caller, form, Right::Enter)
            }
            _ => Ok(()),
        });
        Ok((authorized, counted))
    });
    let (authorized, counted) = hop.await?;
    *allowance = counted;
    authorized
}

/// Runs a quick row's handler where the request arrived, unless nothing to read with is free.
fn here(request: &MatchedRequest, body: &BodyResult, allowance: &mut Option<Allowance>) -> Option<Result<Reply>> {
    let app = request.site.app.with_reader()?;
    let handled = AssertUnwindSafe(|| handle(&app, request, body, allowance));
    let panicked = |_| Err(Error::internal("a handler panicked"));
    Some(catch_unwind(handled).unwrap_or_else(panicked))
}

/// Runs a handler on a thread that may wait. Whether or not its client is still there, it has its turn to the end.
async fn elsewhere(
    request: &MatchedRequest,
    body: BodyResult,
    mut permit: Permit,
    allowance: &mut Option<Allowance>,
) -> (Result<Reply>, Option<Permit>) {
    let request = request.clone();
    let mut counted = *allowance;
    let hop = tokio::task::spawn_blocking(move || {
        let reply = handle(&request.site.app, &request, &body, &mut counted);
        permit.end_turn();
        (reply, counted, Some(permit))
    });
    let (reply, counted, permit) = hop.await.unwrap_or_else(|panic| {
        let panic = format_args!("a handler panicked: {panic}").to_string();
        (Err(Error::internal(panic)), None, None)
    });
    *allowance = counted;
    (reply, permit)
}

/// Checks the caller, then the scope, then address and body, then runs the handler: a caller without access is told
/// that first.
fn handle(app: &App, request: &MatchedRequest, body: &BodyResult, allowance: &mut Option<Allowance>) -> Result<Reply> {
    let empty = Body::default();
    let call = request.call_with(app, body.as_ref().unwrap_or(&empty));
    let whole = || body.as_ref().map(|_| ()).map_err(BodyProblem::error);
    let caller = authorize(request, &call, allowance)?;
    let known = || caller.as_ref().ok_or(Error::Unauthenticated { sent: false });
    let mut ignored = match request.row.run {
        Run::Respond(_) | Run::AnyToken(_) | Run::Scoped(..) => {
            call.check_query()?;
            call.check_numbers()?;
            query_parameters::check(request.row, &call)?
        }
        Run::Open(_) | Run::OpenOrKnown(_) => query_parameters::check(request.row, &call)?,
        Run::Page(_) | Run::Session(_) | Run::Client(_) | Run::Upload(_) => Vec::new(),
    };
    if matches!(request.row.body, BodyRule::OptionalJson(_)) {
        // Handlers that need nothing of the body don't read it.
        call.optional_json()?;
    }
    let reply = match request.row.run {
        Run::Session(page) => match session::caller(&call)? {
            Ok(caller) => {
                whole()?;
                page(&call, &caller)
            }
            Err(to_sign_in) => Ok(to_sign_in),
        },
        Run::Page(f) | Run::Open(f) | Run::Client(f) => {
            whole()?;
            ignored.extend(unknown_keys::check(request.row, &call)?);
            f(&call)
        }
        Run::OpenOrKnown(f) => {
            whole()?;
            ignored.extend(unknown_keys::check(request.row, &call)?);
            f(&call, caller.as_ref())
        }
        Run::Respond(f) => {
            whole()?;
            f(&call, caller.as_ref())
        }
        Run::AnyToken(f) | Run::Scoped(_, f) => {
            whole()?;
            ignored.extend(unknown_keys::check(request.row, &call)?);
            f(&call, known()?)
        }
        // Rows that take files are answered before handlers are asked.
        Run::Upload(_) => Err(Error::internal("a file came to a handler")),
    };
    Ok(reply?.warn(ignored))
}

/// The caller of the token, if any; counts the request and checks the scope.
fn authorize(request: &MatchedRequest, call: &Call, allowance: &mut Option<Allowance>) -> Result<Option<Caller>> {
    let (site, now) = (&request.site, request.head.now);
    let bearer = || auth::bearer(&request.head.headers);
    let caller = match request.row.run {
        Run::Page(_) | Run::Session(_) | Run::Upload(_) => return Ok(None),
        // A token is not asked for, but one that is sent must be valid as everywhere.
        Run::Client(_) => return auth::optional_caller(call.app, &bearer()?),
        Run::Open(_) | Run::OpenOrKnown(_) | Run::Respond(_) => auth::optional_caller(call.app, &bearer()?)?,
        Run::AnyToken(_) | Run::Scoped(..) => Some(auth::required_caller(call.app, &bearer()?)?),
    };
    match (&caller, request.row.run) {
        (Some(caller), _) => rates::count(site, caller, now, allowance)?,
        // A change of the own entry counts like a submission.
        (None, Run::Open(_)) if request.row.method == Method::PATCH => {
            rates::count_submission(call, allowance)?;
        }
        (None, Run::Respond(_)) if request.row.method == Method::POST => {
            rates::count_submission(call, allowance)?;
        }
        (None, _) => {}
    }
    let scope = match request.row.run {
        Run::Scoped(scope, _) => Some(scope),
        Run::Respond(_) => Some(Scope::FormRespond),
        _ => None,
    };
    if let (Some(caller), Some(scope)) = (&caller, scope) {
        auth::require_scope(caller, scope)?;
    }
    Ok(caller)
}

#[cfg(test)]
mod tests;
