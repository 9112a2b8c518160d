//! The addresses of a server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use crate::base::config::Tls;
use crate::base::listen_on::ListenOn;
use crate::base::secret::Secret;
use crate::http::conn::Transport;
use crate::ops::server::service_address::Listening;

/// The default public address: the first one that the server listens on.
pub fn base_url(urls: &[String]) -> String {
    let first = urls.iter().find(|url| !url.starts_with("unix:"));
    let Some(url) = first else {
        tracing::warn!("nobody can follow links to this service: name its address with --base-url");
        return "http://localhost".to_owned();
    };
    let (scheme, address) = url.split_once("://").unwrap_or(("http", url));
    match address.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_unspecified() => {
            tracing::warn!("links lead only to this machine: name the service's address with --base-url");
            format!("{scheme}://{}", reachable(address))
        }
        _ => url.clone(),
    }
}

/// The address for a client on this machine: loopback in place of an unspecified address.
pub fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// The address of a server with these settings, for commands run beside it.
pub fn address_of(transport: &Transport) -> String {
    let scheme = if transport.tls.is_some() { "https" } else { "http" };
    let urls: Vec<String> = transport
        .listen
        .iter()
        .filter_map(|on| match on {
            ListenOn::Tcp(address) => Some(format!("{scheme}://{}", reachable(*address))),
            ListenOn::Unix(_) => None,
        })
        .collect();
    urls.into_iter().next().unwrap_or_else(|| "http://localhost".to_owned())
}

/// The address and settings that the health check needs to call this server. Paths are made absolute, since it may run
/// elsewhere.
pub fn listening(urls: &[String], tls: &Tls) -> Option<Listening> {
    let absolute = |path: &Path| std::path::absolute(path).ok().map(|path| path.display().to_string());
    let first = urls.first()?;
    let address = match first.strip_prefix("unix:") {
        Some(path) => format!("unix:{}", absolute(Path::new(path))?),
        None => first.clone(),
    };
    let certificate = match tls {
        Tls::Files(files) => absolute(&files.cert),
        Tls::Acme(_) | Tls::Off => None,
    };
    Some(Listening { address, certificate })
}

/// The address where people sign in.
pub fn sign_in(base_url: &str) -> String {
    format!("{base_url}/sign-in")
}

/// The address of a set-up link.
pub fn setup(base_url: &str, link: &Secret) -> String {
    format!("{base_url}/setup/{}", link.reveal())
}
