//! Tells the supervisor the state of the service (`sd_notify(3)`).

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How long a message waits for room in the supervisor's queue.
const PATIENCE: Duration = Duration::from_secs(1);

/// The supervisor's socket for messages, if it wants any.
pub struct Notifier(Option<SocketAddr>);

impl Notifier {
    pub fn from_env() -> Self {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Self(None);
        };
        let address = address(&name);
        if let Err(fault) = &address {
            tracing::warn!("the supervisor can't be told anything at NOTIFY_SOCKET: {fault}");
        }
        Self(address.ok())
    }

    /// Tells the supervisor the state of the service, in words.
    pub fn status(&self, text: &str) {
        self.tell(&format!("STATUS={text}"));
    }

    /// The service answers, from now on or again.
    pub fn ready(&self, text: &str) {
        self.tell(&format!("READY=1\nSTATUS={text}"));
    }

    /// The settings are read again; `ready` ends this.
    pub fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let micros = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000;
        self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={micros}\nSTATUS=Reloading the certificate"));
    }

    /// The service ends.
    pub fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=Finishing the open requests");
    }

    /// The service has just proven that it works.
    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    /// The time within which each proof must come; `None` if none is wanted.
    pub fn watchdog(&self) -> Option<Duration> {
        self.0.as_ref()?;
        let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
        let is_ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        let micros = number("WATCHDOG_USEC").filter(|micros| is_ours && *micros > 0);
        micros.map(Duration::from_micros)
    }

    fn tell(&self, text: &str) {
        let Some(address) = &self.0 else {
            return;
        };
        let sent = UnixDatagram::unbound().and_then(|socket| {
            socket.set_write_timeout(Some(PATIENCE))?;
            socket.send_to_addr(text.as_bytes(), address)
        });
        if let Err(fault) = sent {
            tracing::warn!("the supervisor can't be told that {text:?}: {fault}");
        }
    }
}

/// A path, or a name in the abstract namespace after an `@`.
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    match name.as_bytes() {
        #[cfg(target_os = "linux")]
        [b'@', name @ ..] => <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name),
        [b'/', ..] => SocketAddr::from_pathname(name),
        _ => Err(io::Error::other("it must begin with / or @")),
    }
}
