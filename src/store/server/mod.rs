//! The server itself: its addresses, and its ACME files.

pub mod acme_files;
pub mod example_past;
pub mod service_address;
