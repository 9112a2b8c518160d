//! A connection from which only so much is read: answers may be endless in head, interim answers, chunks or body.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that may still be read.
#[derive(Clone, Default)]
pub struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    pub fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    pub fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// Any stream that can be read and written.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Reading ends with an error when the allowance is used up.
pub struct Limited {
    pub stream: Box<dyn Stream>,
    pub allowance: Allowance,
}

impl AsyncRead for Limited {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let left = self.allowance.0.load(Ordering::Relaxed);
        if left == 0 {
            return Poll::Ready(Err(io::Error::other("too much was answered")));
        }
        let most = left.min(buf.remaining());
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(most));
        let read = Pin::new(&mut self.stream).poll_read(cx, &mut part);
        let filled = part.filled().len();
        buf.advance(filled);
        self.allowance.set(left - filled);
        read
    }
}

impl AsyncWrite for Limited {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
