//! Answers whose bodies are made while they are sent: a piece at a time, only when the client has taken
//! those before but for one. A client that takes its time holds no thread; one that goes away ends the work.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use futures_util::stream;
use tokio::sync::{Semaphore, mpsc};
use warp::Reply as _;
use warp::reply::Response;

use crate::base::error::{Error, Result};
use crate::web::transfer_buffer::ANSWERS;

/// What makes one piece after the other, of about so many bytes; none when all were given. It may wait, and is called
/// on a thread for that.
type Make = Box<dyn FnMut(usize) -> Result<Option<Bytes>> + Send>;

/// The pieces of an answer.
pub struct Pieces(Make);

impl Pieces {
    /// Pieces as `make` makes them.
    pub fn new(make: impl FnMut(usize) -> Result<Option<Bytes>> + Send + 'static) -> Self {
        Self(Box::new(make))
    }
}

/// Pieces made at once, by all answers together: other requests need processors and readers too.
static TURNS: Semaphore = Semaphore::const_new(2);

/// The body broke off: the client must not take what it has for all.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off")]
struct Broken;

/// A response of these pieces. One that fails breaks the answer off.
pub fn response(pieces: Pieces) -> Response {
    let (to, mut from) = mpsc::channel::<Result<Bytes, Broken>>(1);
    tokio::spawn(feed(pieces.0, to));
    // A piece that is empty says nothing, least of all that it was the last.
    let body = stream::poll_fn(move |cx| from.poll_recv(cx));
    warp::reply::stream(body).into_response()
}

async fn feed(mut pieces: Make, to: mpsc::Sender<Result<Bytes, Broken>>) {
    let share = ANSWERS.share();
    loop {
        // Room first: nothing is made before it is wanted.
        let Ok(room) = to.reserve().await else {
            return;
        };
        let Ok(turn) = TURNS.acquire().await else {
            return;
        };
        let size = share.size();
        let made = tokio::task::spawn_blocking(move || {
            let made = catch_unwind(AssertUnwindSafe(|| pieces(size)));
            let panicked = |_| Err(Error::internal("making an answer panicked"));
            (made.unwrap_or_else(panicked), pieces)
        });
        let made = made.await;
        drop(turn);
        match made {
            Ok((Ok(Some(piece)), rest)) => {
                pieces = rest;
                if !piece.is_empty() {
                    room.send(Ok(piece));
                }
            }
            Ok((Ok(None), _)) => return,
            Ok((Err(error), _)) => {
                tracing::warn!("an answer broke off: {error:?}");
                room.send(Err(Broken));
                return;
            }
            Err(panic) => {
                tracing::error!("an answer broke off: {panic}");
                room.send(Err(Broken));
                return;
            }
        }
    }
}
