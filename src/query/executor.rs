//! Runs a plan: unique index, segments, tail and scan. All agree with `Filter::holds` for every entry, within one
//! transaction; entries that segments don't know (changed since, not sealed yet, too long) are evaluated themselves.

use crate::base::error::Result;
use crate::model::bits::Bits;
use crate::model::serials::Serials;
use crate::query::exact;
use crate::query::form_cache::Cache;
use crate::query::planner::{ColumnSlot, Plan, Step};
use crate::query::request::{EntrySet, Query};
use crate::query::scan::Scan;
use crate::query::segments::{Column, Segment};
use crate::query::tail_cache::{self, TailBlock};
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, segments};

// More rows of a block than that are read in sequence rather than each by its serial.
const MAX_SINGLE_READS: usize = 400;

/// The serials of all entries that match.
pub fn matching(cache: &Cache, tx: &Tx, set: EntrySet, query: &Query) -> Result<Serials> {
    if set.table == Table::Live {
        if let Some(few) = exact::matching(cache, tx, set.form_no, query)? {
            return Ok(few);
        }
        return Plan::new(cache, tx, set.form_no, query)?.run();
    }
    // The trash has neither segments nor keys.
    let mut out = Serials::default();
    Scan::new(cache, tx, set, query).range((0, i64::MAX), &mut |serial| out.insert(serial))?;
    Ok(out)
}

/// Whether an entry matches.
pub fn is_matching(cache: &Cache, tx: &Tx, set: EntrySet, query: &Query, serial: i64) -> Result<bool> {
    let mut matches = false;
    Scan::new(cache, tx, set, query).serials(&[serial], &mut |_| matches = true)?;
    Ok(matches)
}

/// Location of the segments of a block.
#[derive(Clone, Copy)]
enum Source<'s> {
    /// In the database.
    Sealed(i64),
    /// In memory: the block is not full yet.
    Tail(&'s TailBlock),
}

/// Result of one step, or of all of them, for the rows of a block.
struct RowResult {
    matching: Bits,
    unknown: Bits,
}

impl RowResult {
    fn all_unknown() -> Self {
        Self { matching: Bits::none(), unknown: Bits::all() }
    }
}

impl Plan<'_> {
    /// The serials of all entries that match.
    pub fn run(&self) -> Result<Serials> {
        let mut out = Serials::default();
        let mut upto = self.unsealed.after;
        if upto > 0 {
            for block in 0..=segments::block_of(upto) {
                self.tx.check_deadline()?;
                let rows = self.sealed_block(block)?;
                if !rows.is_empty() {
                    out.set_block(block, rows);
                }
            }
        }
        for block in tail_cache::blocks(&self.unsealed) {
            let Some((rows, reached)) = self.tail_block(block)? else {
                break;
            };
            out.set_block(block, rows);
            upto = reached;
            if upto < segments::last_of(block) {
                break;
            }
        }
        self.scan().range((upto, i64::MAX), &mut |serial| out.insert(serial))?;
        Ok(out)
    }

    fn scan(&self) -> Scan<'_> {
        let set = EntrySet { form_no: self.form_no, table: Table::Live };
        Scan::new(self.cache, self.tx, set, self.query)
    }

    /// The rows of a full block that match.
    fn sealed_block(&self, block: i64) -> Result<Bits> {
        let Some(live) = segments::live(self.tx, self.form_no, block)? else {
            return self.scan_rows(block, &Bits::all());
        };
        let changes = segments::changes(self.tx, self.form_no, block)?;
        let changed = Bits::of(changes.iter().map(|change| segments::row_of(change.serial)));
        let result = self.evaluate(Source::Sealed(block), block, live.without(&changed))?;
        let scanned = self.scan_rows(block, &result.unknown.or(&changed))?;
        Ok(result.matching.or(&scanned))
    }

    /// The rows of a block in the tail that match, and the last serial that was evaluated; `None` where a scan is
    /// better.
    fn tail_block(&self, block: i64) -> Result<Option<(Bits, i64)>> {
        let columns = self.steps.iter().flat_map(Step::columns);
        let columns: Option<Vec<&Column>> = columns.map(|it| it.column).collect();
        let parsed = &self.query.parsed;
        let columns = match columns {
            None => return Ok(None),
            // Which entries are live is known from any column.
            Some(none) if none.is_empty() => parsed.columns().last().into_iter().collect(),
            Some(columns) => columns,
        };
        let tail = self.cache.tail.block(self.tx, self.form_no, parsed, &columns, &self.unsealed, block)?;
        let Some(tail) = tail else {
            return Ok(None);
        };
        let result = self.evaluate(Source::Tail(&tail), block, tail.live.clone())?;
        let rows = result.matching.or(&self.scan_rows(block, &result.unknown)?);
        Ok(Some((rows, tail.upto)))
    }

    /// Result of all steps for these rows.
    fn evaluate(&self, source: Source, block: i64, rows: Bits) -> Result<RowResult> {
        let (mut left, mut unknown) = (rows, Bits::none());
        for step in &self.steps {
            if left.is_empty() {
                break;
            }
            let result = self.evaluate_step(step, source, block, &left)?;
            left = left.and(&result.matching.or(&result.unknown));
            unknown = unknown.or(&result.unknown.without(&result.matching));
        }
        let unknown = left.and(&unknown);
        Ok(RowResult { matching: left.without(&unknown), unknown })
    }

    /// Result of one step for the rows that are left.
    fn evaluate_step(&self, step: &Step, source: Source, block: i64, left: &Bits) -> Result<RowResult> {
        match step {
            Step::Serial(cond) => {
                let serials = Segment::counting_from(segments::serial_of(block, 0));
                let matching = serials.ask(cond);
                Ok(matching
                    .map_or_else(RowResult::all_unknown, |matching| RowResult { matching, unknown: Bits::none() }))
            }
            Step::Column(column, conds) => self.ask_segments(column, source, |segment| {
                let mut matching = segment.unknown().inverted();
                for cond in conds {
                    matching = matching.and(&segment.ask(cond)?);
                }
                Some(matching)
            }),
            Step::AnyOf(columns, cond) => {
                let mut all = RowResult { matching: Bits::none(), unknown: Bits::none() };
                for column in columns {
                    if left.without(&all.matching).is_empty() {
                        break;
                    }
                    let result = self.ask_segments(column, source, |segment| segment.ask(cond))?;
                    all.matching = all.matching.or(&result.matching);
                    all.unknown = all.unknown.or(&result.unknown);
                }
                all.unknown = all.unknown.without(&all.matching);
                Ok(all)
            }
            Step::OneOf(steps) => {
                let mut all = RowResult { matching: Bits::none(), unknown: Bits::none() };
                for step in steps {
                    let result = self.evaluate_step(step, source, block, left)?;
                    all.matching = all.matching.or(&result.matching);
                    all.unknown = all.unknown.or(&result.unknown);
                }
                all.unknown = all.unknown.without(&all.matching);
                Ok(all)
            }
            Step::Link(column, linked) => self.ask_segments(column, source, |segment| {
                let mut matching = if linked.holds_for_none { Bits::all() } else { Bits::none() };
                for (row, serial) in segment.numbers()? {
                    // The number was a whole one below 2^32 when it was stored.
                    let serial = serial as i64;
                    let holds = if linked.live.contains(serial) {
                        linked.matching.contains(serial)
                    } else {
                        linked.holds_for_none
                    };
                    if holds {
                        matching.add(row);
                    } else {
                        matching.remove(row);
                    }
                }
                Some(matching)
            }),
        }
    }

    /// The rows for which `ask` holds in the segments of a column. Where there is none or it is damaged, all rows are
    /// unknown.
    fn ask_segments(
        &self,
        column: &ColumnSlot,
        source: Source,
        ask: impl Fn(&Segment) -> Option<Bits>,
    ) -> Result<RowResult> {
        let ask = |segment: Segment| {
            Some(RowResult { matching: ask(&segment)?.without(segment.unknown()), unknown: segment.unknown().clone() })
        };
        match (source, column.slot, column.column) {
            (Source::Sealed(block), Some(slot), _) => {
                let result =
                    segments::with(self.tx, self.form_no, slot, block, |data| Segment::read(data).and_then(ask))?;
                Ok(result.flatten().unwrap_or_else(RowResult::all_unknown))
            }
            (Source::Tail(tail), _, Some(column)) => {
                let mut all = RowResult { matching: Bits::none(), unknown: Bits::none() };
                for piece in tail.pieces(column) {
                    let result = piece.segment().and_then(ask);
                    let result = result.unwrap_or_else(RowResult::all_unknown);
                    all.matching = all.matching.or(&result.matching.and(&piece.live));
                    all.unknown = all.unknown.or(&result.unknown.and(&piece.live));
                }
                Ok(all)
            }
            _ => Ok(RowResult::all_unknown()),
        }
    }

    /// Evaluates the entries themselves: returns those of these rows that are live and match.
    fn scan_rows(&self, block: i64, rows: &Bits) -> Result<Bits> {
        let mut out = Bits::none();
        let mut add = |serial| out.add(segments::row_of(serial));
        if rows.count() > MAX_SINGLE_READS {
            let range = (segments::last_of(block - 1), segments::last_of(block));
            self.scan().range(range, &mut add)?;
            return Ok(out.and(rows));
        }
        let serials: Vec<i64> = rows.iter().map(|row| segments::serial_of(block, row)).collect();
        self.scan().serials(&serials, &mut add)?;
        Ok(out)
    }
}
