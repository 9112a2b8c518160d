//! Signing in: throttled without locking anybody out (S16), and as slow and as silent for an unknown
//! account as for a wrong password (S17).

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id;
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::base::secret::{self, Keys, Purpose, Secret};
use crate::base::text;
use crate::model::audit::Action;
use crate::model::user::{User, folded_email};
use crate::ops::audit::{self, By};
use crate::ops::throttle::Failures;
use crate::ops::{App, passwords, second_factor};
use crate::store::tx::Tx;
use crate::store::{second_factors, sessions, users};

/// Failures of one account from one network that cost no waiting.
const FREE_FAILURES: u32 = 5;
const LONGEST_WAIT_MINUTES: i64 = 15;
/// What is not used for this long is forgotten.
const REMEMBERED_SECS: i64 = 86_400;
/// Failures of one account, from anywhere, in an hour.
const HOURLY_FAILURES: u32 = 100;
/// Failures of one account in an hour that the audit log tells of, and tries that had to wait: whoever guesses
/// must not fill it.
const NOTED_FAILURES: u32 = 10;
const NOTED_WAITS: u32 = 1;
const NONCE_LENGTH: usize = 22;
/// How long somebody may look for the second factor.
const TICKET_SECS: i64 = 300;

/// Somebody tries to sign in.
pub struct Attempt<'a> {
    /// The address of the account.
    pub email: &'a str,
    /// The password.
    pub password: Secret,
    /// Who tries, as an address; IPv6 as its /64.
    pub address: &'a str,
    /// The same, as a network.
    pub network: &'a str,
    /// What the browser keeps of an earlier sign-in.
    pub device: Option<&'a str>,
    /// The session that the browser has; a new one takes its place.
    pub session: Option<&'a str>,
    /// When.
    pub now: Time,
}

/// What becomes of it.
pub enum Outcome {
    /// Signed in.
    In(Box<SignedIn>),
    /// The password is right, and a second factor is to be shown with this ticket.
    SecondStep(String),
    /// The account or the password is wrong; nobody learns which.
    Refused,
    /// Too many tries: this many seconds to wait.
    Wait(u64),
}

/// A session that began.
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// What the browser keeps while it is signed in.
    pub session: Secret,
    /// What the browser keeps for the next sign-in.
    pub device: String,
}

/// Tries to sign in.
///
/// # Errors
/// 503 when too many passwords are being hashed.
pub fn sign_in(app: &App, attempt: Attempt) -> Result<Outcome> {
    let account = folded_email(attempt.email.trim());
    // What is too long to be right is refused before anything is looked up, so for everybody alike.
    let can_be = account.is_some() && passwords::normal(&attempt.password).is_some();
    let account = account.unwrap_or_default();
    let device = attempt
        .device
        .filter(|device| is_device(app.keys(), &account, device));
    // A browser that was signed in before is told apart from its network: whoever else fails there does
    // not keep its owner out.
    let seat = (account.as_str(), device.unwrap_or(attempt.network));
    if let Some(wait) = app.throttle(&seat, device, &attempt) {
        app.note_try(Action::SignInThrottled, attempt.email.trim(), attempt.now);
        return Ok(Outcome::Wait(wait));
    }
    if !can_be {
        return Ok(Outcome::Refused);
    }
    let found = app
        .store
        .read(|tx| users::by_email(tx, attempt.email.trim()))?;
    let found = found.filter(|found| found.user.disabled_at.is_none());
    let stored = found
        .as_ref()
        .and_then(|found| found.password_hash.as_deref());
    let is_right = app
        .hashers
        .matches(&attempt.password, stored)
        .inspect_err(|_| app.not_looked_at(&seat, attempt.now))?;
    let Some(found) = found.filter(|_| is_right) else {
        app.failed(&seat, attempt.now);
        app.note_try(Action::SignInFailed, attempt.email.trim(), attempt.now);
        return Ok(Outcome::Refused);
    };
    app.throttle.by_pair.forget(&seat);
    let renewed = match &found.password_hash {
        Some(hash) if secret::is_outdated(hash) => passwords::normal(&attempt.password),
        _ => None,
    };
    let renewed = renewed.map(|password| app.hashers.hash(&password));
    let renewed = renewed.transpose()?;
    let mut kept = found.password_hash.unwrap_or_default();
    if let Some(renewed) = renewed {
        let (user, new) = (found.user.clone(), renewed.clone());
        app.store.write(move |tx| {
            still(tx, &user, &kept)?;
            users::set_password(tx, user.id, &new)
        })?;
        kept = renewed;
    }
    let id = found.user.id;
    if app.store.read(|tx| second_factors::find(tx, id))?.is_some() {
        let ticket = ticket(app.keys(), &found.user, &kept, attempt.now);
        return Ok(Outcome::SecondStep(ticket));
    }
    begin(app, found.user, kept, attempt.session).map(|signed_in| Outcome::In(Box::new(signed_in)))
}

/// That the account still has the password that was looked at, and may sign in: otherwise all is asked anew.
fn still(tx: &Tx, user: &User, password_hash: &str) -> Result<()> {
    let found = users::by_email(tx, &user.email)?.filter(|found| {
        found.user.id == user.id
            && found.user.disabled_at.is_none()
            && found.password_hash.as_deref() == Some(password_hash)
    });
    found.map(drop).ok_or(Error::Stale)
}

/// Begins a session; the one that the browser has ends.
fn begin(app: &App, user: User, password_hash: String, old: Option<&str>) -> Result<SignedIn> {
    let session = secret::random_text();
    let (hash, id) = (secret::hash(session.reveal()), user.id);
    let old = old.map(secret::hash);
    let who = user.clone();
    app.store.write(move |tx| {
        still(tx, &who, &password_hash)?;
        audit::note(tx, By::person(&who), Action::SignedIn, &who.token)?;
        if let Some(old) = &old {
            sessions::end(tx, old)?;
        }
        sessions::insert(tx, &hash, id)
    })?;
    Ok(SignedIn {
        device: new_device(app.keys(), &text::fold(&user.email)),
        user,
        session,
    })
}

/// What shows for some minutes that somebody gave the password that the account has now.
fn ticket(keys: &Keys, user: &User, password_hash: &str, now: Time) -> String {
    let end = now.plus_secs(TICKET_SECS).millis();
    let signature = sign_ticket(keys, &user.token, end, password_hash);
    format!("{}.{end}.{signature}", user.token)
}

fn sign_ticket(keys: &Keys, user: &str, end: i64, password_hash: &str) -> String {
    let parts = [
        user.as_bytes(),
        &end.to_be_bytes(),
        password_hash.as_bytes(),
    ];
    keys.sign(Purpose::SecondStep, &parts)
}

/// Shows the second factor after the password: `attempt` holds the code in the place of the password, and
/// no address.
///
/// # Errors
/// 403 where the ticket is too old, or none.
pub fn second_step(app: &App, ticket: &str, attempt: Attempt) -> Result<Outcome> {
    let mut parts = ticket.splitn(3, '.');
    let (token, end, signature) = match (parts.next(), parts.next(), parts.next()) {
        (Some(token), Some(end), Some(signature)) => (token, end, signature),
        _ => return Err(Error::Forbidden),
    };
    let end: i64 = end.parse().map_err(|_| Error::Forbidden)?;
    let found = app.store.read(|tx| match users::by_token(tx, token)? {
        Some(user) => users::by_email(tx, &user.email),
        None => Ok(None),
    })?;
    let found = found
        .filter(|found| found.user.disabled_at.is_none() && attempt.now.millis() < end)
        .ok_or(Error::Forbidden)?;
    let kept = found.password_hash.as_deref().unwrap_or_default();
    let known = sign_ticket(app.keys(), token, end, kept);
    if !secret::same(known.as_bytes(), signature.as_bytes()) {
        return Err(Error::Forbidden);
    }
    let account = text::fold(&found.user.email);
    let device = attempt
        .device
        .filter(|device| is_device(app.keys(), &account, device));
    // Apart from the tries of passwords: a right one must not wash off wrong codes.
    let place = format!("code {}", device.unwrap_or(attempt.network));
    let seat = (account.as_str(), place.as_str());
    if let Some(wait) = app.throttle(&seat, device, &attempt) {
        app.note_try(Action::SignInThrottled, &found.user.email, attempt.now);
        return Ok(Outcome::Wait(wait));
    }
    let (id, code, now) = (found.user.id, attempt.password.clone(), attempt.now);
    let keys = app.store.shared_keys();
    let is_right = app
        .store
        .write(move |tx| second_factor::spend(&keys, tx, id, code.reveal(), now))?;
    if !is_right {
        app.failed(&seat, attempt.now);
        app.note_try(Action::SignInFailed, &found.user.email, attempt.now);
        return Ok(Outcome::Refused);
    }
    app.throttle.by_pair.forget(&seat);
    let kept = found.password_hash.unwrap_or_default();
    begin(app, found.user, kept, attempt.session).map(|signed_in| Outcome::In(Box::new(signed_in)))
}

impl App {
    /// Notes a try that failed, where there is such an account. Nobody waits for that, so that an account that is
    /// there takes no longer than one that is not (S17).
    fn note_try(&self, action: Action, email: &str, now: Time) {
        let limit = match action {
            Action::SignInThrottled => NOTED_WAITS,
            _ => NOTED_FAILURES,
        };
        let Some(account) = folded_email(email) else {
            return;
        };
        let seat = (account, action.name());
        if !self.throttle.noted.hit(&seat, limit, now).is_allowed {
            return;
        }
        if let Ok(Some(found)) = self.store.read(|tx| users::by_email(tx, email)) {
            let User {
                organization,
                token,
                ..
            } = found.user;
            let by = By::nobody(organization.id);
            drop(
                self.store
                    .submit(move |tx| audit::note(tx, by, action, &token)),
            );
        }
    }

    /// Counts a try; the seconds to wait where there were too many.
    fn throttle(
        &self,
        seat: &(&str, &str),
        device: Option<&str>,
        attempt: &Attempt,
    ) -> Option<u64> {
        let (limits, now) = (&self.config.limits, attempt.now);
        let from = device.unwrap_or(attempt.address);
        let a_minute = self.throttle.by_address.hit(&from, limits.sign_ins, now);
        if limits.on && !a_minute.is_allowed {
            return Some(a_minute.reset_secs.max(1));
        }
        // The waiting of an account holds whatever `--rate-limits` says.
        let an_hour = self.throttle.by_account.peek(&seat.0, HOURLY_FAILURES, now);
        if device.is_none() && an_hour.remaining == 0 {
            return Some(an_hour.reset_secs.max(1));
        }
        let mut wait = 0;
        self.throttle.by_pair.change(seat, |known| {
            let known = known.filter(|known| now.secs_since(known.last) < REMEMBERED_SECS);
            let known = known.unwrap_or(Failures {
                count: 0,
                last: now,
            });
            // Of two at once the later one may have been counted before.
            wait = wait_secs(known.count) - now.secs_since(known.last).max(0);
            if wait > 0 {
                return known;
            }
            // Counted before it is known to be one, so that many at once do not slip through; without rate limits
            // many may sign in at once.
            match limits.on {
                true => known.and_one(now),
                false => known,
            }
        });
        u64::try_from(wait).ok().filter(|wait| *wait > 0)
    }

    /// Counts a try to sign in that failed.
    fn failed(&self, seat: &(&str, &str), now: Time) {
        self.throttle.by_account.hit(&seat.0, HOURLY_FAILURES, now);
        self.count_failure(seat, now);
    }

    /// Counts a try that failed, where it was not counted before.
    fn count_failure(&self, seat: &(&str, &str), now: Time) {
        if !self.config.limits.on {
            self.throttle.by_pair.change(seat, |known| {
                known
                    .unwrap_or(Failures {
                        count: 0,
                        last: now,
                    })
                    .and_one(now)
            });
        }
    }

    /// Takes a try back that nobody looked at: it was no failure.
    fn not_looked_at(&self, seat: &(&str, &str), now: Time) {
        if self.config.limits.on {
            self.throttle.by_pair.change(seat, |known| Failures {
                count: known.map_or(0, |known| known.count.saturating_sub(1)),
                last: now,
            });
        }
    }
}

/// How long after its last failure a pair waits: 1, 2, 4 … 15 minutes from the fifth on.
fn wait_secs(failures: u32) -> i64 {
    match failures.checked_sub(FREE_FAILURES) {
        None => 0,
        Some(more) => 60 * (1_i64 << more.min(4)).min(LONGEST_WAIT_MINUTES),
    }
}

/// What a browser keeps to be known at the next sign-in of this account.
pub(in crate::ops) fn new_device(keys: &Keys, account: &str) -> String {
    let nonce = id::random(NONCE_LENGTH);
    let signature = keys.sign(Purpose::Device, &[account.as_bytes(), nonce.as_bytes()]);
    format!("{nonce}.{signature}")
}

fn is_device(keys: &Keys, account: &str, device: &str) -> bool {
    device.split_once('.').is_some_and(|(nonce, signature)| {
        nonce.len() == NONCE_LENGTH
            && keys.verify(
                Purpose::Device,
                &[account.as_bytes(), nonce.as_bytes()],
                signature,
            )
    })
}

/// Checks the password of somebody who is signed in and changes it, ending all their other sessions.
///
/// # Errors
/// 422 when the old one is wrong or the new one won't do; 503.
pub fn change_password(
    app: &App,
    user: &User,
    session: &str,
    old: &Secret,
    new: &Secret,
    now: Time,
) -> Result<()> {
    let mut at = Issues::new();
    let new = passwords::check(new, &user.email, &mut at);
    let before = app.store.read(|tx| users::by_email(tx, &user.email))?;
    let before = before.and_then(|found| found.password_hash);
    check_password(app, user, session, old, now, |is_right| {
        if !is_right {
            at.push_at("old_password", Reason::Wrong);
        }
        at.into_result()
    })?;
    let hash = app.hashers.hash(&new)?;
    let (user, kept) = (user.clone(), secret::hash(session));
    app.store.write(move |tx| {
        still(tx, &user, before.as_deref().unwrap_or_default())?;
        users::set_password(tx, user.id, &hash)?;
        audit::note(tx, By::person(&user), Action::PasswordChanged, &user.token)?;
        sessions::end_all(tx, user.id, Some(&kept))
    })
}

/// Checks the password of somebody who is signed in. `decide` hears whether it is right; only what it lets
/// pass counts as no failure.
///
/// # Errors
/// 429, 503, and what `decide` returns.
pub(in crate::ops) fn check_password(
    app: &App,
    user: &User,
    session: &str,
    password: &Secret,
    now: Time,
    decide: impl FnOnce(bool) -> Result<()>,
) -> Result<()> {
    let account = text::fold(&user.email);
    // A session that was stolen must not serve to guess the password.
    let attempt = Attempt {
        email: &user.email,
        password: password.clone(),
        address: session,
        network: session,
        device: None,
        session: None,
        now,
    };
    let seat = (account.as_str(), session);
    if let Some(wait) = app.throttle(&seat, Some(session), &attempt) {
        return Err(Error::TooMany(wait));
    }
    let found = app.store.read(|tx| users::by_email(tx, &user.email))?;
    let stored = found.and_then(|found| found.password_hash);
    let is_right = app.hashers.matches(password, stored.as_deref())?;
    if let Err(error) = decide(is_right) {
        if !is_right {
            app.count_failure(&seat, now);
        }
        return Err(error);
    }
    app.throttle.by_pair.forget(&seat);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_quarter_of_an_hour() {
        let minutes: Vec<i64> = (0..12).map(|n| wait_secs(n) / 60).collect();
        assert_eq!(minutes, [0, 0, 0, 0, 0, 1, 2, 4, 8, 15, 15, 15]);
    }

    #[test]
    fn a_device_is_one_accounts() {
        let keys = Keys::new([7; 32]);
        let device = new_device(&keys, "ann@example.org");
        assert!(is_device(&keys, "ann@example.org", &device));
        assert!(!is_device(&keys, "bob@example.org", &device));
        assert!(!is_device(&keys, "ann@example.org", "x.y"));
        assert!(!is_device(&keys, "ann@example.org", ""));
    }
}
