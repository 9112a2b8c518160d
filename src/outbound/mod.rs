//! Requests to addresses that others chose: what may be connected to (S71), how long it may take and how much is read of
//! the answer (S72), and how it is signed (S73); certificates by ACME; and the backup store that the administrator sets up.
//! No domain.

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
