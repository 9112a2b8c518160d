//! What a password must be (S15), and hashing it: slow on purpose, so at most two at once (S14).

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use unicode_normalization::UnicodeNormalization as _;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::secret::{self, Secret};
use crate::base::text;

const SHORTEST: usize = 10;
const LONGEST: usize = 256;
const AT_ONCE: usize = 2;
const WAITING: usize = 16;

/// Lets two hashes run and sixteen wait; each takes 19 MiB.
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    waiting: usize,
}

impl Gate {
    /// Hashes a password.
    ///
    /// # Errors
    /// 503 when too many wait.
    pub fn hash(&self, password: &Secret) -> Result<String> {
        let _turn = self.enter()?;
        secret::hash_password(password.reveal())
    }

    /// Whether the password is the one that was hashed; as slow where there is none (S17).
    ///
    /// # Errors
    /// 503 when too many wait.
    pub fn matches(&self, password: &Secret, stored: Option<&str>) -> Result<bool> {
        let _turn = self.enter()?;
        Ok(secret::password_matches(password.reveal(), stored))
    }

    fn enter(&self) -> Result<Turn<'_>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.running >= AT_ONCE {
            if state.waiting >= WAITING {
                return Err(Error::Busy("too many people are signing in", 2));
            }
            state.waiting += 1;
            while state.running >= AT_ONCE {
                state = self
                    .freed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.waiting -= 1;
        }
        state.running += 1;
        Ok(Turn(self))
    }
}

struct Turn<'a>(&'a Gate);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running -= 1;
        drop(state);
        self.0.freed.notify_one();
    }
}

/// A password as it is compared: NFC, so that it is the same from every keyboard.
pub fn normal(password: &Secret) -> Secret {
    Secret::new(password.reveal().nfc().collect())
}

/// Checks a new password and brings it to its normal form.
pub fn check(password: &Secret, email: &str, at: &mut Issues) -> Secret {
    let password = normal(password);
    let shown = password.reveal();
    let length = text::length(shown);
    if shown.contains('\0') {
        at.push_at("password", text::NUL_FAULT);
    } else if length < SHORTEST {
        at.push_at(
            "password",
            format!("is too short (at least {SHORTEST} characters)"),
        );
    } else if length > LONGEST {
        at.push_at(
            "password",
            format!("is too long (at most {LONGEST} characters)"),
        );
    } else if text::fold(shown) == text::fold(email) {
        at.push_at("password", "must not be the e-mail address");
    } else if is_common(shown) {
        at.push_at("password", "is one of the most common passwords");
    }
    password
}

fn is_common(password: &str) -> bool {
    static COMMON: OnceLock<HashSet<String>> = OnceLock::new();
    COMMON
        .get_or_init(|| {
            include_str!("common_passwords.txt")
                .lines()
                .filter(|line| !line.starts_with("# "))
                .map(text::fold)
                .collect()
        })
        .contains(&text::fold(password))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(password: &str) -> Vec<String> {
        let mut at = Issues::new();
        check(
            &Secret::new(password.to_owned()),
            "Ann@example.org",
            &mut at,
        );
        at.into_list()
            .into_iter()
            .map(|issue| issue.message)
            .collect()
    }

    #[test]
    fn long_enough_uncommon_and_not_the_address() {
        assert_eq!(faults("correct horse"), [""; 0]);
        assert_eq!(faults(&"é".repeat(256)), [""; 0]);
        assert_eq!(faults("ten chars!"), [""; 0]);
        assert_eq!(
            faults("nine char"),
            ["is too short (at least 10 characters)"]
        );
        assert_eq!(
            faults(&"x".repeat(257)),
            ["is too long (at most 256 characters)"]
        );
        assert_eq!(
            faults("Password123"),
            ["is one of the most common passwords"]
        );
        assert_eq!(
            faults("qwertyuiop"),
            ["is one of the most common passwords"]
        );
        assert_eq!(
            faults("ann@EXAMPLE.org"),
            ["must not be the e-mail address"]
        );
        assert_eq!(faults("correct\0horse"), [text::NUL_FAULT]);
    }

    #[test]
    fn the_same_from_every_keyboard() {
        let composed = normal(&Secret::new("caf\u{e9} au lait".to_owned()));
        let decomposed = normal(&Secret::new("cafe\u{301} au lait".to_owned()));
        assert_eq!(composed.reveal(), decomposed.reveal());
    }

    #[test]
    fn two_at_once_and_sixteen_waiting() {
        let gate = Gate::default();
        let first = (gate.enter().expect("enters"), gate.enter().expect("enters"));
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..WAITING)
                .map(|_| scope.spawn(|| gate.enter().is_ok()))
                .collect();
            while gate.state.lock().expect("lock").waiting < WAITING {
                std::thread::yield_now();
            }
            assert!(matches!(gate.enter(), Err(Error::Busy(..))));
            drop(first);
            assert!(
                waiting
                    .into_iter()
                    .all(|thread| thread.join().expect("joins"))
            );
        });
    }
}
