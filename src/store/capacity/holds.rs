//! Holds: units kept for a respondent who is filling in a form. A hold counts as taken until its end, by the clock
//! alone. If no submission ends it, its row stays for another day, so that such ends are counted by sender; a job
//! deletes expired rows.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::capacity::TakenAmount;
use crate::store::capacity;
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;

/// How long holds that ended unused are remembered, in seconds.
const REMEMBERED_SECS: i64 = 24 * 3600;

/// A hold that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub id: i64,
    pub expires_at: Time,
}

/// Adds a hold of a sender; `hash` is that of its token.
pub fn insert(
    tx: &Tx,
    form_no: i64,
    (hash, sender): (&[u8; 32], &str),
    takes: &[TakenAmount],
    expires_at: Time,
) -> Result<Hold> {
    let id = tx
        .connection
        .prepare_cached("INSERT INTO holds (form_no, hash, sender, expires_at) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut insert| insert.insert(params![form_no, hash, sender, expires_at.millis()]))
        .map_err(internal)?;
    let hold = Hold { id, expires_at };
    put(tx, form_no, hold, takes)?;
    Ok(hold)
}

fn put(tx: &Tx, form_no: i64, hold: Hold, takes: &[TakenAmount]) -> Result<()> {
    for taken in takes {
        tx.run(
            "INSERT INTO hold_takes (form_no, field, counter, hold_id, amount, expires_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
            params![
                form_no,
                taken.field,
                taken.counter,
                hold.id,
                i64::try_from(taken.amount).unwrap_or(i64::MAX),
                hold.expires_at.millis(),
            ],
        )?;
    }
    Ok(())
}

/// The hold of a form whose token has this hash.
pub fn find(tx: &Tx, form_no: i64, hash: &[u8; 32]) -> Result<Option<Hold>> {
    tx.maybe(
        "SELECT id, expires_at FROM holds WHERE hash = ?1 AND form_no = ?2 AND expires_at > ?3",
        params![hash, form_no, tx.now.millis()],
        read,
    )
}

/// The amounts that a hold keeps.
pub fn takes_of(tx: &Tx, hold: Hold) -> Result<Vec<TakenAmount>> {
    tx.all("SELECT field, counter, amount FROM hold_takes WHERE hold_id = ?1", [hold.id], |row| {
        Ok(TakenAmount {
            field: row.get(0)?,
            counter: row.get(1)?,
            amount: u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default(),
        })
    })
}

fn empty(tx: &Tx, hold: Hold) -> Result<()> {
    tx.run("DELETE FROM hold_takes WHERE hold_id = ?1", [hold.id])?;
    Ok(())
}

/// Replaces the amounts of a hold.
pub fn refill(tx: &Tx, form_no: i64, hold: Hold, takes: &[TakenAmount]) -> Result<()> {
    empty(tx, hold)?;
    put(tx, form_no, hold, takes)?;
    capacity::note_room(tx, form_no);
    Ok(())
}

/// Deletes a hold, as if it had never been.
fn remove(tx: &Tx, form_no: i64, hold: Hold) -> Result<()> {
    empty(tx, hold)?;
    tx.run("DELETE FROM holds WHERE id = ?1", [hold.id])?;
    capacity::note_room(tx, form_no);
    Ok(())
}

/// Ends a hold that nothing came of.
pub fn let_go(tx: &Tx, form_no: i64, hold: Hold) -> Result<()> {
    empty(tx, hold)?;
    tx.run("UPDATE holds SET expires_at = ?2 WHERE id = ?1", [hold.id, tx.now.millis()])?;
    capacity::note_room(tx, form_no);
    Ok(())
}

/// Ends the hold of a form whose token has this hash, if there is one: a submission came of it, be it after its end.
pub fn use_up(tx: &Tx, form_no: i64, hash: &[u8; 32]) -> Result<()> {
    let found =
        tx.maybe("SELECT id, expires_at FROM holds WHERE hash = ?1 AND form_no = ?2", params![hash, form_no], read)?;
    found.map_or(Ok(()), |hold| remove(tx, form_no, hold))
}

/// Ends all holds of a form; how many. Nobody let them go.
pub fn remove_all(tx: &Tx, form_no: i64) -> Result<usize> {
    let holds: Vec<Hold> = tx.all(
        "SELECT id, expires_at FROM holds WHERE form_no = ?1 AND expires_at > ?2",
        [form_no, tx.now.millis()],
        read,
    )?;
    for hold in &holds {
        remove(tx, form_no, *hold)?;
    }
    Ok(holds.len())
}

fn read(row: &Row) -> rusqlite::Result<Hold> {
    Ok(Hold { id: row.get(0)?, expires_at: Time::from_millis(row.get(1)?) })
}

/// The ends of the holds of a sender in a form, the first one first.
pub fn ends_of(tx: &Tx, form_no: i64, sender: &str) -> Result<Vec<Time>> {
    tx.all(
        "SELECT expires_at FROM holds WHERE form_no = ?1 AND sender = ?2 AND expires_at > ?3 \
         ORDER BY expires_at",
        params![form_no, sender, tx.now.millis()],
        |row| Ok(Time::from_millis(row.get(0)?)),
    )
}

/// When the holds of a sender in a form ended that ended unused within the last day, the latest first, at most `limit`.
pub fn unused_ends(tx: &Tx, form_no: i64, sender: &str, limit: usize) -> Result<Vec<Time>> {
    tx.all(
        "SELECT expires_at FROM holds WHERE form_no = ?1 AND sender = ?2 AND expires_at > ?3 AND expires_at <= ?4 \
         ORDER BY expires_at DESC LIMIT ?5",
        params![
            form_no,
            sender,
            tx.now.minus_secs(REMEMBERED_SECS).millis(),
            tx.now.millis(),
            i64::try_from(limit).unwrap_or(i64::MAX)
        ],
        |row| Ok(Time::from_millis(row.get(0)?)),
    )
}

/// How many of a counter are held.
pub(in crate::store) fn held(tx: &Tx, form_no: i64, field: u32, counter: &str) -> Result<i64> {
    tx.one(
        "SELECT coalesce(sum(amount), 0) FROM hold_takes \
         WHERE form_no = ?1 AND field = ?2 AND counter = ?3 AND expires_at > ?4",
        params![form_no, field, counter, tx.now.millis()],
        |row| row.get(0),
    )
}

/// Everything that is held in a form.
pub(in crate::store) fn all_held(tx: &Tx, form_no: i64) -> Result<Vec<(u32, String, i64)>> {
    tx.all(
        "SELECT field, counter, sum(amount) FROM hold_takes \
         WHERE form_no = ?1 AND expires_at > ?2 GROUP BY field, counter",
        params![form_no, tx.now.millis()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// Whether any expired holds can be deleted.
pub fn has_ended(tx: &Tx) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM hold_takes WHERE expires_at <= ?1) \
         OR EXISTS (SELECT 1 FROM holds WHERE expires_at <= ?2)",
        [tx.now.millis(), tx.now.minus_secs(REMEMBERED_SECS).millis()],
        |row| row.get(0),
    )
}

/// Frees the amounts of up to `limit` ended holds, of one form or of all. Returns their number.
pub fn free_ended(tx: &Tx, form_no: Option<i64>, limit: usize) -> Result<usize> {
    let ended: Vec<(i64, i64)> = tx.all(
        "SELECT DISTINCT hold_id, form_no FROM hold_takes INDEXED BY hold_takes_by_end \
         WHERE expires_at <= ?1 AND form_no = coalesce(?2, form_no) LIMIT ?3",
        params![tx.now.millis(), form_no, i64::try_from(limit).unwrap_or(i64::MAX)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    for (id, form_no) in &ended {
        tx.run("DELETE FROM hold_takes WHERE hold_id = ?1", [id])?;
        capacity::note_room(tx, *form_no);
    }
    Ok(ended.len())
}

/// Forgets up to `limit` holds that ended more than a day ago. Returns their number.
pub fn forget_old(tx: &Tx, limit: usize) -> Result<usize> {
    let old: Vec<(i64, Hold)> = tx.all(
        "SELECT id, expires_at, form_no FROM holds WHERE expires_at <= ?1 LIMIT ?2",
        params![tx.now.minus_secs(REMEMBERED_SECS).millis(), i64::try_from(limit).unwrap_or(i64::MAX)],
        |row| Ok((row.get(2)?, read(row)?)),
    )?;
    for (form_no, hold) in &old {
        remove(tx, *form_no, *hold)?;
    }
    Ok(old.len())
}
