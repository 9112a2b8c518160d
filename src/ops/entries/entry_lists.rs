//! Lists of a form's entries, by pages: of all entries, or of those that match a filter (contract section 4). A plain
//! page is read at once; one of a filter is a search, for which a ticket is given.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::system;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::model::serials::Serials;
use crate::ops::app::{App, Ticket};
use crate::ops::entries::Shape;
use crate::ops::entries::entry_pages::{self, read_page};
use crate::ops::forms::access::{self, Right};
use crate::query::answer_order::{AnswerList, AnswerPosition};
use crate::query::form_cache::{Cache, ParsedForm};
pub use crate::query::request::FilterRequest;
use crate::query::request::{self, EntrySet, Query};
use crate::query::{self, linked_entries};
use crate::store::db::tx::Tx;
pub use crate::store::entries::listing::Sort;
use crate::store::entries::listing::{self, EntryPosition};
use crate::store::entries::{Table, counters, entry_scan};

/// A request for a list of entries.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// Which entries.
    pub filter: FilterRequest,
    /// The order.
    pub order: Order,
    /// Whether the last comes first.
    pub descending: bool,
    /// The fields to show; none: all.
    pub fields: Option<Vec<String>>,
    /// Which page.
    pub page: PageRequest,
}

impl ListRequest {
    /// Whether finding the page takes a search.
    fn is_search(&self) -> bool {
        !self.filter.is_empty() || matches!(self.order, Order::Answer(_))
    }
}

/// The entries of the longest page.
const MOST_WATCHED: usize = 100;

/// The place of the last page, as the page before another has one.
pub const LAST_PAGE: &str = entry_pages::LAST;

/// A page of entries.
pub struct Listed {
    /// The context for showing them.
    pub shape: Shape,
    pub page: Page<Entry>,
    /// The cursor of the page before; none on the first one.
    pub previous: Option<String>,
    /// The highest serial number that was given out before the page was read.
    pub newest: i64,
    /// Names in the conditions that their fields don't have.
    pub warnings: Vec<Issue>,
}

/// The order of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// By a property of every entry.
    Entry(Sort),
    /// By the answers to the question of this name.
    Answer(String),
}

/// The orders by properties of every entry, each also with a leading `-`.
pub const SORTS: [(&str, Sort); 3] = [
    ("serial_number", Sort::Serial),
    // Created in the order of the serials.
    ("created_at", Sort::Serial),
    ("updated_at", Sort::UpdatedAt),
];

/// The order where none is named.
pub const DEFAULT_SORT: &str = "-serial_number";

/// The pattern of question names.
pub const QUESTION_SORT: &str = "^-?field_[0-9]+$";

/// The order of that name, with a leading `-` for descending. Whether the form has a question is not known here.
///
/// # Errors
/// 400 that lists the allowed ones.
pub fn order_by_name(name: Option<&str>) -> Result<(Order, bool)> {
    let name = name.unwrap_or(DEFAULT_SORT);
    let (name, descending) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
    if let Some((_, sort)) = SORTS.iter().find(|(known, _)| *known == name) {
        return Ok((Order::Entry(*sort), descending));
    }
    if name.starts_with("field_") {
        return Ok((Order::Answer(name.to_owned()), descending));
    }
    let names = SORTS.map(|(name, _)| name).join(", ");
    Err(Error::BadRequest(phrase!(
        "sort must be one of {} or a question such as field_3, each with - for descending",
        names
    )))
}

/// A page of a form's live entries. `at` has the faults found so far.
///
/// # Errors
/// 400 for a cursor of another list, 404, 422 for an unknown field and for conditions that can't be.
pub fn live(app: &App, caller: &Caller, token: &str, request: ListRequest, at: Issues) -> Result<Ticket<Listed>> {
    list(app, caller, token, Table::Live, request, at)
}

/// A page of a form's entries in the trash.
///
/// # Errors
/// As `live`.
pub fn in_trash(app: &App, caller: &Caller, token: &str, request: ListRequest, at: Issues) -> Result<Ticket<Listed>> {
    list(app, caller, token, Table::Trash, request, at)
}

/// A page of a form's entries that lie there.
///
/// # Errors
/// As `live`.
fn list(
    app: &App,
    caller: &Caller,
    token: &str,
    table: Table,
    request: ListRequest,
    at: Issues,
) -> Result<Ticket<Listed>> {
    let is_search = request.is_search();
    let (cache, caller) = (Arc::clone(&app.cache), caller.clone());
    let token = token.to_owned();
    let list = move |tx: &Tx| {
        let (form, query) = read_query(&cache, tx, &caller, &token, &request, at)?;
        let set = EntrySet { form_no: form.form_no, table };
        let (page, previous) = match &request.order {
            Order::Entry(sort) if query.filter.is_empty() => {
                let total = request::count(tx, &form, table)?;
                let rows = |descending, place: Option<&EntryPosition>, limit| {
                    listing::list(tx, form.form_no, table, *sort, descending, place.copied(), limit)
                };
                read_page(&request.page, request.descending, total, |entry| Ok(position(entry)), rows)?
            }
            Order::Entry(sort) => {
                let serials = query::matching(&cache, tx, set, &query)?;
                let rows = |descending, place: Option<&EntryPosition>, limit| {
                    rows_of_page(tx, set, &serials, *sort, descending, place.copied(), limit)
                };
                read_page(&request.page, request.descending, serials.len(), |entry| Ok(position(entry)), rows)?
            }
            Order::Answer(code) => {
                let answers = by_answer(&cache, tx, set, &query, code, request.descending)?;
                let serials = query::matching(&cache, tx, set, &query)?;
                let rows = |descending, place: Option<&AnswerPosition>, limit| {
                    let is_back = descending != request.descending;
                    answered_rows(tx, set, answers.page(&serials, place, is_back, limit)?)
                };
                read_page(&request.page, request.descending, serials.len(), |entry| answers.position(entry), rows)?
            }
        };
        let found = linked_entries::of_entries(&cache, tx, &query.parsed, &page.rows)?;
        let shape = Shape { parsed: Arc::clone(&query.parsed), found };
        let newest = counters::of_form(tx, form.form_no)?.next_serial - 1;
        Ok(Listed { shape, page, previous, newest, warnings: query.warnings })
    };
    if is_search {
        return Ok(app.store.search(list));
    }
    Ok(Ticket::ready(Ok(app.store.read(list)?)))
}

/// How many live entries that match came after this serial number.
///
/// # Errors
/// As `live`.
pub fn newer(app: &App, caller: &Caller, token: &str, filter: FilterRequest, after: i64) -> Result<Ticket<i64>> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let page = PageRequest { size: 1, after: None };
    let request = ListRequest { filter, order: Order::Entry(Sort::Serial), descending: true, fields: None, page };
    Ok(app.store.search(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Read)?;
        if counters::of_form(tx, form.form_no)?.next_serial <= after + 1 {
            return Ok(0);
        }
        let (form, query) = read_query(&cache, tx, &caller, &token, &request, Issues::new())?;
        let set = EntrySet { form_no: form.form_no, table: Table::Live };
        Ok(query::matching(&cache, tx, set, &query)?.count_above(after))
    }))
}

/// Which of these entries, at most a page of them, were changed since then or are live no more.
///
/// # Errors
/// 404.
pub fn changed_since(app: &App, caller: &Caller, token: &str, serials: &[i64], since: Time) -> Result<Vec<i64>> {
    let some = &serials[..serials.len().min(MOST_WATCHED)];
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let mut known = some.to_vec();
        known.sort_unstable();
        let live = entry_scan::by_serials(tx, Table::Live, form.form_no, &known)?;
        let is_untouched = |serial: &i64| live.iter().any(|entry| entry.serial == *serial && entry.updated_at < since);
        Ok(known.into_iter().filter(|serial| !is_untouched(serial)).collect())
    })
}

/// The entries before and after one in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    pub previous: Option<i64>,
    pub next: Option<i64>,
}

/// The neighbours of an entry in a list of live entries, which it need not be in (any more).
///
/// # Errors
/// 404, 422 for conditions that can't be.
pub fn neighbours(
    app: &App,
    caller: &Caller,
    token: &str,
    filter: FilterRequest,
    (order, descending): (Order, bool),
    entry: &Entry,
) -> Result<Ticket<Neighbours>> {
    let request = ListRequest { filter, order, descending, fields: None, page: PageRequest { size: 1, after: None } };
    let is_search = request.is_search();
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let entry = entry.clone();
    let find = move |tx: &Tx| {
        let (form, query) = read_query(&cache, tx, &caller, &token, &request, Issues::new())?;
        let set = EntrySet { form_no: form.form_no, table: Table::Live };
        let (place, first) = (Some(position(&entry)), |rows: Vec<Entry>| rows.first().map(|entry| entry.serial));
        let beside = |is_back: bool| {
            let to = is_back != descending;
            Ok::<_, Error>(match &request.order {
                Order::Entry(sort) if query.filter.is_empty() => {
                    first(listing::list(tx, set.form_no, set.table, *sort, to, place, 1)?)
                }
                Order::Entry(sort) => {
                    let serials = query::matching(&cache, tx, set, &query)?;
                    first(rows_of_page(tx, set, &serials, *sort, to, place, 1)?)
                }
                Order::Answer(code) => {
                    let answers = by_answer(&cache, tx, set, &query, code, descending)?;
                    let serials = query::matching(&cache, tx, set, &query)?;
                    let place = answers.position(&entry)?;
                    answers.page(&serials, Some(&place), is_back, 1)?.first().map(|(_, serial)| *serial)
                }
            })
        };
        Ok(Neighbours { previous: beside(true)?, next: beside(false)? })
    };
    if is_search {
        return Ok(app.store.search(find));
    }
    Ok(Ticket::ready(Ok(app.store.read(find)?)))
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
    check_order(&parsed, &request.order, &mut at);
    let query = Query::read(cache, tx, &parsed, &request.filter, &mut at)?;
    at.into_result()?;
    Ok((form, query))
}

/// Notes requested fields that do not exist. Properties of the entry itself may be named, too.
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
        let (count, unknown, known) = (unknown.len(), unknown.join(", "), known.join(", "));
        let message = match count {
            1 => phrase!("{} is not among the fields of this form (use {})", unknown, known),
            _ => phrase!("{} are not among the fields of this form (use {})", unknown, known),
        };
        at.push_at("fields", Reason::other(message));
    }
}

/// Notes an order by a question that is not there, or by which a list can't be sorted.
fn check_order(parsed: &ParsedForm, order: &Order, at: &mut Issues) {
    let Order::Answer(code) = order else {
        return;
    };
    let fields = &parsed.definition.fields;
    if fields.get(code).is_some_and(|field| field.kind.answer_order().is_some()) {
        return;
    }
    let sorted = fields.iter().filter(|field| field.kind.answer_order().is_some());
    let sorted = sorted.map(|field| field.api_code.as_str()).collect::<Vec<_>>().join(", ");
    let code_text = format!("{code:?}");
    let message = match (fields.get(code).is_some(), sorted.is_empty()) {
        (true, true) => phrase!("{} can't be sorted by", code_text),
        (true, false) => phrase!("{} can't be sorted by (use {})", code_text, sorted),
        (false, true) => phrase!("{} is not a field of this form", code_text),
        (false, false) => phrase!("{} is not a field of this form (use {})", code_text, sorted),
    };
    at.push_at("sort", Reason::other(message));
}

fn by_answer<'q>(
    cache: &'q Cache,
    tx: &'q Tx<'q>,
    set: EntrySet,
    query: &'q Query,
    code: &str,
    descending: bool,
) -> Result<AnswerList<'q>> {
    // The order was checked together with the query.
    AnswerList::new(cache, tx, set, query, code, descending)
        .ok_or_else(|| Error::internal("a list in an order that it does not have"))
}

/// The entries at these positions, in their order.
fn answered_rows(tx: &Tx, set: EntrySet, positions: Vec<AnswerPosition>) -> Result<Vec<Entry>> {
    let serials: Vec<i64> = positions.into_iter().map(|(_, serial)| serial).collect();
    let mut rows = entry_scan::by_serials(tx, set.table, set.form_no, &serials)?;
    rows.sort_by_key(|entry| serials.iter().position(|serial| *serial == entry.serial));
    Ok(rows)
}

/// The position of an entry in a list by serial number or by change.
fn position(entry: &Entry) -> EntryPosition {
    (entry.updated_at.millis(), entry.serial)
}

/// At most so many of the matching entries, from a position on.
fn rows_of_page(
    tx: &Tx,
    set: EntrySet,
    serials: &Serials,
    sort: Sort,
    descending: bool,
    place: Option<EntryPosition>,
    limit: usize,
) -> Result<Vec<Entry>> {
    let wanted = match sort {
        Sort::Serial => {
            let after = place.map(|(_, serial)| serial);
            serials.beyond(after, descending, limit)
        }
        Sort::UpdatedAt => by_change(tx, set, serials, descending, place, limit)?,
    };
    let mut rows = entry_scan::by_serials(tx, set.table, set.form_no, &wanted)?;
    if sort == Sort::UpdatedAt {
        rows.sort_by_key(position);
    }
    if descending {
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
