//! Files and certificates of rows, by the links that a search signed (S67).

use crate::base::clock;
use crate::base::error::{Error, Noun, Result};
use crate::base::json::Json;
use crate::fields::files::links::{QueryRow, opens_in_row};
use crate::ops::app::App;
use crate::ops::exams::certificates::{self, Document};
use crate::ops::files::entry_files::{self, Readable};
use crate::ops::queries::{links, search};

/// The parts of a link to a file.
pub struct RowFile<'a> {
    /// The query's token.
    pub query: &'a str,
    /// The entry's token.
    pub entry: &'a str,
    pub id: &'a str,
    pub name: &'a str,
    pub expires: &'a str,
    pub signature: &'a str,
}

/// Opens a file that a query shows.
///
/// # Errors
/// 403 for an invalid or expired link and for a query that can't be used, 404 if the query no longer shows it.
pub fn open(app: &App, file: &RowFile) -> Result<Readable> {
    let (query, entry, now) = (file.query, file.entry, clock::now());
    let row = QueryRow { query, entry };
    let signed = [file.id, file.name, file.expires, file.signature];
    if !opens_in_row(app.keys(), row, signed, now) {
        return Err(Error::BadLink);
    }
    let results = app.store.read(|tx| search::entry(app, tx, query, entry))?;
    let rows = results.rows(app, now)?;
    let mut values = rows.iter().flat_map(|row| &row.values);
    let address = format!("/files/{}/", file.id);
    if !values.any(|value| names(&value.json, &address)) {
        return Err(Error::NotFound(Noun::File));
    }
    entry_files::read(app, file.id)
}

/// Whether a value as it is read has this in one of its texts: files are there by their addresses.
fn names(value: &Json, address: &str) -> bool {
    match value {
        Json::String(text) => text.contains(address),
        Json::Array(items) => items.iter().any(|item| names(item, address)),
        Json::Object(members) => members.values().any(|member| names(member, address)),
        _ => false,
    }
}

/// The certificate of a row.
///
/// # Errors
/// 403 for an invalid or expired link and for a query that can't be used, 404 if the query no longer shows it.
pub fn certificate(app: &App, query: &str, entry: &str, expires: &str, signature: &str) -> Result<Document> {
    let row = QueryRow { query, entry };
    if !links::opens_certificate(app.keys(), row, expires, signature, clock::now()) {
        return Err(Error::BadLink);
    }
    let results = app.store.read(|tx| search::entry(app, tx, query, entry))?;
    let mut columns = results.open.columns().into_iter();
    if !columns.any(|column| column.field.is_certificate()) {
        return Err(Error::NotFound(Noun::Entry));
    }
    certificates::of_entry(app, entry)
}
