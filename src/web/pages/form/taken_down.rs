//! A post to a form that was unpublished or deleted while somebody filled it in: the page comes back with all that was
//! typed, and says so.

use std::sync::Arc;

use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::ops::exams::time;
use crate::ops::forms::published::{self, Visitor};
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::form::form_view::Notice;
use crate::web::pages::form::{notice, sheet, take};
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// Answers the post.
///
/// # Errors
/// 404 for a sender who was not given the questions as they are now, or has not given the form's password; 429 after
/// too many wrong ones.
pub fn answer(call: &Call, sent: &FormPost) -> Result<Reply> {
    let unknown = || Error::NotFound(Noun::Form);
    let form = call.param("form_token");
    let given = sent.stamp.as_deref().and_then(|stamp| time::started(call.app.keys(), form, stamp));
    let given = given.ok_or_else(unknown)?;
    let address = call.address();
    let visitor = Visitor::of_page(sent.password.as_ref(), &address);
    let published = published::taken_down(call.app, form, given, visitor).map_err(|error| match error {
        Error::Refused(..) => unknown(), // its password
        error => error,
    })?;
    let mut sheet = sheet(call, Arc::new(published), sent.password.as_ref())?;
    take(&mut sheet, sent);
    sheet.page = sent.page;
    sheet.look_up(&sent.open_finds(&sheet.values), false)?;
    sheet.read();
    let notice = Some(notice(sheet.texts(), Tone::Bad, "form-taken-down"));
    let said = Notice { status: StatusCode::NOT_FOUND, notice, is_shut: true, ..Notice::default() };
    Ok(sheet.answer(&said).into())
}
