//! Shared by all layers: errors, paths, ids, the clock, secrets. No domain, and no IO except the clock.

pub mod backup_fault;
pub mod backup_target;
pub mod bounded_map;
#[cfg(test)]
pub mod cases;
pub mod clock;
pub mod config;
pub mod digits;
pub mod error;
pub mod figures;
pub mod id;
pub mod identity;
pub mod issue;
pub mod json;
pub mod json_list;
pub mod jwt;
pub mod listen_on;
pub mod named;
pub mod packed;
pub mod panics;
pub mod patch;
pub mod priority;
pub mod rate;
pub mod reader;
pub mod reason;
pub mod schema_builder;
pub mod secret;
pub mod served_certificate;
pub mod text;
pub mod texts;
pub mod totp;
pub mod unknown_members;
pub mod validity;
