//! The newest entries, which no block is full of yet: what filters look at of them, kept in memory as small
//! segments, each of the entries that came since the one before. It is a cache of what one snapshot of the
//! database said, and is used for as long as another snapshot says that nothing of it has changed.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex};

use crate::base::error::{Error, Result};
use crate::fields::columns::{Bits, Column, Packing, Sealer, Segment};
use crate::fields::stored;
use crate::ops::cache::ParsedForm;
use crate::store::entries::Shelf;
use crate::store::entry_scan::{self, Glimpse};
use crate::store::segments::{self, Unsealed};
use crate::store::tx::Tx;

/// So few entries are looked at one by one.
const FEW: i64 = 64;
/// Where more blocks than these wait to be sealed, they soon are.
const BLOCKS: i64 = 2;
/// What all that is kept may come to.
const MOST: usize = 8 << 20;
/// What the keys of one piece may come to; of entries beyond that, nothing is kept.
const ROOM: usize = 2 << 20;

/// One column of a block that is not full: by form, block, and the column's mark.
type Name = (i64, i64, i64);

/// What is kept of all forms.
#[derive(Default)]
pub struct Newest {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    columns: HashMap<Name, Known>,
    uses: u64,
}

#[derive(Clone)]
struct Known {
    changes: i64,
    pieces: Vec<Arc<Piece>>,
    used: u64,
}

/// One column of some entries that follow each other.
pub struct Piece {
    /// The last of their serials.
    upto: i64,
    /// Those that are there.
    pub live: Bits,
    data: Vec<u8>,
}

impl Piece {
    /// What it says; none where nothing can be said.
    pub fn segment(&self) -> Option<Segment<'_>> {
        Segment::read(&self.data)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.data.capacity()
    }
}

/// Some columns of the newest entries of one block.
pub struct Pieces {
    /// The last serial that all of them reach.
    pub upto: i64,
    /// The rows that are there up to it.
    pub live: Bits,
    columns: HashMap<i64, Vec<Arc<Piece>>>,
}

impl Pieces {
    /// The pieces of a column.
    pub fn of(&self, column: &Column) -> &[Arc<Piece>] {
        self.columns.get(&column.mark).map_or(&[], Vec::as_slice)
    }
}

/// The blocks whose entries are better asked together; none where there are few, or too many.
pub fn blocks(unsealed: &Unsealed) -> Range<i64> {
    let first = segments::block_of(unsealed.after + 1);
    let last = segments::block_of(unsealed.upto);
    let are_few = unsealed.upto - unsealed.after < FEW;
    if are_few || last - first >= BLOCKS {
        return first..first;
    }
    first..last + 1
}

impl Newest {
    /// These columns of a block's entries, made now as far as they are not known. None where there are so
    /// few that this is not worth while.
    pub fn of(
        &self,
        tx: &Tx,
        form_no: i64,
        parsed: &ParsedForm,
        columns: &[&Column],
        unsealed: &Unsealed,
        block: i64,
    ) -> Result<Option<Pieces>> {
        let upto = unsealed.upto.min(segments::last_of(block));
        let mut out = Pieces {
            upto,
            live: Bits::none(),
            columns: HashMap::new(),
        };
        let mut lacking: Vec<(&Column, i64)> = Vec::new();
        for column in columns {
            let name = (form_no, block, column.mark);
            let pieces = self.known(name, unsealed.changes, upto);
            let end = end_of(&pieces, block);
            if upto - end >= FEW {
                lacking.push((*column, end));
            } else {
                out.upto = out.upto.min(end);
            }
            out.columns.insert(column.mark, pieces);
        }
        // Those that reach equally far are made in one walk.
        while let Some((_, end)) = lacking.first().copied() {
            let (same, others): (Vec<_>, Vec<_>) = lacking.into_iter().partition(|it| it.1 == end);
            lacking = others;
            let same: Vec<&Column> = same.into_iter().map(|(column, _)| column).collect();
            let made = make(tx, form_no, parsed, &same, (end, upto))?;
            for (column, piece) in same.iter().zip(made) {
                let piece = Arc::new(piece);
                if let Some(pieces) = out.columns.get_mut(&column.mark) {
                    pieces.push(Arc::clone(&piece));
                    let name = (form_no, block, column.mark);
                    self.keep(name, unsealed.changes, pieces);
                }
            }
        }
        let Some(first) = columns.first() else {
            return Ok(None);
        };
        if out.upto < segments::serial_of(block, 0) {
            return Ok(None);
        }
        let all = out
            .of(first)
            .iter()
            .fold(Bits::none(), |all, piece| all.or(&piece.live));
        out.live = all.and(&Bits::upto(segments::row_of(out.upto)));
        Ok(Some(out))
    }

    /// What is known of a column up to a serial, while nothing changed.
    fn known(&self, name: Name, changes: i64, upto: i64) -> Vec<Arc<Piece>> {
        let Ok(mut kept) = self.kept.lock() else {
            return Vec::new();
        };
        kept.uses += 1;
        let uses = kept.uses;
        match kept.columns.get_mut(&name) {
            Some(known) if known.changes == changes => {
                known.used = uses;
                // Of what a later snapshot knows, this one takes what it can see.
                let seen = known.pieces.iter().take_while(|piece| piece.upto <= upto);
                seen.cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    fn keep(&self, name: Name, changes: i64, pieces: &[Arc<Piece>]) {
        let Ok(mut kept) = self.kept.lock() else {
            return;
        };
        kept.uses += 1;
        let used = kept.uses;
        let is_newer = |known: &Known| {
            let ends = (known.pieces.last(), pieces.last());
            let reaches = matches!(ends, (Some(old), Some(new)) if old.upto >= new.upto);
            known.changes > changes || (known.changes == changes && reaches)
        };
        if kept.columns.get(&name).is_some_and(is_newer) {
            return;
        }
        let known = Known {
            changes,
            pieces: pieces.to_vec(),
            used,
        };
        kept.columns.insert(name, known);
        kept.shrink();
    }
}

impl Kept {
    /// Forgets what was not used for longest until what is left is small enough.
    fn shrink(&mut self) {
        let size = |known: &Known| known.pieces.iter().map(|piece| piece.size()).sum::<usize>();
        let mut all: usize = self.columns.values().map(size).sum();
        while all > MOST {
            let oldest = self.columns.iter().min_by_key(|(_, known)| known.used);
            let Some(name) = oldest.map(|(name, _)| *name) else {
                return;
            };
            all -= self.columns.remove(&name).as_ref().map_or(0, size);
        }
    }
}

/// The last serial that pieces of a block reach.
fn end_of(pieces: &[Arc<Piece>], block: i64) -> i64 {
    let before = segments::last_of(block - 1);
    pieces.last().map_or(before, |piece| piece.upto)
}

/// Looks at the entries above a serial and up to another, all of one block.
fn make(
    tx: &Tx,
    form_no: i64,
    parsed: &ParsedForm,
    columns: &[&Column],
    (after, upto): (i64, i64),
) -> Result<Vec<Piece>> {
    let fields = &parsed.definition.fields;
    let mut codes: Vec<&str> = columns.iter().filter_map(|it| it.code(fields)).collect();
    codes.dedup();
    let mut live = Bits::none();
    let mut sealers: Vec<Sealer> = columns.iter().map(|_| Sealer::default()).collect();
    let cx = parsed.cx(tx.now, false);
    let mut take = |row: Glimpse| {
        tx.go_on()?;
        let values = stored::pick(row.values, &codes).map_err(Error::internal)?;
        let (entry, place) = (row.head(), segments::row_of(row.serial));
        live.add(place);
        for (column, sealer) in columns.iter().zip(&mut sealers) {
            let room = ROOM.saturating_sub(sealer.size());
            sealer.add(place, &column.cells(fields, &entry, &values, &cx), room);
        }
        Ok(ControlFlow::Continue(()))
    };
    let _ = entry_scan::scan_quickly(tx, Shelf::Live, form_no, after, upto, &mut take)?;
    let made = sealers.into_iter().map(|sealer| Piece {
        upto,
        live: live.clone(),
        data: sealer.seal(Packing::Plain),
    });
    Ok(made.collect())
}
