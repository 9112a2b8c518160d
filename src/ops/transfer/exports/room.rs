//! Whether a spreadsheet has room for the export: decided before its first byte.

use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::fields::columns::form::Sheet;
use crate::fields::columns::room;
use crate::model::entry::Entry;
use crate::ops::app::App;
use crate::ops::transfer::exports::{Export, xlsx};
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::listing;

impl Export {
    /// Whether a spreadsheet has room for all columns, and its cells for all texts. Most entries are too short to
    /// have any that is too long.
    pub(super) fn check_room(&self, app: &App) -> Result<()> {
        let columns = self.columns.names.len();
        if columns > xlsx::MAX_COLUMNS {
            return Err(no_room(format!(
                "can't be xlsx: the form has {columns} columns, and a spreadsheet at most {} (use csv or json)",
                xlsx::MAX_COLUMNS
            )));
        }
        let mut after = Some(0);
        while let Some(from) = after {
            after = app.store.read(|tx| {
                let form = self.source.form(tx)?;
                let parsed = app.cache.parsed(tx, &form)?;
                let (fields, wanted) = (&parsed.definition.fields, self.source.wanted.as_deref());
                let fitting = room::bytes_that_fit(fields, wanted, xlsx::MAX_TEXT);
                let (long, after) = self.longer(tx, form.form_no, fitting, from)?;
                let found = linked_entries::of_entries(&app.cache, tx, &parsed, &long)?;
                let cx = parsed.cx_with(tx.now, false, &found);
                let results = parsed.result_fields();
                let wanted = self.source.wanted.as_deref();
                let sheet = Sheet::of_form(fields, results, wanted, &cx);
                for entry in &long {
                    let cells = sheet.cells(&parsed.definition.fields, entry, &cx);
                    let cells = cells.map_err(Error::internal)?;
                    let too_long = cells.iter().position(|cell| !xlsx::fits(cell));
                    if let Some(head) = too_long.and_then(|i| sheet.heads().get(i)) {
                        return Err(no_room(format!(
                            "can't be xlsx: in entry {} the text of {} has more than {} characters, which no \
                             cell holds (use csv or json)",
                            entry.serial,
                            head.code,
                            xlsx::MAX_TEXT
                        )));
                    }
                }
                Ok(after)
            })?;
        }
        Ok(())
    }

    /// The next entries whose values are longer than so many bytes, and where to go on from.
    fn longer(&self, tx: &Tx, form_no: i64, bytes: Option<usize>, from: i64) -> Result<(Vec<Entry>, Option<i64>)> {
        match bytes {
            Some(bytes) => {
                let (mut long, after) = listing::long_ones(tx, form_no, from, bytes)?;
                if let Some(matching) = &self.matching {
                    long.retain(|entry| matching.contains(entry.serial));
                }
                Ok((long, after))
            }
            None => self.entries(tx, form_no, from),
        }
    }
}

fn no_room(message: String) -> Error {
    Error::invalid("format", Reason::other(message))
}
