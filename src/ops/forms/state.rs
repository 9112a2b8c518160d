//! State of forms that is kept in memory.

use crate::base::rate::RateTable;
use crate::ops::app::turns::Turns;
use crate::ops::forms::drafts::presence::Presence;

/// How many edits may have their entries rewritten at the same time before they are answered.
const REWRITES: usize = 2;
/// How many more may wait for that. The entries of other edits are the job's.
const MOST_WAITING: usize = 8;

/// Of forms, between requests.
pub struct FormState {
    /// Wrong access passwords, by network and form.
    pub(in crate::ops) password_tries: RateTable,
    /// Forms whose entries are being rewritten before an edit is answered.
    pub(in crate::ops) rewriting: Turns,
    /// The people working on each draft.
    pub presence: Presence,
}

impl Default for FormState {
    fn default() -> Self {
        Self {
            password_tries: RateTable::default(),
            rewriting: Turns::new(REWRITES, MOST_WAITING),
            presence: Presence::default(),
        }
    }
}
