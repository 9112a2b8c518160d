//! The server's command, and its use of the process it runs in.

pub(in crate::cli) mod activation;
pub(in crate::cli) mod addresses;
pub(in crate::cli) mod demo;
pub(in crate::cli) mod health;
pub(in crate::cli) mod log;
pub(in crate::cli) mod notify;
pub(in crate::cli) mod process;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod tls;
