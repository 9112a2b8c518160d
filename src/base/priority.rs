//! How much of the processor a thread gets where others want it.

/// As `nice` counts: a tenth of the share of a thread at 0.
const NICENESS: i32 = 10;

/// Leaves the processor to other threads while they want it. On Linux that is the calling thread alone.
pub fn give_way() {
    // Refused, it stays what it was: that is slower for others, and wrong for nobody.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}
