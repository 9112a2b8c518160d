//! Personal access tokens: who calls with one.

use crate::base::error::{Error, Result};
use crate::base::{clock, secret};
use crate::model::caller::{Caller, Credential};
use crate::ops::App;
use crate::store::tokens;

/// The caller of a bearer token. Expiry, revocation and a disabled user count at once: nothing of it
/// is remembered between requests.
///
/// # Errors
/// 401.
pub fn authenticate(app: &App, token: &str) -> Result<Caller> {
    let refused = Error::Unauthenticated { sent: true };
    if !secret::is_personal_token(token) {
        return Err(refused);
    }
    let hash = secret::hash(token);
    let found = app.store.read(|tx| tokens::by_hash(tx, &hash))?;
    let now = clock::now();
    match found {
        Some((row, user))
            if row.revoked_at.is_none()
                && user.disabled_at.is_none()
                && row.expires_at.is_none_or(|end| now < end) =>
        {
            Ok(Caller {
                user,
                credential: Credential::PersonalToken(row.id),
                scopes: row.scopes,
            })
        }
        _ => Err(refused),
    }
}
