//! Pages for users with an account: set-up, sign-in, forms, members, profile. Every form on them is a plain post,
//! validated by the server only.

mod access;
mod account_messages;
pub mod apps;
pub mod audit;
pub mod bookings;
pub mod build;
pub mod checkin;
mod confirmation;
pub mod entries;
pub mod finder;
pub mod form_frame;
pub mod form_move;
pub mod form_trash;
pub mod forms;
pub mod history;
pub mod invitation;
pub mod jobs;
pub mod members;
mod new_account;
pub mod new_form;
pub mod organizations;
pub mod password_reset;
pub mod profile;
pub mod queries;
pub mod report;
pub mod rules;
pub mod second_factor;
pub mod settings;
pub mod setup;
pub mod share;
pub mod sharing;
pub mod sign_in;
mod sign_in_context;
pub mod theme;
pub mod tokens;
pub mod webhooks;
pub mod welcome;
mod widgets;

use jiff::tz::TimeZone;
use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::texts::{self, Texts};
use crate::fields::display::moment;
use crate::model::caller::Caller;
use crate::model::user::User;
use crate::web::assets;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::dialog::Dialog;
use crate::web::pages::ui::field::{Choice, LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::PlainCard;
use crate::web::pages::ui::layout::{CONSOLE_STYLE, Page, PageShape};
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::site_head::{SiteHead, SiteLink};
use crate::web::pages::ui::words::muted;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// A note on the list of a page's keys, where single-letter keys are off.
fn note_on_keys(user: &User, texts: &Texts) -> String {
    if user.preferences.letter_keys { String::new() } else { texts.say("keys-off") }
}

/// The page after sign-in.
const HOME: &str = "/forms";

/// `GET /`: redirects to the home page, or to sign in.
pub fn home(call: &Call) -> Result<Reply> {
    Ok(match session::caller(call)? {
        Ok(_) => session::to_page(&call.app.config, HOME).into(),
        Err(to_sign_in) => to_sign_in,
    })
}

/// `GET /csrf`: `{"data": {"csrf": …}}`, the token that posts of this session carry, for pages that outlived another.
pub fn session_token(call: &Call, _: &Caller) -> Result<Reply> {
    let body = json!({"data": {"csrf": session::csrf(call)}});
    Ok(Answer::json_text(StatusCode::OK, body.to_string()).into())
}

/// The texts in the user's language.
fn texts_of(user: &User) -> &'static Texts {
    texts::texts(&user.locale)
}

/// The navigation of signed-in pages: path and text id.
const NAVIGATION: [(&str, &str); 3] =
    [("/forms", "forms-title"), ("/members", "members-title"), ("/profile", "profile-title")];

/// The id of the dialog that says that the session ended.
const SIGNED_OUT: &str = "signed-out";

/// The module that prevents a double click from sending a form twice.
pub(in crate::web::pages) const SUBMIT_ONCE: &str = "submit_once.js";

/// A signed-in page.
pub(in crate::web::pages) fn page<'a>(
    call: &'a Call,
    user: &User,
    csrf: &str,
    texts: &'static Texts,
    title: &'a str,
) -> Page<'a> {
    let config = &call.app.config;
    let base = config.base_path();
    let labels = NAVIGATION.map(|(_, words)| texts.say(words));
    let links = NAVIGATION.iter().zip(&labels).map(|((path, _), label)| SiteLink {
        address: format!("{base}{path}"),
        label,
        is_here: call.pattern.starts_with(path),
    });
    let header = SiteHead {
        label: &texts.say("account-nav"),
        home: format!("{base}{HOME}"),
        picture: assets::address(config, "icon.svg"),
        links: links.collect(),
        find: &texts.say("finder"),
        account: &user.email,
        csrf,
        sign_out_address: format!("{base}/sign-out"),
        sign_out: &texts.say("account-sign-out"),
    }
    .render();
    let header = html! { (header) (finder::dialog(call, texts)) };
    bare_page(call, texts, title, header).liked(user.preferences).script("finder.js")
}

/// A signed-in page in a frame of another: without the navigation.
fn framed_page<'a>(call: &'a Call, texts: &'static Texts, title: &'a str) -> Page<'a> {
    bare_page(call, texts, title, Markup::default()).framed().script("framed.js")
}

/// A signed-in page in a frame that nobody sees: a script of the page around it takes parts of it.
fn unseen_page<'a>(call: &'a Call, texts: &'static Texts, title: &'a str) -> Page<'a> {
    Page::new(&call.app.config, texts, PageShape::Console, title).framed().hidden_from_search()
}

fn bare_page<'a>(call: &'a Call, texts: &'static Texts, title: &'a str, header: Markup) -> Page<'a> {
    let config = &call.app.config;
    let signed_out = signed_out(config.base_path(), texts);
    Page::new(config, texts, PageShape::Console, title)
        .header(html! { (header) (signed_out) })
        .script("session.js")
        .script(SUBMIT_ONCE)
        .hidden_from_search()
}

/// Shown by a script where a session ended while the page was open.
fn signed_out(base: &str, texts: &Texts) -> Markup {
    let sign_in = Button {
        label: &texts.say("signed-out-sign-in"),
        press: Press::Beside(&format!("{base}/sign-in")),
        weight: Weight::Main,
        ..Button::default()
    };
    let back = Button { label: &texts.say("signed-out-back"), press: Press::Close(SIGNED_OUT), ..Button::default() };
    html! {
        div #session data-csrf={ (base) "/csrf" } {
            (Dialog {
                id: SIGNED_OUT,
                title: html! { (texts.say("signed-out-title")) },
                content: html! { p { (texts.say("signed-out-text")) } },
                actions: html! { (sign_in) (back) },
            })
        }
    }
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
    let content = PlainCard {
        sign: Some(Sign::Question),
        title: &title,
        lead: html! { (texts.say("account-elsewhere-text")) },
        content: html! {
            p { a href=(config.base_url) { (config.base_url) } }
            (muted(texts.say("account-elsewhere-owner")))
        },
    };
    plain_page(call, texts, &title).answer(StatusCode::FORBIDDEN, &content.render())
}

/// A page without navigation, on the way to the signed-in ones.
fn plain_page<'a>(call: &'a Call, texts: &'static Texts, title: &'a str) -> Page<'a> {
    Page::new(&call.app.config, texts, PageShape::Plain, title).style(CONSOLE_STYLE).hidden_from_search()
}

/// The button of a page that has nothing else to offer.
fn to_sign_in(call: &Call, texts: &Texts) -> Markup {
    let address = format!("{}/sign-in", call.app.config.base_path());
    let label = texts.say("sign-in-title");
    Button { label: &label, press: Press::Go(&address), weight: Weight::Main, ..Button::default() }.render()
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

/// The button that creates a sample form, in its form.
fn sample_button(call: &Call, texts: &Texts, csrf: &str, weight: Weight) -> Markup {
    let action = format!("{}/profile/sample-form", call.app.config.base_path());
    let content = Button { label: &texts.say("sample-button"), weight, ..Button::default() }.render();
    PostForm { action: &action, csrf, content, ..PostForm::default() }.render()
}

/// The options of a select field: each has a value and a text id.
fn choices<'a>(texts: &Texts, options: &[(&'a str, &str)], chosen: &str) -> Vec<Choice<'a>> {
    options.iter().map(|(value, words)| Choice::new(value, texts.say(words), *value == chosen)).collect()
}

/// The error message of a field in the reader's language; empty if there is none.
fn fault(texts: &Texts, faults: &[Issue], name: &str) -> String {
    faults
        .iter()
        .find(|issue| issue.attribute == name)
        .map_or_else(String::new, |issue| account_messages::message(texts, issue))
}

/// A one-line input with its fault.
fn line(texts: &Texts, faults: &[Issue], field: LineField) -> Markup {
    let fault = fault(texts, faults, field.name);
    line_field(&LineField { fault: &fault, reveal: (field.kind == "password").then_some(texts), ..field })
}

/// A time zone input. Its long list of options is at the end of the page, so that a slow page renders before it.
fn timezone_field(texts: &Texts, faults: &[Issue], value: &str, guess: bool) -> Markup {
    let field = LineField {
        name: "timezone",
        label: &texts.say("account-timezone"),
        notes: &texts.say("account-timezone-notes"),
        value,
        list: "timezones",
        required: true,
        autocomplete: "off",
        own_timezone: guess,
        ..LineField::default()
    };
    line(texts, faults, field)
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
    html! {
        time datetime=(time) { (moment_text(user, time)) }
    }
}

/// The same inside a sentence.
fn moment_text(user: &User, time: Time) -> String {
    moment::short(time.timestamp(), &zone_of(user), texts_of(user))
}

/// The user's time zone.
fn zone_of(user: &User) -> TimeZone {
    TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC)
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
