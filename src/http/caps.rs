//! Limits connections in total and per network; when all slots are in use, the longest idle connection is closed.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::IpNet;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The default limit per address: a whole school may share one.
const PER_ADDRESS: usize = 1024;

/// The limits, and the connections that count against them.
#[derive(Debug)]
pub struct Caps {
    slots: Arc<Semaphore>,
    /// Connections from one network; 0 for no limit.
    per_network: usize,
    loopback_is_exempt: bool,
    trusted_proxies: Vec<IpNet>,
    /// A logical clock: orders connections by when they became idle.
    idle_clock: AtomicU64,
    connections: Mutex<Connections>,
}

#[derive(Debug, Default)]
struct Connections {
    next_id: u64,
    by_id: HashMap<u64, Arc<Activity>>,
    by_network: HashMap<IpAddr, usize>,
}

/// The slot of one connection; released on drop.
#[derive(Debug)]
pub struct ConnectionSlot {
    caps: Arc<Caps>,
    network: Option<IpAddr>,
    activity: Option<(u64, Arc<Activity>)>,
    _permit: Option<OwnedSemaphorePermit>,
}

/// State of one connection, shared with the others.
#[derive(Debug)]
struct Activity {
    /// `BUSY`, `ENDED`, or the tick of `idle_clock` when it became idle.
    state: AtomicU64,
    /// Whether part of an answer waits for the client to read it.
    has_unsent: AtomicBool,
    end: Notify,
}

const BUSY: u64 = 0;
const ENDED: u64 = u64::MAX;

impl Caps {
    /// `total` connections; `per_address` is the flag's value: `None` for the default, which exempts loopback, or 0
    /// for no limit.
    pub fn new(total: usize, per_address: Option<usize>, trusted_proxies: Vec<IpNet>) -> Arc<Caps> {
        Arc::new(Caps {
            slots: Arc::new(Semaphore::new(total.min(Semaphore::MAX_PERMITS))),
            per_network: per_address.unwrap_or(PER_ADDRESS),
            loopback_is_exempt: per_address.is_none(),
            trusted_proxies,
            idle_clock: AtomicU64::new(BUSY + 1),
            connections: Mutex::default(),
        })
    }

    /// Waits for a free slot; `None` if the network has reached its limit.
    pub async fn admit(self: &Arc<Caps>, peer: Option<SocketAddr>) -> Option<ConnectionSlot> {
        let network = peer.map(|peer| peer.ip()).and_then(|ip| self.counted_network(ip));
        if let Some(network) = network {
            let mut connections = self.connections();
            let count = connections.by_network.entry(network).or_default();
            if *count >= self.per_network {
                return None;
            }
            *count += 1;
        }
        let mut slot = ConnectionSlot { caps: Arc::clone(self), network, activity: None, _permit: None };
        if self.slots.available_permits() == 0 {
            self.end_longest_idle(1);
        }
        slot._permit = Some(Arc::clone(&self.slots).acquire_owned().await.ok()?);
        let activity = Arc::new(Activity {
            state: AtomicU64::new(self.tick()),
            has_unsent: AtomicBool::new(false),
            end: Notify::new(),
        });
        let mut connections = self.connections();
        let id = connections.next_id;
        connections.next_id += 1;
        connections.by_id.insert(id, Arc::clone(&activity));
        drop(connections);
        slot.activity = Some((id, activity));
        Some(slot)
    }

    /// Closes at most `count` of the connections that have been idle for longest.
    pub fn end_longest_idle(&self, count: usize) {
        let connections = self.connections();
        let idle = connections.by_id.values().filter_map(|activity| {
            let state = activity.state.load(Ordering::Relaxed);
            let is_idle = state != BUSY && state != ENDED && !activity.has_unsent.load(Ordering::Relaxed);
            is_idle.then_some((state, activity))
        });
        let mut idle: Vec<_> = idle.collect();
        if count < idle.len() {
            idle.select_nth_unstable_by_key(count, |(since, _)| *since);
            idle.truncate(count);
        }
        for (since, activity) in idle {
            // If it has become busy meanwhile, it stays and the new connection waits.
            if activity.state.compare_exchange(since, ENDED, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                activity.end.notify_one();
            }
        }
    }

    /// The open connections.
    pub fn count(&self) -> usize {
        self.connections().by_id.len()
    }

    /// Closes all connections and returns how many were busy.
    pub fn end_all(&self) -> usize {
        let connections = self.connections();
        let mut busy = 0;
        for activity in connections.by_id.values() {
            busy += usize::from(activity.state.swap(ENDED, Ordering::Relaxed) == BUSY);
            activity.end.notify_one();
        }
        busy
    }

    /// The network a peer is counted in: its IPv4 address or IPv6 /64; `None` if it is exempt.
    fn counted_network(&self, ip: IpAddr) -> Option<IpAddr> {
        let is_exempt = self.per_network == 0
            || (self.loopback_is_exempt && ip.is_loopback())
            || self.trusted_proxies.iter().any(|net| net.contains(&ip));
        match ip {
            _ if is_exempt => None,
            IpAddr::V4(ip) => Some(IpAddr::V4(ip)),
            IpAddr::V6(ip) => Some(IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX)))),
        }
    }

    fn tick(&self) -> u64 {
        self.idle_clock.fetch_add(1, Ordering::Relaxed)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        // Each change is complete in itself, so a panic elsewhere leaves the table consistent.
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Marks the connection as busy; false if it has been ended meanwhile.
    pub fn begin(&self) -> bool {
        let Some((_, activity)) = &self.activity else {
            return true;
        };
        let mut state = activity.state.load(Ordering::Relaxed);
        while state != ENDED {
            match activity.state.compare_exchange_weak(state, BUSY, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Marks the connection as idle.
    pub fn finish(&self) {
        if let Some((_, activity)) = &self.activity {
            let now = self.caps.tick();
            // If it was ended meanwhile, it stays so.
            let _ = activity.state.compare_exchange(BUSY, now, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Notes whether part of an answer waits for the client to read it.
    pub fn set_unsent(&self, has_unsent: bool) {
        if let Some((_, activity)) = &self.activity {
            activity.has_unsent.store(has_unsent, Ordering::Relaxed);
        }
    }

    pub fn is_busy(&self) -> bool {
        matches!(&self.activity, Some((_, it)) if it.state.load(Ordering::Relaxed) == BUSY)
    }

    /// Closes the connection, whatever it is doing.
    pub fn end(&self) {
        if let Some((_, activity)) = &self.activity {
            activity.state.store(ENDED, Ordering::Relaxed);
            activity.end.notify_one();
        }
    }

    /// Waits until the connection has to close.
    pub async fn ended(&self) {
        match &self.activity {
            Some((_, activity)) => activity.end.notified().await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut connections = self.caps.connections();
        if let Some((id, _)) = &self.activity {
            connections.by_id.remove(id);
        }
        if let Some(network) = self.network
            && let Some(count) = connections.by_network.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                connections.by_network.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn from(address: &str) -> Option<SocketAddr> {
        Some(SocketAddr::new(address.parse().expect("an address"), 1))
    }

    fn admit(caps: &Arc<Caps>, address: &str) -> Option<ConnectionSlot> {
        caps.admit(from(address)).now_or_never().expect("room for it")
    }

    #[test]
    fn a_network_has_its_share() {
        let caps = Caps::new(100, Some(2), vec!["10.0.0.0/8".parse().expect("a network")]);
        let first = admit(&caps, "192.0.2.1");
        let second = admit(&caps, "192.0.2.1");
        assert!(first.is_some() && second.is_some());
        assert!(admit(&caps, "192.0.2.1").is_none());
        assert!(admit(&caps, "192.0.2.2").is_some());
        drop(first);
        assert!(admit(&caps, "192.0.2.1").is_some());

        let host: Vec<_> = ["2001:db8::1", "2001:db8::2"].map(|a| admit(&caps, a)).into();
        assert!(admit(&caps, "2001:db8::3:0:0:1").is_none(), "one /64");
        assert!(admit(&caps, "2001:db8:0:1::1").is_some(), "another /64");
        drop(host);

        let proxies: Vec<_> = (0..5).map(|_| admit(&caps, "10.1.2.3")).collect();
        assert!(proxies.iter().all(Option::is_some));
        let local: Vec<_> = (0..3).map(|_| admit(&caps, "127.0.0.1")).collect();
        assert!(local[1].is_some() && local[2].is_none(), "the flag counts loopback");
        drop(second);
    }

    #[test]
    fn loopback_and_unix_sockets_are_exempt_by_default() {
        let caps = Caps::new(usize::MAX, None, Vec::new());
        let local: Vec<_> = (0..2 * PER_ADDRESS).map(|_| admit(&caps, "127.0.0.1")).collect();
        assert!(local.iter().all(Option::is_some));
        let far: Vec<_> = (0..PER_ADDRESS).map(|_| admit(&caps, "192.0.2.1")).collect();
        assert!(far.iter().all(Option::is_some));
        assert!(admit(&caps, "192.0.2.1").is_none());
        assert!(caps.admit(None).now_or_never().expect("room").is_some());
        let none = Caps::new(usize::MAX, Some(0), Vec::new());
        let far: Vec<_> = (0..2 * PER_ADDRESS).map(|_| admit(&none, "192.0.2.1")).collect();
        assert!(far.iter().all(Option::is_some));
    }

    #[tokio::test]
    async fn the_longest_quiet_one_gives_way() {
        let caps = Caps::new(3, None, Vec::new());
        let busy = admit(&caps, "127.0.0.1").expect("a place");
        let quiet = admit(&caps, "127.0.0.1").expect("a place");
        let quieter = admit(&caps, "127.0.0.1").expect("a place");
        assert!(busy.begin() && quiet.begin());
        quiet.finish();

        let waiting = tokio::spawn({
            let caps = Arc::clone(&caps);
            async move { caps.admit(None).await }
        });
        quieter.ended().await;
        assert!(!quieter.begin(), "an ended connection begins nothing");
        drop(quieter);
        assert!(waiting.await.expect("no panic").is_some());
        assert!(busy.is_busy() && quiet.ended().now_or_never().is_none());
        quiet.set_unsent(true);
        caps.end_longest_idle(3);
        assert!(quiet.ended().now_or_never().is_none(), "its answer is still on the way");
        quiet.end();
        assert!(quiet.ended().now_or_never().is_some() && !quiet.begin());
        assert_eq!(caps.end_all(), 1);
    }
}
