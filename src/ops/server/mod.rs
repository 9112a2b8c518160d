//! The server itself: its addresses and certificate, its metrics, the room on its disk, an example to look at.

pub mod acme;
pub mod demo;
pub(in crate::ops) mod disk_space;
pub mod metrics;
pub mod service_address;
pub mod state;
