//! Builds column segments of entries in the background: of each block of 4,096 serials once it is full, and again
//! where much of it changed or its fields were defined anew. Rows are read outside the writer, in short reads;
//! changes in a block are noted from before the first read on, so that a segment is valid whatever happens
//! meanwhile. An interrupted build leaves only valid segments.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::model::bits::Bits;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::query::segments::{Collector, Column, Packing, SizeLimits};
use crate::store::Store;
use crate::store::db::backoff::Backoff;
use crate::store::entries::Table;
use crate::store::entries::entry_scan::{self, RowHead};
use crate::store::entries::segments::{self, BlockState, Due, Made};

// Bytes of entries that one read looks at.
const READ_SIZE: usize = 256 << 10;
// Bytes of segments in one job of the writer.
const JOB_SIZE: usize = 1 << 20;
// Longer texts are looked up in the entries.
const LIMITS: SizeLimits = SizeLimits { column: 4 << 20, block: 24 << 20 };
// A block in which more entries changed is rebuilt.
const MAX_CHANGES: i64 = 64;
// New blocks of a form that are built before other long work has its turn.
const BLOCKS_AT_ONCE: usize = 16;
// Segments that are dropped in one job.
const DROPPED: usize = 32;

/// The versions of forms whose segments are complete: no work is due while the version stays.
#[derive(Default)]
pub struct UpToDate {
    versions: Mutex<HashMap<i64, i64>>,
}

impl UpToDate {
    fn has(&self, due: &Due) -> bool {
        let versions = self.versions.lock();
        versions.is_ok_and(|versions| versions.get(&due.form_no) == Some(&due.version))
    }

    fn add(&self, due: &Due) {
        if let Ok(mut versions) = self.versions.lock() {
            versions.insert(due.form_no, due.version);
        }
    }
}

/// Sources and settings for building segments.
#[derive(Clone, Copy)]
pub struct Builder<'a> {
    /// Where entries are read and segments are stored.
    pub store: &'a Store,
    /// Parsed forms.
    pub cache: &'a Cache,
    /// The forms that need no look.
    pub up_to_date: &'a UpToDate,
}

impl Builder<'_> {
    /// Builds the segments of blocks that are full and have none, of some of them where there are many; returns the
    /// number of blocks.
    pub fn build(&self) -> Result<usize> {
        each_form(self.store.read(segments::behind)?, |due| {
            let first = segments::block_of(due.sealed_upto + 1);
            let full = (first..).take_while(|block| segments::last_of(*block) < due.next_serial);
            let mut count = 0;
            for block in full.take(BLOCKS_AT_ONCE) {
                if !self.build_block(due, block)? {
                    break;
                }
                count += 1;
            }
            Ok(count)
        })
    }

    /// Rebuilds blocks whose build was interrupted or that changed a lot, builds segments of columns that lack them,
    /// and drops those of removed columns.
    pub fn rebuild(&self) -> Result<usize> {
        each_form(self.store.read(segments::begun)?, |due| {
            let form_no = due.form_no;
            let (built, changed) = self.store.read(|tx| {
                let changed = segments::much_changed(tx, form_no, MAX_CHANGES)?;
                Ok((segments::made(tx, form_no)?, changed))
            })?;
            let blocks = 0..=segments::block_of(due.sealed_upto);
            let outdated = blocks.filter(|block| !built.contains(block) || changed.contains(block));
            let (mut count, mut is_complete) = (0, true);
            for block in outdated {
                let done = self.build_block(due, block)?;
                is_complete &= done;
                count += usize::from(done);
            }
            if self.up_to_date.has(due) {
                return Ok(count);
            }
            for block in built.into_iter().filter(|block| !changed.contains(block)) {
                match self.complete_block(due, block)? {
                    Some(added) => count += added,
                    None => is_complete = false,
                }
            }
            if is_complete {
                if let Some(parsed) = self.parsed(due)? {
                    count += drop_other_columns(self.store, &parsed)?;
                }
                self.up_to_date.add(due);
            }
            Ok(count)
        })
    }

    /// The current form; `None` if its version is no longer the one that was due.
    fn parsed(&self, due: &Due) -> Result<Option<Arc<ParsedForm>>> {
        self.store.read(|tx| match linked_entries::live(tx, &due.token)? {
            Some(form) if form.version == due.version => self.cache.parsed(tx, &form).map(Some),
            _ => Ok(None),
        })
    }

    /// Builds all segments of a block. False if the form changed or the block was built meanwhile.
    fn build_block(&self, due: &Due, block: i64) -> Result<bool> {
        let Some(parsed) = self.parsed(due)? else {
            return Ok(false);
        };
        let form_no = due.form_no;
        let is_full = self.store.write(move |tx| segments::note_from_now(tx, form_no, block))?;
        if !is_full {
            return Ok(false);
        }
        let seen = self.look(due, block)?;
        let columns: Vec<&Column> = parsed.columns().iter().collect();
        let (live, made) = self.read_block(&seen, &parsed, &columns)?;
        let mut jobs = jobs(made);
        let first = jobs.next().unwrap_or_default();
        let begun = seen.clone();
        let kept = self.store.write(move |tx| segments::keep_block(tx, &begun, &live, &first))?;
        if !kept {
            return Ok(false);
        }
        let seen = BlockState { round: seen.round + 1, ..seen };
        self.write_more(&seen, jobs)
    }

    /// Builds the segments that a block lacks; returns their number. `None` if that failed.
    fn complete_block(&self, due: &Due, block: i64) -> Result<Option<usize>> {
        let Some(parsed) = self.parsed(due)? else {
            return Ok(None);
        };
        let seen = self.look(due, block)?;
        let mut lacking = Vec::new();
        for column in parsed.columns() {
            let size = self.store.read(|tx| {
                let slot = segments::slot(tx, due.form_no, &column.name, column.mark)?;
                let size = slot.map(|slot| segments::size(tx, due.form_no, slot, block));
                Ok(size.transpose()?.flatten())
            })?;
            if size.is_none() {
                lacking.push(column);
            }
        }
        if lacking.is_empty() {
            return Ok(Some(0));
        }
        let (_, made) = self.read_block(&seen, &parsed, &lacking)?;
        let count = made.len();
        Ok(self.write_more(&seen, jobs(made))?.then_some(count))
    }

    fn look(&self, due: &Due, block: i64) -> Result<BlockState> {
        self.store.read(|tx| segments::look(tx, due.form_no, due.version, block))
    }

    /// Which rows of a block are live, and the segments of these columns.
    fn read_block(&self, seen: &BlockState, parsed: &ParsedForm, columns: &[&Column]) -> Result<(Bits, Vec<Made>)> {
        let mut collector = Collector::new(&parsed.definition.fields, columns, LIMITS);
        let cx = parsed.cx(clock::now(), false);
        let mut backoff = Backoff::begin(self.store);
        let mut next = Some(segments::last_of(seen.block - 1));
        while let Some(after) = next {
            let (mut last, mut size) = (after, 0);
            let mut take = |row: RowHead| {
                (last, size) = (row.serial, size + row.values.len());
                collector.add(segments::row_of(row.serial), &row.head(), row.values, &cx).map_err(Error::internal)?;
                Ok(if size > READ_SIZE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            let upto = segments::last_of(seen.block);
            let flow = self
                .store
                .read(|tx| entry_scan::scan_quickly(tx, Table::Live, seen.form_no, after, upto, &mut take))?;
            next = flow.is_break().then_some(last);
            backoff.rest(self.store)?;
        }
        let live = collector.live().clone();
        let mut made = Vec::new();
        for (column, sealer) in columns.iter().zip(collector.finish()) {
            made.push(Made { name: column.name.clone(), mark: column.mark, data: sealer.seal(Packing::Packed) });
            backoff.rest(self.store)?;
        }
        Ok((live, made))
    }

    fn write_more(&self, seen: &BlockState, jobs: impl Iterator<Item = Vec<Made>>) -> Result<bool> {
        for job in jobs {
            let seen = seen.clone();
            let kept = self.store.write(move |tx| segments::keep_more(tx, &seen, &job))?;
            if !kept {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Runs `f` for each form. An error of one form is returned after the others are done.
fn each_form(forms: Vec<Due>, f: impl Fn(&Due) -> Result<usize>) -> Result<usize> {
    let (mut count, mut failed) = (0, None);
    for due in forms {
        match f(&due) {
            Ok(done) => count += done,
            Err(Error::Busy(why, wait)) => return Err(Error::Busy(why, wait)),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(count), Err)
}

/// Splits segments into jobs for the writer, so that none takes long.
fn jobs(made: Vec<Made>) -> impl Iterator<Item = Vec<Made>> {
    let mut made = made.into_iter().peekable();
    std::iter::from_fn(move || {
        let mut job: Vec<Made> = vec![made.next()?];
        let mut size = job[0].data.len();
        while let Some(next) = made.next_if(|next| size + next.data.len() <= JOB_SIZE) {
            size += next.data.len();
            job.push(next);
        }
        Some(job)
    })
}

/// Drops the segments of columns that a form no longer has; returns the number of writes.
pub fn drop_other_columns(store: &Store, parsed: &ParsedForm) -> Result<usize> {
    let form_no = parsed.form_no;
    let slots = store.read(|tx| segments::slots(tx, form_no))?;
    let mut count = 0;
    for (slot, name, mark) in slots {
        let mut columns = parsed.columns().iter();
        if columns.any(|column| column.name == name && column.mark == mark) {
            continue;
        }
        while store.write(move |tx| segments::drop_some(tx, form_no, slot, DROPPED))? {
            count += 1;
        }
    }
    Ok(count)
}
