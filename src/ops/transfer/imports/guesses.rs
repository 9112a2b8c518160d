//! Targets of columns whose names are no names of the form: first a field with a similar name, then the only question
//! of the kind that the name suggests, then the only question for email addresses where all cells are such. A question
//! that can't read most of a column's cells does not get it.

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::columns::header::Names;
use crate::fields::kind::{Cx, KindRow};
use crate::fields::{Field, Fields, paste};

/// A column while it is guessed where it goes.
pub struct Guessed<'c> {
    pub name: &'c str,
    /// Its first cells that say something.
    pub cells: &'c [String],
    /// Somebody has said already where it goes.
    pub is_settled: bool,
    /// The code of the field or part where it goes.
    pub goes_to: Option<String>,
}

/// How many of a column's cells a question must be able to read.
#[derive(Clone, Copy)]
enum Share {
    /// The others may be faults, which the check finds.
    Half,
    All,
}

/// Leads columns that go nowhere to the questions that no column goes to.
pub fn fill(columns: &mut [Guessed], names: &Names, fields: &Fields, cx: &Cx) {
    let of_kind = |column: &Guessed, taken: &[String], share: Share, fits: &dyn Fn(&'static KindRow) -> bool| {
        let free = fields.with_values().filter(|field| field.kind.is_written() && fits(field.row));
        let mut free = free.filter(|field| is_free(taken, &field.api_code) && reads(field, column.cells, cx, share));
        let found = free.next()?;
        free.next().is_none().then(|| found.api_code.clone())
    };
    each(columns, &|column, taken| names.alike(column.name).filter(|code| is_free(taken, code)));
    each(columns, &|column, taken| {
        let asked = paste::kind_asked_by(column.name)?;
        of_kind(column, taken, Share::Half, &|row| row == asked)
    });
    each(columns, &|column, taken| {
        let has_cells = !column.cells.is_empty();
        has_cells.then(|| of_kind(column, taken, Share::All, &|row| row.facets.mailable)).flatten()
    });
}

/// Asks for each column that goes nowhere; codes that columns go to are taken.
fn each(columns: &mut [Guessed], guess: &dyn Fn(&Guessed, &[String]) -> Option<String>) {
    let mut taken: Vec<String> = columns.iter().filter_map(|column| column.goes_to.clone()).collect();
    for column in columns.iter_mut().filter(|column| !column.is_settled && column.goes_to.is_none()) {
        column.goes_to = guess(column, &taken);
        taken.extend(column.goes_to.clone());
    }
}

/// Whether neither a field or part itself is taken, nor the whole of it, nor a part.
fn is_free(taken: &[String], code: &str) -> bool {
    let is_part = |part: &str, whole: &str| part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'));
    !taken.iter().any(|other| other == code || is_part(other, code) || is_part(code, other))
}

/// Whether a field reads so many of the cells.
fn reads(field: &Field, cells: &[String], cx: &Cx, share: Share) -> bool {
    let is_whole = field.kind.sheet_columns(cx).len() == 1;
    let is_read = |cell: &&String| {
        let mut at = Issues::new();
        let value = if is_whole {
            field.kind.sheet_value(&[cell.as_str()], cx, &mut at)
        } else {
            field.kind.sheet_whole(cell, cx, &mut at)
        };
        if at.is_empty() && value != Json::Null {
            field.kind.parse(value, cx, &mut at);
        }
        at.is_empty()
    };
    let count = cells.iter().filter(is_read).count();
    match share {
        Share::Half => count * 2 >= cells.len(),
        Share::All => count == cells.len(),
    }
}
