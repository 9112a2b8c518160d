//! In-memory state of files.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use crate::ops::files::upload_quota::Incoming;

/// Of files, between requests.
#[derive(Default)]
pub struct FileState {
    /// Uploads whose files are being received.
    pub(in crate::ops) coming: Arc<Mutex<HashSet<String>>>,
    /// Files in form posts that are being received.
    pub(in crate::ops) upload_quota: Incoming,
}
