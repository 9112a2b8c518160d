//! Warns once per start if an untrusted proxy forwards requests: all of its clients then count as one.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use warp::http::HeaderMap;

/// Headers by which proxies name the client.
const FORWARDED: [&str; 3] = ["x-forwarded-for", "forwarded", "x-real-ip"];

/// Whether the warning was logged.
#[derive(Debug, Default)]
pub struct UntrustedProxy(AtomicBool);

impl UntrustedProxy {
    /// Checks the headers of a request that came from `peer`.
    pub fn check(&self, peer: Option<SocketAddr>, headers: &HeaderMap, is_trusted: bool) {
        if is_trusted || self.0.load(Ordering::Relaxed) {
            return;
        }
        let Some(header) = FORWARDED.iter().find(|name| headers.contains_key(**name)) else {
            return;
        };
        if self.0.swap(true, Ordering::Relaxed) {
            return;
        }
        let (sender, advice) = match peer.map(|peer| peer.ip().to_canonical()) {
            None => ("the unix socket".to_owned(), "127.0.0.1".to_owned()),
            // A public address may be a visitor's, and those are logged only if configured.
            Some(ip) if is_public(ip) => ("an address of the internet".to_owned(), "its network".to_owned()),
            Some(ip) => (ip.to_string(), ip.to_string()),
        };
        tracing::warn!(
            "a request came from {sender} with the header {header}, which is not heeded: if a proxy of yours sent \
             it, all its visitors share one rate limit: name {advice} with --trusted-proxies"
        );
    }
}

fn is_public(ip: IpAddr) -> bool {
    let is_local = match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    };
    !is_local
}
