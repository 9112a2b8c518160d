//! Grants: listed for their users, and ended by them or by the application (S35).

use crate::base::error::{Error, Noun, Result};
use crate::base::secret;
use crate::model::audit::Action;
use crate::model::oauth::{Client, ConnectedApp};
use crate::model::user::{User, UserId};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::oauth::access;
use crate::store::db::tx::Tx;
use crate::store::oauth::{codes, grants};

/// The current grants of a user, newest first.
pub fn list(app: &App, user: &User) -> Result<Vec<ConnectedApp>> {
    app.store.read(|tx| grants::of_user(tx, user.id))
}

/// Ends a grant of a user at once, with all its tokens.
///
/// # Errors
/// 404 if the user has no such grant.
pub fn end(app: &App, user: &User, grant: &str) -> Result<()> {
    let (user, grant) = (user.clone(), grant.to_owned());
    let ended = app.store.write(move |tx| {
        let ended = grants::end_of_user(tx, user.id, &grant)?;
        if ended {
            audit::note(tx, By::person(&user), Action::AppEnded, &grant)?;
        }
        Ok(ended)
    })?;
    if ended { Ok(()) } else { Err(Error::NotFound(Noun::Grant)) }
}

/// Ends all grants and deletes all pending codes of a removed user.
pub(in crate::ops) fn end_all(tx: &Tx, user: UserId) -> Result<()> {
    grants::end_all(tx, user)?;
    codes::forget_all(tx, user)
}

/// Ends a grant by any of its tokens, including old ones (RFC 7009). A token that is unknown or another client's is
/// silently ignored.
pub fn revoke(app: &App, client: &Client, token: &str) -> Result<()> {
    let named = access::grant_of(app, token)?;
    let (hash, client) = (secret::hash(token), client.id);
    app.store.write(move |tx| {
        let found = match &named {
            Some(named) => grants::by_token(tx, named)?,
            None => grants::refresh_token(tx, &hash)?.map(|found| found.grant),
        };
        if let Some(grant) = found.filter(|grant| grant.client == client) {
            grants::end(tx, grant.id)?;
        }
        Ok(())
    })
}
