//! Searches of visitors (contract section 8): the entered values become one filter with the query's scope, and only the
//! fields that the query shows leave this module (S66).

use std::sync::Arc;

use serde_json::{Map, json};

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text;
use crate::fields::columns::Cell;
use crate::fields::files::links::QueryRow;
use crate::fields::filter::Clause;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::fields::public_query::{By, RowCx};
use crate::model::entry::Entry;
use crate::model::page::{Page, PageRequest};
use crate::model::public_query::Operand;
use crate::model::serials::Serials;
use crate::ops::app::{App, Ticket};
use crate::ops::exams::certificates;
use crate::ops::queries::links;
use crate::ops::queries::visit::{self, OpenQuery, SearchInput};
use crate::query::form_cache::Cache;
use crate::query::request::{EntrySet, Query};
use crate::query::{self, as_read, exact, linked_entries};
use crate::store::db::tx::Tx;
use crate::store::entries::{self, Table, entry_scan};

/// The search values that a visitor entered, by api_code.
pub type SearchValues = Map<String, Json>;

/// The result of a search: a page of entries, as the query shows them.
pub struct Results {
    pub open: OpenQuery,
    pub page: Page<Entry>,
    pub(in crate::ops) found: LinkedData,
}

/// An entry as visitors see it.
pub struct ResultRow {
    pub entry: Entry,
    /// The address of its own view, below the service's.
    pub view: String,
    /// The right to edit it; none where nothing is editable.
    pub edit_token: Option<String>,
    /// A value for each of the query's columns.
    pub values: Vec<Value>,
}

/// A value as visitors see it.
pub struct Value {
    /// In its read shape, or masked.
    pub json: Json,
    /// For people.
    pub lines: Vec<String>,
}

/// Searches for entries.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404, 422 for missing or invalid search values, at `values`; 503 when it takes
/// too long.
pub fn search(app: &App, token: &str, given: SearchValues, page: PageRequest) -> Result<Ticket<Results>> {
    // Most visitors look up one entry: that needs no thread for long searches.
    let found = app.store.read(|tx| {
        let open = visit::load(&app.cache, tx, token)?.open()?;
        let query = read(tx, &open, &given)?;
        let few = exact::matching(&app.cache, tx, open.form.form_no, &query)?;
        few.map(|serials| page_of(&app.cache, tx, open, &serials, &page)).transpose()
    })?;
    if let Some(results) = found {
        return Ok(Ticket::ready(Ok(results)));
    }
    let (cache, token) = (Arc::clone(&app.cache), token.to_owned());
    Ok(app.store.search(move |tx| {
        let open = visit::load(&cache, tx, &token)?.open()?;
        let serials = matching(&cache, tx, &open, &given)?;
        page_of(&cache, tx, open, &serials, &page)
    }))
}

/// A page of the results, newest first.
fn page_of(cache: &Cache, tx: &Tx, open: OpenQuery, serials: &Serials, page: &PageRequest) -> Result<Results> {
    let after = page.after.as_deref();
    let after = after.and_then(|token| entries::serial_of(tx, token));
    let mut wanted = serials.beyond(after, true, page.size + 1);
    let more = wanted.len() > page.size;
    wanted.truncate(page.size);
    let (form_no, total) = (open.form.form_no, serials.len());
    let mut rows = entry_scan::by_serials(tx, Table::Live, form_no, &wanted)?;
    rows.reverse();
    // Its token tells nothing of the entry, as its number would.
    let last = rows.last().filter(|_| more);
    let next = last.map(|last| last.token.to_string());
    Results::of(cache, tx, open, Page { rows, total, next })
}

/// All entries that a search finds.
pub(in crate::ops) fn matching(cache: &Cache, tx: &Tx, open: &OpenQuery, given: &SearchValues) -> Result<Serials> {
    let query = read(tx, open, given)?;
    let set = EntrySet { form_no: open.form.form_no, table: Table::Live };
    query::matching(cache, tx, set, &query)
}

/// The context that searches are read in.
struct Reading<'r> {
    open: &'r OpenQuery,
    given: &'r SearchValues,
    cx: Cx<'r>,
}

/// The filter of the entered values, within the query's scope.
fn read(tx: &Tx, open: &OpenQuery, given: &SearchValues) -> Result<Query> {
    let mut at = Issues::new();
    let mut filter = open.scope(tx);
    let reading = Reading { open, given, cx: open.parsed.cx_with(tx.now, true, &open.forms) };
    let groups = open.query.content.rules.search.iter().zip(open.asked());
    for (group, asked) in groups {
        at.key("values", |at| match group.operand {
            Operand::And => filter.any_of.extend(read_all(&reading, &asked, at)),
            Operand::Or => filter.any_of.push(read_any(&reading, &asked, at)),
        });
    }
    at.into_result()?;
    Ok(Query { forms: open.forms.forms_alone(), ..Query::of(&open.parsed, filter) })
}

/// Of a group, every field must be filled in and match. A field that the form no longer has matches nothing.
fn read_all(reading: &Reading, asked: &[Option<SearchInput>], at: &mut Issues) -> Vec<Vec<Clause>> {
    let read = asked.iter().map(|asked| {
        let Some(asked) = asked else {
            return Vec::new();
        };
        match value(reading.given, asked) {
            None => {
                at.push_at(&asked.rule.field, Reason::Blank);
                Vec::new()
            }
            Some(value) => clauses(reading, asked, value, at),
        }
    });
    read.collect()
}

/// Of a group, one field must be filled in, and one of the filled-in fields must match.
fn read_any(reading: &Reading, asked: &[Option<SearchInput>], at: &mut Issues) -> Vec<Clause> {
    let known: Vec<&SearchInput> = asked.iter().flatten().collect();
    let mut any = Vec::new();
    let mut is_given = known.is_empty();
    for asked in &known {
        if let Some(value) = value(reading.given, asked) {
            is_given = true;
            any.extend(clauses(reading, asked, value, at));
        }
    }
    if !is_given {
        for asked in known {
            at.push_at(
                &asked.rule.field,
                Reason::other("can't be blank unless another field of its group is filled in"),
            );
        }
    }
    any
}

/// The value entered for a field, as clauses of which one must hold.
fn clauses(reading: &Reading, asked: &SearchInput, value: &Json, at: &mut Issues) -> Vec<Clause> {
    let fields = &reading.open.parsed.definition.fields;
    let by = match asked.rule.fuzzy {
        false => By::Whole,
        true if reading.open.masks(&asked.rule.field) => By::MaskedPart,
        true => By::Part,
    };
    let read = asked.field.clauses(fields, value, by, &reading.cx);
    read.unwrap_or_else(|reason| {
        at.push_at(&asked.rule.field, reason);
        Vec::new()
    })
}

/// The value entered; `None` for blank text.
fn value<'g>(given: &'g SearchValues, asked: &SearchInput) -> Option<&'g Json> {
    given.get(&asked.rule.field).filter(|value| match value {
        Json::Null => false,
        Json::String(typed) => !text::is_blank(typed),
        _ => true,
    })
}

/// The entry of a row, if visitors can still find it.
///
/// # Errors
/// 403, 404: the same for one that is gone, in the trash or out of the query's scope (S68).
pub fn entry(app: &App, tx: &Tx, token: &str, entry: &str) -> Result<Results> {
    let open = visit::load(&app.cache, tx, token)?.open()?;
    let unknown = || Error::NotFound(Noun::Entry);
    let form_no = open.form.form_no;
    let entry = entries::by_token(tx, form_no, entry)?.ok_or_else(unknown)?;
    let query = Query { forms: open.forms.forms_alone(), ..Query::of(&open.parsed, open.scope(tx)) };
    let set = EntrySet { form_no, table: Table::Live };
    if !query::is_matching(&app.cache, tx, set, &query, entry.serial)? {
        return Err(unknown());
    }
    let page = Page { rows: vec![entry], total: 1, next: None };
    Results::of(&app.cache, tx, open, page)
}

impl Results {
    pub(in crate::ops) fn of(cache: &Cache, tx: &Tx, open: OpenQuery, page: Page<Entry>) -> Result<Self> {
        let found = linked_entries::of_entries(cache, tx, &open.parsed, &page.rows)?;
        Ok(Self { open, page, found })
    }

    /// Calls `f` with an entry, read for a visitor of the query.
    fn with_row<T>(&self, entry: &Entry, now: Time, f: impl FnOnce(&RowCx, QueryRow) -> T) -> Result<T> {
        let parsed = &self.open.parsed;
        let row = QueryRow { query: self.open.query.token.as_str(), entry: entry.token.as_str() };
        let mut cx = parsed.cx_with(now, true, &self.found);
        cx.files.row = Some(row);
        let values = as_read::values(parsed, &entry.values, &cx)?;
        let certificate = certificates::link_value(parsed, entry, &cx);
        let row_cx = RowCx { entry, values: &values, certificate, cx };
        Ok(f(&row_cx, row))
    }

    /// The entries as visitors see them.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn rows(&self, app: &App, now: Time) -> Result<Vec<ResultRow>> {
        let columns = self.open.columns();
        let editable: Vec<&str> =
            columns.iter().filter(|column| column.is_editable).map(|column| column.rule.field.as_str()).collect();
        let rows = self.page.rows.iter();
        rows.map(|entry| {
            self.with_row(entry, now, |cx, row| {
                let values = columns.iter().map(|column| Value {
                    json: column.field.read(cx, column.rule.protected),
                    lines: column.field.lines(cx, column.rule.protected),
                });
                let may_edit = !editable.is_empty();
                ResultRow {
                    values: values.collect(),
                    view: links::view(app.keys(), row, now),
                    edit_token: may_edit.then(|| links::edit_token(app.keys(), row, &editable, now)),
                    entry: entry.clone(),
                }
            })
        })
        .collect()
    }

    /// The values of the editable columns of the first entry, for their controls: masked where visitors see them
    /// masked, `None` where a column can't be edited.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn page_values(&self, now: Time) -> Result<Vec<Option<Json>>> {
        let columns = self.open.columns();
        let Some(entry) = self.page.rows.first() else {
            return Ok(Vec::new());
        };
        self.with_row(entry, now, |cx, _| {
            let shown = columns.iter().map(|column| {
                let editable = column.is_editable.then_some(&column.field)?;
                editable.on_page(cx, column.rule.protected)
            });
            shown.collect()
        })
    }

    /// The context for drawing controls.
    pub fn cx(&self, now: Time) -> Cx<'_> {
        self.open.parsed.cx_with(now, true, &self.found)
    }

    /// The rows in the API: each entry's token, the right to edit it, and the values by their api_codes.
    pub fn json(&self, rows: &[ResultRow]) -> Vec<String> {
        let columns = self.open.columns();
        let row = |row: &ResultRow| {
            let mut out = Map::new();
            out.insert("entry_token".to_owned(), json!(row.entry.token.as_str()));
            if let Some(token) = &row.edit_token {
                out.insert("edit_token".to_owned(), json!(token));
            }
            for (column, value) in columns.iter().zip(&row.values) {
                out.insert(column.rule.field.clone(), value.json.clone());
            }
            Json::Object(out).to_string()
        };
        rows.iter().map(row).collect()
    }

    /// The entries as the rows of a spreadsheet.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub(in crate::ops) fn cells(&self, now: Time) -> Result<Vec<Vec<Cell>>> {
        let columns = self.open.columns();
        let rows = self.page.rows.iter();
        rows.map(|entry| {
            self.with_row(entry, now, |cx, _| {
                let cells = columns.iter();
                cells.map(|column| column.field.cell(cx, column.rule.protected)).collect()
            })
        })
        .collect()
    }

    /// Takes values without a change out of an edit: a masked value that was sent back (S70). Another value that is
    /// masked in part is a fault.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub(in crate::ops) fn without_masks(&self, given: &mut SearchValues, at: &mut Issues, now: Time) -> Result<()> {
        let columns = self.open.columns();
        for entry in &self.page.rows {
            self.with_row(entry, now, |cx, _| {
                for column in &columns {
                    let (code, protected) = (&column.rule.field, column.rule.protected);
                    let Some(value) = given.get(code) else {
                        continue;
                    };
                    if column.field.is_mask_of(value, cx, protected) {
                        given.shift_remove(code);
                    } else if column.field.is_masked(protected) && has_mask(value) {
                        let fault = "is partly masked: give the whole value, or leave it unchanged";
                        at.key("field_values", |at| at.push_at(code, Reason::other(fault)));
                    }
                }
            })?;
        }
        Ok(())
    }
}

/// Whether a value has a masked part.
pub fn has_mask(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains("**"),
        Json::Object(members) => members.values().any(has_mask),
        _ => false,
    }
}
