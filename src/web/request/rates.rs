//! Rate limits: requests per token, submissions and searches per address. Nothing is counted if limits are off.

use crate::base::clock::Time;
use crate::base::config::Limits;
use crate::base::error::{Error, Result};
use crate::base::rate::Allowance;
use crate::model::caller::{Caller, Credential};
use crate::ops::queries::search::SearchValues;
use crate::web::request::call::Call;
use crate::web::request::proof;
use crate::web::request::site::Site;

/// So many minutes of an hour a visitor may search as fast as the limit allows.
const SEARCH_MINUTES_AN_HOUR: u32 = 10;

/// Searches without the work that is asked for are this part of all.
const UNPROVEN: u32 = 10;

/// Codes that one address may try a minute, in one form.
const VERIFICATIONS: u32 = 20;

/// Codes that one person may check in a minute, in one form.
const CHECK_INS: u32 = 60;

/// Saves of one person in the builder of one form, a minute.
const SAVES: u32 = 120;

/// The tokens of a user together may make this many times the requests of one of them (S99).
const TOKENS_WORTH: u32 = 4;

/// Counts a request of a token and of its user, once even if it is asked again. `allowance` goes into the answer's
/// headers, also if the request is refused.
pub fn count(site: &Site, caller: &Caller, now: Time, allowance: &mut Option<Allowance>) -> Result<()> {
    let limits = &site.app.config.limits;
    let is_token = matches!(caller.credential, Credential::PersonalToken(_) | Credential::Grant(_));
    if is_token && limits.on && allowance.is_none() {
        let hit = site.api_rate.hit(&caller.credential, limits.api, now);
        within(*allowance.insert(hit))?;
        let of_user = site.api_rate.hit(&caller.user.id, limits.api.saturating_mul(TOKENS_WORTH), now);
        match of_user.is_allowed {
            true => Ok(()),
            false => within(*allowance.insert(of_user)),
        }
    } else {
        Ok(())
    }
}

/// Counts a submission by form and address (S87).
pub fn count_submission(call: &Call, allowance: &mut Option<Allowance>) -> Result<()> {
    let limits = &call.app.config.limits;
    if !limits.on || allowance.is_some() {
        return Ok(());
    }
    let key = (call.param("form_token"), call.address());
    within(*allowance.insert(call.site.submission_rate.hit(&key, limits.submissions, call.now)))
}

/// An action of visitors that is counted by form or query, and address.
#[derive(Clone, Copy, Debug)]
pub enum Visit {
    /// A search in linked entries, or a look at the room left, for respondents.
    FormSearch,
    /// A hold of a form's page.
    Hold,
    /// A look-up of a verification code.
    Verification,
    /// A search of a public query, or an edit of a found entry.
    Search,
    /// A search without the work that may be asked for.
    UnprovenSearch,
    /// A search in linked entries, for visitors of a query.
    LinkedSearch,
    /// An export of a query.
    Export,
}

impl Visit {
    /// Its name in the tables, how many are allowed a minute, and how many an hour (S69).
    fn limit(self, limits: &Limits) -> (&'static str, u32, Option<u32>) {
        let an_hour = |a_minute: u32| Some(a_minute.saturating_mul(SEARCH_MINUTES_AN_HOUR));
        match self {
            Self::FormSearch => ("search", limits.submissions, None),
            Self::Hold => ("hold", limits.submissions, None),
            Self::Verification => ("verify", VERIFICATIONS, None),
            Self::Search => ("query", limits.searches, an_hour(limits.searches)),
            Self::UnprovenSearch => {
                let a_minute = (limits.searches / UNPROVEN).max(1);
                ("query-unproven", a_minute, an_hour(a_minute))
            }
            Self::LinkedSearch => ("query-find", limits.submissions, None),
            Self::Export => ("query-export", limits.exports, None),
        }
    }

    fn place<'c>(self, call: &'c Call) -> &'c str {
        call.param(match self {
            Self::FormSearch | Self::Hold | Self::Verification => "form_token",
            Self::Search | Self::UnprovenSearch | Self::LinkedSearch | Self::Export => "query_token",
        })
    }
}

/// Counts a visit of the form or query in the path.
///
/// # Errors
/// 429.
pub fn count_visit(call: &Call, visit: Visit) -> Result<()> {
    let limits = &call.app.config.limits;
    if !limits.on {
        return Ok(());
    }
    let (name, a_minute, an_hour) = visit.limit(limits);
    let key = (name, visit.place(call), call.address());
    within(call.site.submission_rate.hit(&key, a_minute, call.now))?;
    an_hour.map_or(Ok(()), |most| within(call.site.query_rate.hit(&key, most, call.now)))
}

/// Counts a save of a signed-in person in the builder of the form in the path.
///
/// # Errors
/// 429.
pub fn count_save(call: &Call, caller: &Caller) -> Result<()> {
    if !call.app.config.limits.on {
        return Ok(());
    }
    within(call.site.submission_rate.hit(&("save", call.param("form_token"), caller.user.id), SAVES, call.now))
}

/// Counts a code that a signed-in person checks in at the form in the path.
///
/// # Errors
/// 429.
pub fn count_check_in(call: &Call, caller: &Caller) -> Result<()> {
    if !call.app.config.limits.on {
        return Ok(());
    }
    within(call.site.submission_rate.hit(&("check-in", call.param("form_token"), caller.user.id), CHECK_INS, call.now))
}

/// Counts a search of a public query, with or without the work that may be asked for.
///
/// # Errors
/// 429.
pub fn count_search(call: &Call, given: &SearchValues, proof: &str) -> Result<()> {
    if proof::is_done(call, call.param("query_token"), given, proof) {
        return count_visit(call, Visit::Search);
    }
    count_visit(call, Visit::UnprovenSearch).map_err(|error| match error {
        Error::TooMany(secs) => Error::Unproven(secs),
        other => other,
    })
}

fn within(allowance: Allowance) -> Result<()> {
    if allowance.is_allowed { Ok(()) } else { Err(Error::TooMany(allowance.reset_secs.max(1))) }
}
