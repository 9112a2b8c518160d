//! Answers without an end: a form's events as server-sent events. Each is fed by a task that sleeps until its form has
//! news, and that asks for the caller's right whenever it reads (S96). A client that reads nothing holds one piece of
//! memory for a while, and no thread.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};
use tokio_util::sync::CancellationToken;
use warp::Reply as _;
use warp::reply::Response;

use crate::base::error::{Error, Result};
use crate::base::secret::Secret;
use crate::http::conn::ConnectionEnd;
use crate::model::event::Event;
use crate::model::scope::Scope;
use crate::ops::app::App;
use crate::ops::delivery::event_streams::{self, EventStream};
use crate::web::request::admission::{Admission, Class};
use crate::web::request::auth::{self, Bearer};

/// How often a comment is sent, and how long the right is not asked for at most while nothing happens.
const BEAT: Duration = Duration::from_secs(15);
/// A client that has not taken a piece at the end of so many beats is dropped.
const PATIENCE: u32 = 3;
/// The time for sending the rest when a stream ends.
const GRACE: Duration = Duration::from_secs(1);
/// When clients come back, in milliseconds. They don't all come at once after a restart.
const RETRY: std::ops::Range<u32> = 2_000..5_000;
/// Times that a busy database is asked, and the time between; a right that can't be asked for ends within S96's time.
const ATTEMPTS: usize = 4;
const PAUSE: Duration = Duration::from_secs(1);

/// The source of a stream.
pub struct EventSource {
    pub app: Arc<App>,
    pub stream: EventStream,
    /// The caller's bearer token, which is authenticated at each read.
    pub token: Arc<Secret>,
    /// Turns to read, and the memory of large pieces.
    pub admission: Arc<Admission>,
    /// The address that memory is accounted to.
    pub address: Option<String>,
    /// Cancelled when the service stops.
    pub stopping: CancellationToken,
}

/// A response with this body.
pub fn response(source: EventSource) -> Response {
    let (to, mut from) = mpsc::channel::<Bytes>(1);
    let end = ConnectionEnd::default();
    tokio::spawn(feed(source, to, end.clone()));
    let body = stream::poll_fn(move |cx| {
        let piece = from.poll_recv(cx);
        piece.map(|piece| piece.map(Ok::<_, Infallible>))
    });
    let mut response = warp::reply::stream(body).into_response();
    response.extensions_mut().insert(end);
    response
}

async fn feed(mut source: EventSource, to: mpsc::Sender<Bytes>, end: ConnectionEnd) {
    let stopping = source.stopping.clone();
    tokio::select! {
        () = stopping.cancelled() => {}
        () = run(&mut source, &to) => {}
    }
    // From here on nothing more is sent, and another stream may be opened.
    drop(source);
    drop(to);
    // A client that reads gets the end; others are not waited for.
    sleep(GRACE).await;
    end.end();
}

/// Sends pieces until the stream ends.
async fn run(source: &mut EventSource, to: &mpsc::Sender<Bytes>) {
    let retry = rand::random_range(RETRY);
    if to.send(format!("retry: {retry}\n\n").into()).await.is_err() {
        return;
    }
    let mut beat = interval_at(Instant::now() + BEAT, BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_comment_due = false;
    loop {
        // Nothing is read before there is room for it.
        let Some(permit) = room(source, to, &mut beat, &mut is_comment_due).await else {
            return;
        };
        let Some(events) = source.read(event_streams::PIECE).await else {
            return;
        };
        let mut piece = String::new();
        if std::mem::take(&mut is_comment_due) {
            piece.push_str(":\n\n");
        }
        for event in &events {
            push(&mut piece, event);
        }
        if !piece.is_empty() {
            // The client comes back for it when others have taken theirs.
            let Ok(piece) = source.admission.answer(piece.into(), source.address.clone()).await else {
                return;
            };
            permit.send(piece);
            source.stream.sent(&events);
            continue;
        }
        tokio::select! {
            () = to.closed() => return,
            () = source.stream.news() => {}
            _ = beat.tick() => is_comment_due = true,
        }
    }
}

/// Waits until the client has taken the piece before the last one; `None` if it is gone, too slow, or may not read on.
async fn room<'t>(
    source: &EventSource,
    to: &'t mpsc::Sender<Bytes>,
    beat: &mut Interval,
    is_comment_due: &mut bool,
) -> Option<mpsc::Permit<'t, Bytes>> {
    for _ in 0..PATIENCE {
        tokio::select! {
            biased;
            permit = to.reserve() => return permit.ok(),
            _ = beat.tick() => {
                *is_comment_due = true;
                source.read(0).await?;
            }
        }
    }
    tracing::debug!("an event stream ends: its client reads too slowly");
    None
}

/// One event as the standard writes it.
fn push(piece: &mut String, event: &Event) {
    // JSON has its line breaks escaped, so that it is one line. Writing to a string does not fail.
    let _ = write!(
        piece,
        "id: {}\nevent: {}\ndata: {}\n\n",
        event.token,
        event.kind.name(),
        String::from_utf8_lossy(&event.body)
    );
}

impl EventSource {
    /// Up to `limit` of the next events; `None` if the stream ends. The right is asked for in the snapshot that they are
    /// read from, so that nothing is sent that happened after it was lost.
    async fn read(&self, limit: usize) -> Option<Vec<Event>> {
        for _ in 0..ATTEMPTS {
            match self.try_read(limit).await {
                Ok(events) => return Some(events),
                Err(Error::Busy(why, _)) => {
                    tracing::debug!("an event stream waits: {why}");
                    sleep(PAUSE).await;
                }
                Err(Error::Internal(fault)) => {
                    tracing::error!("an event stream broke off: {fault}");
                    return None;
                }
                Err(_) => return None, // The right is lost.
            }
        }
        None
    }

    async fn try_read(&self, limit: usize) -> Result<Vec<Event>> {
        let turn = self.admission.turn(Class::Events).await?;
        let (app, token) = (Arc::clone(&self.app), Arc::clone(&self.token));
        let cursor = self.stream.cursor().clone();
        let read = move || {
            let app = app.reading()?;
            let caller = auth::required_caller(&app, &Bearer::Token(token.reveal()))?;
            auth::require_scope(&caller, Scope::EntryRead)?;
            event_streams::read(&app, &caller, &cursor, limit)
        };
        let panicked = |_| Err(Error::internal("reading events panicked"));
        let hop = tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(panicked));
        let events = hop.await.map_err(Error::internal)?;
        drop(turn);
        events
    }
}
