//! The columns of one block while its entries are looked through. Each value is looked at as JSON text: what
//! that tells is not parsed, and what comes again is not made again. All else is asked of the column, so that
//! a segment has what [`Column::cells`] says.

use crate::base::clock::Time;
use crate::base::known::Known;
use crate::fields::Fields;
use crate::fields::columns::bits::Bits;
use crate::fields::columns::cells::{self, Variant};
use crate::fields::columns::list::Column;
use crate::fields::columns::seal::Sealer;
use crate::fields::cond::Key;
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

/// Some columns of a block, row after row.
pub struct Block<'c> {
    fields: &'c Fields,
    live: Bits,
    columns: Vec<Filling<'c>>,
    /// Which of them are of the field at a place.
    of_place: Vec<Vec<usize>>,
    /// Which are of none.
    of_rows: Vec<usize>,
    /// The keys of a moment take long to make, and neighbours often share theirs.
    moment: Option<(Time, Vec<Vec<Key>>)>,
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
    pub fn new(fields: &'c Fields, columns: &[&'c Column], room: Room) -> Self {
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
            known: Known::new(kept),
            sealer: Sealer::default(),
        });
        Self {
            fields,
            live: Bits::none(),
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
    /// When the stored text is not the JSON object that it was written as.
    pub fn add(
        &mut self,
        row: usize,
        entry: &Entry,
        stored: &str,
        cx: &Cx,
    ) -> Result<(), serde_json::Error> {
        self.live.add(row);
        let Self {
            fields,
            columns,
            of_place,
            room,
            ..
        } = self;
        unparsed::each_placed(fields, stored, |place, value| {
            let mut parsed = None;
            for i in &of_place[place] {
                columns[*i].add(fields, (row, place), value, &mut parsed, entry, cx, room)?;
            }
            Ok(())
        })?;
        for i in &self.of_rows {
            let Filling { column, sealer, .. } = &mut self.columns[*i];
            let ask = || column.cells(self.fields, entry, &Values::new(), cx);
            let cells = match column.moment(entry) {
                None => &ask(),
                Some(at) => match &mut self.moment {
                    Some((known, cells)) if *known == at => cells,
                    other => &other.insert((at, ask())).1,
                },
            };
            within(&mut self.room, sealer, |sealer, room| {
                sealer.add(row, cells, room);
            });
        }
        Ok(())
    }

    /// The rows that were added.
    pub fn live(&self) -> &Bits {
        &self.live
    }

    /// What was collected of each column, in the order they were given.
    pub fn into_sealers(self) -> Vec<Sealer> {
        self.columns.into_iter().map(|it| it.sealer).collect()
    }
}

impl Filling<'_> {
    /// Adds the keys of a value. It is parsed at most once for all columns of its field.
    #[expect(clippy::too_many_arguments, reason = "all of it is of one row")]
    fn add(
        &mut self,
        fields: &Fields,
        (row, place): (usize, usize),
        value: &str,
        parsed: &mut Option<Values>,
        entry: &Entry,
        cx: &Cx,
        room: &mut Room,
    ) -> Result<(), serde_json::Error> {
        let told = match unparsed::told(self.plain, value) {
            Some(Told::Number(number)) => match serde_json::from_str(number) {
                Ok(number) => Some(cells::Told::Number(number)),
                Err(_) => None,
            },
            Some(Told::Text(text)) => Some(cells::Told::Folded(text)),
            Some(Told::Code(text)) => Some(cells::Told::Text(Variant::Code, text)),
            None => None,
        };
        if let Some(told) = told {
            within(room, &mut self.sealer, |sealer, room| {
                sealer.add_told(row, &told, room);
            });
            return Ok(());
        }
        let column = self.column;
        let written = self.known.of(value, || {
            let values = match parsed {
                Some(values) => values,
                None => {
                    let mut values = Values::new();
                    if let Some(field) = fields.at(place) {
                        values.insert(field.api_code.clone(), serde_json::from_str(value)?);
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
            sealer.add_written(row, written, room);
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
