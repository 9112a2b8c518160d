//! `/forms/{form_token}/deleted`: a form in the trash, and the way back.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::forms::{self, form_view};
use crate::web::pages::console::widgets::isolated;
use crate::web::pages::console::{self};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::section::Question;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /forms/{form_token}/deleted`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = form_view::trashed(call.app, caller, call.param("form_token"))?;
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let title = texts.fill("deleted-title", &[("name", isolated(&form.name).into())]);
    let buttons = html! {
        (Button::main(&texts.say("deleted-restore")))
        (Button {
            label: &texts.say("forms-back"),
            press: Press::Go(&format!("{}/forms", call.app.config.base_path())),
            ..Button::default()
        })
    };
    let content = Question {
        sign: None,
        title: &title,
        text: &texts.say("deleted-text"),
        content: PostForm { csrf: &csrf, content: buttons, is_row: true, ..PostForm::default() }.render(),
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(StatusCode::OK, &content.render()).into())
}

/// `POST /forms/{form_token}/deleted`: takes the form out of the trash.
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = forms::restore(call.app, caller, call.param("form_token"))?.form;
    Ok(session::to_page(&call.app.config, &format!("/forms/{}/settings", form.token)).into())
}
