//! `/api/v1/forms/{form_token}/entries` as a list, with the query in the address or in the body.

use serde_json::json;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists::{self, FilterRequest, ListRequest, Listed};
use crate::web::api::entries;
use crate::web::files::entry_export::split;
use crate::web::openapi::doc::AnswerBody::Page;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::{self, entry_list};

use crate::ops::app::{App, Ticket};
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// The body of a list query.
pub static QUERY: Shape = Shape::new("EntryQuery", || {
    Reader::describe(|reader| {
        QueryBody::read(reader);
    })
});

/// Lists live entries, or those in the trash.
type ListEntries = fn(&App, &Caller, &str, ListRequest, Issues) -> Result<Ticket<Listed>>;

pub const LIST_ENTRIES: Doc = Doc::new("list_entries", 200, Page(&entries::ENTRY))
    .says(
        "List entries",
        "A form's entries, newest first. Pages are stable: no row is skipped or repeated when entries are added or \
         deleted in between.",
    )
    .query(entry_list)
    .checks_query();

/// `GET /forms/{form_token}/entries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    of_address(call, caller, entry_lists::live)
}

/// The page that the call's address asks for; 400 for an invalid sort, size, cursor or filter.
pub fn of_address(call: &Call, caller: &Caller, list_entries: ListEntries) -> Result<Reply> {
    let sort = call.query("sort");
    let (order, descending) = entry_lists::order_by_name(sort.as_deref())?;
    let filter = FilterRequest::of_query(call.query("filters"), call.query("keyword"))?;
    let list = paged_list(call, caller, &filter, sort.as_deref()).page_in_address(call);
    let request = ListRequest {
        filter,
        order,
        descending,
        fields: call.query("fields").and_then(|list| split(&list)),
        page: list.request()?,
    };
    page(call, caller, list, list_entries, request, Issues::new())
}

pub const QUERY_ENTRIES: Doc = Doc::new("query_entries", 200, Page(&entries::ENTRY))
    .says("Query entries", "The same list with the query in the body, for filters that are too long for a URL.")
    .takes(&QUERY, r#"{"filters": [{"field": "field_2", "operator": "any_in", "value": ["AbCd12"]}], "sort": "-created_at", "page_size": 50}"#);

/// `POST /forms/{form_token}/entries/query`
pub fn query(call: &Call, caller: &Caller) -> Result<Reply> {
    let json = call.json()?;
    let keys = unknown_keys::of(call, &json, &[&QUERY]);
    let mut at = keys.faults;
    let body = QueryBody::read(&mut Reader::new(json, &mut at));
    let (order, descending) = entry_lists::order_by_name(body.sort.as_deref())?;
    let list = paged_list(call, caller, &body.filter, body.sort.as_deref());
    let list = list.page(body.page_size, body.cursor);
    let request = ListRequest { filter: body.filter, order, descending, fields: body.fields, page: list.request()? };
    Ok(page(call, caller, list, entry_lists::live, request, at)?.warn(keys.warnings))
}

/// The list that cursors are bound to: these conditions in this order, however they were written.
fn paged_list(call: &Call, caller: &Caller, filter: &FilterRequest, order: Option<&str>) -> PagedList {
    let order = order.filter(|order| *order != entry_lists::DEFAULT_SORT);
    let query = json!({"filters": filter.filters, "keyword": filter.keyword, "sort": order});
    PagedList::of_query(call, caller, &query)
}

fn page(
    call: &Call,
    caller: &Caller,
    list: PagedList,
    list_entries: ListEntries,
    request: ListRequest,
    at: Issues,
) -> Result<Reply> {
    let (wanted, now) = (request.fields.clone(), call.now);
    let ticket = list_entries(call.app, caller, call.param("form_token"), request, at)?;
    Ok(reply::later(ticket, move |Listed { shape, page, previous, warnings, .. }| {
        let page = page.try_map(|entry| shape.whole(&entry, wanted.as_deref(), now))?;
        Ok(list.answer_both_ways(&page, previous.as_deref()).warn(warnings))
    }))
}

/// A list query in a body.
struct QueryBody {
    filter: FilterRequest,
    sort: Option<String>,
    fields: Option<Vec<String>>,
    page_size: Option<i64>,
    cursor: Option<String>,
}

impl QueryBody {
    /// Only wrong types are faults here: an invalid size or sort is answered with 400, as in an address.
    fn read(reader: &mut Reader) -> Self {
        reader.note("page_size", paging::size_schema);
        Self {
            filter: FilterRequest::read(reader),
            sort: text(reader, "sort", parameters::sort_schema),
            fields: fields(reader),
            page_size: reader.opt_int("page_size", i64::MIN..=i64::MAX),
            cursor: text(reader, "cursor", || json!({"type": "string"})),
        }
    }
}

fn text(reader: &mut Reader, key: &str, schema: impl FnOnce() -> Json) -> Option<String> {
    reader.note(key, schema);
    match reader.raw(key)? {
        Json::String(text) => Some(text),
        _ => {
            reader.fault(key, Reason::MustBe(Expected::Text));
            None
        }
    }
}

/// A list of api_codes, or a comma-separated text as in an address.
fn fields(reader: &mut Reader) -> Option<Vec<String>> {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    reader.note("fields", || json!({"anyOf": [texts, {"type": "string"}]}));
    let items = match reader.raw("fields")? {
        Json::String(list) => return split(&list),
        Json::Array(items) => items,
        _ => {
            reader.fault("fields", Reason::MustBe(Expected::Other("a list of api_codes")));
            return None;
        }
    };
    let mut codes = Vec::new();
    for (i, item) in items.into_iter().enumerate() {
        match item {
            Json::String(code) => codes.push(code),
            _ => reader.issues().key("fields", |at| at.index(i, |at| at.push(Reason::MustBe(Expected::Text)))),
        }
    }
    Some(codes).filter(|codes| !codes.is_empty())
}
