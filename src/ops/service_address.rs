//! The public address of the service, as commands beside a server know it.

use crate::base::error::Result;
use crate::ops::App;
use crate::store::service_address;

/// Keeps the address of this server.
///
/// # Errors
/// 503 where nothing can be written.
pub fn note(app: &App) -> Result<()> {
    let base_url = app.config.base_url.clone();
    app.store
        .write(move |tx| service_address::set(tx, &base_url))
}
