//! Who calls: the bearer token of an API request, the session cookie of a page (S10, S24). One is
//! never taken for the other.

use warp::http::{HeaderMap, header};

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::scope::Scope;
use crate::ops::{App, tokens};

/// The bearer token of a request.
pub enum Bearer<'a> {
    /// No `Authorization` header.
    None,
    /// Another scheme, or not text.
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
    let token = first.to_str().ok().and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    Ok(token.map_or(Bearer::Other, Bearer::Token))
}

/// The caller of a route that needs one.
///
/// # Errors
/// 401.
pub fn known(app: &App, bearer: &Bearer) -> Result<Caller> {
    match bearer {
        Bearer::None => Err(Error::Unauthenticated { sent: false }),
        Bearer::Other => Err(Error::Unauthenticated { sent: true }),
        Bearer::Token(token) => tokens::authenticate(app, token),
    }
}

/// The caller of a route that anybody may use: a token that is sent must still be valid.
///
/// # Errors
/// 401.
pub fn maybe(app: &App, bearer: &Bearer) -> Result<Option<Caller>> {
    match bearer {
        Bearer::None | Bearer::Other => Ok(None),
        Bearer::Token(token) => tokens::authenticate(app, token).map(Some),
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
