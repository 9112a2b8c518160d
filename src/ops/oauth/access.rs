//! Access tokens: JWTs (RFC 9068) that are valid only while their grant exists, which is checked at each request (S33).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Result};
use crate::base::jwt::{self, PublicKey, SigningKey};
use crate::base::{id, secret};
use crate::model::caller::{Caller, Credential};
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::model::user::User;
use crate::ops::app::App;
use crate::ops::oauth::{ACCESS_SECS, keys};
use crate::store::oauth::grants::{self, GrantRow};
use crate::store::oauth::signing_keys;

const TYP: &str = "at+jwt";
/// The tolerated clock difference.
const LEEWAY_SECS: i64 = 5;
const JTI_LENGTH: usize = 22;
/// A full cache is cleared. More tokens than this are in use at once only where that does not matter.
const MAX_CACHED: usize = 4_096;

#[derive(Debug, Deserialize, Serialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    client_id: String,
    scope: String,
    /// The grant's public id.
    sid: String,
    jti: String,
    iat: i64,
    exp: i64,
    /// Our tokens have none, but it is checked if present (RFC 7519 section 4.1.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
}

/// A token with a valid signature.
struct Checked {
    claims: Claims,
    kid: String,
}

/// A cache of verified tokens and public keys: a valid signature stays valid. The state of grants and users is not
/// cached.
#[derive(Default)]
pub struct Signatures {
    checked: Mutex<HashMap<[u8; 32], Arc<Checked>>>,
    keys: Mutex<HashMap<String, PublicKey>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The content of a new access token.
pub struct Subject<'a> {
    pub client: &'a Client,
    pub user: &'a User,
    /// The grant's public id.
    pub grant: &'a str,
    pub scopes: Scopes,
}

pub fn sign(app: &App, signer: &SigningKey, subject: &Subject) -> Result<String> {
    let now = clock::now().secs();
    let issuer = &app.config.base_url;
    signer.sign(
        TYP,
        &Claims {
            iss: issuer.clone(),
            aud: issuer.clone(),
            sub: subject.user.token.clone(),
            client_id: subject.client.client_id.clone(),
            scope: subject.scopes.to_string(),
            sid: subject.grant.to_owned(),
            jti: id::random(JTI_LENGTH),
            iat: now,
            exp: now + ACCESS_SECS,
            nbf: None,
        },
    )
}

/// The caller of an access token. Ended grants, disabled users and removed applications take effect at once.
///
/// # Errors
/// 401.
pub fn authenticate(app: &App, token: &str) -> Result<Caller> {
    let refused = Error::Unauthenticated { sent: true };
    let now = clock::now();
    let Some(checked) = check(app, token)? else {
        return Err(refused);
    };
    let claims = &checked.claims;
    let issuer = &app.config.base_url;
    let is_ours = claims.iss == *issuer && claims.aud == *issuer;
    let latest_start = now.secs().saturating_add(LEEWAY_SECS);
    let is_timely = now.secs() < claims.exp.saturating_add(LEEWAY_SECS)
        && claims.iat <= latest_start
        && claims.nbf.is_none_or(|nbf| nbf <= latest_start);
    if !is_ours || !is_timely {
        return Err(refused);
    }
    let found = app.store.read(|tx| grants::of_access_token(tx, &claims.sid, &checked.kid))?;
    let Some(found) = found.filter(|found| is_live(found, claims, now)) else {
        return Err(refused);
    };
    let credential = Credential::Grant(found.grant.id);
    app.accounts.token_uses.note(credential, found.grant.last_used_at, now);
    Ok(Caller { user: found.user, credential, scopes: Scopes::parse(&claims.scope).intersection(found.grant.scopes) })
}

fn is_live(found: &GrantRow, claims: &Claims, now: Time) -> bool {
    found.user.disabled_at.is_none()
        && found.user.token == claims.sub
        && found.client_id == claims.client_id
        && keys::verifies(found.key_retired_at, now)
}

/// The public id of an access token's grant, even if the token has expired; `None` if it is no valid token.
pub fn grant_of(app: &App, token: &str) -> Result<Option<String>> {
    let checked = check(app, token)?;
    Ok(checked.map(|checked| checked.claims.sid.clone()))
}

/// The claims of a token signed by one of our keys.
fn check(app: &App, token: &str) -> Result<Option<Arc<Checked>>> {
    // Rejects most other texts before anything is computed.
    if token.bytes().filter(|b| *b == b'.').count() != 2 {
        return Ok(None);
    }
    let hash = secret::hash(token);
    if let Some(cached) = lock(&app.oauth.signatures.checked).get(&hash) {
        return Ok(Some(Arc::clone(cached)));
    }
    let Some(kid) = jwt::kid(TYP, token) else {
        return Ok(None);
    };
    let Some(key) = public_key(app, &kid)? else {
        return Ok(None);
    };
    let Some(claims) = key.verify(token) else {
        return Ok(None);
    };
    let checked = Arc::new(Checked { claims, kid });
    let mut cache = lock(&app.oauth.signatures.checked);
    if cache.len() >= MAX_CACHED {
        cache.clear();
    }
    cache.insert(hash, Arc::clone(&checked));
    Ok(Some(checked))
}

fn public_key(app: &App, kid: &str) -> Result<Option<PublicKey>> {
    if let Some(cached) = lock(&app.oauth.signatures.keys).get(kid) {
        return Ok(Some(cached.clone()));
    }
    let found = app.store.read(|tx| signing_keys::by_kid(tx, kid))?;
    Ok(found.map(|row| {
        let key = PublicKey::new(&row.public);
        lock(&app.oauth.signatures.keys).insert(row.kid, key.clone());
        key
    }))
}
