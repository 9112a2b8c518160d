//! Stores column segments, and notes changes since they were built. Segments are a cache: entries missing here are
//! evaluated themselves. Nothing here knows the format.

use rusqlite::params;

use crate::base::error::{Error, Result};
use crate::model::bits::{Bits, ROWS};
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::entries::{address, counters};
use crate::store::{forms, transfer};

/// Serial numbers in a block.
const BLOCK: i64 = ROWS as i64;
/// The most blocks of a form: its serials are below 2^32.
const BLOCKS: i64 = 1 << 20;
/// Weight of a deleted entry in the count of changes: more than any number of changes.
const GONE: i64 = 1 << 32;
/// The most columns of a form that have segments.
const SLOTS: i64 = 1 << 12;

/// The block of a serial.
pub fn block_of(serial: i64) -> i64 {
    serial / BLOCK
}

/// A serial's row in its block.
pub fn row_of(serial: i64) -> usize {
    usize::try_from(serial % BLOCK).unwrap_or_default()
}

/// The serial of a row.
pub fn serial_of(block: i64, row: usize) -> i64 {
    block * BLOCK + i64::try_from(row).unwrap_or_default()
}

/// The last serial of a block.
pub fn last_of(block: i64) -> i64 {
    (block + 1) * BLOCK - 1
}

fn block_id(form_no: i64, block: i64) -> i64 {
    form_no << 32 | block
}

fn segment_id(form_no: i64, slot: i64, block: i64) -> i64 {
    form_no << 32 | slot << 20 | block
}

/// Notes that an entry changed. To be called by everything that changes an entry, deletes it or restores it.
pub(in crate::store) fn note_change(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    if serial > counters::of_form(tx, form_no)?.sealed_upto {
        counters::change(tx, form_no, |counters| counters.unsealed_changes += 1)?;
        return Ok(());
    }
    tx.run(
        "INSERT INTO segment_changes (id, count) VALUES (?1, 1) \
             ON CONFLICT DO UPDATE SET count = count + 1",
        [address(form_no, serial)],
    )?;
    Ok(())
}

/// Notes that an entry was deleted for good, so that its block is soon rebuilt without it.
pub(in crate::store) fn note_gone(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    if serial > counters::of_form(tx, form_no)?.sealed_upto {
        return Ok(());
    }
    tx.run(
        "INSERT INTO segment_changes (id, count) VALUES (?1, ?2) \
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
        params![address(form_no, serial), GONE],
    )?;
    Ok(())
}

/// Starts to note changes in a block, if it is full; whether it is.
pub fn note_from_now(tx: &Tx, form_no: i64, block: i64) -> Result<bool> {
    let last = last_of(block);
    let counters = counters::of_form(tx, form_no)?;
    if counters.next_serial <= last {
        return Ok(false);
    }
    // Entries of an unfinished import are read when they become visible.
    if transfer::first_hidden(tx, form_no)?.is_some_and(|first| first <= last) {
        return Ok(false);
    }
    if counters.sealed_upto < last {
        counters::change(tx, form_no, |counters| counters.sealed_upto = last)?;
    }
    Ok(true)
}

/// The last serial of the blocks that may have segments.
pub fn sealed_upto(tx: &Tx, form_no: i64) -> Result<i64> {
    Ok(counters::of_form(tx, form_no)?.sealed_upto)
}

/// The entries of a form without segments, as one snapshot sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsealed {
    /// They begin above this serial, the last one of a block; 0: none is sealed.
    pub after: i64,
    /// Up to this serial no entry will be added; above, an import may be unfinished.
    pub upto: i64,
    /// Goes up with each change of one of them.
    pub changes: i64,
}

pub fn unsealed(tx: &Tx, form_no: i64) -> Result<Unsealed> {
    let counters = counters::of_form(tx, form_no)?;
    let first_hidden = transfer::first_hidden(tx, form_no)?;
    let next = first_hidden.map_or(counters.next_serial, |first| first.min(counters.next_serial));
    Ok(Unsealed { after: counters.sealed_upto, upto: next - 1, changes: counters.unsealed_changes })
}

/// A form that has segments or could have some.
#[derive(Clone, Debug)]
pub struct Due {
    /// Its token.
    pub token: String,
    /// Its number.
    pub form_no: i64,
    /// Its version.
    pub version: i64,
    /// Up to which serial there may be segments.
    pub sealed_upto: i64,
    /// The serial of the next entry.
    pub next_serial: i64,
}

fn due(tx: &Tx, condition: &str) -> Result<Vec<Due>> {
    tx.all(
        &format!(
            "SELECT f.token, f.form_no, f.version, c.sealed_upto, c.next_serial \
             FROM form_counters c JOIN forms f USING (form_no) \
             WHERE {condition} AND f.deleted_at IS NULL"
        ),
        [BLOCK],
        |row| {
            Ok(Due {
                token: row.get(0)?,
                form_no: row.get(1)?,
                version: row.get(2)?,
                sealed_upto: row.get(3)?,
                next_serial: row.get(4)?,
            })
        },
    )
}

/// The forms that have full blocks without segments.
pub fn behind(tx: &Tx) -> Result<Vec<Due>> {
    due(tx, "c.next_serial >= ((c.sealed_upto + 1) / ?1 + 1) * ?1")
}

/// The forms that have segments.
pub fn begun(tx: &Tx) -> Result<Vec<Due>> {
    due(tx, "c.sealed_upto >= ?1 - 1")
}

/// The rows of a block that were live when it was built; `None` where it was never built or is damaged.
pub fn live(tx: &Tx, form_no: i64, block: i64) -> Result<Option<Bits>> {
    let live: Option<Vec<u8>> =
        tx.maybe("SELECT live FROM segment_blocks WHERE id = ?1", [block_id(form_no, block)], |row| row.get(0))?;
    Ok(live.as_deref().and_then(Bits::from_bytes))
}

/// How often a block was built; 0: never.
fn round(tx: &Tx, form_no: i64, block: i64) -> Result<i64> {
    let round: Option<i64> =
        tx.maybe("SELECT round FROM segment_blocks WHERE id = ?1", [block_id(form_no, block)], |row| row.get(0))?;
    Ok(round.unwrap_or_default())
}

/// The blocks of a form that were built.
pub fn made(tx: &Tx, form_no: i64) -> Result<Vec<i64>> {
    let ends = (block_id(form_no, 0), block_id(form_no, BLOCKS));
    tx.all(
        "SELECT id & 0xfffff FROM segment_blocks WHERE id >= ?1 AND id < ?2 \
             AND length(live) > 0 ORDER BY id",
        params![ends.0, ends.1],
        |row| row.get(0),
    )
}

/// An entry that changed since its block was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The entry.
    pub serial: i64,
    /// Goes up with every change.
    pub count: i64,
}

/// The changes of a block since it was built.
pub fn changes(tx: &Tx, form_no: i64, block: i64) -> Result<Vec<Change>> {
    let base = form_no << 32;
    let ends = (base + serial_of(block, 0), base + last_of(block));
    tx.all(
        "SELECT id - ?3, count FROM segment_changes WHERE id >= ?1 AND id <= ?2 ORDER BY id",
        params![ends.0, ends.1, base],
        |row| Ok(Change { serial: row.get(0)?, count: row.get(1)? }),
    )
}

/// The blocks of a form in which more than `limit` entries changed, or one was deleted for good.
pub fn much_changed(tx: &Tx, form_no: i64, limit: i64) -> Result<Vec<i64>> {
    let base = form_no << 32;
    tx.all(
        "SELECT (id - ?1) / ?3 FROM segment_changes WHERE id >= ?1 AND id < ?2 \
             GROUP BY 1 HAVING count(*) > ?4 OR max(count) >= ?5",
        params![base, base + (1 << 32), BLOCK, limit, GONE],
        |row| row.get(0),
    )
}

/// The slot of a column, if it has one for today's definition.
pub fn slot(tx: &Tx, form_no: i64, name: &str, mark: i64) -> Result<Option<i64>> {
    tx.maybe(
        "SELECT slot FROM segment_columns WHERE form_no = ?1 AND name = ?2 AND mark = ?3",
        params![form_no, name, mark],
        |row| row.get(0),
    )
}

/// All slots of a form, with the names and marks of their columns.
pub fn slots(tx: &Tx, form_no: i64) -> Result<Vec<(i64, String, i64)>> {
    tx.all("SELECT slot, name, mark FROM segment_columns WHERE form_no = ?1", [form_no], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })
}

/// Calls `f` with a segment, without copying it; `None` where there is none.
pub fn with<T>(tx: &Tx, form_no: i64, slot: i64, block: i64, f: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
    let mut select = tx.connection.prepare_cached("SELECT data FROM segments WHERE id = ?1").map_err(internal)?;
    let mut rows = select.query([segment_id(form_no, slot, block)]).map_err(internal)?;
    let Some(row) = rows.next().map_err(internal)? else {
        return Ok(None);
    };
    let data = row.get_ref(0).map_err(internal)?;
    data.as_blob().map(f).map(Some).map_err(Error::internal)
}

/// The size of a segment; `None` where there is none.
pub fn size(tx: &Tx, form_no: i64, slot: i64, block: i64) -> Result<Option<i64>> {
    tx.maybe("SELECT length(data) FROM segments WHERE id = ?1", [segment_id(form_no, slot, block)], |row| row.get(0))
}

/// A new segment of a column.
pub struct Made {
    pub name: String,
    /// The column's mark.
    pub mark: i64,
    /// The segment.
    pub data: Vec<u8>,
}

/// The state of a block when its build began.
#[derive(Clone, Debug)]
pub struct BlockState {
    /// The form.
    pub form_no: i64,
    /// Its version.
    pub version: i64,
    /// The block.
    pub block: i64,
    /// How often it had been built; 0: never.
    pub round: i64,
    /// The changes made by then.
    pub changes: Vec<Change>,
}

impl BlockState {
    fn is_still(&self, tx: &Tx) -> Result<bool> {
        match forms::check_version(tx, self.form_no, self.version) {
            Err(Error::Stale) => return Ok(false),
            other => other?,
        }
        Ok(round(tx, self.form_no, self.block)? == self.round)
    }
}

/// Begins to build a block.
pub fn look(tx: &Tx, form_no: i64, version: i64, block: i64) -> Result<BlockState> {
    Ok(BlockState { form_no, version, block, round: round(tx, form_no, block)?, changes: changes(tx, form_no, block)? })
}

/// Replaces a block, with the first of its segments. Changes up to the begin of the build are settled; later ones stay
/// noted. False, and nothing is stored, where the form changed or the block was rebuilt meanwhile.
pub fn keep_block(tx: &Tx, seen: &BlockState, live: &Bits, made: &[Made]) -> Result<bool> {
    if !seen.is_still(tx)? {
        return Ok(false);
    }
    let (form_no, number) = (seen.form_no, seen.block);
    // A new block has none.
    if seen.round > 0 {
        for (slot, ..) in slots(tx, form_no)? {
            remove(tx, form_no, slot, number)?;
        }
    }
    tx.run(
        "INSERT INTO segment_blocks (id, round, live) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET round = excluded.round, live = excluded.live",
        params![block_id(form_no, number), seen.round + 1, live.to_bytes()],
    )?;
    let mut settle =
        tx.connection.prepare_cached("DELETE FROM segment_changes WHERE id = ?1 AND count = ?2").map_err(internal)?;
    for change in &seen.changes {
        settle.execute([address(form_no, change.serial), change.count]).map_err(internal)?;
    }
    keep(tx, form_no, number, made)?;
    Ok(true)
}

/// Adds segments to a block. False, and nothing is stored, where the form changed or the block was rebuilt meanwhile.
pub fn keep_more(tx: &Tx, seen: &BlockState, made: &[Made]) -> Result<bool> {
    let still = seen.round > 0 && seen.is_still(tx)?;
    if still {
        keep(tx, seen.form_no, seen.block, made)?;
    }
    Ok(still)
}

fn keep(tx: &Tx, form_no: i64, block: i64, made: &[Made]) -> Result<()> {
    let mut insert =
        tx.connection.prepare_cached("INSERT OR REPLACE INTO segments (id, data) VALUES (?1, ?2)").map_err(internal)?;
    let mut known = slots(tx, form_no)?;
    for made in made {
        let own = known.iter().find(|(_, name, mark)| *mark == made.mark && *name == made.name);
        let slot = match own {
            Some((slot, ..)) => Some(*slot),
            None => give_slot(tx, form_no, made, &mut known)?,
        };
        // Without a free slot the column has no segments.
        if let Some(slot) = slot {
            insert.execute(params![segment_id(form_no, slot, block), made.data]).map_err(internal)?;
        }
    }
    Ok(())
}

/// Assigns a free slot to a column, if there is one.
fn give_slot(tx: &Tx, form_no: i64, made: &Made, known: &mut Vec<(i64, String, i64)>) -> Result<Option<i64>> {
    let is_free = |free: &i64| known.iter().all(|(slot, ..)| slot != free);
    let Some(free) = (0..SLOTS).find(is_free) else {
        return Ok(None);
    };
    tx.run(
        "INSERT INTO segment_columns (form_no, slot, name, mark) VALUES (?1, ?2, ?3, ?4)",
        params![form_no, free, made.name, made.mark],
    )?;
    known.push((free, made.name.clone(), made.mark));
    Ok(Some(free))
}

fn remove(tx: &Tx, form_no: i64, slot: i64, block: i64) -> Result<()> {
    tx.run("DELETE FROM segments WHERE id = ?1", [segment_id(form_no, slot, block)])?;
    Ok(())
}

/// Deletes up to `limit` segments of a slot, and the slot after the last one; whether more are left.
pub fn drop_some(tx: &Tx, form_no: i64, slot: i64, limit: usize) -> Result<bool> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let ends = (segment_id(form_no, slot, 0), segment_id(form_no, slot, BLOCKS - 1));
    let gone = tx.run(
        "DELETE FROM segments WHERE id IN (SELECT id FROM segments WHERE id >= ?1 AND id <= ?2 \
             LIMIT ?3)",
        params![ends.0, ends.1, limit],
    )?;
    if gone > 0 {
        return Ok(true);
    }
    tx.run("DELETE FROM segment_columns WHERE form_no = ?1 AND slot = ?2", [form_no, slot])?;
    Ok(false)
}

/// Drops a damaged block, so that it is rebuilt; whether there was one.
pub fn forget(tx: &Tx, form_no: i64, block: i64) -> Result<bool> {
    for (slot, ..) in slots(tx, form_no)? {
        remove(tx, form_no, slot, block)?;
    }
    // A higher round invalidates builds that are under way.
    let known =
        tx.run("UPDATE segment_blocks SET round = round + 1, live = x'' WHERE id = ?1", [block_id(form_no, block)])?;
    Ok(known > 0)
}

#[cfg(test)]
mod tests;
