//! Background jobs: a table of jobs, and the threads that run them on schedule. No SQL, no HTTP.

pub mod acme;
mod deliveries;
pub mod smtp;
mod webhooks;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::base::priority;
use crate::jobs::deliveries::Worker;
use crate::ops::accounts::token_uses;
use crate::ops::app::App;
use crate::ops::backups;
use crate::ops::checkup::{sweeps, unique_index};
use crate::ops::delivery::{event_streams, reminders};
use crate::ops::entries::{jobs as entry_jobs, segments};
use crate::ops::forms::rewrites;
use crate::ops::oauth::keys;
use crate::ops::queries::{counts, index};
use crate::ops::transfer::{import_jobs, imports};

pub struct Job {
    /// Its name on the command line.
    pub name: &'static str,
    /// The time from its end to its next run.
    pub every: Duration,
    /// Does the work that is due and returns the number of items.
    pub run: fn(&App) -> Result<usize>,
    pub lane: Lane,
}

/// Jobs of one lane run one after the other; lanes run in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Quick, or done in small steps.
    Short,
    /// May take minutes.
    Long,
    /// One file may take many minutes, in a single run: what others began must not wait for it.
    Import,
    /// May take hours.
    Backup,
    /// Waits for others on the network: has a thread of its own, which needs no schedule.
    Network,
}

const SECOND: Duration = Duration::from_secs(1);
const TEN_SECONDS: Duration = Duration::from_secs(10);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

#[rustfmt::skip] // Keeps the columns aligned.
pub static JOBS: &[Job] = &[
    Job { name: "token-uses",         every: SECOND, run: token_uses::write, lane: Lane::Short },
    Job { name: "query-counts",       every: SECOND, run: counts::write, lane: Lane::Short },
    Job { name: "event-streams",      every: SECOND, run: event_streams::look_around, lane: Lane::Short },
    Job { name: "sessions",           every: HOUR,   run: sweeps::sessions, lane: Lane::Short },
    Job { name: "setup-links",        every: MINUTE, run: sweeps::setup_links, lane: Lane::Short },
    Job { name: "oauth",              every: MINUTE, run: sweeps::oauth, lane: Lane::Short },
    Job { name: "signing-keys",       every: HOUR,   run: keys::tend, lane: Lane::Short },
    Job { name: "idempotent-answers", every: MINUTE, run: sweeps::idempotent_answers, lane: Lane::Short },
    Job { name: "entry-keys",         every: MINUTE, run: sweeps::entry_keys, lane: Lane::Short },
    Job { name: "query-keys",         every: SECOND, run: index::tend, lane: Lane::Long },
    Job { name: "outdated-keys",      every: MINUTE, run: unique_index::renew, lane: Lane::Long },
    Job { name: "holds",              every: SECOND, run: sweeps::holds, lane: Lane::Short },
    Job { name: "imports",            every: SECOND, run: imports::sweep, lane: Lane::Short },
    Job { name: "files",              every: MINUTE, run: sweeps::files, lane: Lane::Short },
    Job { name: "unknown-files",      every: HOUR,   run: sweeps::unknown_files, lane: Lane::Long },
    Job { name: "reminders",          every: MINUTE, run: reminders::run, lane: Lane::Short },
    Job { name: "messages",           every: HOUR,   run: sweeps::messages, lane: Lane::Short },
    Job { name: "deliveries",         every: MINUTE, run: deliveries::run, lane: Lane::Network },
    Job { name: "deleted-entries",    every: HOUR,   run: sweeps::deleted_entries, lane: Lane::Short },
    Job { name: "deleted-forms",      every: HOUR,   run: sweeps::deleted_forms, lane: Lane::Short },
    Job { name: "rewrites",           every: SECOND, run: rewrites::run,   lane: Lane::Long },
    Job { name: "entry-jobs",         every: SECOND, run: entry_jobs::run, lane: Lane::Long },
    Job { name: "import-jobs",        every: SECOND, run: import_jobs::run, lane: Lane::Import },
    Job { name: "import-files",       every: MINUTE, run: sweeps::import_files, lane: Lane::Short },
    Job { name: "finished-jobs",      every: HOUR,   run: sweeps::finished_jobs, lane: Lane::Short },
    Job { name: "sealing",            every: SECOND, run: segments::build, lane: Lane::Long },
    Job { name: "resealing",          every: TEN_SECONDS, run: segments::rebuild, lane: Lane::Long },
    Job { name: "backups",            every: SECOND, run: backups::run_due, lane: Lane::Backup },
];

/// The longest wait for the threads at the end: a store of backups may not answer for minutes, and nothing else takes
/// long once the database is closed.
const LAST_ANSWER: Duration = Duration::from_secs(5);

/// The threads that run jobs, one per lane.
pub struct Runner {
    stop: Vec<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
    deliveries: Worker,
}

impl Runner {
    /// Starts the threads; all jobs are due at once.
    pub fn start(app: &Arc<App>) -> std::io::Result<Self> {
        let mut runner = Self { stop: Vec::new(), threads: Vec::new(), deliveries: Worker::start(app)? };
        let lanes =
            [("jobs", Lane::Short), ("long-jobs", Lane::Long), ("imports", Lane::Import), ("backups", Lane::Backup)];
        for (name, lane) in lanes {
            let (stop, stopped) = channel();
            let app = Arc::clone(app);
            let thread =
                std::thread::Builder::new().name(name.to_owned()).spawn(move || run_lane(lane, &app, &stopped))?;
            runner.stop.push(stop);
            runner.threads.push(thread);
        }
        Ok(runner)
    }

    /// Stops the threads and closes the service. A job of many steps stops after the current one and resumes at the
    /// next start.
    pub fn stop(self, app: &App) {
        drop(self.stop);
        // The results of its requests are noted before the database closes.
        self.deliveries.stop();
        app.close();
        let last = Instant::now() + LAST_ANSWER;
        for thread in self.threads {
            while !thread.is_finished() && Instant::now() < last {
                std::thread::sleep(Duration::from_millis(10));
            }
            if !thread.is_finished() {
                tracing::warn!("a backup was on its way: the next one ends what it began");
            } else if thread.join().is_err() {
                tracing::error!("a thread of the background jobs had panicked");
            }
        }
    }
}

fn run_lane(lane: Lane, app: &App, stopped: &Receiver<()>) {
    if lane != Lane::Short {
        priority::lower();
    }
    let jobs = JOBS.iter().filter(|job| job.lane == lane);
    let mut due: Vec<(Instant, &Job)> = jobs.map(|job| (Instant::now(), job)).collect();
    loop {
        for (at, job) in &mut due {
            if *at <= Instant::now() {
                run(job, app);
                *at = Instant::now() + job.every;
            }
        }
        let next = due.iter().map(|(at, _)| *at).min();
        let wait = next.map_or(SECOND, |at| at.saturating_duration_since(Instant::now()));
        match stopped.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

fn run(job: &Job, app: &App) {
    let done =
        catch_unwind(AssertUnwindSafe(|| (job.run)(app))).unwrap_or_else(|_| Err(Error::internal("it panicked")));
    match done {
        Ok(0) => {}
        Ok(count) => tracing::debug!(job = job.name, count, "job done"),
        Err(Error::Busy(why, _)) => tracing::warn!(job = job.name, "job put off: {why}"),
        Err(Error::Internal(what)) => tracing::error!(job = job.name, "job failed: {what}"),
        Err(e) => tracing::error!(job = job.name, "job failed: {e:?}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::base::config::Config;

    use super::*;
    use crate::ops::app::opening::LockedDir;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = JOBS.iter().map(|job| job.name).collect();
        assert_eq!(names.len(), JOBS.len());
    }

    #[test]
    fn nothing_waits_for_the_import_of_a_file() {
        let of_imports = JOBS.iter().filter(|job| job.lane == Lane::Import);
        assert_eq!(of_imports.map(|job| job.name).collect::<Vec<_>>(), ["import-jobs"]);
    }

    #[test]
    fn a_job_that_panics_or_fails_ends_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let config = Config::sample(dir.path(), "");
        let locked = LockedDir::of(&config).expect("locks");
        let app = App::serve(locked, config).expect("opens");
        let job = |run| Job { name: "test", every: SECOND, run, lane: Lane::Short };
        run(&job(|_| panic!("as it should")), &app);
        run(&job(|_| Err(Error::internal("as it should"))), &app);
        let runner = Runner::start(&Arc::new(app)).expect("starts");
        assert!(runner.threads.iter().all(|thread| !thread.is_finished()));
    }
}
