//! `/api/v1/forms/{form_token}/entries`.

pub(in crate::web::api) mod entry_lists;
pub(in crate::web::api) mod in_trash;
pub(in crate::web::api) mod jobs;
pub(in crate::web::api) mod linked_options;
pub(in crate::web::api) mod own_entries;
pub(in crate::web::api) mod reports;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::json_list::JsonList;
use crate::base::json::schema_builder::reference;
use crate::base::json::unknown_members::Ignored;
use crate::model::caller::{Caller, Sender};
use crate::ops::capacity::reservations;
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::submission::{self, Stored, Submission};
use crate::ops::entries::{self, EntryView, bulk, change, entry_shape, trash};
use crate::web::openapi::codes::{NO_ROOM, UPLOADS};
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{self, Deleted};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer, Reply};
use crate::web::request::unknown_keys;

/// An entry in answers.
pub static ENTRY: shape::Shape = shape::Shape::new("Entry", entry_shape::schema);

/// The body to create or change an entry.
pub static WRITE: shape::Shape = shape::Shape::new("EntryWrite", entries::write_schema);

/// The body to create many entries.
pub static WRITE_MANY: shape::Shape = shape::Shape::new("EntriesWrite", || {
    json!({
        "type": "object",
        "properties": {"entries": {
            "type": "array",
            "minItems": 1,
            "maxItems": bulk::MOST,
            "items": reference("EntryWrite"),
        }},
        "required": ["entries"],
    })
});

/// The answer to that.
pub static CREATED_MANY: shape::Shape = shape::Shape::new("CreatedEntries", bulk::answer_schema);

/// The body to set the state of a booking.
pub static RESERVATION_STATUS: shape::Shape = shape::Shape::new("ReservationStatus", reservations::schema);

#[derive(Serialize, JsonSchema)]
struct DeletedSerial {
    serial_number: i64,
}

/// The answer to the deletion of an entry.
pub static DELETED: shape::Shape = shape::Shape::of_type::<Deleted<DeletedSerial>>("DeletedEntry");

/// The answer to a deletion.
pub fn deleted(serial_number: i64) -> Result<Answer> {
    reply::data(&Deleted::new(DeletedSerial { serial_number }))
}

/// The call's `Idempotency-Key`, if it has one.
pub fn once(call: &Call, sender: &Sender) -> Result<Option<Once>> {
    call.headers
        .get("idempotency-key")
        .map(|key| {
            let key = key.to_str().unwrap_or_default();
            Once::new(key, sender, call.path, call.body)
        })
        .transpose()
}

/// An answer with an entry.
pub fn entry_answer(view: &EntryView, now: Time, status: StatusCode) -> Result<Answer> {
    let EntryView { entry, shape } = view;
    let body = shape.whole(entry, None, now)?;
    Ok(reply::data_text(status, &body).tagged(shape.etag(entry, now)?))
}

pub const CREATE_ENTRY: Doc = Doc::new("create_entry", 201, Data(&ENTRY))
    .says(
        "Add an entry",
        "Adds an entry on the owner's behalf. Values are validated as for a respondent, but schedule, limits, \
         password and quotas of choices don't apply. Stock and places do: 409.",
    )
    .takes(&WRITE, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
    .tagged()
    .idempotent()
    .codes(&[NO_ROOM, UPLOADS]);

/// `POST /forms/{form_token}/entries`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let once = once(call, &Sender::User(caller.user.id))?;
    let body = call.json()?;
    let mut ignored = unknown_keys::of(call, &body, &[&WRITE]);
    let submission = Submission::read_collaborators(body);
    let token = call.param("form_token");
    let ticket = submission::create(call.app, caller, token, submission, once, &mut ignored)?;
    let now = call.now;
    let reply = reply::later(ticket, move |stored| match stored {
        Stored::Now(view) => entry_answer(&view, now, StatusCode::CREATED),
        Stored::Before(answer) => {
            let (tag, body) = entries::recalled(&answer);
            let mut answer = reply::data_text(StatusCode::CREATED, body);
            answer.etag = tag;
            Ok(answer)
        }
    });
    Ok(reply.warn(ignored.warnings))
}

pub const CREATE_ENTRIES: Doc = Doc::new("create_entries", 201, Data(&CREATED_MANY))
    .says(
        "Add many entries",
        "Adds at most 1,000 entries at once: all of them, or none. The errors of all entries are listed together, each \
         with its path, such as `entries[3].field_values.field_2`; including products and bookings that don't suffice \
         for all of them.",
    )
    .takes(&WRITE_MANY, r#"{"entries": [{"field_values": {"field_1": "Ada Lovelace"}}, {"field_values": {"field_1": "Grace Hopper"}}]}"#)
    .idempotent()
    .codes(&[UPLOADS]);

/// `POST /forms/{form_token}/entries/bulk`
pub fn create_many(call: &Call, caller: &Caller) -> Result<Reply> {
    let once = once(call, &Sender::User(caller.user.id))?;
    let mut at = Issues::new();
    let list = JsonList::read(call.body, bulk::LIST, bulk::MOST, &mut at)?;
    let mut ignored = Ignored::of(unknown_keys::is_strict(call.headers));
    ignored.add(list.unknown_keys());
    let body = bulk::create(call.app, caller, call.param("form_token"), &list, at, once, &mut ignored)?;
    Ok(Reply::from(reply::data_text(StatusCode::CREATED, &body)).warn(ignored.warnings))
}

pub const GET_ENTRY: Doc = Doc::new("get_entry", 200, Data(&ENTRY))
    .says("Read an entry", "Contains every field of the form: null or an empty list where there is no answer.")
    .tagged();

/// `GET /forms/{form_token}/entries/{serial_number}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let view = entries::show(call.app, caller, token, serial)?;
    Ok(entry_answer(&view, call.now, StatusCode::OK)?.into())
}

pub const UPDATE_ENTRY: Doc = Doc::new("update_entry", 200, Data(&ENTRY))
    .says(
        "Change an entry",
        "Only the given fields change; null clears a field. A request that changes nothing leaves `updated_at` and \
         the `ETag` as they are and causes no event. 409 if it needs more of a product or a booking than is left.",
    )
    .takes(&WRITE, r#"{"field_values": {"field_1": "Ada King"}}"#)
    .tagged()
    .guarded()
    .codes(&[NO_ROOM, UPLOADS]);

/// `PATCH /forms/{form_token}/entries/{serial_number}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let (if_match, body) = (call.if_match()?, call.json()?);
    let mut ignored = unknown_keys::of(call, &body, &[&WRITE]);
    let ticket = change::update(call.app, caller, token, serial, body, if_match, &mut ignored)?;
    let now = call.now;
    Ok(reply::later(ticket, move |view| entry_answer(&view, now, StatusCode::OK)).warn(ignored.warnings))
}

pub const SET_RESERVATION_STATUS: Doc = Doc::new("set_reservation_status", 200, Data(&ENTRY))
    .says(
        "Set the state of a booking",
        "A cancelled booking gives its places back. 409 if it is reserved or completed again and there is no longer \
         enough room; 422 for an entry without a booking.",
    )
    .takes(&RESERVATION_STATUS, r#"{"status": "completed"}"#)
    .tagged()
    .guarded()
    .codes(&[NO_ROOM]);

/// `PATCH /forms/{form_token}/entries/{serial_number}/reservation_status`
pub fn set_reservation_status(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let if_match = call.if_match()?;
    let ticket = reservations::set(call.app, caller, token, serial, call.json()?, if_match)?;
    let now = call.now;
    Ok(reply::later(ticket, move |view| entry_answer(&view, now, StatusCode::OK)))
}

pub const DELETE_ENTRY: Doc = Doc::new("delete_entry", 200, Data(&DELETED))
    .says("Delete an entry", "Moves the entry to the trash for 30 days.")
    .guarded();

/// `DELETE /forms/{form_token}/entries/{serial_number}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let ticket = trash::put(call.app, caller, token, serial, call.if_match()?)?;
    Ok(reply::later(ticket, deleted))
}
