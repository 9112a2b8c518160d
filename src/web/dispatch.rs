//! The way of a request: match, intake of its body, then, where it arrived or on a thread that may wait: caller,
//! scope, the body's fault, handler; and the answer. The order is S39's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Buf;
use futures_util::Stream;
use warp::http::{HeaderMap, Method};
use warp::reply::Response;

use crate::base::clock;
use crate::base::error::{Error, Noun, Result};
use crate::base::id;
use crate::base::rate::Allowance;
use crate::model::scope::Scope;
use crate::web::aside::aside;
use crate::web::asked::{Asked, Head};
use crate::web::auth;
use crate::web::call::{self, Body};
use crate::web::conn::Peer;
use crate::web::csp::Csp;
use crate::web::intake::{self, BodyProblem, Taken};
use crate::web::paths::{self, is_open};
use crate::web::reply::{Answer, Reply};
use crate::web::route::{BODY_LIMIT, Pace, Run};
use crate::web::site::{Matched, Site};
use crate::web::{error, net, pages, rates, send, session};

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

/// Answers a request; never fails.
pub async fn answer<S, B>(site: Arc<Site>, request: Request<S>) -> Response
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let config = &site.app.config;
    let path = paths::below(config.base_path(), &request.path).to_owned();
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
            intake::drain(&head.headers, request.body).await;
            Err(Error::NotFound(Noun::Page))
        }
        Matched::OtherMethod(allow) if head.method == Method::OPTIONS && is_open(&head.path) => {
            Ok(send::preflight(&allow))
        }
        Matched::OtherMethod(allow) => {
            intake::drain(&head.headers, request.body).await;
            Err(Error::MethodNotAllowed(allow))
        }
        Matched::Row(row, params) => {
            pattern = row.path;
            for_machines = !matches!(row.run, Run::Page(_) | Run::Signed(_));
            for_clients = matches!(row.run, Run::Client(_));
            match decode(params) {
                Some(params) => {
                    let asked = Asked {
                        site: Arc::clone(&site),
                        head: Arc::clone(&head),
                        row,
                        params: Arc::new(params),
                    };
                    run(&asked, request.body, &mut allowance).await
                }
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
    if answer.csp == Csp::Json && paths::is_of_files(&head.path) {
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

fn decode(params: Vec<(String, String)>) -> Option<Vec<(String, String)>> {
    params
        .into_iter()
        .map(|(name, value)| Some((name, call::decode(&value)?)))
        .collect()
}

async fn run<S, B>(asked: &Asked, body: S, allowance: &mut Option<Allowance>) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    if let Run::Spool(begin) = asked.row.run {
        return intake::spool(asked, begin, body).await;
    }
    let site = &asked.site;
    let mut turn = None;
    if asked.row.body.limit() > BODY_LIMIT {
        if let Err(refused) = admit(asked, allowance).await {
            intake::drain(&asked.head.headers, body).await;
            return Err(refused);
        }
        turn = site.large_bodies.acquire().await.ok();
    }
    let body = Arc::new(intake::take(asked, body).await?);
    let mut outcome = Err(Error::Stale);
    let mut in_line = None;
    for attempt in 0..ATTEMPTS {
        if attempt == FREE_ATTEMPTS {
            in_line = Some(site.line.lock().await);
        }
        let reply = match here(asked, &body, allowance).await {
            Some(reply) => reply,
            None => elsewhere(asked, &body, allowance).await,
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

/// Whether the caller may send a body that fills memory: asked before it is read.
async fn admit(asked: &Asked, allowance: &mut Option<Allowance>) -> Result<()> {
    let Run::Scoped(scope, _) = asked.row.run else {
        return Ok(());
    };
    let asked = asked.clone();
    let mut counted = *allowance;
    let hop = aside(move || {
        let admitted = auth::bearer(&asked.head.headers)
            .and_then(|bearer| auth::known(&asked.site.app, &bearer))
            .and_then(|caller| {
                rates::count(&asked.site, &caller, asked.head.now, &mut counted)?;
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
    asked: &Asked,
    body: &Taken,
    allowance: &mut Option<Allowance>,
) -> Option<Result<Reply>> {
    if asked.row.pace != Pace::Quick {
        return None;
    }
    // Writes stand in line for the processor, so that a read between them does not wait for them all.
    let _turn = match asked.row.method {
        Method::GET => None,
        _ => Some(asked.site.turns.acquire().await.ok()?),
    };
    asked.site.app.lend_reader(|| {
        let handled = AssertUnwindSafe(|| handle(asked, body, allowance));
        catch_unwind(handled).unwrap_or_else(|_| Err(Error::internal("a handler panicked")))
    })
}

/// Runs a handler on a thread that may wait.
async fn elsewhere(
    asked: &Asked,
    body: &Arc<Taken>,
    allowance: &mut Option<Allowance>,
) -> Result<Reply> {
    let (asked, body) = (asked.clone(), Arc::clone(body));
    let mut counted = *allowance;
    let hop = tokio::task::spawn_blocking(move || {
        let reply = handle(&asked, &body, &mut counted);
        (reply, counted)
    });
    let (reply, counted) = hop.await.unwrap_or_else(|panic| {
        let panic = format_args!("a handler panicked: {panic}").to_string();
        (Err(Error::internal(panic)), None)
    });
    *allowance = counted;
    reply
}

/// The caller, then the scope, then what is wrong with address and body, then the handler: who may not come is told
/// that first.
fn handle(asked: &Asked, body: &Taken, allowance: &mut Option<Allowance>) -> Result<Reply> {
    let (site, app, now) = (&asked.site, &asked.site.app, asked.head.now);
    let empty = Body::default();
    let call = asked.call(body.as_ref().unwrap_or(&empty));
    let bearer = || auth::bearer(&asked.head.headers);
    let whole = || body.as_ref().map(|_| ()).map_err(BodyProblem::error);
    let sound = || call.check_query().and_then(|()| whole());
    match asked.row.run {
        Run::Page(page) => {
            whole()?;
            page(&call)
        }
        Run::Signed(page) => match session::caller(&call)? {
            Ok(caller) => {
                whole()?;
                page(&call, &caller)
            }
            Err(to_sign_in) => Ok(to_sign_in),
        },
        Run::Open(f) => {
            match auth::maybe(app, &bearer()?)? {
                Some(caller) => rates::count(site, &caller, now, allowance)?,
                // A change of the own entry weighs what a submission does.
                None if asked.row.method == Method::PATCH => {
                    rates::count_submission(&call, allowance)?;
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
                    rates::count(site, caller, now, allowance)?;
                    auth::need(caller, Scope::FormRespond)?;
                }
                None if asked.row.method == Method::POST => {
                    rates::count_submission(&call, allowance)?;
                }
                None => {}
            }
            sound()?;
            f(&call, caller.as_ref())
        }
        // What takes files answers before handlers are asked.
        Run::Spool(_) => Err(Error::internal("a file came to a handler")),
        Run::Known(f) => {
            let caller = auth::known(app, &bearer()?)?;
            rates::count(site, &caller, now, allowance)?;
            sound()?;
            f(&call, &caller)
        }
        Run::Scoped(scope, f) => {
            let caller = auth::known(app, &bearer()?)?;
            rates::count(site, &caller, now, allowance)?;
            auth::need(&caller, scope)?;
            sound()?;
            f(&call, &caller)
        }
    }
}
