//! How many connections there may be, in all and from one network, and which of them gives way when all are taken.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::IpNet;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Connections from one address, unless a flag says otherwise: a school is one address.
const PER_ADDRESS: usize = 1024;

/// The caps, and the connections that count against them.
#[derive(Debug)]
pub struct Caps {
    slots: Arc<Semaphore>,
    /// Connections from one network; 0 is no limit.
    per_network: usize,
    loopback_is_exempt: bool,
    trusted_proxies: Vec<IpNet>,
    /// Counts up each time a connection falls quiet, so that the one that did so longest ago is known.
    moments: AtomicU64,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next_id: u64,
    lines: HashMap<u64, Arc<Line>>,
    networks: HashMap<IpAddr, usize>,
}

/// The right of one connection to be; given back on drop.
#[derive(Debug)]
pub struct Place {
    caps: Arc<Caps>,
    network: Option<IpAddr>,
    line: Option<(u64, Arc<Line>)>,
    _slot: Option<OwnedSemaphorePermit>,
}

/// Whether a connection is at work, as others need to know it.
#[derive(Debug)]
pub struct Line {
    /// `BUSY`, `ENDED`, or the moment since which nothing is being answered.
    state: AtomicU64,
    /// Whether the client has yet to take what was answered.
    is_behind: AtomicBool,
    end: Notify,
}

const BUSY: u64 = 0;
const ENDED: u64 = u64::MAX;

impl Caps {
    /// `in_all` connections; `per_address` as the flag has it: not given, 0 for no cap, or a cap that loopback has too.
    pub fn new(
        in_all: usize,
        per_address: Option<usize>,
        trusted_proxies: Vec<IpNet>,
    ) -> Arc<Caps> {
        Arc::new(Caps {
            slots: Arc::new(Semaphore::new(in_all.min(Semaphore::MAX_PERMITS))),
            per_network: per_address.unwrap_or(PER_ADDRESS),
            loopback_is_exempt: per_address.is_none(),
            trusted_proxies,
            moments: AtomicU64::new(BUSY + 1),
            table: Mutex::default(),
        })
    }

    /// Counts a connection, waiting until there is room for it; `None` if its network has its share already.
    pub async fn admit(self: &Arc<Caps>, peer: Option<SocketAddr>) -> Option<Place> {
        let network = peer.map(|peer| peer.ip()).and_then(|ip| self.counted(ip));
        if let Some(network) = network {
            let mut table = self.table();
            let count = table.networks.entry(network).or_default();
            if *count >= self.per_network {
                return None;
            }
            *count += 1;
        }
        let mut place = Place {
            caps: Arc::clone(self),
            network,
            line: None,
            _slot: None,
        };
        if self.slots.available_permits() == 0 {
            self.end_the_quietest(1);
        }
        place._slot = Some(Arc::clone(&self.slots).acquire_owned().await.ok()?);
        let line = Arc::new(Line {
            state: AtomicU64::new(self.moment()),
            is_behind: AtomicBool::new(false),
            end: Notify::new(),
        });
        let mut table = self.table();
        let id = table.next_id;
        table.next_id += 1;
        table.lines.insert(id, Arc::clone(&line));
        drop(table);
        place.line = Some((id, line));
        Some(place)
    }

    /// Ends connections, at most `count`, that have been without a request for longest.
    pub fn end_the_quietest(&self, count: usize) {
        let table = self.table();
        let quiet = table.lines.values().filter_map(|line| {
            let state = line.state.load(Ordering::Relaxed);
            let is_quiet =
                state != BUSY && state != ENDED && !line.is_behind.load(Ordering::Relaxed);
            is_quiet.then_some((state, line))
        });
        let mut quiet: Vec<_> = quiet.collect();
        if count < quiet.len() {
            quiet.select_nth_unstable_by_key(count, |(since, _)| *since);
            quiet.truncate(count);
        }
        for (since, line) in quiet {
            // It may have become busy just now: then it stays, and the newcomer waits.
            if line
                .state
                .compare_exchange(since, ENDED, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
            {
                line.end.notify_one();
            }
        }
    }

    /// Ends all connections, busy or not; answers how many were busy.
    pub fn end_all(&self) -> usize {
        let table = self.table();
        let mut busy = 0;
        for line in table.lines.values() {
            busy += usize::from(line.state.swap(ENDED, Ordering::Relaxed) == BUSY);
            line.end.notify_one();
        }
        busy
    }

    /// What a peer is counted as: its address, or its /64; `None` if it is not counted.
    fn counted(&self, ip: IpAddr) -> Option<IpAddr> {
        let is_exempt = self.per_network == 0
            || (self.loopback_is_exempt && ip.is_loopback())
            || self.trusted_proxies.iter().any(|net| net.contains(&ip));
        match ip {
            _ if is_exempt => None,
            IpAddr::V4(ip) => Some(IpAddr::V4(ip)),
            IpAddr::V6(ip) => Some(IpAddr::V6(Ipv6Addr::from_bits(
                ip.to_bits() & !u128::from(u64::MAX),
            ))),
        }
    }

    fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::Relaxed)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Each change is complete in itself, so a panic elsewhere leaves the table whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Marks the connection as answering a request; false if it has been ended meanwhile.
    pub fn begin(&self) -> bool {
        let Some((_, line)) = &self.line else {
            return true;
        };
        let mut state = line.state.load(Ordering::Relaxed);
        while state != ENDED {
            match line.state.compare_exchange_weak(
                state,
                BUSY,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Marks the request as answered.
    pub fn finish(&self) {
        if let Some((_, line)) = &self.line {
            let quiet = self.caps.moment();
            // If it was ended meanwhile, it stays so.
            let _ = line
                .state
                .compare_exchange(BUSY, quiet, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Says whether an answer is waiting for the client to take it.
    pub fn set_behind(&self, is_behind: bool) {
        if let Some((_, line)) = &self.line {
            line.is_behind.store(is_behind, Ordering::Relaxed);
        }
    }

    /// Whether a request is being answered.
    pub fn is_busy(&self) -> bool {
        matches!(&self.line, Some((_, line)) if line.state.load(Ordering::Relaxed) == BUSY)
    }

    /// Returns when the connection has to go.
    pub async fn ended(&self) {
        match &self.line {
            Some((_, line)) => line.end.notified().await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.caps.table();
        if let Some((id, _)) = &self.line {
            table.lines.remove(id);
        }
        if let Some(network) = self.network
            && let Some(count) = table.networks.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                table.networks.remove(&network);
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

    fn admit(caps: &Arc<Caps>, address: &str) -> Option<Place> {
        caps.admit(from(address))
            .now_or_never()
            .expect("room for it")
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

        let host: Vec<_> = ["2001:db8::1", "2001:db8::2"]
            .map(|a| admit(&caps, a))
            .into();
        assert!(admit(&caps, "2001:db8::3:0:0:1").is_none(), "one /64");
        assert!(admit(&caps, "2001:db8:0:1::1").is_some(), "another /64");
        drop(host);

        let proxies: Vec<_> = (0..5).map(|_| admit(&caps, "10.1.2.3")).collect();
        assert!(proxies.iter().all(Option::is_some));
        let local: Vec<_> = (0..3).map(|_| admit(&caps, "127.0.0.1")).collect();
        assert!(
            local[1].is_some() && local[2].is_none(),
            "the flag counts loopback"
        );
        drop(second);
    }

    #[test]
    fn loopback_and_unix_sockets_are_exempt_by_default() {
        let caps = Caps::new(usize::MAX, None, Vec::new());
        let local: Vec<_> = (0..2 * PER_ADDRESS)
            .map(|_| admit(&caps, "127.0.0.1"))
            .collect();
        assert!(local.iter().all(Option::is_some));
        let far: Vec<_> = (0..PER_ADDRESS)
            .map(|_| admit(&caps, "192.0.2.1"))
            .collect();
        assert!(far.iter().all(Option::is_some));
        assert!(admit(&caps, "192.0.2.1").is_none());
        assert!(caps.admit(None).now_or_never().expect("room").is_some());
        let none = Caps::new(usize::MAX, Some(0), Vec::new());
        let far: Vec<_> = (0..2 * PER_ADDRESS)
            .map(|_| admit(&none, "192.0.2.1"))
            .collect();
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
        quiet.set_behind(true);
        caps.end_the_quietest(3);
        assert!(
            quiet.ended().now_or_never().is_none(),
            "its answer is still on the way"
        );
        assert_eq!(caps.end_all(), 1);
    }
}
