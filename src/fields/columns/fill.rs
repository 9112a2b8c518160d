//! Many entries as rows of a spreadsheet, one after the other. Simple values are taken from the JSON text without
//! parsing it.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Number;

use crate::base::json::Json;
use crate::fields::Fields;
use crate::fields::columns::Cell;
use crate::fields::columns::form::Sheet;
use crate::fields::kind::{Cx, Plain};
use crate::fields::system::{self, Own, SystemField};
use crate::fields::values;
use crate::fields::values::unparsed::{self, Members, PlainValue};
use crate::model::entry::Entry;

/// Receives the cells of a row.
pub trait Cells {
    /// Adds an empty cell.
    fn blank(&mut self);
    /// Adds a text, which is not empty.
    fn text(&mut self, text: &str);
    /// Adds a text without quotation marks.
    fn unquoted(&mut self, text: &str) {
        self.text(text);
    }
    /// Adds a number, as JSON writes it.
    fn number(&mut self, number: &str);
    /// Adds a date or a time, which has no quotation mark.
    fn date(&mut self, date: &str) {
        self.unquoted(date);
    }

    /// Adds a prepared cell.
    fn cell(&mut self, cell: &Cell, scratch: &mut String) {
        match cell {
            Cell::Blank => self.blank(),
            Cell::Text(text) => self.text(text),
            Cell::Date(date) => self.date(date),
            Cell::Number(number) => {
                scratch.clear();
                // Writing into a string can't fail.
                let _ = write!(scratch, "{number}");
                self.number(scratch);
            }
        }
    }
}

impl Cells for Vec<Cell> {
    fn blank(&mut self) {
        self.push(Cell::Blank);
    }

    fn text(&mut self, text: &str) {
        self.push(Cell::text(text));
    }

    fn number(&mut self, number: &str) {
        let read: Result<Number, _> = serde_json::from_str(number);
        self.push(read.map_or_else(|_| Cell::text(number), Cell::Number));
    }

    fn date(&mut self, date: &str) {
        self.push(Cell::date(date));
    }
}

/// An entry as it goes into a row.
#[derive(Clone, Copy)]
pub struct SheetEntry<'r> {
    pub entry: &'r Entry,
    /// Its values as JSON text.
    pub stored: &'r str,
    /// The link to its certificate; null where it has none.
    pub certificate: &'r Json,
}

/// Fills the rows of a sheet.
pub struct Filler {
    members: Members,
    fields: Vec<SheetField>,
    /// The two timestamps of an entry as last formatted, each by its second, the precision shown.
    moments: [(i64, String); 2],
    scratch: String,
}

/// A field whose columns are on the sheet.
struct SheetField {
    /// The index of the field in the form.
    place: usize,
    count: usize,
    plain: Option<Plain>,
}

impl Filler {
    /// The filler for rows of a sheet that was made from these fields.
    pub fn of(sheet: &Sheet, fields: &Fields) -> Self {
        let shown = sheet.fields();
        let shown = shown.iter().filter_map(|(code, count)| {
            let place = fields.position(code)?;
            let field = fields.at(place)?;
            Some(SheetField { place, count: *count, plain: field.kind.plain().filter(|_| field.splices()) })
        });
        Self {
            members: Members::default(),
            fields: shown.collect(),
            moments: [const { (i64::MIN, String::new()) }; 2],
            scratch: String::new(),
        }
    }

    /// Writes an entry's cells, one for each column. `sheet`, `fields` and the form in `cx` must be those of
    /// construction. Fails only on corrupt stored text.
    pub fn row(
        &mut self,
        sheet: &Sheet,
        fields: &Fields,
        SheetEntry { entry, stored, certificate }: SheetEntry,
        cx: &Cx,
        out: &mut impl Cells,
    ) -> Result<(), serde_json::Error> {
        for code in sheet.own() {
            match system::by_name(code) {
                Some(field) => self.own(field, entry, cx, out),
                None => put(entry.token.as_str(), out),
            }
        }
        for (result, count) in sheet.results() {
            let value = if result.is_link() { certificate.clone() } else { result.stored(entry, cx) };
            let mut cells = match value {
                Json::Null => Vec::new(),
                value => result.kind.sheet_cells(&value, cx),
            };
            cells.resize(*count, Cell::Blank);
            for cell in &cells {
                out.cell(cell, &mut self.scratch);
            }
        }
        self.members.take(fields, stored)?;
        for shown in &self.fields {
            let value = self.members.get(stored, shown.place);
            let Some((field, value)) = fields.at(shown.place).zip(value) else {
                (0..shown.count).for_each(|_| out.blank());
                continue;
            };
            match unparsed::plain_value(shown.plain, value, true) {
                // The codes that are read so are dates.
                Some(PlainValue::Code(date)) if !date.is_empty() => {
                    out.date(&date);
                    continue;
                }
                Some(PlainValue::Text(text) | PlainValue::Code(text)) => {
                    match text {
                        // A JSON string without escapes has no quotation mark.
                        Cow::Borrowed(text) if !text.is_empty() => out.unquoted(text),
                        text => put(&text, out),
                    }
                    continue;
                }
                Some(PlainValue::Number(number)) => {
                    out.number(number);
                    continue;
                }
                None => {}
            }
            let value = serde_json::from_str(value)?;
            let value = values::as_today(field, &value, cx);
            let mut cells = value.map_or_else(Vec::new, |it| field.kind.sheet_cells(&it, cx));
            cells.resize(shown.count, Cell::Blank);
            for cell in &cells {
                out.cell(cell, &mut self.scratch);
            }
        }
        Ok(())
    }

    /// Columns about the entry itself.
    fn own(&mut self, field: &SystemField, entry: &Entry, cx: &Cx, out: &mut impl Cells) {
        match field.own(entry).unwrap_or(Own::Nothing) {
            Own::Nothing => out.blank(),
            Own::Text(text) => put(text, out),
            Own::Number(number) => out.cell(&Cell::Number(number.into()), &mut self.scratch),
            Own::Moment(at) => {
                let second = at.secs();
                if let Some((_, text)) = self.moments.iter().find(|(known, _)| *known == second) {
                    return out.date(text);
                }
                let text = field.kind.text(&Json::from(at), cx);
                out.date(&text);
                self.moments.rotate_left(1);
                self.moments[0] = (second, text);
            }
        }
    }
}

fn put(text: &str, out: &mut impl Cells) {
    if text.is_empty() {
        out.blank();
    } else {
        out.text(text);
    }
}
