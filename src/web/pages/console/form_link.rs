//! `/forms/{form_token}/link`: the form's public address, to open, copy and share.

use maud::html;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::forms;
use crate::web::pages::console;
use crate::web::pages::console::widgets::copyable;
use crate::web::pages::ui::layout::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /forms/{form_token}/link`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let form = forms::show(call.app, caller, call.param("form_token"))?.form;
    let config = &call.app.config;
    let title = texts.say("link-title");
    let content = html! {
        div.wide.stack {
            p { a href={ (config.base_path()) "/forms" } { (texts.say("forms-back")) } }
            h1 { bdi { (form.name) } }
            section.card.stack {
                h2 { (title) }
                @if form.published {
                    p { (texts.say("link-text")) }
                    (copyable(texts, "link", &format!("{}/f/{}", config.base_url, form.token), &texts.say("copy-link")))
                    p {
                        a.button href={ (config.base_path()) "/f/" (form.token) } { (texts.say("link-open")) }
                    }
                } @else {
                    (message(Tone::Note, &texts.say("forms-unpublished"), &texts.say("link-unpublished")))
                }
            }
        }
    };
    let page = console::page(call, &caller.user, &session::csrf(call), texts, &title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}
