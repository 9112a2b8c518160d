//! The one-time link that makes the first account (S22).

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::secret::{self, Secret};
use crate::ops::App;
use crate::store::{setup_links, users};

const VALID_SECS: i64 = 30 * 60;

/// A new link's secret, of which only a hash is kept; an older link ends. None once there is a user.
///
/// # Errors
/// Internal.
pub fn new_link(app: &App) -> Result<Option<(Secret, Time)>> {
    let link = secret::random_text();
    let hash = secret::hash(link.reveal());
    let made = app.store.write(move |tx| {
        if users::exist(tx)? {
            return Ok(None);
        }
        let expires_at = tx.now.plus_secs(VALID_SECS);
        setup_links::replace(tx, &hash, expires_at)?;
        Ok(Some(expires_at))
    })?;
    Ok(made.map(|expires_at| (link, expires_at)))
}
