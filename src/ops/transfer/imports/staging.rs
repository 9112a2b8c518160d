//! Staged rows of an import: stored in chunks while later rows are checked, and moved to the entries once every row is
//! right. A job sweeps the rest of an import whose process ended.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::model::capacity::Demand;
use crate::model::form::Form;
use crate::model::settings::VerificationCode;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity;
use crate::ops::entries::exact_keys;
use crate::ops::exams::verification;
use crate::store::db::backoff::Backoff;
use crate::store::db::tx::Tx;
use crate::store::entries::{self, entry_keys, jobs};
use crate::store::files::entry_files;
use crate::store::forms;
use crate::store::transfer::{self, StagedRow, Step};

/// Rows that are checked, each with its place in the file.
pub type RowBatch = Vec<(usize, StagedRow)>;

/// Faults of rows whose values or room others took meanwhile, each with its place in the file.
pub type TakenMeanwhile = Vec<(usize, Issue)>;

/// The staged rows of an import.
pub struct Staging<'a> {
    app: &'a App,
    form_no: i64,
    version: i64,
    creator: String,
    codes: VerificationCode,
    /// The job that notes the entries.
    job: Option<i64>,
    /// None before the first piece.
    staged: Option<Staged>,
    /// Since the last piece was in.
    backoff: Backoff,
}

/// An import that has pieces in the store.
struct Staged {
    number: i64,
    /// How many rows its pieces have.
    rows: usize,
    /// The last piece, until it is known to be stored.
    last: Option<Last>,
}

/// A piece on its way into the store.
struct Last {
    ticket: Ticket<()>,
    /// The number of its first row.
    first: usize,
    rows: Arc<Vec<StagedRow>>,
    /// The places of its rows in the file.
    places: Vec<usize>,
}

impl<'a> Staging<'a> {
    /// Of an import into a form as it was read; nothing is put aside yet.
    pub fn new(app: &'a App, form: &Form, codes: &VerificationCode, creator: &str, job: Option<i64>) -> Self {
        Self {
            app,
            form_no: form.form_no,
            version: form.version,
            creator: creator.to_owned(),
            codes: codes.clone(),
            job,
            staged: None,
            backoff: Backoff::begin(&app.store),
        }
    }

    /// Whether anything is put aside.
    pub fn is_begun(&self) -> bool {
        self.staged.is_some()
    }

    /// Puts a piece aside, without waiting until it is in. The one before it must be settled.
    ///
    /// # Errors
    /// `Stale` when the form changed meanwhile; internal, 503.
    pub fn put(&mut self, piece: RowBatch) -> Result<()> {
        let number = match &self.staged {
            Some(staged) => staged.number,
            None => {
                let (form_no, version, job) = (self.form_no, self.version, self.job);
                let number = patiently(|| {
                    let creator = self.creator.clone();
                    self.app.store.write(move |tx| {
                        let number = transfer::begin(tx, form_no, version, &creator)?;
                        if let Some(job) = job {
                            jobs::note_staging(tx, job, number)?;
                        }
                        Ok(number)
                    })
                })?;
                self.staged = Some(Staged { number, rows: 0, last: None });
                number
            }
        };
        let (places, rows): (Vec<usize>, Vec<StagedRow>) = piece.into_iter().unzip();
        let rows = Arc::new(rows);
        if let Some(staged) = &mut self.staged {
            let first = staged.rows;
            let stage = stage(number, first, &rows, (self.form_no, &self.codes));
            staged.rows += rows.len();
            staged.last = Some(Last { ticket: self.app.store.submit(stage), first, rows, places });
        }
        Ok(())
    }

    /// Waits until the last piece is in; it is not where values of it are taken.
    ///
    /// # Errors
    /// `Stale` when the form changed meanwhile; internal, 503.
    pub fn settle_last(&mut self) -> Result<TakenMeanwhile> {
        let Some(staged) = &mut self.staged else {
            return Ok(TakenMeanwhile::new());
        };
        let (number, Some(last)) = (staged.number, staged.last.take()) else {
            return Ok(TakenMeanwhile::new());
        };
        let mut answer = last.ticket.wait();
        if matches!(answer, Err(Error::Busy(..))) {
            // Others filled the queue, or nobody is sure.
            answer = patiently(|| {
                let of = (self.form_no, &self.codes);
                let stage = stage(number, last.first, &last.rows, of);
                self.app.store.write(stage)
            });
        }
        self.backoff.rest_briefly(&self.app.store);
        taken_of(answer, &last.places)
    }

    /// A file of one piece needs no waiting: its rows are entries at once, or none of them is.
    ///
    /// # Errors
    /// `Stale` when the form changed meanwhile; internal, 503.
    pub fn store_at_once(&self, piece: RowBatch) -> Result<TakenMeanwhile> {
        let (places, rows): (Vec<usize>, Vec<StagedRow>) = piece.into_iter().unzip();
        let (form_no, version) = (self.form_no, self.version);
        let (codes, job) = (self.codes.clone(), self.job);
        let stored = self.app.store.write(move |tx| {
            forms::check_version(tx, form_no, version)?;
            let mut taken = Vec::new();
            for (nth, row) in rows.iter().enumerate() {
                for (field, key) in &row.unique {
                    if entry_keys::is_taken(tx, form_no, *field, key, None)? {
                        taken.push((nth, exact_keys::already_used(*field)));
                    }
                }
            }
            taken.extend(capacity::of_rows(tx, form_no, demands(&rows), false)?);
            unless_taken(taken)?;
            let (mut first, count) = (None, i64::try_from(rows.len()).unwrap_or(i64::MAX));
            for mut row in rows {
                verification::assign(tx, form_no, &codes, &mut row.entry)?;
                let serial = entries::insert(tx, form_no, row.entry)?.serial;
                first.get_or_insert(serial);
                for copy in row.copies {
                    if !entry_files::copy(tx, &copy, form_no, serial)? {
                        return Err(Error::Busy("a file was deleted meanwhile", 1));
                    }
                }
            }
            if let (Some(job), Some(first)) = (job, first) {
                jobs::note_imported(tx, job, first, count)?;
            }
            Ok(())
        });
        taken_of(stored, &places)
    }

    /// Settles the import, after which it can't fail, and sees its pieces through; says how many rows are in.
    ///
    /// # Errors
    /// `Stale` when the form changed meanwhile; internal, 503.
    pub fn move_all(&mut self, progress: &mut dyn FnMut(usize)) -> Result<()> {
        let Some(staged) = self.staged.take() else {
            return Ok(());
        };
        let (number, version, job) = (staged.number, self.version, self.job);
        let settle = move |tx: &Tx| {
            let (first, count) = transfer::settle(tx, number, version)?;
            match job {
                Some(job) => jobs::note_imported(tx, job, first, count),
                None => Ok(()),
            }
        };
        let settled = patiently(|| self.app.store.write(settle));
        if let Err(error) = settled {
            self.staged = Some(staged);
            return Err(error);
        }
        let mut moved = 0;
        loop {
            match patiently(|| self.app.store.write(move |tx| transfer::go_on(tx, number))) {
                Ok(Step::Done) => return Ok(()),
                Ok(Step::Told) => {}
                Ok(Step::Moved(rows)) => {
                    moved += rows;
                    progress(moved);
                    self.backoff.rest_briefly(&self.app.store);
                }
                Err(error) => {
                    // The sweep finishes it: it is as good as done.
                    tracing::warn!("an import is left to be finished later: {error:?}");
                    return Ok(());
                }
            }
        }
    }

    /// Deletes the staged rows. If that fails, the sweep deletes the rest later.
    pub fn give_up(&mut self) {
        let Some(staged) = self.staged.take() else {
            return;
        };
        if let Some(last) = staged.last {
            // Only when it is answered is it known whether there is something to take away.
            let _ = last.ticket.wait();
        }
        if let Err(error) = drop_all(self.app, staged.number) {
            tracing::warn!("what is left of an import is swept later: {error:?}");
        }
    }
}

/// The demands of each row.
fn demands(rows: &[StagedRow]) -> impl Iterator<Item = &[Demand]> + Clone {
    rows.iter().map(|row| &row.entry.takes[..])
}

/// The job that puts a piece aside, its first row being the import's `first`.
fn stage(
    number: i64,
    first: usize,
    rows: &Arc<Vec<StagedRow>>,
    (form_no, codes): (i64, &VerificationCode),
) -> impl FnOnce(&Tx) -> Result<()> + Send + 'static {
    let (rows, codes) = (Arc::clone(rows), codes.clone());
    move |tx| {
        let taken = if codes.enabled {
            let rows = verification::assign_rows(tx, form_no, &codes, &rows)?;
            transfer::stage(tx, number, first, &rows)?
        } else {
            transfer::stage(tx, number, first, &rows)?
        };
        let taken = taken.into_iter();
        let taken: TakenMeanwhile = taken.map(|(nth, field)| (nth, exact_keys::already_used(field))).collect();
        unless_taken(taken)?;
        // The rows are counted by now.
        unless_taken(capacity::of_rows(tx, form_no, demands(&rows), true)?)
    }
}

/// The faults of an answer about values that are taken.
fn taken_of(answer: Result<()>, places: &[usize]) -> Result<TakenMeanwhile> {
    match answer {
        Err(Error::Invalid(taken)) => {
            let taken = taken.into_iter().map(|fault| of_piece(fault, places));
            Ok(taken.collect())
        }
        other => other.map(|()| TakenMeanwhile::new()),
    }
}

/// The taken values as an error, so that the job that found them stores nothing.
fn unless_taken(taken: TakenMeanwhile) -> Result<()> {
    if taken.is_empty() {
        return Ok(());
    }
    let faults = taken.into_iter().map(|(nth, fault)| Issue::new(format!("{nth}.{}", fault.attribute), fault.reason));
    Err(Error::Invalid(faults.collect()))
}

/// A fault of [`unless_taken`]: the place of its row, and the fault within it.
fn of_piece(fault: Issue, places: &[usize]) -> (usize, Issue) {
    let (nth, attribute) = fault.attribute.split_once('.').unwrap_or_default();
    let place = nth.parse::<usize>().ok().and_then(|nth| places.get(nth));
    let fault = Issue::new(attribute, fault.reason);
    (place.copied().unwrap_or_default(), fault)
}

/// Tries again for a while where others fill the queue.
fn patiently<T>(mut f: impl FnMut() -> Result<T>) -> Result<T> {
    const TRIES: usize = 50;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
    for _ in 1..TRIES {
        match f() {
            Err(Error::Busy(..)) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    f()
}

fn drop_all(app: &App, number: i64) -> Result<()> {
    while patiently(|| app.store.write(move |tx| transfer::drop_chunk(tx, number)))? {}
    Ok(())
}

/// Takes away what a job has put aside before its process ended, so that its values are free when it begins again.
///
/// # Errors
/// 503 when the writer is busy.
pub fn forget(app: &App, number: i64) -> Result<()> {
    drop_all(app, number)
}

/// Sees imports through whose process ended after they were settled, and takes others away whose process
/// ended before; says how many there were.
pub fn sweep(app: &App) -> Result<usize> {
    // A piece every moment, or somebody else's process has ended.
    const SETTLED_SECS: i64 = 5;
    const UNSETTLED_SECS: i64 = 60;
    let now = clock::now();
    let settled = app.store.read(|tx| transfer::idle(tx, true, now.minus_secs(SETTLED_SECS)))?;
    let unsettled = app.store.read(|tx| transfer::idle(tx, false, now.minus_secs(UNSETTLED_SECS)))?;
    for number in &settled {
        let number = *number;
        while app.store.write(move |tx| transfer::go_on(tx, number))? != Step::Done {}
    }
    for number in &unsettled {
        drop_all(app, *number)?;
    }
    Ok(settled.len() + unsettled.len())
}
