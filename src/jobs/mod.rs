//! Work off the request path: a table of jobs and the one thread that runs them when they are due. No
//! SQL, no HTTP.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::ops::{App, sweeps, tokens};

/// One job.
pub struct Job {
    /// Its name on the command line.
    pub name: &'static str,
    /// How long after its end it is due again.
    pub every: Duration,
    /// Does what there is to do; says how many things that were.
    pub run: fn(&App) -> Result<usize>,
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// All jobs.
#[rustfmt::skip] // A table is read by columns.
pub static JOBS: &[Job] = &[
    Job { name: "token-uses",         every: SECOND, run: tokens::write_uses },
    Job { name: "sessions",           every: HOUR,   run: sweeps::sessions },
    Job { name: "setup-links",        every: MINUTE, run: sweeps::setup_links },
    Job { name: "idempotent-answers", every: MINUTE, run: sweeps::idempotent_answers },
    Job { name: "entry-keys",         every: MINUTE, run: sweeps::entry_keys },
    Job { name: "deleted-entries",    every: HOUR,   run: sweeps::deleted_entries },
    Job { name: "deleted-forms",      every: HOUR,   run: sweeps::deleted_forms },
];

/// The thread that runs jobs.
pub struct Runner {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Runner {
    /// Starts the thread; all jobs are due at once.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start(app: Arc<App>) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("jobs".to_owned())
            .spawn(move || {
                let mut due: Vec<(Instant, &Job)> =
                    JOBS.iter().map(|job| (Instant::now(), job)).collect();
                loop {
                    for (at, job) in &mut due {
                        if *at <= Instant::now() {
                            run(job, &app);
                            *at = Instant::now() + job.every;
                        }
                    }
                    let next = due.iter().map(|(at, _)| *at).min();
                    let wait =
                        next.map_or(SECOND, |at| at.saturating_duration_since(Instant::now()));
                    match stopped.recv_timeout(wait) {
                        Err(RecvTimeoutError::Timeout) => {}
                        Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                    }
                }
            })?;
        Ok(Self { stop, thread })
    }

    /// Ends the thread and closes the service: a job that is in the middle of many pieces stops where it
    /// is, and goes on at the next start.
    pub fn stop(self, app: &App) {
        drop(self.stop);
        app.close();
        if self.thread.join().is_err() {
            tracing::error!("the thread of the background jobs had panicked");
        }
    }
}

fn run(job: &Job, app: &App) {
    let done = catch_unwind(AssertUnwindSafe(|| (job.run)(app)))
        .unwrap_or_else(|_| Err(Error::internal("it panicked")));
    match done {
        Ok(0) => {}
        Ok(count) => tracing::debug!(job = job.name, count, "job done"),
        Err(Error::Busy(why, _)) => tracing::warn!(job = job.name, "job put off: {why}"),
        Err(e) => tracing::error!(job = job.name, "job failed: {e:?}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::base::config::{Config, Limits};

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = JOBS.iter().map(|job| job.name).collect();
        assert_eq!(names.len(), JOBS.len());
    }

    #[test]
    fn a_job_that_panics_or_fails_ends_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let app = App::serve(Config {
            data_dir: dir.path().to_owned(),
            base_url: String::new(),
            trusted_proxies: Vec::new(),
            limits: Limits::default(),
            max_upload_mb: Config::MAX_UPLOAD_MB,
        })
        .expect("opens");
        let job = |run| Job {
            name: "test",
            every: SECOND,
            run,
        };
        run(&job(|_| panic!("as it should")), &app);
        run(&job(|_| Err(Error::internal("as it should"))), &app);
        let runner = Runner::start(Arc::new(app)).expect("starts");
        assert!(!runner.thread.is_finished());
    }
}
