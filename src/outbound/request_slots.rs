//! Limits of concurrent requests: 100, and 8 to one host (S73).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// All places.
pub const ALL: usize = 100;
/// Places of one host.
pub const PER_HOST: usize = 8;

/// The places that requests take.
#[derive(Clone, Default)]
pub struct RequestSlots(Arc<Inner>);

#[derive(Default)]
struct Inner {
    taken: Mutex<SlotsInUse>,
    freed: Notify,
}

#[derive(Default)]
struct SlotsInUse {
    all: usize,
    hosts: HashMap<String, usize>,
}

impl Inner {
    fn in_use(&self) -> MutexGuard<'_, SlotsInUse> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A taken slot; it is released on drop.
pub struct RequestSlot {
    host: String,
    inner: Arc<Inner>,
}

impl RequestSlots {
    /// Takes a place for a request to this host; `None` if there is none.
    pub fn take(&self, host: &str) -> Option<RequestSlot> {
        let mut taken = self.0.in_use();
        let of_host = taken.hosts.get(host).copied().unwrap_or_default();
        if taken.all >= ALL || of_host >= PER_HOST {
            return None;
        }
        taken.all += 1;
        taken.hosts.insert(host.to_owned(), of_host + 1);
        Some(RequestSlot { host: host.to_owned(), inner: Arc::clone(&self.0) })
    }

    /// Takes a place as soon as there is one.
    pub async fn wait(&self, host: &str) -> RequestSlot {
        loop {
            let freed = self.0.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            if let Some(place) = self.take(host) {
                return place;
            }
            freed.await;
        }
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        let mut taken = self.inner.in_use();
        taken.all -= 1;
        let left = taken.hosts.get_mut(&self.host).map_or(0, |count| {
            *count -= 1;
            *count
        });
        if left == 0 {
            taken.hosts.remove(&self.host);
        }
        drop(taken);
        self.inner.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_few_and_all_have_many() {
        let places = RequestSlots::default();
        let one: Vec<RequestSlot> = (0..PER_HOST).filter_map(|_| places.take("a")).collect();
        assert_eq!(one.len(), PER_HOST);
        assert!(places.take("a").is_none());
        let others: Vec<RequestSlot> = (0..200).filter_map(|n| places.take(&n.to_string())).collect();
        assert_eq!(others.len(), ALL - PER_HOST);
        drop(one);
        assert!(places.take("a").is_some() && places.take("b").is_some());
        drop(others);
        let taken = places.0.in_use();
        assert!(taken.all == 0 && taken.hosts.is_empty());
    }
}
