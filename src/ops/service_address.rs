//! The public base URL of the service, stored for commands that run beside the server.

use crate::base::error::Result;
use crate::ops::App;
use crate::store::service_address;

/// Stores the base URL of this server.
pub fn note(app: &App) -> Result<()> {
    let base_url = app.config.base_url.clone();
    app.store.write(move |tx| service_address::set(tx, &base_url))
}
