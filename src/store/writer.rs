//! The one thread that writes. Jobs that wait together share a commit; each stands in a savepoint of
//! its own, and each is answered only when the commit is on disk.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::store::counters::Batch;
use crate::store::row_secrets::RowSecrets;
use crate::store::tx::Tx;
use crate::store::{connection, disk, rows};

const QUEUE: usize = 1024;
const BATCH_JOBS: usize = 256;
const BATCH_TIME: Duration = Duration::from_millis(if cfg!(test) { 2000 } else { 5 });
const CHECKPOINT_FRAMES: i32 = 4000;
// What is done with the file between batches gives up where others are in its way for so long.
const TIDYING: Duration = Duration::from_millis(50);
// Long enough for refusals to get out before the process ends.
const LEAVE: Duration = Duration::from_millis(200);

/// Where jobs are left for the thread.
pub struct Writer {
    queue: Mutex<Option<SyncSender<Box<dyn Job>>>>,
    /// How many jobs were left here so far.
    count: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
    file: Arc<File>,
}

/// What is known of the database file, and asked to be done with it between batches.
#[derive(Default)]
struct File {
    /// The pages that the log has.
    frames: AtomicI32,
    /// A [`Tidying`]; none again when it is done.
    wanted: AtomicU8,
}

/// What can be done with the file while no transaction is open.
#[derive(Clone, Copy)]
pub enum Tidying {
    /// The log is written back into the file and emptied.
    EmptyLog = 1,
    /// The file is written anew, so that nothing that was deleted is left in it. Others wait as long.
    Vacuum = 2,
}

/// The answer to a job, to come when its commit is on disk; or to a long search. Awaited in async code, or
/// waited for.
pub struct Ticket<T> {
    answer: oneshot::Receiver<Result<T>>,
    /// Tells the search when nobody waits any more. A write is done all the same.
    _wanted: Option<DropGuard>,
}

impl<T> Ticket<T> {
    /// Waits. Not to be called from async code.
    ///
    /// # Errors
    /// What the job returned; 503 when it could not be run or kept.
    pub fn wait(self) -> Result<T> {
        self.answer.blocking_recv().unwrap_or_else(|_| Err(lost()))
    }

    /// A ticket that is answered already.
    pub fn ready(result: Result<T>) -> Self {
        let (sender, receiver) = oneshot::channel();
        // The receiver stands in the next line, so sending can't fail.
        let _ = sender.send(result);
        Self::to_come(receiver)
    }

    /// A ticket whose answer will come.
    fn to_come(answer: oneshot::Receiver<Result<T>>) -> Self {
        Self {
            answer,
            _wanted: None,
        }
    }

    /// The same; `wanted` is cancelled when the ticket is no more.
    pub(in crate::store) fn wanted(
        answer: oneshot::Receiver<Result<T>>,
        wanted: CancellationToken,
    ) -> Self {
        Self {
            answer,
            _wanted: Some(wanted.drop_guard()),
        }
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        Pin::new(&mut self.answer)
            .poll(cx)
            .map(|answer| answer.unwrap_or_else(|_| Err(lost())))
    }
}

fn lost() -> Error {
    Error::Busy("the service is shutting down", 5)
}

trait Job: Send {
    /// Runs inside its savepoint; says whether its changes are kept.
    fn run(&mut self, tx: &Tx) -> bool;
    /// Whether it was refused because the disk or the database took nothing for now.
    fn met_a_busy_disk(&self) -> bool;
    /// Answers, after the commit or with the reason why there was none.
    fn answer(self: Box<Self>, failed: Option<Error>);
}

struct Work<T, F> {
    work: Option<F>,
    result: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&Tx) -> Result<T> + Send> Job for Work<T, F> {
    fn run(&mut self, tx: &Tx) -> bool {
        let Some(work) = self.work.take() else {
            return false;
        };
        let result = catch_unwind(AssertUnwindSafe(|| work(tx)))
            .unwrap_or_else(|_| Err(Error::internal("a write job panicked")));
        let kept = result.is_ok();
        self.result = Some(result);
        kept
    }

    fn met_a_busy_disk(&self) -> bool {
        matches!(self.result, Some(Err(Error::Busy(..))))
    }

    fn answer(self: Box<Self>, failed: Option<Error>) {
        let result = match (self.result, failed) {
            // Its own fault is that of the batch: the disk's.
            (Some(Err(Error::Internal(_))), Some(failed)) => Err(failed),
            // A job that refused by itself has its own answer whatever became of the others.
            (Some(Err(own)), _) => Err(own),
            (_, Some(failed)) => Err(failed),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(lost()),
        };
        // Nobody may be waiting any more: the change is kept all the same.
        let _ = self.reply.send(result);
    }
}

impl Writer {
    /// Starts the thread.
    pub fn start(mut connection: Connection, secrets: RowSecrets) -> std::io::Result<Self> {
        let file = Arc::new(File::default());
        let noted = Arc::clone(&file);
        connection
            .wal_hook(Some(move |_: &mut Wal, frames| {
                noted.frames.store(frames, Ordering::Relaxed);
                Ok(())
            }))
            .map_err(std::io::Error::other)?;
        let (queue, jobs) = sync_channel(QUEUE);
        let own_file = Arc::clone(&file);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                let work = AssertUnwindSafe(|| run(&connection, &secrets, &jobs, &own_file));
                if catch_unwind(work).is_err() {
                    // A service that can't write must not go on as if it could (S13).
                    tracing::error!("the writer panicked: leaving");
                    std::process::exit(1);
                }
            })?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            count: AtomicU64::new(0),
            thread: Mutex::new(Some(thread)),
            file,
        })
    }

    /// Queues a job; one for which there is no room is answered 503 at once.
    pub fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tx) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        self.count.fetch_add(1, Ordering::Relaxed);
        let (reply, ticket) = oneshot::channel();
        let job = Box::new(Work {
            work: Some(work),
            result: None,
            reply,
        });
        let queue = self
            .queue
            .lock()
            .map(|queue| queue.clone())
            .unwrap_or_default();
        match queue.map(|queue| queue.try_send(job)) {
            Some(Ok(())) => Ticket::to_come(ticket),
            Some(Err(TrySendError::Full(_))) => {
                Ticket::ready(Err(Error::Busy("too many writes are waiting", 1)))
            }
            Some(Err(TrySendError::Disconnected(_))) | None => Ticket::ready(Err(lost())),
        }
    }

    /// Tidies the file up; says whether that could be done. One asks at a time: who asks meanwhile may be told no.
    pub fn tidy(&self, tidying: Tidying) -> Result<bool> {
        self.file.wanted.store(tidying as u8, Ordering::Release);
        // It is done behind the first of these, which is over when the second one begins.
        for _ in 0..2 {
            self.submit(|_| Ok(())).wait()?;
        }
        Ok(self.file.wanted.swap(0, Ordering::AcqRel) == 0)
    }

    /// How many jobs were left here so far: what goes on in the background rests while this grows.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether no more jobs are taken.
    pub fn is_closed(&self) -> bool {
        self.queue.lock().is_ok_and(|queue| queue.is_none())
    }

    /// Lets the thread finish what is queued, and waits for it.
    pub fn close(&self) {
        if let Ok(mut queue) = self.queue.lock() {
            queue.take();
        }
        let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer thread had panicked");
        }
    }
}

fn run(connection: &Connection, secrets: &RowSecrets, jobs: &Receiver<Box<dyn Job>>, file: &File) {
    while let Ok(first) = jobs.recv() {
        let mut done = Vec::new();
        let failed = commit(connection, secrets, first, jobs, &mut done).err();
        let mut is_broken = false;
        if let Some(failed) = &failed {
            tracing::error!("a batch of writes was not kept: {failed}");
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            // A transaction that can't be ended would hold every later one back. Seen before anybody is
            // answered: whoever hears of a full disk may make room at once.
            is_broken = !connection.is_autocommit() || disk::is_broken(failed, connection);
        }
        for job in done {
            job.answer(failed.as_ref().map(refusal));
        }
        if failed.is_none() {
            let wanted = file.wanted.load(Ordering::Acquire);
            let written_back = if wanted != 0 {
                tidy(connection, file, wanted)
            } else if file.frames.load(Ordering::Relaxed) >= CHECKPOINT_FRAMES {
                checkpoint(connection)
            } else {
                Ok(())
            };
            is_broken = written_back.is_err_and(|failed| {
                tracing::error!("the log could not be written back: {failed}");
                disk::is_broken(&failed, connection)
            });
        }
        if is_broken {
            leave(jobs);
        }
    }
}

/// Writes the log back into the file, as far as readers let it.
fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?
        .query_row([], |_| Ok(()))
}

/// Does what is wanted of the file, unless somebody is in the way for long.
fn tidy(connection: &Connection, file: &File, wanted: u8) -> rusqlite::Result<()> {
    connection.busy_timeout(TIDYING)?;
    let done = if wanted == Tidying::Vacuum as u8 {
        connection.execute_batch("VACUUM").map(|()| false)
    } else {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
    };
    connection.busy_timeout(connection::BUSY)?;
    let is_busy = match done {
        Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => true,
        done => done?,
    };
    if !is_busy {
        file.wanted.store(0, Ordering::Release);
    }
    Ok(())
}

/// Ends the process: what the disk now holds is unknown until it is read again (S81). Who waits is
/// refused first.
fn leave(jobs: &Receiver<Box<dyn Job>>) -> ! {
    tracing::error!("writing failed: leaving, so that recovery reads the disk again");
    let begun = Instant::now();
    while let Some(rest) = LEAVE.checked_sub(begun.elapsed()) {
        match jobs.recv_timeout(rest) {
            Ok(job) => job.answer(Some(lost())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(rest),
        }
    }
    std::process::exit(1);
}

/// Runs `first` and what waits behind it in one transaction. Jobs that ran are left in `done`.
fn commit(
    connection: &Connection,
    secrets: &RowSecrets,
    first: Box<dyn Job>,
    jobs: &Receiver<Box<dyn Job>>,
    done: &mut Vec<Box<dyn Job>>,
) -> rusqlite::Result<()> {
    let begun = Instant::now();
    let batch = Batch::default();
    let mut next = Some(first);
    let mut begin = connection.prepare_cached("BEGIN IMMEDIATE")?;
    if let Err(e) = begin.execute([]) {
        done.extend(next);
        return Err(e);
    }
    while let Some(mut job) = next {
        let ran = one(connection, secrets, &batch, job.as_mut());
        done.push(job);
        ran?;
        next = if done.len() < BATCH_JOBS && begun.elapsed() < BATCH_TIME {
            jobs.try_recv().ok()
        } else {
            None
        };
    }
    batch.write(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(())
}

fn one(
    connection: &Connection,
    secrets: &RowSecrets,
    batch: &Batch,
    job: &mut dyn Job,
) -> rusqlite::Result<()> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    batch.begin_job();
    if job.run(&Tx::writing(connection, batch, secrets, clock::now())) {
        connection.prepare_cached("RELEASE job")?.execute([])?;
    } else {
        batch.undo_job();
        if connection.is_autocommit() {
            // Disk full or an IO error may end the whole transaction: then nothing of the batch is left.
            return Err(rows::rolled_back(job.met_a_busy_disk()));
        }
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
        connection.prepare_cached("RELEASE job")?.execute([])?;
    }
    Ok(())
}

fn refusal(e: &rusqlite::Error) -> Error {
    match e.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Busy("the disk is full", 30),
        Some(ErrorCode::DatabaseBusy) => Error::Busy("the database is busy", 1),
        _ => Error::Busy("the write could not be kept", 5),
    }
}

#[cfg(test)]
mod tests;
