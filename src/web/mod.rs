//! HTTP: the accept loop, the route table, pages. The only user of `warp`. No domain rules and no SQL.

pub mod api;
pub mod assets;
pub mod csp;
pub mod event_stream;
pub mod files;
pub mod forms;
pub mod metrics;
pub mod openapi;
pub mod pages;
mod query_values;
pub mod request;
pub mod table;

use std::sync::Arc;
use std::time::Duration;

use warp::Filter as _;
use warp::filters::BoxedFilter;
use warp::http::{HeaderMap, Method};
use warp::path::FullPath;
use warp::reply::Response;

use crate::http::conn::{HttpHandler, Peer};
use crate::ops::app::App;
use crate::web::request::dispatch::{Dispatcher, Request};
use crate::web::request::request_metrics::RequestMetrics;
use crate::web::request::send;
use crate::web::request::site::Site;

/// The request handler of the service, and its metrics.
pub fn http_handler(app: &Arc<App>) -> (HttpHandler, Arc<RequestMetrics>) {
    let site = Site::new(Arc::clone(app), openapi::describe);
    let stopping = site.stopping.clone();
    let dispatcher = Dispatcher::new(site, table::routes());
    let (app, requests) = (Arc::clone(app), dispatcher.figures());
    let refused = Arc::clone(&requests);
    let handler = HttpHandler {
        filter: filter(Arc::new(dispatcher)),
        refuse: Arc::new(move |refusal, peer| {
            let response = send::refusal(&app.config, refusal, peer);
            refused.count(None, response.status(), Duration::ZERO);
            response
        }),
        stopping,
    };
    (handler, requests)
}

/// The one warp filter: it hands every request to the dispatcher.
fn filter(dispatcher: Arc<Dispatcher>) -> BoxedFilter<(Response,)> {
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::any()
        .map(move || Arc::clone(&dispatcher))
        .and(warp::method())
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::optional::<Peer>())
        .and(warp::body::stream())
        .then(
            |dispatcher: Arc<Dispatcher>,
             method: Method,
             path: FullPath,
             query,
             headers: HeaderMap,
             peer: Option<Peer>,
             body| {
                // Boxed because it is large and warp moves it several times.
                Box::pin(async move {
                    let request = Request {
                        method,
                        path: path.as_str().to_owned(),
                        query,
                        headers,
                        peer: peer.unwrap_or(Peer(None)),
                        body,
                    };
                    dispatcher.answer(request).await
                })
            },
        )
        .boxed()
}
