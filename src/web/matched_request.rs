//! A request that was matched, without its body: what the task it arrived on shares with threads that may block.

use std::net::IpAddr;
use std::sync::Arc;

use warp::http::{HeaderMap, Method};

use crate::base::clock::Time;
use crate::ops::App;
use crate::web::call::{Body, Call};
use crate::web::net;
use crate::web::route::Route;
use crate::web::site::Site;

/// What came before the body.
pub struct Head {
    /// The method.
    pub method: Method,
    /// The path as it came, below the base address.
    pub path: String,
    /// The query, not decoded; empty when there is none.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// Who asks, after trusted proxies; none on a unix socket without them.
    pub client: Option<IpAddr>,
    /// In the answer and the log.
    pub id: String,
    /// When the request came.
    pub now: Time,
}

impl Head {
    /// Whom memory is counted for; none for this machine itself, which may stand for anybody.
    pub fn address(&self) -> Option<String> {
        let is_local = self.client.is_none_or(|client| client.is_loopback());
        (!is_local).then(|| net::address(self.client))
    }

    /// As handlers see it, where no row answers or the row has failed.
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

/// A request and the row that answers it. A copy shares all of it.
#[derive(Clone)]
pub struct MatchedRequest {
    /// What all requests share.
    pub site: Arc<Site>,
    /// What came before the body.
    pub head: Arc<Head>,
    /// The row.
    pub row: &'static Route,
    /// The parameters of the path, decoded.
    pub params: Arc<Vec<(String, String)>>,
}

impl MatchedRequest {
    /// A parameter of the path, decoded.
    pub fn param(&self, name: &str) -> Option<&str> {
        let mut params = self.params.iter();
        let (_, value) = params.find(|(known, _)| known == name)?;
        Some(value)
    }

    /// As handlers see it, with this body; each read waits for a reader.
    pub fn call<'a>(&'a self, body: &'a Body) -> Call<'a> {
        self.call_with(&self.site.app, body)
    }

    /// As handlers see it, with this body and what they read with.
    pub fn call_with<'a>(&'a self, app: &'a App, body: &'a Body) -> Call<'a> {
        Call {
            app,
            method: &self.row.method,
            params: &self.params,
            ..self.head.call(&self.site, self.row.path, body)
        }
    }
}
