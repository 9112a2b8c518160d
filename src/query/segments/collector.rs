//! Collects the keys of some columns from the rows of a block. Simple values are taken from the JSON text without
//! parsing it; the rest is parsed once per field and passed to the column, so that a segment has the same keys as
//! [`Column::cells`].

use crate::base::text;
use crate::fields::Fields;
use crate::fields::kind::{Cx, Plain};
use crate::fields::values::Values;
use crate::fields::values::unparsed::{self, Members, PlainValue};
use crate::model::bits::Bits;
use crate::model::entry::Entry;
use crate::query::segments::cells::Variant;
use crate::query::segments::column::Column;
use crate::query::segments::sealer::Sealer;

/// How many bytes of keys are kept. Rows beyond that are marked as unknown.
#[derive(Clone, Copy, Debug)]
pub struct SizeLimits {
    /// For one column.
    pub column: usize,
    /// For all columns together.
    pub block: usize,
}

/// Some columns of a block, filled row by row.
pub struct Collector<'c> {
    fields: &'c Fields,
    live: Bits,
    members: Members,
    columns: Vec<ColumnKeys<'c>>,
    limits: SizeLimits,
}

struct ColumnKeys<'c> {
    column: &'c Column,
    plain: Option<Plain>,
    sealer: Sealer,
}

impl<'c> Collector<'c> {
    /// Without a row so far.
    pub fn new(fields: &'c Fields, columns: &[&'c Column], limits: SizeLimits) -> Self {
        let columns =
            columns.iter().map(|column| ColumnKeys { column, plain: column.plain(fields), sealer: Sealer::default() });
        Self { fields, live: Bits::none(), members: Members::default(), columns: columns.collect(), limits }
    }

    /// Adds a row; rows come in order. The values of the entry are given as JSON text.
    ///
    /// # Errors
    /// When the stored text is not the JSON object that it was written as.
    pub fn add(&mut self, row: usize, entry: &Entry, stored: &str, cx: &Cx) -> Result<(), serde_json::Error> {
        self.live.add(row);
        self.members.take(self.fields, stored)?;
        // The columns of one field follow each other: its value is parsed once for all of them.
        let mut parsed: Option<(usize, Values)> = None;
        for ColumnKeys { column, plain, sealer } in &mut self.columns {
            let before = sealer.size();
            let room = self.limits.column.saturating_sub(before);
            let room = room.min(self.limits.block);
            match column.place() {
                None => sealer.add(row, &column.cells(self.fields, entry, &Values::new(), cx), room),
                Some(place) => {
                    let Some(json) = self.members.get(stored, place) else {
                        continue;
                    };
                    if !add_plain(sealer, row, *plain, json, room) {
                        if parsed.as_ref().is_none_or(|(known, _)| *known != place) {
                            let mut values = Values::new();
                            if let Some(field) = self.fields.at(place) {
                                values.insert(field.api_code.clone(), serde_json::from_str(json)?);
                            }
                            parsed = Some((place, values));
                        }
                        if let Some((_, values)) = &parsed {
                            let cells = column.cells(self.fields, entry, values, cx);
                            sealer.add(row, &cells, room);
                        }
                    }
                }
            }
            self.limits.block -= sealer.size() - before;
        }
        Ok(())
    }

    /// The rows that were added.
    pub fn live(&self) -> &Bits {
        &self.live
    }

    /// The sealers of the columns, in the order they were given.
    pub fn finish(self) -> impl Iterator<Item = Sealer> {
        self.columns.into_iter().map(|keys| keys.sealer)
    }
}

/// Adds a value whose key follows from its JSON text alone; false where it has to be parsed.
fn add_plain(sealer: &mut Sealer, row: usize, plain: Option<Plain>, json: &str, room: usize) -> bool {
    match unparsed::plain_value(plain, json, true) {
        Some(PlainValue::Number(number)) => match number.parse() {
            Ok(number) if f64::is_finite(number) => sealer.add_number(row, number, room),
            _ => return false,
        },
        Some(PlainValue::Code(code)) => sealer.add_text(row, Variant::Code, &code, room),
        Some(PlainValue::Text(text)) if text::folds_simply(&text) => {
            sealer.add_text(row, Variant::Text, &text.to_ascii_lowercase(), room);
        }
        Some(PlainValue::Text(text)) => sealer.add_text(row, Variant::Text, &text::fold(&text), room),
        None => return false,
    }
    true
}
