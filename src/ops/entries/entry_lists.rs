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
use crate::model::page::{self, Page, PageRequest};
use crate::model::serials::Serials;
use crate::ops::app::{App, Ticket};
use crate::ops::entries::Shape;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
pub use crate::query::request::FilterRequest;
use crate::query::request::{self, EntrySet, Query};
use crate::query::{self, linked_entries};
use crate::store::db::tx::Tx;
pub use crate::store::entries::listing::Sort;
use crate::store::entries::listing::{self, EntryPosition};
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

/// A page of entries.
pub struct Listed {
    /// The context for showing them.
    pub shape: Shape,
    pub page: Page<Entry>,
    /// The cursor of the page before; none on the first one.
    pub previous: Option<String>,
    /// Names in the conditions that their fields don't have.
    pub warnings: Vec<Issue>,
}

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
    let edge = Edge::of(&request.page)?;
    let is_filtered = !request.filter.is_empty();
    let (cache, caller) = (Arc::clone(&app.cache), caller.clone());
    let token = token.to_owned();
    let list = move |tx: &Tx| {
        let (form, query) = read_query(&cache, tx, &caller, &token, &request, at)?;
        let set = EntrySet { form_no: form.form_no, table };
        let (page, previous) = if query.filter.is_empty() {
            let total = request::count(tx, &form, table)?;
            let rows = |descending, place, limit| {
                listing::list(tx, form.form_no, table, request.sort, descending, place, limit)
            };
            read_page(&request, edge, total, rows)?
        } else {
            let serials = query::matching(&cache, tx, set, &query)?;
            let rows =
                |descending, place, limit| rows_of_page(tx, set, &serials, request.sort, descending, place, limit);
            read_page(&request, edge, serials.len(), rows)?
        };
        let found = linked_entries::of_entries(&cache, tx, &query.parsed, &page.rows)?;
        let shape = Shape { parsed: Arc::clone(&query.parsed), found };
        Ok(Listed { shape, page, previous, warnings: query.warnings })
    };
    if is_filtered {
        return Ok(app.store.search(list));
    }
    Ok(Ticket::ready(Ok(app.store.read(list)?)))
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
    (sort, descending): (Sort, bool),
    entry: &Entry,
) -> Result<Ticket<Neighbours>> {
    let is_filtered = !filter.is_empty();
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let place = position(entry);
    let find = move |tx: &Tx| {
        let request =
            ListRequest { filter, sort, descending, fields: None, page: PageRequest { size: 1, after: None } };
        let (form, query) = read_query(&cache, tx, &caller, &token, &request, Issues::new())?;
        let set = EntrySet { form_no: form.form_no, table: Table::Live };
        let beside = |rows: Vec<Entry>| rows.first().map(|entry| entry.serial);
        if query.filter.is_empty() {
            let read = |descending| listing::list(tx, set.form_no, set.table, sort, descending, Some(place), 1);
            return Ok(Neighbours { previous: beside(read(!descending)?), next: beside(read(descending)?) });
        }
        let serials = query::matching(&cache, tx, set, &query)?;
        let read = |descending| rows_of_page(tx, set, &serials, sort, descending, Some(place), 1);
        Ok(Neighbours { previous: beside(read(!descending)?), next: beside(read(descending)?) })
    };
    if is_filtered {
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

/// Where a page lies in its list.
#[derive(Clone, Copy)]
enum Edge {
    First,
    After(EntryPosition),
    Before(EntryPosition),
}

/// Marks the cursor of a page that ends before a position.
const BEFORE: &str = "before.";

impl Edge {
    fn of(page: &PageRequest) -> Result<Self> {
        Ok(match page.after.as_deref() {
            None => Self::First,
            Some(text) => match text.strip_prefix(BEFORE) {
                Some(text) => Self::Before(page::position(text)?),
                None => Self::After(page::position(text)?),
            },
        })
    }
}

/// The page that lies there, and the cursor of the page before. `read` gives at most so many entries from a position on
/// (that one left out), in descending order or not.
fn read_page(
    request: &ListRequest,
    edge: Edge,
    total: i64,
    read: impl Fn(bool, Option<EntryPosition>, usize) -> Result<Vec<Entry>>,
) -> Result<(Page<Entry>, Option<String>)> {
    let (onwards, size) = (request.descending, request.page.size);
    let (is_back, place) = match edge {
        Edge::First => (false, None),
        Edge::After(place) => (false, Some(place)),
        Edge::Before(place) => (true, Some(place)),
    };
    let mut rows = read(onwards != is_back, place, size + 1)?;
    let has_more = rows.len() > size;
    rows.truncate(size);
    if is_back {
        rows.reverse();
    }
    // Where everything on the page was deleted meanwhile, its edge itself may be the neighbour.
    let first = rows.first().map(position).or(place.map(|place| beside(place, onwards)));
    let last = rows.last().map(position).or(place.map(|place| beside(place, !onwards)));
    let exists = |descending, place| Ok::<_, Error>(!read(descending, place, 1)?.is_empty());
    let has_next = if is_back { exists(onwards, last)? } else { has_more };
    let has_previous = match edge {
        Edge::First => false,
        Edge::After(_) => exists(!onwards, first)?,
        Edge::Before(_) => has_more,
    };
    let text = |(value, serial): EntryPosition| format!("{value}.{serial}");
    let next = last.filter(|_| has_next).map(text);
    let previous = first.filter(|_| has_previous).map(|place| format!("{BEFORE}{}", text(place)));
    Ok((Page { rows, total, next }, previous))
}

fn position(entry: &Entry) -> EntryPosition {
    (entry.updated_at.millis(), entry.serial)
}

/// The position next to one, so that reading from there in the other direction begins with that one.
fn beside((value, serial): EntryPosition, descending: bool) -> EntryPosition {
    (value, if descending { serial - 1 } else { serial + 1 })
}

/// At most so many entries out of the serials that match, from a position on.
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
