//! Entries in the order of their answers to one question (contract section 11). One pass over the question's column
//! finds a page; nothing is kept. Blank answers come last in either direction.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::base::error::Result;
use crate::fields::filter::cond::Key;
use crate::fields::filter::subject::{Question, Subject};
use crate::fields::kind::AnswerOrder;
use crate::fields::values::Values;
use crate::model::bits::Bits;
use crate::model::entry::Entry;
use crate::model::serials::Serials;
use crate::query::as_read::Picker;
use crate::query::form_cache::Cache;
use crate::query::request::{EntrySet, Query};
use crate::query::segments::{Column, FirstKey, Segment};
use crate::query::tail_cache;
use crate::store::db::tx::Tx;
use crate::store::entries::Table;
use crate::store::entries::entry_scan::{self, RowHead};
use crate::store::entries::segments::{self, Unsealed};

/// More rows of a block than that are read in sequence rather than each by its serial.
const MAX_SINGLE_READS: usize = 400;
/// Bytes of a text that decide: as many as a cursor carries.
const TEXT_BYTES: usize = 200;

/// An answer as a list is sorted by it.
#[derive(Clone, Debug, PartialEq)]
pub enum Rank {
    Number(f64),
    /// The beginning of a folded text.
    Text(String),
    Blank,
}

/// The place of an entry in the list: its answer, and the serial number.
pub type AnswerPosition = (Rank, i64);

/// The order of a form's entries by one question.
pub struct AnswerList<'q> {
    cache: &'q Cache,
    tx: &'q Tx<'q>,
    set: EntrySet,
    query: &'q Query,
    question: Question,
    picker: Picker<'q>,
    /// The place of each choice, where choices are sorted.
    places: Option<HashMap<String, f64, foldhash::fast::FixedState>>,
    is_descending: bool,
}

impl<'q> AnswerList<'q> {
    /// `None` if the form has no such question, or a list can't be sorted by it.
    pub fn new(
        cache: &'q Cache,
        tx: &'q Tx<'q>,
        set: EntrySet,
        query: &'q Query,
        code: &str,
        is_descending: bool,
    ) -> Option<Self> {
        let fields = &query.parsed.definition.fields;
        let question = Question { place: fields.position(code)?, column: None };
        let field = fields.at(question.place)?;
        let places = match field.kind.answer_order()? {
            AnswerOrder::Key => None,
            AnswerOrder::Choices(codes) => Some((0_u32..).map(f64::from).zip(codes).map(|(at, it)| (it, at)).collect()),
        };
        let picker = Picker::new(&query.parsed, vec![&field.api_code]);
        Some(Self { cache, tx, set, query, question, picker, places, is_descending })
    }

    /// The position of an entry.
    pub fn position(&self, entry: &Entry) -> Result<AnswerPosition> {
        let values = self.picker.values(&entry.values, &self.query.parsed.cx(self.tx.now, false))?;
        Ok((self.rank_of(&values), entry.serial))
    }

    /// At most `limit` of these entries after a position, without the entry there; towards the end of the list, or
    /// backwards.
    pub fn page(
        &self,
        serials: &Serials,
        place: Option<&AnswerPosition>,
        is_back: bool,
        limit: usize,
    ) -> Result<Vec<AnswerPosition>> {
        let mut best = Best { list: self, place, is_back, limit, rows: Vec::new() };
        let subject = Subject::Question(self.question.clone());
        let column = self.query.parsed.columns().iter().find(|column| column.is_of(&subject));
        let unsealed = segments::unsealed(self.tx, self.set.form_no)?;
        let has_column = column.filter(|_| self.set.table == Table::Live);
        for (block, rows) in serials.blocks() {
            self.tx.check_deadline()?;
            let left = match has_column {
                Some(column) if segments::last_of(block) <= unsealed.after => {
                    self.of_sealed(column, block, rows, &mut best)?
                }
                Some(column) => self.of_tail(column, &unsealed, block, rows, &mut best)?,
                None => rows.clone(),
            };
            self.of_entries(block, &left, &mut best)?;
        }
        Ok(best.rows)
    }

    /// Offers the rows whose answers a sealed segment has; the others.
    fn of_sealed(&self, column: &Column, block: i64, rows: &Bits, best: &mut Best) -> Result<Bits> {
        let Some(slot) = segments::slot(self.tx, self.set.form_no, &column.name, column.mark)? else {
            return Ok(rows.clone());
        };
        let changes = segments::changes(self.tx, self.set.form_no, block)?;
        let changed = Bits::of(changes.iter().map(|change| segments::row_of(change.serial)));
        let known = rows.without(&changed);
        let offered = segments::with(self.tx, self.set.form_no, slot, block, |data| {
            Segment::read(data).and_then(|segment| self.of_segment(&segment, block, &known, best))
        })?;
        Ok(rows.without(&offered.flatten().unwrap_or_else(Bits::none)))
    }

    /// Offers the rows whose answers the cached segments of the newest entries have; the others.
    fn of_tail(&self, column: &Column, unsealed: &Unsealed, block: i64, rows: &Bits, best: &mut Best) -> Result<Bits> {
        let parsed = &self.query.parsed;
        let mut left = rows.clone();
        if !tail_cache::blocks(unsealed).contains(&block) {
            return Ok(left);
        }
        let tail = self.cache.tail.block(self.tx, self.set.form_no, parsed, &[column], unsealed, block)?;
        for piece in tail.iter().flat_map(|tail| tail.pieces(column)) {
            let known = left.and(&piece.live);
            let offered = piece.segment().and_then(|segment| self.of_segment(&segment, block, &known, best));
            left = left.without(&offered.unwrap_or_else(Bits::none));
        }
        Ok(left)
    }

    /// Offers those of these rows that a segment knows, and returns them; `None` if the segment is damaged.
    fn of_segment(&self, segment: &Segment, block: i64, rows: &Bits, best: &mut Best) -> Option<Bits> {
        let known = rows.without(segment.unknown());
        let serial = |row| segments::serial_of(block, row);
        segment.first_keys(&mut |row, key| {
            if known.has(row) {
                best.offer(self.rank(Some(key)), serial(row));
            }
        })?;
        for row in known.without(segment.filled()).iter() {
            best.offer(RankRef::Blank, serial(row));
        }
        Some(known)
    }

    /// Offers rows by reading their entries.
    fn of_entries(&self, block: i64, rows: &Bits, best: &mut Best) -> Result<()> {
        let EntrySet { form_no, table } = self.set;
        let cx = self.query.parsed.cx(self.tx.now, false);
        let count = rows.count();
        if count == 0 {
            return Ok(());
        }
        if count > MAX_SINGLE_READS {
            let mut take = |row: RowHead| {
                if rows.has(segments::row_of(row.serial)) {
                    let rank = self.rank_of(&self.picker.values(row.values, &cx)?);
                    best.offer(rank.as_ref(), row.serial);
                }
                Ok(ControlFlow::Continue(()))
            };
            let (after, upto) = (segments::last_of(block - 1), segments::last_of(block));
            let _ = entry_scan::scan_quickly(self.tx, table, form_no, after, upto, &mut take)?;
            return Ok(());
        }
        let serials: Vec<i64> = rows.iter().map(|row| segments::serial_of(block, row)).collect();
        for entry in entry_scan::by_serials(self.tx, table, form_no, &serials)? {
            let (rank, serial) = self.position(&entry)?;
            best.offer(rank.as_ref(), serial);
        }
        Ok(())
    }

    fn rank_of(&self, values: &Values) -> Rank {
        let cx = self.query.parsed.cx(self.tx.now, false);
        let cells = self.question.cells(&self.query.parsed.definition.fields, values, &cx);
        let first = cells.first().and_then(|keys| keys.first());
        let first = first.map(|key| match key {
            Key::Number(number) => FirstKey::Number(*number),
            Key::Text(text) | Key::Code(text) | Key::Label(text) => FirstKey::Text(text),
        });
        self.rank(first).to_owned()
    }

    fn rank<'k>(&self, key: Option<FirstKey<'k>>) -> RankRef<'k> {
        match (key, &self.places) {
            (None, _) => RankRef::Blank,
            // A removed choice comes after all others.
            (Some(FirstKey::Text(code)), Some(places)) => {
                RankRef::Number(places.get(code).copied().unwrap_or(f64::INFINITY))
            }
            (Some(FirstKey::Text(text)), None) => RankRef::Text(&text[..text.floor_char_boundary(TEXT_BYTES)]),
            (Some(FirstKey::Number(number)), _) => RankRef::Number(number),
        }
    }

    /// How two entries follow each other in the list.
    fn compare(&self, a: (RankRef, i64), b: (RankRef, i64)) -> Ordering {
        let by_blank = (a.0 == RankRef::Blank).cmp(&(b.0 == RankRef::Blank));
        let by_answer = match (a.0, b.0) {
            (RankRef::Number(a), RankRef::Number(b)) => a.total_cmp(&b),
            (RankRef::Text(a), RankRef::Text(b)) => a.cmp(b),
            // Formulas of one type give one sort of answers.
            _ => Ordering::Equal,
        };
        let ascending = by_answer.then(a.1.cmp(&b.1));
        by_blank.then(if self.is_descending { ascending.reverse() } else { ascending })
    }
}

/// A rank that is not copied until it is among the best.
#[derive(Clone, Copy, PartialEq)]
enum RankRef<'k> {
    Number(f64),
    Text(&'k str),
    Blank,
}

impl Rank {
    fn as_ref(&self) -> RankRef<'_> {
        match self {
            Self::Number(number) => RankRef::Number(*number),
            Self::Text(text) => RankRef::Text(text),
            Self::Blank => RankRef::Blank,
        }
    }
}

impl RankRef<'_> {
    fn to_owned(self) -> Rank {
        match self {
            Self::Number(number) => Rank::Number(number),
            Self::Text(text) => Rank::Text(text.to_owned()),
            Self::Blank => Rank::Blank,
        }
    }
}

/// The first of the entries that were offered, in the order in which they are read.
struct Best<'b> {
    list: &'b AnswerList<'b>,
    place: Option<&'b AnswerPosition>,
    is_back: bool,
    limit: usize,
    rows: Vec<AnswerPosition>,
}

impl Best<'_> {
    fn offer(&mut self, rank: RankRef, serial: i64) {
        let to = |(other, other_serial): &AnswerPosition| {
            let order = self.list.compare((rank, serial), (other.as_ref(), *other_serial));
            if self.is_back { order.reverse() } else { order }
        };
        if self.place.is_some_and(|place| to(place).is_le()) {
            return;
        }
        let is_full = self.rows.len() >= self.limit;
        if is_full && self.rows.last().is_none_or(|last| to(last).is_ge()) {
            return;
        }
        let at = self.rows.partition_point(|row| to(row).is_gt());
        self.rows.insert(at, (rank.to_owned(), serial));
        self.rows.truncate(self.limit);
    }
}
