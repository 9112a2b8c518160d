//! Shared by all layers: errors, paths, ids, the clock, secrets. No domain, and no IO except the clock.

pub mod backup_fault;
pub mod backup_target;
pub mod bounded_map;
#[cfg(test)]
pub mod cases;
pub mod clock;
pub mod colour;
pub mod config;
pub mod error;
pub mod id;
pub mod issue;
pub mod json;
pub mod jwt;
pub mod listen_on;
pub mod metrics;
pub mod named;
pub mod packed;
pub mod panics;
pub mod priority;
pub mod rate;
pub mod reader;
pub mod reason;
pub mod secret;
pub mod served_certificate;
pub mod text;
pub mod totp;
pub mod validity;
