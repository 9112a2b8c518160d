//! The writer thread. Queued jobs share a commit; each has a savepoint of its own and is answered only when the commit
//! is on disk.

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
use crate::base::config::Checkpoints;
use crate::base::error::{Error, Result};
use crate::store::db::after_job::AfterJob;
use crate::store::db::batch::Batch;
use crate::store::db::checkpoints::LogWatch;
use crate::store::db::row_secrets::RowSecrets;
use crate::store::db::tx::Tx;
use crate::store::db::write_metrics::WriteMetrics;
use crate::store::db::{connection, disk, rows};
use crate::store::entries::entry_changes;

const QUEUE: usize = 1024;
const BATCH_JOBS: usize = 256;
const BATCH_TIME: Duration = Duration::from_millis(if cfg!(test) { 2000 } else { 5 });
const CHECKPOINT_FRAMES: i32 = 4000;
// A page and its header.
const FRAME_SIZE: u64 = 4096 + 24;
// How long maintenance between batches waits for other connections before it gives up.
const MAINTENANCE_WAIT: Duration = Duration::from_millis(50);
// Time for pending answers to be sent before the process exits.
const EXIT_DELAY: Duration = Duration::from_millis(200);

/// The queue of the writer thread.
pub struct Writer {
    queue: Mutex<Option<SyncSender<Box<dyn Job>>>>,
    /// The number of jobs submitted so far.
    count: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
    checkpoints: Checkpoints,
    file: Arc<FileState>,
    figures: Arc<WriteMetrics>,
}

/// The state of the database file, and the maintenance requested of it between batches.
#[derive(Default)]
struct FileState {
    /// The length of the log in pages.
    frames: AtomicI32,
    /// A requested [`Maintenance`]; 0 when it is done.
    requested: AtomicU8,
}

/// Work on the file that needs all transactions closed.
#[derive(Clone, Copy)]
pub enum Maintenance {
    /// Writes the log back into the file and truncates it. Left to the other program if checkpoints are external.
    EmptyLog = 1,
    /// Rebuilds the file, so that no deleted content is left in it. Blocks other writes meanwhile.
    Vacuum = 2,
}

/// The pending result of a write, which arrives when its commit is on disk, or of a long search. Await it in async
/// code, or call `wait`.
pub struct Ticket<T> {
    answer: oneshot::Receiver<Result<T>>,
    /// Cancels the search when the ticket is dropped. Writes are not cancelled.
    _cancel_on_drop: Option<DropGuard>,
}

impl<T> Ticket<T> {
    /// Blocks until the result arrives. Not to be called from async code.
    ///
    /// # Errors
    /// The job's own error; 503 if it could not be run or committed.
    pub fn wait(self) -> Result<T> {
        self.answer.blocking_recv().unwrap_or_else(|_| Err(lost()))
    }

    /// A ticket with its result.
    pub fn ready(result: Result<T>) -> Self {
        let (sender, receiver) = oneshot::channel();
        // The receiver still exists, so sending can't fail.
        let _ = sender.send(result);
        Self::pending(receiver)
    }

    fn pending(answer: oneshot::Receiver<Result<T>>) -> Self {
        Self { answer, _cancel_on_drop: None }
    }

    /// A pending ticket that cancels `token` when it is dropped.
    pub(in crate::store) fn cancelling(answer: oneshot::Receiver<Result<T>>, token: CancellationToken) -> Self {
        Self { answer, _cancel_on_drop: Some(token.drop_guard()) }
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        Pin::new(&mut self.answer).poll(cx).map(|answer| answer.unwrap_or_else(|_| Err(lost())))
    }
}

fn lost() -> Error {
    Error::Busy("the service is shutting down", 5)
}

trait Job: Send {
    /// Runs inside its savepoint. True if its changes are kept.
    fn run(&mut self, tx: &Tx) -> bool;
    /// Whether the job failed because the disk or the database was busy.
    fn met_a_busy_disk(&self) -> bool;
    /// Sends the result after the commit, or the reason why there was none.
    fn answer(self: Box<Self>, failed: Option<Error>);
}

/// There are many types of work: code that does not depend on the type is in functions of its own.
struct WriteWork<T, F> {
    work: Option<F>,
    value: Option<T>,
    outcome: Option<Result<()>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&Tx) -> Result<T> + Send> Job for WriteWork<T, F> {
    fn run(&mut self, tx: &Tx) -> bool {
        let Some(work) = self.work.take() else {
            return false;
        };
        let (mut work, value) = (Some(work), &mut self.value);
        let outcome = attempt(tx, &mut || {
            *value = work.take().map(|work| work(tx)).transpose()?;
            Ok(())
        });
        let kept = outcome.is_ok();
        self.outcome = Some(outcome);
        kept
    }

    fn met_a_busy_disk(&self) -> bool {
        matches!(self.outcome, Some(Err(Error::Busy(..))))
    }

    fn answer(self: Box<Self>, failed: Option<Error>) {
        let value = self.value;
        let result = verdict(self.outcome, failed).and_then(|()| value.ok_or_else(lost));
        // The caller may no longer wait: the change is kept nevertheless.
        let _ = self.reply.send(result);
    }
}

/// Runs a job's work, and its hooks in its savepoint.
fn attempt(tx: &Tx, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let work = || {
        work()?;
        tx.fill_room()?;
        entry_changes::write_events(tx)
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Error::internal("a write job panicked")))
}

/// The answer to a job with this outcome, whose batch may have failed.
fn verdict(outcome: Option<Result<()>>, failed: Option<Error>) -> Result<()> {
    match (outcome, failed) {
        // An internal error in a failed batch has the batch's cause: the disk.
        (Some(Err(Error::Internal(_))), Some(failed)) => Err(failed),
        // A refusal by the job itself is returned, whether or not the batch was committed.
        (Some(Err(refusal)), _) => Err(refusal),
        (_, Some(failed)) => Err(failed),
        (Some(Ok(())), None) => Ok(()),
        (None, None) => Err(lost()),
    }
}

impl Writer {
    /// Starts the thread.
    pub fn start(
        mut connection: Connection,
        checkpoints: Checkpoints,
        secrets: RowSecrets,
        after_job: Arc<dyn AfterJob>,
    ) -> std::io::Result<Self> {
        let file = Arc::new(FileState::default());
        let hook_file = Arc::clone(&file);
        connection
            .wal_hook(Some(move |_: &mut Wal, frames| {
                hook_file.frames.store(frames, Ordering::Relaxed);
                Ok(())
            }))
            .map_err(std::io::Error::other)?;
        let (queue, jobs) = sync_channel(QUEUE);
        let thread_file = Arc::clone(&file);
        let figures = Arc::new(WriteMetrics::default());
        let thread_figures = Arc::clone(&figures);
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            let work = AssertUnwindSafe(|| {
                let of_jobs = OfJobs { secrets: &secrets, after_job: &*after_job, figures: &thread_figures };
                run(&connection, checkpoints, of_jobs, &jobs, &thread_file);
            });
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
            checkpoints,
            file,
            figures,
        })
    }

    /// Queues a job. If the queue is full, it is answered 503 at once.
    pub fn submit<T: Send + 'static>(&self, work: impl FnOnce(&Tx) -> Result<T> + Send + 'static) -> Ticket<T> {
        let (reply, ticket) = oneshot::channel();
        let queued = self.enqueue(Box::new(WriteWork { work: Some(work), value: None, outcome: None, reply }));
        match queued {
            Ok(()) => Ticket::pending(ticket),
            Err(refusal) => Ticket::ready(Err(refusal)),
        }
    }

    fn enqueue(&self, job: Box<dyn Job>) -> Result<()> {
        self.count.fetch_add(1, Ordering::Relaxed);
        let queue = self.queue.lock().map(|queue| queue.clone()).unwrap_or_default();
        // Before the thread can take it.
        self.figures.queue();
        let sent = queue.map(|queue| queue.try_send(job));
        if !matches!(sent, Some(Ok(()))) {
            self.figures.unqueue();
        }
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err(Error::Busy("too many writes are waiting", 1)),
            Some(Err(TrySendError::Disconnected(_))) | None => Err(lost()),
        }
    }

    /// Runs maintenance on the file. False if other connections prevented it. Only one caller at a time: others may get
    /// false.
    pub fn maintain(&self, maintenance: Maintenance) -> Result<bool> {
        if matches!(maintenance, Maintenance::EmptyLog) && self.checkpoints == Checkpoints::External {
            return Ok(true);
        }
        self.file.requested.store(maintenance as u8, Ordering::Release);
        // The thread does it after the batch of the first job, so it is done before the second job begins.
        for _ in 0..2 {
            self.submit(|_| Ok(())).wait()?;
        }
        Ok(self.file.requested.swap(0, Ordering::AcqRel) == 0)
    }

    pub fn figures(&self) -> &WriteMetrics {
        &self.figures
    }

    /// The number of jobs submitted so far. Background work pauses while it grows.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn is_closed(&self) -> bool {
        self.queue.lock().is_ok_and(|queue| queue.is_none())
    }

    /// Waits until the thread has finished the queued jobs.
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

/// Shared state for the transactions of jobs.
#[derive(Clone, Copy)]
struct OfJobs<'w> {
    secrets: &'w RowSecrets,
    after_job: &'w dyn AfterJob,
    figures: &'w WriteMetrics,
}

fn run(
    connection: &Connection,
    checkpoints: Checkpoints,
    of_jobs: OfJobs,
    jobs: &Receiver<Box<dyn Job>>,
    file: &FileState,
) {
    let mut watch = LogWatch::default();
    while let Ok(first) = jobs.recv() {
        of_jobs.figures.unqueue();
        let mut done = Vec::new();
        let failed = commit(connection, of_jobs, first, jobs, &mut done).err();
        let mut is_broken = false;
        if let Some(failed) = &failed {
            tracing::error!("a batch of writes was not kept: {failed}");
            of_jobs.figures.failures.add(1);
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            // A transaction that can't be ended would block every later one. Checked before the jobs are answered: a
            // client told that the disk is full may free space at once.
            is_broken = !connection.is_autocommit() || disk::is_broken(failed, connection);
        }
        for job in done {
            job.answer(failed.as_ref().map(commit_error));
        }
        if failed.is_none() {
            let requested = file.requested.load(Ordering::Acquire);
            let written_back = if requested != 0 {
                maintain(connection, file, requested)
            } else if checkpoints == Checkpoints::External {
                watch_log(&mut watch, file);
                Ok(())
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
            exit(jobs);
        }
    }
}

/// Writes the log back into the file, as far as open snapshots allow.
fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?.query_row([], |_| Ok(()))
}

/// Warns if the other program leaves the log to grow.
fn watch_log(watch: &mut LogWatch, file: &FileState) {
    let frames = u64::try_from(file.frames.load(Ordering::Relaxed)).unwrap_or_default();
    let size = frames * FRAME_SIZE;
    if watch.is_alarming(size) {
        tracing::warn!(
            "the log of the database has grown to {} MB, since nobody writes it back: is Litestream running?",
            size >> 20
        );
    }
}

/// Does the requested maintenance, unless other connections block it for too long.
fn maintain(connection: &Connection, file: &FileState, requested: u8) -> rusqlite::Result<()> {
    connection.busy_timeout(MAINTENANCE_WAIT)?;
    let result = if requested == Maintenance::Vacuum as u8 {
        connection.execute_batch("VACUUM").map(|()| false)
    } else {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
    };
    connection.busy_timeout(connection::BUSY)?;
    let is_busy = match result {
        Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => true,
        result => result?,
    };
    if !is_busy {
        file.requested.store(0, Ordering::Release);
    }
    Ok(())
}

/// Exits the process, because the state of the disk is unknown until it is read again (S81). Waiting jobs are refused
/// first.
fn exit(jobs: &Receiver<Box<dyn Job>>) -> ! {
    tracing::error!("writing failed: leaving, so that recovery reads the disk again");
    let begun = Instant::now();
    while let Some(rest) = EXIT_DELAY.checked_sub(begun.elapsed()) {
        match jobs.recv_timeout(rest) {
            Ok(job) => job.answer(Some(lost())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(rest),
        }
    }
    std::process::exit(1);
}

/// Runs `first` and the jobs queued behind it in one transaction. Jobs that ran are added to `done`.
fn commit(
    connection: &Connection,
    of_jobs: OfJobs,
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
        let result = run_job(connection, of_jobs, &batch, job.as_mut());
        done.push(job);
        result?;
        next = if done.len() < BATCH_JOBS && begun.elapsed() < BATCH_TIME {
            let next = jobs.try_recv().ok();
            next.inspect(|_| of_jobs.figures.unqueue())
        } else {
            None
        };
    }
    batch.write(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    of_jobs.figures.commits.observe(begun.elapsed());
    of_jobs.figures.jobs.add(done.len() as u64);
    of_jobs.figures.entries.add(batch.entries.get());
    let told = batch.noted.take_told();
    if !told.is_empty() {
        of_jobs.after_job.stored_events(&told);
    }
    Ok(())
}

fn run_job(connection: &Connection, of_jobs: OfJobs, batch: &Batch, job: &mut dyn Job) -> rusqlite::Result<()> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    batch.begin_job();
    let OfJobs { secrets, after_job, .. } = of_jobs;
    if job.run(&Tx::writing(connection, batch, after_job, secrets, clock::now())) {
        connection.prepare_cached("RELEASE job")?.execute([])?;
    } else {
        batch.undo_job();
        if connection.is_autocommit() {
            // A full disk or an IO error may roll back the whole transaction: then the batch is lost.
            return Err(rows::rolled_back(job.met_a_busy_disk()));
        }
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
        connection.prepare_cached("RELEASE job")?.execute([])?;
    }
    Ok(())
}

fn commit_error(e: &rusqlite::Error) -> Error {
    match e.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Busy("the disk is full", 30),
        Some(ErrorCode::DatabaseBusy) => Error::Busy("the database is busy", 1),
        _ => Error::Busy("the write could not be stored", 5),
    }
}

#[cfg(test)]
mod tests;
