//! Secrets on their way from the request that created them to the page that shows them once: kept in memory for the
//! session. A restart loses them; then the user creates another one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::clock::Time;
use crate::base::secret::{self, Secret};

/// The most pending secrets; the oldest is dropped.
const MOST: usize = 1_000;
const VALID_SECS: i64 = 10 * 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A personal access token.
    AccessToken,
    /// The link of an invitation.
    Invitation,
    /// The recovery codes of a second factor, one per line.
    RecoveryCodes,
    /// The secret of the webhook with this row id.
    Webhook(i64),
}

struct PendingSecret {
    session: [u8; 32],
    kind: SecretKind,
    expires_at: Time,
    secret: Secret,
}

/// The secrets that no page has shown yet.
#[derive(Default)]
pub struct ShownOnce(Mutex<Vec<PendingSecret>>);

impl ShownOnce {
    /// Keeps a secret for a session. It replaces an earlier one of the same kind that was not shown.
    pub fn keep(&self, session: &str, kind: SecretKind, secret: Secret, now: Time) {
        let session = secret::hash(session);
        let mut pending = self.live(now);
        pending.retain(|one| (one.session, one.kind) != (session, kind));
        if pending.len() >= MOST {
            pending.remove(0);
        }
        pending.push(PendingSecret { session, kind, expires_at: now.plus_secs(VALID_SECS), secret });
    }

    /// Removes and returns the session's pending secret of this kind.
    pub fn take(&self, session: &str, kind: SecretKind, now: Time) -> Option<Secret> {
        let session = secret::hash(session);
        let mut pending = self.live(now);
        let at = pending.iter().position(|one| (one.session, one.kind) == (session, kind))?;
        Some(pending.remove(at).secret)
    }

    /// The secrets that have not expired.
    fn live(&self, now: Time) -> MutexGuard<'_, Vec<PendingSecret>> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|one| now < one.expires_at);
        pending
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
            kept.keep(session, SecretKind::AccessToken, Secret::new(text.to_owned()), now);
        };
        let take = |session: &str, kind: SecretKind, now: Time| {
            let taken = kept.take(session, kind, now);
            taken.map(|secret| secret.reveal().to_owned())
        };
        keep("a", "first");
        keep("a", "second");
        assert_eq!(take("b", SecretKind::AccessToken, now), None);
        assert_eq!(take("a", SecretKind::Invitation, now), None);
        assert_eq!(take("a", SecretKind::AccessToken, now).as_deref(), Some("second"));
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
