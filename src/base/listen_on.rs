//! Listen addresses as the command line and the configuration name them. Plain data: nothing is opened here.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

/// The longest path that fits into the address of a Unix socket.
const LONGEST_SOCKET_PATH: usize = 107;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenOn {
    /// An address and port; port 0 lets the system choose one.
    Tcp(SocketAddr),
    /// A unix socket.
    Unix(PathBuf),
}

/// The files of a TLS certificate, both in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by its chain.
    pub cert: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
}

/// Why a text is no listen address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ListenOnError {
    /// Neither of the two forms.
    #[error("must be IP:PORT, such as 127.0.0.1:8080 or [::1]:8080, or unix:PATH")]
    Form,
    /// It does not fit into the kernel's address structure.
    #[error("must be a socket path of at most {LONGEST_SOCKET_PATH} bytes")]
    PathTooLong,
}

impl FromStr for ListenOn {
    type Err = ListenOnError;

    fn from_str(text: &str) -> Result<ListenOn, ListenOnError> {
        match text.strip_prefix("unix:") {
            Some("") => Err(ListenOnError::Form),
            Some(path) if path.contains('\0') => Err(ListenOnError::Form),
            Some(path) if path.len() > LONGEST_SOCKET_PATH => Err(ListenOnError::PathTooLong),
            Some(path) => Ok(ListenOn::Unix(PathBuf::from(path))),
            None => text.parse().map(ListenOn::Tcp).map_err(|_| ListenOnError::Form),
        }
    }
}

impl fmt::Display for ListenOn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenOn::Tcp(address) => write!(out, "{address}"),
            ListenOn::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_written_alike() {
        for text in ["127.0.0.1:8080", "0.0.0.0:0", "[::1]:443", "unix:/run/formsvc/http.sock", "unix:x"] {
            let on: ListenOn = text.parse().expect("a place to listen on");
            assert_eq!(on.to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "8080", ":8080", "localhost:8080", "127.0.0.1", "::1:80:x", "127.0.0.1:65536", "unix:", "unix:a\0b"]
        {
            assert_eq!(text.parse::<ListenOn>(), Err(ListenOnError::Form), "{text:?}");
        }
        let long = format!("unix:/{}", "x".repeat(LONGEST_SOCKET_PATH));
        assert_eq!(long.parse::<ListenOn>(), Err(ListenOnError::PathTooLong));
    }
}
