//! An HTTP server that knows no form: it listens, accepts connections within limits, encrypts them, reads requests
//! and bodies within time and memory, and answers in streams. `web` is the filter that it serves.

pub mod access_log;
pub mod blocking;
pub mod body;
pub mod budget;
pub mod caps;
pub mod conn;
pub mod gate;
pub mod listen;
pub mod multipart;
pub mod net;
pub mod rlimit;
pub mod socket;
pub mod stream;
pub mod tls;
pub mod transfer_buffer;
