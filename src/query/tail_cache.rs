//! In-memory segments of the tail: the newest entries, which fill no block yet. Each piece covers the entries added
//! since the one before it. A piece is valid while the form's count of changes in the tail stays the same.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex};

use crate::base::error::{Error, Result};
use crate::model::bits::Bits;
use crate::query::form_cache::ParsedForm;
use crate::query::segments::{Collector, Column, Packing, Segment, SizeLimits};
use crate::store::db::tx::Tx;
use crate::store::entries::Table;
use crate::store::entries::entry_scan::{self, RowHead};
use crate::store::entries::segments::{self, Unsealed};

/// Fewer entries are scanned.
const MIN_ENTRIES: i64 = 64;
/// If more blocks than these are not sealed, they soon will be.
const MAX_BLOCKS: i64 = 2;
/// Bytes of all pieces.
const MAX_BYTES: usize = 8 << 20;
/// Limits of one piece.
const LIMITS: SizeLimits = SizeLimits { column: 2 << 20, block: usize::MAX };

/// A column of a block: form number, block, and the column's mark.
type Key = (i64, i64, i64);

/// The pieces of all forms.
#[derive(Default)]
pub struct TailCache {
    kept: Mutex<CachedColumns>,
}

#[derive(Default)]
struct CachedColumns {
    columns: HashMap<Key, KeptColumn>,
    uses: u64,
}

struct KeptColumn {
    changes: i64,
    pieces: Vec<Arc<ColumnPiece>>,
    last_use: u64,
}

/// One column of some consecutive entries.
pub struct ColumnPiece {
    /// The last of their serials.
    upto: i64,
    /// The rows that are live.
    pub live: Bits,
    data: Vec<u8>,
}

impl ColumnPiece {
    /// Its segment.
    pub fn segment(&self) -> Option<Segment<'_>> {
        Segment::read(&self.data)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.data.capacity()
    }
}

/// Some columns of one block of the tail.
pub struct TailBlock {
    /// The last serial that all of them reach.
    pub upto: i64,
    /// The rows that are live up to it.
    pub live: Bits,
    columns: HashMap<i64, Vec<Arc<ColumnPiece>>>,
}

impl TailBlock {
    /// The pieces of a column.
    pub fn pieces(&self, column: &Column) -> &[Arc<ColumnPiece>] {
        self.columns.get(&column.mark).map_or(&[], Vec::as_slice)
    }
}

/// The blocks of the tail; none if it has so few entries, or so many, that they are scanned.
pub fn blocks(unsealed: &Unsealed) -> Range<i64> {
    let first = segments::block_of(unsealed.after + 1);
    let last = segments::block_of(unsealed.upto);
    let is_short = unsealed.upto - unsealed.after < MIN_ENTRIES;
    if is_short || last - first >= MAX_BLOCKS {
        return first..first;
    }
    first..last + 1
}

impl TailCache {
    /// These columns of a block, from the cache as far as it has them; `None` if it has none and there are too few
    /// entries.
    pub fn block(
        &self,
        tx: &Tx,
        form_no: i64,
        parsed: &ParsedForm,
        columns: &[&Column],
        unsealed: &Unsealed,
        block: i64,
    ) -> Result<Option<TailBlock>> {
        let upto = unsealed.upto.min(segments::last_of(block));
        let mut out = TailBlock { upto, live: Bits::none(), columns: HashMap::new() };
        let mut lacking: Vec<(&Column, i64)> = Vec::new();
        for column in columns {
            let pieces = self.get((form_no, block, column.mark), unsealed.changes, upto);
            let end = pieces.last().map_or(segments::last_of(block - 1), |piece| piece.upto);
            if upto - end >= MIN_ENTRIES {
                lacking.push((*column, end));
            } else {
                out.upto = out.upto.min(end);
            }
            out.columns.insert(column.mark, pieces);
        }
        // Columns that reach equally far are collected in one scan.
        while let Some((_, end)) = lacking.first().copied() {
            let (same, others): (Vec<_>, Vec<_>) = lacking.into_iter().partition(|it| it.1 == end);
            lacking = others;
            let same: Vec<&Column> = same.into_iter().map(|(column, _)| column).collect();
            let collected = collect(tx, form_no, parsed, &same, (end, upto))?;
            for (column, piece) in same.iter().zip(collected) {
                if let Some(pieces) = out.columns.get_mut(&column.mark) {
                    pieces.push(Arc::new(piece));
                    self.put((form_no, block, column.mark), unsealed.changes, pieces);
                }
            }
        }
        let Some(first) = columns.first() else {
            return Ok(None);
        };
        if out.upto < segments::serial_of(block, 0) {
            return Ok(None);
        }
        let live = out.pieces(first).iter().fold(Bits::none(), |all, piece| all.or(&piece.live));
        out.live = live.and(&Bits::upto(segments::row_of(out.upto)));
        Ok(Some(out))
    }

    /// The pieces of a column that this snapshot can see.
    fn get(&self, key: Key, changes: i64, upto: i64) -> Vec<Arc<ColumnPiece>> {
        let Ok(mut kept) = self.kept.lock() else {
            return Vec::new();
        };
        kept.uses += 1;
        let uses = kept.uses;
        match kept.columns.get_mut(&key) {
            Some(column) if column.changes == changes => {
                column.last_use = uses;
                let seen = column.pieces.iter().take_while(|piece| piece.upto <= upto);
                seen.cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Keeps the pieces of a column, unless it has those of a later snapshot.
    fn put(&self, key: Key, changes: i64, pieces: &[Arc<ColumnPiece>]) {
        let Ok(mut kept) = self.kept.lock() else {
            return;
        };
        kept.uses += 1;
        let last_use = kept.uses;
        let is_newer = |column: &KeptColumn| {
            let ends = (column.pieces.last(), pieces.last());
            let reaches = matches!(ends, (Some(old), Some(new)) if old.upto >= new.upto);
            column.changes > changes || (column.changes == changes && reaches)
        };
        if kept.columns.get(&key).is_some_and(is_newer) {
            return;
        }
        let column = KeptColumn { changes, pieces: pieces.to_vec(), last_use };
        kept.columns.insert(key, column);
        kept.shrink();
    }
}

impl CachedColumns {
    /// Drops the least recently used columns until the rest is small enough.
    fn shrink(&mut self) {
        let size = |column: &KeptColumn| column.pieces.iter().map(|it| it.size()).sum::<usize>();
        let mut total: usize = self.columns.values().map(size).sum();
        while total > MAX_BYTES {
            let oldest = self.columns.iter().min_by_key(|(_, it)| it.last_use);
            let Some(key) = oldest.map(|(key, _)| *key) else {
                return;
            };
            total -= self.columns.remove(&key).as_ref().map_or(0, size);
        }
    }
}

/// Collects columns of the entries above a serial and up to another, all of one block.
fn collect(
    tx: &Tx,
    form_no: i64,
    parsed: &ParsedForm,
    columns: &[&Column],
    (after, upto): (i64, i64),
) -> Result<Vec<ColumnPiece>> {
    let mut collector = Collector::new(&parsed.definition.fields, columns, LIMITS);
    let cx = parsed.cx(tx.now, false);
    let mut take = |row: RowHead| {
        tx.check_deadline()?;
        collector.add(segments::row_of(row.serial), &row.head(), row.values, &cx).map_err(Error::internal)?;
        Ok(ControlFlow::Continue(()))
    };
    let _ = entry_scan::scan_quickly(tx, Table::Live, form_no, after, upto, &mut take)?;
    let live = collector.live().clone();
    let pieces =
        collector.finish().map(|sealer| ColumnPiece { upto, live: live.clone(), data: sealer.seal(Packing::Plain) });
    Ok(pieces.collect())
}
