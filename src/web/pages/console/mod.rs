//! Pages for users with an account: set-up, sign-in, forms, members, profile. Every form on them is a plain post,
//! validated by the server only.

mod access;
pub mod apps;
pub mod audit;
mod confirmation;
mod fault_messages;
pub mod form_link;
pub mod form_move;
pub mod forms;
pub mod members;
mod new_account;
pub mod password_reset;
pub mod profile;
pub mod second_factor;
pub mod setup;
pub mod sharing;
pub mod sign_in;
mod sign_in_context;
pub mod tokens;
pub mod welcome;
mod widgets;

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::texts::{self, Texts};
use crate::model::user::User;
use crate::web::assets;
use crate::web::pages::ui::layout::{self, LineField, Page, PageShape, Sign, csrf_field, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The page after sign-in.
const HOME: &str = "/forms";

/// `GET /`: redirects to the home page, or to sign in.
pub fn home(call: &Call) -> Result<Reply> {
    Ok(match session::caller(call)? {
        Ok(_) => session::to_page(&call.app.config, HOME).into(),
        Err(to_sign_in) => to_sign_in,
    })
}

/// The texts in the user's language.
fn texts_of(user: &User) -> &'static Texts {
    texts::texts(&user.locale)
}

/// The navigation of signed-in pages: path and text id.
const NAVIGATION: [(&str, &str); 3] =
    [("/forms", "forms-title"), ("/members", "members-title"), ("/profile", "profile-title")];

/// The module that prevents a double click from sending a form twice.
pub(in crate::web::pages) const SUBMIT_ONCE: &str = "submit_once.js";

/// A signed-in page; put its content in `.wide`.
pub(in crate::web::pages) fn page<'a>(
    call: &'a Call,
    user: &User,
    csrf: &str,
    texts: &'static Texts,
    title: &'a str,
) -> Page<'a> {
    let config = &call.app.config;
    let base = config.base_path();
    let is_here = |path: &str| {
        let is_below = call.pattern.starts_with(path);
        is_below.then_some("page")
    };
    let header = html! {
        header.site-head {
            nav aria-label=(texts.say("account-nav")) {
                a.brand href={ (base) (HOME) } {
                    img src=(assets::address(config, "icon.svg")) alt="" width="24" height="24";
                    span { "formsvc" }
                }
                @for (path, words) in NAVIGATION {
                    a href={ (base) (path) } aria-current=[is_here(path)] { (texts.say(words)) }
                }
                span.who.muted.small { bdi { (user.email) } }
                form method="post" action={ (base) "/sign-out" } novalidate {
                    (csrf_field(csrf))
                    button.button.quiet.small type="submit" { (texts.say("account-sign-out")) }
                }
            }
        }
    };
    Page::new(config, texts, PageShape::Console, title).header(header).script(SUBMIT_ONCE).hidden_from_search()
}

/// Checks the CSRF token of a post before sign-in. The answer for a page under the wrong address says the right one.
fn refused_visit(call: &Call) -> Result<Option<Answer>> {
    match session::check_visit(call) {
        Ok(()) => Ok(None),
        Err(_) if session::is_elsewhere(call) => Ok(Some(wrong_address(call))),
        Err(refused) => Err(refused),
    }
}

fn wrong_address(call: &Call) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let title = texts.say("account-elsewhere");
    let content = html! {
        div.card {
            (sign(Sign::Question))
            h1 { (title) }
            p.lead { (texts.say("account-elsewhere-text")) }
            p { a href=(config.base_url) { (config.base_url) } }
            p.muted { (texts.say("account-elsewhere-owner")) }
        }
    };
    Page::new(config, texts, PageShape::Plain, &title).hidden_from_search().answer(StatusCode::FORBIDDEN, &content)
}

/// The pairs of a posted form.
struct Posted(Vec<(String, String)>);

impl Posted {
    fn of(call: &Call) -> Self {
        Self(call.form())
    }

    /// The value of a field; empty if it is absent.
    fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The values of a group of checkboxes.
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The faults of the typed values; other errors are returned. A blank value is reported as blank, not as wrong.
fn faults(error: Error, posted: &Posted) -> Result<Vec<Issue>> {
    let Error::Invalid(mut issues) = error else {
        return Err(error);
    };
    for issue in &mut issues {
        if issue.reason == Reason::Wrong && posted.text(&issue.attribute).is_empty() {
            issue.reason = Reason::Blank;
        }
    }
    Ok(issues)
}

/// The button that creates a sample form.
fn sample_button(call: &Call, texts: &Texts, csrf: &str, class: &str) -> Markup {
    html! {
        form method="post" action={ (call.app.config.base_path()) "/profile/sample-form" } novalidate {
            (csrf_field(csrf))
            button class=(class) type="submit" { (texts.say("sample-button")) }
        }
    }
}

/// A select input; each option has a value and a text id.
fn select(texts: &Texts, id: &str, name: &str, options: &[(&str, &str)], chosen: &str) -> Markup {
    html! {
        select.input id=(id) name=(name) {
            @for (value, words) in options {
                option value=(value) selected[*value == chosen] { (texts.say(words)) }
            }
        }
    }
}

/// The error message of a field in the reader's language; empty if there is none.
fn fault(texts: &Texts, faults: &[Issue], name: &str) -> String {
    faults
        .iter()
        .find(|issue| issue.attribute == name)
        .map_or_else(String::new, |issue| fault_messages::message(texts, issue))
}

/// A one-line input with its fault.
fn line(texts: &Texts, faults: &[Issue], field: LineField) -> Markup {
    let fault = fault(texts, faults, field.name);
    layout::line_field(&LineField { fault: &fault, reveal: (field.kind == "password").then_some(texts), ..field })
}

/// A time zone input. Its long list of options is at the end of the page, so that a slow page renders before it.
fn timezone_field(texts: &Texts, faults: &[Issue], value: &str, guess: bool) -> Markup {
    let fault = fault(texts, faults, "timezone");
    let described = if fault.is_empty() { "timezone-notes" } else { "timezone-notes timezone-fault" };
    html! {
        div class=(if fault.is_empty() { "field" } else { "field wrong" }) {
            label for="timezone" { (texts.say("account-timezone")) }
            p.notes #timezone-notes { (texts.say("account-timezone-notes")) }
            @if !fault.is_empty() { p.fault #timezone-fault { (fault) } }
            input.input #timezone name="timezone" value=(value) list="timezones" required
                autocomplete="off" spellcheck="false" aria-describedby=(described)
                aria-invalid=[(!fault.is_empty()).then_some("true")] data-own-timezone[guess];
        }
    }
}

/// All time zones, for the input.
fn timezone_list() -> Markup {
    html! {
        datalist #timezones {
            @for name in jiff::tz::db().available() {
                option value=(name.as_str()) {}
            }
        }
    }
}

/// A time in the user's time zone.
fn moment(user: &User, time: Time) -> Markup {
    let zone = jiff::tz::TimeZone::get(&user.timezone).unwrap_or(jiff::tz::TimeZone::UTC);
    let local = time.timestamp().to_zoned(zone);
    html! {
        time datetime=(time) { (local.strftime("%Y-%m-%d %H:%M")) }
    }
}

/// A `curl` command that creates a form, ready to paste.
fn curl_form(call: &Call, texts: &Texts, token: &str) -> String {
    let body = serde_json::json!({
        "name": texts.say("sample-api-name"),
        "fields": [{"type": "short_text", "label": texts.say("sample-name")}],
    });
    format!(
        "{} -H 'Content-Type: application/json' -d {}",
        curl(call, "/api/v1/forms", token),
        quoted(&body.to_string())
    )
}

/// A `curl` command that reads an address, ready to paste.
fn curl(call: &Call, path: &str, token: &str) -> String {
    let url = format!("{}{path}", call.app.config.base_url);
    let bearer = format!("Authorization: Bearer {token}");
    format!("curl {} -H {}", quoted(&url), quoted(&bearer))
}

/// Quotes one word of a shell command.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
