//! Visitors edit the fields that a query lets them (contract section 8, S27, S70).

use std::sync::Arc;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::Field;
use crate::fields::files::links::QueryRow;
use crate::fields::values::{Values, stored};
use crate::model::page::Page;
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::capacity::Asker;
use crate::ops::capacity::occupancy::{self, Own};
use crate::ops::entries::change::{self, ChangeRequest, ChangedBy, ForChange};
use crate::ops::entries::linked_options::{self, Find, Looks};
use crate::ops::entries::{Shape, links as write_links, read_field_values};
use crate::ops::queries::links;
use crate::ops::queries::search::{self, ResultRow, Results};
use crate::ops::queries::visit::{Column, OpenQuery};
use crate::store::db::tx::Tx;

/// A visitor's edit of an entry.
#[derive(Clone)]
pub struct Edit<'a> {
    /// The query's token.
    pub query: &'a str,
    /// The entry's token.
    pub entry: &'a str,
    pub edit_token: &'a str,
    /// Write shapes by api_code.
    pub field_values: Json,
    /// Whether a page sends it, whose posts bring files with them.
    pub by_page: bool,
    /// The pseudonym of the visitor's network.
    pub sender: String,
    /// Faults of the body found so far.
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
    pub row: ResultRow,
}

/// The entry of a row with the context of its editable controls: the rest of their limited options, its files, and the
/// entries that it links to.
///
/// # Errors
/// 403, 404 as for `search::entry`.
pub fn open(app: &App, query: &str, entry: &str, now: Time) -> Result<Results> {
    let mut results = app.store.read(|tx| search::entry(app, tx, query, entry))?;
    look_up(app, &mut results, &Values::new(), &[], now)?;
    Ok(results)
}

/// Looks up the entries and files that these values of a row's form name, and the options of its controls; a linked
/// field with a search offers the matches.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn look_up(app: &App, results: &mut Results, given: &Values, finds: &[Find], now: Time) -> Result<()> {
    let columns = results.open.columns();
    let editable: Vec<&Field> =
        columns.iter().filter(|column| column.is_editable).filter_map(|column| column.field.field()).collect();
    let Some(entry) = results.page.rows.first().filter(|_| !editable.is_empty()) else {
        return Ok(());
    };
    let parsed = &results.open.parsed;
    let before = stored::values(&entry.values).map_err(Error::internal)?;
    let mut found = app.store.read(|tx| {
        let mut found = write_links::of_write(&app.cache, tx, parsed, Some(given), Some(entry))?;
        let linking = editable.iter().copied();
        let linking = linking.filter(|field| field.kind.linking().is_some());
        linked_options::offer_all(app, tx, parsed, linking, finds, Looks::BRIEF, &mut found)?;
        Ok(found)
    })?;
    found.files.by_page = true;
    let own = Own::Entry(&before, &entry.results);
    found.occupancy = occupancy::for_page(app, parsed, &own, now)?;
    results.found = found;
    Ok(())
}

/// The options of a row's linked field, as the script of its page gets them; none unless visitors may edit it.
///
/// # Errors
/// 503 when it takes too long.
pub fn options(app: &App, results: &Results, find: &Find) -> Result<Json> {
    let mut columns = results.open.columns().into_iter();
    let is_theirs = columns.any(|column| column.is_editable && column.rule.field == find.field);
    let nothing = Find::default();
    let find = if is_theirs { find } else { &nothing };
    linked_options::offered(app, &results.open.parsed, find, true)
}

/// Checks the right to edit a row.
///
/// # Errors
/// 404.
pub fn check_right(app: &App, open: &OpenQuery, entry: &str, token: &str, now: Time) -> Result<()> {
    let columns = open.columns();
    let editable = editable(&columns);
    let query = open.query.token.as_str();
    let row = QueryRow { query, entry };
    if editable.is_empty() || !links::may_edit(app.keys(), row, &editable, token, now) {
        return Err(Error::NotFound(Noun::Entry));
    }
    Ok(())
}

/// The api_codes of the columns that visitors may edit.
fn editable<'c>(columns: &'c [Column]) -> Vec<&'c str> {
    columns.iter().filter(|column| column.is_editable).map(|column| column.rule.field.as_str()).collect()
}

/// Changes the editable fields that are named; others are dropped. Waits until that is on disk.
///
/// # Errors
/// 403 for a query that can't be used, 404 without the right to it, 409 where there is no room, 422.
pub fn update(app: &App, edit: Edit, now: Time) -> Result<Edited> {
    app.run_until_stored(edit.query, || try_update(app, edit.clone(), now))
}

fn try_update(app: &App, edit: Edit, now: Time) -> Result<Edited> {
    let Edit { query, entry, edit_token, field_values, by_page, sender, mut faults } = edit;
    let (results, found, given, masks) = app.store.read(|tx| {
        let mut masks = Issues::new();
        let results = search::entry(app, tx, query, entry)?;
        check_right(app, &results.open, entry, edit_token, now)?;
        let columns = results.open.columns();
        let editable = editable(&columns);
        let mut given = field_values.clone();
        if let Json::Object(given) = &mut given {
            given.retain(|code, _| editable.contains(&code.as_str()));
            results.without_masks(given, &mut masks, now)?;
        }
        let old = results.page.rows.first();
        let parsed = &results.open.parsed;
        let mut found = write_links::of_write(&app.cache, tx, parsed, given.as_object(), old)?;
        found.files.by_page = by_page;
        Ok((results, found, given, masks))
    })?;
    faults.append(masks);
    let Results { open, mut page, .. } = results;
    // It was found above.
    let old = page.rows.pop().ok_or(Error::NotFound(Noun::Entry))?;
    let shape = Arc::new(Shape { parsed: Arc::clone(&open.parsed), found });
    let request = ChangeRequest {
        raw: given,
        // Fields that the owner lets visitors edit may be hidden in the form; but quotas hold for them.
        respondent: false,
        asker: Asker::Respondent,
        if_match: IfMatch::Absent,
        by: ChangedBy { is_program: !by_page, sender: Some(sender) },
    };
    // A body that names no editable field, or only repeats masks, is no change (S70).
    let is_change = request.raw.as_object().is_none_or(|raw| !raw.is_empty()) || !faults.is_empty();
    let entry = match is_change {
        true => {
            let answers = request.read(&shape, &old, clock::now(), faults)?;
            let found = ForChange { form: open.form.clone(), shape, entry: old };
            // The fields that visitors see and may edit are looked up outside the writer.
            let again = |_: &Tx, _: &ChangeRequest| Err(Error::Stale);
            change::change(app, found, &answers, answers.faults.clone(), request, again)?.wait()?.entry
        }
        false => old,
    };
    let results = app.store.read(|tx| {
        let page = Page { rows: vec![entry.clone()], total: 1, next: None };
        Results::of(&app.cache, tx, open, page)
    })?;
    let row = results.rows(app, now)?.pop();
    let row = row.ok_or_else(|| Error::internal("an edited entry is no row"))?;
    Ok(Edited { results, row })
}
