//! HTTP for `object_store`, over hyper and rustls as the rest of the program uses them: its own client would be a second
//! TLS with a second HTTP.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::RANGE;
use http::{HeaderMap, Uri};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::rt;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsConnector;

use crate::outbound::stream::Stream;
use crate::outbound::trust::client_config;

/// The longest time for connecting.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a store may be silent: before it answers, and within its answer.
const SILENCE: Duration = Duration::from_secs(60);
/// The slowest rate at which a store may take a body, in bytes per second.
const SLOWEST: u64 = 16 << 10;
/// The largest answer besides the part of a file that was asked for: a page of a list has at most 1,000 names.
const LARGEST: u64 = 16 << 20;
/// How long a connection that nobody uses stays open.
const IDLE: Duration = Duration::from_secs(20);

/// Connects to a store, which also trusts these certificates (PEM).
#[derive(Clone)]
pub struct StoreHttp(Client<Dialler, HttpRequestBody>);

impl StoreHttp {
    /// `None` if the certificates can't be read.
    pub fn new(ca: Option<&[u8]>) -> Option<Self> {
        let tls = TlsConnector::from(Arc::new(client_config(ca)?));
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(Dialler(tls));
        Some(Self(client))
    }
}

impl fmt::Debug for StoreHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreHttp")
    }
}

impl HttpConnector for StoreHttp {
    fn connect(&self, _: &object_store::ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait::async_trait]
impl HttpService for StoreHttp {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let size = request.body().content_length() as u64;
        let most = part_of(request.headers()).unwrap_or_default().max(LARGEST);
        let longest = SILENCE + Duration::from_secs(size / SLOWEST);
        let answer = timeout(longest, self.0.request(request)).await;
        let answer = answer.map_err(|_| silent())?.map_err(|e| HttpError::new(kind_of(&e), e))?;
        let (parts, body) = answer.into_parts();
        let body = HttpResponseBody::new(Watched { body, left: most, silence: Box::pin(sleep(SILENCE)) });
        Ok(HttpResponse::from_parts(parts, body))
    }
}

fn silent() -> HttpError {
    let error = io::Error::new(io::ErrorKind::TimedOut, "it does not answer");
    HttpError::new(HttpErrorKind::Timeout, error)
}

/// The size of the part of a file that is asked for.
fn part_of(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get(RANGE)?.to_str().ok()?.strip_prefix("bytes=")?;
    let (start, end) = range.split_once('-')?;
    let (start, end): (u64, u64) = (start.parse().ok()?, end.parse().ok()?);
    Some(end.saturating_sub(start).saturating_add(1))
}

/// Decides whether a request is sent again.
fn kind_of(error: &ClientError) -> HttpErrorKind {
    if error.is_connect() {
        HttpErrorKind::Connect
    } else {
        // The connection broke off: all requests to a store may be sent again.
        HttpErrorKind::Interrupted
    }
}

/// A body that may not be larger, and whose frames may not be longer apart.
struct Watched {
    body: Incoming,
    left: u64,
    silence: Pin<Box<Sleep>>,
}

impl Body for Watched {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            self.silence.as_mut().reset(Instant::now() + SILENCE);
            let size = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, Bytes::len);
            let Some(left) = self.left.checked_sub(size as u64) else {
                let error = io::Error::other("its answer is too large");
                return Poll::Ready(Some(Err(HttpError::new(HttpErrorKind::Decode, error))));
            };
            self.left = left;
            let broken = |e| HttpError::new(HttpErrorKind::Interrupted, e);
            return Poll::Ready(frame.map(|frame| frame.map_err(broken)));
        }
        match self.silence.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Some(Err(silent()))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Opens connections.
#[derive(Clone)]
struct Dialler(TlsConnector);

impl Dialler {
    async fn dial(self, uri: Uri) -> io::Result<Dialled> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_tls = uri.scheme_str() != Some("http");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let tcp = TcpStream::connect((host, port)).await?;
        let _ = tcp.set_nodelay(true);
        let stream: Box<dyn Stream> = if is_tls {
            let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
            Box::new(self.0.connect(name, tcp).await?)
        } else {
            Box::new(tcp)
        };
        Ok(Dialled(TokioIo::new(stream)))
    }
}

impl tower_service::Service<Uri> for Dialler {
    type Response = Dialled;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Dialled>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialled = timeout(CONNECT, self.clone().dial(uri));
        Box::pin(async { dialled.await.unwrap_or_else(|e| Err(e.into())) })
    }
}

/// A connection.
struct Dialled(TokioIo<Box<dyn Stream>>);

impl Connection for Dialled {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl rt::Read for Dialled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl rt::Write for Dialled {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
