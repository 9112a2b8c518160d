//! Visitors edit the fields that a query lets them (contract section 8, S27, S70).

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::files::links::QueryRow;
use crate::fields::stored;
use crate::model::page::Page;
use crate::model::precondition::IfMatch;
use crate::ops::availability::Status;
use crate::ops::capacity::Asker;
use crate::ops::entries::{self, Asked, Shape, read_field_values};
use crate::ops::occupancy::{self, Own};
use crate::ops::public_queries::links;
use crate::ops::public_queries::search::{self, Results, Row};
use crate::ops::published::Published;
use crate::ops::{App, links as write_links};

/// Which entry, by what right, and what it is to become.
pub struct Edit<'a> {
    /// The query's token.
    pub query: &'a str,
    /// The entry's token.
    pub entry: &'a str,
    pub edit_token: &'a str,
    /// Write shapes by api_code.
    pub field_values: Json,
    /// What is wrong with the body so far.
    pub faults: Issues,
}

/// Reads the body: the values, and the right where it is no header.
pub fn read_body(reader: &mut Reader) -> (Json, Option<String>) {
    let edit_token = reader.opt_text("edit_token", 500);
    (read_field_values(reader), edit_token)
}

/// The JSON Schema of the body.
pub fn schema() -> Json {
    Reader::describe(|reader| {
        read_body(reader);
    })
}

/// The entry before and after, as visitors see it.
pub struct Edited {
    pub results: Results,
    pub row: Row,
}

/// The entry of a row with what the controls of its editable fields need to know: what is left of what they offer.
///
/// # Errors
/// 403, 404 as for `search::entry`.
pub fn open(app: &App, query: &str, entry: &str, now: Time) -> Result<Results> {
    let mut results = app.store.read(|tx| search::entry(app, tx, query, entry))?;
    let is_editable = results.open.columns().iter().any(|it| it.is_editable);
    if let Some(entry) = results.page.rows.first().filter(|_| is_editable) {
        let published = Published {
            form: results.open.form.clone(),
            parsed: Arc::clone(&results.open.parsed),
            status: Status::Open,
        };
        let before = stored::values(&entry.values).map_err(Error::internal)?;
        let own = Own::Entry(&before, &entry.results);
        results.found.occupancy = occupancy::for_page(app, &published, &own, now)?;
    }
    Ok(results)
}

/// Changes the editable fields that are named; others are dropped. Waits until that is on disk.
///
/// # Errors
/// 403 for a query that can't be used, 404 without the right to it, 409 where there is no room, 422.
pub fn update(app: &App, edit: Edit, now: Time) -> Result<Edited> {
    let Edit {
        query,
        entry,
        edit_token,
        field_values,
        mut faults,
    } = edit;
    let (results, found, given, masks) = app.store.read(|tx| {
        let mut masks = Issues::new();
        let results = search::entry(app, tx, query, entry)?;
        let columns = results.open.columns();
        let editable: Vec<&str> = columns
            .iter()
            .filter(|column| column.is_editable)
            .map(|column| column.rule.field.as_str())
            .collect();
        let row = QueryRow { query, entry };
        if editable.is_empty() || !links::may_edit(app.keys(), row, &editable, edit_token, now) {
            return Err(Error::NotFound(Noun::Entry));
        }
        let mut given = field_values.clone();
        if let Json::Object(given) = &mut given {
            given.retain(|code, _| editable.contains(&code.as_str()));
            results.without_masks(given, &mut masks, now)?;
        }
        let old = results.page.rows.first();
        let parsed = &results.open.parsed;
        let found = write_links::of_write(&app.cache, tx, parsed, given.as_object(), old)?;
        Ok((results, found, given, masks))
    })?;
    faults.append(masks);
    let Results { open, mut page, .. } = results;
    // It was found above.
    let old = page.rows.pop().ok_or(Error::NotFound(Noun::Entry))?;
    let shape = Arc::new(Shape {
        parsed: Arc::clone(&open.parsed),
        found,
    });
    let asked = Asked {
        raw: given,
        // What the owner lets visitors edit may be hidden in the form; but quotas hold for them.
        respondent: false,
        asker: Asker::Respondent,
        if_match: IfMatch::Absent,
    };
    let entry = entries::change(app, open.form.clone(), &shape, old, asked, faults)?.wait()?;
    let results = app.store.read(|tx| {
        let page = Page {
            rows: vec![entry.clone()],
            total: 1,
            next: None,
        };
        Results::of(&app.cache, tx, open, page)
    })?;
    let row = results.rows(app, now)?.pop();
    let row = row.ok_or_else(|| Error::internal("an edited entry is no row"))?;
    Ok(Edited { results, row })
}
