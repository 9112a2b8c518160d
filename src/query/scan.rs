//! Evaluates a filter on the entries themselves, some at a time. Whatever is faster must agree with it.

use std::ops::ControlFlow;

use crate::base::error::Result;
use crate::fields::links::LinkedData;
use crate::fields::values::Values;
use crate::model::entry::Entry;
use crate::query::as_read::Picker;
use crate::query::form_cache::Cache;
use crate::query::linked_entries;
use crate::query::request::{EntrySet, Query};
use crate::store::db::tx::Tx;
use crate::store::entries::entry_scan::{self, EntryRow};
use crate::store::entries::{self, Table};

/// Rows that are held at once, and their bytes, but for the row that exceeds them.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 1 << 20;
/// Entries that one statement reads by their serials.
const SERIALS_AT_ONCE: usize = 50;
/// Linked entries that are cached for later rows.
const MAX_LINKS: usize = 10_000;

/// A scan over entries of a form.
pub struct Scan<'s> {
    cache: &'s Cache,
    tx: &'s Tx<'s>,
    set: EntrySet,
    query: &'s Query,
    picker: Picker<'s>,
    found: LinkedData,
}

impl<'s> Scan<'s> {
    /// Over this set.
    pub fn new(cache: &'s Cache, tx: &'s Tx<'s>, set: EntrySet, query: &'s Query) -> Self {
        Self {
            cache,
            tx,
            set,
            query,
            picker: Picker::new(&query.parsed, query.filter.codes(&query.parsed.definition.fields)),
            found: query.forms.forms_alone(),
        }
    }

    /// Calls `each` for the entries above one serial and up to another that match.
    pub fn range(&mut self, (after, upto): (i64, i64), each: &mut dyn FnMut(i64)) -> Result<()> {
        let EntrySet { form_no, table } = self.set;
        let reads_results = self.query.filter.reads_results();
        let mut next = Some(after);
        while let Some(after) = next {
            let (mut rows, mut bytes) = (Vec::new(), 0);
            let mut take = |row: EntryRow| {
                bytes += row.values.len();
                let entry = if reads_results { row.entry()? } else { row.head() };
                rows.push((entry, self.pick(row.values)?));
                let is_full = rows.len() == BATCH_ROWS || bytes > BATCH_BYTES;
                Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            let flow = entry_scan::scan(self.tx, table, form_no, after, upto, &mut take)?;
            let last = rows.last().map(|(entry, _)| entry.serial);
            next = last.filter(|_| flow.is_break());
            // Entries in the trash don't wait.
            if table == Table::Live && self.query.filter.reads_places() {
                entries::placed(self.tx, form_no, rows.iter_mut().map(|(entry, _)| entry))?;
            }
            self.evaluate(rows, each)?;
        }
        Ok(())
    }

    /// Calls `each` for the matching ones of these entries.
    pub fn serials(&mut self, serials: &[i64], each: &mut dyn FnMut(i64)) -> Result<()> {
        let EntrySet { form_no, table } = self.set;
        for some in serials.chunks(SERIALS_AT_ONCE) {
            let entries = entry_scan::by_serials(self.tx, table, form_no, some)?;
            let rows = entries.into_iter().map(|entry| {
                let values = self.pick(&entry.values)?;
                Ok((entry, values))
            });
            let rows = rows.collect::<Result<Vec<_>>>()?;
            self.evaluate(rows, each)?;
        }
        Ok(())
    }

    fn evaluate(&mut self, rows: Vec<(Entry, Values)>, each: &mut dyn FnMut(i64)) -> Result<()> {
        self.look_up(rows.iter().map(|(_, values)| values))?;
        let cx = self.query.parsed.cx_with(self.tx.now, false, &self.found);
        let fields = &self.query.parsed.definition.fields;
        for (entry, values) in rows {
            self.tx.check_deadline()?;
            if self.query.filter.holds(fields, &entry, &values, &cx) {
                each(entry.serial);
            }
        }
        Ok(())
    }

    /// The values that conditions are about.
    fn pick(&self, stored: &str) -> Result<Values> {
        let cx = self.query.parsed.cx(self.tx.now, false);
        self.picker.values(stored, &cx)
    }

    /// Looks up the entries of other forms that conditions are about.
    fn look_up<'v>(&mut self, rows: impl Iterator<Item = &'v Values>) -> Result<()> {
        let filter = &self.query.filter;
        if !filter.follows_links() {
            return Ok(());
        }
        if self.found.links_known() > MAX_LINKS {
            self.found = self.query.forms.forms_alone();
        }
        let fields = &self.query.parsed.definition.fields;
        let links = rows.flat_map(|values| filter.links(fields, values));
        let wanted = links.filter(|link| !self.found.knows(link)).collect();
        linked_entries::look_up(self.cache, self.tx, wanted, &mut self.found)
    }
}
