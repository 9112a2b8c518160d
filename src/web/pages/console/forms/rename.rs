//! `/forms/{form_token}/rename`: another name for a form, typed in the head of its pages.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::forms::settings_edit::{self, Saved};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::widgets::{self, isolated};
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::section::Section;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// Names of pages and codes of questions are shorter: an address of any length fits into no header.
const LONGEST: usize = 64;

/// `POST /forms/{form_token}/rename`: leads back to the page of the form that it was sent from.
pub fn put(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let token = call.param("form_token");
    let (name, loaded) = (posted.text("name"), posted.text("version"));
    let texts = console::texts_of(&caller.user);
    let saved = settings_edit::save(call.app, caller, token, &["name"], loaded, &json!({"name": name}));
    let (status, fault, loaded) = match saved {
        Ok(Saved::Stored(_)) => {
            // Pages of a form have plain names.
            let page = posted.text("page");
            let is_page = page.len() <= LONGEST && page.bytes().all(|byte| byte.is_ascii_lowercase());
            let page = if is_page { page } else { "" };
            let field = posted.text("field");
            let is_code = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            let is_field = (1..=LONGEST).contains(&field.len()) && field.bytes().all(is_code);
            // The question that was open there stays open.
            let open = is_field.then(|| format!("?field={field}"));
            let path = format!("/forms/{token}/{page}{}", open.unwrap_or_default());
            return Ok(session::to_page(&call.app.config, &path).into());
        }
        Ok(Saved::Changed(now)) => {
            let other = &now.view.form.name;
            let fault = texts.fill("forms-rename-changed", &[("name", isolated(other).into())]);
            (StatusCode::PRECONDITION_FAILED, fault, settings_edit::version_of(&json!(other)))
        }
        Err(error) => {
            let faults = console::faults(error, &posted)?;
            (StatusCode::UNPROCESSABLE_ENTITY, console::fault(texts, &faults, "name"), loaded.to_owned())
        }
    };
    let frame = FormFrame::load(call, caller)?;
    let heading = frame.say("forms-rename");
    let title = widgets::page_title(texts, &frame.title(&heading), true);
    let given = Given {
        name,
        fault: &fault,
        version: &loaded,
        page: posted.text("page"),
        field: posted.text("field"),
        id: "new-name",
    };
    let content = html! {
        (frame.head(FormPage::Settings, false))
        (Section {
            id: "renaming",
            title: html! { (heading) },
            content: form(&frame, &given),
            ..Section::default()
        })
    };
    let page = console::page(call, &caller.user, &frame.csrf, texts, &title);
    Ok(page.answer(status, &content).into())
}

/// The form of a name as it stands.
pub fn form_of(frame: &FormFrame, page: &str) -> Markup {
    let name = &frame.view.form.name;
    let version = settings_edit::version_of(&json!(name));
    let field = frame.call.query("field").unwrap_or_default();
    form(frame, &Given { name, fault: "", version: &version, page, field: &field, id: "form-name" })
}

/// The values of the form.
struct Given<'a> {
    name: &'a str,
    fault: &'a str,
    version: &'a str,
    /// The page of the form that it leads back to.
    page: &'a str,
    /// The code of the question that is open there; empty without one.
    field: &'a str,
    /// The id of the input.
    id: &'a str,
}

fn form(frame: &FormFrame, given: &Given) -> Markup {
    let field = LineField {
        name: "name",
        id: given.id,
        label: &frame.say("forms-form-name"),
        value: given.name,
        fault: given.fault,
        required: true,
        autocomplete: "off",
        ..LineField::default()
    };
    let content = html! {
        input type="hidden" name="version" value=(given.version);
        input type="hidden" name="page" value=(given.page);
        @if !given.field.is_empty() { input type="hidden" name="field" value=(given.field); }
        (line_field(&field))
        (Button::main(&frame.say("forms-rename")))
    };
    PostForm { action: &frame.address("rename"), csrf: &frame.csrf, content, ..PostForm::default() }.render()
}
