//! Sessions of signed-in browsers (S18): new at every sign-in, idle for 7 days at most, 30 in all.

use crate::base::clock::{self, Time};
use crate::base::error::Result;
use crate::base::secret;
use crate::model::caller::{Caller, Credential};
use crate::ops::App;
use crate::store::sessions;

const IDLE_SECS: i64 = 7 * 86_400;
const LONGEST_SECS: i64 = 30 * 86_400;
/// Use is noted at most this often.
const NOTED_SECS: i64 = 300;

/// Who is signed in with the text that a browser keeps; none when the session has ended.
///
/// # Errors
/// Internal, 503.
pub fn resume(app: &App, text: &str) -> Result<Option<Caller>> {
    let hash = secret::hash(text);
    let found = app.store.read(|tx| sessions::by_hash(tx, &hash))?;
    let now = clock::now();
    let (begun, seen) = oldest(now);
    let found = found.filter(|found| {
        found.created_at >= begun && found.seen_at >= seen && found.user.disabled_at.is_none()
    });
    let Some(found) = found else {
        return Ok(None);
    };
    if now.secs_since(found.seen_at) >= NOTED_SECS {
        // Nobody waits for it: should it fail, the next request notes it.
        drop(app.store.submit(move |tx| sessions::touch(tx, &hash)));
    }
    Ok(Some(Caller::whole(found.user, Credential::Session)))
}

/// Ends a session.
///
/// # Errors
/// Internal, 503.
pub fn end(app: &App, text: &str) -> Result<()> {
    let hash = secret::hash(text);
    app.store.write(move |tx| sessions::end(tx, &hash))
}

/// The earliest begin and the earliest use of a session that still holds.
pub(in crate::ops) fn oldest(now: Time) -> (Time, Time) {
    (now.minus_secs(LONGEST_SECS), now.minus_secs(IDLE_SECS))
}
