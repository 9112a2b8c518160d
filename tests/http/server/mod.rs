//! The HTTP server that knows no form: connections, TLS, heads, floods, base paths, logs and metrics.

pub mod access_log;
pub mod acme;
pub mod addresses;
pub mod base_path;
pub mod busy;
pub mod floods;
pub mod headers;
pub mod metrics;
pub mod stop;
pub mod supervisor;
pub mod tls;
pub mod transport;
