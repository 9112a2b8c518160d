//! Long work on many entries: its progress and its entries, in pieces, each of which is one transaction.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id;
use crate::model::entry::jobs::{EntryJob, JobKind, JobState, PieceResult, RefusedEntry};
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

/// The most refused entries that a job lists.
pub const MOST_REFUSED: i64 = 1_000;

const TOKEN_LENGTH: usize = 16;
/// Entries of an import that go to the trash together when it is undone.
const IMPORT_PIECE: usize = 100;

const COLUMNS: &str = "j.id, j.token, j.form_no, j.user_id, j.kind, j.state, j.done, j.total, j.changed, j.refused, \
                       j.payload, j.problem, u.token, j.created_at, j.finished_at";
const TABLES: &str = "form_jobs j LEFT JOIN form_jobs u ON u.id = j.undone_by";

/// A job to be stored.
pub struct NewJob {
    pub form_no: i64,
    pub user: UserId,
    pub kind: JobKind,
    pub payload: String,
    /// The serial numbers of its entries, in pieces; none for an import.
    pub pieces: Vec<Vec<i64>>,
    /// Its entries or rows in total.
    pub total: i64,
}

/// A piece of a job.
pub struct Piece {
    pub place: i64,
    pub serials: Vec<i64>,
}

fn read(row: &Row) -> rusqlite::Result<EntryJob> {
    let kind = JobKind::by_name(row.get_ref(4)?.as_str()?);
    let state = JobState::by_name(row.get_ref(5)?.as_str()?);
    Ok(EntryJob {
        id: row.get(0)?,
        token: row.get(1)?,
        form_no: row.get(2)?,
        user: UserId(row.get(3)?),
        kind: kind.ok_or(rusqlite::Error::InvalidQuery)?,
        state: state.ok_or(rusqlite::Error::InvalidQuery)?,
        done: row.get(6)?,
        total: row.get(7)?,
        changed: row.get(8)?,
        refused: row.get(9)?,
        payload: row.get(10)?,
        problem: row.get(11)?,
        undone_by: row.get(12)?,
        created_at: Time::from_millis(row.get(13)?),
        finished_at: row.get::<_, Option<i64>>(14)?.map(Time::from_millis),
    })
}

/// Stores a job, which waits for its turn.
pub fn insert(tx: &Tx, job: &NewJob) -> Result<EntryJob> {
    let token = id::random(TOKEN_LENGTH);
    let number: i64 = tx.one(
        "INSERT INTO form_jobs (token, form_no, user_id, kind, state, done, total, changed, refused, payload, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0, 0, ?7, ?8) RETURNING id",
        params![
            token,
            job.form_no,
            job.user.0,
            job.kind.name(),
            JobState::Waiting.name(),
            job.total,
            job.payload,
            tx.now.millis()
        ],
        |row| row.get(0),
    )?;
    for (place, serials) in (0_i64..).zip(&job.pieces) {
        tx.run(
            "INSERT INTO form_job_pieces (job_id, place, serials, is_done) VALUES (?1, ?2, ?3, 0)",
            params![number, place, text_of(serials)?],
        )?;
    }
    if job.pieces.is_empty() && job.kind != JobKind::Import {
        finish(tx, number, JobState::Done, None)?;
    }
    by_id(tx, number)?.ok_or_else(|| Error::internal("a new job is not there"))
}

/// The entries that a job has changed, in pieces, the last ones first.
pub fn changed(tx: &Tx, job: i64) -> Result<Vec<Vec<i64>>> {
    let texts: Vec<String> = tx.all(
        "SELECT serials FROM form_job_pieces WHERE job_id = ?1 AND is_done AND serials <> '[]' ORDER BY place DESC",
        [job],
        |row| row.get(0),
    )?;
    texts.iter().map(|text| serials_of(text)).collect()
}

/// The first and the last number of the entries that an import added, which come one after the other; none if it added
/// none.
pub fn imported(tx: &Tx, job: &EntryJob) -> Result<Option<(i64, i64)>> {
    let first: Option<i64> =
        tx.maybe("SELECT serials ->> 0 FROM form_job_pieces WHERE job_id = ?1 AND place = 0", [job.id], |row| {
            row.get(0)
        })?;
    Ok(first.map(|first| (first, first + job.changed - 1)))
}

/// Notes that another job undoes this one.
pub fn set_undone(tx: &Tx, job: i64, by: i64) -> Result<()> {
    tx.run("UPDATE form_jobs SET undone_by = ?2 WHERE id = ?1", [job, by])?;
    Ok(())
}

fn by_id(tx: &Tx, id: i64) -> Result<Option<EntryJob>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM {TABLES} WHERE j.id = ?1"), [id], read)
}

/// A job that is not over.
pub fn open_by_id(tx: &Tx, id: i64) -> Result<Option<EntryJob>> {
    Ok(by_id(tx, id)?.filter(|job| !job.state.is_over()))
}

/// A form's job.
pub fn by_token(tx: &Tx, form_no: i64, token: &str) -> Result<Option<EntryJob>> {
    tx.maybe(
        &format!("SELECT {COLUMNS} FROM {TABLES} WHERE j.token = ?2 AND j.form_no = ?1"),
        params![form_no, token],
        read,
    )
}

/// The jobs of a form that are not over, oldest first.
pub fn open_of(tx: &Tx, form_no: i64) -> Result<Vec<EntryJob>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM {TABLES} WHERE j.form_no = ?1 AND j.finished_at IS NULL ORDER BY j.id"),
        [form_no],
        read,
    )
}

/// The latest imports of a form, newest first.
pub fn imports_of(tx: &Tx, form_no: i64, limit: i64) -> Result<Vec<EntryJob>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM {TABLES} WHERE j.form_no = ?1 AND j.kind = 'import' ORDER BY j.id DESC LIMIT ?2"
        ),
        [form_no, limit],
        read,
    )
}

/// The numbers of all jobs but imports that are not over, oldest first.
pub fn open(tx: &Tx) -> Result<Vec<i64>> {
    tx.all("SELECT id FROM form_jobs WHERE finished_at IS NULL AND kind <> 'import' ORDER BY id", [], |row| row.get(0))
}

/// All imports that are not over, oldest first.
pub fn open_imports(tx: &Tx) -> Result<Vec<EntryJob>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM {TABLES} WHERE j.finished_at IS NULL AND j.kind = 'import' ORDER BY j.id"),
        [],
        read,
    )
}

/// Notes how many rows of an import were gone through.
pub fn set_done(tx: &Tx, job: i64, done: i64) -> Result<()> {
    tx.run(
        "UPDATE form_jobs SET state = ?2, done = ?3 WHERE id = ?1 AND finished_at IS NULL",
        params![job, JobState::Running.name(), done],
    )?;
    Ok(())
}

/// Notes the faults of an import's file, each as JSON text.
pub fn note_refused(tx: &Tx, job: i64, faults: &[String]) -> Result<()> {
    for (place, details) in (1_i64..).zip(faults) {
        tx.run(
            "INSERT OR REPLACE INTO form_job_refusals (job_id, serial, details) VALUES (?1, ?2, ?3)",
            params![job, place, details],
        )?;
    }
    let count = i64::try_from(faults.len()).unwrap_or(i64::MAX);
    tx.run("UPDATE form_jobs SET refused = ?2 WHERE id = ?1", [job, count])?;
    Ok(())
}

/// Notes the number under which an import puts its rows aside.
pub fn note_staging(tx: &Tx, job: i64, import: i64) -> Result<()> {
    tx.run("UPDATE form_jobs SET payload = json_set(payload, '$.staged', ?2) WHERE id = ?1", [job, import])?;
    Ok(())
}

/// Notes the entries that an import adds, in the transaction after which it can't fail. Its file is deleted, so that
/// its rows can't be added again.
///
/// # Errors
/// `Gone` if the import was stopped.
pub fn note_imported(tx: &Tx, job: i64, first: i64, count: i64) -> Result<()> {
    if open_by_id(tx, job)?.is_none() {
        return Err(Error::Gone("the import was stopped".to_owned()));
    }
    let serials: Vec<i64> = (first..first + count).collect();
    for (place, piece) in (0_i64..).zip(serials.chunks(IMPORT_PIECE)) {
        tx.run(
            "INSERT INTO form_job_pieces (job_id, place, serials, is_done) VALUES (?1, ?2, ?3, 1)",
            params![job, place, text_of(piece)?],
        )?;
    }
    tx.run("UPDATE form_jobs SET changed = ?2 WHERE id = ?1", [job, count])?;
    tx.run("DELETE FROM import_files WHERE token = (SELECT payload ->> 'file' FROM form_jobs WHERE id = ?1)", [job])?;
    Ok(())
}

/// The next piece of a job.
pub fn next_piece(tx: &Tx, job: i64) -> Result<Option<Piece>> {
    let found: Option<(i64, String)> = tx.maybe(
        "SELECT place, serials FROM form_job_pieces WHERE job_id = ?1 AND place >= \
             (SELECT coalesce(max(place) + 1, 0) FROM form_job_pieces WHERE job_id = ?1 AND is_done) \
             ORDER BY place LIMIT 1",
        [job],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    found.map(|(place, text)| Ok(Piece { place, serials: serials_of(&text)? })).transpose()
}

/// Notes the result of a piece.
pub fn advance(tx: &Tx, job: &EntryJob, piece: &Piece, result: &PieceResult) -> Result<()> {
    let mut room = MOST_REFUSED - job.refused;
    for refused in &result.refused {
        if room <= 0 {
            break;
        }
        room -= 1;
        tx.run(
            "INSERT OR REPLACE INTO form_job_refusals (job_id, serial, details) VALUES (?1, ?2, ?3)",
            params![job.id, refused.serial, refused.details],
        )?;
    }
    tx.run(
        "UPDATE form_job_pieces SET serials = ?3, is_done = 1 WHERE job_id = ?1 AND place = ?2",
        params![job.id, piece.place, text_of(&result.changed)?],
    )?;
    let count = |list: usize| i64::try_from(list).unwrap_or(i64::MAX);
    tx.run(
        "UPDATE form_jobs SET state = ?2, done = done + ?3, changed = changed + ?4, refused = refused + ?5 WHERE id = ?1",
        params![
            job.id,
            JobState::Running.name(),
            count(piece.serials.len()),
            count(result.changed.len()),
            count(result.refused.len())
        ],
    )?;
    Ok(())
}

/// Ends a job that is not over.
pub fn finish(tx: &Tx, job: i64, state: JobState, problem: Option<&str>) -> Result<()> {
    tx.run(
        "UPDATE form_jobs SET state = ?2, problem = ?3, finished_at = ?4 WHERE id = ?1 AND finished_at IS NULL",
        params![job, state.name(), problem, tx.now.millis()],
    )?;
    Ok(())
}

/// The first entries that a job could not change.
pub fn refused(tx: &Tx, job: i64) -> Result<Vec<RefusedEntry>> {
    tx.all(
        "SELECT serial, details FROM form_job_refusals WHERE job_id = ?1 ORDER BY serial LIMIT ?2",
        [job, MOST_REFUSED],
        |row| Ok(RefusedEntry { serial: row.get(0)?, details: row.get(1)? }),
    )
}

/// Removes up to `limit` jobs that ended before `moment`; returns how many.
pub fn forget_old(tx: &Tx, moment: Time, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM form_jobs WHERE id IN (SELECT id FROM form_jobs WHERE finished_at < ?1 ORDER BY finished_at LIMIT ?2)",
        params![moment.millis(), limit],
    )
}

fn text_of(serials: &[i64]) -> Result<String> {
    serde_json::to_string(serials).map_err(Error::internal)
}

fn serials_of(text: &str) -> Result<Vec<i64>> {
    serde_json::from_str(text).map_err(Error::internal)
}
