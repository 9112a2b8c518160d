//! `/profile`: one's name, language, time zone, password and access tokens; and a sample form to begin
//! with.

use maud::{Markup, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::base::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::model::scope::{Scope, Scopes};
use crate::model::user::OrganizationRole;
use crate::ops::audit::By;
use crate::ops::tokens::TokenRow;
use crate::ops::{forms, second_factor, sessions, sign_in, tokens, users};
use crate::web::call::Call;
use crate::web::pages::console::access::Access;
use crate::web::pages::console::{self, Posted, apps, curl, fault, line, moment, timezone_field};
use crate::web::pages::layout::{LineField, Tone, csrf_field, message};
use crate::web::reply::{Answer, Reply};
use crate::web::session;

/// How long new tokens may work, in days; the first is chosen unless somebody chooses.
const EXPIRIES: [(&str, Option<i64>); 4] = [
    ("90", Some(90)),
    ("30", Some(30)),
    ("365", Some(365)),
    ("never", None),
];

/// What was posted, and what is to be said of it.
#[derive(Default)]
struct Said {
    /// What was done, by the name of its text.
    done: Option<String>,
    /// A token that was just made.
    token: Option<Secret>,
    /// What is wrong with what was typed.
    faults: Vec<Issue>,
    /// In which form.
    form: &'static str,
    /// What was typed.
    typed: Vec<(String, String)>,
}

/// `GET /profile`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let done = call.query("done").filter(|done| {
        [
            "profile",
            "password",
            "revoked",
            "sessions",
            "second-factor",
            "disconnected",
        ]
        .contains(&done.as_str())
    });
    let said = Said {
        done,
        ..Said::default()
    };
    Ok(view(call, caller, StatusCode::OK, &said)?.into())
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
        Err(error) => again(call, caller, "profile", posted, error),
    }
}

/// `POST /profile/password`
pub fn change_password(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let secret = |name: &str| Secret::new(posted.text(name).to_owned());
    let session = session::text(call).unwrap_or_default();
    let (old, new) = (secret("old_password"), secret("password"));
    match sign_in::change_password(call.app, &caller.user, session, &old, &new, call.now) {
        Ok(()) => done(call, "password"),
        Err(error) => again(call, caller, "password", Posted(Vec::new()), error),
    }
}

/// `POST /profile/tokens`: the answer shows the token, once.
pub fn create_token(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let scopes: Scopes = posted.all("scopes").filter_map(Scope::by_name).collect();
    let expiry = EXPIRIES
        .iter()
        .find(|(name, _)| *name == posted.text("expires"))
        .unwrap_or(&EXPIRIES[0]);
    let life = expiry.1.map(|days| days * 86_400);
    let name = posted.text("token_name").to_owned();
    match tokens::create(
        call.app,
        By::caller(caller),
        caller.user.id,
        name,
        scopes,
        life,
    ) {
        Ok(made) => {
            let said = Said {
                token: Some(made.text),
                ..Said::default()
            };
            Ok(view(call, caller, StatusCode::OK, &said)?.into())
        }
        Err(error) => again(call, caller, "tokens", posted, error),
    }
}

/// `POST /profile/tokens/{id}/revoke`
pub fn revoke_token(call: &Call, caller: &Caller) -> Result<Reply> {
    let id = call.number("id").ok_or(Error::NotFound(Noun::Token))?;
    tokens::revoke(call.app, id, Some(caller))?;
    done(call, "revoked")
}

/// `POST /profile/sessions/end`
pub fn end_sessions(call: &Call, caller: &Caller) -> Result<Reply> {
    sessions::end_others(call.app, caller, session::text(call).unwrap_or_default())?;
    done(call, "sessions")
}

/// `POST /profile/sample-form`: makes a form to look at and leads to it.
pub fn sample_form(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let say = |id: &str| texts.say(id);
    let choices =
        |ids: &[&str]| -> Vec<Json> { ids.iter().map(|id| json!({"label": say(id)})).collect() };
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
    Ok(session::to_page(&call.app.config, &format!("/f/{}", made.form.token)).into())
}

fn done(call: &Call, what: &str) -> Result<Reply> {
    Ok(session::to_page(&call.app.config, &format!("/profile?done={what}")).into())
}

fn again(
    call: &Call,
    caller: &Caller,
    form: &'static str,
    typed: Posted,
    error: Error,
) -> Result<Reply> {
    let said = Said {
        faults: console::faults(error)?,
        form,
        typed: typed.0,
        ..Said::default()
    };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &said)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, said: &Said) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let rows = tokens::list(call.app, Some(caller.user.id))?;
    let title = texts.say("profile-title");
    let content = html! {
        div.wide.stack {
            h1 { (title) }
            @if let Some(done) = &said.done {
                (message(Tone::Good, &texts.say(&format!("profile-done-{done}")), ""))
            }
            @if !said.faults.is_empty() {
                (message(Tone::Bad, &texts.say("account-faults"), ""))
            }
            @if let Some(token) = &said.token {
                section.message.good.stack role="status" {
                    h2 { (texts.say("profile-token-made")) }
                    p { (texts.say("profile-token-once")) }
                    pre.wrap { code #token { (token.reveal()) } }
                    p { (texts.say("profile-curl")) }
                    pre.wrap { code { (curl(call, "/api/v1/me", token.reveal())) } }
                }
            }
            (about(call, caller, texts, &csrf, said))
            (access_tokens(call, caller, texts, &csrf, said, &rows))
            (apps::section(call, caller, texts, &csrf)?)
            (password(call, caller, texts, &csrf, said))
            (second_step(call, caller, texts)?)
            (signed_in(call, caller, texts, &csrf)?)
            (sample(call, texts, &csrf))
        }
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
}

/// What was typed into a form that is shown again, else what holds.
fn typed<'a>(said: &'a Said, form: &str, name: &str, kept: &'a str) -> &'a str {
    if said.form != form {
        return kept;
    }
    said.typed
        .iter()
        .find(|(key, _)| key == name)
        .map_or(kept, |(_, value)| value)
}

/// The faults of one form of the page.
fn faults_of<'a>(said: &'a Said, form: &str) -> &'a [Issue] {
    if said.form == form { &said.faults } else { &[] }
}

fn about(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, said: &Said) -> Markup {
    let user = &caller.user;
    let faults = faults_of(said, "profile");
    let chosen = typed(said, "profile", "locale", &user.locale);
    // A language that pages have no words for may still be a user's own.
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
            form method="post" action={ (call.app.config.base_path()) "/profile" } {
                (csrf_field(csrf))
                (line(texts, faults, LineField {
                    name: "name",
                    label: &texts.say("account-name"),
                    value: typed(said, "profile", "name", &user.name),
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
                (timezone_field(texts, faults, typed(said, "profile", "timezone", &user.timezone), false))
                button.button type="submit" { (texts.say("profile-save")) }
            }
        }
    }
}

/// A language's name in itself.
fn language(locale: &str) -> &str {
    match locale {
        "en" => "English",
        "zh-CN" => "简体中文",
        other => other,
    }
}

fn password(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, said: &Said) -> Markup {
    let faults = faults_of(said, "password");
    html! {
        section.card.stack aria-labelledby="change-password" {
            h2 #change-password { (texts.say("profile-password")) }
            p.muted { (texts.say("profile-password-text")) }
            form method="post" action={ (call.app.config.base_path()) "/profile/password" } {
                (csrf_field(csrf))
                // So that password managers know whose password it is.
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
                button.button type="submit" { (texts.say("profile-password")) }
            }
        }
    }
}

fn access_tokens(
    call: &Call,
    caller: &Caller,
    texts: &Texts,
    csrf: &str,
    said: &Said,
    rows: &[TokenRow],
) -> Markup {
    let live: Vec<&TokenRow> = rows
        .iter()
        .filter(|row| row.revoked_at.is_none() && row.expires_at.is_none_or(|end| call.now < end))
        .collect();
    html! {
        section.card.stack aria-labelledby="tokens" {
            h2 #tokens { (texts.say("profile-tokens")) }
            p.muted { (texts.say("profile-tokens-text")) }
            @if live.is_empty() {
                p { (texts.say("profile-tokens-none")) }
            } @else {
                ul.rows role="list" {
                    @for row in live { (access(call, caller, texts, row).row(caller, texts, csrf)) }
                }
            }
            (new_token(call, texts, csrf, said))
        }
    }
}

fn access<'a>(call: &Call, caller: &Caller, texts: &Texts, row: &'a TokenRow) -> Access<'a> {
    let base = call.app.config.base_path();
    let end = match row.expires_at {
        Some(end) => moment(&caller.user, end),
        None => html! { (texts.say("profile-expires-never")) },
    };
    Access {
        name: &row.name,
        scopes: row.scopes,
        said: ("profile-token-expires", end),
        used: row.last_used_at,
        end: format!("{base}/profile/tokens/{}/revoke", row.id),
        button: "profile-revoke",
    }
}

fn new_token(call: &Call, texts: &Texts, csrf: &str, said: &Said) -> Markup {
    let base = call.app.config.base_path();
    let faults: Vec<Issue> = faults_of(said, "tokens")
        .iter()
        .map(|issue| match issue.attribute.as_str() {
            // The page has another field of that name.
            "name" => Issue {
                attribute: "token_name".to_owned(),
                message: issue.message.clone(),
            },
            _ => issue.clone(),
        })
        .collect();
    let scopes_fault = fault(texts, &faults, "scopes");
    let is_ticked = |scope: Scope| {
        said.form == "tokens"
            && said
                .typed
                .iter()
                .any(|(key, value)| key == "scopes" && value == scope.name())
    };
    let chosen = typed(said, "tokens", "expires", EXPIRIES[0].0);
    html! {
        details open[said.form == "tokens"] {
            summary { (texts.say("profile-token-new")) }
            form method="post" action={ (base) "/profile/tokens" } {
                (csrf_field(csrf))
                (line(texts, &faults, LineField {
                    name: "token_name",
                    label: &texts.say("profile-token-name"),
                    notes: &texts.say("profile-token-name-notes"),
                    value: typed(said, "tokens", "token_name", ""),
                    autocomplete: "off",
                    required: true,
                    ..LineField::default()
                }))
                div class=(if scopes_fault.is_empty() { "field" } else { "field wrong" }) {
                    fieldset {
                        legend { (texts.say("profile-token-scopes")) }
                        @if !scopes_fault.is_empty() { p.fault { (scopes_fault) } }
                        div.choices {
                            @for scope in Scope::ALL {
                                label.choice {
                                    input type="checkbox" name="scopes" value=(scope.name())
                                        checked[is_ticked(scope)];
                                    span.choice-label {
                                        (texts.say(&format!("scope-{}", scope.name().replace(':', "-"))))
                                        " " code.small.muted { (scope.name()) }
                                    }
                                }
                            }
                        }
                    }
                }
                div.field {
                    label for="expires" { (texts.say("profile-token-expires")) }
                    select.input #expires name="expires" {
                        @for (name, days) in EXPIRIES {
                            option value=(name) selected[name == chosen] {
                                @match days {
                                    Some(days) => (texts.fill("profile-expires-days", &[("days", days.into())])),
                                    None => (texts.say("profile-expires-never")),
                                }
                            }
                        }
                    }
                }
                button.button type="submit" { (texts.say("profile-token-create")) }
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

fn signed_in(call: &Call, caller: &Caller, texts: &Texts, csrf: &str) -> Result<Markup> {
    let all = sessions::list(call.app, caller, session::text(call).unwrap_or_default())?;
    Ok(html! {
        section.card.stack aria-labelledby="sessions" {
            h2 #sessions { (texts.say("profile-sessions")) }
            ul.rows role="list" {
                @for one in &all {
                    li {
                        div {
                            @if one.is_this { strong { (texts.say("profile-session-this")) } " · " }
                            (texts.say("profile-session-begun")) ": "
                            (moment(&caller.user, one.created_at)) " · "
                            (texts.say("profile-token-used")) ": " (moment(&caller.user, one.seen_at))
                        }
                    }
                }
            }
            @if all.len() > 1 {
                form method="post" action={ (call.app.config.base_path()) "/profile/sessions/end" } {
                    (csrf_field(csrf))
                    button.button.danger type="submit" { (texts.say("profile-sessions-end")) }
                }
            }
        }
    })
}

fn sample(call: &Call, texts: &Texts, csrf: &str) -> Markup {
    html! {
        section.card.stack aria-labelledby="sample" {
            h2 #sample { (texts.say("welcome-sample")) }
            p.muted { (texts.say("welcome-sample-text")) }
            form method="post" action={ (call.app.config.base_path()) "/profile/sample-form" } {
                (csrf_field(csrf))
                button.button.quiet type="submit" { (texts.say("sample-button")) }
            }
        }
    }
}
