//! Thread priority.

/// A tenth of the CPU share of a thread at 0.
const NICENESS: i32 = 10;

/// Lowers the priority of the calling thread. On Linux, niceness is per thread.
pub fn lower() {
    // If it is refused, background work only competes more with requests.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}
