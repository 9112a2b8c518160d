//! In-memory state of accounts.

use crate::ops::accounts::passwords::Hashers;
use crate::ops::accounts::shown_once::ShownOnce;
use crate::ops::accounts::throttle::Throttle;
use crate::ops::accounts::token_uses::Uses;

/// Of accounts, between requests.
#[derive(Default)]
pub struct AccountState {
    /// The threads that hash passwords.
    pub(in crate::ops) hashers: Hashers,
    /// Failed sign-ins.
    pub(in crate::ops) throttle: Throttle,
    /// Uses of tokens that are not yet written to the database.
    pub(in crate::ops) token_uses: Uses,
    /// Secrets that a page will show once.
    pub shown_once: ShownOnce,
}
