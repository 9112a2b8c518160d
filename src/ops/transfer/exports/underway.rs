//! How many exports are under way: each holds some memory for as long as its reader takes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::error::{Error, Result};
use crate::model::caller::{Caller, Credential};
use crate::model::user::UserId;

/// The limit for one token, or one signed-in user.
const MOST_EACH: usize = 4;
const MOST: usize = 16;
const WAIT_SECS: u64 = 10;

type Owner = (Credential, UserId);
type Counts = Arc<Mutex<HashMap<Owner, usize>>>;

/// The exports under way.
#[derive(Debug, Default)]
pub struct Underway(Counts);

/// The place of one export; free again when dropped.
#[derive(Debug)]
pub struct ExportSlot {
    counts: Counts,
    owner: Owner,
}

impl Underway {
    /// A place for one more.
    ///
    /// # Errors
    /// 429 where there is none.
    pub fn place(&self, caller: &Caller) -> Result<ExportSlot> {
        let owner = (caller.credential, caller.user.id);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = counts.values().sum();
        let own = counts.get(&owner).copied().unwrap_or_default();
        if own >= MOST_EACH || all >= MOST {
            return Err(Error::TooMany(WAIT_SECS));
        }
        counts.insert(owner, own + 1);
        Ok(ExportSlot { counts: Arc::clone(&self.0), owner })
    }
}

impl Drop for ExportSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = counts.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                counts.remove(&self.owner);
            }
        }
    }
}
