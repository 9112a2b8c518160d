//! The hop to a thread that may block: for the disk, the writer, a password's hash.

use std::future::Future;

use crate::base::error::{Error, Result};

/// Begins at once, whenever what comes of it is awaited.
///
/// # Errors
/// What `f` fails with; internal when it panics.
pub fn aside<T: Send + 'static>(
    f: impl FnOnce() -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> {
    let hop = tokio::task::spawn_blocking(f);
    async { hop.await.map_err(Error::internal).flatten() }
}
