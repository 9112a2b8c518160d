//! Signing in: throttled without locking accounts (S16). Unknown accounts and wrong passwords take the same time and
//! get the same answer (S17).

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id;
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::base::secret::{self, Keys, Purpose, Secret};
use crate::base::text::identity;
use crate::model::audit::Action;
use crate::model::user::{User, folded_email};
use crate::model::user_agent::UserAgent;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::throttle::Failures;
use crate::ops::accounts::{passwords, second_factor};
use crate::ops::app::App;
use crate::store::accounts::{second_factors, sessions, users};
use crate::store::db::tx::Tx;

/// Failures per account and network before a wait is imposed.
const FREE_FAILURES: u32 = 5;
const LONGEST_WAIT_MINUTES: i64 = 15;
/// Failures older than this are forgotten.
const REMEMBERED_SECS: i64 = 86_400;
/// Maximum failures per account and hour, from all networks.
const HOURLY_FAILURES: u32 = 100;
/// Maximum failures, and throttled attempts, per account and hour that are written to the audit log, so that an
/// attacker can't flood it.
const NOTED_FAILURES: u32 = 10;
const NOTED_WAITS: u32 = 1;
const NONCE_LENGTH: usize = 22;
/// Lifetime of the ticket for the second step.
const TICKET_SECS: i64 = 300;

/// An attempt to sign in.
pub struct Attempt<'a> {
    /// The account's email address.
    pub email: &'a str,
    pub password: Secret,
    /// The client's address; for IPv6 its /64.
    pub address: &'a str,
    /// The client's network.
    pub network: &'a str,
    /// The device cookie of an earlier sign-in.
    pub device: Option<&'a str>,
    /// The browser's current session, which a new one replaces.
    pub session: Option<&'a str>,
    /// Browser and system of the user agent.
    pub agent: UserAgent,
    pub now: Time,
}

/// The result of an attempt.
pub enum SignInOutcome {
    /// The user is signed in.
    In(Box<SignedIn>),
    /// The password is correct; the second step continues with this ticket.
    SecondStep(String),
    /// The account or the password is wrong; the answer doesn't tell which.
    Refused,
    /// Too many attempts; retry after this many seconds.
    Wait(u64),
}

/// A new session.
pub struct SignedIn {
    pub user: User,
    /// The session cookie.
    pub session: Secret,
    /// The device cookie for the next sign-in.
    pub device: String,
}

/// Checks an email address and a password.
///
/// # Errors
/// 503 if too many passwords are being hashed.
pub fn sign_in(app: &App, attempt: Attempt) -> Result<SignInOutcome> {
    app.run_until_stored(attempt.email, || try_sign_in(app, &attempt))
}

fn try_sign_in(app: &App, attempt: &Attempt) -> Result<SignInOutcome> {
    let account = folded_email(attempt.email.trim());
    // Passwords that are too long are refused before the account is looked up, so that the answer is the same for all
    // accounts.
    let can_be = account.is_some() && passwords::normal(&attempt.password).is_some();
    let account = account.unwrap_or_default();
    let device = attempt.device.filter(|device| is_device(app.keys(), &account, device));
    // A browser that has signed in before is throttled by its device cookie instead of its network, so that failures of
    // others there don't block it.
    let seat = (account.as_str(), device.unwrap_or(attempt.network));
    if let Some(wait) = app.throttle(&seat, device, attempt) {
        app.note_try(Action::SignInThrottled, attempt.email.trim(), attempt.now);
        return Ok(SignInOutcome::Wait(wait));
    }
    if !can_be {
        return Ok(SignInOutcome::Refused);
    }
    let found = app.store.read(|tx| users::by_email(tx, attempt.email.trim()))?;
    let found = found.filter(|found| found.user.disabled_at.is_none());
    let stored = found.as_ref().and_then(|found| found.password_hash.as_deref());
    let is_right = app
        .accounts
        .hashers
        .matches(&attempt.password, stored)
        .inspect_err(|_| app.not_looked_at(&seat, attempt.now))?;
    let Some(found) = found.filter(|_| is_right) else {
        app.failed(&seat, attempt.now);
        app.note_try(Action::SignInFailed, attempt.email.trim(), attempt.now);
        return Ok(SignInOutcome::Refused);
    };
    app.accounts.throttle.by_pair.forget(&seat);
    let renewed = match &found.password_hash {
        Some(hash) if secret::is_outdated(hash) => passwords::normal(&attempt.password),
        _ => None,
    };
    let renewed = renewed.map(|password| app.accounts.hashers.hash(&password));
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
        return Ok(SignInOutcome::SecondStep(ticket));
    }
    begin(app, found.user, kept, attempt).map(|signed_in| SignInOutcome::In(Box::new(signed_in)))
}

/// Checks that the account still has the verified password and may sign in; otherwise the attempt is evaluated again.
fn still(tx: &Tx, user: &User, password_hash: &str) -> Result<()> {
    let found = users::by_email(tx, &user.email)?.filter(|found| {
        found.user.id == user.id
            && found.user.disabled_at.is_none()
            && found.password_hash.as_deref() == Some(password_hash)
    });
    found.map(drop).ok_or(Error::Stale)
}

/// Starts a session and ends the browser's current one.
fn begin(app: &App, user: User, password_hash: String, attempt: &Attempt) -> Result<SignedIn> {
    let session = secret::random_text();
    let (hash, id) = (secret::hash(session.reveal()), user.id);
    let (old, agent) = (attempt.session.map(secret::hash), attempt.agent);
    let who = user.clone();
    app.store.write(move |tx| {
        still(tx, &who, &password_hash)?;
        audit::note(tx, By::person(&who), Action::SignedIn, &who.token)?;
        if let Some(old) = &old {
            sessions::end(tx, old)?;
        }
        sessions::insert(tx, &hash, id, agent)
    })?;
    Ok(SignedIn { device: new_device(app.keys(), &identity::of_email(&user.email)), user, session })
}

/// A signed ticket which proves, for some minutes, that the account's current password was given.
fn ticket(keys: &Keys, user: &User, password_hash: &str, now: Time) -> String {
    let end = now.plus_secs(TICKET_SECS).millis();
    let signature = sign_ticket(keys, &user.token, end, password_hash);
    format!("{}.{end}.{signature}", user.token)
}

fn sign_ticket(keys: &Keys, user: &str, end: i64, password_hash: &str) -> String {
    let parts = [user.as_bytes(), &end.to_be_bytes(), password_hash.as_bytes()];
    keys.sign(Purpose::SecondStep, &parts)
}

/// Checks the second factor after the password. `attempt` holds the code in `password`; its `email` is not used.
///
/// # Errors
/// 403 if the ticket is invalid or expired.
pub fn second_step(app: &App, ticket: &str, attempt: Attempt) -> Result<SignInOutcome> {
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
    let found =
        found.filter(|found| found.user.disabled_at.is_none() && attempt.now.millis() < end).ok_or(Error::Forbidden)?;
    let kept = found.password_hash.as_deref().unwrap_or_default();
    let known = sign_ticket(app.keys(), token, end, kept);
    if !secret::same(known.as_bytes(), signature.as_bytes()) {
        return Err(Error::Forbidden);
    }
    let account = identity::of_email(&found.user.email);
    let device = attempt.device.filter(|device| is_device(app.keys(), &account, device));
    // Counted apart from passwords: a correct password must not reset the count of wrong codes.
    let place = format!("code {}", device.unwrap_or(attempt.network));
    let seat = (account.as_str(), place.as_str());
    if let Some(wait) = app.throttle(&seat, device, &attempt) {
        app.note_try(Action::SignInThrottled, &found.user.email, attempt.now);
        return Ok(SignInOutcome::Wait(wait));
    }
    let (id, code, now) = (found.user.id, attempt.password.clone(), attempt.now);
    let keys = app.store.shared_keys();
    let is_right = app.store.write(move |tx| second_factor::spend(&keys, tx, id, code.reveal(), now))?;
    if !is_right {
        app.failed(&seat, attempt.now);
        app.note_try(Action::SignInFailed, &found.user.email, attempt.now);
        return Ok(SignInOutcome::Refused);
    }
    app.accounts.throttle.by_pair.forget(&seat);
    let kept = found.password_hash.unwrap_or_default();
    match begin(app, found.user, kept, &attempt) {
        // The ticket is for the password as it was.
        Err(Error::Stale) => Err(Error::Forbidden),
        begun => begun.map(|signed_in| SignInOutcome::In(Box::new(signed_in))),
    }
}

impl App {
    /// Writes a failed attempt to the audit log if the account exists. The log entry is not awaited, so that existing
    /// accounts take no longer than unknown ones (S17).
    fn note_try(&self, action: Action, email: &str, now: Time) {
        let limit = match action {
            Action::SignInThrottled => NOTED_WAITS,
            _ => NOTED_FAILURES,
        };
        let Some(account) = folded_email(email) else {
            return;
        };
        let seat = (account, action.name());
        if !self.accounts.throttle.noted.hit(&seat, limit, now).is_allowed {
            return;
        }
        if let Ok(Some(found)) = self.store.read(|tx| users::by_email(tx, email)) {
            let User { organization, token, .. } = found.user;
            let by = By::nobody(organization.id);
            drop(self.store.submit(move |tx| audit::note(tx, by, action, &token)));
        }
    }

    /// Counts an attempt; returns the seconds to wait if there were too many.
    fn throttle(&self, seat: &(&str, &str), device: Option<&str>, attempt: &Attempt) -> Option<u64> {
        let (limits, now) = (&self.config.limits, attempt.now);
        let from = device.unwrap_or(attempt.address);
        let a_minute = self.accounts.throttle.by_address.hit(&from, limits.sign_ins, now);
        if limits.on && !a_minute.is_allowed {
            return Some(a_minute.reset_secs.max(1));
        }
        // The limits per account apply even if `--rate-limits` is off.
        let an_hour = self.accounts.throttle.by_account.peek(&seat.0, HOURLY_FAILURES, now);
        if device.is_none() && an_hour.remaining == 0 {
            return Some(an_hour.reset_secs.max(1));
        }
        let mut wait = 0;
        self.accounts.throttle.by_pair.change(seat, |known| {
            let known = known.filter(|known| now.secs_since(known.last) < REMEMBERED_SECS);
            let known = known.unwrap_or(Failures { count: 0, last: now });
            // A concurrent request may have counted a later failure.
            wait = wait_secs(known.count) - now.secs_since(known.last).max(0);
            if wait > 0 {
                return known;
            }
            // Counted as a failure in advance, so that concurrent attempts can't bypass the limit. Without rate limits,
            // concurrent sign-ins are allowed.
            match limits.on {
                true => known.and_one(now),
                false => known,
            }
        });
        u64::try_from(wait).ok().filter(|wait| *wait > 0)
    }

    /// Counts a failed attempt.
    fn failed(&self, seat: &(&str, &str), now: Time) {
        self.accounts.throttle.by_account.hit(&seat.0, HOURLY_FAILURES, now);
        self.count_failure(seat, now);
    }

    /// Counts a failure that `throttle` has not counted in advance.
    fn count_failure(&self, seat: &(&str, &str), now: Time) {
        if !self.config.limits.on {
            self.accounts
                .throttle
                .by_pair
                .change(seat, |known| known.unwrap_or(Failures { count: 0, last: now }).and_one(now));
        }
    }

    /// Takes back the failure counted for an attempt that could not be evaluated.
    fn not_looked_at(&self, seat: &(&str, &str), now: Time) {
        if self.config.limits.on {
            self.accounts.throttle.by_pair.change(seat, |known| Failures {
                count: known.map_or(0, |known| known.count.saturating_sub(1)),
                last: now,
            });
        }
    }
}

/// Seconds to wait after the last failure: 1, 2, 4 … 15 minutes from the fifth failure on.
fn wait_secs(failures: u32) -> i64 {
    match failures.checked_sub(FREE_FAILURES) {
        None => 0,
        Some(more) => 60 * (1_i64 << more.min(4)).min(LONGEST_WAIT_MINUTES),
    }
}

/// A device cookie, which identifies the browser at the account's next sign-in.
pub(in crate::ops) fn new_device(keys: &Keys, account: &str) -> String {
    let nonce = id::random(NONCE_LENGTH);
    let signature = keys.sign(Purpose::Device, &[account.as_bytes(), nonce.as_bytes()]);
    format!("{nonce}.{signature}")
}

fn is_device(keys: &Keys, account: &str, device: &str) -> bool {
    device.split_once('.').is_some_and(|(nonce, signature)| {
        nonce.len() == NONCE_LENGTH && keys.verify(Purpose::Device, &[account.as_bytes(), nonce.as_bytes()], signature)
    })
}

/// Changes the password of a signed-in user and ends all their other sessions.
///
/// # Errors
/// 422 if the old password is wrong or the new one is not allowed; 503.
pub fn change_password(app: &App, user: &User, session: &str, old: &Secret, new: &Secret, now: Time) -> Result<()> {
    app.run_until_stored(&user.email, || try_change_password(app, user, session, old, new, now))
}

fn try_change_password(app: &App, user: &User, session: &str, old: &Secret, new: &Secret, now: Time) -> Result<()> {
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
    let hash = app.accounts.hashers.hash(&new)?;
    let (user, kept) = (user.clone(), secret::hash(session));
    app.store.write(move |tx| {
        still(tx, &user, before.as_deref().unwrap_or_default())?;
        users::set_password(tx, user.id, &hash)?;
        audit::note(tx, By::person(&user), Action::PasswordChanged, &user.token)?;
        sessions::end_all(tx, user.id, Some(&kept))
    })
}

/// Verifies the password of a signed-in user. `decide` is told whether it is correct; an attempt that `decide` rejects
/// counts as a failure.
///
/// # Errors
/// 429, 503, and errors of `decide`.
pub(in crate::ops) fn check_password(
    app: &App,
    user: &User,
    session: &str,
    password: &Secret,
    now: Time,
    decide: impl FnOnce(bool) -> Result<()>,
) -> Result<()> {
    let account = identity::of_email(&user.email);
    // Throttled, because a stolen session must not help to guess the password.
    let attempt = Attempt {
        email: &user.email,
        password: password.clone(),
        address: session,
        network: session,
        device: None,
        session: None,
        agent: UserAgent::default(),
        now,
    };
    let seat = (account.as_str(), session);
    if let Some(wait) = app.throttle(&seat, Some(session), &attempt) {
        return Err(Error::TooMany(wait));
    }
    let found = app.store.read(|tx| users::by_email(tx, &user.email))?;
    let stored = found.and_then(|found| found.password_hash);
    let is_right = app.accounts.hashers.matches(password, stored.as_deref())?;
    if let Err(error) = decide(is_right) {
        if !is_right {
            app.count_failure(&seat, now);
        }
        return Err(error);
    }
    app.accounts.throttle.by_pair.forget(&seat);
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
