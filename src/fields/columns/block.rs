//! The columns of one block while its entries are looked through. Each value is looked at as JSON text: what
//! that tells is not parsed, and what comes again is not made again. All else is asked of the column, so that
//! a segment has what [`Column::cells`] says.

use std::collections::HashMap;

use crate::base::clock::Time;
use crate::base::known::Known;
use crate::base::text;
use crate::fields::Fields;
use crate::fields::columns::batch::{Batch, Waiting};
use crate::fields::columns::bits::Bits;
use crate::fields::columns::cells::{self, NUMBER_SIZE, Variant};
use crate::fields::columns::list::Column;
use crate::fields::columns::seal::Sealer;
use crate::fields::kind::{Cx, Plain};
use crate::fields::unparsed::{self, Told};
use crate::fields::values::Values;
use crate::model::entry::Entry;

/// What may be kept of values that come again, in bytes, for all columns together.
const KEPT: usize = 4 << 20;

/// How many bytes of keys are taken: what goes beyond is only noted as something that the segment doesn't
/// know.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Of one column.
    pub column: usize,
    /// Of all columns together.
    pub block: usize,
}

/// What values of a form came to, by the mark of their column: for the block that is next.
#[derive(Default)]
pub struct Remembered(HashMap<i64, Known<Vec<u8>>>);

/// Some columns of a block: rows wait for others, then columns take their values one column after the other.
pub struct Block<'c> {
    fields: &'c Fields,
    live: Bits,
    /// The rows that were not yet given to the columns.
    batch: Batch,
    columns: Vec<Filling<'c>>,
    /// Which of them are of the field at a place.
    of_place: Vec<Vec<usize>>,
    /// Which are of none.
    of_rows: Vec<usize>,
    /// The keys of a moment take long to make, and neighbours often share theirs.
    moment: Option<(Time, Vec<u8>)>,
    room: Room,
}

struct Filling<'c> {
    column: &'c Column,
    plain: Option<Plain>,
    known: Known<Vec<u8>>,
    sealer: Sealer,
}

impl<'c> Block<'c> {
    /// Of no row so far.
    pub fn new(
        fields: &'c Fields,
        columns: &[&'c Column],
        room: Room,
        mut remembered: Remembered,
    ) -> Self {
        let mut of_place = vec![Vec::new(); fields.len()];
        let mut of_rows = Vec::new();
        for (i, column) in columns.iter().enumerate() {
            match column.place().and_then(|place| of_place.get_mut(place)) {
                Some(columns) => columns.push(i),
                None => of_rows.push(i),
            }
        }
        let kept = KEPT / columns.len().max(1);
        let columns = columns.iter().map(|column| Filling {
            column,
            plain: column.plain(fields),
            known: remembered
                .0
                .remove(&column.mark)
                .unwrap_or_else(|| Known::new(kept)),
            sealer: Sealer::default(),
        });
        Self {
            fields,
            live: Bits::none(),
            batch: Batch::new(fields),
            columns: columns.collect(),
            of_place,
            of_rows,
            moment: None,
            room,
        }
    }

    /// Adds a row; rows come in order. `entry` need not have the values, which are given as JSON text.
    ///
    /// # Errors
    /// When the stored text is not the JSON object that it was written as, of this row or of one before it; the
    /// block is of no use then.
    pub fn add(
        &mut self,
        row: usize,
        entry: Entry,
        stored: &str,
        cx: &Cx,
    ) -> Result<(), serde_json::Error> {
        self.live.add(row);
        self.batch.add(self.fields, row, entry, stored)?;
        if self.batch.is_full() {
            self.take_batch(cx)?;
        }
        Ok(())
    }

    /// Gives the rows that wait to one column after the other.
    fn take_batch(&mut self, cx: &Cx) -> Result<(), serde_json::Error> {
        let Self {
            fields,
            columns,
            batch,
            room,
            ..
        } = self;
        for (place, own) in self.of_place.iter().enumerate() {
            if own.is_empty() {
                continue;
            }
            for (row, entry, value) in batch.values(place) {
                let mut parsed = None;
                for i in own {
                    columns[*i].add(fields, (row, place), value, &mut parsed, entry, cx, room)?;
                }
            }
        }
        for (row, entry) in batch.entries() {
            for i in &self.of_rows {
                let Filling { column, sealer, .. } = &mut columns[*i];
                let write = || {
                    let cells = column.cells(fields, entry, &Values::new(), cx);
                    let mut written = Vec::new();
                    cells::write(&cells, &mut written);
                    written
                };
                let written = match column.moment(entry) {
                    None => &write(),
                    Some(at) => match &mut self.moment {
                        Some((known, written)) if *known == at => written,
                        other => &other.insert((at, write())).1,
                    },
                };
                within(room, sealer, |sealer, room| {
                    sealer.add_written(row, written, room);
                });
            }
        }
        batch.clear();
        Ok(())
    }

    /// The rows that were added.
    pub fn live(&self) -> &Bits {
        &self.live
    }

    /// What was collected of each column, in the order they were given, and what the next block of the form
    /// can make use of.
    ///
    /// # Errors
    /// Those of [`Block::add`].
    pub fn finish(mut self, cx: &Cx) -> Result<(Vec<Sealer>, Remembered), serde_json::Error> {
        self.take_batch(cx)?;
        let mut remembered = Remembered::default();
        let sealers = self.columns.into_iter().map(|it| {
            remembered.0.insert(it.column.mark, it.known);
            it.sealer
        });
        Ok((sealers.collect(), remembered))
    }
}

impl Filling<'_> {
    /// Adds the keys of a value. It is parsed at most once for all columns of its field.
    #[expect(clippy::too_many_arguments, reason = "all of it is of one row")]
    fn add(
        &mut self,
        fields: &Fields,
        (row, place): (usize, usize),
        value: Waiting,
        parsed: &mut Option<Values>,
        entry: &Entry,
        cx: &Cx,
        room: &mut Room,
    ) -> Result<(), serde_json::Error> {
        let sealer = &mut self.sealer;
        let Waiting { json, may_escape } = value;
        match unparsed::told(self.plain, json, may_escape) {
            Some(Told::Number(number)) => {
                if let Some(number) = number.parse().ok().filter(|it: &f64| it.is_finite()) {
                    within(room, sealer, |sealer, room| {
                        sealer.add_number(row, number, room);
                    });
                    return Ok(());
                }
            }
            Some(Told::Code(text)) => {
                within(room, sealer, |sealer, room| {
                    sealer.add_text(row, Variant::Code, text.len(), room, |out| {
                        out.extend_from_slice(text.as_bytes());
                    });
                });
                return Ok(());
            }
            Some(Told::Text(text)) if text::folds_simply(&text) => {
                within(room, sealer, |sealer, room| {
                    sealer.add_text(row, Variant::Text, text.len(), room, |out| {
                        out.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
                    });
                });
                return Ok(());
            }
            Some(Told::Text(text)) => {
                let written = self.known.of(json, || {
                    let folded = text::fold(&text);
                    let mut bytes = Vec::with_capacity(folded.len() + NUMBER_SIZE);
                    cells::write_head(Variant::Text, folded.len(), &mut bytes);
                    bytes.extend_from_slice(folded.as_bytes());
                    let size = bytes.len();
                    Ok::<_, serde_json::Error>((bytes, size))
                })?;
                within(room, sealer, |sealer, room| {
                    sealer.add_written(row, written, room);
                });
                return Ok(());
            }
            None => {}
        }
        let column = self.column;
        let (number, written) = self.known.of_numbered(json, || {
            let values = match parsed {
                Some(values) => values,
                None => {
                    let mut values = Values::new();
                    if let Some(field) = fields.at(place) {
                        values.insert(field.api_code.clone(), serde_json::from_str(json)?);
                    }
                    parsed.insert(values)
                }
            };
            let mut bytes = Vec::new();
            cells::write(&column.cells(fields, entry, values, cx), &mut bytes);
            let size = bytes.len();
            Ok::<_, serde_json::Error>((bytes, size))
        })?;
        within(room, &mut self.sealer, |sealer, room| {
            sealer.add_numbered(row, number, written, room);
        });
        Ok(())
    }
}

/// Adds to a column what it and the block have room for.
fn within(room: &mut Room, sealer: &mut Sealer, add: impl FnOnce(&mut Sealer, usize)) {
    let before = sealer.size();
    add(sealer, room.block.min(room.column.saturating_sub(before)));
    room.block -= sealer.size() - before;
}
