//! The memory that request bodies, or answers, may take all together. The first bytes of each are free, so that a
//! usual submission never waits for large bodies of others; one address has half of the rest at most.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// What each body has free: connections are limited.
pub const FREE: usize = 16 << 10;

/// What all bodies may take beyond that.
const ALL: usize = 64 << 20;

/// What is counted as one.
const UNIT: usize = 16 << 10;

/// The memory that is left.
#[derive(Debug)]
pub struct Budget {
    units: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<String, usize>>>,
    /// The most units of one address.
    most: usize,
    wait: Duration,
}

impl Budget {
    /// Where a body waits so long for memory, all in all, before it is refused.
    pub fn new(wait: Duration) -> Self {
        Self::of(ALL, wait)
    }

    fn of(bytes: usize, wait: Duration) -> Self {
        Self {
            units: Arc::new(Semaphore::new(bytes / UNIT)),
            by_address: Arc::default(),
            most: bytes / UNIT / 2,
            wait,
        }
    }

    /// The share of one body, which is empty yet. Without an address it counts among all alone.
    pub fn share(&self, address: Option<String>) -> Share {
        Share {
            units: Arc::clone(&self.units),
            by_address: Arc::clone(&self.by_address),
            most: self.most,
            wait: self.wait,
            address,
            held: None,
        }
    }
}

/// What one body holds; given back on drop.
#[derive(Debug)]
pub struct Share {
    units: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<String, usize>>>,
    most: usize,
    /// How long it may still wait.
    wait: Duration,
    address: Option<String>,
    held: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Makes room for a body of so many bytes in all, waiting for it a while; false if there is none.
    pub async fn grow(&mut self, size: usize) -> bool {
        let units = size.saturating_sub(FREE).div_ceil(UNIT);
        let Some(more) = units.checked_sub(self.held()).filter(|more| *more > 0) else {
            return true;
        };
        let Ok(count) = u32::try_from(more) else {
            return false;
        };
        if let Some(address) = &self.address {
            let table = self.table();
            if table.get(address).copied().unwrap_or_default() + more > self.most {
                return false;
            }
        }
        let acquired = Arc::clone(&self.units).acquire_many_owned(count);
        let begun = Instant::now();
        let Ok(Ok(permit)) = timeout(self.wait, acquired).await else {
            return false;
        };
        self.wait = self.wait.saturating_sub(begun.elapsed());
        if let Some(address) = &self.address {
            *self.table().entry(address.clone()).or_default() += more;
        }
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        true
    }

    /// The bytes, which hold the share for as long as they are there.
    pub fn around(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Held(bytes, self))
    }

    /// Gives all of it back.
    pub fn give_back(&mut self) {
        let held = self.held();
        self.held = None;
        let Some(address) = &self.address else {
            return;
        };
        let mut table = self.table();
        if let Some(units) = table.get_mut(address) {
            *units = units.saturating_sub(held);
            if *units == 0 {
                table.remove(address);
            }
        }
    }

    fn held(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.num_permits())
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        let table = self.by_address.lock();
        table.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.give_back();
    }
}

struct Held(
    Bytes,
    #[expect(dead_code, reason = "dropping it gives the memory back")] Share,
);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn small_bodies_never_wait_and_large_ones_share() {
        let budget = Budget::of(ALL, SHORT);
        let mut all = budget.share(None);
        assert!(all.grow(ALL + FREE).await);
        let mut small = budget.share(None);
        assert!(small.grow(FREE).await);
        assert!(!small.grow(FREE + 1).await);
        drop(all.around(Bytes::from_static(b"x")));
        assert!(small.grow(FREE + 1).await);
        assert!(!budget.share(None).grow(ALL + FREE).await);
    }

    #[tokio::test]
    async fn an_address_has_half() {
        let budget = Budget::of(ALL, SHORT);
        let share = |address: &str| budget.share(Some(address.to_owned()));
        let (mut one, mut two, mut other) = (share("a"), share("a"), share("b"));
        assert!(one.grow(ALL / 2 + FREE).await);
        assert!(!two.grow(FREE + 1).await);
        assert!(two.grow(FREE).await);
        assert!(other.grow(ALL / 2 + FREE).await);
        drop(one);
        assert!(two.grow(FREE + 1).await);
        drop((two, other));
        assert!(budget.by_address.lock().expect("no panic").is_empty());
    }
}
