//! `/profile`: name, language, time zone, password and sessions of the user; and a sample form.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::base::text::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::model::user::{Density, FirstTab, OrganizationRole, Preferences};
use crate::ops::accounts::sessions::{self, OwnSession};
use crate::ops::accounts::{preferences, second_factor, sign_in, users};
use crate::ops::forms;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::{
    self, Posted, apps, line, moment, sample_button, timezone_field, timezone_list, tokens, widgets,
};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::field::{Choice, LineField, SelectField, TickField};
use crate::web::pages::ui::form::{PostForm, account_of_password};
use crate::web::pages::ui::head::PageHead;
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{facts, name};
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
    /// The text id of the last action.
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
        ["profile", "preferences", "password", "revoked", "sessions", "second-factor", "disconnected"]
            .contains(&done.as_str())
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

/// `POST /profile/preferences`
pub fn set_preferences(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let letter_keys = posted.text("letter_keys") == "on";
    let body = json!({
        "letter_keys": letter_keys,
        "rows": posted.text("rows"),
        "density": posted.text("density"),
        "first_tab": posted.text("first_tab"),
    });
    match preferences::set(call.app, caller, body) {
        Ok(()) => done(call, "preferences"),
        Err(error) => {
            let faults = console::faults(error, &posted)?;
            show_faults(call, caller, "preferences", posted, faults)
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
    let path = format!("/forms/{}/share", made.form.token);
    Ok(session::to_page(&call.app.config, &path).into())
}

/// Redirects to the profile, which shows a notice of the action.
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
        (PageHead { title: html! { (heading) }, ..PageHead::default() })
        @if let Some(done) = &outcome.done {
            (message(Tone::Good, &texts.say(&format!("profile-done-{done}")), ""))
        }
        (widgets::fault_summary(texts, &outcome.faults, fields))
        (about(call, caller, texts, &csrf, outcome))
        (password(call, caller, texts, &csrf, outcome))
        (second_step(call, caller, texts)?)
        (signed_in(call, caller, texts)?)
        (liked(call, caller, texts, &csrf))
        (tokens::section(call, caller, texts, &csrf, outcome)?)
        (apps::section(call, caller, texts)?)
        (sample(call, texts, &csrf))
        (timezone_list())
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
    let locales = locales
        .into_iter()
        .map(|locale| Choice { lang: Some(locale), ..Choice::new(locale, language(locale), locale == chosen) });
    let fields = html! {
        (line(texts, faults, LineField {
            name: "name",
            label: &texts.say("account-name"),
            value: typed(outcome, "profile", "name", &user.name),
            autocomplete: "name",
            required: true,
            ..LineField::default()
        }))
        (SelectField {
            id: "locale",
            name: "locale",
            label: &texts.say("account-locale"),
            choices: locales.collect(),
            ..SelectField::default()
        })
        (timezone_field(texts, faults, typed(outcome, "profile", "timezone", &user.timezone), false))
        (Button::main(&texts.say("profile-save")))
    };
    let action = format!("{}/profile", call.app.config.base_path());
    Section {
        id: "about",
        title: html! { (texts.say("profile-about")) },
        content: html! {
            (facts(&[
                (&texts.say("account-email"), name(&user.email)),
                (&texts.say("account-organization"), html! {
                    (name(&user.organization.name)) " (" (texts.say(role)) ")"
                }),
            ]))
            (PostForm { action: &action, csrf, content: fields, ..PostForm::default() })
        },
        ..Section::default()
    }
    .render()
}

/// How the pages are: keys, rows, density.
fn liked(call: &Call, caller: &Caller, texts: &Texts, csrf: &str) -> Markup {
    let own = caller.user.preferences;
    let rows = Preferences::ROWS.map(|rows| rows.to_string());
    let rows = rows.iter().map(|rows| Choice::new(rows, rows, *rows == own.rows.to_string()));
    let densities = Density::ALL.map(|(name, density)| (name, texts.say(&format!("profile-{name}")), density));
    let densities = densities.iter().map(|(name, label, density)| Choice::new(name, label, *density == own.density));
    let tabs = FirstTab::ALL.map(|(name, tab)| (name, texts.say(tab_words(tab)), tab));
    let tabs = tabs.iter().map(|(name, label, tab)| Choice::new(name, label, *tab == own.first_tab));
    let fields = html! {
        (TickField {
            name: "letter_keys",
            label: &texts.say("profile-keys"),
            fault: "",
            choices: vec![Choice::new("on", texts.say("profile-keys-letters"), own.letter_keys)],
        })
        (SelectField {
            id: "rows",
            name: "rows",
            label: &texts.say("profile-rows"),
            choices: rows.collect(),
            ..SelectField::default()
        })
        (SelectField {
            id: "density",
            name: "density",
            label: &texts.say("profile-density"),
            choices: densities.collect(),
            ..SelectField::default()
        })
        (SelectField {
            id: "first_tab",
            name: "first_tab",
            label: &texts.say("profile-first-tab"),
            choices: tabs.collect(),
            ..SelectField::default()
        })
        (Button::quiet(&texts.say("profile-preferences-save")))
    };
    let action = format!("{}/profile/preferences", call.app.config.base_path());
    Section {
        id: "preferences",
        title: html! { (texts.say("profile-preferences")) },
        text: &texts.say("profile-preferences-text"),
        content: PostForm { action: &action, csrf, content: fields, ..PostForm::default() }.render(),
    }
    .render()
}

/// The words of the page on which a form opens: those of its tab.
fn tab_words(tab: FirstTab) -> &'static str {
    match tab {
        FirstTab::Fitting => "profile-first-tab-fitting",
        FirstTab::Build => "build-title",
        FirstTab::Entries => "forms-entries",
        FirstTab::Report => "report-title",
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
    let fields = html! {
        (account_of_password(&caller.user.email))
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
        (Button::quiet(&texts.say("profile-password")))
    };
    let action = format!("{}/profile/password", call.app.config.base_path());
    Section {
        id: "change-password",
        title: html! { (texts.say("profile-password")) },
        text: &texts.say("profile-password-text"),
        content: PostForm { action: &action, csrf, content: fields, ..PostForm::default() }.render(),
    }
    .render()
}

fn second_step(call: &Call, caller: &Caller, texts: &Texts) -> Result<Markup> {
    let is_on = second_factor::codes_left(call.app, caller.user.id)?.is_some();
    let change = Button {
        label: &texts.say(if is_on { "second-change" } else { "second-set-up" }),
        press: Press::Go(&format!("{}/profile/second-factor", call.app.config.base_path())),
        ..Button::default()
    }
    .render();
    Ok(Section {
        id: "second",
        title: html! { (texts.say("second-title")) },
        text: &texts.say(if is_on { "second-on" } else { "second-off" }),
        content: html! { p { (change) } },
    }
    .render())
}

fn signed_in(call: &Call, caller: &Caller, texts: &Texts) -> Result<Markup> {
    let all = sessions::list(call.app, caller, session::cookie_value(call).unwrap_or_default())?;
    let rows = all.iter().map(|one| Row {
        title: name(&browser(texts, one)),
        chips: html! {
            @if one.is_this { (Chip { tone: Tone::Good, text: &texts.say("profile-session-this") }) }
        },
        facts: vec![
            html! { (texts.labelled(&texts.say("profile-session-begun"), "")) (moment(&caller.user, one.created_at)) },
            html! { (texts.labelled(&texts.say("profile-token-used"), "")) (moment(&caller.user, one.seen_at)) },
        ],
        ..Row::default()
    });
    let end = Button {
        label: &texts.say("profile-sessions-end"),
        press: Press::Go(&format!("{}/profile/sessions/end", call.app.config.base_path())),
        weight: Weight::Danger,
        ..Button::default()
    }
    .render();
    Ok(Section {
        id: "sessions",
        title: html! { (texts.say("profile-sessions")) },
        content: html! {
            (list(rows))
            @if all.len() > 1 { p { (end) } }
        },
        ..Section::default()
    }
    .render())
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
    Section {
        id: "sample",
        title: html! { (texts.say("welcome-sample")) },
        text: &texts.say("welcome-sample-text"),
        content: sample_button(call, texts, csrf, Weight::Quiet),
    }
    .render()
}
