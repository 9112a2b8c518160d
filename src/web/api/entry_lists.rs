//! `/api/v1/forms/{form_token}/entries` as a list, asked for in an address or in a body.

use serde_json::json;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::model::caller::Caller;
use crate::ops::entry_lists::{self, ListRequest, Listed};
use crate::ops::entry_query::Asked;
use crate::ops::{App, Ticket};
use crate::web::call::Call;
use crate::web::openapi::shape::{Shape, names};
use crate::web::paging::{self, Bound};
use crate::web::reply::{self, Reply};

/// The body that asks for a list.
pub static QUERY: Shape = Shape::new("EntryQuery", || {
    Reader::describe(|reader| {
        Body::read(reader);
    })
});

/// Live entries, or those in the trash.
type List = fn(&App, &Caller, &str, ListRequest, Issues) -> Result<Ticket<Listed>>;

/// `GET /forms/{form_token}/entries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    of_query(call, caller, entry_lists::live)
}

/// The page of a list that a call's address asks for.
///
/// # Errors
/// What `list` returns; 400 for a sort, size, cursor or filters that can't be understood.
pub fn of_query(call: &Call, caller: &Caller, list: List) -> Result<Reply> {
    let order = call.query("sort");
    let (sort, descending) = entry_lists::sort_by_name(order.as_deref())?;
    let asked = Asked::of_query(call.query("filters"), call.query("keyword"))?;
    let bound = bound(call, caller, &asked, order.as_deref()).page_of_query(call);
    let request = ListRequest {
        asked,
        sort,
        descending,
        fields: call.query("fields").and_then(|list| split(&list)),
        page: bound.request()?,
    };
    page(call, caller, bound, list, request, Issues::new())
}

/// `POST /forms/{form_token}/entries/query`
pub fn query(call: &Call, caller: &Caller) -> Result<Reply> {
    let json = call.json()?;
    let mut at = Issues::new();
    let body = Body::read(&mut Reader::new(json, &mut at));
    let (sort, descending) = entry_lists::sort_by_name(body.sort.as_deref())?;
    let bound = bound(call, caller, &body.asked, body.sort.as_deref());
    let bound = bound.page(body.page_size, body.cursor);
    let request = ListRequest {
        asked: body.asked,
        sort,
        descending,
        fields: body.fields,
        page: bound.request()?,
    };
    page(call, caller, bound, entry_lists::live, request, at)
}

/// What a cursor is good for: these conditions in this order, however they were written.
fn bound(call: &Call, caller: &Caller, asked: &Asked, order: Option<&str>) -> Bound {
    let order = order.filter(|order| *order != entry_lists::DEFAULT_SORT);
    let question = json!({"filters": asked.filters, "keyword": asked.keyword, "sort": order});
    Bound::of_question(call, caller, &question)
}

fn page(
    call: &Call,
    caller: &Caller,
    bound: Bound,
    list: List,
    request: ListRequest,
    at: Issues,
) -> Result<Reply> {
    let (wanted, now) = (request.fields.clone(), call.now);
    let ticket = list(call.app, caller, call.param("form_token"), request, at)?;
    Ok(reply::later(ticket, move |(shape, page)| {
        let page = page.try_map(|entry| shape.whole(&entry, wanted.as_deref(), now))?;
        Ok(bound.answer(&page))
    }))
}

/// The api_codes of a list with commas; none: all.
pub fn split(list: &str) -> Option<Vec<String>> {
    let codes = list.split(',').map(|code| code.trim().to_owned());
    (!list.is_empty()).then(|| codes.collect())
}

/// What a body asks for.
struct Body {
    asked: Asked,
    sort: Option<String>,
    fields: Option<Vec<String>>,
    page_size: Option<i64>,
    cursor: Option<String>,
}

impl Body {
    /// Only types are faults here: a size out of range and a sort that is none are 400, as in an address.
    fn read(reader: &mut Reader) -> Self {
        let ascending = names(&entry_lists::SORTS).into_iter();
        let sorts = ascending.flat_map(|name| [name.to_owned(), format!("-{name}")]);
        let sorts = sorts.collect::<Vec<_>>();
        reader.note("page_size", paging::size_schema);
        Self {
            asked: Asked::read(reader),
            sort: text(
                reader,
                "sort",
                || json!({"type": "string", "enum": sorts, "default": entry_lists::DEFAULT_SORT}),
            ),
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
            reader.fault(key, "must be a string");
            None
        }
    }
}

/// A list of api_codes, or one with commas as in an address.
fn fields(reader: &mut Reader) -> Option<Vec<String>> {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    reader.note("fields", || json!({"anyOf": [texts, {"type": "string"}]}));
    let items = match reader.raw("fields")? {
        Json::String(list) => return split(&list),
        Json::Array(items) => items,
        _ => {
            reader.fault("fields", "must be a list of api_codes");
            return None;
        }
    };
    let mut codes = Vec::new();
    for (i, item) in items.into_iter().enumerate() {
        match item {
            Json::String(code) => codes.push(code),
            _ => reader
                .issues()
                .key("fields", |at| at.index(i, |at| at.push("must be a string"))),
        }
    }
    Some(codes).filter(|codes| !codes.is_empty())
}
