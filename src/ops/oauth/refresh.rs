//! Exchanges a refresh token for the next pair. Each is used once; a reused one shows that it was stolen (S32).

use crate::base::error::{Error, OAuthCode, Result};
use crate::base::secret;
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::model::user::User;
use crate::ops::app::App;
use crate::ops::oauth::access::{self, Subject};
use crate::ops::oauth::{REFRESH_SECS, Tokens, invalid_scope, keys};
use crate::store::db::tx::Tx;
use crate::store::oauth::grants;

/// Reuse within this time is a race of two requests, not a theft: the grant stays.
const RACE_MILLIS: i64 = 10_000;

/// The writer's decision.
enum RefreshOutcome {
    /// A new pair for this grant.
    Next { grant: String, user: Box<User>, scopes: Scopes },
    /// More scopes were requested than granted.
    Scope,
    /// The token is not valid.
    Refused,
}

/// The next pair of tokens, with these scopes or all granted ones.
///
/// # Errors
/// `invalid_grant`, `invalid_scope`.
pub fn refresh(app: &App, client: &Client, token: &str, scope: Option<&str>) -> Result<Tokens> {
    let wanted = match scope {
        None => None,
        Some(text) => Some(Scopes::parse_strict(text).ok_or_else(invalid_scope)?),
    };
    let signer = keys::signer(app)?;
    let (hash, client_no) = (secret::hash(token), client.id);
    let next = secret::random_text();
    let next_hash = secret::hash(next.reveal());
    // A refusal may end the grant, which must be committed: so it is no error of the job.
    let outcome = app.store.write(move |tx| decide(tx, &hash, client_no, wanted, &next_hash))?;
    match outcome {
        RefreshOutcome::Scope => Err(invalid_scope()),
        RefreshOutcome::Refused => Err(Error::oauth(
            OAuthCode::InvalidGrant,
            "the refresh token is unknown, used, too old, or another client's",
        )),
        RefreshOutcome::Next { grant, user, scopes } => {
            let subject = Subject { client, user: &user, grant: &grant, scopes };
            Ok(Tokens { access: access::sign(app, &signer, &subject)?, refresh: next.reveal().to_owned(), scopes })
        }
    }
}

fn decide(tx: &Tx, hash: &[u8; 32], client: i64, wanted: Option<Scopes>, next: &[u8; 32]) -> Result<RefreshOutcome> {
    let found = grants::refresh_token(tx, hash)?;
    let Some(found) = found.filter(|found| found.grant.client == client) else {
        return Ok(RefreshOutcome::Refused);
    };
    let grant = &found.grant;
    if let Some(rotated_at) = found.rotated_at {
        let is_race = found.generation + 1 == grant.generation && tx.now.millis() - rotated_at.millis() <= RACE_MILLIS;
        if !is_race {
            grants::end(tx, grant.id)?;
        }
        return Ok(RefreshOutcome::Refused);
    }
    if tx.now >= found.expires_at || found.user.disabled_at.is_some() {
        return Ok(RefreshOutcome::Refused);
    }
    let scopes = wanted.unwrap_or(grant.scopes);
    if scopes.is_empty() || !grant.scopes.contains(scopes) {
        return Ok(RefreshOutcome::Scope);
    }
    grants::rotate(tx, grant.id, next, tx.now.plus_secs(REFRESH_SECS))?;
    Ok(RefreshOutcome::Next { grant: grant.token.clone(), user: Box::new(found.user), scopes })
}
