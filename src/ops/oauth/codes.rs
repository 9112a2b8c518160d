//! Exchanges a code for tokens, once. A failed exchange uses the code up too, and a reused code ends the grant that it
//! gave (S31).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::base::error::{Error, OAuthCode, Result};
use crate::base::{id, secret};
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::model::user::User;
use crate::ops::app::App;
use crate::ops::oauth::access::{self, Subject};
use crate::ops::oauth::{REFRESH_SECS, Tokens, invalid_request, is_pkce, keys};
use crate::store::db::tx::Tx;
use crate::store::oauth::{codes, grants};

/// A grant's public id is as hard to guess as a token.
const GRANT_LENGTH: usize = 22;

/// A client's request to exchange a code.
pub struct Exchange<'a> {
    pub code: &'a str,
    /// The PKCE verifier.
    pub verifier: Option<&'a str>,
    /// Optional: the verifier proves more.
    pub redirect_uri: Option<&'a str>,
}

/// The grant of a valid code.
struct Redeemed {
    user: User,
    scopes: Scopes,
}

/// Exchanges a code for the first pair of tokens.
///
/// # Errors
/// `invalid_grant`, `invalid_request` without a verifier; both use the code up.
pub fn exchange(app: &App, client: &Client, request: &Exchange) -> Result<Tokens> {
    let signer = keys::signer(app)?;
    let hash = secret::hash(request.code);
    let challenge = request.verifier.filter(|text| is_pkce(text)).map(challenge_of);
    let redirect_uri = request.redirect_uri.map(str::to_owned);
    let (grant, refresh) = (id::random(GRANT_LENGTH), secret::random_text());
    let (name, refresh_hash) = (grant.clone(), secret::hash(refresh.reveal()));
    let by = client.clone();
    // A refusal uses the code up, which must be committed: so it is no error of the job.
    let redeemed = app.store.write(move |tx| {
        let Some(redeemed) = redeem(tx, &hash, &by, challenge.as_deref(), redirect_uri.as_deref())? else {
            return Ok(None);
        };
        let end = tx.now.plus_secs(REFRESH_SECS);
        let id = grants::insert(tx, &name, &by, redeemed.user.id, redeemed.scopes, end)?;
        grants::rotate(tx, id, &refresh_hash, end)?;
        codes::set_grant(tx, &hash, id)?;
        Ok(Some(redeemed))
    })?;
    if request.verifier.is_none() {
        return Err(invalid_request("code_verifier is missing"));
    }
    let redeemed = redeemed.ok_or_else(|| {
        Error::oauth(OAuthCode::InvalidGrant, "the code is unknown, used, too old, or was not made for this request")
    })?;
    let subject = Subject { client, user: &redeemed.user, grant: &grant, scopes: redeemed.scopes };
    Ok(Tokens {
        access: access::sign(app, &signer, &subject)?,
        refresh: refresh.reveal().to_owned(),
        scopes: redeemed.scopes,
    })
}

/// Uses a code. `None` if any check fails.
fn redeem(
    tx: &Tx,
    hash: &[u8; 32],
    client: &Client,
    challenge: Option<&str>,
    redirect_uri: Option<&str>,
) -> Result<Option<Redeemed>> {
    let Some(code) = codes::by_hash(tx, hash)? else {
        return Ok(None);
    };
    if let Some(grant) = code.grant {
        grants::end(tx, grant)?;
        return Ok(None);
    }
    let bound = &code.bound;
    let is_valid = bound.client == client.id
        && tx.now < bound.expires_at
        && challenge.is_some_and(|it| secret::same(it.as_bytes(), bound.challenge.as_bytes()))
        && redirect_uri.is_none_or(|uri| uri == bound.redirect_uri)
        && code.user.disabled_at.is_none();
    if !is_valid {
        codes::forget(tx, hash)?;
        return Ok(None);
    }
    Ok(Some(Redeemed { user: code.user, scopes: code.bound.scopes }))
}

/// The S256 challenge of a verifier.
fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(secret::hash(verifier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_hashes_as_in_rfc_7636() {
        assert_eq!(
            challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        assert!(is_pkce(&"a".repeat(43)) && is_pkce(&"~".repeat(128)));
        for bad in [&"a".repeat(42), &"a".repeat(129), &format!("{}+", "a".repeat(43))] {
            assert!(!is_pkce(bad), "{bad}");
        }
    }
}
