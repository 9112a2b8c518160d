//! Reading request bodies against the clock: small ones whole under a deadline, large ones at a minimum pace.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use tokio::time::{Sleep, sleep, timeout};

/// How long a JSON or form body may take.
pub const WHOLE_BODY: Duration = Duration::from_secs(30);

/// How long a paced body may pause.
const PAUSE: Duration = Duration::from_secs(30);

/// How long a paced body may take before its pace is looked at.
const HEAD_START: Duration = Duration::from_secs(10);

/// What a paced body has to bring in a second after that.
const BYTES_PER_SECOND: u64 = 1024;

/// Why a body was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFault {
    /// It holds more than the limit.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// The client went away, or wrote something that is no body.
    Broken,
}

/// Reads a body of at most `limit` bytes into memory, within `deadline` from now.
pub async fn read_limited<S, B, E>(
    stream: S,
    limit: usize,
    deadline: Duration,
) -> Result<Bytes, BodyFault>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    let read = async {
        let mut stream = pin!(stream);
        let mut first = Bytes::new();
        let mut whole = BytesMut::new();
        while let Some(chunk) = stream.next().await {
            let mut chunk = chunk.map_err(|_| BodyFault::Broken)?;
            let size = chunk.remaining();
            if first.len() + whole.len() + size > limit {
                return Err(BodyFault::TooLarge);
            }
            // Most bodies come in one piece, which is then not copied.
            if first.is_empty() && whole.is_empty() {
                first = chunk.copy_to_bytes(size);
                continue;
            }
            whole.extend_from_slice(&std::mem::take(&mut first));
            while chunk.has_remaining() {
                let piece = chunk.chunk();
                whole.extend_from_slice(piece);
                chunk.advance(piece.len());
            }
        }
        Ok(if whole.is_empty() {
            first
        } else {
            whole.freeze()
        })
    };
    timeout(deadline, read)
        .await
        .unwrap_or(Err(BodyFault::TooSlow))
}

/// A body too large for memory: its chunks, until one of them is late or their sum passes `limit`.
pub fn paced<S>(stream: S, limit: u64) -> Paced<S> {
    Paced {
        stream: Box::pin(stream),
        left: limit,
        pace: Box::pin(sleep(HEAD_START)),
        pause: None,
        is_over: false,
    }
}

/// See [`paced`].
pub struct Paced<S> {
    stream: Pin<Box<S>>,
    left: u64,
    /// Each kibibyte puts this off by a second.
    pace: Pin<Box<Sleep>>,
    pause: Option<Pin<Box<Sleep>>>,
    is_over: bool,
}

impl<S, B, E> Stream for Paced<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    type Item = Result<Bytes, BodyFault>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let item = match this.stream.as_mut().poll_next(cx) {
            Poll::Ready(Some(Ok(mut chunk))) => {
                let size = chunk.remaining();
                this.pause = None;
                match this.left.checked_sub(size as u64) {
                    Some(left) => {
                        this.left = left;
                        let put_off = Duration::from_millis(size as u64 * 1000 / BYTES_PER_SECOND);
                        let until = this.pace.deadline() + put_off;
                        this.pace.as_mut().reset(until);
                        Some(Ok(chunk.copy_to_bytes(size)))
                    }
                    None => Some(Err(BodyFault::TooLarge)),
                }
            }
            Poll::Ready(Some(Err(_))) => Some(Err(BodyFault::Broken)),
            Poll::Ready(None) => None,
            Poll::Pending => {
                let pause = this.pause.get_or_insert_with(|| Box::pin(sleep(PAUSE)));
                if pause.as_mut().poll(cx).is_pending() && this.pace.as_mut().poll(cx).is_pending()
                {
                    return Poll::Pending;
                }
                Some(Err(BodyFault::TooSlow))
            }
        };
        this.is_over = !matches!(item, Some(Ok(_)));
        Poll::Ready(item)
    }
}
