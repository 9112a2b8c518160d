//! How much work is under way at the same time, and in how much memory: every class with its numbers, and the answer to
//! a request that finds no place. The admission of a request is its [`Permit`].
//!
//! Other limits are defined elsewhere: heads of requests in `http::gate`, connections in `http::caps`, the
//! time of bodies in `http::body`, requests of a token or an address in `rates`, parts of long answers in
//! `http::stream`, hashes of passwords in `ops::accounts`, waiting writes in `store::db::writer`.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::base::error::{Error, Result};
use crate::http::budget::{self, Budget, MemoryShare};

/// Work that waits for its turn. Other requests have none to wait for: small ones of rows that may wait have a thread
/// each, quick reads a reader of the database, or else a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Quick writes, which are done where they arrive. A read between them does not wait for them all.
    Write,
    /// Work on forms that takes more than some milliseconds.
    Heavy,
    /// Bodies that take much memory when they are parsed.
    Large,
    /// Bodies of rows that take the largest.
    Bulk,
    /// Reads of event streams.
    Events,
}

/// How many of a class are worked on at once, and how long one more waits; `None`: as long as it takes.
struct Limit {
    at_once: usize,
    patience: Option<Duration>,
}

/// More at once take much memory.
const FEW: usize = 4;
const PATIENCE: Duration = Duration::from_secs(10);
/// When a refused request may come again.
const BUSY_SECS: u64 = 5;
/// How long a body waits for memory; a large answer does not.
const BODY_PATIENCE: Duration = Duration::from_secs(5);
/// Larger answers count as memory until they are taken.
const LARGE_ANSWER: usize = 64 << 10;

impl Class {
    const ALL: [Self; 5] = [Self::Write, Self::Heavy, Self::Large, Self::Bulk, Self::Events];

    fn limit(self) -> Limit {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // One stays free for others.
        let all_but_one = processors.saturating_sub(1).max(1);
        match self {
            Self::Write => Limit { at_once: all_but_one, patience: None },
            Self::Heavy | Self::Large => Limit { at_once: all_but_one.min(FEW), patience: Some(PATIENCE) },
            Self::Bulk => Limit { at_once: FEW, patience: None },
            Self::Events => Limit { at_once: 1, patience: None },
        }
    }

    /// The class of a body of so many bytes, once it is there.
    pub fn of_size(bytes: usize) -> Option<Self> {
        (bytes > budget::FREE).then_some(Self::Large)
    }
}

/// Admits work of all requests.
#[derive(Debug)]
pub struct Admission {
    /// By class.
    turns: [(Arc<Semaphore>, Option<Duration>); Class::ALL.len()],
    /// Memory of bodies.
    bodies: Budget,
    /// Memory of large answers until clients have read them.
    answers: Budget,
}

/// The resources of a request until it is done, even if its client is gone.
#[derive(Debug)]
pub struct Permit {
    /// The memory of its body.
    pub memory: MemoryShare,
    turn: Option<OwnedSemaphorePermit>,
}

impl Permit {
    /// Lets the next request have its turn. The body read stays in memory until the request is answered.
    pub fn end_turn(&mut self) {
        self.turn = None;
    }
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            turns: Class::ALL.map(|class| {
                let limit = class.limit();
                (Arc::new(Semaphore::new(limit.at_once)), limit.patience)
            }),
            bodies: Budget::new(BODY_PATIENCE),
            answers: Budget::new(Duration::ZERO),
        }
    }
}

impl Admission {
    /// A permit for the body of a request from this address, whose memory grows as it arrives. Without an address only
    /// the memory of all limits it.
    pub fn receive(&self, address: Option<String>) -> Permit {
        Permit { memory: self.bodies.share(address), turn: None }
    }

    /// Waits for the turn of a request whose body is there.
    ///
    /// # Errors
    /// 503.
    pub async fn admit(&self, class: Class, permit: &mut Permit) -> Result<()> {
        permit.turn = Some(self.turn(class).await?);
        Ok(())
    }

    /// Waits for a turn in a class.
    ///
    /// # Errors
    /// 503.
    pub async fn turn(&self, class: Class) -> Result<OwnedSemaphorePermit> {
        let (turns, patience) = &self.turns[class as usize];
        let turn = Arc::clone(turns).acquire_owned();
        let turn = match patience {
            Some(patience) => timeout(*patience, turn).await.ok().and_then(std::result::Result::ok),
            None => turn.await.ok(),
        };
        turn.ok_or(Error::Busy("too many requests are in progress", BUSY_SECS))
    }

    /// Counts an answer as memory until its client has taken it, if it is large.
    ///
    /// # Errors
    /// 503.
    pub async fn answer(&self, bytes: Bytes, address: Option<String>) -> Result<Bytes> {
        if bytes.len() <= LARGE_ANSWER {
            return Ok(bytes);
        }
        let mut share = self.answers.share(address);
        match share.grow(bytes.len()).await {
            true => Ok(share.attach_to(bytes)),
            false => Err(Error::Busy("too many large answers are still being received", BUSY_SECS)),
        }
    }
}
