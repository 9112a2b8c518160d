//! Forms whose entries are still to be brought to their fields, and how far that is done. The row comes with the edit
//! that makes it necessary, in one transaction, and goes when all is done.

use rusqlite::{Row, params};

use crate::base::error::{Error, Result};
use crate::store::entries::{Shelf, address};
use crate::store::tx::Tx;
use crate::store::{counters, segments};

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The entries of this shelf: first the live ones.
    Entries(Shelf),
    /// What else holds values of removed fields: remembered answers, keys, segments, files.
    Rest,
    /// The database file, whose unused parts still hold them.
    File,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Entries(Shelf::Live) => "live",
            Self::Entries(Shelf::Trash) => "trash",
            Self::Rest => "rest",
            Self::File => "file",
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "live" => Self::Entries(Shelf::Live),
            "trash" => Self::Entries(Shelf::Trash),
            "file" => Self::File,
            _ => Self::Rest,
        }
    }
}

/// A form whose entries are to be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The form.
    pub form_no: i64,
    /// The form's version after the edit that asked for it: a later edit starts anew.
    pub edit: i64,
    /// What is done next.
    pub stage: Stage,
    /// The last serial of this stage that is done.
    pub after: i64,
    /// How often an entry of the form had come back out of the trash when this began.
    pub restores: i64,
    /// Whether something was removed, so that the rest is to be cleaned too.
    pub removes: bool,
    /// Whether formulas are to be computed again.
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

/// Asks for a form's entries to be rewritten, from the first one on. The form has its new fields already.
pub fn ask(tx: &Tx, form_no: i64, removes: bool, recomputes: bool) -> Result<()> {
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

/// All forms whose entries are to be rewritten.
pub fn all(tx: &Tx) -> Result<Vec<Rewrite>> {
    tx.all(
        "SELECT form_no, edit, stage, after, restores, removes, recomputes FROM rewrites \
             ORDER BY form_no",
        [],
        read,
    )
}

/// How far a form's entries are; none: nothing is to be done.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Option<Rewrite>> {
    tx.maybe(
        "SELECT form_no, edit, stage, after, restores, removes, recomputes FROM rewrites \
             WHERE form_no = ?1",
        [form_no],
        read,
    )
}

/// Notes that a shelf is done up to a serial.
pub fn go_on(tx: &Tx, rewrite: &Rewrite, after: i64) -> Result<()> {
    set(tx, rewrite, rewrite.stage, after)
}

/// Notes that a shelf is done, and what comes next: the trash after the live entries, then the rest. Entries that
/// came out of the trash meanwhile may have been passed by: then it starts anew.
pub fn end_shelf(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    if rewrite.stage == Stage::Entries(Shelf::Live) {
        return set(tx, rewrite, Stage::Entries(Shelf::Trash), 0);
    }
    if counters::of_form(tx, rewrite.form_no)?.restores != rewrite.restores {
        return ask(tx, rewrite.form_no, rewrite.removes, rewrite.recomputes);
    }
    if rewrite.removes {
        return set(tx, rewrite, Stage::Rest, 0);
    }
    end(tx, rewrite)
}

/// Notes that nothing but the database file is left, unless an edit has started it anew.
///
/// # Errors
/// Internal, `Stale`.
pub fn end_rest(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    still(tx, rewrite)?;
    set(tx, rewrite, Stage::File, 0)
}

fn set(tx: &Tx, rewrite: &Rewrite, stage: Stage, after: i64) -> Result<()> {
    tx.run(
        "UPDATE rewrites SET stage = ?2, after = ?3 WHERE form_no = ?1",
        params![rewrite.form_no, stage.name(), after],
    )?;
    Ok(())
}

/// That nobody went on with it meanwhile, and no edit started it anew.
///
/// # Errors
/// `Stale`.
pub fn still(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    if of_form(tx, rewrite.form_no)? == Some(*rewrite) {
        Ok(())
    } else {
        Err(Error::Stale)
    }
}

/// All is done, unless an edit has started it anew.
pub fn end(tx: &Tx, rewrite: &Rewrite) -> Result<()> {
    tx.run(
        "DELETE FROM rewrites WHERE form_no = ?1 AND edit = ?2 AND stage = ?3",
        params![rewrite.form_no, rewrite.edit, rewrite.stage.name()],
    )?;
    Ok(())
}

/// New values of an entry in the place of its old ones.
#[derive(Clone, Debug)]
pub struct New {
    /// Which entry.
    pub serial: i64,
    /// Its values as they were read.
    pub old: String,
    /// Its values from now on.
    pub new: String,
    /// Whether reads show something else from now on, so that its tag changes. Its `updated_at` does not: nobody
    /// edited it.
    pub shows_other: bool,
}

/// Replaces the values of an entry, unless somebody changed or moved it since they were read; says whether it did.
pub fn replace(tx: &Tx, form_no: i64, shelf: Shelf, new: &New) -> Result<bool> {
    let replaced = tx.run(
        &format!(
            "UPDATE {} SET \"values\" = ?3, version = version + ?4 \
             WHERE id = ?1 AND \"values\" = ?2",
            shelf.table()
        ),
        params![
            address(form_no, new.serial),
            new.old,
            new.new,
            new.shows_other
        ],
    )?;
    if replaced > 0 && new.shows_other && shelf == Shelf::Live {
        segments::note_change(tx, form_no, new.serial)?;
    }
    Ok(replaced > 0)
}

/// How many bytes the file has.
pub fn file_size(tx: &Tx) -> Result<usize> {
    let size: i64 = tx.one(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        [],
        |row| row.get(0),
    )?;
    Ok(usize::try_from(size).unwrap_or_default())
}
