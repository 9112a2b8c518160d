//! The OAuth 2.0 provider: applications of others act for people who allowed it (RFC 6749 with PKCE,
//! RFC 9700). A rule stands in the file of its subject; HTTP is not known here.

pub mod access;
pub mod authorize;
pub mod clients;
pub mod codes;
pub mod grants;
pub mod keys;
pub mod metadata;
pub mod redirect;
pub mod refresh;

use crate::base::error::{Error, OAuthCode, Result};
use crate::model::scope::Scopes;

/// How long an access token works, in seconds.
pub const ACCESS_SECS: i64 = 3_600;
/// How long a refresh token works, in seconds.
pub const REFRESH_SECS: i64 = 30 * 86_400;

/// The parameters of a request, each of them once.
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Those that have a value: one without counts as left out (RFC 6749 section 3.1).
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let valued = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        Self(valued.collect())
    }

    /// The value of a parameter; none where it was left out.
    ///
    /// # Errors
    /// `invalid_request` where there are two.
    pub fn one(&self, name: &str) -> Result<Option<&str>> {
        let mut all = self.0.iter().filter(|(key, _)| key == name);
        let first = all.next().map(|(_, value)| value.as_str());
        if all.next().is_some() {
            return Err(invalid_request(format!("{name} must be sent once")));
        }
        Ok(first)
    }

    /// The value of a parameter that must be there.
    ///
    /// # Errors
    /// `invalid_request`.
    pub fn need(&self, name: &str) -> Result<&str> {
        self.one(name)?
            .ok_or_else(|| invalid_request(format!("{name} is missing")))
    }

    /// The first name that stands there twice.
    pub fn doubled(&self) -> Option<&str> {
        let names = || self.0.iter().map(|(name, _)| name.as_str());
        names()
            .enumerate()
            .find(|(i, name)| names().skip(i + 1).any(|other| other == *name))
            .map(|(_, name)| name)
    }

    /// All of them, as they came.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

/// What a client gets for a code or a refresh token.
pub struct Tokens {
    /// A signed token for the API.
    pub access: String,
    /// For the next pair.
    pub refresh: String,
    /// What the access token may do.
    pub scopes: Scopes,
}

fn invalid_request(description: impl Into<String>) -> Error {
    Error::oauth(OAuthCode::InvalidRequest, description)
}

fn invalid_scope() -> Error {
    Error::oauth(
        OAuthCode::InvalidScope,
        "scope must name what the client may ask for",
    )
}

/// Whether a text is a PKCE verifier or challenge: 43 to 128 characters that no URL escapes (RFC 7636).
fn is_pkce(text: &str) -> bool {
    let is_unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}
