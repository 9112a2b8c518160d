//! Warns, once a start, where a proxy speaks for others and is not trusted: then all of them count as one client.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use warp::http::HeaderMap;

/// What proxies say for whom they ask.
const FORWARDED: [&str; 3] = ["x-forwarded-for", "forwarded", "x-real-ip"];

/// Whether somebody was warned.
#[derive(Debug, Default)]
pub struct UntrustedProxy(AtomicBool);

impl UntrustedProxy {
    /// Looks at a request of this peer, whose word counts or not.
    pub fn look(&self, peer: Option<SocketAddr>, headers: &HeaderMap, is_trusted: bool) {
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
            // An address of the internet may be a visitor's, and those are not logged unasked.
            Some(ip) if is_public(ip) => (
                "an address of the internet".to_owned(),
                "its network".to_owned(),
            ),
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
