//! Actions on a query as a whole: switching it on and off, deleting it, giving it a picture.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::queries;
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::queries::editor::{self, Outcome};
use crate::web::pages::console::queries::messages::PICTURE;
use crate::web::pages::console::queries::parts::Part;
use crate::web::pages::console::queries::{load, path_of, word};
use crate::web::pages::console::widgets::isolated;
use crate::web::pages::console::{Posted, texts_of};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// The purpose of uploads of pictures above the page, as the API names it.
pub const HEADER_IMAGE: &str = "opensearch_header_image";

/// `POST /forms/{form_token}/queries/{query_token}/enabled`: switches the page on or off.
pub fn switch(call: &Call, caller: &Caller) -> Result<Reply> {
    load(call, caller)?;
    let is_on = Posted::of(call).text("enabled") == "true";
    change(call, caller, json!({ "enabled": is_on }))?;
    Ok(editor::done(call, if is_on { "on" } else { "off" }, ""))
}

/// `POST /forms/{form_token}/queries/{query_token}/image`: the picture came with the form, and is an upload by now.
pub fn put_image(call: &Call, caller: &Caller) -> Result<Reply> {
    load(call, caller)?;
    let posted = Posted::of(call);
    let upload = posted.text(INPUT);
    let faults = match call.parts.map(|parts| parts.posted.faults.as_slice()) {
        Some(faults) if !faults.is_empty() => faults.to_vec(),
        _ if upload.is_empty() => vec![Issue::new(INPUT, Reason::Blank)],
        _ => match change(call, caller, json!({"header": {"background_image": {"upload_id": upload}}})) {
            Ok(()) => return Ok(editor::done(call, "image", Part::Page.name())),
            Err(Error::Invalid(faults)) => faults,
            Err(other) => return Err(other),
        },
    };
    let faults = faults.into_iter().map(|fault| Issue::new(PICTURE, fault.reason)).collect();
    let outcome = Outcome { part: Some(Part::Page), faults, ..Outcome::default() };
    Ok(editor::view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
}

/// `POST /forms/{form_token}/queries/{query_token}/image/remove`
pub fn remove_image(call: &Call, caller: &Caller) -> Result<Reply> {
    load(call, caller)?;
    change(call, caller, json!({"header": {"background_image": null}}))?;
    Ok(editor::done(call, "no-image", Part::Page.name()))
}

fn change(call: &Call, caller: &Caller, body: Json) -> Result<()> {
    queries::update(call.app, caller, call.param("query_token"), body, &IfMatch::Absent).map(|_| ())
}

/// `GET /forms/{form_token}/queries/{query_token}/delete`
pub fn confirm_delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (_, query) = load(call, caller)?;
    let texts = texts_of(&caller.user);
    let confirmation = Confirmation {
        title: texts.fill("queries-delete-title", &[("name", isolated(word(&query, "name")).into())]),
        text: texts.say("queries-delete-text"),
        button: texts.say("queries-delete"),
        back: &path_of(call, call.param("query_token")),
    };
    Ok(FormFrame::load(call, caller)?.ask(&confirmation).into())
}

/// `POST /forms/{form_token}/queries/{query_token}/delete`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    load(call, caller)?;
    queries::delete(call.app, caller, call.param("query_token"), IfMatch::Absent)?;
    let list = format!("/forms/{}/queries?done=deleted", call.param("form_token"));
    Ok(session::to_page(&call.app.config, &list).into())
}
