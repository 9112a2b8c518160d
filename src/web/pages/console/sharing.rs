//! `/forms/{form_token}/people`: the collaborators of a form and their roles.

use maud::{Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::model::caller::Caller;
use crate::model::page::PageRequest;
use crate::ops::accounts::collaborators::{self, Collaborator};
use crate::ops::accounts::members;
use crate::ops::forms;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::widgets::{self, isolated};
use crate::web::pages::console::{self, Posted, choices};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{LineField, SelectField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

const ROLES: [(&str, &str); 3] =
    [("viewer", "sharing-viewer"), ("editor", "sharing-editor"), ("manager", "sharing-manager")];
/// The words of the page before somebody is removed: title, text and button.
const REMOVE: [&str; 3] = ["unshare-title", "unshare-text", "sharing-remove"];
/// The limit of collaborators on the page.
const EVERYBODY: PageRequest = PageRequest { size: 1_000, after: None };

/// `GET /forms/{form_token}/people`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let done = call.query("done").filter(|done| ["shared", "removed"].contains(&done.as_str()));
    Ok(view(call, caller, StatusCode::OK, done.as_deref(), None)?.into())
}

/// `POST /forms/{form_token}/people`
pub fn put(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let token = call.param("form_token");
    let body = json!({"role": posted.text("role")});
    let texts = console::texts_of(&caller.user);
    let put = collaborators::put(call.app, caller, token, posted.text("email").trim(), body, Issues::new());
    let fault = match put {
        Ok(_) => return Ok(done(call, "shared")),
        Err(Error::NotFound(Noun::User)) if posted.text("email").trim().is_empty() => texts.say("account-fault-blank"),
        Err(Error::NotFound(Noun::User)) => texts.say("sharing-nobody"),
        Err(Error::Invalid(issues)) => match issues.first() {
            Some(issue) => console::account_messages::message(texts, issue),
            None => texts.say("sharing-nobody"),
        },
        Err(other) => return Err(other),
    };
    let refused = RefusedAddress { typed: posted.text("email"), fault: &fault };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, None, Some(refused))?.into())
}

/// `GET /forms/{form_token}/people/{user_id}/remove`
pub fn confirm_remove(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    let shared = collaborators::list(call.app, caller, token, &EVERYBODY)?;
    let one = shared
        .rows
        .iter()
        .find(|one| one.user.token == call.param("user_id"))
        .ok_or(Error::NotFound(Noun::Collaborator))?;
    let form = forms::show(call.app, caller, token)?.form;
    let texts = console::texts_of(&caller.user);
    let names = [("name", isolated(&one.user.name).into()), ("form", isolated(&form.name).into())];
    let is_own = one.user.id == caller.user.id;
    let words = if is_own { ["unshare-own-title", "unshare-own-text", "sharing-leave"] } else { REMOVE };
    let [title, text, button] = words;
    let confirmation = Confirmation {
        title: texts.fill(title, &names),
        text: texts.say(text),
        button: texts.say(button),
        back: &format!("/forms/{token}/people"),
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /forms/{form_token}/people/{user_id}/remove`
pub fn remove(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, user) = (call.param("form_token"), call.param("user_id"));
    collaborators::remove(call.app, caller, form, user)?;
    if caller.user.token == user {
        return Ok(session::to_page(&call.app.config, "/forms").into());
    }
    Ok(done(call, "removed"))
}

fn done(call: &Call, what: &str) -> Reply {
    let token = call.param("form_token");
    session::to_page(&call.app.config, &format!("/forms/{token}/people?done={what}")).into()
}

/// A typed address that the form can't be shared with.
struct RefusedAddress<'a> {
    typed: &'a str,
    fault: &'a str,
}

fn view(
    call: &Call,
    caller: &Caller,
    status: StatusCode,
    done: Option<&str>,
    refused: Option<RefusedAddress>,
) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let token = call.param("form_token");
    let shared = collaborators::list(call.app, caller, token, &EVERYBODY)?;
    let frame = FormFrame::load(call, caller)?;
    let form = &frame.view.form;
    let people = members::list(call.app, caller)?;
    let base = call.app.config.base_path();
    let (typed, fault) = refused.map_or(("", ""), |refused| (refused.typed, refused.fault));
    let heading = texts.say("sharing-title");
    let title = widgets::page_title(texts, &frame.title(&heading), !fault.is_empty());
    let email = LineField {
        name: "email",
        label: &texts.say("account-email"),
        kind: "email",
        notes: &texts.say("sharing-email-notes"),
        value: typed,
        fault,
        autocomplete: "off",
        required: true,
        list: "colleagues",
        ..LineField::default()
    };
    let fields = html! {
        (line_field(&email))
        datalist #colleagues {
            @for user in people.iter().filter(|user| user.id != form.owner) {
                option value=(user.email) { (user.name) }
            }
        }
        (SelectField {
            id: "role",
            name: "role",
            label: &texts.say("sharing-role"),
            choices: choices(texts, &ROLES, "viewer"),
            ..SelectField::default()
        })
        (Button::main(&texts.say("sharing-button")))
    };
    let action = format!("{base}/forms/{token}/people");
    let content = html! {
        (frame.head(FormPage::People, true))
        @if let Some(done) = done {
            (message(Tone::Good, &texts.say(&format!("sharing-done-{done}")), ""))
        }
        (Section {
            id: "shared",
            title: html! { (texts.say("sharing-people")) },
            content: html! {
                @if shared.rows.is_empty() {
                    (EmptyState { text: &texts.say("sharing-none"), ..EmptyState::default() })
                } @else {
                    (list(shared.rows.iter().map(|one| person(call, caller, &csrf, one))))
                }
            },
            ..Section::default()
        })
        (Section {
            id: "share",
            title: html! { (texts.say("sharing-add")) },
            text: &texts.say("sharing-roles"),
            content: PostForm { action: &action, csrf: &csrf, content: fields, ..PostForm::default() }.render(),
        })
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
}

fn person(call: &Call, caller: &Caller, csrf: &str, one: &Collaborator) -> Row {
    let texts = console::texts_of(&caller.user);
    let is_own = one.user.id == caller.user.id;
    let user = &one.user;
    let base = call.app.config.base_path();
    let people = format!("{base}/forms/{}/people", call.param("form_token"));
    let elsewhere = one.other_organization().map(|organization| {
        html! { (texts.fill("sharing-other-organization", &[("name", isolated(organization).into())])) }
    });
    let role = html! {
        input type="hidden" name="email" value=(user.email);
        (SelectField {
            id: &format!("role-{}", user.token),
            name: "role",
            label: &texts.say("sharing-role"),
            choices: choices(texts, &ROLES, one.role.name()),
            about: name(&user.name),
        })
        (Button { label: &texts.say("profile-save"), is_small: true, about: name(&user.name), ..Button::default() })
    };
    Row {
        title: name(&user.name),
        facts: vec![name(&user.email), elsewhere.unwrap_or_default()],
        actions: html! {
            (PostForm { action: &people, csrf, content: role, is_row: true, ..PostForm::default() })
            (Button {
                label: &texts.say(if is_own { "sharing-leave" } else { "sharing-remove" }),
                press: Press::Go(&format!("{people}/{}/remove", user.token)),
                weight: Weight::Danger,
                is_small: true,
                about: name(&user.name),
            })
        },
        ..Row::default()
    }
}
