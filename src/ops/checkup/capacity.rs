//! Compares the counts of taken amounts with the entries, each form in one snapshot.

use crate::base::error::{Error, Result};
use crate::fields::values::stored;
use crate::ops::app::App;
use crate::ops::capacity;
use crate::query::form_cache::Cache;
use crate::store::capacity::{self as counts, Counts};
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, listing};
use crate::store::{forms, transfer};

/// Entries per read.
const PIECE: usize = 1_000;
const PIECE_BYTES: usize = 4 << 20;

/// The result of the check.
#[derive(Clone, Copy, Debug, Default)]
pub struct CapacityFindings {
    /// Counters that differ from the entries' amounts.
    pub wrong: usize,
    /// Forms that were not checked, because an import into them is under way.
    pub unfinished: usize,
}

/// Counts the amounts of all entries; with `fix`, wrong counts are corrected.
pub fn look(app: &App, fix: bool) -> Result<CapacityFindings> {
    let mut found = CapacityFindings::default();
    for form_no in app.store.read(forms::numbers)? {
        let wrong = app.store.read_at_length(|tx| {
            let Some(right) = recount(&app.cache, tx, form_no)? else {
                return Ok(None);
            };
            Ok(Some(counts::counted(tx, form_no)?.differing(&right)))
        })?;
        match wrong {
            None => found.unfinished += 1,
            Some(0) => {}
            Some(wrong) => {
                found.wrong += wrong;
                if fix {
                    put_right(app, form_no)?;
                }
            }
        }
    }
    Ok(found)
}

/// Counts the entries of a form again. Blocks other writes meanwhile.
fn put_right(app: &App, form_no: i64) -> Result<()> {
    let cache = std::sync::Arc::clone(&app.cache);
    app.store.write(move |tx| match recount(&cache, tx, form_no)? {
        Some(right) => counts::put_right(tx, form_no, &right),
        None => Ok(()),
    })
}

/// The amounts that the entries of a form take; `None` while an import adds entries.
fn recount(cache: &Cache, tx: &Tx, form_no: i64) -> Result<Option<Counts>> {
    let mut out = Counts::default();
    if !forms::exists(tx, form_no)? {
        return Ok(Some(out));
    }
    if transfer::is_staging(tx, form_no)? || transfer::first_hidden(tx, form_no)?.is_some() {
        return Ok(None);
    }
    let parsed = cache.parsed(tx, &forms::by_number(tx, form_no)?)?;
    let mut fields = parsed.definition.fields.iter();
    if fields.all(|field| field.kind.capacity().is_none()) {
        return Ok(Some(out));
    }
    let mut after = 0;
    loop {
        let seen = listing::walk_some(tx, form_no, Table::Live, after, PIECE, PIECE_BYTES)?;
        for entry in &seen {
            let values = stored::values(&entry.values).map_err(Error::internal)?;
            let takes = capacity::taken_amounts(&parsed, &values, &entry.results);
            takes.iter().for_each(|taken| out.add(taken));
        }
        match seen.last() {
            Some(last) => after = last.serial,
            None => return Ok(Some(out)),
        }
    }
}
