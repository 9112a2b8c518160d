//! The addresses of the service, stored for commands that run beside the server.

use crate::base::error::Result;
use crate::ops::app::App;
use crate::store::server::service_address;

pub use crate::store::server::service_address::Listening;

/// Stores the base URL of this server, and where it listens.
pub fn note(app: &App, listening: Option<Listening>) -> Result<()> {
    let base_url = app.config.base_url.clone();
    app.store.write(move |tx| {
        service_address::set(tx, &base_url)?;
        listening.map_or(Ok(()), |listening| service_address::set_listening(tx, &listening))
    })
}

/// Where the last server on this data dir listened.
pub fn last(app: &App) -> Result<Option<Listening>> {
    app.store.read(service_address::listening)
}
