//! The requests of ACME: each on a connection of its own, within bounds of time and size.

use std::error::Error as StdError;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient, Problem};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::base::clock::{self, Time};
use crate::outbound::trust;

/// How long a request may take, from the resolving of the name to the last byte of the answer.
const LONGEST: Duration = Duration::from_secs(30);
/// The largest answer: a chain of certificates is some kilobytes.
const LARGEST: usize = 1 << 20;

const AGENT: &str = concat!("formsvc/", env!("CARGO_PKG_VERSION"));

/// The client of one attempt.
#[derive(Clone)]
pub struct Http {
    tls: TlsConnector,
    /// When the authority wants to be asked again, as its last refusal said.
    wait: Arc<Mutex<Option<Duration>>>,
}

impl Http {
    /// `None` if the certificates can't be read.
    pub fn new(ca: Option<&[u8]>) -> Option<Self> {
        Some(Self { tls: TlsConnector::from(Arc::new(trust::client_config(ca)?)), wait: Arc::default() })
    }

    /// How long the authority asked to wait before the next attempt.
    pub fn asked_to_wait(&self) -> Option<Duration> {
        *self.wait.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send(self, mut request: Request<BodyWrapper<Bytes>>) -> Result<BytesResponse, Error> {
        let method = request.method().clone();
        let uri = std::mem::take(request.uri_mut());
        let host = uri.host().unwrap_or_default().to_owned();
        let sent = timeout(LONGEST, self.exchange(request, &uri)).await;
        let answer = sent.unwrap_or_else(|_| Err("it took too long".into()));
        let answer = answer.map_err(|fault| other(format!("{host} can't be asked: {fault}")))?;
        if answer.status().is_success() {
            return Ok(answer.into());
        }
        *self.wait.lock().unwrap_or_else(PoisonError::into_inner) = wait_of(answer.headers());
        // The problem document of a signed request goes to the caller, which parses it and also retries with a new
        // nonce.
        if method == Method::POST && is_problem(answer.headers()) {
            return Ok(answer.into());
        }
        Err(refusal(&host, answer).await)
    }

    async fn exchange(
        &self,
        mut request: Request<BodyWrapper<Bytes>>,
        uri: &Uri,
    ) -> Result<Response<Full<Bytes>>, Box<dyn StdError + Send + Sync>> {
        if uri.scheme_str() != Some("https") {
            return Err("its address is not https".into());
        }
        let authority = uri.authority().ok_or("its address has no host")?;
        let host = authority.host().trim_matches(['[', ']']);
        let tcp = TcpStream::connect((host, authority.port_u16().unwrap_or(443))).await?;
        let name = ServerName::try_from(host.to_owned())?;
        let tls = self.tls.connect(name, tcp).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(tls)).await?;
        *request.uri_mut() = uri.path_and_query().map_or("/", |path| path.as_str()).parse()?;
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::from_str(authority.as_str())?);
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        let answered = async {
            let (head, body) = sender.send_request(request).await?.into_parts();
            let body = Limited::new(body, LARGEST).collect().await?.to_bytes();
            Ok(Response::from_parts(head, Full::new(body)))
        };
        // The connection is driven until the answer has arrived, and closed then.
        tokio::select! {
            answered = answered => answered,
            ended = connection => {
                ended?;
                Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
            }
        }
    }
}

impl HttpClient for Http {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        Box::pin(self.clone().send(request))
    }
}

fn other(text: String) -> Error {
    Error::Other(text.into())
}

fn is_problem(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/problem+json"))
}

/// An answer of which only the status matters, and its reason if it has one.
async fn refusal(host: &str, answer: Response<Full<Bytes>>) -> Error {
    let (head, body) = answer.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    match serde_json::from_slice::<Problem>(&body) {
        Ok(problem) if is_problem(&head.headers) => problem.into(),
        _ => other(format!("{host} answered {}", head.status)),
    }
}

/// Seconds, or a date (RFC 9110, section 10.2.3).
fn wait_of(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let secs = match u32::from_str(text) {
        Ok(secs) => i64::from(secs),
        Err(_) => {
            let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
            Time::from_millis(at.as_millisecond()).secs_since(clock::now())
        }
    };
    u64::try_from(secs).ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_wait_are_read() {
        let wait = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("a value"));
            wait_of(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait("-1"), None);
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("Wed, 21 Oct 2015 07:28:00 GMT"), None, "it is past");
        assert!(wait("Fri, 31 Dec 2100 23:59:59 GMT").is_some_and(|secs| secs > 1 << 30));
    }
}
