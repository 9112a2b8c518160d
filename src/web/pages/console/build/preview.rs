//! `/forms/{form_token}/preview`: the page of a form as its draft has it. Nothing that is sent there is stored.

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::forms::drafts::{self, check};
use crate::ops::forms::published::Published;
use crate::web::pages::form::draft_preview;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// `GET /forms/{form_token}/preview`; with `canvas=1` for the frame in the builder.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    draft_preview::show(call, load(call, caller)?)
}

/// `POST /forms/{form_token}/preview`
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    draft_preview::submit(call, load(call, caller)?)
}

fn load(call: &Call, caller: &Caller) -> Result<Published> {
    let shown = drafts::load(call.app, caller, call.param("form_token"))?;
    let checked = check::check(call.app, caller, &shown)?;
    drafts::preview::as_published(call.app, &shown, checked.definition)
}
