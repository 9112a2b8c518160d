//! Which forms' entries are being rewritten for an edit that waits.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many edits may wait for their entries at the same time.
const AT_ONCE: usize = 2;

/// The forms whose entries are rewritten before an edit is answered. Each holds a thread of requests, so there are
/// few; the entries of other edits are the job's.
#[derive(Debug, Default)]
pub struct Rewriting(Mutex<Vec<i64>>);

impl Rewriting {
    /// A turn for one more; none where there are enough, or the form has one.
    pub fn begin(&self, form_no: i64) -> Option<Turn<'_>> {
        let mut forms = self.forms();
        if forms.len() == AT_ONCE || forms.contains(&form_no) {
            return None;
        }
        forms.push(form_no);
        Some(Turn(self, form_no))
    }

    fn forms(&self) -> MutexGuard<'_, Vec<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Given back on drop.
pub struct Turn<'r>(&'r Rewriting, i64);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.forms().retain(|form_no| *form_no != self.1);
    }
}
