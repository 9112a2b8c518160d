//! Password reset by a link that is mailed to the account's address. The answer does not tell which accounts exist
//! (S17).

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::secret::{self, Keys, Purpose, Secret};
use crate::model::audit::Action;
use crate::model::outbox::MessageKind;
use crate::model::user::{UserId, folded_email};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::passwords;
use crate::ops::app::App;
use crate::ops::delivery::mail_templates::account;
use crate::store::accounts::{password_resets, sessions, users};
use crate::store::delivery::outbox;

const VALID_SECS: i64 = 30 * 60;
const HOUR_SECS: i64 = 3600;
/// Links mailed to one account in an hour: asked for from one address, and from all.
const HOURLY_LINKS: u32 = 3;
const HOURLY_LINKS_IN_ALL: u32 = 9;
/// Beyond these limits the last link is sent once more, after so many seconds.
const AGAIN_SECS: i64 = 10 * 60;

/// Whether links can be mailed.
///
/// # Errors
/// 404 where there is no mail server.
pub fn check_offered(app: &App) -> Result<()> {
    is_offered(app).then_some(()).ok_or(Error::NotFound(Noun::Page))
}

/// Whether links can be mailed.
pub fn is_offered(app: &App) -> bool {
    app.delivery.outbox.sends_mail()
}

/// Mails a link to the account with this address, if there is one. The account is looked for after the answer, so that
/// its existence changes neither the answer nor how long it takes.
///
/// Above the limits, the last link goes on working and is mailed once more after a while: a stranger who asks for links
/// keeps nobody from getting one.
///
/// # Errors
/// 429 for too many from this address.
pub fn request(app: &App, email: &str, address: &str, now: Time) -> Result<()> {
    let limits = &app.config.limits;
    let minute = app.accounts.throttle.by_address.hit(&address, limits.sign_ins, now);
    if limits.on && !minute.is_allowed {
        return Err(Error::TooMany(minute.reset_secs.max(1)));
    }
    let email = email.trim().to_owned();
    let Some(account) = folded_email(&email) else {
        return Ok(());
    };
    let is_new = app.accounts.throttle.resets.hit(&(&account, address), HOURLY_LINKS, now).is_allowed
        && app.accounts.throttle.resets.hit(&account, HOURLY_LINKS_IN_ALL, now).is_allowed;
    let queue = Arc::clone(&app.delivery.outbox);
    drop(app.store.submit(move |tx| {
        let found = users::by_email(tx, &email)?;
        let Some(user) = found.map(|found| found.user).filter(|user| user.disabled_at.is_none()) else {
            return Ok(());
        };
        if !is_new && outbox::is_planned(tx, MessageKind::PasswordReset, &user.email)? {
            return Ok(());
        }
        let due = if is_new { tx.now } else { tx.now.plus_secs(AGAIN_SECS) };
        let expires_at = due.plus_secs(VALID_SECS);
        let last = match is_new {
            true => None,
            false => password_resets::extend(tx, user.id, tx.now.minus_secs(HOUR_SECS), expires_at)?,
        };
        let link = link(&queue.keys, user.id, last.unwrap_or(tx.now));
        if last.is_none() {
            // Mails still in the queue have a link that is invalid from now on.
            outbox::withdraw(tx, MessageKind::PasswordReset, &user.email)?;
            password_resets::replace(tx, user.id, &secret::hash(&link), tx.now, expires_at)?;
        }
        let link = format!("{}/reset-password/{link}", queue.base_url);
        let message = account::password_reset(&user, &queue.base_url, &link).message();
        queue.queue(tx, MessageKind::PasswordReset, &user.email, &message, due)
    }));
    Ok(())
}

/// The link of a user that was made at this moment. It is derived, since only its hash is stored and it may have to be
/// mailed again.
fn link(keys: &Keys, user: UserId, made_at: Time) -> String {
    keys.sign(Purpose::PasswordReset, &[&user.0.to_be_bytes(), &made_at.millis().to_be_bytes()])
}

/// The address of the account that a link is for; `None` where it does not work. Looking does not use it up.
pub fn account(app: &App, link: &str) -> Result<Option<String>> {
    let hash = secret::hash(link);
    app.store.read(|tx| {
        let user = password_resets::live(tx, &hash)?;
        user.map(|id| users::by_id(tx, id).map(|user| user.email)).transpose()
    })
}

/// Uses a link: sets the password and ends all sessions of the account. Of two concurrent requests, one finds it used.
///
/// # Errors
/// 404 if the link does not work, 422, 503.
pub fn reset(app: &App, link: &str, password: &Secret) -> Result<()> {
    let hash = secret::hash(link);
    let unknown = || Error::NotFound(Noun::Page);
    let user = app.store.read(|tx| {
        let id = password_resets::live(tx, &hash)?.ok_or_else(unknown)?;
        users::by_id(tx, id)
    })?;
    let mut at = Issues::new();
    let password = passwords::check(password, &user.email, &mut at);
    at.into_result()?;
    let hashed = app.accounts.hashers.hash(&password)?;
    app.store.write(move |tx| {
        let id = password_resets::live(tx, &hash)?.ok_or_else(unknown)?;
        users::set_password(tx, id, &hashed)?;
        let user = users::by_id(tx, id)?;
        audit::note(tx, By::person(&user), Action::PasswordReset, &user.token)?;
        sessions::end_all(tx, id, None)
    })
}
