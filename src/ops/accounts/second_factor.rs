//! Two-step verification (S93): codes of an authenticator app, and recovery codes for when the app is lost. Every
//! change requires the password.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::base::secret::{self, Keys, Purpose, Secret};
use crate::base::totp;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::user::{User, UserId};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::{sign_in, users};
use crate::ops::app::App;
use crate::store::accounts::second_factors;
use crate::store::db::tx::Tx;

const CODES: usize = 10;
/// 80 bits.
const CODE_BYTES: usize = 10;
/// Maximum bytes of a typed code, including separators.
const LONGEST_CODE: usize = 64;

/// The secret for an authenticator app.
pub struct Offer {
    /// The secret as text, to type in.
    pub secret: Secret,
    /// The secret as an address, for a QR code.
    pub address: Secret,
    /// The sealed offer that the page sends back with the first code; only this user can redeem it.
    pub sealed: String,
}

/// Creates a secret without storing it.
pub fn offer(app: &App, user: &User) -> Result<Offer> {
    let bytes = secret::random_bytes();
    show(app, user, &bytes[..totp::SECRET_BYTES])
}

/// Opens an offer that the page sends back.
///
/// # Errors
/// 422 if the offer does not belong to this user.
pub fn offer_again(app: &App, user: &User, sealed: &str) -> Result<Offer> {
    show(app, user, &opened(app, user, sealed)?)
}

fn show(app: &App, user: &User, bytes: &[u8]) -> Result<Offer> {
    let text = totp::base32(bytes);
    let label: String = url::form_urlencoded::byte_serialize(user.email.as_bytes()).collect();
    let plain = [&user.id.0.to_be_bytes()[..], bytes].concat();
    let sealed = app.keys().seal(Purpose::SecondFactor, &plain)?;
    Ok(Offer {
        address: Secret::new(format!("otpauth://totp/formsvc:{label}?secret={text}&issuer=formsvc")),
        secret: Secret::new(text),
        sealed: URL_SAFE_NO_PAD.encode(sealed),
    })
}

fn opened(app: &App, user: &User, sealed: &str) -> Result<Vec<u8>> {
    let odd = || Error::invalid("code", Reason::Wrong);
    let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| odd())?;
    let plain = app.keys().open(Purpose::SecondFactor, &sealed).ok_or_else(odd)?;
    plain.strip_prefix(&user.id.0.to_be_bytes()[..]).map(<[u8]>::to_vec).ok_or_else(odd)
}

/// The number of unused recovery codes; `None` without a second factor.
pub fn codes_left(app: &App, user: UserId) -> Result<Option<i64>> {
    let found = app.store.read(|tx| second_factors::find(tx, user))?;
    Ok(found.map(|found| found.codes_left))
}

/// Input for a change of the second factor.
pub struct Proof<'a> {
    /// The session of the request.
    pub session: &'a str,
    pub password: Secret,
    pub now: Time,
}

/// Turns on two-step verification if the code matches the offer; returns the recovery codes, which are shown once.
///
/// # Errors
/// 422 for a wrong password or code, 429, 503.
pub fn enable(app: &App, caller: &Caller, proof: &Proof, sealed: &str, code: &str) -> Result<Vec<Secret>> {
    let user = caller.user.id;
    let bytes = opened(app, &caller.user, sealed)?;
    let mut at = Issues::new();
    let step = match code.len() {
        ..=LONGEST_CODE => totp::step_of(&bytes, code, proof.now, 0),
        _ => None,
    };
    if step.is_none() {
        at.push_at("code", Reason::Wrong);
    }
    prove(app, caller, proof, at)?;
    let kept = app.keys().seal(Purpose::SecondFactor, &bytes)?;
    let (codes, hashes) = new_codes();
    let (by, token) = (By::caller(caller), caller.user.token.clone());
    app.store.write(move |tx| {
        audit::note(tx, by, Action::SecondFactorEnabled, &token)?;
        second_factors::put(tx, user, &kept, step.unwrap_or_default())?;
        second_factors::replace_codes(tx, user, &hashes)
    })?;
    Ok(codes)
}

/// Replaces the recovery codes; the old ones become invalid.
///
/// # Errors
/// 404 without a second factor, 422 for a wrong password, 429, 503.
pub fn renew_codes(app: &App, caller: &Caller, proof: &Proof) -> Result<Vec<Secret>> {
    prove(app, caller, proof, Issues::new())?;
    let user = caller.user.id;
    let (codes, hashes) = new_codes();
    let (by, token) = (By::caller(caller), caller.user.token.clone());
    app.store.write(move |tx| {
        audit::note(tx, by, Action::SecondFactorEnabled, &token)?;
        second_factors::find(tx, user)?.ok_or(Error::NotFound(Noun::Page))?;
        second_factors::replace_codes(tx, user, &hashes)
    })?;
    Ok(codes)
}

/// Turns off two-step verification.
///
/// # Errors
/// 422 for a wrong password, 429, 503.
pub fn disable(app: &App, caller: &Caller, proof: &Proof) -> Result<()> {
    prove(app, caller, proof, Issues::new())?;
    take_away(app, By::caller(caller), &caller.user)
}

/// Turns off a user's two-step verification from the command line.
///
/// # Errors
/// 404 if the user does not exist or has no second factor.
pub fn remove(app: &App, email: &str) -> Result<User> {
    let user = users::by_email(app, email)?;
    take_away(app, By::operator(user.organization.id), &user)?;
    Ok(user)
}

fn take_away(app: &App, by: By, user: &User) -> Result<()> {
    let (id, token) = (user.id, user.token.clone());
    app.store.write(move |tx| {
        if second_factors::remove(tx, id)? {
            audit::note(tx, by, Action::SecondFactorDisabled, &token)?;
        }
        Ok(())
    })
}

fn prove(app: &App, caller: &Caller, proof: &Proof, mut at: Issues) -> Result<()> {
    let Proof { session, password, now } = proof;
    sign_in::check_password(app, &caller.user, session, password, *now, |is_right| {
        if !is_right {
            at.push_at("password", Reason::Wrong);
        }
        at.into_result()
    })
}

fn new_codes() -> (Vec<Secret>, Vec<[u8; 32]>) {
    let codes: Vec<String> = (0..CODES).map(|_| totp::base32(&secret::random_bytes()[..CODE_BYTES])).collect();
    let hashes = codes.iter().map(|code| secret::hash(code)).collect();
    let shown = |code: &String| {
        let parts: Vec<&str> = [0, 4, 8, 12].map(|at| &code[at..at + 4]).to_vec();
        Secret::new(parts.join("-"))
    };
    (codes.iter().map(shown).collect(), hashes)
}

/// Whether a code is valid for the user's app, or a recovery code. The code is used up.
pub(in crate::ops) fn spend(keys: &Keys, tx: &Tx, user: UserId, code: &str, now: Time) -> Result<bool> {
    if code.len() > LONGEST_CODE {
        return Ok(false);
    }
    let Some(found) = second_factors::find(tx, user)? else {
        return Ok(false);
    };
    let bytes = keys
        .open(Purpose::SecondFactor, &found.secret)
        .ok_or_else(|| Error::internal("the secret of a second factor can't be opened"))?;
    if let Some(step) = totp::step_of(&bytes, code, now, found.last_step) {
        return second_factors::use_step(tx, user, step);
    }
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    second_factors::use_code(tx, user, &secret::hash(&plain))
}
