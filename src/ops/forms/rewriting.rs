//! Which forms' entries are being rewritten for an edit that waits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many edits may have their entries rewritten at the same time.
const AT_ONCE: usize = 2;
/// How many more may wait for their turn.
const MOST_WAITING: usize = 8;

/// The forms whose entries are rewritten before an edit is answered. Each holds a thread of requests, and so does each
/// edit that waits for its turn, so there are few; the entries of other edits are the job's.
#[derive(Debug, Default)]
pub struct Rewriting {
    turns: Mutex<Turns>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Turns {
    forms: Vec<i64>,
    waiting: usize,
}

impl Turns {
    fn is_free(&self, form_no: i64) -> bool {
        self.forms.len() < AT_ONCE && !self.forms.contains(&form_no)
    }
}

impl Rewriting {
    /// A turn for one more, after a wait where there are enough or the form has one. `None` if too many wait already,
    /// or none came within `patience`.
    pub fn begin(&self, form_no: i64, patience: Duration) -> Option<Turn<'_>> {
        let mut turns = self.turns();
        if !turns.is_free(form_no) {
            if turns.waiting == MOST_WAITING {
                return None;
            }
            turns.waiting += 1;
            let waited = self.ended.wait_timeout_while(turns, patience, |turns| !turns.is_free(form_no));
            turns = waited.unwrap_or_else(PoisonError::into_inner).0;
            turns.waiting -= 1;
        }
        if !turns.is_free(form_no) {
            return None;
        }
        turns.forms.push(form_no);
        Some(Turn(self, form_no))
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Given back on drop.
#[derive(Debug)]
pub struct Turn<'r>(&'r Rewriting, i64);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.turns().forms.retain(|form_no| *form_no != self.1);
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_third_waits_for_its_turn_and_so_does_a_second_of_the_same_form() {
        let rewriting = Rewriting::default();
        let waits = |form_no: i64, turn: Turn| {
            std::thread::scope(|scope| {
                let third = scope.spawn(|| rewriting.begin(form_no, LONG).is_some());
                while rewriting.turns().waiting == 0 {
                    std::thread::yield_now();
                }
                assert!(!third.is_finished());
                drop(turn);
                assert!(third.join().expect("no panic"));
            });
        };
        let first = rewriting.begin(1, LONG).expect("a turn");
        let second = rewriting.begin(2, LONG).expect("a turn");
        waits(3, first);
        waits(2, second);
        assert!(rewriting.turns().forms.is_empty());
    }

    #[test]
    fn nobody_waits_for_ever_and_few_wait() {
        let rewriting = Rewriting::default();
        let _turns = [1, 2].map(|form_no| rewriting.begin(form_no, LONG).expect("a turn"));
        assert!(rewriting.begin(3, Duration::from_millis(1)).is_none());
        rewriting.turns().waiting = MOST_WAITING;
        assert!(rewriting.begin(3, LONG).is_none());
    }
}
