//! One connection's socket as the HTTP parser sees it: through the gate, and with the deadlines that the parser
//! does not keep. It knows nothing of requests but where their heads and bodies end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::web::caps::Place;
use crate::web::gate::Gate;

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// From the connection, or from a later head's first byte, to the head's end.
    pub head: Duration,
    /// Between two requests, and for the head of the second.
    pub idle: Duration,
    /// Without taking anything of an answer.
    pub stall: Duration,
    /// For the TLS handshake.
    pub handshake: Duration,
    /// After an answer that came before the request's end, so that the client gets to read it.
    pub linger: Duration,
}

impl Default for Waits {
    fn default() -> Waits {
        Waits {
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
    place: Arc<Place>,
    waits: Waits,
    is_first_head: bool,
    /// What has passed the gate and is still to be read.
    passed: Bytes,
    head: Timer,
    stall: Timer,
    linger: Timer,
    has_shut: bool,
}

/// A deadline that exists only while something is waited for.
type Timer = Option<Pin<Box<Sleep>>>;

impl<S> Socket<S> {
    /// Puts a socket behind the gate.
    pub fn new(inner: S, place: Arc<Place>, waits: Waits) -> Socket<S> {
        Socket {
            inner,
            gate: Gate::default(),
            place,
            waits,
            is_first_head: true,
            passed: Bytes::new(),
            head: None,
            stall: None,
            linger: None,
            has_shut: false,
        }
    }

    /// Ends a write that the client has kept waiting for too long.
    fn unless_stalled<T>(
        &mut self,
        done: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if done.is_pending() {
            self.place.set_behind(true);
            ready!(expired(&mut self.stall, self.waits.stall, cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if self.stall.take().is_some() {
            self.place.set_behind(false);
        }
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.passed.is_empty() {
                let now = this.passed.len().min(buf.remaining());
                buf.put_slice(&this.passed.split_to(now));
                return Poll::Ready(Ok(()));
            }
            if this.gate.is_cut() {
                return Poll::Pending; // The answer is on its way; nothing more is read.
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
            match passed.instead {
                None => return Poll::Ready(Ok(())),
                Some(instead) => {
                    buf.set_filled(before);
                    this.passed = instead.into();
                }
            }
        }
        // A head may come in part while the request before it is being answered: its time begins after that.
        if (this.is_first_head || this.gate.is_in_head()) && !this.place.is_busy() {
            ready!(expired(&mut this.head, this.waits.head, cx));
            this.gate = Gate::default(); // Nothing is waited for any more, at the end neither.
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncWrite + AsyncRead + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
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

    /// Ends what is sent, then reads on for a moment if the client has not been heard out: closing at once would
    /// reset the connection, and the answer could be lost with it.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.has_shut {
            let shut = Pin::new(&mut this.inner).poll_shutdown(cx);
            ready!(this.unless_stalled(shut, cx))?;
            this.has_shut = true;
        }
        let mut waste = [0; 4096];
        while this.gate.is_within_request() {
            let mut buf = ReadBuf::new(&mut waste);
            match Pin::new(&mut this.inner).poll_read(cx, &mut buf) {
                Poll::Ready(Ok(())) if !buf.filled().is_empty() => {}
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(expired(&mut this.linger, this.waits.linger, cx));
                    break;
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Starts the timer if it is not running; ready when it has run out.
fn expired(timer: &mut Timer, after: Duration, cx: &mut Context<'_>) -> Poll<()> {
    timer
        .get_or_insert_with(|| Box::pin(sleep(after)))
        .as_mut()
        .poll(cx)
}
