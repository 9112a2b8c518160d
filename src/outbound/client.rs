//! Sends one request to an address that others chose, and throws the answer away but for its status (S71, S72).

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use url::Host;

use crate::outbound::stream::{Allowance, Limited, Stream};
use crate::outbound::target::RequestTarget;
use crate::outbound::{addresses, trust};

/// The longest time for connecting: the name, TCP and TLS.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a whole attempt may take.
pub const LONGEST: Duration = Duration::from_secs(15);
/// The largest head of an answer.
const HEAD: usize = 16 << 10;
/// Bytes read of a body.
const BODY: usize = 16 << 10;
/// Bytes read in all: head and body, and the read-ahead of the body.
const ANSWER: usize = HEAD + 2 * BODY;

const AGENT: &str = concat!("formsvc/", env!("CARGO_PKG_VERSION"));

/// Why there was no answer to go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFault {
    /// An address of the host is not a public one.
    NotPublic,
    Unresolved,
    Unreachable,
    Untrusted,
    TimedOut,
    /// The connection broke before an answer came.
    Broken,
    /// The answer is no HTTP, or its head does not end.
    BadAnswer,
}

/// Requests to receivers.
pub struct Client {
    tls: TlsConnector,
    may_be_private: bool,
}

/// A connection to a receiver, which may serve several requests.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    allowance: Allowance,
    task: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Headers and body of a request.
pub struct Post {
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: Bytes,
}

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestOutcome {
    /// Status of the answer.
    pub status: Option<u16>,
    /// With a status: the answer did not end in time.
    pub fault: Option<RequestFault>,
    pub took: Duration,
}

impl Client {
    /// A client that also trusts these certificates (PEM), and that also reaches addresses that are not public if `may_be_private`.
    /// `None` if the certificates can't be read.
    pub fn new(may_be_private: bool, ca: Option<&[u8]>) -> Option<Self> {
        let config = trust::client_config(ca)?;
        Some(Self { tls: TlsConnector::from(Arc::new(config)), may_be_private })
    }

    /// Posts over the given connection, or over a new one if there is none or it has ended. Afterwards there is one if it can
    /// serve another request.
    pub async fn post(
        &self,
        target: &RequestTarget,
        post: &Post,
        connection: &mut Option<Connection>,
    ) -> RequestOutcome {
        let begun = Instant::now();
        let deadline = begun + LONGEST;
        let kept = connection.take();
        let outcome = |status, fault| RequestOutcome { status, fault, took: begun.elapsed() };
        let head = async {
            if let Some(mut open) = kept
                // A receiver may end a connection at any time: then that says nothing of this request.
                && let Ok(answer) = open.send(target, post).await
            {
                return Ok((open, answer));
            }
            let mut open = timeout(CONNECT, self.connect(target)).await.unwrap_or(Err(RequestFault::TimedOut))?;
            let answer = open.send(target, post).await?;
            Ok((open, answer))
        };
        let (open, answer) = match timeout_at(deadline, head).await {
            Ok(Ok(sent)) => sent,
            Ok(Err(fault)) => return outcome(None, Some(fault)),
            Err(_) => return outcome(None, Some(RequestFault::TimedOut)),
        };
        let status = Some(answer.status().as_u16());
        match timeout_at(deadline, read(answer.into_body())).await {
            Ok(is_whole) => {
                if is_whole && !open.sender.is_closed() {
                    *connection = Some(open);
                }
                outcome(status, None)
            }
            Err(_) => outcome(status, Some(RequestFault::TimedOut)),
        }
    }

    async fn connect(&self, target: &RequestTarget) -> Result<Connection, RequestFault> {
        let address = self.resolve(target).await?;
        let tcp = TcpStream::connect(address).await.map_err(|_| RequestFault::Unreachable)?;
        let _ = tcp.set_nodelay(true);
        let stream: Box<dyn Stream> = match target.is_tls {
            false => Box::new(tcp),
            true => {
                let name = server_name(&target.host).ok_or(RequestFault::Unresolved)?;
                let tls = self.tls.connect(name, tcp).await;
                Box::new(tls.map_err(|error| tls_fault(&error))?)
            }
        };
        let allowance = Allowance::default();
        allowance.set(ANSWER);
        let limited = Limited { stream, allowance: allowance.clone() };
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(HEAD)
            .handshake(TokioIo::new(limited))
            .await
            .map_err(|_| RequestFault::Broken)?;
        // The task ends with the sender, or on a read error, which the sender reports.
        let task = tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Connection { sender, allowance, task })
    }

    /// The one address that is connected to. All of the host's are judged, since another of them might be taken the next time.
    async fn resolve(&self, target: &RequestTarget) -> Result<SocketAddr, RequestFault> {
        let found: Vec<IpAddr> = match &target.host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => lookup_host((name.as_str(), target.port))
                .await
                .map_err(|_| RequestFault::Unresolved)?
                .map(|found| found.ip())
                .collect(),
        };
        if !self.may_be_private && !found.iter().all(|found| addresses::is_public(*found)) {
            return Err(RequestFault::NotPublic);
        }
        let first = found.first().ok_or(RequestFault::Unresolved)?;
        Ok(SocketAddr::new(*first, target.port))
    }
}

impl Connection {
    async fn send(&mut self, target: &RequestTarget, post: &Post) -> Result<Response<Incoming>, RequestFault> {
        self.allowance.set(ANSWER);
        let request = request(target, post).ok_or(RequestFault::Unreachable)?;
        let sent = async {
            self.sender.ready().await?;
            self.sender.send_request(request).await
        };
        sent.await.map_err(|error| {
            if self.allowance.is_used_up() || error.is_parse() || error.is_parse_too_large() {
                RequestFault::BadAnswer
            } else {
                RequestFault::Broken
            }
        })
    }
}

fn request(target: &RequestTarget, post: &Post) -> Option<Request<Full<Bytes>>> {
    let mut request = Request::post(target.path.as_str())
        .header(HOST, &target.authority)
        .header(USER_AGENT, AGENT)
        .header(CONTENT_TYPE, "application/json");
    for (name, value) in &post.headers {
        let value = HeaderValue::from_str(value).ok()?;
        request = request.header(HeaderName::from_static(name), value);
    }
    request.body(Full::new(post.body.clone())).ok()
}

/// Reads a body as far as it is read, and whether that was all of it.
async fn read(mut body: Incoming) -> bool {
    let mut read = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > BODY {
            return false;
        }
    }
    true
}

fn server_name(host: &Host) -> Option<ServerName<'static>> {
    match host {
        // Certificates name hosts without the dot that ends a name.
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned()).ok(),
        Host::Ipv4(address) => Some(IpAddr::V4(*address).into()),
        Host::Ipv6(address) => Some(IpAddr::V6(*address).into()),
    }
}

fn tls_fault(error: &io::Error) -> RequestFault {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(_)) => RequestFault::Untrusted,
        _ => RequestFault::Broken,
    }
}
