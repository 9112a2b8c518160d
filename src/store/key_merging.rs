//! One step of merging runs of exact keys: the next keys of all of them go over to the end of another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::vec::IntoIter;

use bumpalo::Bump;
use rusqlite::Connection;

use crate::store::key_blocks::{self, BLOCK, LEAST, Lent, lent};

/// So many keys are merged at once: each time every run is looked into.
pub const PIECE: usize = if cfg!(test) { 32 } else { 4096 };
/// The same where merging has fallen behind.
pub const LARGEST_PIECE: usize = 4 * PIECE;
/// Blocks that are read for a piece, at most, besides the first ones of each run: where blocks are short, a step ends
/// with fewer keys.
pub const BLOCKS: usize = if cfg!(test) { 16 } else { 96 };

/// Takes up to so many keys of runs over to the end of another; how many, and whether there are no more.
///
/// # Errors
/// SQLite's.
pub fn take_over(
    connection: &Connection,
    runs: &[i64],
    into: i64,
    limit: usize,
) -> rusqlite::Result<(usize, bool)> {
    let texts = Bump::new();
    let last = key_blocks::last(connection, into)?;
    let (mut sources, mut firsts) = (Vec::with_capacity(runs.len()), BinaryHeap::new());
    // What each of them will give, about.
    let ahead = (limit.min(PIECE) / BLOCK / runs.len().max(1)).max(1);
    let most = BLOCKS.max(BLOCKS * limit / PIECE);
    for (nth, run) in runs.iter().enumerate() {
        let mut source = Source::of(*run, last.as_ref().map(lent));
        source.read(connection, &texts, ahead)?;
        let first = source.next(connection, &texts)?;
        firsts.extend(first.map(|key| Reverse((key, nth))));
        sources.push(source);
    }
    let mut next: Vec<Lent> = Vec::new();
    let mut blocks = 0;
    while next.len() < limit
        && blocks < most
        && let Some(mut first) = firsts.peek_mut()
    {
        let Reverse((key, nth)) = *first;
        let Some(source) = sources.get_mut(nth) else {
            break;
        };
        let before = source.blocks.len();
        match source.next(connection, &texts)? {
            Some(follower) => *first = Reverse((follower, nth)),
            None => drop(PeekMut::pop(first)),
        }
        blocks += source.blocks.len() - before;
        // A run that was not filled to its end has what a later one has again.
        if next.last() != Some(&key) {
            next.push(key);
        }
    }
    let is_all = firsts.is_empty();
    let mut blocks: Vec<&[Lent]> = key_blocks::cut(&next).collect();
    // The last one may become longer: it waits for what comes next.
    if !is_all && blocks.len() > 1 {
        blocks.pop();
    }
    for block in &blocks {
        key_blocks::write(connection, into, block)?;
    }
    let written = blocks.last().and_then(|block| block.last());
    // Of which only a part was taken over, that stays.
    for (id, last) in sources.iter().flat_map(|source| &source.blocks) {
        if is_all || written.is_some_and(|written| last <= written) {
            key_blocks::drop_one(connection, *id)?;
        }
    }
    Ok((next.len(), is_all))
}

/// A run whose keys are taken over.
struct Source<'t> {
    run: i64,
    /// All up to this one were before.
    last: Option<Lent<'t>>,
    /// What was read and not yet taken.
    ahead: IntoIter<Lent<'t>>,
    /// The blocks that were read, each with its last key.
    blocks: Vec<(i64, Lent<'t>)>,
    /// Where the last of them begins.
    upto: Lent<'t>,
    is_all: bool,
}

impl<'t> Source<'t> {
    fn of(run: i64, last: Option<Lent<'t>>) -> Self {
        Self {
            run,
            last,
            ahead: Vec::new().into_iter(),
            blocks: Vec::new(),
            upto: LEAST,
            is_all: false,
        }
    }

    /// The next key.
    fn next(
        &mut self,
        connection: &Connection,
        texts: &'t Bump,
    ) -> rusqlite::Result<Option<Lent<'t>>> {
        loop {
            let last = self.last;
            let next = self.ahead.find(|key| last.is_none_or(|last| *key > last));
            if next.is_some() || self.is_all {
                return Ok(next);
            }
            self.read(connection, texts, 1)?;
        }
    }

    fn read(
        &mut self,
        connection: &Connection,
        texts: &'t Bump,
        blocks: usize,
    ) -> rusqlite::Result<()> {
        let read = key_blocks::read(connection, texts, self.run, self.upto, blocks)?;
        (self.ahead, self.is_all) = (read.keys.into_iter(), read.is_all);
        self.upto = read.last.unwrap_or(self.upto);
        self.blocks.extend(read.blocks);
        Ok(())
    }
}
