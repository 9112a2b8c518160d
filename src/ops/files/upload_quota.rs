//! Limits on files that no entry names yet. Prepared uploads are rows; files within posts of a form's page are
//! counted here. Both count together, by the sender's address and against the free disk space.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::secret::{Keys, Purpose};
use crate::ops::app::App;
use crate::ops::server::disk_space;
use crate::store::db::tx::Tx;
use crate::store::files::uploads;

const HOUR_SECS: i64 = 3600;
const DAY_SECS: i64 = 24 * HOUR_SECS;
/// Bytes that an address may upload in an hour (S64).
const MOST_BYTES: u64 = 2 << 30;

/// The sender of files.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The address, in a form that nobody can read and that is another one tomorrow (S88).
    pub sender: String,
    /// Whether the address is this machine itself, which may stand for any client.
    pub is_local: bool,
}

impl Origin {
    /// Of an address, or of the network where that is all that tells clients apart.
    pub fn new(keys: &Keys, address: &str, is_local: bool, now: Time) -> Self {
        let day = now.millis() / 1000 / DAY_SECS;
        let parts = [&day.to_be_bytes()[..], address.as_bytes()];
        Self { sender: keys.sign(Purpose::Sender, &parts), is_local }
    }

    /// The pseudonym of the address today.
    pub fn sender(&self) -> &str {
        &self.sender
    }
}

/// The bytes in posts that are not over, by sender.
#[derive(Debug, Default)]
pub struct Incoming(Arc<Mutex<HashMap<String, u64>>>);

/// Bytes received in one post; no longer counted when dropped.
#[derive(Debug)]
pub struct PostedBytes {
    all: Arc<Mutex<HashMap<String, u64>>>,
    origin: Origin,
    bytes: u64,
    /// Bytes that the sender prepared within the hour, and bytes that all may still send, when the post began.
    prepared: u64,
    open: u64,
}

impl Incoming {
    /// Of this sender, and of all.
    fn bytes(&self, sender: &str) -> (u64, u64) {
        sums(&self.0.lock().unwrap_or_else(PoisonError::into_inner), sender)
    }

    /// Begins to count a post.
    pub fn begin(&self, tx: &Tx, origin: Origin) -> Result<PostedBytes> {
        Ok(PostedBytes {
            all: Arc::clone(&self.0),
            prepared: prepared(tx, &origin)?,
            open: uploads::open_bytes(tx)?,
            origin,
            bytes: 0,
        })
    }
}

impl PostedBytes {
    /// Counts bytes before they are written.
    ///
    /// # Errors
    /// 429, 503.
    pub fn add(&mut self, app: &App, bytes: u64) -> Result<()> {
        disk_space::check(app)?;
        let most = disk_space::spare(app)? / 2;
        let mut table = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let (own, all) = sums(&table, &self.origin.sender);
        let sums = (self.prepared + own, self.open + all);
        check(&self.origin, sums, bytes, most)?;
        *table.entry(self.origin.sender.clone()).or_default() += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// The pseudonym of the sender.
    pub fn sender(&self) -> &str {
        &self.origin.sender
    }
}

impl Drop for PostedBytes {
    fn drop(&mut self) {
        let mut table = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = table.get_mut(&self.origin.sender) {
            *bytes -= self.bytes;
            if *bytes == 0 {
                table.remove(&self.origin.sender);
            }
        }
    }
}

/// Bytes that may be prepared just now.
#[derive(Debug)]
pub struct Allowed {
    origin: Origin,
    own: u64,
    all: u64,
    most: u64,
}

impl Allowed {
    /// For this sender, beside the posts under way.
    ///
    /// # Errors
    /// 503 where the disk has no room.
    pub fn now(app: &App, origin: Origin) -> Result<Self> {
        disk_space::check(app)?;
        let (own, all) = app.files.upload_quota.bytes(&origin.sender);
        Ok(Self { origin, own, all, most: disk_space::spare(app)? / 2 })
    }

    /// That a file of this size may be prepared.
    ///
    /// # Errors
    /// 429, 503.
    pub fn check(&self, tx: &Tx, bytes: u64) -> Result<()> {
        let own = self.own + prepared(tx, &self.origin)?;
        let all = self.all + uploads::open_bytes(tx)?;
        check(&self.origin, (own, all), bytes, self.most)
    }

    /// The pseudonym of the sender.
    pub fn sender(&self) -> &str {
        &self.origin.sender
    }
}

fn prepared(tx: &Tx, origin: &Origin) -> Result<u64> {
    uploads::bytes_since(tx, &origin.sender, tx.now.minus_secs(HOUR_SECS))
}

fn check(origin: &Origin, (own, all): (u64, u64), bytes: u64, most: u64) -> Result<()> {
    // A client on this machine may be a proxy that nobody declared.
    if !origin.is_local && own.saturating_add(bytes) > MOST_BYTES {
        return Err(Error::TooMany(HOUR_SECS.cast_unsigned()));
    }
    if all.saturating_add(bytes) > most {
        return Err(disk_space::too_little());
    }
    Ok(())
}

fn sums(table: &HashMap<String, u64>, sender: &str) -> (u64, u64) {
    let own = table.get(sender).copied().unwrap_or_default();
    (own, table.values().sum())
}
