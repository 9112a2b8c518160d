//! `/forms/{form_token}/link`: the form's public address, to open, copy and share.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::web::pages::console;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::widgets::copyable;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// `GET /forms/{form_token}/link`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let (texts, form) = (frame.texts, &frame.view.form);
    let config = &call.app.config;
    let title = texts.say("link-title");
    let base = config.base_path();
    let address = format!("{}/f/{}", config.base_url, form.token);
    let open = Button {
        label: &texts.say("link-open"),
        press: Press::Go(&format!("{base}/f/{}", form.token)),
        weight: Weight::Main,
        ..Button::default()
    }
    .render();
    let content = html! {
        (frame.head(FormPage::Link, true))
        (Section {
            title: html! { (title) },
            content: html! {
                @if form.published {
                    p { (texts.say("link-text")) }
                    (copyable(texts, "link", &address, &texts.say("copy-link")))
                    p { (open) }
                } @else {
                    (message(Tone::Note, &texts.say("forms-unpublished"), &texts.say("link-unpublished")))
                }
            },
            ..Section::default()
        })
    };
    let page = console::page(call, &caller.user, &frame.csrf, texts, &title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}
