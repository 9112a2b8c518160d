//! Work on tokio's blocking pool: disk reads, waiting for the writer, password hashes.

use std::future::Future;

use crate::base::error::{Error, Result};

/// Runs `f` on a blocking thread. It starts at once, before the future is polled.
pub fn spawn_blocking<T: Send + 'static>(
    f: impl FnOnce() -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> {
    let hop = tokio::task::spawn_blocking(f);
    async { hop.await.map_err(Error::internal).flatten() }
}
