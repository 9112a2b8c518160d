//! Lists of a form's entries, by pages: all of them, or those that are asked for (contract section 4). A
//! plain page is read at once; one of a filter is a search, for which a ticket is given.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::fields::system;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::model::serials::Serials;
use crate::ops::app::{App, Ticket};
use crate::ops::entries::Shape;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
pub use crate::query::request::FilterRequest;
use crate::query::request::{self, EntrySet, Query};
use crate::query::{self, linked_entries};
use crate::store::db::tx::Tx;
use crate::store::entries::listing::{self, EntryPosition, Sort};
use crate::store::entries::{Table, entry_scan};

/// What a list of entries is asked for.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// Which entries.
    pub filter: FilterRequest,
    /// The order.
    pub sort: Sort,
    /// Whether the last comes first.
    pub descending: bool,
    /// The fields to show; none: all.
    pub fields: Option<Vec<String>>,
    /// Which page.
    pub page: PageRequest,
}

/// A page, what is needed to show it, and what its conditions name that their fields don't have.
pub type Listed = (Shape, Page<Entry>, Vec<Issue>);

/// The orders, each also with a leading `-`.
pub const SORTS: [(&str, Sort); 3] = [
    ("serial_number", Sort::Serial),
    // Created in the order of the serials.
    ("created_at", Sort::Serial),
    ("updated_at", Sort::UpdatedAt),
];

/// The order where none is named.
pub const DEFAULT_SORT: &str = "-serial_number";

/// The order of that name, with a leading `-` for descending.
///
/// # Errors
/// 400 that lists the allowed ones.
pub fn sort_by_name(name: Option<&str>) -> Result<(Sort, bool)> {
    let name = name.unwrap_or(DEFAULT_SORT);
    let (name, descending) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
    let found = SORTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, sort)| (*sort, descending)).ok_or_else(|| {
        let names = SORTS.map(|(name, _)| name).join(", ");
        Error::BadRequest(format!("sort must be one of {names}, each with - for descending"))
    })
}

/// A page of a form's live entries. `at` has what was found wrong so far.
///
/// # Errors
/// 400 for a cursor of another list, 404, 422 for an unknown field and for conditions that can't be.
pub fn live(app: &App, caller: &Caller, token: &str, request: ListRequest, at: Issues) -> Result<Ticket<Listed>> {
    list(app, caller, token, Table::Live, request, at)
}

/// A page of a form's entries that lie there.
///
/// # Errors
/// As `live`.
pub fn list(
    app: &App,
    caller: &Caller,
    token: &str,
    table: Table,
    request: ListRequest,
    at: Issues,
) -> Result<Ticket<Listed>> {
    let place = request.page.place()?;
    let is_filtered = !request.filter.is_empty();
    let (cache, caller) = (Arc::clone(&app.cache), caller.clone());
    let token = token.to_owned();
    let list = move |tx: &Tx| {
        let (form, query) = read_query(&cache, tx, &caller, &token, &request, at)?;
        if query.filter.is_empty() {
            return all(&cache, tx, &form, table, &query, &request, place);
        }
        let set = EntrySet { form_no: form.form_no, table };
        let serials = query::matching(&cache, tx, set, &query)?;
        let rows = rows_of_page(tx, set, &serials, &request, place)?;
        to_page(&cache, tx, &query, &request, rows, serials.len())
    };
    if is_filtered {
        return Ok(app.store.search(list));
    }
    Ok(Ticket::ready(Ok(app.store.read(list)?)))
}

/// The form, if the caller may read it, and the query.
fn read_query(
    cache: &Cache,
    tx: &Tx,
    caller: &Caller,
    token: &str,
    request: &ListRequest,
    mut at: Issues,
) -> Result<(Form, Query)> {
    let form = access::form_for(tx, caller, token, Right::Read)?;
    let parsed = cache.parsed(tx, &form)?;
    check_fields(&parsed, request.fields.as_deref(), &mut at);
    let query = Query::read(cache, tx, &parsed, &request.filter, &mut at)?;
    at.into_result()?;
    Ok((form, query))
}

/// Notes fields that are asked for and are not there. What an entry has of itself may be named, too.
pub(in crate::ops) fn check_fields(parsed: &ParsedForm, wanted: Option<&[String]>, at: &mut Issues) {
    let results = parsed.result_fields().iter().map(|field| field.name);
    let fields = parsed.definition.fields.with_values();
    let known: Vec<&str> = fields.map(|field| field.api_code.as_str()).chain(results).collect();
    let unknown: Vec<String> = wanted
        .into_iter()
        .flatten()
        .filter(|code| !known.contains(&code.as_str()) && !system::is_own(code))
        .map(|code| format!("{code:?}"))
        .collect();
    if !unknown.is_empty() {
        let is = if unknown.len() > 1 { "are" } else { "is" };
        let (unknown, known) = (unknown.join(", "), known.join(", "));
        let message = format!("{unknown} {is} not among the fields of this form (use {known})");
        at.push_at("fields", Reason::other(message));
    }
}

/// A page of all entries.
fn all(
    cache: &Cache,
    tx: &Tx,
    form: &Form,
    table: Table,
    query: &Query,
    request: &ListRequest,
    place: Option<EntryPosition>,
) -> Result<Listed> {
    let (sort, descending) = (request.sort, request.descending);
    let limit = request.page.size + 1;
    let rows = listing::list(tx, form.form_no, table, sort, descending, place, limit)?;
    let total = request::count(tx, form, table)?;
    to_page(cache, tx, query, request, rows, total)
}

/// The page that these rows make, of which the last one says only that there are more.
fn to_page(
    cache: &Cache,
    tx: &Tx,
    query: &Query,
    request: &ListRequest,
    mut rows: Vec<Entry>,
    total: i64,
) -> Result<Listed> {
    let more = rows.len() > request.page.size;
    rows.truncate(request.page.size);
    let next = rows.last().filter(|_| more).map(|entry| format!("{}.{}", entry.updated_at.millis(), entry.serial));
    let found = linked_entries::of_entries(cache, tx, &query.parsed, &rows)?;
    let parsed = Arc::clone(&query.parsed);
    Ok((Shape { parsed, found }, Page { rows, total, next }, query.warnings.clone()))
}

/// The rows of a page out of the serials that match, and one more.
fn rows_of_page(
    tx: &Tx,
    set: EntrySet,
    serials: &Serials,
    request: &ListRequest,
    place: Option<EntryPosition>,
) -> Result<Vec<Entry>> {
    let limit = request.page.size + 1;
    let wanted = match request.sort {
        Sort::Serial => {
            let after = place.map(|(_, serial)| serial);
            serials.beyond(after, request.descending, limit)
        }
        Sort::UpdatedAt => by_change(tx, set, serials, request.descending, place, limit)?,
    };
    let mut rows = entry_scan::by_serials(tx, set.table, set.form_no, &wanted)?;
    if request.sort == Sort::UpdatedAt {
        rows.sort_by_key(|entry| (entry.updated_at, entry.serial));
    }
    if request.descending {
        rows.reverse();
    }
    rows.truncate(limit);
    Ok(rows)
}

/// Of these serials, those that come next in the order of changes, in no order, and maybe some that come
/// later. Entries that never changed do so in the order of their serials; of the others all are asked.
fn by_change(
    tx: &Tx,
    set: EntrySet,
    serials: &Serials,
    descending: bool,
    place: Option<EntryPosition>,
    limit: usize,
) -> Result<Vec<i64>> {
    let EntrySet { form_no, table } = set;
    let mut untouched = serials.clone();
    let mut edited: BTreeSet<EntryPosition> = BTreeSet::new();
    entry_scan::changes(tx, table, form_no, &mut |at, serial| {
        if !serials.contains(serial) {
            return;
        }
        untouched.remove(serial);
        let own = (at.millis(), serial);
        let is_beyond = |place| if descending { own < place } else { own > place };
        if place.is_none_or(is_beyond) {
            edited.insert(own);
            if edited.len() > limit && descending {
                edited.pop_first();
            } else if edited.len() > limit {
                edited.pop_last();
            }
        }
    })?;
    let after = place.map(|place| entry_scan::untouched_beyond(tx, table, form_no, descending, place)).transpose()?;
    let mut out = untouched.beyond(after, descending, limit);
    out.extend(edited.into_iter().map(|(_, serial)| serial));
    Ok(out)
}
