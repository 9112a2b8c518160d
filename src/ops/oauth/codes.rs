//! A code for tokens, once: whatever is wrong with the try, the code is spent; and where it comes a second
//! time, what it gave ends (S31).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::base::error::{Error, OAuthCode, Result};
use crate::base::id;
use crate::base::secret;
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::model::user::User;
use crate::ops::App;
use crate::ops::oauth::access::Subject;
use crate::ops::oauth::{REFRESH_SECS, Tokens, access, invalid_request, is_pkce, keys};
use crate::store::tx::Tx;
use crate::store::{oauth_codes, oauth_grants};

/// A grant's name is as hard to guess as a token.
const GRANT_LENGTH: usize = 22;

/// What a client sends with a code.
pub struct Exchange<'a> {
    /// The code.
    pub code: &'a str,
    /// What its challenge was made of.
    pub verifier: Option<&'a str>,
    /// Where its user was led back to. It need not be sent: the verifier tells the same and more.
    pub redirect_uri: Option<&'a str>,
}

/// What a code gave.
struct Begun {
    user: User,
    scopes: Scopes,
}

/// Exchanges a code for a first pair of tokens.
///
/// # Errors
/// `invalid_grant`, `invalid_request` without a verifier; the code is spent then too.
pub fn exchange(app: &App, client: &Client, sent: &Exchange) -> Result<Tokens> {
    let signer = keys::signer(app)?;
    let hash = secret::hash(sent.code);
    let challenge = sent.verifier.filter(|text| is_pkce(text)).map(challenge_of);
    let redirect_uri = sent.redirect_uri.map(str::to_owned);
    let (grant, refresh) = (id::random(GRANT_LENGTH), secret::random_text());
    let (name, refresh_hash) = (grant.clone(), secret::hash(refresh.reveal()));
    let by = client.clone();
    // What is refused is written down as well, so it is no failure of the job.
    let begun = app.store.write(move |tx| {
        let Some(begun) = spend(
            tx,
            &hash,
            &by,
            challenge.as_deref(),
            redirect_uri.as_deref(),
        )?
        else {
            return Ok(None);
        };
        let end = tx.now.plus_secs(REFRESH_SECS);
        let id = oauth_grants::insert(tx, &name, &by, begun.user.id, begun.scopes, end)?;
        oauth_grants::rotate(tx, id, &refresh_hash, end)?;
        oauth_codes::set_grant(tx, &hash, id)?;
        Ok(Some(begun))
    })?;
    if sent.verifier.is_none() {
        return Err(invalid_request("code_verifier is missing"));
    }
    let begun = begun.ok_or_else(|| {
        Error::oauth(
            OAuthCode::InvalidGrant,
            "the code is unknown, used, too old, or was not made for this request",
        )
    })?;
    let subject = Subject {
        client,
        user: &begun.user,
        grant: &grant,
        scopes: begun.scopes,
    };
    Ok(Tokens {
        access: access::sign(app, &signer, &subject)?,
        refresh: refresh.reveal().to_owned(),
        scopes: begun.scopes,
    })
}

/// Takes a code: what it is good for, none where any one check fails.
fn spend(
    tx: &Tx,
    hash: &[u8; 32],
    client: &Client,
    challenge: Option<&str>,
    redirect_uri: Option<&str>,
) -> Result<Option<Begun>> {
    let Some(code) = oauth_codes::by_hash(tx, hash)? else {
        return Ok(None);
    };
    if let Some(grant) = code.grant {
        oauth_grants::end(tx, grant)?;
        return Ok(None);
    }
    let bound = &code.bound;
    let is_good = bound.client == client.id
        && tx.now < bound.expires_at
        && challenge.is_some_and(|it| secret::same(it.as_bytes(), bound.challenge.as_bytes()))
        && redirect_uri.is_none_or(|uri| uri == bound.redirect_uri)
        && code.user.disabled_at.is_none();
    if !is_good {
        oauth_codes::forget(tx, hash)?;
        return Ok(None);
    }
    Ok(Some(Begun {
        user: code.user,
        scopes: code.bound.scopes,
    }))
}

/// What a verifier hashes to, by S256.
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
        for bad in [
            &"a".repeat(42),
            &"a".repeat(129),
            &format!("{}+", "a".repeat(43)),
        ] {
            assert!(!is_pkce(bad), "{bad}");
        }
    }
}
