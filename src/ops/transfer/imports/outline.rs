//! The outline of a file before it is imported: its columns with samples, where each would go, and how many rows there
//! are.

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::text;
use crate::fields::columns::header::{Meaning, Reading};
use crate::fields::columns::mapping::Mapping;
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::transfer::imports::guesses::{self, Guessed};
use crate::ops::transfer::imports::table::TableRow;
use crate::ops::transfer::imports::{File, walk};

/// Cells that are shown of a column.
const SAMPLES: usize = 3;
/// The most characters of one.
const SAMPLE_LENGTH: usize = 60;
/// Cells of a column that are read to guess where it goes.
const READ: usize = 50;

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
/// say, or else where [`guesses`] lead them.
///
/// # Errors
/// 400 for text that is neither UTF-8 nor UTF-16, 403, 404, 422 for a file without a header or beyond the limits.
pub fn outline(app: &App, caller: &Caller, token: &str, bytes: &[u8], mapping: &Mapping) -> Result<Outline> {
    let file = File::of(bytes)?;
    let form = walk::FormColumns::of(app, caller, token)?;
    let names = form.names(mapping);
    let (mut header, mut cells, mut rows, mut widest) = (None, Vec::new(), 0, 0);
    walk::rows(&file, &names, &mut |place: Option<usize>, row: TableRow| {
        if place.is_none() {
            cells = vec![Vec::new(); row.cells.len()];
            header = Some(row.cells);
            return Ok(());
        }
        rows += 1;
        widest = widest.max(row.cells.iter().filter(|cell| !text::is_blank(cell)).count());
        for (cell, kept) in row.cells.into_iter().zip(&mut cells) {
            if kept.len() < READ && !text::is_blank(&cell) {
                kept.push(cell);
            }
        }
        Ok(())
    })?;
    let header: Vec<String> =
        header.ok_or_else(|| Error::invalid("header", Reason::other("is missing: the file is empty")))?;
    // A title above the names would leave all columns but the first out.
    let is_title = header.iter().filter(|cell| !text::is_blank(cell)).count() == 1 && widest > 1;
    if is_title {
        let words = "has one cell only, but rows below it have more: delete what stands above the names of the columns";
        return Err(Error::invalid("header", Reason::other(words)));
    }
    let mut at = Issues::new();
    let reading = Reading::of_header(&names, &header, &mut at);
    let mut guessed: Vec<Guessed> = Vec::new();
    for (i, (name, cells)) in header.iter().zip(&cells).enumerate() {
        let name = name.trim();
        let mapped = mapping.columns().iter().find(|(column, _)| column == name);
        let read = reading.columns().get(i).and_then(|column| match &column.meaning {
            Meaning::Read(_, code) => Some(code.clone()),
            _ => None,
        });
        let goes_to = mapped.map_or(read, |(_, code)| code.clone());
        guessed.push(Guessed { name, cells, is_settled: mapped.is_some() || name.is_empty(), goes_to });
    }
    guesses::fill(&mut guessed, &names, &form.parsed.definition.fields, &form.cx());
    let columns = guessed.into_iter().filter(|column| !column.name.is_empty()).map(|column| OutlineColumn {
        name: column.name.to_owned(),
        samples: column.cells.iter().take(SAMPLES).map(|cell| text::shortened(cell, SAMPLE_LENGTH)).collect(),
        goes_to: column.goes_to,
    });
    Ok(Outline { columns: columns.collect(), rows, targets: names.targets(), faults: at.into_list() })
}
