//! The OAuth provider: clients, authorization codes, grants and signing keys.

pub mod clients;
pub mod codes;
pub mod grants;
pub mod signing_keys;
