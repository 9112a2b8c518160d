//! The server itself: its addresses, and what it keeps of ACME.

pub mod acme_files;
pub mod example_past;
pub mod service_address;
