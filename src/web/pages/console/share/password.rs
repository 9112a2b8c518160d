//! The form's access password: set, change, remove.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::settings;
use crate::web::pages::console::Posted;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::share::{self, Outcome, fault};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

pub const NAME: &str = "access_control.access_password";
/// The field, and the text id of its label.
pub const FIELD: (&str, &str) = (NAME, "share-password");

/// `POST /forms/{form_token}/share/password`
pub fn put(call: &Call, caller: &Caller) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let posted = Posted::of(call);
    let typed = posted.text(NAME);
    let faults = if typed.trim().is_empty() {
        vec![Issue::new(NAME, Reason::Blank)]
    } else {
        match save(call, caller, json!(typed)) {
            Ok(()) => return Ok(share::done(call, "password")),
            Err(Error::Invalid(faults)) => faults,
            Err(other) => return Err(other),
        }
    };
    let outcome = Outcome { faults, password: Some(typed.to_owned()), ..Outcome::default() };
    Ok(share::view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
}

/// `POST /forms/{form_token}/share/password/remove`
pub fn remove(call: &Call, caller: &Caller) -> Result<Reply> {
    save(call, caller, Json::Null)?;
    Ok(share::done(call, "password-removed"))
}

fn save(call: &Call, caller: &Caller, password: Json) -> Result<()> {
    let body = json!({"access_control": {"access_password": password}});
    settings::update(call.app, caller, call.param("form_token"), body, &IfMatch::Absent, Issues::new()).map(|_| ())
}

/// The card, for managers.
///
/// # Errors
/// Internal.
pub fn section(frame: &FormFrame, outcome: &Outcome) -> Result<Markup> {
    let texts = frame.texts;
    let saved = settings::show(frame.call.app, frame.caller, frame.view.form.token.as_str())?.body;
    let saved = saved.pointer("/access_control/access_password").and_then(Json::as_str).unwrap_or_default();
    let action = frame.address("share/password");
    let remove = frame.address("share/password/remove");
    let content = html! {
        (line_field(&LineField {
            name: NAME,
            label: &frame.say("share-password"),
            kind: "password",
            value: outcome.password.as_deref().unwrap_or(saved),
            fault: &fault(texts, &outcome.faults, NAME),
            autocomplete: "off",
            reveal: Some(texts),
            ..LineField::default()
        }))
        (row(html! {
            (Button::quiet(&frame.say(if saved.is_empty() { "share-password-set" } else { "share-password-change" })))
            @if !saved.is_empty() {
                (Button {
                    label: &frame.say("share-password-remove"),
                    press: Press::SubmitTo(&remove),
                    weight: Weight::Danger,
                    ..Button::default()
                })
            }
        }))
    };
    let section = Section {
        id: "password",
        title: html! { (frame.say("share-password-title")) },
        text: &frame.say(if saved.is_empty() { "share-password-none" } else { "share-password-text" }),
        content: PostForm { action: &action, csrf: &frame.csrf, content, ..PostForm::default() }.render(),
    };
    Ok(section.render())
}
