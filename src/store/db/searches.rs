//! Long reads: searches through many entries. They have threads and connections of their own and a lower priority, so
//! that short reads never wait for them. A search ends when its caller is gone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use r2d2::ManageConnection as _;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::base::error::{Error, Result};
use crate::base::priority;
use crate::store::ask;
use crate::store::db::connection::{DatabaseFile, Reader, Readers};
use crate::store::db::row_secrets::RowSecrets;
use crate::store::db::rows;
use crate::store::db::tx::Tx;
use crate::store::db::writer::Ticket;

/// Threads of each queue.
const THREADS: usize = 2;
const QUEUE: usize = 64;
/// The longest wait in the queue.
const MAX_WAIT: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce(&mut Result<Reader>) + Send>;

/// Two queues with threads of their own: no list waits for reports, which read every entry.
pub struct Searches {
    lists: SyncSender<Job>,
    reports: SyncSender<Job>,
    secrets: RowSecrets,
}

impl Searches {
    /// Starts the threads; each opens its connection when it is first needed.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub fn start(file: &DatabaseFile, limit: Duration, secrets: RowSecrets) -> std::io::Result<Self> {
        Ok(Self { lists: threads("search", file, limit)?, reports: threads("report", file, limit)?, secrets })
    }

    /// Queues a search over one snapshot. Dropping the ticket cancels it.
    pub fn submit<T: Send + 'static>(&self, f: impl FnOnce(&Tx) -> Result<T> + Send + 'static) -> Ticket<T> {
        self.queue(&self.lists, |snapshots| snapshots.read(f))
    }

    /// Queues a report, which takes one snapshot after the other. Dropping the ticket cancels it.
    pub fn submit_steps<T: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Snapshots) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        self.queue(&self.reports, f)
    }

    fn queue<T: Send + 'static>(
        &self,
        queue: &SyncSender<Job>,
        f: impl FnOnce(&mut Snapshots) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        let (reply, answer) = oneshot::channel();
        let wanted = CancellationToken::new();
        let ticket = Ticket::cancelling(answer, wanted.clone());
        let (begun, secrets) = (Instant::now(), self.secrets.clone());
        let job: Job = Box::new(move |reader| {
            if wanted.is_cancelled() {
                return;
            }
            let result = if begun.elapsed() > MAX_WAIT { Err(busy()) } else { run(reader, &secrets, wanted, f) };
            // Nobody may be waiting any more.
            let _ = reply.send(result);
        });
        match queue.try_send(job) {
            Ok(()) => ticket,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Ticket::ready(Err(busy())),
        }
    }
}

fn busy() -> Error {
    Error::Busy("too many searches are waiting", 5)
}

/// The snapshots of one report: a snapshot that lasts holds the write-ahead log back.
pub struct Snapshots<'r> {
    reader: &'r mut Reader,
    secrets: &'r RowSecrets,
    wanted: CancellationToken,
}

impl Snapshots<'_> {
    /// Runs `f` over a new snapshot.
    ///
    /// # Errors
    /// The error of `f`; 503 when it takes too long or nobody waits any more.
    pub fn read<T>(&mut self, f: impl FnOnce(&Tx) -> Result<T>) -> Result<T> {
        self.reader.begin().map_err(rows::internal)?;
        self.reader.cancel_with(Some(self.wanted.clone()));
        let out = ask(self.reader, self.secrets, |tx| {
            tx.check_deadline()?;
            f(tx)
        });
        self.reader.cancel_with(None);
        self.reader.end();
        out.unwrap_or_else(|_| Err(panicked()))
    }
}

fn panicked() -> Error {
    Error::internal("a search panicked")
}

fn run<T>(
    reader: &mut Result<Reader>,
    secrets: &RowSecrets,
    wanted: CancellationToken,
    f: impl FnOnce(&mut Snapshots) -> Result<T>,
) -> Result<T> {
    let Ok(reader) = reader else {
        return Err(Error::Busy("the database can't be read", 5));
    };
    let mut snapshots = Snapshots { reader, secrets, wanted };
    catch_unwind(AssertUnwindSafe(|| f(&mut snapshots))).unwrap_or_else(|_| Err(panicked()))
}

/// Starts the threads of a queue.
fn threads(name: &str, file: &DatabaseFile, limit: Duration) -> std::io::Result<SyncSender<Job>> {
    let (queue, jobs) = sync_channel(QUEUE);
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..THREADS {
        let (readers, jobs) = (Readers::new(file, limit), Arc::clone(&jobs));
        std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&readers, &jobs))?;
    }
    Ok(queue)
}

fn work(readers: &Readers, jobs: &Mutex<Receiver<Job>>) {
    priority::lower();
    let mut reader = None;
    loop {
        // The lock is released before the job runs.
        let next = jobs.lock().map(|jobs| jobs.recv());
        let Ok(Ok(job)) = next else {
            return;
        };
        let own = reader.get_or_insert_with(|| readers.connect().map_err(rows::internal));
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
    use crate::base::config::Checkpoints;
    use crate::base::secret::Keys;
    use crate::store::db::connection;

    fn searches(limit: Duration) -> (Searches, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("test.db");
        let writer = connection::open(&path).expect("opens");
        connection::make_writer(&writer).expect("a database");
        let secrets = RowSecrets::new(&Keys::new([7; 32]));
        let file = DatabaseFile { path, checkpoints: Checkpoints::Own };
        let searches = Searches::start(&file, limit, secrets).expect("threads");
        (searches, dir)
    }

    fn forever(tx: &Tx) -> Result<()> {
        loop {
            tx.check_deadline()?;
            std::thread::yield_now();
        }
    }

    #[test]
    fn one_that_takes_too_long_is_told_so_and_the_thread_goes_on() {
        let (searches, _dir) = searches(Duration::from_millis(50));
        for _ in 0..5 {
            let cut = searches.submit(forever).wait();
            assert!(matches!(cut, Err(Error::Busy(_, 5))), "{cut:?}");
        }
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
        let cut = searches.submit(move |tx| {
            let asked = tx.connection.query_row(endless, [], |row| row.get::<_, i64>(0));
            asked.map_err(rows::internal)
        });
        assert!(matches!(cut.wait(), Err(Error::Busy(_, 5))));
        // On a busy machine the time of one may be over before it begins.
        let in_time = |work: fn(&Tx) -> Result<i64>| {
            let mut outcomes = std::iter::repeat_with(|| searches.submit(work).wait());
            outcomes.find(|outcome| !matches!(outcome, Err(Error::Busy(..))))
        };
        assert!(matches!(in_time(|_| panic!("a bug")), Some(Err(Error::Internal(_)))));
        assert!(matches!(in_time(|_| Ok(7)), Some(Ok(7))));
    }

    #[test]
    fn one_that_nobody_waits_for_ends_and_never_begins() {
        let (searches, _dir) = searches(Duration::from_secs(60));
        let (began, begun) = channel();
        let tickets: Vec<_> = (0..THREADS)
            .map(|_| {
                let began = began.clone();
                searches.submit(move |tx| {
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
        drop(searches.submit(move |_| {
            own.store(true, Ordering::Relaxed);
            Ok(())
        }));
        let after = searches.submit(|_| Ok(2));
        drop(tickets);
        assert!(matches!(after.wait(), Ok(2)));
        assert!(!ran.load(Ordering::Relaxed));
    }

    #[test]
    fn only_so_many_may_wait() {
        let (searches, _dir) = searches(Duration::from_secs(60));
        let mut tickets: Vec<_> = (0..THREADS + QUEUE).map(|_| searches.submit(forever)).collect();
        // The threads may not have taken theirs yet.
        for _ in 0..THREADS + 1 {
            tickets.push(searches.submit(forever));
        }
        let last = tickets.pop().expect("a ticket");
        assert!(matches!(last.wait(), Err(Error::Busy("too many searches are waiting", 5))));
        drop(tickets);
    }
}
