//! The access log: one line per request, written when its answer was sent or the client disconnected. It contains the
//! route's pattern, since paths and queries may hold tokens (S58, S77), and the client's address only if configured
//! (S88).

use std::net::IpAddr;

use warp::http::Method;
use warp::reply::Response;

use crate::base::clock::{self, Time};
use crate::base::config::AccessLog;

/// The pattern of requests without a route.
pub const NO_ROUTE: &str = "-";

/// The data of one line. It travels with the response as an extension.
#[derive(Clone, Debug)]
pub struct LogEntry {
    pub log: AccessLog,
    /// As in `X-Request-Id`.
    pub id: String,
    pub method: Method,
    /// The route's pattern.
    pub route: &'static str,
    pub status: u16,
    /// `None` for a unix socket.
    pub client: Option<IpAddr>,
    /// When the request arrived.
    pub begun: Time,
}

/// Counts the bytes sent of an answer, and writes the line on drop.
#[derive(Debug, Default)]
pub struct ResponseLog {
    entry: Option<LogEntry>,
    bytes: u64,
}

impl ResponseLog {
    /// A response without an entry is not logged.
    pub fn of(response: &mut Response) -> Self {
        Self { entry: response.extensions_mut().remove(), bytes: 0 }
    }

    pub fn count(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }
}

impl Drop for ResponseLog {
    fn drop(&mut self) {
        let Some(entry) = self.entry.take() else {
            return;
        };
        let ms = clock::now().millis() - entry.begun.millis();
        let address = entry.client.map_or("unix".to_owned(), |ip| ip.to_string());
        let LogEntry { id, method, route, status, .. } = &entry;
        let bytes = self.bytes;
        match entry.log {
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
