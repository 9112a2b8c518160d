//! Sessions of signed-in browsers (S18): new at every sign-in, idle for 7 days at most, 30 in all.

use crate::base::clock::Time;

const IDLE_SECS: i64 = 7 * 86_400;
const LONGEST_SECS: i64 = 30 * 86_400;

/// The earliest begin and the earliest use of a session that still holds.
pub(in crate::ops) fn oldest(now: Time) -> (Time, Time) {
    (now.minus_secs(LONGEST_SECS), now.minus_secs(IDLE_SECS))
}
