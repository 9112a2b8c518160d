//! The address of a receiver: what a URL has to be (S71), and its parts as a request needs them.

use url::{Host, Url};

/// The longest URL, in characters.
pub const LONGEST_URL: usize = 2048;
/// Ports below belong to other services; of them only these two are those of the web.
const FIRST_FREE_PORT: u16 = 1024;
const WEB_PORTS: [u16; 2] = [80, 443];

/// Where a request goes.
#[derive(Clone, Debug)]
pub struct Target {
    pub(in crate::outbound) is_tls: bool,
    pub(in crate::outbound) host: Host,
    pub(in crate::outbound) port: u16,
    /// The `Host` header.
    pub(in crate::outbound) authority: String,
    /// Path and query.
    pub(in crate::outbound) path: String,
}

impl Target {
    /// `None` if requests can't go there: no http or https, no host, user info, a port of another service, or too long.
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        // What parsers take in different ways, or drop.
        let is_strange = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
        let authority = rest.split(['/', '?', '#']).next()?;
        if authority.is_empty()
            // `https://@host/` has user info too, an empty one.
            || authority.contains('@')
            || text.contains(is_strange)
            || text.chars().count() > LONGEST_URL
        {
            return None;
        }
        let url = Url::parse(text).ok()?;
        let host = url.host()?.to_owned();
        let port = url.port_or_known_default()?;
        if !WEB_PORTS.contains(&port) && port < FIRST_FREE_PORT {
            return None;
        }
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        let query = url.query().map(|query| format!("?{query}"));
        Some(Self {
            is_tls,
            host,
            port,
            authority,
            path: format!("{}{}", url.path(), query.unwrap_or_default()),
        })
    }

    /// The host, which all addresses of one receiver share.
    pub fn host(&self) -> String {
        self.host.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_requests_can_go() {
        for (url, authority, port, path) in [
            ("http://example.com", "example.com", 80, "/"),
            ("https://example.com/a?b=c#d", "example.com", 443, "/a?b=c"),
            ("HTTPS://EXAMPLE.com:443/", "example.com", 443, "/"),
            ("http://example.com:443/", "example.com:443", 443, "/"),
            (
                "https://example.com:8443/ä%20b",
                "example.com:8443",
                8443,
                "/%C3%A4%20b",
            ),
            (
                "http://例子.中国:1024/",
                "xn--fsqu00a.xn--fiqs8s:1024",
                1024,
                "/",
            ),
            ("http://[::1]:65535/", "[::1]:65535", 65535, "/"),
            ("http://0x7f.1/", "127.0.0.1", 80, "/"),
            ("https://example.com./@x?@", "example.com.", 443, "/@x?@"),
        ] {
            let target = Target::parse(url).expect(url);
            assert_eq!(target.authority, authority);
            assert_eq!(
                (target.port, target.path.as_str()),
                (port, path),
                "{authority}"
            );
        }
    }

    #[test]
    fn where_they_can_not() {
        let long = format!("https://example.com/{}", "a".repeat(2029));
        for url in [
            "",
            "example.com",
            "//example.com",
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "unix:/run/x.sock",
            "http://",
            "http:///",
            "https://ann@example.com/",
            "https://ann:secret@example.com/",
            "https://:secret@example.com/",
            "https://@example.com/",
            "https://example.com:22/",
            "https://example.com:25/",
            "https://example.com:0/",
            "https://example.com:1023/",
            "https://example.com:65536/",
            "https://256.1.1.1/",
            "https://exa mple.com/",
            "http",
            "http:///example.com",
            "http:example.com",
            "javascript:alert(1)",
            "http://:@example.com",
            "http://example.com:x",
            "http://[::1",
            " http://example.com",
            "http://example.com\n",
            "http:\\\\example.com",
            "http://example.com\\@other.example",
            &long,
        ] {
            assert!(Target::parse(url).is_none(), "{url}");
        }
        assert!(Target::parse(&long[..2048]).is_some());
    }
}
