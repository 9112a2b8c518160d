//! The keys that sign access tokens: one signs for 90 days, and its tokens are valid for two hours after it was
//! replaced (S34).

use std::sync::{Arc, Mutex, PoisonError};

use zeroize::Zeroizing;

use crate::base::clock::{self, Time};
use crate::base::error::Result;
use crate::base::json::Json;
use crate::base::jwt::{self, SigningKey};
use crate::base::secret;
use crate::model::audit::Action;
use crate::model::user::OrganizationId;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::store::db::tx::Tx;
use crate::store::oauth::signing_keys::{self, KeyFiles, KeyRow};

const SIGNS_SECS: i64 = 90 * 86_400;
const VERIFIES_SECS: i64 = 2 * 3_600;

/// The key that signed last, so that its file is not read each time.
#[derive(Default)]
pub struct Signer(Mutex<Option<Arc<SigningKey>>>);

impl Signer {
    fn of(&self, kid: &str) -> Option<Arc<SigningKey>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clone().filter(|key| key.kid() == kid)
    }

    fn keep(&self, key: &Arc<SigningKey>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::clone(key));
    }
}

/// Whether tokens of a key are still good.
pub fn verifies(retired_at: Option<Time>, now: Time) -> bool {
    retired_at.is_none_or(|at| now.secs_since(at) < VERIFIES_SECS)
}

fn is_fresh(row: &KeyRow, now: Time) -> bool {
    now.secs_since(row.created_at) < SIGNS_SECS
}

/// The key that signs now; made if there is none, or no fresh one.
pub fn signer(app: &App) -> Result<Arc<SigningKey>> {
    let now = clock::now();
    let active = app.store.read(signing_keys::active)?;
    if let Some(row) = active.filter(|row| is_fresh(row, now)) {
        if let Some(known) = app.oauth.signer.of(&row.kid) {
            return Ok(known);
        }
        if let Some(key) = load(&files(app), &row)? {
            app.oauth.signer.keep(&key);
            return Ok(key);
        }
    }
    make(app, None)
}

/// Makes a new key: it signs from now on. Answers with its name.
pub fn rotate(app: &App) -> Result<String> {
    make(app, Some(By::operator)).map(|key| key.kid().to_owned())
}

/// Makes a key if none is fresh, and deletes those that no longer verify; returns how many changed.
pub fn tend(app: &App) -> Result<usize> {
    let active = app.store.read(signing_keys::active)?;
    let kid = signer(app)?.kid().to_owned();
    let is_new = active.is_none_or(|row| row.kid != kid);
    let before = clock::now().minus_secs(VERIFIES_SECS);
    let forgotten = app.store.write(move |tx| signing_keys::forget_retired(tx, before))?;
    Ok(forgotten + usize::from(is_new))
}

/// The public halves of all keys that verify, as a JSON Web Key Set.
pub fn published(app: &App) -> Result<Vec<Json>> {
    signer(app)?;
    let now = clock::now();
    let rows = app.store.read(signing_keys::all)?;
    rows.iter().filter(|row| verifies(row.retired_at, now)).map(|row| jwt::jwk(&row.public)).collect()
}

fn files(app: &App) -> KeyFiles {
    app.store.key_files()
}

/// The key of a row; `None` if its file is gone or has other content.
fn load(files: &KeyFiles, row: &KeyRow) -> Result<Option<Arc<SigningKey>>> {
    let key = match files.read(&row.kid)? {
        Some(private) => Some(SigningKey::new(&private)?),
        None => None,
    };
    let key = key.filter(|key| *key.public() == row.public);
    if key.is_none() {
        tracing::warn!(kid = row.kid, "the file of a signing key is not there");
    }
    Ok(key.map(Arc::new))
}

/// Makes the next key, on request or because none is fresh.
fn make(app: &App, wanted: Option<fn(OrganizationId) -> By>) -> Result<Arc<SigningKey>> {
    let private = Zeroizing::new(secret::random_bytes());
    let made = Arc::new(SigningKey::new(&private)?);
    let (files, key) = (files(app), Arc::clone(&made));
    let job = move |tx: &Tx| {
        // Another process may have been faster.
        let active = signing_keys::active(tx)?;
        if let Some(row) = &active
            && wanted.is_none()
            && is_fresh(row, tx.now)
            && let Some(known) = load(&files, row)?
        {
            return Ok(known);
        }
        if active.is_some() {
            let by = wanted.unwrap_or(By::service);
            audit::note_everywhere(tx, by, Action::KeysRotated, key.kid())?;
        }
        files.replace(tx, key.kid(), &private)?;
        signing_keys::rotate(tx, key.kid(), key.public())?;
        Ok(key)
    };
    let key = app.store.write(job)?;
    app.oauth.signer.keep(&key);
    Ok(key)
}
