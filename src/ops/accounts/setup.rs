//! The one-time link that creates the first account (S22).

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::secret::{self, Secret};
use crate::base::text::identity;
use crate::model::audit::Action;
use crate::model::user_agent::UserAgent;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::sign_in::{self, SignedIn};
use crate::ops::accounts::tokens;
use crate::ops::accounts::users::{self, NewAccount};
use crate::ops::app::App;
use crate::store;
use crate::store::accounts::{sessions, setup_links};

const VALID_SECS: i64 = 30 * 60;

/// Creates a set-up link and returns its secret, of which only a hash is stored. An older link ends. `None` if there is
/// a user already.
pub fn new_link(app: &App) -> Result<Option<(Secret, Time)>> {
    let link = secret::random_text();
    let hash = secret::hash(link.reveal());
    let expires_at = app.store.write(move |tx| {
        if store::accounts::users::exist(tx)? {
            return Ok(None);
        }
        let expires_at = tx.now.plus_secs(VALID_SECS);
        setup_links::replace(tx, &hash, expires_at)?;
        Ok(Some(expires_at))
    })?;
    Ok(expires_at.map(|expires_at| (link, expires_at)))
}

/// Whether no account exists yet.
pub fn is_needed(app: &App) -> Result<bool> {
    app.store.read(|tx| Ok(!store::accounts::users::exist(tx)?))
}

/// Whether a link works. Checking does not use it up.
pub fn is_live(app: &App, link: &str) -> Result<bool> {
    let hash = secret::hash(link);
    app.store.read(|tx| Ok(setup_links::is_live(tx, &hash)? && !store::accounts::users::exist(tx)?))
}

/// The result of setting up the service.
pub struct FirstAccount {
    /// The first account, signed in.
    pub signed_in: SignedIn,
    /// Its first access token, with all scopes, shown once.
    pub token: Secret,
}

/// Uses a link: creates the first account, signs it in and gives it an access token. Of two concurrent requests, one
/// finds the link used.
///
/// # Errors
/// 404 if the link does not work, 422, 503.
pub fn use_link(
    app: &App,
    link: &str,
    account: NewAccount,
    token_name: &str,
    agent: UserAgent,
) -> Result<FirstAccount> {
    // Checked before the password is hashed, which is expensive.
    if !is_live(app, link)? {
        return Err(Error::NotFound(Noun::Page));
    }
    let prepared = users::prepare(app, account)?;
    let session = secret::random_text();
    let session_hash = secret::hash(session.reveal());
    let link = secret::hash(link);
    let token_name = token_name.to_owned();
    let (user, token) = app.store.write(move |tx| {
        if !setup_links::is_live(tx, &link)? || store::accounts::users::exist(tx)? {
            return Err(Error::NotFound(Noun::Page));
        }
        let user = prepared.insert(tx)?;
        audit::note(tx, By::person(&user), Action::MemberJoined, &user.token)?;
        setup_links::end_all(tx)?;
        sessions::insert(tx, &session_hash, user.id, agent)?;
        let token = tokens::insert_first(tx, By::person(&user), user.id, &token_name)?;
        Ok((user, token.text))
    })?;
    let device = sign_in::new_device(app.keys(), &identity::of_email(&user.email));
    Ok(FirstAccount { signed_in: SignedIn { user, session, device }, token })
}
