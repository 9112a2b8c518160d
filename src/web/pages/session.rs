//! The session of a page request.

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::web::call::Call;
use crate::web::reply::{Answer, Reply};

/// The caller of the session cookie, or where to sign in.
///
/// # Errors
/// Internal.
pub fn caller(call: &Call) -> Result<std::result::Result<Caller, Reply>> {
    let sign_in = format!("{}/sign-in", call.app.config.base_url);
    Ok(Err(Answer::see_other(&sign_in).into()))
}
