//! Requests to addresses that others chose: permitted targets (S71), limits on time and on the size of answers (S72),
//! and signatures (S73); certificates by ACME; and the backup store that the administrator sets up. No domain.

pub mod acme;
pub mod addresses;
pub mod bucket;
mod bucket_http;
pub mod client;
pub mod request_slots;
pub mod signature;
mod stream;
pub mod target;
pub mod trust;
