//! What counts against the rates: requests by token, submissions and searches by address. Where limits are off,
//! nothing does.

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::rate::Allowance;
use crate::model::caller::{Caller, Credential};
use crate::web::call::Call;
use crate::web::site::Site;

/// Counts a request of a token, once however often it is run again. What is left goes with the answer,
/// a refusal too.
///
/// # Errors
/// 429.
pub fn count(
    site: &Site,
    caller: &Caller,
    now: Time,
    allowance: &mut Option<Allowance>,
) -> Result<()> {
    let limits = &site.app.config.limits;
    let is_token = matches!(
        caller.credential,
        Credential::PersonalToken(_) | Credential::Grant(_)
    );
    if is_token && limits.on && allowance.is_none() {
        let hit = site.api_rate.hit(&caller.credential, limits.api, now);
        within(*allowance.insert(hit))
    } else {
        Ok(())
    }
}

/// Counts a submission to the form of this call, by the sender's address (S87).
///
/// # Errors
/// 429.
pub fn count_submission(call: &Call, allowance: &mut Option<Allowance>) -> Result<()> {
    let limits = &call.app.config.limits;
    if !limits.on || allowance.is_some() {
        return Ok(());
    }
    let key = (call.param("form_token"), call.address());
    within(
        *allowance.insert(
            call.site
                .submission_rate
                .hit(&key, limits.submissions, call.now),
        ),
    )
}

/// Counts a search that anybody may make in the entries that this call's form links to. It has as many
/// as there may be submissions, apart from them.
///
/// # Errors
/// 429.
pub fn count_search(call: &Call) -> Result<()> {
    let limits = &call.app.config.limits;
    if !limits.on {
        return Ok(());
    }
    let key = ("search", call.param("form_token"), call.address());
    within(
        call.site
            .submission_rate
            .hit(&key, limits.submissions, call.now),
    )
}

fn within(allowance: Allowance) -> Result<()> {
    if allowance.is_allowed {
        Ok(())
    } else {
        Err(Error::TooMany(allowance.reset_secs.max(1)))
    }
}
