//! The accept loop: connections come in under caps and deadlines, speak HTTP/1.1 to one filter, and are let finish
//! when the service stops. It knows nothing of routes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{future, io};

use bytes::Buf as _;
use futures_util::FutureExt;
use futures_util::future::join_all;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CONNECTION, HeaderValue, TRANSFER_ENCODING};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;
use tracing::{debug, error, info, warn};
use warp::filters::BoxedFilter;
use warp::reply::Response;

use crate::base::listen_on::{ListenOn, TlsFiles};
use crate::web::access_log::Sending;
use crate::web::caps::{Caps, Place};
use crate::web::gate;
use crate::web::listen::{ListenError, Listener, Stream};
use crate::web::rlimit;
use crate::web::socket::{Socket, Waits};
use crate::web::tls::Tls;

/// What hyper reads or writes at once.
const BUFFER: usize = 32 * 1024;

/// The pause after a failed accept, which is mostly a want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Quiet connections that then give up theirs.
const FREED_AT_ONCE: usize = 16;

/// What answers requests.
#[derive(Clone)]
pub struct Surface {
    /// Those that are one.
    pub filter: BoxedFilter<(Response,)>,
    /// What comes to no answer there, by status.
    pub refuse: Arc<dyn Fn(StatusCode, Peer) -> Response + Send + Sync>,
}

/// A connection as HTTP is spoken on it; TLS is boxed because it is large.
type Wire = Either<Stream, Box<TlsStream<TcpStream>>>;

/// How the service is reached, and under which limits.
#[derive(Debug, Clone)]
pub struct Transport {
    /// Where to listen.
    pub listen: Vec<ListenOn>,
    /// The certificate for connections over TCP; without one they are plain.
    pub tls: Option<TlsFiles>,
    /// Connections at once; 0 for as many as there are file descriptors.
    pub max_connections: usize,
    /// Connections at once from one address; 0 for no cap. If not given, 1,024, and loopback has no cap.
    pub max_connections_per_address: Option<usize>,
    /// Peers that speak for others and so are not counted by address.
    pub trusted_proxies: Vec<IpNet>,
    /// How long requests may go on after the service has been told to stop.
    pub drain: Duration,
}

/// The address at the other end of a connection, as a request's extension; `None` on a unix socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub Option<SocketAddr>);

/// Open sockets, ready to serve.
#[derive(Debug)]
pub struct Listeners {
    listeners: Vec<Listener>,
    shared: Shared,
    drain: Duration,
}

/// What each connection needs.
#[derive(Debug, Clone)]
struct Shared {
    caps: Arc<Caps>,
    tls: Option<Arc<Tls>>,
    waits: Waits,
    stopping: CancellationToken,
    tasks: TaskTracker,
}

/// Opens all sockets, and raises the limit of open files as far as it goes.
pub async fn bind(transport: &Transport) -> Result<Listeners, ListenError> {
    let tls = transport
        .tls
        .clone()
        .map(Tls::load)
        .transpose()?
        .map(Arc::new);
    let mut listeners = Vec::new();
    for on in &transport.listen {
        listeners.push(Listener::open(on, tls.is_some()).await?);
    }
    let cap = rlimit::fit(transport.max_connections, rlimit::raise());
    if cap < transport.max_connections {
        warn!(
            connections = cap,
            "the limit of open files leaves room for fewer connections than asked for"
        );
    }
    let proxies = transport.trusted_proxies.clone();
    Ok(Listeners {
        listeners,
        shared: Shared {
            caps: Caps::new(cap, transport.max_connections_per_address, proxies),
            tls,
            waits: Waits::default(),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
        },
        drain: transport.drain,
    })
}

impl Listeners {
    /// Where the service is reached, with the ports that were really taken.
    pub fn urls(&self) -> Vec<String> {
        self.listeners
            .iter()
            .map(|listener| listener.address().to_string())
            .collect()
    }

    /// Serves until `stop`, then closes the sockets and lets requests finish; answers how many were cut off when
    /// the time for that had run out.
    pub async fn serve(self, surface: Surface, stop: impl Future<Output = ()>) -> usize {
        let Listeners {
            listeners,
            shared,
            drain,
        } = self;
        let accepting = join_all(
            listeners
                .iter()
                .map(|listener| accept_loop(listener, &shared, &surface)),
        );
        tokio::select! {
            () = stop => {}
            () = reload_loop(shared.tls.as_deref()) => {}
            _ = accepting => {}
        }
        drop(listeners);
        shared.stopping.cancel();
        shared.tasks.close();
        match timeout(drain, shared.tasks.wait()).await {
            Ok(()) => 0,
            Err(_) => shared.caps.end_all(),
        }
    }
}

/// Reads the certificate again at each SIGHUP.
async fn reload_loop(tls: Option<&Tls>) {
    let (Some(tls), Ok(mut hangups)) = (tls, signal(SignalKind::hangup())) else {
        return future::pending().await;
    };
    while hangups.recv().await.is_some() {
        match tls.reload() {
            Ok(()) => info!("the certificate has been read again"),
            Err(fault) => error!("{fault}; the old certificate stays in use"),
        }
    }
}

/// Never ends by itself.
async fn accept_loop(listener: &Listener, shared: &Shared, surface: &Surface) {
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
                shared.caps.end_the_quietest(FREED_AT_ONCE);
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        is_failing = false;
        // A peer over its share is closed on at once; it costs neither a slot nor an answer.
        if let Some(place) = shared.caps.admit(peer).await {
            let converse = converse(
                stream,
                Peer(peer),
                Arc::new(place),
                shared.clone(),
                surface.clone(),
            );
            shared.tasks.spawn(converse);
        }
    }
}

/// One connection from its first byte to its last.
async fn converse(stream: Stream, peer: Peer, place: Arc<Place>, shared: Shared, surface: Surface) {
    let talk = async {
        match (stream, shared.tls.clone()) {
            (Either::Left(stream), Some(tls)) => {
                let shaken = tokio::select! {
                    shaken = timeout(shared.waits.handshake, tls.accept(stream)) => shaken,
                    () = shared.stopping.cancelled() => return,
                };
                match shaken {
                    Ok(Ok(stream)) => {
                        talk_http(
                            Either::Right(Box::new(stream)),
                            peer,
                            &place,
                            &shared,
                            surface,
                        )
                        .await
                    }
                    Ok(Err(fault)) => debug!("a TLS handshake failed: {fault}"),
                    Err(_) => debug!("a TLS handshake took too long"),
                }
            }
            (stream, _) => talk_http(Either::Left(stream), peer, &place, &shared, surface).await,
        }
    };
    tokio::select! {
        biased;
        () = talk => {}
        () = place.ended() => {}
    }
}

async fn talk_http(wire: Wire, peer: Peer, place: &Arc<Place>, shared: &Shared, surface: Surface) {
    let socket = Socket::new(wire, Arc::clone(place), shared.waits);
    let (filter, refuse) = (warp::service(surface.filter), surface.refuse);
    let service = service_fn(|request: Request<Incoming>| {
        let (mut filter, refuse, place) = (filter.clone(), &refuse, Arc::clone(place));
        async move {
            if !place.begin() {
                return future::pending().await; // The connection is being ended.
            }
            let answered = Answered(place);
            let (mut response, is_last) = match gate::refusal(request.uri()) {
                Some(status) => (refuse(status, peer), true),
                None => answer(request, peer, &mut filter)
                    .await
                    .unwrap_or_else(|| (refuse(StatusCode::INTERNAL_SERVER_ERROR, peer), true)),
            };
            let sending = Sending::of(&mut response);
            let mut response = response.map(|body| Counted {
                body,
                sending,
                _answered: answered,
            });
            if is_last {
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.waits.idle)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased; // What has arrived before the stop is read before it.
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

/// The answer to one request, and whether it is the connection's last; none where answering panicked.
async fn answer<F>(
    mut request: Request<Incoming>,
    peer: Peer,
    filter: &mut F,
) -> Option<(Response, bool)>
where
    F: Service<Request<Incoming>, Response = Response, Error = Infallible>,
{
    // Nobody then depends on where a chunked body ends.
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

/// Marks a connection as quiet again once its answer has been handed to the socket, or dropped.
struct Answered(Arc<Place>);

impl Drop for Answered {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// A body that keeps its connection busy, and counts what is sent.
struct Counted<B> {
    body: B,
    sending: Sending,
    _answered: Answered,
}

impl<B: Body + Unpin> Body for Counted<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let own = self.get_mut();
        let polled = Pin::new(&mut own.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            own.sending.count(data.remaining());
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
