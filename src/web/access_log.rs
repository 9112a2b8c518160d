//! The access log: a line for each request, written when its answer has been sent or its client has gone. It names
//! the route's pattern, since paths and queries may hold tokens (S58, S77), and the client's address only where that
//! is asked for (S88).

use std::net::IpAddr;

use warp::http::Method;
use warp::reply::Response;

use crate::base::clock::{self, Time};
use crate::base::config::AccessLog;

/// What stands for a pattern where no route was found.
pub const NO_ROUTE: &str = "-";

/// What is known of a request when it is answered. It travels with the response to where that is sent.
#[derive(Clone, Debug)]
pub struct Line {
    /// What is logged.
    pub log: AccessLog,
    /// The request's id, as `X-Request-Id` says it.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The route's pattern.
    pub route: &'static str,
    /// The answer's status.
    pub status: u16,
    /// Who asked; none is the unix socket.
    pub client: Option<IpAddr>,
    /// When the request came.
    pub begun: Time,
}

/// Counts what is sent of an answer, and writes the line when it is dropped.
#[derive(Debug, Default)]
pub struct Sending {
    line: Option<Line>,
    bytes: u64,
}

impl Sending {
    /// Of this response; of one that says nothing of its request, no line is written.
    pub fn of(response: &mut Response) -> Self {
        Self {
            line: response.extensions_mut().remove(),
            bytes: 0,
        }
    }

    /// So much more of the body was handed on.
    pub fn count(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        let Some(line) = self.line.take() else { return };
        let ms = clock::now().millis() - line.begun.millis();
        let address = line.client.map_or("unix".to_owned(), |ip| ip.to_string());
        let Line {
            id,
            method,
            route,
            status,
            ..
        } = &line;
        let bytes = self.bytes;
        match line.log {
            AccessLog::Off => {
                tracing::debug!(target: "access", %id, %method, route, status, ms, bytes, "request");
            }
            AccessLog::On => {
                tracing::info!(target: "access", %id, %method, route, status, ms, bytes, "request");
            }
            AccessLog::Address => {
                tracing::info!(target: "access", %id, %method, route, status, ms, bytes, address, "request");
            }
        }
    }
}
