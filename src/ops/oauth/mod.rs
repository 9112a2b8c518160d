//! The OAuth 2.0 provider: third-party applications act for users who authorized them (RFC 6749 with PKCE, RFC 9700).
//! No HTTP here.

pub mod access;
pub mod authorize;
pub mod clients;
pub mod codes;
pub mod grants;
pub mod keys;
pub mod metadata;
pub mod redirect;
pub mod refresh;
pub mod state;

use crate::base::error::{Error, OAuthCode, Result};
use crate::model::scope::Scopes;

/// The lifetime of an access token in seconds.
pub const ACCESS_SECS: i64 = 3_600;
/// The lifetime of a refresh token in seconds.
pub const REFRESH_SECS: i64 = 30 * 86_400;

/// The parameters of a request.
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Parameters without a value count as omitted (RFC 6749 section 3.1).
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let valued = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        Self(valued.collect())
    }

    /// The value of an optional parameter.
    ///
    /// # Errors
    /// `invalid_request` if it is repeated.
    pub fn one(&self, name: &str) -> Result<Option<&str>> {
        let mut all = self.0.iter().filter(|(key, _)| key == name);
        let first = all.next().map(|(_, value)| value.as_str());
        if all.next().is_some() {
            return Err(invalid_request(format!("{name} must be sent once")));
        }
        Ok(first)
    }

    /// The value of a required parameter.
    ///
    /// # Errors
    /// `invalid_request`.
    pub fn need(&self, name: &str) -> Result<&str> {
        self.one(name)?.ok_or_else(|| invalid_request(format!("{name} is missing")))
    }

    /// The first repeated name.
    pub fn repeated(&self) -> Option<&str> {
        let names = || self.0.iter().map(|(name, _)| name.as_str());
        names().enumerate().find(|(i, name)| names().skip(i + 1).any(|other| other == *name)).map(|(_, name)| name)
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

/// A pair of tokens.
pub struct Tokens {
    pub access: String,
    pub refresh: String,
    /// Scopes of the access token.
    pub scopes: Scopes,
}

fn invalid_request(description: impl Into<String>) -> Error {
    Error::oauth(OAuthCode::InvalidRequest, description)
}

fn invalid_scope() -> Error {
    Error::oauth(OAuthCode::InvalidScope, "scope must name what the client may ask for")
}

/// Whether a text is a PKCE verifier or challenge: 43 to 128 unreserved characters (RFC 7636).
fn is_pkce(text: &str) -> bool {
    let is_unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}
