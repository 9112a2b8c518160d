//! Reads that take their time: searches through many entries. They have threads and connections of their
//! own, so that plain reads never wait for them, and less of the processor where others want it. One that
//! nobody waits for any more ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use r2d2::ManageConnection as _;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::base::error::{Error, Result};
use crate::base::priority;
use crate::store::connection::{Reader, Readers};
use crate::store::entry_tokens::EntryTokens;
use crate::store::tx::Tx;
use crate::store::writer::Ticket;
use crate::store::{ask, rows};

/// How much there is to look through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// A fraction of a second: such searches don't stand behind long ones.
    Brief,
    /// Up to the time that a read may take.
    Long,
}

const THREADS: usize = 2;
const QUEUE: usize = 64;
/// Whoever stood in line for so long is sent away.
const LINE_TIME: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce(&mut Result<Reader>) + Send>;

/// The threads and what waits for them.
pub struct Searches {
    brief: SyncSender<Job>,
    long: SyncSender<Job>,
    tokens: EntryTokens,
}

impl Searches {
    /// Starts the threads; each opens its connection when it is first needed.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub fn start(path: &Path, limit: Duration, tokens: EntryTokens) -> std::io::Result<Self> {
        Ok(Self {
            brief: lane("search", Weight::Brief, path, limit)?,
            long: lane("long-search", Weight::Long, path, limit)?,
            tokens,
        })
    }

    /// Queues a search over one snapshot. When the ticket is dropped, it ends.
    pub fn submit<T: Send + 'static>(
        &self,
        weight: Weight,
        f: impl FnOnce(&Tx) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        self.submit_pieces(weight, |snapshots| snapshots.read(f))
    }

    /// Queues a search that takes one snapshot after the other. When the ticket is dropped, it ends.
    pub fn submit_pieces<T: Send + 'static>(
        &self,
        weight: Weight,
        f: impl FnOnce(&mut Snapshots) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        let (reply, answer) = oneshot::channel();
        let wanted = CancellationToken::new();
        let ticket = Ticket::wanted(answer, wanted.clone());
        let (begun, tokens) = (Instant::now(), self.tokens.clone());
        let job: Job = Box::new(move |reader| {
            if wanted.is_cancelled() {
                return;
            }
            let result = if begun.elapsed() > LINE_TIME {
                Err(busy())
            } else {
                run(reader, &tokens, wanted, f)
            };
            // Nobody may be waiting any more.
            let _ = reply.send(result);
        });
        let lane = match weight {
            Weight::Brief => &self.brief,
            Weight::Long => &self.long,
        };
        match lane.try_send(job) {
            Ok(()) => ticket,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                Ticket::ready(Err(busy()))
            }
        }
    }
}

fn busy() -> Error {
    Error::Busy("too many searches are waiting", 5)
}

/// The snapshots of one search: none of them has to last as long as all of it, since one that is held
/// holds the log back.
pub struct Snapshots<'r> {
    reader: &'r mut Reader,
    tokens: &'r EntryTokens,
    wanted: CancellationToken,
}

impl Snapshots<'_> {
    /// Runs `f` over a snapshot of now.
    ///
    /// # Errors
    /// What `f` returns; 503 when it takes too long or nobody waits any more.
    pub fn read<T>(&mut self, f: impl FnOnce(&Tx) -> Result<T>) -> Result<T> {
        self.reader.begin().map_err(rows::internal)?;
        self.reader.watch(Some(self.wanted.clone()));
        let out = ask(self.reader, self.tokens, |tx| {
            tx.go_on()?;
            f(tx)
        });
        self.reader.watch(None);
        self.reader.end();
        out.unwrap_or_else(|_| Err(panicked()))
    }
}

fn panicked() -> Error {
    Error::internal("a search panicked")
}

fn run<T>(
    reader: &mut Result<Reader>,
    tokens: &EntryTokens,
    wanted: CancellationToken,
    f: impl FnOnce(&mut Snapshots) -> Result<T>,
) -> Result<T> {
    let Ok(reader) = reader else {
        return Err(Error::Busy("the database can't be read", 5));
    };
    let mut snapshots = Snapshots {
        reader,
        tokens,
        wanted,
    };
    catch_unwind(AssertUnwindSafe(|| f(&mut snapshots))).unwrap_or_else(|_| Err(panicked()))
}

/// The threads of one sort of searches.
fn lane(
    name: &str,
    weight: Weight,
    path: &Path,
    limit: Duration,
) -> std::io::Result<SyncSender<Job>> {
    let (queue, jobs) = sync_channel(QUEUE);
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..THREADS {
        let (readers, jobs) = (Readers::new(path, limit), Arc::clone(&jobs));
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(weight, &readers, &jobs))?;
    }
    Ok(queue)
}

fn work(weight: Weight, readers: &Readers, jobs: &Mutex<Receiver<Job>>) {
    priority::give_way();
    let mut reader = None;
    loop {
        // The lock is let go before the job runs.
        let next = jobs.lock().map(|jobs| jobs.recv());
        let Ok(Ok(job)) = next else {
            return;
        };
        let own = reader.get_or_insert_with(|| readers.connect().map_err(rows::internal));
        if let (Weight::Long, Ok(reader)) = (weight, &own) {
            reader.step_back();
        }
        job(own);
        let is_broken = match own {
            Ok(reader) => readers.has_broken(reader),
            Err(_) => true,
        };
        if is_broken {
            reader = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;

    use super::*;
    use crate::base::secret::Keys;
    use crate::store::connection;

    fn searches(limit: Duration) -> (Searches, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("test.db");
        let writer = connection::open(&path).expect("opens");
        connection::make_writer(&writer).expect("a database");
        let tokens = EntryTokens::new(&Keys::new([7; 32]));
        let searches = Searches::start(&path, limit, tokens).expect("threads");
        (searches, dir)
    }

    fn forever(tx: &Tx) -> Result<()> {
        loop {
            tx.go_on()?;
            std::thread::yield_now();
        }
    }

    #[test]
    fn one_that_takes_too_long_is_told_so_and_the_thread_goes_on() {
        let (searches, _dir) = searches(Duration::from_millis(50));
        for _ in 0..5 {
            let cut = searches.submit(Weight::Long, forever).wait();
            assert!(matches!(cut, Err(Error::Busy(_, 5))), "{cut:?}");
        }
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
        let cut = searches.submit(Weight::Long, move |tx| {
            let asked = tx
                .connection
                .query_row(endless, [], |row| row.get::<_, i64>(0));
            asked.map_err(rows::internal)
        });
        assert!(matches!(cut.wait(), Err(Error::Busy(_, 5))));
        let panicked = searches.submit::<()>(Weight::Long, |_| panic!("a bug"));
        assert!(matches!(panicked.wait(), Err(Error::Internal(_))));
        assert!(matches!(
            searches.submit(Weight::Long, |_| Ok(7)).wait(),
            Ok(7)
        ));
    }

    #[test]
    fn one_that_nobody_waits_for_ends_and_never_begins() {
        let (searches, _dir) = searches(Duration::from_secs(60));
        let (began, begun) = channel();
        let tickets: Vec<_> = (0..THREADS)
            .map(|_| {
                let began = began.clone();
                searches.submit(Weight::Long, move |tx| {
                    began.send(()).expect("the test waits");
                    forever(tx)
                })
            })
            .collect();
        for _ in 0..THREADS {
            begun.recv().expect("it began");
        }
        let ran = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&ran);
        drop(searches.submit(Weight::Long, move |_| {
            own.store(true, Ordering::Relaxed);
            Ok(())
        }));
        // Brief ones don't stand behind the long ones.
        assert!(matches!(
            searches.submit(Weight::Brief, |_| Ok(1)).wait(),
            Ok(1)
        ));
        let after = searches.submit(Weight::Long, |_| Ok(2));
        drop(tickets);
        assert!(matches!(after.wait(), Ok(2)));
        assert!(!ran.load(Ordering::Relaxed));
    }

    #[test]
    fn only_so_many_may_wait() {
        let (searches, _dir) = searches(Duration::from_secs(60));
        let mut tickets: Vec<_> = (0..THREADS + QUEUE)
            .map(|_| searches.submit(Weight::Long, forever))
            .collect();
        // The threads may not have taken theirs yet.
        for _ in 0..THREADS + 1 {
            tickets.push(searches.submit(Weight::Long, forever));
        }
        let last = tickets.pop().expect("a ticket");
        assert!(matches!(
            last.wait(),
            Err(Error::Busy("too many searches are waiting", 5))
        ));
        drop(tickets);
    }
}
