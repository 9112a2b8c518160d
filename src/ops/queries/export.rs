//! The results of a search as a spreadsheet: the query's columns, a text each, masked as on the page (S56, S66).

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::base::text::texts::texts;
use crate::fields::columns::Cell;
use crate::fields::columns::fill::Cells as _;
use crate::model::page::Page;
use crate::model::serials::Serials;
use crate::ops::app::App;
use crate::ops::queries::search::{self, Results, SearchValues};
use crate::ops::queries::visit;
use crate::ops::transfer::exports::{csv, xlsx};
use crate::store::entries::{Table, entry_scan};

/// More rows are refused (S69).
pub const MAX_ROWS: i64 = 10_000;
/// Rows of a chunk.
const PIECE: usize = 500;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Xlsx,
}

impl Format {
    /// By name; names are also the file extensions.
    pub const ALL: [(&'static str, Self); 2] = [("csv", Self::Csv), ("xlsx", Self::Xlsx)];
}

/// A running export.
pub struct Export {
    token: String,
    /// The query's name.
    pub name: String,
    book: Option<Box<xlsx::Book>>,
    headers: Vec<String>,
    version: i64,
    matching: Serials,
    /// The serial of the last row; `None` before the first.
    after: Option<i64>,
    is_over: bool,
}

/// Starts an export: everything that can be refused is refused here.
///
/// # Errors
/// 403 where the query allows none or can't be used, 404, 422 as for searches, and for too many rows.
pub fn begin(app: &App, token: &str, given: SearchValues, format: Format) -> Result<Export> {
    let (cache, name) = (Arc::clone(&app.cache), token.to_owned());
    let found = app.store.search(move |tx| {
        let open = visit::load(&cache, tx, &name)?.open()?;
        if !open.query.content.allow_to_export_results {
            return Err(Error::NotHere("The results of this query can't be exported"));
        }
        let matching = search::matching(&cache, tx, &open, &given)?;
        Ok((open, matching))
    });
    let (open, matching) = found.wait()?;
    if matching.len() > MAX_ROWS {
        let message = phrase!("find more than {} entries: narrow the search", MAX_ROWS);
        return Err(Error::invalid("values", Reason::other(message)));
    }
    let texts = texts(&open.form.locale);
    let headers: Vec<String> = open.columns().iter().map(|column| column.label(texts)).collect();
    Ok(Export {
        token: token.to_owned(),
        name: open.query.content.name.clone(),
        book: (format == Format::Xlsx).then(|| Box::new(xlsx::Book::new(&headers))),
        headers,
        version: open.query.version,
        matching,
        after: None,
        is_over: false,
    })
}

impl Export {
    /// Returns the next bytes of the file; `None` at the end.
    ///
    /// # Errors
    /// 403, 404 when the query changed or can't be used any more, 503.
    pub fn next(&mut self, app: &App) -> Result<Option<Vec<u8>>> {
        if self.is_over {
            return Ok(None);
        }
        let mut out = Vec::new();
        let is_first = self.after.is_none();
        let rows = self.rows(app)?;
        match &mut self.book {
            None => {
                if is_first {
                    csv::open(&self.headers, &mut out);
                }
                for row in &rows {
                    let mut line = csv::Rows(&mut out);
                    for cell in row {
                        line.cell(cell, &mut String::new());
                    }
                    line.end_row();
                }
            }
            Some(book) => {
                let rows: Vec<Vec<Cell>> = rows.into_iter().map(|row| row.into_iter().map(fitting).collect()).collect();
                book.rows(&rows).map_err(Error::internal)?;
                if self.is_over {
                    book.close().map_err(Error::internal)?;
                }
                book.take_written(&mut out);
            }
        }
        Ok(Some(out))
    }

    /// The next rows that visitors can still find.
    fn rows(&mut self, app: &App) -> Result<Vec<Vec<Cell>>> {
        let wanted = self.matching.beyond(self.after, true, PIECE);
        self.after = wanted.last().copied();
        self.is_over = wanted.len() < PIECE;
        let results = app.store.read(|tx| {
            let open = visit::load(&app.cache, tx, &self.token)?.open()?;
            // Its columns may be others now.
            if open.query.version != self.version {
                return Err(Error::Stale);
            }
            let mut rows = entry_scan::by_serials(tx, Table::Live, open.form.form_no, &wanted)?;
            rows.reverse();
            let page = Page { rows, total: 0, next: None };
            Results::of(&app.cache, tx, open, page)
        })?;
        results.cells(clock::now())
    }
}

/// A cell that a spreadsheet takes: longer texts are cut.
fn fitting(cell: Cell) -> Cell {
    match cell {
        Cell::Text(text) if !xlsx::fits(&Cell::Text(text.clone())) => {
            let mut end = xlsx::MAX_TEXT.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Cell::text(&text[..end])
        }
        cell => cell,
    }
}
