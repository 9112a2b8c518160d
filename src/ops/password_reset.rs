//! Setting another password by a link that is mailed to the account's address. Whoever asks learns nothing of which
//! accounts there are (S17).

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::secret::{self, Secret};
use crate::model::audit::Action;
use crate::model::outbox::MessageKind;
use crate::model::user::folded_email;
use crate::ops::audit::{self, By};
use crate::ops::letters::account;
use crate::ops::{App, passwords};
use crate::store::{password_resets, sessions, users};

const VALID_SECS: i64 = 30 * 60;
/// Links mailed to one account in an hour.
const HOURLY_LINKS: u32 = 3;

/// Whether links can be mailed.
///
/// # Errors
/// 404 where there is no mail server.
pub fn check_offered(app: &App) -> Result<()> {
    is_offered(app).then_some(()).ok_or(Error::NotFound(Noun::Page))
}

/// Whether links can be mailed.
pub fn is_offered(app: &App) -> bool {
    app.outbox.sends_mail()
}

/// Mails a link to the account with this address, if there is one. The account is looked for after the answer, so that
/// its existence changes neither the answer nor how long it takes.
///
/// # Errors
/// 429 for too many from this address.
pub fn request(app: &App, email: &str, address: &str, now: Time) -> Result<()> {
    let limits = &app.config.limits;
    let minute = app.throttle.by_address.hit(&address, limits.sign_ins, now);
    if limits.on && !minute.is_allowed {
        return Err(Error::TooMany(minute.reset_secs.max(1)));
    }
    let email = email.trim().to_owned();
    let Some(account) = folded_email(&email) else {
        return Ok(());
    };
    let hourly = app.throttle.resets.hit(&account, HOURLY_LINKS, now);
    if !hourly.is_allowed {
        return Ok(());
    }
    let link = secret::random_text();
    let hash = secret::hash(link.reveal());
    let outbox = Arc::clone(&app.outbox);
    drop(app.store.submit(move |tx| {
        let found = users::by_email(tx, &email)?;
        let Some(user) = found.map(|found| found.user).filter(|user| user.disabled_at.is_none()) else {
            return Ok(());
        };
        password_resets::replace(tx, user.id, &hash, tx.now.plus_secs(VALID_SECS))?;
        let link = format!("{}/reset-password/{}", outbox.base_url, link.reveal());
        let message = account::password_reset(&user, &outbox.base_url, &link).message();
        outbox.queue(tx, MessageKind::PasswordReset, None, &user.email, &message)
    }));
    Ok(())
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
    let hashed = app.hashers.hash(&password)?;
    app.store.write(move |tx| {
        let id = password_resets::live(tx, &hash)?.ok_or_else(unknown)?;
        users::set_password(tx, id, &hashed)?;
        let user = users::by_id(tx, id)?;
        audit::note(tx, By::person(&user), Action::PasswordReset, &user.token)?;
        sessions::end_all(tx, id, None)
    })
}
