//! Parsing of headers: the client's address, entity tags, file names.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use warp::http::HeaderMap;

/// Whether a peer is a trusted proxy. A peer on the unix socket counts as one, since its mode restricts access.
pub fn is_trusted(peer: Option<SocketAddr>, trusted: &[IpNet]) -> bool {
    let peer = peer.map(|peer| peer.ip().to_canonical());
    !trusted.is_empty() && peer.is_none_or(|ip| trusted.iter().any(|net| net.contains(&ip)))
}

/// The client's address: the peer's, or the one that trusted proxies forward, read from right to left (S7). `None`
/// for a unix socket without a trusted proxy.
pub fn client(peer: Option<SocketAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> Option<IpAddr> {
    let nearest = peer.map(|peer| peer.ip().to_canonical());
    if !is_trusted(peer, trusted) {
        return nearest;
    }
    let forwarded: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .collect();
    let mut nearest = nearest;
    for hop in forwarded.into_iter().rev() {
        let Ok(ip) = hop.parse::<IpAddr>() else { break };
        nearest = Some(ip.to_canonical());
        if !trusted.iter().any(|net| net.contains(&ip.to_canonical())) {
            break;
        }
    }
    nearest
}

/// The network of an address: IPv4 /24 or IPv6 /64.
pub fn network(client: Option<IpAddr>) -> String {
    let net = match client {
        None => return "local".to_owned(),
        Some(ip @ IpAddr::V4(_)) => IpNet::new(ip, 24),
        Some(ip @ IpAddr::V6(_)) => IpNet::new(ip, 64),
    };
    net.map_or_else(|_| "local".to_owned(), |net| net.trunc().to_string())
}

/// Identifies a client: its IPv4 address or IPv6 /64.
pub fn address(client: Option<IpAddr>) -> String {
    match client {
        Some(IpAddr::V4(ip)) => ip.to_string(),
        other => network(other),
    }
}

/// `Content-Disposition` for a download (RFC 6266): an ASCII name for old clients, and the full name beside it.
pub fn attachment(name: &str) -> String {
    // Characters that are special in file systems, or that change the direction of text.
    let is_unsafe = |c: char| {
        c.is_control()
            || "/\\:*?\"<>|\u{200e}\u{200f}".contains(c)
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    let clean: String = name.chars().map(|c| if is_unsafe(c) { '_' } else { c }).collect();
    let plain: String =
        clean.chars().map(|c| if c.is_ascii_alphanumeric() || " ._-()".contains(c) { c } else { '_' }).collect();
    let whole = utf8_percent_encode(&clean, EXTENDED);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}")
}

/// Any text as part of a header: other characters than visible ASCII and blanks are percent-encoded.
pub fn header_text(text: &str) -> String {
    utf8_percent_encode(text, VISIBLE).to_string()
}

/// Characters that are not allowed in the text of a header, and the percent sign that encodes them.
const VISIBLE: &AsciiSet = &CONTROLS.add(b'%');

/// The characters that RFC 5987 requires to be encoded in an extended value, and a few more.
const EXTENDED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// The tags of `If-Match`, without weak ones, which never match there. `None` if the text is not a list of tags.
pub fn strong_tags(text: &str) -> Option<Vec<String>> {
    Some(tags(text)?.into_iter().filter(|(weak, _)| !weak).map(|(_, tag)| tag).collect())
}

/// Whether `If-None-Match` contains the tag, by weak comparison.
pub fn names_tag(text: &str, tag: &str) -> bool {
    text.trim() == "*" || tags(text).is_some_and(|tags| tags.iter().any(|(_, own)| own == tag))
}

fn tags(text: &str) -> Option<Vec<(bool, String)>> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let weak = rest.starts_with("W/");
        let quoted = rest.strip_prefix("W/").unwrap_or(rest).strip_prefix('"')?;
        let (tag, after) = quoted.split_once('"')?;
        out.push((weak, tag.to_owned()));
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_tags() {
        assert_eq!(strong_tags("\"a\", W/\"b\",\"c,d\""), Some(vec!["a".into(), "c,d".into()]));
        assert_eq!(strong_tags("a"), None);
        assert!(names_tag("W/\"a\"", "a") && names_tag("*", "a") && !names_tag("\"b\"", "a"));
    }

    #[test]
    fn forwarding_counts_from_trusted_peers_alone() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "1.1.1.1, 2.2.2.2, 10.0.0.9".parse().expect("header"));
        let trusted = ["10.0.0.0/8".parse().expect("net")];
        let ip = |text: &str| text.parse::<IpAddr>().ok();
        let peer = |text: &str| text.parse::<SocketAddr>().ok();
        assert_eq!(client(peer("10.0.0.1:1"), &headers, &trusted), ip("2.2.2.2"));
        assert_eq!(client(peer("9.9.9.9:1"), &headers, &trusted), ip("9.9.9.9"));
        assert_eq!(client(peer("10.0.0.1:1"), &headers, &[]), ip("10.0.0.1"));
        assert_eq!(network(ip("192.0.2.77")), "192.0.2.0/24");
        assert_eq!(network(ip("2001:db8::1")), "2001:db8::/64");
        assert_eq!(network(ip("::ffff:192.0.2.77").map(|ip| ip.to_canonical())), "192.0.2.0/24");
    }
}
