//! Reads that take their time: searches through many entries. They have threads and connections of their
//! own, so that plain reads never wait for them, and less of the processor where others want it. One that
//! nobody waits for any more ends.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use r2d2::ManageConnection as _;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::base::error::{Error, Result};
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
/// As `nice` counts: a tenth of the share of a thread at 0.
const NICENESS: i32 = 10;

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
            brief: lane("search", path, limit)?,
            long: lane("long-search", path, limit)?,
            tokens,
        })
    }

    /// Queues a search over one snapshot. When the ticket is dropped, it ends.
    pub fn submit<T: Send + 'static>(
        &self,
        weight: Weight,
        f: impl FnOnce(&Tx) -> Result<T> + Send + 'static,
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

fn run<T>(
    reader: &mut Result<Reader>,
    tokens: &EntryTokens,
    wanted: CancellationToken,
    f: impl FnOnce(&Tx) -> Result<T>,
) -> Result<T> {
    let reader = match reader {
        Ok(reader) => reader,
        Err(_) => return Err(Error::Busy("the database can't be read", 5)),
    };
    reader.begin().map_err(rows::internal)?;
    reader.watch(Some(wanted));
    let out = ask(reader, tokens, f);
    reader.watch(None);
    reader.end();
    out.unwrap_or_else(|_| Err(Error::internal("a search panicked")))
}

/// The threads of one sort of searches.
fn lane(name: &str, path: &Path, limit: Duration) -> std::io::Result<SyncSender<Job>> {
    let (queue, jobs) = sync_channel(QUEUE);
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..THREADS {
        let (readers, jobs) = (Readers::new(path, limit), Arc::clone(&jobs));
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&readers, &jobs))?;
    }
    Ok(queue)
}

fn work(readers: &Readers, jobs: &Mutex<Receiver<Job>>) {
    // On Linux this is the niceness of the calling thread alone. Refused, it stays what it was.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    let mut reader = None;
    loop {
        // The lock is let go before the job runs.
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
