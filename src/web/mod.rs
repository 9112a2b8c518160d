//! HTTP: the accept loop. No rule of the domain.

pub mod body;
pub mod caps;
pub mod conn;
pub mod gate;
pub mod listen;
pub mod rlimit;
pub mod socket;
pub mod tls;
