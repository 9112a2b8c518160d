//! Free disk space: some of it is kept, whatever is sent.

use crate::base::config::MB;
use crate::base::error::{Error, Result};
use crate::ops::app::App;

const WAIT_SECS: u64 = 60;
/// 2% of a disk stay free.
const FLOOR_PART: u64 = 50;

/// Checks that there is room on the disk.
///
/// # Errors
/// 503.
pub fn check(app: &App) -> Result<()> {
    let room = app.store.blobs().disk_space()?;
    if room.free < floor(app.config.min_free_mb, room.total) {
        return Err(too_little());
    }
    Ok(())
}

/// The free bytes above the limit.
pub fn spare(app: &App) -> Result<u64> {
    let room = app.store.blobs().disk_space()?;
    Ok(room.free.saturating_sub(floor(app.config.min_free_mb, room.total)))
}

/// The error without room.
pub fn too_little() -> Error {
    Error::Busy("there is too little free space on the disk", WAIT_SECS)
}

/// The bytes of a disk that must stay free: the configured amount, or a share of the disk if larger; 0 turns the limit
/// off.
pub fn floor(min_free_mb: u64, total: u64) -> u64 {
    match min_free_mb {
        0 => 0,
        mb => mb.saturating_mul(MB).max(total / FLOOR_PART),
    }
}
