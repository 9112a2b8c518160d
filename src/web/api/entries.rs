//! `/api/v1/forms/{form}/entries`.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json_list::JsonList;
use crate::base::sketch::reference;
use crate::model::caller::{Caller, Sender};
use crate::model::entry::Entry;
use crate::model::page::Page;
use crate::ops::entries::{self, ListRequest, Shape, Stored};
use crate::ops::idempotency::Once;
use crate::ops::{App, entry_shape, many, trash};
use crate::web::call::Call;
use crate::web::openapi::shape;
use crate::web::paging::Bound;
use crate::web::reply::{self, Answer, Reply};

/// An entry as answers show it.
pub static ENTRY: shape::Shape = shape::Shape::new("Entry", entry_shape::schema);

/// The body that writes one.
pub static WRITE: shape::Shape = shape::Shape::new("EntryWrite", entries::write_schema);

/// The body that writes many.
pub static WRITE_MANY: shape::Shape = shape::Shape::new("EntriesWrite", || {
    json!({
        "type": "object",
        "properties": {"entries": {
            "type": "array",
            "minItems": 1,
            "maxItems": many::MOST,
            "items": reference("EntryWrite"),
        }},
        "required": ["entries"],
    })
});

/// What that answers.
pub static CREATED_MANY: shape::Shape = shape::Shape::new("CreatedEntries", many::answer_schema);

/// What the deletion of an entry answers.
pub static DELETED: shape::Shape = shape::Shape::new("DeletedEntry", || {
    json!({
        "type": "object",
        "properties": {"deleted": {"const": true}, "serial_number": {"type": "integer"}},
        "required": ["deleted", "serial_number"],
    })
});

/// The `Idempotency-Key` of a call, if it has one.
///
/// # Errors
/// 400.
pub fn once(call: &Call, sender: &Sender) -> Result<Option<Once>> {
    call.headers
        .get("idempotency-key")
        .map(|key| {
            let key = key.to_str().unwrap_or_default();
            Once::new(key, sender, call.path, call.body)
        })
        .transpose()
}

/// The answer that shows an entry.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn shown(shape: &Shape, entry: &Entry, now: Time, status: StatusCode) -> Result<Answer> {
    let body = shape.whole(entry, None, now)?;
    Ok(reply::data_text(status, &body).tagged(entry.etag(shape.parsed.fields_mark)))
}

/// `POST /forms/{form}/entries`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let once = once(call, &Sender::User(caller.user.id))?;
    let (shape, ticket) =
        entries::create(call.app, caller, call.param("form"), call.json()?, once)?;
    let now = call.now;
    Ok(reply::later(ticket, move |stored| match stored {
        Stored::Now(entry) => shown(&shape, &entry, now, StatusCode::CREATED),
        Stored::Before(body) => Ok(reply::data_text(StatusCode::CREATED, &body)),
    }))
}

/// `POST /forms/{form}/entries/bulk`
pub fn create_many(call: &Call, caller: &Caller) -> Result<Reply> {
    let once = once(call, &Sender::User(caller.user.id))?;
    let mut at = Issues::new();
    let list = JsonList::read(call.body, many::LIST, many::MOST, &mut at)?;
    let ticket = many::create(call.app, caller, call.param("form"), &list, at, once)?;
    Ok(reply::later(ticket, |body| {
        Ok(reply::data_text(StatusCode::CREATED, &body))
    }))
}

/// `GET /forms/{form}/entries/{serial}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form"), call.number("serial"));
    let view = entries::show(call.app, caller, token, serial)?;
    Ok(shown(&view.shape, &view.entry, call.now, StatusCode::OK)?.into())
}

/// `PATCH /forms/{form}/entries/{serial}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form"), call.number("serial"));
    let if_match = call.if_match()?;
    let (shape, ticket) = entries::update(call.app, caller, token, serial, call.json()?, if_match)?;
    let now = call.now;
    Ok(reply::later(ticket, move |entry| {
        shown(&shape, &entry, now, StatusCode::OK)
    }))
}

/// `DELETE /forms/{form}/entries/{serial}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form"), call.number("serial"));
    let ticket = trash::put(call.app, caller, token, serial, call.if_match()?)?;
    Ok(reply::later(ticket, |serial| {
        reply::data(&json!({"deleted": true, "serial_number": serial}))
    }))
}

/// `GET /forms/{form}/entries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    page(call, caller, entries::list)
}

/// A list of entries: live ones, or those in the trash.
type List = fn(&App, &Caller, &str, &ListRequest) -> Result<(Shape, Page<Entry>)>;

/// The page of a list that a call asks for.
///
/// # Errors
/// What `list` returns; 400 for a sort, size or cursor that can't be.
pub fn page(call: &Call, caller: &Caller, list: List) -> Result<Reply> {
    let bound = Bound::new(call, Some(caller));
    let (sort, descending) = entries::sort_by_name(call.query("sort").as_deref())?;
    let fields = call.query("fields").filter(|list| !list.is_empty());
    let request = ListRequest {
        sort,
        descending,
        fields: fields.map(|list| list.split(',').map(|code| code.trim().to_owned()).collect()),
        page: bound.request()?,
    };
    let (shape, page) = list(call.app, caller, call.param("form"), &request)?;
    let wanted = request.fields.as_deref();
    let page = page.try_map(|entry| shape.whole(&entry, wanted, call.now))?;
    Ok(bound.answer(&page).into())
}
