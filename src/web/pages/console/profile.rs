//! `/profile`: name, language, time zone, password and sessions of the user; and a sample form.

use maud::{Markup, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::base::text::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::model::user::OrganizationRole;
use crate::ops::accounts::sessions::{self, OwnSession};
use crate::ops::accounts::{second_factor, sign_in, users};
use crate::ops::forms;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::{
    self, Posted, apps, line, moment, sample_button, timezone_field, timezone_list, tokens, widgets,
};
use crate::web::pages::ui::layout::{LineField, Tone, csrf_field, message};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The ids of the fields, and the text ids of their labels.
const ABOUT_FIELDS: [(&str, &str); 2] = [("name", "account-name"), ("timezone", "account-timezone")];
const PASSWORD_FIELDS: [(&str, &str); 2] =
    [("old_password", "profile-password-old"), ("password", "profile-password-new")];

/// The outcome of a post to one of the page's forms.
#[derive(Default)]
pub(super) struct PostOutcome {
    /// The text id of what was done.
    done: Option<String>,
    pub faults: Vec<Issue>,
    /// The form that was posted.
    pub form: &'static str,
    /// The posted values.
    pub typed: Vec<(String, String)>,
}

/// `GET /profile`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let done = call.query("done").filter(|done| {
        ["profile", "password", "revoked", "sessions", "second-factor", "disconnected"].contains(&done.as_str())
    });
    let outcome = PostOutcome { done, ..PostOutcome::default() };
    Ok(view(call, caller, StatusCode::OK, &outcome)?.into())
}

/// `POST /profile`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let body: Json = ["name", "locale", "timezone"]
        .into_iter()
        .map(|key| (key.to_owned(), Json::from(posted.text(key))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    match users::update(call.app, caller, body) {
        Ok(_) => done(call, "profile"),
        Err(error) => {
            let faults = console::faults(error, &posted)?;
            show_faults(call, caller, "profile", posted, faults)
        }
    }
}

/// `POST /profile/password`
pub fn change_password(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let secret = |name: &str| Secret::new(posted.text(name).to_owned());
    let session = session::cookie_value(call).unwrap_or_default();
    let (old, new) = (secret("old_password"), secret("password"));
    match sign_in::change_password(call.app, &caller.user, session, &old, &new, call.now) {
        Ok(()) => done(call, "password"),
        Err(error) => {
            let faults = console::faults(error, &posted)?;
            show_faults(call, caller, "password", Posted(Vec::new()), faults)
        }
    }
}

/// `GET /profile/sessions/end`
pub fn confirm_end_sessions(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let confirmation = Confirmation {
        title: texts.say("sessions-end-title"),
        text: texts.say("sessions-end-text"),
        button: texts.say("sessions-end-button"),
        back: "/profile#sessions",
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /profile/sessions/end`
pub fn end_sessions(call: &Call, caller: &Caller) -> Result<Reply> {
    sessions::end_others(call.app, caller, session::cookie_value(call).unwrap_or_default())?;
    done(call, "sessions")
}

/// `POST /profile/sample-form`: creates a sample form and redirects to its link.
pub fn sample_form(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let say = |id: &str| texts.say(id);
    let choices = |ids: &[&str]| -> Vec<Json> { ids.iter().map(|id| json!({"label": say(id)})).collect() };
    let body = json!({
        "name": say("sample-title"),
        "description": say("sample-description"),
        "scene": "registration",
        "locale": texts.locale(),
        "fields": [
            {"type": "name", "label": say("sample-name"), "required": true},
            {"type": "email", "label": say("sample-email"), "notes": say("sample-email-notes"), "required": true},
            {"type": "radio", "label": say("sample-day"), "required": true,
             "choices": choices(&["sample-day-1", "sample-day-2", "sample-day-3"])},
            {"type": "checkbox", "label": say("sample-food"),
             "choices": choices(&["sample-food-1", "sample-food-2", "sample-food-3"])},
            {"type": "long_text", "label": say("sample-words")},
        ],
    });
    let made = forms::create(call.app, caller, body, Issues::new())?;
    let path = format!("/forms/{}/link", made.form.token);
    Ok(session::to_page(&call.app.config, &path).into())
}

/// Redirects to the profile, which says what was done.
pub(super) fn done(call: &Call, what: &str) -> Result<Reply> {
    Ok(session::to_page(&call.app.config, &format!("/profile?done={what}")).into())
}

/// The profile with the typed values of one of its forms and their faults.
pub(super) fn show_faults(
    call: &Call,
    caller: &Caller,
    form: &'static str,
    typed: Posted,
    faults: Vec<Issue>,
) -> Result<Reply> {
    let outcome = PostOutcome { faults, form, typed: typed.0, ..PostOutcome::default() };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &PostOutcome) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let heading = texts.say("profile-title");
    let title = widgets::page_title(texts, &heading, !outcome.faults.is_empty());
    let fields: &[_] = match outcome.form {
        "password" => &PASSWORD_FIELDS,
        tokens::FORM => &tokens::FIELDS,
        _ => &ABOUT_FIELDS,
    };
    let content = html! {
        div.wide.stack {
            h1 { (heading) }
            @if let Some(done) = &outcome.done {
                (message(Tone::Good, &texts.say(&format!("profile-done-{done}")), ""))
            }
            (widgets::fault_summary(texts, &outcome.faults, fields))
            (about(call, caller, texts, &csrf, outcome))
            (tokens::section(call, caller, texts, &csrf, outcome)?)
            (apps::section(call, caller, texts)?)
            (password(call, caller, texts, &csrf, outcome))
            (second_step(call, caller, texts)?)
            (signed_in(call, caller, texts)?)
            (sample(call, texts, &csrf))
            (timezone_list())
        }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.script("password.js").answer(status, &content))
}

/// The typed value if this form is shown again, else the stored one.
pub(super) fn typed<'a>(outcome: &'a PostOutcome, form: &str, name: &str, stored: &'a str) -> &'a str {
    if outcome.form != form {
        return stored;
    }
    outcome.typed.iter().find(|(key, _)| key == name).map_or(stored, |(_, value)| value)
}

/// The faults of one form of the page.
fn faults_of<'a>(outcome: &'a PostOutcome, form: &str) -> &'a [Issue] {
    if outcome.form == form { &outcome.faults } else { &[] }
}

fn about(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, outcome: &PostOutcome) -> Markup {
    let user = &caller.user;
    let faults = faults_of(outcome, "profile");
    let chosen = typed(outcome, "profile", "locale", &user.locale);
    // A user's language may be one that pages are not translated into.
    let mut locales: Vec<&str> = texts::locales().to_vec();
    if !locales.contains(&chosen) {
        locales.push(chosen);
    }
    let role = match user.role {
        OrganizationRole::Owner => "profile-owner",
        OrganizationRole::Member => "profile-member",
    };
    html! {
        section.card.stack aria-labelledby="about" {
            h2 #about { (texts.say("profile-about")) }
            dl.facts {
                dt { (texts.say("account-email")) }
                dd { bdi { (user.email) } }
                dt { (texts.say("account-organization")) }
                dd { bdi { (user.organization.name) } " (" (texts.say(role)) ")" }
            }
            form method="post" action={ (call.app.config.base_path()) "/profile" } novalidate {
                (csrf_field(csrf))
                (line(texts, faults, LineField {
                    name: "name",
                    label: &texts.say("account-name"),
                    value: typed(outcome, "profile", "name", &user.name),
                    autocomplete: "name",
                    required: true,
                    ..LineField::default()
                }))
                div.field {
                    label for="locale" { (texts.say("account-locale")) }
                    select.input #locale name="locale" {
                        @for locale in locales {
                            option value=(locale) selected[locale == chosen] lang=(locale) {
                                (language(locale))
                            }
                        }
                    }
                }
                (timezone_field(texts, faults, typed(outcome, "profile", "timezone", &user.timezone), false))
                button.button type="submit" { (texts.say("profile-save")) }
            }
        }
    }
}

/// A language's own name.
fn language(locale: &str) -> &str {
    match locale {
        "en" => "English",
        "zh-CN" => "简体中文",
        other => other,
    }
}

fn password(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, outcome: &PostOutcome) -> Markup {
    let faults = faults_of(outcome, "password");
    html! {
        section.card.stack aria-labelledby="change-password" {
            h2 #change-password { (texts.say("profile-password")) }
            p.muted { (texts.say("profile-password-text")) }
            form method="post" action={ (call.app.config.base_path()) "/profile/password" } novalidate {
                (csrf_field(csrf))
                // Tells password managers which account it is.
                input type="text" name="username" value=(caller.user.email) autocomplete="username"
                    readonly hidden;
                (line(texts, faults, LineField {
                    name: "old_password",
                    label: &texts.say("profile-password-old"),
                    kind: "password",
                    autocomplete: "current-password",
                    required: true,
                    ..LineField::default()
                }))
                (line(texts, faults, LineField {
                    name: "password",
                    label: &texts.say("profile-password-new"),
                    notes: &texts.say("account-password-notes"),
                    kind: "password",
                    autocomplete: "new-password",
                    required: true,
                    ..LineField::default()
                }))
                button.button.quiet type="submit" { (texts.say("profile-password")) }
            }
        }
    }
}

fn second_step(call: &Call, caller: &Caller, texts: &Texts) -> Result<Markup> {
    let is_on = second_factor::codes_left(call.app, caller.user.id)?.is_some();
    Ok(html! {
        section.card.stack aria-labelledby="second" {
            h2 #second { (texts.say("second-title")) }
            p.muted { (texts.say(if is_on { "second-on" } else { "second-off" })) }
            p {
                a.button.quiet href={ (call.app.config.base_path()) "/profile/second-factor" } {
                    (texts.say(if is_on { "second-change" } else { "second-set-up" }))
                }
            }
        }
    })
}

fn signed_in(call: &Call, caller: &Caller, texts: &Texts) -> Result<Markup> {
    let all = sessions::list(call.app, caller, session::cookie_value(call).unwrap_or_default())?;
    Ok(html! {
        section.card.stack aria-labelledby="sessions" {
            h2 #sessions { (texts.say("profile-sessions")) }
            ul.rows role="list" {
                @for one in &all {
                    li {
                        div {
                            bdi { (browser(texts, one)) } " · "
                            @if one.is_this { strong { (texts.say("profile-session-this")) } " · " }
                            (texts.say("profile-session-begun")) ": "
                            (moment(&caller.user, one.created_at)) " · "
                            (texts.say("profile-token-used")) ": " (moment(&caller.user, one.seen_at))
                        }
                    }
                }
            }
            @if all.len() > 1 {
                p {
                    a.button.danger href={ (call.app.config.base_path()) "/profile/sessions/end" } {
                        (texts.say("profile-sessions-end"))
                    }
                }
            }
        }
    })
}

/// The browser of a session and its system.
fn browser(texts: &Texts, session: &OwnSession) -> String {
    match (session.browser.as_deref(), session.system.as_deref()) {
        (Some(browser), Some(system)) => {
            texts.fill("profile-session-on", &[("browser", browser.into()), ("system", system.into())])
        }
        (Some(known), None) | (None, Some(known)) => known.to_owned(),
        (None, None) => texts.say("profile-session-unknown"),
    }
}

fn sample(call: &Call, texts: &Texts, csrf: &str) -> Markup {
    html! {
        section.card.stack aria-labelledby="sample" {
            h2 #sample { (texts.say("welcome-sample")) }
            p.muted { (texts.say("welcome-sample-text")) }
            (sample_button(call, texts, csrf, "button quiet"))
        }
    }
}
