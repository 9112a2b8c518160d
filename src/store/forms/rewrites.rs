//! Forms whose entries still have to be rewritten after an edit of their fields, and the progress of that. The edit's
//! transaction inserts the row; it is deleted when the rewrite is complete.

use rusqlite::{Row, params};

use crate::base::error::{Error, Result};
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, address, counters, segments};

/// The next step of a rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The entries of this table, the live ones first.
    Entries(Table),
    /// Other data that holds values of removed fields: idempotent answers, keys, segments, files.
    Rest,
    /// The database file, whose free pages still hold them.
    File,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Entries(Table::Live) => "live",
            Self::Entries(Table::Trash) => "trash",
            Self::Rest => "rest",
            Self::File => "file",
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "live" => Self::Entries(Table::Live),
            "trash" => Self::Entries(Table::Trash),
            "file" => Self::File,
            _ => Self::Rest,
        }
    }
}

/// A form whose entries are to be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub form_no: i64,
    /// The form's version after the edit that required it. A later edit restarts the rewrite.
    pub edit: i64,
    pub stage: Stage,
    /// The last serial of this stage that has been rewritten.
    pub after: i64,
    /// Entries of the form restored from the trash before the rewrite began.
    pub restores: i64,
    /// Whether the edit removed something, so that [`Stage::Rest`] is needed.
    pub removes: bool,
    /// Whether formulas, scores and reports must be recomputed.
    pub recomputes: bool,
}

fn read(row: &Row) -> rusqlite::Result<Rewrite> {
    Ok(Rewrite {
        form_no: row.get(0)?,
        edit: row.get(1)?,
        stage: Stage::of(row.get_ref(2)?.as_str()?),
        after: row.get(3)?,
        restores: row.get(4)?,
        removes: row.get(5)?,
        recomputes: row.get(6)?,
    })
}

/// Schedules a rewrite of all entries of a form, or restarts it. The form already has its new fields.
pub fn start(tx: &Tx, form_no: i64, removes: bool, recomputes: bool) -> Result<()> {
    let restores = counters::of_form(tx, form_no)?.restores;
    tx.run(
        "INSERT INTO rewrites (form_no, edit, stage, after, restores, removes, recomputes) \
             SELECT form_no, version, 'live', 0, ?2, ?3, ?4 FROM forms WHERE form_no = ?1 \
             ON CONFLICT DO UPDATE SET edit = excluded.edit, stage = excluded.stage, \
             after = excluded.after, restores = excluded.restores, \
             removes = max(removes, excluded.removes), \
             recomputes = max(recomputes, excluded.recomputes)",
        params![form_no, restores, removes, recomputes],
    )?;
    Ok(())
}

pub fn all(tx: &Tx) -> Result<Vec<Rewrite>> {
    tx.all(
        "SELECT form_no, edit, stage, after, restores, removes, recomputes FROM rewrites \
             ORDER BY form_no",
        [],
        read,
    )
}

/// The pending rewrite of a form.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Option<Rewrite>> {
    tx.maybe(
        "SELECT form_no, edit, stage, after, restores, removes, recomputes FROM rewrites \
             WHERE form_no = ?1",
        [form_no],
        read,
    )
}

/// The forms with removed parts whose values may still be stored.
pub fn removing(tx: &Tx) -> Result<Vec<i64>> {
    tx.all("SELECT form_no FROM rewrites WHERE removes AND stage <> 'file'", [], |row| row.get(0))
}

/// Records that the current table is rewritten up to serial `after`.
pub fn advance(tx: &Tx, rewrite: &Rewrite, after: i64) -> Result<()> {
    set(tx, rewrite, rewrite.stage, after)
}

/// Records that a table is complete and sets the next stage: the trash after the live entries, then the rest. If
/// entries were restored meanwhile, they may have been missed, and the rewrite restarts.
pub fn finish_table(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    if rewrite.stage == Stage::Entries(Table::Live) {
        return set(tx, rewrite, Stage::Entries(Table::Trash), 0);
    }
    if counters::of_form(tx, rewrite.form_no)?.restores != rewrite.restores {
        return start(tx, rewrite.form_no, rewrite.removes, rewrite.recomputes);
    }
    if rewrite.removes {
        return set(tx, rewrite, Stage::Rest, 0);
    }
    finish(tx, rewrite)
}

/// Records that only the database file is left.
///
/// # Errors
/// `Stale` if an edit has restarted the rewrite.
pub fn finish_rest(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    check_current(tx, rewrite)?;
    set(tx, rewrite, Stage::File, 0)
}

fn set(tx: &Tx, rewrite: &Rewrite, stage: Stage, after: i64) -> Result<()> {
    tx.run(
        "UPDATE rewrites SET stage = ?2, after = ?3 WHERE form_no = ?1",
        params![rewrite.form_no, stage.name(), after],
    )?;
    Ok(())
}

/// Checks that the rewrite has neither advanced nor been restarted.
///
/// # Errors
/// `Stale`.
pub fn check_current(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    if of_form(tx, rewrite.form_no)? == Some(*rewrite) { Ok(()) } else { Err(Error::Stale) }
}

/// Deletes a completed rewrite, unless an edit has restarted it.
pub fn finish(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    tx.run(
        "DELETE FROM rewrites WHERE form_no = ?1 AND edit = ?2 AND stage = ?3",
        params![rewrite.form_no, rewrite.edit, rewrite.stage.name()],
    )?;
    Ok(())
}

/// Rewritten values and results of an entry.
#[derive(Clone, Debug)]
pub struct RewrittenValues {
    pub serial: i64,
    /// The values as they were read.
    pub old: String,
    pub new: String,
    /// The results before the rewrite, and after it.
    pub old_results: Option<String>,
    pub new_results: Option<String>,
    /// Whether clients see a difference, so that the entry's ETag changes. Its `updated_at` does not: this is no edit.
    pub is_visible: bool,
}

/// Replaces the values of an entry. False if it was changed or moved since they were read.
pub fn replace(tx: &Tx, form_no: i64, table: Table, values: &RewrittenValues) -> Result<bool> {
    let replaced = tx.run(
        &format!(
            "UPDATE {} SET \"values\" = ?3, results = ?6, version = version + ?4 \
             WHERE id = ?1 AND \"values\" = ?2 AND results IS ?5",
            table.name()
        ),
        params![
            address(form_no, values.serial),
            values.old,
            values.new,
            values.is_visible,
            values.old_results,
            values.new_results,
        ],
    )?;
    if replaced > 0 && values.is_visible && table == Table::Live {
        segments::note_change(tx, form_no, values.serial)?;
    }
    Ok(replaced > 0)
}

/// The size of the database file in bytes.
pub fn file_size(tx: &Tx) -> Result<usize> {
    let size: i64 =
        tx.one("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", [], |row| row.get(0))?;
    Ok(usize::try_from(size).unwrap_or_default())
}
