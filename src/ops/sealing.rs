//! Makes column segments of entries, in the background: of each block of 4,096 serials once it is full, and
//! again where much of it has changed or its fields are defined anew. Rows are looked at outside the writer,
//! in short reads; changes in a block are noted from before the first look on, so that a segment may be
//! kept whatever happened meanwhile. Wherever this is cut off, what is there already is right.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::fields::columns::{Bits, Block, Column, LaidOut, Packing, Remembered, Room, Sealer};
use crate::ops::cache::ParsedForm;
use crate::ops::{App, links};
use crate::store::entries::Shelf;
use crate::store::entry_scan::{self, Glimpse};
use crate::store::segments::{self, Due, Made, Seen};

// One read looks at rows for so long, or at so many bytes of them, and longer where the last one makes a batch
// full. The clock is looked at now and then.
const TURN: Duration = Duration::from_millis(5);
const NOW_AND_THEN: i64 = 16;
const PIECE: usize = 1 << 20;
// What the segments of a block may come to, of a hundred parts of what its entries come to.
const PERCENT: usize = 30;
// Segments go to the writer in jobs of about so many bytes.
const AT_ONCE: usize = 1 << 20;
// What one column of a block may come to, and all columns together; longer texts are asked of the entries.
const COLUMN: usize = 4 << 20;
const BLOCK: usize = 24 << 20;
// A block in which more entries changed is made again.
const MOST_CHANGES: i64 = 64;
// Segments that are taken away in one job.
const DROPPED: usize = 32;
// Of the time while others write, a fifth is ours; what takes less than this is no reason to stop.
const REST: u32 = 4;
const LEAST: Duration = Duration::from_millis(2);

/// For so many blocks, the columns that were compressed in one are compressed in those behind it.
const ALIKE: usize = 16;

/// What one block of a form tells of the next.
#[derive(Default)]
struct Before {
    remembered: Remembered,
    /// The marks of the columns that are compressed, and for how many blocks more that is taken as right.
    packed: Vec<i64>,
    holds_for: usize,
}

/// What is known of forms whose segments were looked through: nothing is to do while their version stays.
#[derive(Default)]
pub struct Whole {
    versions: Mutex<HashMap<i64, i64>>,
}

impl Whole {
    fn is(&self, due: &Due) -> bool {
        let versions = self.versions.lock();
        versions.is_ok_and(|versions| versions.get(&due.form_no) == Some(&due.version))
    }

    fn note(&self, due: &Due) {
        if let Ok(mut versions) = self.versions.lock() {
            versions.insert(due.form_no, due.version);
        }
    }
}

/// Makes segments of the blocks that are full and have none.
pub fn seal(app: &App) -> Result<usize> {
    each_form(app.store.read(segments::behind)?, |due| {
        let first = segments::block_of(due.sealed_upto + 1);
        let full = (first..).take_while(|block| segments::last_of(*block) < due.next_serial);
        let (mut all, mut before) = (0, Before::default());
        for block in full {
            if !make(app, due, block, &mut before)? {
                break;
            }
            all += 1;
        }
        Ok(all)
    })
}

/// Makes segments again, or some that are missing: blocks that were begun and cut off, in which much has
/// changed, or whose columns are others by now. Takes away what belongs to no column.
pub fn reseal(app: &App) -> Result<usize> {
    each_form(app.store.read(segments::begun)?, |due| {
        let form_no = due.form_no;
        let (made, changed) = app.store.read(|tx| {
            let changed = segments::much_changed(tx, form_no, MOST_CHANGES)?;
            Ok((segments::made(tx, form_no)?, changed))
        })?;
        let blocks = 0..=segments::block_of(due.sealed_upto);
        let anew = blocks.filter(|block| !made.contains(block) || changed.contains(block));
        let (mut all, mut is_whole) = (0, true);
        let mut before = Before::default();
        for block in anew {
            let done = make(app, due, block, &mut before)?;
            is_whole &= done;
            all += usize::from(done);
        }
        if app.whole.is(due) {
            return Ok(all);
        }
        for block in made.into_iter().filter(|block| !changed.contains(block)) {
            match complete(app, due, block, &mut before)? {
                Some(done) => all += done,
                None => is_whole = false,
            }
        }
        if is_whole {
            all += drop_others(app, due)?;
            app.whole.note(due);
        }
        Ok(all)
    })
}

/// What is wrong with one form is said in the end, so that it keeps no other from its turn.
fn each_form(forms: Vec<Due>, f: impl Fn(&Due) -> Result<usize>) -> Result<usize> {
    let (mut all, mut failed) = (0, None);
    for due in forms {
        match f(&due) {
            Ok(done) => all += done,
            Err(Error::Busy(why, wait)) => return Err(Error::Busy(why, wait)),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(all), Err)
}

/// The form as it is in this moment; none where it is another one than was found due.
fn parsed(app: &App, due: &Due) -> Result<Option<Arc<ParsedForm>>> {
    app.store.read(|tx| match links::live(tx, &due.token)? {
        Some(form) if form.version == due.version => app.cache.parsed(tx, &form).map(Some),
        _ => Ok(None),
    })
}

/// Makes all segments of a block. False where somebody else does, or the form has changed.
fn make(app: &App, due: &Due, block: i64, before: &mut Before) -> Result<bool> {
    let Some(parsed) = parsed(app, due)? else {
        return Ok(false);
    };
    let form_no = due.form_no;
    let is_full = app
        .store
        .write(move |tx| segments::note_from_now(tx, form_no, block))?;
    if !is_full {
        return Ok(false);
    }
    let seen = look(app, due, block)?;
    let columns: Vec<&Column> = parsed.columns().iter().collect();
    let (live, made) = prepare(app, &seen, &parsed, &columns, before)?;
    let mut jobs = in_jobs(made);
    let first = jobs.next().unwrap_or_default();
    let begun = seen.clone();
    let kept = app
        .store
        .write(move |tx| segments::keep_block(tx, &begun, &live, &first))?;
    if !kept {
        return Ok(false);
    }
    let now = Seen {
        round: seen.round + 1,
        ..seen
    };
    keep_rest(app, &now, jobs)
}

/// Makes the segments that a block lacks; how many. None where it could not be done.
fn complete(app: &App, due: &Due, block: i64, before: &mut Before) -> Result<Option<usize>> {
    let Some(parsed) = parsed(app, due)? else {
        return Ok(None);
    };
    let seen = look(app, due, block)?;
    let mut lacking = Vec::new();
    for column in parsed.columns() {
        let there = app.store.read(|tx| {
            let slot = segments::slot(tx, due.form_no, &column.name, column.mark)?;
            let size = slot.map(|slot| segments::size(tx, due.form_no, slot, block));
            Ok(size.transpose()?.flatten().is_some())
        })?;
        if !there {
            lacking.push(column);
        }
    }
    if lacking.is_empty() {
        return Ok(Some(0));
    }
    let (_, made) = prepare(app, &seen, &parsed, &lacking, before)?;
    let count = made.len();
    let kept = keep_rest(app, &seen, in_jobs(made))?;
    Ok(kept.then_some(count))
}

fn look(app: &App, due: &Due, block: i64) -> Result<Seen> {
    let (form_no, version) = (due.form_no, due.version);
    app.store
        .read(|tx| segments::look(tx, form_no, version, block))
}

fn keep_rest(app: &App, seen: &Seen, jobs: impl Iterator<Item = Vec<Made>>) -> Result<bool> {
    for job in jobs {
        let seen = seen.clone();
        if !app
            .store
            .write(move |tx| segments::keep_more(tx, &seen, &job))?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Parts what was made so that no job is long.
fn in_jobs(made: Vec<Made>) -> impl Iterator<Item = Vec<Made>> {
    let mut made = made.into_iter().peekable();
    std::iter::from_fn(move || {
        let mut job: Vec<Made> = vec![made.next()?];
        let mut size = job[0].data.len();
        while let Some(next) = made.next_if(|next| size + next.data.len() <= AT_ONCE) {
            size += next.data.len();
            job.push(next);
        }
        Some(job)
    })
}

/// Looks at the rows of a block: which are live, and the segments of these columns.
fn prepare(
    app: &App,
    seen: &Seen,
    parsed: &ParsedForm,
    columns: &[&Column],
    before: &mut Before,
) -> Result<(Bits, Vec<Made>)> {
    let room = Room {
        column: COLUMN,
        block: BLOCK,
    };
    let fields = &parsed.definition.fields;
    let remembered = std::mem::take(&mut before.remembered);
    let mut block = Block::new(fields, columns, room, remembered);
    let mut written = 0;
    let mut next = Some(segments::last_of(seen.block - 1));
    let cx = parsed.cx(clock::now(), false);
    let mut pace = Pace::begin(app);
    while let Some(after) = next {
        let (mut last, mut size) = (after, 0);
        let mut take = |row: Glimpse| {
            (last, size) = (row.serial, size + row.values.len());
            block
                .add(segments::row_of(row.serial), row.head(), row.values, &cx)
                .map_err(Error::internal)?;
            let is_late = || row.serial % NOW_AND_THEN == 0 && pace.has_taken(TURN);
            Ok(if size > PIECE || is_late() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        let upto = segments::last_of(seen.block);
        let flow = app.store.read(|tx| {
            entry_scan::scan_quickly(tx, Shelf::Live, seen.form_no, after, upto, &mut take)
        })?;
        written += size;
        next = flow.is_break().then_some(last);
        pace.keep(app)?;
    }
    let live = block.live().clone();
    let sealers;
    (sealers, before.remembered) = block.finish(&cx).map_err(Error::internal)?;
    let sealers = columns.iter().map(|column| column.mark).zip(sealers);
    let data = pack(sealers, written / 100 * PERCENT, before, || pace.keep(app))?;
    let columns = columns.iter().zip(data);
    let made = columns.map(|(column, data)| Made {
        name: column.name.clone(),
        mark: column.mark,
        data,
    });
    Ok((live, made.collect()))
}

/// The segments, compressed as far as that is needed to make them so small together: first those that are
/// short, and of which much is saved, so that asking none of them takes long. Sealers come with the marks of
/// their columns; `pause` is called between them.
fn pack(
    sealers: impl Iterator<Item = (i64, Sealer)>,
    most: usize,
    before: &mut Before,
    mut pause: impl FnMut() -> Result<()>,
) -> Result<Vec<Vec<u8>>> {
    let mut columns = Vec::new();
    for (mark, sealer) in sealers {
        columns.push((mark, sealer.lay_out()));
        pause()?;
    }
    let mut put = |column: &LaidOut, packing| {
        let data = column.put(packing);
        pause().map(|()| data)
    };
    let mut all = |packing: &dyn Fn(i64) -> Packing| -> Result<Vec<Vec<u8>>> {
        let each = columns.iter();
        each.map(|(mark, column)| put(column, packing(*mark)))
            .collect()
    };
    let mut size: usize = columns.iter().map(|(_, it)| it.plain_size()).sum();
    if size <= most {
        return all(&|_| Packing::Plain);
    }
    if let Some(left) = before.holds_for.checked_sub(1) {
        let was_packed = |mark| match before.packed.contains(&mark) {
            true => Packing::Packed,
            false => Packing::Plain,
        };
        let out = all(&was_packed)?;
        // A little more or less is no reason to look for a better way.
        if out.iter().map(Vec::len).sum::<usize>() <= most + most / 16 {
            before.holds_for = left;
            return Ok(out);
        }
    }
    let mut out = all(&|_| Packing::Packed)?;
    let mut order: Vec<(usize, usize, usize)> = Vec::new();
    for (i, (_, column)) in columns.iter().enumerate() {
        let plain = column.plain_size();
        let saved = plain.saturating_sub(out[i].len());
        // Where nothing is saved, it comes last, and stays plain.
        order.push((
            (plain * plain).checked_div(saved).unwrap_or(usize::MAX),
            saved,
            i,
        ));
    }
    order.sort_unstable();
    let mut packed: Vec<(usize, usize)> = Vec::new();
    for (_, saved, i) in order {
        if size > most && saved > 0 {
            size -= saved;
            packed.push((saved, i));
        } else {
            out[i] = put(&columns[i].1, Packing::Plain)?;
        }
    }
    // The last of them may have saved so much that others need not.
    before.packed.clear();
    for (saved, i) in packed.into_iter().rev() {
        let (mark, column) = &columns[i];
        if size + saved <= most {
            size += saved;
            out[i] = put(column, Packing::Plain)?;
        } else {
            before.packed.push(*mark);
        }
    }
    before.holds_for = ALIKE;
    Ok(out)
}

/// Takes away the segments of columns that the form no longer has.
fn drop_others(app: &App, due: &Due) -> Result<usize> {
    let Some(parsed) = parsed(app, due)? else {
        return Ok(0);
    };
    drop_other_columns(app, &parsed)
}

/// Takes away the segments of columns that a form no longer has; how many jobs of the writer that took.
pub(in crate::ops) fn drop_other_columns(app: &App, parsed: &ParsedForm) -> Result<usize> {
    let form_no = parsed.form_no;
    let slots = app.store.read(|tx| segments::slots(tx, form_no))?;
    let mut all = 0;
    for (slot, name, mark) in slots {
        let mut own = parsed.columns().iter();
        if own.any(|column| column.name == name && column.mark == mark) {
            continue;
        }
        while app
            .store
            .write(move |tx| segments::drop_some(tx, form_no, slot, DROPPED))?
        {
            all += 1;
        }
    }
    Ok(all)
}

/// Leaves the processor to others while they write.
pub(in crate::ops) struct Pace {
    begun: Instant,
    writes: u64,
}

impl Pace {
    pub(in crate::ops) fn begin(app: &App) -> Self {
        Self {
            begun: Instant::now(),
            writes: app.store.writes(),
        }
    }

    fn has_taken(&self, time: Duration) -> bool {
        self.begun.elapsed() >= time
    }

    /// Rests, if some time has gone by in which others wrote.
    pub(in crate::ops) fn keep(&mut self, app: &App) -> Result<()> {
        if app.store.is_closed() {
            return Err(Error::Busy("the service is shutting down", 5));
        }
        if self.has_taken(LEAST) {
            if app.store.writes() != self.writes {
                // A read that had to wait is no reason to rest long.
                let took = self.begun.elapsed().min(Duration::from_millis(100));
                std::thread::sleep(took * REST);
            }
            *self = Self::begin(app);
        }
        Ok(())
    }
}
