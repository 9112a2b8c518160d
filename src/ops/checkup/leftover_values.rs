//! Looks for values of removed fields and choices that entries still hold, in pieces between which others write.

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::fields::values::{rewrite, stored};
use crate::ops::app::App;
use crate::ops::forms::rewrites;
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, listing};
use crate::store::forms;
use crate::store::forms::rewrites::{self as rows, Stage};

/// Entries per read.
const PIECE: usize = 1_000;
const PIECE_BYTES: usize = 4 << 20;

/// The result of the check.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeftoverFindings {
    /// Entries that hold such values though nothing waits to take them away.
    pub wrong: usize,
    /// Forms whose entries wait to be rewritten.
    pub waiting: usize,
    /// Those of them of which only unused parts of the database file still hold values.
    pub in_file: usize,
}

/// Looks at all entries, also those in the trash; where `fix` says so, such values are taken away.
pub fn look(app: &App, fix: bool) -> Result<LeftoverFindings> {
    let mut found = LeftoverFindings::default();
    for form_no in app.store.read(forms::numbers)? {
        if let Some(rewrite) = app.store.read(|tx| rows::of_form(tx, form_no))? {
            found.waiting += 1;
            found.in_file += usize::from(rewrite.stage == Stage::File);
            continue;
        }
        let wrong = of_form(app, form_no)?;
        if wrong > 0 && fix {
            app.store.write(move |tx| rows::start(tx, form_no, true, false))?;
        }
        found.wrong += wrong;
    }
    if fix {
        rewrites::run(app)?;
    }
    Ok(found)
}

fn of_form(app: &App, form_no: i64) -> Result<usize> {
    let mut wrong = 0;
    for table in [Table::Live, Table::Trash] {
        let mut next = Some(0);
        while let Some(after) = next {
            let (count, last) = app.store.read(|tx| piece(app, tx, form_no, table, after))?;
            wrong += count;
            next = last;
        }
    }
    Ok(wrong)
}

/// How many of the next entries are wrong, and the last serial among them; none at the end, or where the form has
/// been removed for good or is edited just now.
fn piece(app: &App, tx: &Tx, form_no: i64, table: Table, after: i64) -> Result<(usize, Option<i64>)> {
    if rows::of_form(tx, form_no)?.is_some() || !forms::exists(tx, form_no)? {
        return Ok((0, None));
    }
    let parsed = app.cache.parsed(tx, &forms::by_number(tx, form_no)?)?;
    let seen = listing::walk_some(tx, form_no, table, after, PIECE, PIECE_BYTES)?;
    let cx = parsed.cx(clock::now(), false);
    let mut wrong = 0;
    for entry in &seen {
        let values = stored::values(&entry.values).map_err(Error::internal)?;
        let left = rewrite::without_removed(&parsed.definition.fields, &values, &cx);
        wrong += usize::from(left.is_some());
    }
    Ok((wrong, seen.last().map(|entry| entry.serial)))
}
