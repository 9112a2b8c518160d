//! Rows of a block that wait for others: a column takes many values one after the other in less time than
//! one value in turn with all other columns.

use crate::fields::Fields;
use crate::fields::unparsed;
use crate::model::entry::Entry;

/// So many rows, or rows of so many bytes, are enough.
const ROWS: usize = 256;
const BYTES: usize = 256 << 10;

/// Some rows, in order.
pub(super) struct Batch {
    rows: Vec<usize>,
    entries: Vec<Entry>,
    /// Whether anything stands escaped in their texts.
    escaped: Vec<bool>,
    /// Their stored texts, one behind the other.
    texts: String,
    /// Where in these values stand, for each field those of all rows.
    values: Vec<Span>,
}

/// A value.
#[derive(Clone, Copy)]
pub(super) struct Waiting<'b> {
    pub(super) json: &'b str,
    /// Whether anything may stand escaped in that.
    pub(super) may_escape: bool,
}

/// Empty, where there is no value.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

impl Batch {
    /// Of no row so far.
    pub(super) fn new(fields: &Fields) -> Self {
        Self {
            rows: Vec::new(),
            entries: Vec::new(),
            escaped: Vec::new(),
            texts: String::new(),
            values: vec![Span::default(); fields.len() * ROWS],
        }
    }

    /// Adds a row of the block: an entry, which need not have the values, and its stored text.
    ///
    /// # Errors
    /// When that is not the JSON object that it was written as.
    pub(super) fn add(
        &mut self,
        fields: &Fields,
        row: usize,
        entry: Entry,
        stored: &str,
    ) -> Result<(), serde_json::Error> {
        let (nth, before) = (self.rows.len(), self.texts.len());
        let begin = stored.as_ptr().addr();
        unparsed::each_placed(fields, stored, |place, value| {
            let start = before + value.as_ptr().addr() - begin;
            // Far below four billion: a few rows, and SQLite has none of more than one billion bytes.
            self.values[place * ROWS + nth] = Span {
                start: start as u32,
                end: (start + value.len()) as u32,
            };
            Ok(())
        })?;
        self.texts.push_str(stored);
        self.rows.push(row);
        self.entries.push(entry);
        self.escaped.push(unparsed::has_escapes(stored));
        Ok(())
    }

    /// Whether there is no room for more.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() == ROWS || self.texts.len() >= BYTES
    }

    /// The rows and their entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.rows.iter().copied().zip(&self.entries)
    }

    /// Those that have a value of the field at a place, with that.
    pub(super) fn values(
        &self,
        place: usize,
    ) -> impl Iterator<Item = (usize, &Entry, Waiting<'_>)> {
        let values = &self.values[place * ROWS..][..self.rows.len()];
        let rows = self.entries().zip(&self.escaped).zip(values);
        rows.filter_map(|(((row, entry), may_escape), span)| {
            let json = &self.texts[span.start as usize..span.end as usize];
            let value = Waiting {
                json,
                may_escape: *may_escape,
            };
            (!json.is_empty()).then_some((row, entry, value))
        })
    }

    /// Takes all away.
    pub(super) fn clear(&mut self) {
        for values in self.values.chunks_exact_mut(ROWS) {
            values[..self.rows.len()].fill(Span::default());
        }
        self.rows.clear();
        self.entries.clear();
        self.escaped.clear();
        self.texts.clear();
    }
}
