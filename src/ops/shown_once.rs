//! Secrets on the way from the request that made them to the page that shows them: in memory alone, for the session
//! that asked, once. A restart forgets them; then another one is made.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::clock::Time;
use crate::base::secret::{self, Secret};

/// More are not kept at once: the oldest goes.
const MOST: usize = 1_000;
const VALID_SECS: i64 = 10 * 60;

/// What a secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A personal access token.
    AccessToken,
    /// The secret of an invitation's link.
    Invitation,
    /// The recovery codes of a second factor, one a line.
    RecoveryCodes,
}

struct Waiting {
    session: [u8; 32],
    kind: SecretKind,
    expires_at: Time,
    secret: Secret,
}

/// The secrets that no page has shown yet.
#[derive(Default)]
pub struct ShownOnce(Mutex<Vec<Waiting>>);

impl ShownOnce {
    /// Keeps a secret for a session. An earlier one of the same kind that was not shown is forgotten.
    pub fn keep(&self, session: &str, kind: SecretKind, secret: Secret, now: Time) {
        let session = secret::hash(session);
        let mut waiting = self.live(now);
        waiting.retain(|one| (one.session, one.kind) != (session, kind));
        if waiting.len() >= MOST {
            waiting.remove(0);
        }
        waiting.push(Waiting {
            session,
            kind,
            expires_at: now.plus_secs(VALID_SECS),
            secret,
        });
    }

    /// Hands out the session's secret of this kind, if one waits, and forgets it.
    pub fn take(&self, session: &str, kind: SecretKind, now: Time) -> Option<Secret> {
        let session = secret::hash(session);
        let mut waiting = self.live(now);
        let at = waiting
            .iter()
            .position(|one| (one.session, one.kind) == (session, kind))?;
        Some(waiting.remove(at).secret)
    }

    /// Those that have not expired.
    fn live(&self, now: Time) -> MutexGuard<'_, Vec<Waiting>> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|one| now < one.expires_at);
        waiting
    }
}

#[cfg(test)]
mod tests {
    use crate::base::clock;

    use super::*;

    #[test]
    fn a_secret_is_handed_out_once_to_its_session_and_not_after_its_time() {
        let (kept, now) = (ShownOnce::default(), clock::now());
        let keep = |session: &str, text: &str| {
            kept.keep(
                session,
                SecretKind::AccessToken,
                Secret::new(text.to_owned()),
                now,
            );
        };
        let take = |session: &str, kind: SecretKind, now: Time| {
            let taken = kept.take(session, kind, now);
            taken.map(|secret| secret.reveal().to_owned())
        };
        keep("a", "first");
        keep("a", "second");
        assert_eq!(take("b", SecretKind::AccessToken, now), None);
        assert_eq!(take("a", SecretKind::Invitation, now), None);
        assert_eq!(
            take("a", SecretKind::AccessToken, now).as_deref(),
            Some("second")
        );
        assert_eq!(take("a", SecretKind::AccessToken, now), None);
        keep("a", "third");
        let late = now.plus_secs(VALID_SECS);
        assert_eq!(take("a", SecretKind::AccessToken, late), None);
        for n in 0..=MOST {
            keep(&n.to_string(), "x");
        }
        assert_eq!(take("0", SecretKind::AccessToken, now), None);
        assert!(take("1", SecretKind::AccessToken, now).is_some());
    }
}
