//! When tokens were last used.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::caller::Credential;
use crate::ops::app::App;
use crate::store::accounts::tokens;
use crate::store::oauth::grants;

/// When tokens and grants were used: kept in memory and written once a second, so that reading needs no
/// writer.
#[derive(Default)]
pub struct Uses(Mutex<HashMap<Credential, Time>>);

/// Uses are kept to the second.
const NOTED_SECS: i64 = 1;

impl Uses {
    /// Notes a use, where the last one that is written down is not as good.
    pub(in crate::ops) fn note(&self, used: Credential, last: Option<Time>, now: Time) {
        if last.is_none_or(|last| now.secs_since(last) >= NOTED_SECS) {
            let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            uses.insert(used, now);
        }
    }
}

/// Stores which tokens and grants were used since the last time; returns how many.
///
/// # Errors
/// Internal, 503; unsaved uses are lost, and noted again at the next use.
pub fn write(app: &App) -> Result<usize> {
    let uses = std::mem::take(&mut *app.accounts.token_uses.0.lock().unwrap_or_else(PoisonError::into_inner));
    if uses.is_empty() {
        return Ok(0);
    }
    app.store.write(move |tx| {
        for (used, at) in &uses {
            match used {
                Credential::PersonalToken(id) => tokens::set_used(tx, *id, *at)?,
                Credential::Grant(id) => grants::set_used(tx, *id, *at)?,
                Credential::Session | Credential::CommandLine => {}
            }
        }
        Ok(uses.len())
    })
}
