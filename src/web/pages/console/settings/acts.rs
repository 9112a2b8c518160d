//! Actions on a form as a whole: its data, the API, publishing, copies, deletion.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::model::role::Role;
use crate::ops::forms;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::settings_edit::{self, Saved};
use crate::web::pages::console::form_trash;
use crate::web::pages::console::settings::drawing::Drawing;
use crate::web::pages::console::settings::{Outcome, view};
use crate::web::pages::console::widgets::{copyable, isolated};
use crate::web::pages::console::{Posted, account_messages, curl};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::settings::sections::SettingsSection;
use crate::web::pages::ui::words::{muted, row};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// The section of acts that concern the whole form.
pub const SECTION: &str = "danger";

const PUBLISHED: &str = "published";

/// The text id of the last action, by the word that the page is opened with.
pub fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "published" => "settings-done-published",
        "offline" => "settings-done-offline",
        "copied" => "settings-done-copied",
        _ => return None,
    })
}

/// Carries out the act named by the last part of a post's address.
///
/// # Errors
/// 404 for no act.
pub fn act(call: &Call, caller: &Caller, name: &str) -> Result<Reply> {
    match name {
        PUBLISHED => publish(call, caller),
        "copy" => copy(call, caller),
        "delete" => delete(call, caller),
        _ => Err(Error::NotFound(Noun::Page)),
    }
}

fn publish(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    let posted = Posted::of(call);
    let is_published = posted.text(PUBLISHED) == "true";
    let version = posted.text("version");
    let wanted = json!({PUBLISHED: is_published});
    let word = match settings_edit::save(call.app, caller, token, &[PUBLISHED], version, &wanted) {
        Ok(Saved::Stored(_)) if is_published => "published",
        Ok(Saved::Stored(_)) => "offline",
        Ok(Saved::Changed(_)) => return Err(Error::VersionConflict),
        // A form without questions: that page says so.
        Err(Error::Invalid(_)) => {
            return Ok(session::to_page(&call.app.config, &format!("/forms/{token}/publish")).into());
        }
        Err(other) => return Err(other),
    };
    Ok(back(call, token, word))
}

fn copy(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let name = posted.text("copy-name").trim();
    let token = call.param("form_token");
    let name = match name {
        "" => form_trash::name_of_copy(call, caller, token)?,
        name => name.to_owned(),
    };
    match forms::copy_unpublished(call.app, caller, token, json!({"name": name}), Issues::new()) {
        Ok(made) => Ok(back(call, made.form.token.as_str(), "copied")),
        Err(Error::Invalid(faults)) => refused(call, caller, "copy-name", posted, faults),
        Err(other) => Err(other),
    }
}

fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    access::check(call.app, caller, token, Right::Own)?;
    let form = forms::show(call.app, caller, token)?.form;
    let posted = Posted::of(call);
    if posted.text("confirm-name").trim() != form.name.trim() {
        return refused(call, caller, "confirm-name", posted, vec![Issue::new("confirm-name", Reason::Wrong)]);
    }
    forms::trash(call.app, caller, token, IfMatch::Absent)?;
    Ok(session::to_page(&call.app.config, &format!("/forms?deleted={token}")).into())
}

/// The page with the typed values of an act, and the reason why it was not done.
fn refused(call: &Call, caller: &Caller, field: &'static str, posted: Posted, faults: Vec<Issue>) -> Result<Reply> {
    let edited = settings_edit::load(call.app, caller, call.param("form_token"))?;
    let typed = json!({field: posted.text(field)});
    let faults = faults.into_iter().map(|fault| Issue::new(field, fault.reason)).collect();
    let outcome =
        Outcome { section: SECTION.to_owned(), typed: Some((vec![field], typed)), faults, ..Outcome::default() };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, edited, &outcome)?.into())
}

fn back(call: &Call, token: &str, word: &str) -> Reply {
    session::to_page(&call.app.config, &format!("/forms/{token}/settings?saved={word}#{SECTION}")).into()
}

/// The sections below those of the table, as far as the caller's role has a use for them.
pub fn sections<'s>(drawing: &Drawing) -> Vec<SettingsSection<'s>> {
    let mut all =
        vec![section(drawing, "data", data(drawing)), section(drawing, "integrations", integrations(drawing))];
    if drawing.edited.view.role >= Role::Manager {
        let mut danger = section(drawing, SECTION, danger(drawing));
        danger.is_open = drawing.outcome.section == SECTION;
        all.push(danger);
    }
    all
}

fn section<'s>(drawing: &Drawing, id: &'s str, content: Markup) -> SettingsSection<'s> {
    let texts = drawing.cx.texts;
    SettingsSection {
        id,
        title: texts.say(&format!("settings-section-{id}")),
        text: texts.say(&format!("settings-section-{id}-text")),
        content,
        ..SettingsSection::default()
    }
}

fn data(drawing: &Drawing) -> Markup {
    let (texts, frame) = (drawing.cx.texts, drawing.frame);
    html! {
        p { (texts.say("settings-definition")) }
        (row(html! {
            (Button {
                label: &texts.say("settings-definition-button"),
                press: Press::Go(&frame.address("settings/definition")),
                ..Button::default()
            })
            (Button {
                label: &texts.say("settings-entries-button"),
                press: Press::Go(&frame.address("entries")),
                ..Button::default()
            })
        }))
        (muted(texts.say("settings-kept")))
    }
}

fn integrations(drawing: &Drawing) -> Markup {
    let (texts, frame) = (drawing.cx.texts, drawing.frame);
    let call = frame.call;
    let base = call.app.config.base_path();
    let form = format!("/api/v1/forms/{}", frame.view.form.token);
    let addresses = [
        ("form", form.clone()),
        ("entries", format!("{form}/entries")),
        ("webhooks", format!("{form}/integrations/webhooks")),
        ("queries", "/api/v1/opensearch/queries".to_owned()),
    ];
    let (webhooks, webhooks_text) = (frame.address("webhooks"), texts.say("webhooks-lead"));
    html! {
        @if drawing.edited.view.role >= Role::Manager {
            p { (webhooks_text) }
            (row(Button { label: &texts.say("webhooks"), press: Press::Go(&webhooks), ..Button::default() }))
        }
        p { (texts.say("settings-api")) }
        (copyable(texts, "curl", &curl(call, &format!("{form}/entries"), "TOKEN"), &texts.say("copy-command")))
        @for (words, path) in &addresses {
            p { (texts.say(&format!("settings-api-{words}"))) }
            (copyable(
                texts,
                &format!("api-{words}"),
                &format!("{}{path}", call.app.config.base_url),
                &texts.say("copy-link"),
            ))
        }
        (row(html! {
            (Button {
                label: &texts.say("forms-first-token"),
                press: Press::Go(&format!("{base}/profile#tokens")),
                ..Button::default()
            })
            (Button {
                label: &texts.say("forms-first-docs"),
                press: Press::Go(&format!("{base}/docs")),
                ..Button::default()
            })
        }))
    }
}

fn danger(drawing: &Drawing) -> Markup {
    let (texts, frame) = (drawing.cx.texts, drawing.frame);
    let outcome = drawing.outcome;
    let form = &drawing.edited.view.form;
    let state = if form.published { "offline" } else { "publish" };
    let version = settings_edit::version(&drawing.edited.values, &[PUBLISHED]);
    let post = |address: &str, content: Markup| {
        let action = frame.address(&format!("settings/{address}"));
        PostForm { action: &action, csrf: &frame.csrf, content, ..PostForm::default() }.render()
    };
    let name_field = |field: &'static str, notes: &str| {
        let typed = match &outcome.typed {
            Some((paths, typed)) if paths.contains(&field) => typed[field].as_str().unwrap_or_default(),
            _ => "",
        };
        let fault = outcome.faults.iter().find(|issue| issue.attribute == field);
        let fault = fault.map(|issue| match issue.reason {
            Reason::Wrong => texts.say("settings-delete-fault"),
            _ => account_messages::message(texts, issue),
        });
        line_field(&LineField {
            name: field,
            label: &texts.say(&format!("settings-{field}")),
            notes,
            value: typed,
            fault: &fault.unwrap_or_default(),
            autocomplete: "off",
            ..LineField::default()
        })
    };
    let confirm = texts.fill("settings-confirm-name-notes", &[("name", isolated(&form.name).into())]);
    html! {
        @if outcome.section == SECTION && let Some(done) = outcome.done {
            (message(Tone::Good, &texts.say(done), ""))
        }
        h3 { (texts.say(&format!("settings-{state}"))) }
        p { (texts.say(&format!("settings-{state}-text"))) }
        (post(PUBLISHED, html! {
            input type="hidden" name="version" value=(version);
            input type="hidden" name=(PUBLISHED) value=((!form.published).to_string());
            (Button::quiet(&texts.say(&format!("settings-{state}-button"))))
        }))
        h3 { (texts.say("settings-copy")) }
        p { (texts.say("settings-copy-text")) }
        (post("copy", html! {
            (name_field("copy-name", &texts.say("settings-copy-name-notes")))
            (Button::quiet(&texts.say("settings-copy-button")))
        }))
        @if drawing.edited.view.role >= Role::Owner {
            h3 { (texts.say("settings-delete")) }
            p { (texts.say("settings-delete-text")) }
            (post("delete", html! {
                (name_field("confirm-name", &confirm))
                (Button { label: &texts.say("settings-delete-button"), weight: Weight::Danger, ..Button::default() })
            }))
        }
    }
}
