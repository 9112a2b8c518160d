//! Personal access tokens: creation, lists, revocation and authentication (S23).

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::base::secret::{self, Secret};
use crate::model::audit::Action;
use crate::model::caller::{Caller, Credential};
use crate::model::scope::{Scope, Scopes};
use crate::model::user::{User, UserId};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::users;
use crate::ops::app::App;
use crate::store::accounts::tokens;
pub use crate::store::accounts::tokens::TokenRow;
use crate::store::db::tx::Tx;
use crate::store::oauth::grants;

const FIRST_TOKEN_SECS: i64 = 90 * 86_400;
/// Valid tokens that a user may have (S99).
const MOST: i64 = 100;

/// A new token, whose text is shown once.
pub struct NewToken {
    pub id: i64,
    pub text: Secret,
    /// When it expires; `None` for never.
    pub expires_at: Option<Time>,
}

/// Creates a token for a user. `None` as its lifetime in seconds means that it is valid until it is revoked.
///
/// # Errors
/// 422 without a name or a scope, or where the user has 100 valid ones.
pub fn create(
    app: &App,
    by: By,
    user: UserId,
    name: String,
    scopes: Scopes,
    life_secs: Option<i64>,
) -> Result<NewToken> {
    let mut at = Issues::new();
    let name = users::check_name("name", name, &mut at);
    if scopes.iter().next().is_none() {
        at.push_at("scopes", Reason::NoScope);
    }
    at.into_result()?;
    app.store.write(move |tx| insert(tx, by, user, &name, scopes, life_secs))
}

/// Inserts a new token in the transaction of a larger change.
pub(in crate::ops) fn insert(
    tx: &Tx,
    by: By,
    user: UserId,
    name: &str,
    scopes: Scopes,
    life_secs: Option<i64>,
) -> Result<NewToken> {
    if tokens::count_valid(tx, user)? >= MOST {
        return Err(Error::invalid(
            "name",
            Reason::other("would be more than 100 tokens: revoke one that is no longer used"),
        ));
    }
    let text = secret::personal_token();
    let expires_at = life_secs.map(|secs| tx.now.plus_secs(secs));
    let id = tokens::insert(tx, user, &secret::hash(text.reveal()), name, scopes, expires_at)?;
    audit::note_token(tx, by, Action::TokenCreated, id, user)?;
    Ok(NewToken { id, text, expires_at })
}

/// The first token of an account that was just created: all scopes, for 90 days.
pub(in crate::ops) fn insert_first(tx: &Tx, by: By, user: UserId, name: &str) -> Result<NewToken> {
    insert(tx, by, user, name, Scope::ALL.into_iter().collect(), Some(FIRST_TOKEN_SECS))
}

/// The tokens of one user or of all, oldest first.
pub fn list(app: &App, user: Option<UserId>) -> Result<Vec<TokenRow>> {
    app.store.read(|tx| tokens::list(tx, user))
}

/// Revokes a token. If a user is given, only their own.
///
/// # Errors
/// 404 if no active token matches.
pub fn revoke(app: &App, id: i64, caller: Option<&Caller>) -> Result<()> {
    let user = caller.map(|caller| caller.user.id);
    let by = caller.map(By::caller);
    app.store.write(move |tx| {
        let (_, owner) = tokens::by_id(tx, id)?.ok_or(Error::NotFound(Noun::Token))?;
        if !tokens::revoke(tx, id, user)? {
            return Err(Error::NotFound(Noun::Token));
        }
        let by = by.unwrap_or_else(|| By::operator(owner.organization.id));
        audit::note_token(tx, by, Action::TokenRevoked, id, owner.id)
    })
}

/// Checks that the caller's credentials are still valid; long-running work repeats this (S41).
///
/// # Errors
/// 401 if they are not.
pub fn still(tx: &Tx, caller: &Caller) -> Result<()> {
    let is_valid = match caller.credential {
        Credential::PersonalToken(id) => {
            let found = tokens::by_id(tx, id)?;
            found.is_some_and(|(row, user)| is_valid(&row, &user, tx.now))
        }
        Credential::Grant(id) => {
            let found = grants::by_id(tx, id)?;
            found.is_some_and(|(_, user)| user.disabled_at.is_none())
        }
        Credential::Session => crate::store::accounts::users::by_id(tx, caller.user.id)?.disabled_at.is_none(),
        Credential::CommandLine => true,
    };
    if is_valid { Ok(()) } else { Err(Error::Unauthenticated { sent: true }) }
}

fn is_valid(row: &TokenRow, user: &User, now: Time) -> bool {
    row.revoked_at.is_none() && user.disabled_at.is_none() && row.expires_at.is_none_or(|end| now < end)
}

/// Authenticates a bearer token. Expiry, revocation and disabled users take effect at once: none of this is cached
/// between requests.
///
/// # Errors
/// 401 if it is not valid.
pub fn authenticate(app: &App, token: &str) -> Result<Caller> {
    let refused = Error::Unauthenticated { sent: true };
    if !secret::is_personal_token(token) {
        return Err(refused);
    }
    let hash = secret::hash(token);
    let found = app.store.read(|tx| tokens::by_hash(tx, &hash))?;
    let now = clock::now();
    match found {
        Some((row, user)) if is_valid(&row, &user, now) => {
            let credential = Credential::PersonalToken(row.id);
            app.accounts.token_uses.note(credential, row.last_used_at, now);
            Ok(Caller { user, credential, scopes: row.scopes })
        }
        _ => Err(refused),
    }
}
