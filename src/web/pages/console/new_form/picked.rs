//! A form of some questions of another one: they are ticked, then the form is made with copies of them.

use maud::html;
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::ops::forms::beginnings;
use crate::ops::forms::drafts::picked::{self, Source};
use crate::web::pages::console::build::picking;
use crate::web::pages::console::new_form::{head, view};
use crate::web::pages::console::{self, Posted, account_messages, texts_of};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{lead, name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// Shows the questions of the chosen form.
pub fn choose(call: &Call, caller: &Caller, posted: &Posted) -> Result<Reply> {
    if posted.text("form").is_empty() {
        let faults = [Issue::new("form", Reason::Required)];
        return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, posted, &faults)?.into());
    }
    let source = Source::load(call.app, caller, posted.text("form"))?;
    Ok(page(call, caller, StatusCode::OK, posted, &source, ["", ""]).into())
}

/// Makes a form of the ticked ones.
pub fn make(call: &Call, caller: &Caller, posted: &Posted) -> Result<Reply> {
    let (app, texts) = (call.app, texts_of(&caller.user));
    let (source, picked) = picking::picked_of(app, caller, posted)?;
    let form_name = posted.text("name").trim();
    let nameless = form_name.is_empty().then(|| Issue::new("name", Reason::Blank));
    let picked = match (picked, nameless) {
        (Ok(picked), None) => picked,
        (picked, nameless) => {
            let of_name = nameless.map(|fault| account_messages::message(texts, &fault)).unwrap_or_default();
            let of_list = picked.err().unwrap_or_default();
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Ok(page(call, caller, status, posted, &source, [&of_name, &of_list]).into());
        }
    };
    let folder = posted.text("folder");
    match beginnings::make_of(app, caller, texts.locale(), folder, form_name, &json!([])) {
        Ok(made) => {
            let (token, leaves) = (made.form.token.as_str(), picked.leaves);
            let codes = picked::take_over(app, caller, token, picked, "")?;
            Ok(picking::to_questions(call, token, &codes, leaves))
        }
        Err(Error::Invalid(faults)) => {
            let told: Vec<String> = faults.iter().map(|fault| account_messages::message(texts, fault)).collect();
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(page(call, caller, status, posted, &source, [&told.join(" "), ""]).into())
        }
        Err(other) => Err(other),
    }
}

/// Name and questions, with the faults of both.
fn page(
    call: &Call,
    caller: &Caller,
    status: StatusCode,
    posted: &Posted,
    source: &Source,
    [of_name, of_list]: [&str; 2],
) -> Answer {
    let (texts, csrf) = (texts_of(&caller.user), session::csrf(call));
    let action = format!("{}/forms/new", call.app.config.base_path());
    let back = Button { label: &texts.say("paste-back"), press: Press::Go(&action), ..Button::default() };
    let content = html! {
        (hidden("from", "picked"))
        (hidden("folder", posted.text("folder")))
        (hidden("form", source.token()))
        (line_field(&LineField {
            name: "name",
            label: &texts.say("new-form-name"),
            value: posted.text("name"),
            fault: of_name,
            required: true,
            focus: true,
            autocomplete: "off",
            ..LineField::default()
        }))
        (picking::list(texts, source, &picking::ticks(posted), of_list))
        (row(html! { (Button::main(&texts.say("picked-make"))) (back) }))
    };
    let content = html! {
        (head(call, texts))
        @if !of_list.is_empty() { (message(Tone::Bad, of_list, "")) }
        (Section {
            id: "questions",
            title: html! { (texts.say("picked-title")) },
            text: &texts.say("picked-text"),
            content: html! {
                (lead(html! { (name(source.name())) }))
                (PostForm { action: &action, csrf: &csrf, content, ..PostForm::default() })
            },
        })
    };
    let title = texts.say("new-form-title");
    let page = console::page(call, &caller.user, &csrf, texts, &title).script("columns.js");
    page.answer(status, &content)
}
