//! Access tokens: signed so that others may read them (RFC 9068), and good for nothing once what they name
//! has ended, which is asked at each call (S33).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Result};
use crate::base::id;
use crate::base::jwt::{self, PublicKey, SigningKey};
use crate::base::secret;
use crate::model::caller::{Caller, Credential};
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::model::user::User;
use crate::ops::App;
use crate::ops::oauth::{ACCESS_SECS, keys};
use crate::store::oauth_grants::GrantRow;
use crate::store::{oauth_grants, signing_keys};

const TYP: &str = "at+jwt";
/// Clocks of two machines need not agree to the second.
const LEEWAY_SECS: i64 = 5;
const JTI_LENGTH: usize = 22;
/// More are used at once only where checking some again does not matter either.
const MOST: usize = 4_096;

/// What a token says.
#[derive(Debug, Deserialize, Serialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    client_id: String,
    scope: String,
    /// The grant.
    sid: String,
    jti: String,
    iat: i64,
    exp: i64,
    /// Ours have none; one that is there counts (RFC 7519 section 4.1.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
}

/// A token whose signature was right.
struct Checked {
    claims: Claims,
    kid: String,
}

/// What was checked lately: the same token comes again and again, and its signature stays right. Nothing of
/// what it names is kept.
#[derive(Default)]
pub struct Signatures {
    checked: Mutex<HashMap<[u8; 32], Arc<Checked>>>,
    keys: Mutex<HashMap<String, PublicKey>>,
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whom a token is for, and what it may do.
pub struct Subject<'a> {
    /// Who calls with it.
    pub client: &'a Client,
    /// In whose name.
    pub user: &'a User,
    /// By which grant.
    pub grant: &'a str,
    /// What it may do.
    pub scopes: Scopes,
}

/// A new access token.
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

/// The caller of an access token. A grant that ended, a disabled user, a removed application count at once.
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
    let found = app
        .store
        .read(|tx| oauth_grants::of_access_token(tx, &claims.sid, &checked.kid))?;
    let Some(found) = found.filter(|found| is_live(found, claims, now)) else {
        return Err(refused);
    };
    let credential = Credential::Grant(found.grant.id);
    app.uses.note(credential, found.grant.last_used_at, now);
    Ok(Caller {
        user: found.user,
        credential,
        scopes: Scopes::parse(&claims.scope).intersection(found.grant.scopes),
    })
}

fn is_live(found: &GrantRow, claims: &Claims, now: Time) -> bool {
    found.user.disabled_at.is_none()
        && found.user.token == claims.sub
        && found.client_id == claims.client_id
        && keys::verifies(found.key_retired_at, now)
}

/// The grant that an access token names, however old it is; none where it is no such token.
pub fn grant_of(app: &App, token: &str) -> Result<Option<String>> {
    let checked = check(app, token)?;
    Ok(checked.map(|checked| checked.claims.sid.clone()))
}

/// What a token says, where one of our keys signed it.
fn check(app: &App, token: &str) -> Result<Option<Arc<Checked>>> {
    // Most of what is no token ends here, before anything is computed.
    if token.bytes().filter(|b| *b == b'.').count() != 2 {
        return Ok(None);
    }
    let hash = secret::hash(token);
    if let Some(known) = lock(&app.signatures.checked).get(&hash) {
        return Ok(Some(Arc::clone(known)));
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
    let mut kept = lock(&app.signatures.checked);
    if kept.len() >= MOST {
        kept.clear();
    }
    kept.insert(hash, Arc::clone(&checked));
    Ok(Some(checked))
}

fn public_key(app: &App, kid: &str) -> Result<Option<PublicKey>> {
    if let Some(known) = lock(&app.signatures.keys).get(kid) {
        return Ok(Some(known.clone()));
    }
    let found = app.store.read(|tx| signing_keys::by_kid(tx, kid))?;
    Ok(found.map(|row| {
        let key = PublicKey::new(&row.public);
        lock(&app.signatures.keys).insert(row.kid, key.clone());
        key
    }))
}
