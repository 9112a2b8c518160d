//! Rules for passwords (S15), and a thread pool that hashes them: hashing is slow by design, so at most two run at once
//! (S14).

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use unicode_normalization::UnicodeNormalization as _;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::priority;
use crate::base::reason::Reason;
use crate::base::secret::{self, HashMemory, Secret};
use crate::base::text::{self, identity};
use crate::model::user::folded_email;

const SHORTEST: usize = 10;
const LONGEST: usize = 256;
/// Maximum number of characters that NFC composes into one.
const COMPOSED: usize = 4;
const AT_ONCE: usize = 2;
const WAITING: usize = 16;

type HashJob = Box<dyn FnOnce(&mut HashMemory) + Send>;

/// Two hashing threads with reusable memory, started on first use, and a queue of 16 jobs.
#[derive(Default)]
pub struct Hashers(OnceLock<SyncSender<HashJob>>);

impl Hashers {
    /// Hashes a password.
    ///
    /// # Errors
    /// 503 if the queue is full.
    pub fn hash(&self, password: &Secret) -> Result<String> {
        let password = password.clone();
        self.run(move |memory| secret::hash_password(password.reveal(), memory))?
    }

    /// Whether the password matches the stored hash. Without a hash it takes the same time (S17). A password above the
    /// maximum length is refused without hashing.
    ///
    /// # Errors
    /// 503 if the queue is full.
    pub fn matches(&self, password: &Secret, stored: Option<&str>) -> Result<bool> {
        let Some(password) = normal(password) else {
            return Ok(false);
        };
        let stored = stored.map(str::to_owned);
        self.run(move |memory| secret::password_matches(password.reveal(), stored.as_deref(), memory))
    }

    fn run<T: Send + 'static>(&self, work: impl FnOnce(&mut HashMemory) -> T + Send + 'static) -> Result<T> {
        let (reply, answer) = sync_channel(1);
        let work = Box::new(move |memory: &mut HashMemory| {
            // The request may have ended.
            let _ = reply.send(work(memory));
        });
        match self.0.get_or_init(start).try_send(work) {
            Ok(()) => answer.recv().map_err(|_| Error::internal("a password could not be hashed")),
            Err(TrySendError::Full(_)) => Err(Error::Busy("too many people are signing in", 2)),
            Err(TrySendError::Disconnected(_)) => Err(Error::internal("no thread hashes passwords")),
        }
    }
}

fn start() -> SyncSender<HashJob> {
    let (queue, work) = sync_channel(WAITING);
    let work = Arc::new(Mutex::new(work));
    for _ in 0..AT_ONCE {
        let work = Arc::clone(&work);
        let thread = std::thread::Builder::new().name("passwords".to_owned());
        if let Err(e) = thread.spawn(move || take_turns(&work)) {
            tracing::error!("a thread that hashes passwords can't start: {e}");
        }
    }
    queue
}

/// Runs jobs until the queue is closed.
fn take_turns(work: &Mutex<Receiver<HashJob>>) {
    // Requests have priority over hashing while passwords are being guessed.
    priority::lower();
    let mut memory = HashMemory::default();
    loop {
        let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(next) = next else { break };
        if catch_unwind(AssertUnwindSafe(|| next(&mut memory))).is_err() {
            tracing::error!("hashing a password panicked");
        }
    }
}

/// A password in NFC, which makes it independent of the keyboard; `None` if it is too long. Reads no more of the input
/// than needed to tell.
pub fn normal(password: &Secret) -> Option<Secret> {
    let given = password.reveal().chars().take((LONGEST + 1) * COMPOSED);
    let normal = Secret::new(given.nfc().take(LONGEST + 1).collect());
    (text::length(normal.reveal()) <= LONGEST).then_some(normal)
}

/// Checks a new password; returns it in NFC.
pub fn check(password: &Secret, email: &str, at: &mut Issues) -> Secret {
    let Some(password) = normal(password) else {
        at.push_at("password", Reason::TooLong { most: LONGEST });
        return Secret::new(String::new());
    };
    let shown = password.reveal();
    if shown.contains('\0') {
        at.push_at("password", Reason::Nul);
    } else if text::length(shown) < SHORTEST {
        at.push_at("password", Reason::TooShort { least: SHORTEST });
    } else if folded_email(email).is_some_and(|email| identity::of_email(shown) == email) {
        at.push_at("password", Reason::PasswordIsEmail);
    } else if is_common(shown) {
        at.push_at("password", Reason::CommonPassword);
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
        check(&Secret::new(password.to_owned()), "Ann@example.org", &mut at);
        at.into_list().into_iter().map(|issue| issue.message()).collect()
    }

    #[test]
    fn long_enough_uncommon_and_not_the_address() {
        assert_eq!(faults("correct horse"), [""; 0]);
        assert_eq!(faults(&"é".repeat(256)), [""; 0]);
        assert_eq!(faults("ten chars!"), [""; 0]);
        assert_eq!(faults("nine char"), ["is too short (at least 10 characters)"]);
        assert_eq!(faults(&"x".repeat(257)), ["is too long (at most 256 characters)"]);
        assert_eq!(faults("Password123"), ["is one of the most common passwords"]);
        assert_eq!(faults("qwertyuiop"), ["is one of the most common passwords"]);
        assert_eq!(faults("ann@EXAMPLE.org"), ["must not be the email address"]);
        assert_eq!(faults("correct\0horse"), ["must not contain NUL characters"]);
    }

    #[test]
    fn the_same_from_every_keyboard() {
        let composed = normal(&Secret::new("caf\u{e9} au lait".to_owned()));
        let decomposed = normal(&Secret::new("cafe\u{301} au lait".to_owned()));
        let [composed, decomposed] = [composed, decomposed].map(|one| one.expect("short enough"));
        assert_eq!(composed.reveal(), decomposed.reveal());
        let normal = |text: String| normal(&Secret::new(text));
        let longest = normal("\u{3b1}\u{313}\u{300}\u{345}".repeat(LONGEST));
        assert_eq!(longest.expect("256").reveal(), "\u{1f82}".repeat(LONGEST));
        for long in ["x", "\u{1f82}", "\u{3b1}\u{313}\u{300}\u{345}", "\u{301}", "\u{fdfa}"] {
            assert!(normal(long.repeat(LONGEST + 1)).is_none(), "{long}");
            assert!(normal(long.repeat(100_000)).is_none(), "{long}");
        }
    }

    #[test]
    fn two_at_once_and_sixteen_waiting() {
        let hashers = Hashers::default();
        let (begun, starts) = sync_channel(AT_ONCE);
        let (go, held) = sync_channel::<()>(0);
        let held = Arc::new(Mutex::new(held));
        std::thread::scope(|scope| {
            let run = |begun: SyncSender<()>| {
                let (hashers, held) = (&hashers, Arc::clone(&held));
                scope.spawn(move || {
                    hashers.run(move |_| {
                        let _ = begun.send(());
                        let _ = held.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    })
                })
            };
            let running = [run(begun.clone()), run(begun.clone())];
            starts.recv().expect("the first runs");
            starts.recv().expect("the second runs");
            let queue = hashers.0.get_or_init(start);
            let waiting = (0..100).take_while(|_| queue.try_send(Box::new(|_| ())).is_ok());
            assert_eq!(waiting.count(), WAITING);
            assert!(matches!(hashers.run(|_| ()), Err(Error::Busy(..))));
            drop(go);
            assert!(running.into_iter().all(|one| one.join().is_ok()));
        });
        while hashers.run(|_| ()).is_err() {
            std::thread::yield_now();
        }
    }
}
