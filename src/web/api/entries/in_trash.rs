//! `/api/v1/forms/{form_token}/trash/entries`.

use warp::http::StatusCode;

use crate::base::error::Code::{AlreadySubmitted, OutOfStock, QuotaExceeded};
use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists as lists;
use crate::ops::entries::trash;
use crate::web::api::entries::{self, entry_lists};
use crate::web::openapi::doc::AnswerBody::{Data, Page};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::entry_list;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

pub const LIST_TRASHED_ENTRIES: Doc = Doc::new("list_trashed_entries", 200, Page(&entries::ENTRY))
    .says("List the trash", "Entries deleted in the last 30 days, listed like other entries.")
    .query(entry_list)
    .checks_query();

/// `GET /forms/{form_token}/trash/entries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    entry_lists::of_address(call, caller, lists::in_trash)
}

pub const RESTORE_ENTRY: Doc = Doc::new("restore_entry", 200, Data(&entries::ENTRY))
    .says(
        "Restore an entry",
        "The entry keeps its number and token. 422 if another entry has one of its unique values by now; 409 if the \
         form accepts one response per account and the respondent has responded again, or if its products or places \
         are no longer available.",
    )
    .tagged()
    .guarded()
    .checks_stored()
    .codes(&[(409, &[AlreadySubmitted, QuotaExceeded, OutOfStock])]);

/// `POST /forms/{form_token}/trash/entries/{serial_number}/restore`
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let ticket = trash::restore(call.app, caller, token, serial, call.if_match()?)?;
    let now = call.now;
    Ok(reply::later(ticket, move |view| entries::entry_answer(&view, now, StatusCode::OK)))
}

pub const DELETE_TRASHED_ENTRY: Doc = Doc::new("delete_trashed_entry", 200, Data(&entries::DELETED))
    .says("Delete an entry permanently", "Deletes the entry permanently, with its files.")
    .guarded();

/// `DELETE /forms/{form_token}/trash/entries/{serial_number}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let ticket = trash::remove(call.app, caller, token, serial, call.if_match()?)?;
    Ok(reply::later(ticket, entries::deleted))
}
