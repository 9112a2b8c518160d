//! The plain way to what a question means: looks at the entries themselves, a piece at a time. What any quicker
//! way answers must agree with it.

use std::ops::ControlFlow;

use crate::base::error::{Error, Result};
use crate::fields::links::Found;
use crate::fields::stored;
use crate::fields::values::Values;
use crate::model::entry::Entry;
use crate::ops::cache::Cache;
use crate::ops::entry_query::{Among, Query};
use crate::ops::links;
use crate::store::entry_scan::{self, Row};
use crate::store::tx::Tx;

/// So many rows are held at once, and so many bytes of them, but for the one that goes beyond.
const PIECE: usize = 500;
const PIECE_BYTES: usize = 1 << 20;
/// So many are read at once by their addresses.
const AT_ADDRESSES: usize = 50;
/// Linked entries that are kept at hand for later rows.
const LINKS_KEPT: usize = 10_000;

/// Looks at each entry with a serial above the one number and up to the other, and names those that match.
pub fn scan(
    cache: &Cache,
    tx: &Tx,
    among: Among,
    query: &Query,
    (after, upto): (i64, i64),
    each: &mut dyn FnMut(i64),
) -> Result<()> {
    let mut walk = Walk::new(cache, tx, among, query);
    let mut next = Some(after);
    while let Some(after) = next {
        let piece = walk.piece((after, upto))?;
        piece.entries.iter().for_each(|entry| each(entry.serial));
        next = piece.next;
    }
    Ok(())
}

/// Looks at the entries with these serials, and names those that match.
pub fn look_at(
    cache: &Cache,
    tx: &Tx,
    among: Among,
    query: &Query,
    serials: &[i64],
    each: &mut dyn FnMut(i64),
) -> Result<()> {
    let mut walk = Walk::new(cache, tx, among, query);
    for some in serials.chunks(AT_ADDRESSES) {
        let entries = entry_scan::by_serials(tx, among.shelf, among.form_no, some)?;
        let rows = entries.into_iter().map(|entry| {
            let values = walk.pick(&entry.values)?;
            Ok((entry, values))
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        walk.matching(rows)?
            .iter()
            .for_each(|entry| each(entry.serial));
    }
    Ok(())
}

/// Some of the entries that match.
struct Piece {
    /// By serial; maybe none.
    entries: Vec<Entry>,
    /// Where to go on from; none at the end.
    next: Option<i64>,
}

/// A walk over entries, in pieces.
struct Walk<'w> {
    cache: &'w Cache,
    tx: &'w Tx<'w>,
    among: Among,
    query: &'w Query,
    codes: Vec<&'w str>,
    found: Found,
}

impl<'w> Walk<'w> {
    fn new(cache: &'w Cache, tx: &'w Tx<'w>, among: Among, query: &'w Query) -> Self {
        Self {
            cache,
            tx,
            among,
            query,
            codes: query.filter.codes(&query.parsed.definition.fields),
            found: query.forms.forms_alone(),
        }
    }

    /// Those that match among the next few.
    fn piece(&mut self, (after, upto): (i64, i64)) -> Result<Piece> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        let Among { form_no, shelf } = self.among;
        let mut take = |row: Row| {
            bytes += row.values.len();
            rows.push((row.head(), self.pick(row.values)?));
            let is_full = rows.len() == PIECE || bytes > PIECE_BYTES;
            Ok(if is_full {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        let flow = entry_scan::scan(self.tx, shelf, form_no, after, upto, &mut take)?;
        let last = rows.last().map(|(entry, _)| entry.serial);
        Ok(Piece {
            entries: self.matching(rows)?,
            next: last.filter(|_| flow.is_break()),
        })
    }

    /// Those of these entries that match.
    fn matching(&mut self, rows: Vec<(Entry, Values)>) -> Result<Vec<Entry>> {
        self.look_up(rows.iter().map(|(_, values)| values))?;
        let cx = self.query.parsed.cx_with(self.tx.now, false, &self.found);
        let fields = &self.query.parsed.definition.fields;
        let mut entries = Vec::new();
        for (entry, values) in rows {
            self.tx.go_on()?;
            if self.query.filter.holds(fields, &entry, &values, &cx) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    /// Of stored values, what conditions look at.
    fn pick(&self, stored: &str) -> Result<Values> {
        if self.codes.is_empty() {
            return Ok(Values::new());
        }
        stored::pick(stored, &self.codes).map_err(Error::internal)
    }

    /// Looks up the entries of other forms that conditions are about.
    fn look_up<'v>(&mut self, rows: impl Iterator<Item = &'v Values>) -> Result<()> {
        let filter = &self.query.filter;
        if !filter.follows_links() {
            return Ok(());
        }
        if self.found.links_known() > LINKS_KEPT {
            self.found = self.query.forms.forms_alone();
        }
        let fields = &self.query.parsed.definition.fields;
        let links = rows.flat_map(|values| filter.links(fields, values));
        let wanted = links.filter(|link| !self.found.knows(link)).collect();
        links::look_up(self.cache, self.tx, wanted, &mut self.found)
    }
}
