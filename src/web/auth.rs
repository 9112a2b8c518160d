//! Who calls: the bearer token of an API request, the session cookie of a page (S10, S24). One is
//! never taken for the other.

use warp::http::{HeaderMap, header};

use crate::base::error::{Error, Result};
use crate::base::secret;
use crate::model::caller::Caller;
use crate::model::scope::Scope;
use crate::ops::oauth::access;
use crate::ops::{App, tokens};

/// The bearer token of a request.
pub enum Bearer<'a> {
    /// No `Authorization` header.
    None,
    /// Another scheme.
    Other,
    /// A token, not yet looked at.
    Token(&'a str),
}

/// Reads the `Authorization` header.
///
/// # Errors
/// 400 when there are several.
pub fn bearer(headers: &HeaderMap) -> Result<Bearer<'_>> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let Some(first) = all.next() else {
        return Ok(Bearer::None);
    };
    if all.next().is_some() {
        return Err(Error::BadRequest(
            "Only one Authorization header may be sent".to_owned(),
        ));
    }
    let bytes = first.as_bytes();
    let end = bytes.iter().position(|b| *b == b' ');
    let (scheme, token) = bytes.split_at(end.unwrap_or(bytes.len()));
    if !scheme.eq_ignore_ascii_case(b"bearer") {
        return Ok(Bearer::Other);
    }
    // What is no text is no valid token either, and is not taken for none at all.
    let token = std::str::from_utf8(token).unwrap_or_default();
    Ok(Bearer::Token(token.trim()))
}

/// The caller of a route that needs one.
///
/// # Errors
/// 401.
pub fn known(app: &App, bearer: &Bearer) -> Result<Caller> {
    match bearer {
        Bearer::None => Err(Error::Unauthenticated { sent: false }),
        Bearer::Other => Err(Error::Unauthenticated { sent: true }),
        Bearer::Token(token) => caller(app, token),
    }
}

/// The caller of a route that anybody may use: a token that is sent must still be valid.
///
/// # Errors
/// 401.
pub fn maybe(app: &App, bearer: &Bearer) -> Result<Option<Caller>> {
    match bearer {
        Bearer::None | Bearer::Other => Ok(None),
        Bearer::Token(token) => caller(app, token).map(Some),
    }
}

/// The caller of a token of either kind.
fn caller(app: &App, token: &str) -> Result<Caller> {
    if token.starts_with(secret::TOKEN_PREFIX) {
        tokens::authenticate(app, token)
    } else {
        access::authenticate(app, token)
    }
}

/// That the caller's token may do this.
///
/// # Errors
/// 403.
pub fn need(caller: &Caller, scope: Scope) -> Result<()> {
    if caller.scopes.has(scope) {
        Ok(())
    } else {
        Err(Error::ScopeLacks(scope.name()))
    }
}
