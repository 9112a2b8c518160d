//! Sessions of signed-in browsers (S18): a new one at each sign-in, which ends after 7 days without use, or 30 days.

use crate::base::clock::{self, Time};
use crate::base::error::Result;
use crate::base::secret;
use crate::model::caller::{Caller, Credential};
use crate::ops::app::App;
use crate::store::accounts::sessions;

const IDLE_SECS: i64 = 7 * 86_400;
const LONGEST_SECS: i64 = 30 * 86_400;
/// Use is recorded at most this often.
const RECORD_SECS: i64 = 300;

/// The caller of a session cookie; `None` if the session has ended.
pub fn resume(app: &App, text: &str) -> Result<Option<Caller>> {
    let hash = secret::hash(text);
    let found = app.store.read(|tx| sessions::by_hash(tx, &hash))?;
    let now = clock::now();
    let (begun, seen) = oldest(now);
    let found =
        found.filter(|found| found.created_at >= begun && found.seen_at >= seen && found.user.disabled_at.is_none());
    let Some(found) = found else {
        return Ok(None);
    };
    if now.secs_since(found.seen_at) >= RECORD_SECS {
        // Does not wait for the write: if it fails, the next request records the use.
        drop(app.store.submit(move |tx| sessions::touch(tx, &hash)));
    }
    Ok(Some(Caller::with_all_scopes(found.user, Credential::Session)))
}

pub fn end(app: &App, text: &str) -> Result<()> {
    let hash = secret::hash(text);
    app.store.write(move |tx| sessions::end(tx, &hash))
}

/// A session in the caller's list.
pub struct OwnSession {
    /// When the user signed in.
    pub created_at: Time,
    /// When it was last used, to within a few minutes.
    pub seen_at: Time,
    /// The browser that began it, and its system, where they are known.
    pub browser: Option<String>,
    pub system: Option<String>,
    /// Whether this is the current session.
    pub is_this: bool,
}

/// The caller's sessions, last used first.
pub fn list(app: &App, caller: &Caller, text: &str) -> Result<Vec<OwnSession>> {
    let (begun, seen) = oldest(clock::now());
    let this = secret::hash(text);
    let all = app.store.read(|tx| sessions::list(tx, caller.user.id, begun, seen))?;
    let own = all.into_iter().map(|own| OwnSession {
        created_at: own.created_at,
        seen_at: own.seen_at,
        browser: own.browser,
        system: own.system,
        is_this: own.hash == this,
    });
    Ok(own.collect())
}

/// Ends all sessions of the caller except the current one.
pub fn end_others(app: &App, caller: &Caller, text: &str) -> Result<()> {
    let (user, this) = (caller.user.id, secret::hash(text));
    app.store.write(move |tx| sessions::end_all(tx, user, Some(&this)))
}

/// The earliest begin and the earliest last use of a valid session.
pub(in crate::ops) fn oldest(now: Time) -> (Time, Time) {
    (now.minus_secs(LONGEST_SECS), now.minus_secs(IDLE_SECS))
}
