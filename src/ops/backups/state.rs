//! In-memory state of backups.

use crate::ops::backups::pause::BackupPause;

/// Of backups, between runs of their job.
#[derive(Default)]
pub struct BackupState {
    /// After a scheduled backup that failed.
    pub(in crate::ops) pause: BackupPause,
}
