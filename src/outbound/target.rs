//! The address of a receiver: the rules for its URL (S71), and its parts as a request needs them.

use std::fmt;

use url::{Host, ParseError, Url};

/// The longest URL, in characters.
pub const LONGEST_URL: usize = 2048;
/// Lower ports belong to other services, except those of HTTP and HTTPS.
const FIRST_FREE_PORT: u16 = 1024;
const WEB_PORTS: [u16; 2] = [80, 443];

/// Why requests can't go to a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadUrl {
    TooLong,
    Characters,
    Scheme,
    UserInfo,
    Host,
    Port,
}

impl fmt::Display for BadUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => return write!(f, "must be at most {LONGEST_URL} characters long"),
            Self::Characters => "must not contain spaces, control characters or backslashes",
            Self::Scheme => "must begin with http:// or https://",
            Self::UserInfo => "must not contain a user name or a password",
            Self::Host => "must have a valid host, such as example.com",
            Self::Port => "must have port 80, 443 or one from 1024 to 65535",
        })
    }
}

/// Target of a request.
#[derive(Clone, Debug)]
pub struct RequestTarget {
    pub(in crate::outbound) is_tls: bool,
    pub(in crate::outbound) host: Host,
    pub(in crate::outbound) port: u16,
    /// The `Host` header.
    pub(in crate::outbound) authority: String,
    /// Path and query.
    pub(in crate::outbound) path: String,
}

impl RequestTarget {
    /// # Errors
    /// Why requests can't go there.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        // Characters that parsers treat differently, or drop.
        let is_strange = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
        if text.chars().count() > LONGEST_URL {
            return Err(BadUrl::TooLong);
        }
        if text.contains(is_strange) {
            return Err(BadUrl::Characters);
        }
        let (scheme, rest) = text.split_once("://").ok_or(BadUrl::Scheme)?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(BadUrl::Scheme),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.is_empty() {
            return Err(BadUrl::Host);
        }
        // `https://@host/` has user info too, an empty one.
        if authority.contains('@') {
            return Err(BadUrl::UserInfo);
        }
        let url = Url::parse(text).map_err(|fault| match fault {
            ParseError::InvalidPort => BadUrl::Port,
            _ => BadUrl::Host,
        })?;
        let host = url.host().ok_or(BadUrl::Host)?.to_owned();
        let port = url.port_or_known_default().ok_or(BadUrl::Port)?;
        if !WEB_PORTS.contains(&port) && port < FIRST_FREE_PORT {
            return Err(BadUrl::Port);
        }
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        let query = url.query().map(|query| format!("?{query}"));
        Ok(Self { is_tls, host, port, authority, path: format!("{}{}", url.path(), query.unwrap_or_default()) })
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
            ("https://example.com:8443/ä%20b", "example.com:8443", 8443, "/%C3%A4%20b"),
            ("http://例子.中国:1024/", "xn--fsqu00a.xn--fiqs8s:1024", 1024, "/"),
            ("http://[::1]:65535/", "[::1]:65535", 65535, "/"),
            ("http://0x7f.1/", "127.0.0.1", 80, "/"),
            ("https://example.com./@x?@", "example.com.", 443, "/@x?@"),
        ] {
            let target = RequestTarget::parse(url).expect(url);
            assert_eq!(target.authority, authority);
            assert_eq!((target.port, target.path.as_str()), (port, path), "{authority}");
        }
    }

    #[test]
    fn where_they_can_not() {
        let long = format!("https://example.com/{}", "a".repeat(2029));
        for (url, fault) in [
            ("", BadUrl::Scheme),
            ("example.com", BadUrl::Scheme),
            ("//example.com", BadUrl::Scheme),
            ("ftp://example.com/", BadUrl::Scheme),
            ("file:///etc/passwd", BadUrl::Scheme),
            ("gopher://example.com/", BadUrl::Scheme),
            ("unix:/run/x.sock", BadUrl::Scheme),
            ("http://", BadUrl::Host),
            ("http:///", BadUrl::Host),
            ("https://ann@example.com/", BadUrl::UserInfo),
            ("https://ann:secret@example.com/", BadUrl::UserInfo),
            ("https://:secret@example.com/", BadUrl::UserInfo),
            ("https://@example.com/", BadUrl::UserInfo),
            ("https://example.com:22/", BadUrl::Port),
            ("https://example.com:25/", BadUrl::Port),
            ("https://example.com:0/", BadUrl::Port),
            ("https://example.com:1023/", BadUrl::Port),
            ("https://example.com:65536/", BadUrl::Port),
            ("https://256.1.1.1/", BadUrl::Host),
            ("https://exa mple.com/", BadUrl::Characters),
            ("http", BadUrl::Scheme),
            ("http:///example.com", BadUrl::Host),
            ("http:example.com", BadUrl::Scheme),
            ("javascript:alert(1)", BadUrl::Scheme),
            ("http://:@example.com", BadUrl::UserInfo),
            ("http://:8080/", BadUrl::Host),
            ("http://example.com:x", BadUrl::Port),
            ("http://[::1", BadUrl::Host),
            (" http://example.com", BadUrl::Characters),
            ("http://example.com\n", BadUrl::Characters),
            ("http:\\\\example.com", BadUrl::Characters),
            ("http://example.com\\@other.example", BadUrl::Characters),
            (&long, BadUrl::TooLong),
        ] {
            assert_eq!(RequestTarget::parse(url).err(), Some(fault), "{url}");
        }
        assert!(RequestTarget::parse(&long[..2048]).is_ok());
    }
}
