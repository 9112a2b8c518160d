//! The outline of a file before it is imported: its columns with samples, where each would go, and how many rows there
//! are.

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::text;
use crate::fields::columns::header::{Meaning, Names, Reading};
use crate::fields::columns::mapping::Mapping;
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::capacity::waiting;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::imports::table::{Limits, TableRow};
use crate::ops::transfer::imports::{File, MAX_COLUMNS, MAX_ROWS, csv, xlsx};
use crate::query::linked_entries;

/// Cells that are shown of a column.
const SAMPLES: usize = 3;
/// The most characters of one.
const SAMPLE_LENGTH: usize = 60;

/// The outline of a file.
pub struct Outline {
    pub columns: Vec<OutlineColumn>,
    /// How many rows there are below the header.
    pub rows: usize,
    /// Possible targets of columns: the code of a field or of a part of one, and its name in an export.
    pub targets: Vec<(String, String)>,
    /// Faults of the header under the mapping.
    pub faults: Vec<Issue>,
}

/// A column of a file.
pub struct OutlineColumn {
    pub name: String,
    pub samples: Vec<String>,
    /// The code of the field or part where it goes; none if it is left out.
    pub goes_to: Option<String>,
}

/// Reads a file as far as that takes no check of its rows. Columns that the mapping does not name go where their names
/// say, or where a name is alike.
///
/// # Errors
/// 400 for text that is neither UTF-8 nor UTF-16, 403, 404, 422 for a file without a header or beyond the limits.
pub fn outline(app: &App, caller: &Caller, token: &str, bytes: &[u8], mapping: &Mapping) -> Result<Outline> {
    let file = File::of(bytes)?;
    let (parsed, results, found) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let results = waiting::results_in_files(tx, &parsed)?;
        let found = linked_entries::forms_of(&app.cache, tx, &parsed)?;
        Ok((parsed, results, found))
    })?;
    let cx = parsed.cx_with(crate::base::clock::now(), false, &found);
    let names = Names::of(&parsed.definition.fields, &results, &cx).mapped(mapping);
    let limits = Limits { rows: MAX_ROWS, columns: MAX_COLUMNS.max(names.count()) };
    let (mut header, mut samples, mut rows) = (None, Vec::new(), 0);
    let mut take = |place: Option<usize>, row: TableRow| {
        if place.is_none() {
            samples = vec![Vec::new(); row.cells.len()];
            header = Some(row.cells);
            return Ok(());
        }
        rows += 1;
        for (cell, shown) in row.cells.iter().zip(&mut samples) {
            if shown.len() < SAMPLES && !text::is_blank(cell) {
                shown.push(text::shortened(cell, SAMPLE_LENGTH));
            }
        }
        Ok(())
    };
    match &file {
        File::Workbook(bytes) => {
            xlsx::read(bytes, &limits, &mut take)?;
        }
        File::Csv(text) => csv::read(text, &limits, &|header| names.known(header), &mut take)?,
    }
    let header: Vec<String> =
        header.ok_or_else(|| Error::invalid("header", Reason::other("is missing: the file is empty")))?;
    let mut at = Issues::new();
    let reading = Reading::of_header(&names, &header, &mut at);
    let is_mapped = |name: &str| mapping.columns().iter().any(|(column, _)| column == name);
    let columns = header.iter().zip(samples).enumerate().filter_map(|(i, (name, samples))| {
        let name = name.trim().to_owned();
        let read = reading.columns().get(i).and_then(|column| match &column.meaning {
            Meaning::Read(_, code) => Some(code.clone()),
            _ => None,
        });
        let goes_to = if is_mapped(&name) { read } else { read.or_else(|| names.alike(&name)) };
        (!name.is_empty()).then_some(OutlineColumn { name, samples, goes_to })
    });
    Ok(Outline { columns: columns.collect(), rows, targets: names.targets(), faults: at.into_list() })
}
