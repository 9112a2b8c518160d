//! A connection's socket as the HTTP parser sees it: filtered by the gate, with the timeouts that the parser lacks. It
//! knows nothing of requests but where their heads and bodies end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::http::caps::ConnectionSlot;
use crate::http::gate::Gate;

/// Time limits for a client.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the connection, or the first byte of a later head, to the head's end.
    pub head: Duration,
    /// Between two requests, including the head of the second.
    pub idle: Duration,
    /// Without reading any of an answer.
    pub stall: Duration,
    pub handshake: Duration,
    /// To read an answer that was sent before the request's end.
    pub linger: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            head: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            stall: Duration::from_secs(30),
            handshake: Duration::from_secs(10),
            linger: Duration::from_secs(5),
        }
    }
}

/// A socket behind the gate.
pub struct Socket<S> {
    inner: S,
    gate: Gate,
    slot: Arc<ConnectionSlot>,
    timeouts: Timeouts,
    is_first_head: bool,
    /// Bytes that passed the gate and are not read yet.
    passed: Bytes,
    head: Timer,
    stall: Timer,
    linger: Timer,
    has_shut: bool,
}

/// A timer that exists only while it runs.
type Timer = Option<Pin<Box<Sleep>>>;

impl<S> Socket<S> {
    pub fn new(inner: S, slot: Arc<ConnectionSlot>, timeouts: Timeouts) -> Socket<S> {
        Socket {
            inner,
            gate: Gate::default(),
            slot,
            timeouts,
            is_first_head: true,
            passed: Bytes::new(),
            head: None,
            stall: None,
            linger: None,
            has_shut: false,
        }
    }

    /// Fails a write that the client has blocked for too long.
    fn unless_stalled<T>(&mut self, done: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if done.is_pending() {
            self.slot.set_unsent(true);
            ready!(expired(&mut self.stall, self.timeouts.stall, cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if self.stall.take().is_some() {
            self.slot.set_unsent(false);
        }
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.passed.is_empty() {
                let now = this.passed.len().min(buf.remaining());
                buf.put_slice(&this.passed.split_to(now));
                return Poll::Ready(Ok(()));
            }
            if this.gate.is_closed() {
                return Poll::Pending; // The refusal is being sent; nothing more is read.
            }
            let before = buf.filled().len();
            let Poll::Ready(read) = Pin::new(&mut this.inner).poll_read(cx, buf) else {
                break;
            };
            let bytes = &buf.filled()[before..];
            if read.is_err() || bytes.is_empty() {
                return Poll::Ready(read);
            }
            let passed = this.gate.pass(bytes);
            if passed.ended_head {
                this.is_first_head = false;
                this.head = None;
            }
            match passed.replacement {
                None => return Poll::Ready(Ok(())),
                Some(replacement) => {
                    buf.set_filled(before);
                    this.passed = replacement.into();
                }
            }
        }
        // A part of the next head may arrive while a request is being answered: its timeout starts after that.
        if (this.is_first_head || this.gate.is_in_head()) && !this.slot.is_busy() {
            ready!(expired(&mut this.head, this.timeouts.head, cx));
            this.gate = Gate::default(); // So that the shutdown does not linger for the rest.
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncWrite + AsyncRead + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let wrote = Pin::new(&mut this.inner).poll_write(cx, buf);
        this.unless_stalled(wrote, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let wrote = Pin::new(&mut this.inner).poll_write_vectored(cx, bufs);
        this.unless_stalled(wrote, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.inner).poll_flush(cx);
        this.unless_stalled(flushed, cx)
    }

    /// Shuts down the sending side, then reads on for a moment if the request is incomplete: closing at once would
    /// reset the connection, and the client could lose the answer.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.has_shut {
            let shut = Pin::new(&mut this.inner).poll_shutdown(cx);
            ready!(this.unless_stalled(shut, cx))?;
            this.has_shut = true;
        }
        let mut discarded = [0; 4096];
        while this.gate.is_within_request() {
            let mut buf = ReadBuf::new(&mut discarded);
            match Pin::new(&mut this.inner).poll_read(cx, &mut buf) {
                Poll::Ready(Ok(())) if !buf.filled().is_empty() => {}
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(expired(&mut this.linger, this.timeouts.linger, cx));
                    break;
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Starts the timer if it is not running; ready once it has expired.
fn expired(timer: &mut Timer, after: Duration, cx: &mut Context<'_>) -> Poll<()> {
    timer.get_or_insert_with(|| Box::pin(sleep(after))).as_mut().poll(cx)
}
