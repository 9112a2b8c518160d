//! Turns of work that holds a thread, also while it waits for its turn.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Lets few work at the same time, and one on each thing.
#[derive(Debug)]
pub struct Turns {
    at_once: usize,
    /// How many more may wait.
    most_waiting: usize,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The keys that are being worked on.
    things: Vec<String>,
    waiting: usize,
}

impl Turns {
    pub fn new(at_once: usize, most_waiting: usize) -> Self {
        Self { at_once, most_waiting, state: Mutex::default(), ended: Condvar::new() }
    }

    /// A turn for one more, after a wait where there are enough or the thing is worked on. `None` if too many wait
    /// already, or none came within `patience`.
    pub fn begin(&self, thing: &str, patience: Duration) -> Option<Turn<'_>> {
        let is_free = |state: &State| state.things.len() < self.at_once && !state.things.iter().any(|it| it == thing);
        let mut state = self.state();
        if !is_free(&state) {
            if state.waiting == self.most_waiting {
                return None;
            }
            state.waiting += 1;
            let waited = self.ended.wait_timeout_while(state, patience, |state| !is_free(state));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
        if !is_free(&state) {
            return None;
        }
        state.things.push(thing.to_owned());
        Some(Turn(self, thing.to_owned()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Given back on drop.
#[derive(Debug)]
pub struct Turn<'t>(&'t Turns, String);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.state().things.retain(|thing| *thing != self.1);
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_third_waits_for_its_turn_and_so_does_a_second_of_the_same_thing() {
        let turns = Turns::new(2, 8);
        let waits = |thing: &str, turn: Turn| {
            std::thread::scope(|scope| {
                let third = scope.spawn(|| turns.begin(thing, LONG).is_some());
                while turns.state().waiting == 0 {
                    std::thread::yield_now();
                }
                assert!(!third.is_finished());
                drop(turn);
                assert!(third.join().expect("no panic"));
            });
        };
        let first = turns.begin("a", LONG).expect("a turn");
        let second = turns.begin("b", LONG).expect("a turn");
        waits("c", first);
        waits("b", second);
        assert!(turns.state().things.is_empty());
    }

    #[test]
    fn nobody_waits_for_ever_and_few_wait() {
        let turns = Turns::new(2, 8);
        let _turns = ["a", "b"].map(|thing| turns.begin(thing, LONG).expect("a turn"));
        assert!(turns.begin("c", Duration::from_millis(1)).is_none());
        turns.state().waiting = 8;
        assert!(turns.begin("c", LONG).is_none());
    }
}
