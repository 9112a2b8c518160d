//! Authenticates the bearer token of an API request (S10, S24); session cookies count on pages alone.

use warp::http::{HeaderMap, header};

use crate::base::error::{Error, Result};
use crate::base::secret;
use crate::base::text::phrase::Phrase;
use crate::model::caller::Caller;
use crate::model::scope::Scope;
use crate::ops::accounts::tokens;
use crate::ops::app::App;
use crate::ops::oauth::access;

/// The `Authorization` header of a request.
pub enum Bearer<'a> {
    None,
    OtherScheme,
    /// Not yet checked.
    Token(&'a str),
}

/// Reads the `Authorization` header; 400 if there are several.
pub fn bearer(headers: &HeaderMap) -> Result<Bearer<'_>> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let Some(first) = all.next() else {
        return Ok(Bearer::None);
    };
    if all.next().is_some() {
        return Err(Error::BadRequest(Phrase::plain("Only one Authorization header may be sent")));
    }
    let bytes = first.as_bytes();
    let end = bytes.iter().position(|b| *b == b' ');
    let (scheme, token) = bytes.split_at(end.unwrap_or(bytes.len()));
    if !scheme.eq_ignore_ascii_case(b"bearer") {
        return Ok(Bearer::OtherScheme);
    }
    // A token that is not UTF-8 counts as an invalid one, not as a missing one.
    let token = std::str::from_utf8(token).unwrap_or_default();
    Ok(Bearer::Token(token.trim()))
}

/// The caller of a route that requires a token; else 401.
pub fn required_caller(app: &App, bearer: &Bearer) -> Result<Caller> {
    match bearer {
        Bearer::None => Err(Error::Unauthenticated { sent: false }),
        Bearer::OtherScheme => Err(Error::Unauthenticated { sent: true }),
        Bearer::Token(token) => caller(app, token),
    }
}

/// The caller of a route that needs no token. A token that is sent must still be valid.
pub fn optional_caller(app: &App, bearer: &Bearer) -> Result<Option<Caller>> {
    match bearer {
        Bearer::None | Bearer::OtherScheme => Ok(None),
        Bearer::Token(token) => caller(app, token).map(Some),
    }
}

/// Authenticates a personal token or an OAuth access token.
fn caller(app: &App, token: &str) -> Result<Caller> {
    if token.starts_with(secret::TOKEN_PREFIX) {
        tokens::authenticate(app, token)
    } else {
        access::authenticate(app, token)
    }
}

/// 403 if the caller's token lacks the scope.
pub fn require_scope(caller: &Caller, scope: Scope) -> Result<()> {
    if caller.scopes.has(scope) { Ok(()) } else { Err(Error::ScopeLacks(scope.name())) }
}
