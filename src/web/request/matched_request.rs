//! A matched request without its body, shared by the task that received it and the blocking threads.

use std::net::IpAddr;
use std::sync::Arc;

use warp::http::{HeaderMap, Method};

use crate::base::clock::Time;
use crate::http::net;
use crate::ops::app::App;
use crate::web::request::call::{Body, Call};
use crate::web::request::route::Route;
use crate::web::request::site::Site;

/// Method, address and headers of a request.
pub struct RequestHead {
    pub method: Method,
    /// The path below the base address, not decoded.
    pub path: String,
    /// The query, not decoded; empty when there is none.
    pub query: String,
    pub headers: HeaderMap,
    /// The client's address as trusted proxies report it; `None` on a unix socket without a proxy.
    pub client: Option<IpAddr>,
    /// The request id in the answer and the log.
    pub id: String,
    /// When the request arrived.
    pub now: Time,
}

impl RequestHead {
    /// The address that memory is accounted to; `None` for loopback, which may be a proxy for anybody.
    pub fn address(&self) -> Option<String> {
        let is_local = self.client.is_none_or(|client| client.is_loopback());
        (!is_local).then(|| net::address(self.client))
    }

    /// The handlers' view of a request without a row, or whose row failed.
    pub fn call<'a>(&'a self, site: &'a Site, pattern: &'static str, body: &'a Body) -> Call<'a> {
        Call {
            app: &site.app,
            site,
            method: &self.method,
            pattern,
            path: &self.path,
            query: &self.query,
            headers: &self.headers,
            body: &body.bytes,
            parts: body.parts.as_ref(),
            client: self.client,
            request_id: &self.id,
            now: self.now,
            params: &[],
        }
    }
}

/// A request and the row that answers it; cheap to clone.
#[derive(Clone)]
pub struct MatchedRequest {
    pub site: Arc<Site>,
    pub head: Arc<RequestHead>,
    pub row: &'static Route,
    /// The path's parameters, decoded.
    pub params: Arc<Vec<(String, String)>>,
}

impl MatchedRequest {
    /// A path parameter, decoded.
    pub fn param(&self, name: &str) -> Option<&str> {
        let mut params = self.params.iter();
        let (_, value) = params.find(|(known, _)| known == name)?;
        Some(value)
    }

    /// The handlers' view of this request with its body.
    pub fn call<'a>(&'a self, body: &'a Body) -> Call<'a> {
        self.call_with(&self.site.app, body)
    }

    /// The same over an `App` that holds a reader for this request.
    pub fn call_with<'a>(&'a self, app: &'a App, body: &'a Body) -> Call<'a> {
        Call { app, method: &self.row.method, params: &self.params, ..self.head.call(&self.site, self.row.path, body) }
    }
}
