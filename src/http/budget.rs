//! A budget for the memory of all request bodies, or of all answers. The first bytes of each are free, so that an
//! ordinary submission never waits for large bodies of others. One address gets at most half of the rest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// Bytes of each body that are not counted; connections are limited anyway.
pub const FREE: usize = 16 << 10;

/// Bytes of all bodies beyond that.
const TOTAL: usize = 64 << 20;

/// Bytes per semaphore permit.
const UNIT: usize = 16 << 10;

#[derive(Clone, Debug)]
pub struct Budget {
    units: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<String, usize>>>,
    max_units_per_address: usize,
    wait: Duration,
}

impl Budget {
    /// `wait` is the longest total time that a body waits for memory before it is refused.
    pub fn new(wait: Duration) -> Self {
        Self::of(TOTAL, wait)
    }

    fn of(bytes: usize, wait: Duration) -> Self {
        Self {
            units: Arc::new(Semaphore::new(bytes / UNIT)),
            by_address: Arc::default(),
            max_units_per_address: bytes / UNIT / 2,
            wait,
        }
    }

    /// The share of one body, empty at first. Without an address only the total limits it.
    pub fn share(&self, address: Option<String>) -> MemoryShare {
        MemoryShare {
            units: Arc::clone(&self.units),
            by_address: Arc::clone(&self.by_address),
            max_units_per_address: self.max_units_per_address,
            wait: self.wait,
            address,
            held: None,
        }
    }
}

/// The memory of one body; released on drop.
#[derive(Debug)]
pub struct MemoryShare {
    units: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<String, usize>>>,
    max_units_per_address: usize,
    /// The time left to wait.
    wait: Duration,
    address: Option<String>,
    held: Option<OwnedSemaphorePermit>,
}

impl MemoryShare {
    /// Grows the share to a body of `size` bytes in all, waiting for memory; false if there is none.
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
            if table.get(address).copied().unwrap_or_default() + more > self.max_units_per_address {
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

    /// Ties the share to the bytes: it is released when they are dropped.
    pub fn attach_to(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Accounted(bytes, self))
    }

    pub fn release(&mut self) {
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

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.release();
    }
}

struct Accounted(Bytes, #[expect(dead_code, reason = "dropping it gives the memory back")] MemoryShare);

impl AsRef<[u8]> for Accounted {
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
        let budget = Budget::of(TOTAL, SHORT);
        let mut all = budget.share(None);
        assert!(all.grow(TOTAL + FREE).await);
        let mut small = budget.share(None);
        assert!(small.grow(FREE).await);
        assert!(!small.grow(FREE + 1).await);
        drop(all.attach_to(Bytes::from_static(b"x")));
        assert!(small.grow(FREE + 1).await);
        assert!(!budget.share(None).grow(TOTAL + FREE).await);
    }

    #[tokio::test]
    async fn an_address_has_half() {
        let budget = Budget::of(TOTAL, SHORT);
        let share = |address: &str| budget.share(Some(address.to_owned()));
        let (mut one, mut two, mut other) = (share("a"), share("a"), share("b"));
        assert!(one.grow(TOTAL / 2 + FREE).await);
        assert!(!two.grow(FREE + 1).await);
        assert!(two.grow(FREE).await);
        assert!(other.grow(TOTAL / 2 + FREE).await);
        drop(one);
        assert!(two.grow(FREE + 1).await);
        drop((two, other));
        assert!(budget.by_address.lock().expect("no panic").is_empty());
    }
}
