//! Answers whose bodies are produced while they are sent: the next chunk is produced once the client has read all
//! but one of the previous ones. A slow client holds no thread; a client that disconnects ends the work.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use bytes::Bytes;
use futures_util::stream;
use tokio::sync::{Semaphore, mpsc};
use warp::Reply as _;
use warp::reply::Response;

use crate::base::error::{Error, Result};
use crate::http::transfer_buffer::ANSWERS;

/// Produces the next chunk of about the given size; `None` at the end. It may block: it runs on a blocking thread.
type NextChunk = Box<dyn FnMut(usize) -> Result<Option<Bytes>> + Send>;

/// The source of a streamed body.
pub struct ChunkSource(NextChunk);

impl ChunkSource {
    pub fn new(next: impl FnMut(usize) -> Result<Option<Bytes>> + Send + 'static) -> Self {
        Self(Box::new(next))
    }
}

/// What follows the part of a body that was sent at once.
pub type Rest = Pin<Box<dyn Future<Output = Result<Bytes>> + Send>>;

/// Limits chunks produced at the same time: other requests need processors and readers too.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Aborts the body, so that the client does not take the part that it has for the whole.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off")]
struct Broken;

/// A response with this body. An error aborts it.
pub fn response(chunks: ChunkSource) -> Response {
    let (to, mut from) = mpsc::channel::<Result<Bytes, Broken>>(1);
    tokio::spawn(feed(chunks.0, to));
    let body = stream::poll_fn(move |cx| from.poll_recv(cx));
    warp::reply::stream(body).into_response()
}

/// A response whose body begins with what is there. An error of the rest aborts it; a client that disconnects ends the
/// work on it.
pub fn begun(first: Bytes, rest: Rest) -> Response {
    let (to, mut from) = mpsc::channel::<Result<Bytes, Broken>>(1);
    tokio::spawn(async move {
        if to.send(Ok(first)).await.is_err() {
            return;
        }
        let rest = tokio::select! {
            rest = rest => rest,
            () = to.closed() => return,
        };
        let rest = rest.map_err(|error| {
            tracing::warn!("an answer broke off: {error:?}");
            Broken
        });
        // Nobody may be reading any more.
        let _ = to.send(rest).await;
    });
    let body = stream::poll_fn(move |cx| from.poll_recv(cx));
    warp::reply::stream(body).into_response()
}

async fn feed(mut next: NextChunk, to: mpsc::Sender<Result<Bytes, Broken>>) {
    let share = ANSWERS.share();
    loop {
        // Reserve first: no chunk is produced before it is needed.
        let Ok(permit) = to.reserve().await else {
            return;
        };
        let Ok(turn) = TURNS.acquire().await else {
            return;
        };
        let size = share.size();
        let produced = tokio::task::spawn_blocking(move || {
            let chunk = catch_unwind(AssertUnwindSafe(|| next(size)));
            let panicked = |_| Err(Error::internal("making an answer panicked"));
            (chunk.unwrap_or_else(panicked), next)
        });
        let produced = produced.await;
        drop(turn);
        match produced {
            Ok((Ok(Some(chunk)), rest)) => {
                next = rest;
                // An empty chunk would end the body.
                if !chunk.is_empty() {
                    permit.send(Ok(chunk));
                }
            }
            Ok((Ok(None), _)) => return,
            Ok((Err(error), _)) => {
                tracing::warn!("an answer broke off: {error:?}");
                permit.send(Err(Broken));
                return;
            }
            Err(panic) => {
                tracing::error!("an answer broke off: {panic}");
                permit.send(Err(Broken));
                return;
            }
        }
    }
}
