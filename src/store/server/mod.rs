//! The server itself: its addresses, and what it keeps of ACME.

pub mod acme_files;
pub mod service_address;
