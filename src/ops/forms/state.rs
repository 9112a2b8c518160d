//! What is kept in memory of forms.

use crate::base::rate::RateTable;
use crate::ops::forms::rewriting::Rewriting;

/// Of forms, between requests.
#[derive(Default)]
pub struct FormState {
    /// Wrong access passwords, by network and form.
    pub(in crate::ops) password_tries: RateTable,
    /// Forms whose entries are being rewritten before an edit is answered.
    pub(in crate::ops) rewriting: Rewriting,
}
