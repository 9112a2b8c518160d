//! The accept loop: accepts connections within limits and timeouts, serves HTTP/1.1 on them with one filter, and
//! lets requests finish when the service stops. It knows nothing of routes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{future, io};

use bytes::Buf as _;
use futures_util::FutureExt;
use futures_util::future::join_all;
use hyper::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CONNECTION, HeaderValue, TRANSFER_ENCODING};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;
use tracing::{debug, error, warn};
use warp::filters::BoxedFilter;
use warp::reply::Response;

use crate::base::listen_on::ListenOn;
use crate::http::access_log::ResponseLog;
use crate::http::caps::{Caps, ConnectionSlot};
use crate::http::gate::Refusal;
use crate::http::listen::{Inherited, ListenError, Listener, RawStream};
use crate::http::rlimit;
use crate::http::socket::{Socket, Timeouts};
use crate::http::tls::{CertificateSource, Tls};

/// Size of hyper's buffers in bytes.
const BUFFER_SIZE: usize = 32 * 1024;

/// The pause after a failed accept, usually for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Idle connections that are then closed.
const FREED_AT_ONCE: usize = 16;

/// Answers requests.
#[derive(Clone)]
pub struct HttpHandler {
    /// Answers well-formed requests.
    pub filter: BoxedFilter<(Response,)>,
    /// Answers malformed requests, and those whose handler panicked (`None`).
    pub refuse: Arc<dyn Fn(Option<Refusal>, Peer) -> Response + Send + Sync>,
    /// Cancelled when the service stops: answers without an end then end.
    pub stopping: CancellationToken,
}

/// Ends the connection that an answer is sent on, even if its client reads nothing. Put into a response's extensions,
/// it is tied to the connection, which is not used again after that answer.
#[derive(Clone, Debug, Default)]
pub struct ConnectionEnd(Arc<OnceLock<Weak<ConnectionSlot>>>);

impl ConnectionEnd {
    fn tie(&self, slot: &Arc<ConnectionSlot>) {
        // An answer is sent on one connection.
        let _ = self.0.set(Arc::downgrade(slot));
    }

    /// Closes the connection, if it is still open.
    pub fn end(&self) {
        if let Some(slot) = self.0.get().and_then(Weak::upgrade) {
            slot.end();
        }
    }
}

/// A connection with or without TLS; TLS is boxed because it is large.
type Wire = Either<RawStream, Box<TlsStream<TcpStream>>>;

/// How the service is reached, and under which limits.
#[derive(Debug, Clone)]
pub struct Transport {
    pub listen: Vec<ListenOn>,
    /// The certificate for TCP connections; without it they are not encrypted.
    pub tls: Option<CertificateSource>,
    /// Open connections; 0 for as many as there are file descriptors.
    pub max_connections: usize,
    /// Open connections from one address; 0 for no limit. By default 1,024, without a limit for loopback.
    pub max_connections_per_address: Option<usize>,
    /// Proxies forward for many clients and so have no limit per address.
    pub trusted_proxies: Vec<IpNet>,
    /// How long a client may read nothing of an answer.
    pub stall: Duration,
    /// How long requests may continue after the service was told to stop.
    pub drain: Duration,
}

/// The remote address of a connection, as a request's extension; `None` on a unix socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub Option<SocketAddr>);

/// Open listening sockets.
#[derive(Debug)]
pub struct Listeners {
    listeners: Vec<Listener>,
    shared: Shared,
    drain: Duration,
}

/// Shared by all connections.
#[derive(Debug, Clone)]
struct Shared {
    caps: Arc<Caps>,
    tls: Option<Arc<Tls>>,
    timeouts: Timeouts,
    stopping: CancellationToken,
    tasks: TaskTracker,
}

/// Opens all sockets and raises the limit of open files as far as possible.
pub async fn bind(transport: &Transport) -> Result<Listeners, ListenError> {
    let tls = load_tls(transport)?;
    let mut listeners = Vec::new();
    for on in &transport.listen {
        listeners.push(Listener::open(on, tls.is_some()).await?);
    }
    Ok(Listeners::over(listeners, tls, transport))
}

/// Like [`bind`], with sockets that are open already, instead of those of `transport.listen`. Has to run in a runtime.
pub async fn inherit(sockets: Vec<Inherited>, transport: &Transport) -> Result<Listeners, ListenError> {
    let tls = load_tls(transport)?;
    let listeners =
        sockets.into_iter().map(|socket| Listener::inherit(socket, tls.is_some())).collect::<Result<_, _>>()?;
    Ok(Listeners::over(listeners, tls, transport))
}

fn load_tls(transport: &Transport) -> Result<Option<Arc<Tls>>, ListenError> {
    let tls = transport.tls.clone().map(Tls::new).transpose()?;
    Ok(tls.map(Arc::new))
}

impl Listeners {
    fn over(listeners: Vec<Listener>, tls: Option<Arc<Tls>>, transport: &Transport) -> Listeners {
        let cap = rlimit::fit(transport.max_connections, rlimit::raise());
        if cap < transport.max_connections {
            warn!(connections = cap, "the limit of open files leaves room for fewer connections than asked for");
        }
        let proxies = transport.trusted_proxies.clone();
        Listeners {
            listeners,
            shared: Shared {
                caps: Caps::new(cap, transport.max_connections_per_address, proxies),
                tls,
                timeouts: Timeouts { stall: transport.stall, ..Timeouts::default() },
                stopping: CancellationToken::new(),
                tasks: TaskTracker::new(),
            },
            drain: transport.drain,
        }
    }

    /// The certificate, which can be read again while it is served.
    pub fn tls(&self) -> Option<Arc<Tls>> {
        self.shared.tls.clone()
    }

    /// The open connections.
    pub fn caps(&self) -> Arc<Caps> {
        Arc::clone(&self.shared.caps)
    }

    /// The addresses of the service, with the ports that were bound.
    pub fn urls(&self) -> Vec<String> {
        self.listeners.iter().map(|listener| listener.address().to_string()).collect()
    }

    /// Serves until `stop`, then closes the sockets and lets requests finish. Returns how many were cut off after
    /// the drain time.
    pub async fn serve(self, handler: HttpHandler, stop: impl Future<Output = ()>) -> usize {
        let Listeners { listeners, shared, drain } = self;
        let accepting = join_all(listeners.iter().map(|listener| accept_loop(listener, &shared, &handler)));
        tokio::select! {
            () = stop => {}
            _ = accepting => {}
        }
        drop(listeners);
        shared.stopping.cancel();
        handler.stopping.cancel();
        shared.tasks.close();
        match timeout(drain, shared.tasks.wait()).await {
            Ok(()) => 0,
            Err(_) => shared.caps.end_all(),
        }
    }
}

/// Never returns.
async fn accept_loop(listener: &Listener, shared: &Shared, handler: &HttpHandler) {
    let mut is_failing = false;
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(fault) if fault.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(fault) => {
                if !is_failing {
                    warn!("no connection can be accepted: {fault}");
                }
                is_failing = true;
                shared.caps.end_longest_idle(FREED_AT_ONCE);
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        is_failing = false;
        // A connection over the network's limit is closed at once, without an answer.
        if let Some(slot) = shared.caps.admit(peer).await {
            let serving = serve_connection(stream, Peer(peer), Arc::new(slot), shared.clone(), handler.clone());
            shared.tasks.spawn(serving);
        }
    }
}

/// Serves one connection from its first byte to its last.
async fn serve_connection(
    stream: RawStream,
    peer: Peer,
    slot: Arc<ConnectionSlot>,
    shared: Shared,
    handler: HttpHandler,
) {
    let serving = async {
        match (stream, shared.tls.clone()) {
            (Either::Left(stream), Some(tls)) => {
                let handshake = tokio::select! {
                    handshake = timeout(shared.timeouts.handshake, tls.accept(stream)) => handshake,
                    () = shared.stopping.cancelled() => return,
                };
                match handshake {
                    Ok(Ok(None)) => debug!("a validation was answered"),
                    Ok(Ok(Some(stream))) => {
                        serve_http(Either::Right(Box::new(stream)), peer, &slot, &shared, handler).await
                    }
                    Ok(Err(fault)) => debug!("a TLS handshake failed: {fault}"),
                    Err(_) => debug!("a TLS handshake took too long"),
                }
            }
            (stream, _) => serve_http(Either::Left(stream), peer, &slot, &shared, handler).await,
        }
    };
    tokio::select! {
        biased;
        () = serving => {}
        () = slot.ended() => {}
    }
}

async fn serve_http(wire: Wire, peer: Peer, slot: &Arc<ConnectionSlot>, shared: &Shared, handler: HttpHandler) {
    let socket = Socket::new(wire, Arc::clone(slot), shared.timeouts);
    let (filter, refuse) = (warp::service(handler.filter), handler.refuse);
    let service = service_fn(|request: Request<Incoming>| {
        let (mut filter, refuse, slot) = (filter.clone(), &refuse, Arc::clone(slot));
        async move {
            if !slot.begin() {
                return future::pending().await; // The connection is being ended.
            }
            let busy = BusyGuard(Arc::clone(&slot));
            let (mut response, mut is_last) = match Refusal::of_target(request.uri()) {
                Some(refusal) => (refuse(Some(refusal), peer), true),
                None => answer(request, peer, &mut filter).await.unwrap_or_else(|| (refuse(None, peer), true)),
            };
            if let Some(end) = response.extensions_mut().remove::<ConnectionEnd>() {
                end.tie(&slot);
                is_last = true;
            }
            let log = ResponseLog::of(&mut response);
            let mut response = response.map(|body| CountedBody { body, log, _busy: busy });
            if is_last {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.timeouts.idle)
        .max_buf_size(BUFFER_SIZE)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased; // A request that arrived before the stop is still read.
        ended = connection.as_mut() => ended,
        () = shared.stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(fault) = ended {
        debug!("a connection ended early: {fault}");
    }
}

/// The answer to one request, and whether the connection closes after it; `None` if the handler panicked.
async fn answer<F>(mut request: Request<Incoming>, peer: Peer, filter: &mut F) -> Option<(Response, bool)>
where
    F: Service<Request<Incoming>, Response = Response, Error = Infallible>,
{
    // The connection closes after a chunked body, so nothing depends on where it ends.
    let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
    request.extensions_mut().insert(peer);
    let answered = AssertUnwindSafe(async { filter.call(request).await });
    match answered.catch_unwind().await {
        Ok(Ok(response)) => Some((response, is_chunked)),
        Ok(Err(never)) => match never {},
        Err(_) => {
            error!("answering a request panicked");
            None
        }
    }
}

/// Marks the connection as idle once its answer was handed to the socket, or dropped.
struct BusyGuard(Arc<ConnectionSlot>);

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// A body that keeps its connection busy and counts the bytes sent.
struct CountedBody<B> {
    body: B,
    log: ResponseLog,
    _busy: BusyGuard,
}

impl<B: Body + Unpin> Body for CountedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            this.log.count(data.remaining());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
