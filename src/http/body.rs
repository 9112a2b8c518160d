//! Reads request bodies with time limits: small ones whole within a deadline, large ones at a minimum pace.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt};
use tokio::time::{Sleep, sleep, timeout};

use crate::base::error::Error;
use crate::base::text::phrase::Phrase;
use crate::http::budget::MemoryShare;

/// Bodies whose limit is above `BODY_LIMIT` may take this many times longer than others.
pub const LARGE_BODY_PATIENCE: u32 = 4;

/// `Retry-After` when there is no memory for a body.
const BUSY_SECS: u64 = 2;

/// The minimum pace of a large body.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Time before the pace is checked.
    pub head_start: Duration,
    /// The minimum average after that.
    pub bytes_per_second: u64,
    /// The longest time without data.
    pub pause: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { head_start: Duration::from_secs(10), bytes_per_second: 1024, pause: Duration::from_secs(30) }
    }
}

/// Why a body could not be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFault {
    TooLarge,
    TooSlow,
    /// The client disconnected or sent malformed chunks.
    Broken,
    /// Other bodies use up the memory budget.
    Busy,
}

impl BodyFault {
    /// `limit` is the most bytes that the body may have.
    pub fn error(self, limit: u64) -> Error {
        match self {
            Self::TooLarge => Error::TooLarge(limit),
            Self::TooSlow => Error::BodyTimeout,
            Self::Broken => Error::BadRequest(Phrase::plain("The request body broke off")),
            Self::Busy => Error::Busy("too many large requests at once", BUSY_SECS),
        }
    }
}

/// Reads a body of at most `limit` bytes into memory, within `deadline` from now; `share` grows with it. Without
/// memory left, the rest is read and discarded: a client that is still sending would lose the answer.
pub async fn read_limited<S, B, E>(
    stream: S,
    limit: usize,
    deadline: Duration,
    share: &mut MemoryShare,
) -> Result<Bytes, BodyFault>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    let read = async {
        let mut stream = pin!(stream);
        let mut first = Bytes::new();
        let mut rest = Blocks::default();
        let mut size = 0;
        let mut has_room = true;
        while let Some(chunk) = stream.next().await {
            let mut chunk = chunk.map_err(|_| BodyFault::Broken)?;
            size += chunk.remaining();
            if size > limit {
                return Err(BodyFault::TooLarge);
            }
            if has_room && !share.grow(size).await {
                has_room = false;
                share.release();
                (first, rest) = Default::default();
            }
            if !has_room {
                continue;
            }
            // Most bodies arrive in one chunk, which is then not copied.
            if first.is_empty() {
                first = chunk.copy_to_bytes(chunk.remaining());
            }
            rest.append(chunk);
        }
        if !has_room {
            return Err(BodyFault::Busy);
        }
        if rest.0.is_empty() {
            return Ok(first);
        }
        let mut whole = Vec::with_capacity(size);
        whole.extend_from_slice(&first);
        // Each block is freed once copied.
        for block in rest.0 {
            whole.extend_from_slice(&block);
        }
        Ok(Bytes::from(whole))
    };
    timeout(deadline, read).await.unwrap_or(Err(BodyFault::TooSlow))
}

/// Bytes in blocks of one size: a growing buffer would fragment the heap.
#[derive(Default)]
struct Blocks(Vec<Vec<u8>>);

impl Blocks {
    const SIZE: usize = 16 << 10;

    fn append(&mut self, mut chunk: impl Buf) {
        while chunk.has_remaining() {
            let piece = chunk.chunk();
            let block = match self.0.last_mut() {
                Some(block) if block.len() < Self::SIZE => block,
                _ => {
                    self.0.push(Vec::with_capacity(Self::SIZE));
                    continue;
                }
            };
            let taken = piece.len().min(Self::SIZE - block.len());
            block.extend_from_slice(&piece[..taken]);
            chunk.advance(taken);
        }
    }
}

/// Reads and discards a body of at most `limit` bytes, within `deadline` from now.
pub async fn discard<S, B, E>(stream: S, limit: usize, deadline: Duration) -> Result<(), BodyFault>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    let read = async {
        let mut stream = pin!(stream);
        let mut left = limit;
        while let Some(chunk) = stream.next().await {
            let size = chunk.map_err(|_| BodyFault::Broken)?.remaining();
            left = left.checked_sub(size).ok_or(BodyFault::TooLarge)?;
        }
        Ok(())
    };
    timeout(deadline, read).await.unwrap_or(Err(BodyFault::TooSlow))
}

/// A body that counts its unread bytes.
pub fn watched<S>(stream: S, length: u64) -> (Watched<S>, Unread) {
    let unread = Unread(Arc::new(AtomicU64::new(length)));
    (Watched { stream: Box::pin(stream), unread: unread.clone() }, unread)
}

/// The bytes of a body that were not read yet.
#[derive(Clone, Debug)]
pub struct Unread(Arc<AtomicU64>);

impl Unread {
    pub fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// See [`watched`].
pub struct Watched<S> {
    stream: Pin<Box<S>>,
    unread: Unread,
}

impl<S, B, E> Stream for Watched<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    type Item = Result<B, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let item = this.stream.as_mut().poll_next(cx);
        if let Poll::Ready(Some(Ok(chunk))) = &item {
            let read = chunk.remaining() as u64;
            let left = this.unread.0.load(Ordering::Relaxed).saturating_sub(read);
            this.unread.0.store(left, Ordering::Relaxed);
        }
        item
    }
}

/// The chunks of a body too large for memory, until one is late or their sum exceeds `limit`.
pub fn paced<S>(stream: S, limit: u64, pace: Pace) -> Paced<S> {
    Paced {
        stream: Box::pin(stream),
        left: limit,
        late: Box::pin(sleep(pace.head_start)),
        pause: None,
        pace,
        is_over: false,
    }
}

/// See [`paced`].
pub struct Paced<S> {
    stream: Pin<Box<S>>,
    left: u64,
    /// The deadline by pace; each chunk extends it by its size over the minimum rate.
    late: Pin<Box<Sleep>>,
    pause: Option<Pin<Box<Sleep>>>,
    pace: Pace,
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
                        let put_off = Duration::from_millis(size as u64 * 1000 / this.pace.bytes_per_second);
                        let until = this.late.deadline() + put_off;
                        this.late.as_mut().reset(until);
                        Some(Ok(chunk.copy_to_bytes(size)))
                    }
                    None => Some(Err(BodyFault::TooLarge)),
                }
            }
            Poll::Ready(Some(Err(_))) => Some(Err(BodyFault::Broken)),
            Poll::Ready(None) => None,
            Poll::Pending => {
                let pause = this.pause.get_or_insert_with(|| Box::pin(sleep(this.pace.pause)));
                if pause.as_mut().poll(cx).is_pending() && this.late.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                Some(Err(BodyFault::TooSlow))
            }
        };
        this.is_over = !matches!(item, Some(Ok(_)));
        Poll::Ready(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::budget::Budget;
    use futures_util::stream::{iter, unfold};

    type Chunk = Result<Bytes, &'static str>;

    fn share() -> MemoryShare {
        Budget::new(Duration::ZERO).share(None)
    }

    /// Chunks of one byte each, with a pause before each.
    fn dribble(count: u32, pause: Duration) -> impl Stream<Item = Chunk> {
        unfold(0, move |sent| async move {
            sleep(pause).await;
            (sent < count).then_some((Ok(Bytes::from_static(b"x")), sent + 1))
        })
    }

    #[tokio::test]
    async fn small_bodies_are_read_whole_or_not_at_all() {
        let long = Duration::from_secs(5);
        let chunks = |texts: &[&'static str]| {
            iter(texts.iter().map(|text| Chunk::Ok(Bytes::from_static(text.as_bytes()))).collect::<Vec<_>>())
        };
        assert_eq!(read_limited(chunks(&[]), 0, long, &mut share()).await, Ok(Bytes::new()));
        assert_eq!(read_limited(chunks(&["abc"]), 3, long, &mut share()).await, Ok(Bytes::from("abc")));
        assert_eq!(
            read_limited(chunks(&["", "ab", "", "cd", "e"]), 5, long, &mut share()).await,
            Ok(Bytes::from("abcde"))
        );
        assert_eq!(read_limited(chunks(&["ab", "cd", "e"]), 4, long, &mut share()).await, Err(BodyFault::TooLarge));
        assert_eq!(read_limited(chunks(&["abcde"]), 4, long, &mut share()).await, Err(BodyFault::TooLarge));
        let broken = iter([Chunk::Ok(Bytes::from("ab")), Err("gone")]);
        assert_eq!(read_limited(broken, 9, long, &mut share()).await, Err(BodyFault::Broken));
        let slow = dribble(100, Duration::from_millis(20));
        assert_eq!(read_limited(slow, 999, Duration::from_millis(100), &mut share()).await, Err(BodyFault::TooSlow));
    }

    #[tokio::test]
    async fn large_bodies_keep_a_pace() {
        async fn end(stream: impl Stream<Item = Chunk>, limit: u64, pace: Pace) -> (usize, Option<BodyFault>) {
            let mut paced = paced(stream, limit, pace);
            let mut count = 0;
            while let Some(chunk) = paced.next().await {
                match chunk {
                    Ok(chunk) => count += chunk.len(),
                    Err(fault) => {
                        assert!(paced.next().await.is_none());
                        return (count, Some(fault));
                    }
                }
            }
            (count, None)
        }
        let (millis, secs) = (Duration::from_millis, Duration::from_secs);
        let pace = Pace { head_start: millis(200), bytes_per_second: 50, pause: millis(150) };
        // On a busy machine a pause lasts longer than it should.
        let patient = Pace { head_start: secs(20), pause: secs(20), ..pace };
        assert_eq!(end(dribble(40, millis(2)), 40, patient).await, (40, None));
        assert_eq!(end(dribble(40, millis(2)), 39, patient).await, (39, Some(BodyFault::TooLarge)));
        let (count, fault) = end(dribble(100, millis(50)), 999, pace).await;
        assert!(fault == Some(BodyFault::TooSlow) && count < 20, "{count} {fault:?}");
        assert_eq!(end(dribble(9, millis(400)), 999, pace).await, (0, Some(BodyFault::TooSlow)));
    }
}
