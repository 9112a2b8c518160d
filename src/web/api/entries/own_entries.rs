//! `/api/v1/f/{form_token}/entries/{entry_token}`: a respondent's own entry.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::model::entry::Entry;
use crate::ops::app::Ticket;
use crate::ops::capacity::{reservations, waiting};
use crate::ops::entries::respondent_entries::{self, Ask, OwnChange, OwnEntry};
use crate::ops::entries::{Shape, entry_shape};
use crate::ops::forms::published::Visitor;
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

/// `GET /f/{form_token}/entries/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let body = OwnEntry::shown(&own.shape, &own.entry, call.now)?;
    let tag = own.shape.etag(&own.entry, call.now)?;
    Ok(reply::data_text(warp::http::StatusCode::OK, &body).tagged(tag).into())
}

/// `PATCH /f/{form_token}/entries/{entry_token}`
pub fn update(call: &Call) -> Result<Reply> {
    let (if_match, body) = (call.if_match()?, call.json()?);
    let mut ignored = unknown_keys::of(call, &body, &[&CHANGE]);
    let mut change = OwnChange::read(body);
    let given = change.password.clone();
    let visitor =
        Visitor { password: given.as_deref().or(call.form_password()), is_carried: false, address: &call.address() };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let (published, entry) = (&own.published, own.entry);
    change.note_ignored(published, &mut ignored);
    let (shape, ticket) = respondent_entries::update(call.app, published, entry, change, if_match)?;
    Ok(later(call, shape, ticket).warn(ignored.warnings))
}

/// `POST /f/{form_token}/entries/{entry_token}/cancel_booking`
pub fn cancel_booking(call: &Call) -> Result<Reply> {
    let given = password(call.optional_json()?)?;
    let visitor =
        Visitor { password: given.as_deref().or(call.form_password()), is_carried: false, address: &call.address() };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let (shape, ticket) = reservations::cancel(call.app, own)?;
    Ok(later(call, shape, ticket))
}

/// `DELETE /f/{form_token}/entries/{entry_token}/waiting`
pub fn leave_waiting_list(call: &Call) -> Result<Reply> {
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let own = respondent_entries::find_any(call.app, &ask(call, visitor))?;
    let ticket = waiting::leave(call.app, own);
    Ok(reply::later(ticket, |serial| reply::data(&json!({"deleted": true, "serial_number": serial}))))
}

fn later(call: &Call, shape: Arc<Shape>, ticket: Ticket<Entry>) -> Reply {
    let now = call.now;
    reply::later(ticket, move |entry| {
        let body = OwnEntry::shown(&shape, &entry, now)?;
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
