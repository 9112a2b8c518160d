//! Rate limits: requests per token, submissions and searches per address. Nothing is counted if limits are off.

use std::hash::Hash;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::rate::{Allowance, RateTable};
use crate::model::caller::{Caller, Credential};
use crate::ops::queries::search::Given;
use crate::web::request::call::Call;
use crate::web::request::proof;
use crate::web::request::site::Site;

/// So many minutes of an hour a visitor may search as fast as the limit allows.
const SEARCH_MINUTES_AN_HOUR: u32 = 10;

/// Searches without the work that is asked for are this part of all.
const UNPROVEN: u32 = 10;

/// Codes that one address may try a minute, in one form.
const VERIFICATIONS: u32 = 20;

/// The tokens of a user may make so many times as many requests as one of them (S99).
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

/// Counts a public search in linked entries by form and address. The limit is that of submissions, counted
/// separately.
pub fn count_search(call: &Call) -> Result<()> {
    count_beside_submissions(call, "search")
}

fn count_beside_submissions(call: &Call, what: &str) -> Result<()> {
    let key = (what, call.param("form_token"), call.address());
    let most = call.app.config.limits.submissions;
    count_call(call, &call.site.submission_rate, &key, most)
}

/// Counts a request.
fn count_call(call: &Call, rate: &RateTable, key: &impl Hash, most: u32) -> Result<()> {
    if !call.app.config.limits.on {
        return Ok(());
    }
    within(rate.hit(key, most, call.now))
}

/// Counts what a form's page keeps by form and address. The limit is that of submissions, counted separately.
pub fn count_hold(call: &Call) -> Result<()> {
    count_beside_submissions(call, "hold")
}

/// Counts a look-up of a verification code by form and address.
pub fn count_verification(call: &Call) -> Result<()> {
    let key = ("verify", call.param("form_token"), call.address());
    count_call(call, &call.site.submission_rate, &key, VERIFICATIONS)
}

/// Counts a search of a visitor by query and address: so many a minute, and ten times as many an hour (S69). Without the
/// work that may be asked for, a tenth.
pub fn count_query_search(call: &Call, query: &str, given: &Given, proof: &str) -> Result<()> {
    let most = call.app.config.limits.searches;
    if proof::is_done(call, query, given, proof) {
        count_visit(call, query, "query", most)
    } else {
        let most = (most / UNPROVEN).max(1);
        let counted = count_visit(call, query, "query-unproven", most);
        counted.map_err(|error| match error {
            Error::TooMany(secs) => Error::Unproven(secs),
            other => other,
        })
    }
}

/// Counts an edit of a visitor as a search.
pub fn count_query_edit(call: &Call, query: &str) -> Result<()> {
    count_visit(call, query, "query", call.app.config.limits.searches)
}

/// Counts a search of a visitor in linked entries by query and address, as `count_search` does for respondents.
pub fn count_query_find(call: &Call, query: &str) -> Result<()> {
    let key = ("query-find", query, call.address());
    let most = call.app.config.limits.submissions;
    count_call(call, &call.site.submission_rate, &key, most)
}

fn count_visit(call: &Call, query: &str, what: &str, most: u32) -> Result<()> {
    let key = (what, query, call.address());
    let most_an_hour = most.saturating_mul(SEARCH_MINUTES_AN_HOUR);
    count_call(call, &call.site.submission_rate, &key, most)?;
    count_call(call, &call.site.query_rate, &key, most_an_hour)
}

/// Counts an export of a visitor by query and address (S69).
pub fn count_query_export(call: &Call, query: &str) -> Result<()> {
    let key = ("query-export", query, call.address());
    let most = call.app.config.limits.exports;
    count_call(call, &call.site.submission_rate, &key, most)
}

fn within(allowance: Allowance) -> Result<()> {
    if allowance.is_allowed { Ok(()) } else { Err(Error::TooMany(allowance.reset_secs.max(1))) }
}
