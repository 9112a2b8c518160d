//! `/forms/{form_token}/folder`: moves a form into one of the user's folders.

use maud::{Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::ops::forms::{self, folders};
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /forms/{form_token}/folder`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let shown = forms::show(call.app, caller, call.param("form_token"))?;
    let here = shown.folder.map_or_else(String::new, |token| token.to_string());
    let all = folders::all(call.app, caller)?;
    let base = call.app.config.base_path();
    let title = texts.say("forms-move-title");
    let choices = all.iter().map(|folder| {
        let token = folder.token.as_str();
        Choice::new(token, &folder.name, token == here)
    });
    let choices = [Choice::new("", texts.say("forms-no-folder"), false)].into_iter().chain(choices);
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}{}", folder_path(&here)), label: &texts.say("forms-back") }),
            title: html! { (title) },
            lead: name(&shown.form.name),
            ..PageHead::default()
        })
        (Section {
            content: PostForm {
                action: &format!("{base}{}", call.path),
                csrf: &csrf,
                content: html! {
                    input type="hidden" name="folder" value=(here);
                    (SelectField {
                        id: "to",
                        name: "to",
                        label: &texts.say("forms-move-to"),
                        choices: choices.collect(),
                        ..SelectField::default()
                    })
                    (Button::main(&texts.say("forms-move")))
                },
                ..PostForm::default()
            }
            .render(),
            ..Section::default()
        })
    };
    let title = console::widgets::page_of(&title, &shown.form.name);
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.answer(StatusCode::OK, &content).into())
}

/// `POST /forms/{form_token}/folder`: redirects to the folder that the form was in.
pub fn put(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let to = match posted.text("to") {
        "" => Json::Null,
        token => json!(token),
    };
    let body = json!({"folder_token": to});
    folders::put_form(call.app, caller, call.param("form_token"), body, Issues::new())?;
    Ok(session::to_page(&call.app.config, &folder_path(posted.text("folder"))).into())
}

/// The path of a folder's page, below the base address; of the top level if the token is empty.
pub fn folder_path(token: &str) -> String {
    if token.is_empty() {
        return "/forms".to_owned();
    }
    let token: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
    format!("/forms?folder={token}")
}
