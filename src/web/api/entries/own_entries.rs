//! `/api/v1/f/{form_token}/entries/{entry_token}`: a respondent's own entry.

use crate::base::error::Code::{FormClosed, FormNotOpen, PasswordInvalid, PasswordRequired};
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::ops::app::Ticket;
use crate::ops::capacity::{reservations, waiting};
use crate::ops::entries::respondent_entries::{self, Ask, OwnChange, OwnEntry};
use crate::ops::entries::{EntryView, entry_shape};
use crate::ops::forms::published::Visitor;
use crate::web::api::entries;
use crate::web::openapi::codes::{NO_ROOM, UPLOADS};
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// A respondent's own entry in answers.
pub static OWN_ENTRY: shape::Shape = shape::Shape::new("OwnEntry", entry_shape::respondent_schema);

/// The body to change it.
pub static CHANGE: shape::Shape = shape::Shape::new("OwnEntryChange", OwnChange::schema);

fn ask<'a>(call: &'a Call, visitor: Visitor<'a>) -> Ask<'a> {
    Ask {
        form: call.param("form_token"),
        entry: call.param("entry_token"),
        edit_token: call.header("x-edit-token"),
        visitor,
    }
}

pub const GET_OWN_ENTRY: Doc = Doc::new("get_own_entry", 200, Data(&OWN_ENTRY))
    .says(
        "Read your own entry",
        "A respondent's own entry, if the form's settings have `allow_edit_after_submission`. Requires the \
         `edit_token`; the entry's token gives no access.",
    )
    .tagged()
    .password()
    .edit_token()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid])]);

/// `GET /f/{form_token}/entries/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let body = OwnEntry::for_respondent(&own.shape, &own.entry, call.now)?;
    let tag = own.shape.etag(&own.entry, call.now)?;
    Ok(reply::data_text(warp::http::StatusCode::OK, &body).tagged(tag).into())
}

pub const UPDATE_OWN_ENTRY: Doc = Doc::new("update_own_entry", 200, Data(&OWN_ENTRY))
    .says(
        "Change your own entry",
        "Only the given fields change; null clears a field. Validated like a submission; fields that respondents \
         can't see keep their values. A cancelled booking stays cancelled, whatever is changed. Not possible before \
         the form opens or after it closes.",
    )
    .takes(&CHANGE, r#"{"field_values": {"field_1": "Ada King"}}"#)
    .tagged()
    .guarded()
    .password()
    .edit_token()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen]), NO_ROOM, UPLOADS]);

/// `PATCH /f/{form_token}/entries/{entry_token}`
pub fn update(call: &Call) -> Result<Reply> {
    let (if_match, body) = (call.if_match()?, call.json()?);
    let mut ignored = unknown_keys::of(call, &body, &[&CHANGE]);
    let mut change = OwnChange::read(body);
    change.sender = Some(call.origin().sender);
    let given = change.password.clone();
    let visitor =
        Visitor { password: given.as_deref().or(call.form_password()), is_carried: false, address: &call.address() };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let (published, entry) = (&own.published, own.entry);
    change.note_ignored(published, &mut ignored);
    let ticket = respondent_entries::update(call.app, published, entry, change, None, if_match)?;
    Ok(later(call, ticket).warn(ignored.warnings))
}

pub const CANCEL_OWN_BOOKING: Doc = Doc::new("cancel_own_booking", 200, Data(&OWN_ENTRY))
    .says(
        "Cancel your own booking",
        "Sets the state of the booking to `cancelled` and gives its places back. Like a change of the entry, it is \
         not possible before the form opens or after it closes. 422 if there is no booking, or it is completed.",
    )
    .takes(&PASSWORD, r#"{}"#)
    .tagged()
    .password()
    .edit_token()
    .checks_stored()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen])]);

/// `POST /f/{form_token}/entries/{entry_token}/cancel_booking`
pub fn cancel_booking(call: &Call) -> Result<Reply> {
    let given = password(call.optional_json()?)?;
    let visitor =
        Visitor { password: given.as_deref().or(call.form_password()), is_carried: false, address: &call.address() };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    Ok(later(call, reservations::cancel(call.app, own, call.origin().sender)?))
}

pub const LEAVE_WAITING_LIST: Doc = Doc::new("leave_waiting_list", 200, Data(&entries::DELETED))
    .says(
        "Leave the waiting list",
        "Moves the entry from the waiting list to the trash. 422 if it is not, or no longer, on the waiting list.",
    )
    .password()
    .edit_token()
    .checks_stored()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid])]);

/// `DELETE /f/{form_token}/entries/{entry_token}/waiting`
pub fn leave_waiting_list(call: &Call) -> Result<Reply> {
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let own = respondent_entries::find_any(call.app, &ask(call, visitor))?;
    let ticket = waiting::leave(call.app, own)?;
    Ok(reply::later(ticket, entries::deleted))
}

fn later(call: &Call, ticket: Ticket<EntryView>) -> Reply {
    let now = call.now;
    reply::later(ticket, move |EntryView { entry, shape }| {
        let body = OwnEntry::for_respondent(&shape, &entry, now)?;
        let tag = shape.etag(&entry, now)?;
        Ok(reply::data_text(warp::http::StatusCode::OK, &body).tagged(tag))
    })
}

fn read_password(reader: &mut Reader) -> Option<String> {
    reader.opt_text("password", 256)
}

fn password(body: Json) -> Result<Option<String>> {
    let mut at = Issues::new();
    let password = read_password(&mut Reader::new(body, &mut at));
    at.into_result()?;
    Ok(password)
}

/// The body that has only the access password, if the form has one.
pub static PASSWORD: shape::Shape = shape::Shape::new("FormPassword", || {
    Reader::describe(|reader| {
        read_password(reader);
    })
});
