//! `/metrics` on a listener of its own: the figures of the service for Prometheus. The public listeners have no such
//! address.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use warp::Filter as _;
use warp::http::{HeaderValue, Method, StatusCode, header};
use warp::path::FullPath;
use warp::reply::Response;

use crate::base::config::Config;
use crate::base::listen_on::ListenOn;
use crate::base::metrics::{CONTENT_TYPE, Kind, Page};
use crate::http::caps::Caps;
use crate::http::conn::{HttpHandler, Peer, Transport};
use crate::http::gate::Refusal;
use crate::ops::app::App;
use crate::ops::server::metrics;
use crate::web::request::request_metrics::RequestMetrics;

/// Where the figures are.
pub const PATH: &str = "/metrics";
const MAX_CONNECTIONS: usize = 16;
const DRAIN: Duration = Duration::from_secs(1);

/// Few connections, without TLS.
pub fn transport(on: ListenOn) -> Transport {
    Transport {
        listen: vec![on],
        tls: None,
        max_connections: MAX_CONNECTIONS,
        max_connections_per_address: Some(0),
        trusted_proxies: Vec::new(),
        stall: Config::REQUEST_TIMEOUT,
        drain: DRAIN,
    }
}

/// The sources of the figures.
pub struct Sources {
    pub app: Arc<App>,
    pub requests: Arc<RequestMetrics>,
    /// The connections of the public listeners.
    pub connections: Arc<Caps>,
}

/// Answers `GET /metrics`.
pub fn handler(sources: Sources) -> HttpHandler {
    let sources = Arc::new(sources);
    let filter = warp::method().and(warp::path::full()).then(move |method: Method, path: FullPath| {
        let sources = Arc::clone(&sources);
        async move {
            match (path.as_str(), method) {
                (PATH, Method::GET | Method::HEAD) => {
                    let drawn = spawn_blocking(move || draw(&sources)).await;
                    let failed = StatusCode::INTERNAL_SERVER_ERROR;
                    drawn.map_or_else(|_| empty(failed), page)
                }
                (PATH, _) => {
                    let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
                    let allow = HeaderValue::from_static("GET, HEAD");
                    response.headers_mut().insert(header::ALLOW, allow);
                    response
                }
                _ => empty(StatusCode::NOT_FOUND),
            }
        }
    });
    HttpHandler {
        filter: filter.boxed(),
        refuse: Arc::new(|refusal: Option<Refusal>, _: Peer| {
            empty(refusal.map_or(StatusCode::INTERNAL_SERVER_ERROR, Refusal::status))
        }),
        stopping: CancellationToken::new(),
    }
}

fn draw(sources: &Sources) -> String {
    let mut page = Page::default();
    sources.requests.draw(&mut page);
    page.one("formsvc_connections", Kind::Gauge, "Open connections.", sources.connections.count());
    metrics::draw(&sources.app, &mut page);
    page.into_text()
}

fn page(text: String) -> Response {
    let mut response = Response::new(text.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}
