//! `/forms/{form_token}/share`: the form's link with its code and the snippets that embed it; for managers also whether it
//! is open, its password, and the people that it is shared with.

mod availability;
mod link;
mod password;
mod people;
pub mod poster;
pub mod prefilled;

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::{Expected, Reason};
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::model::role::Role;
use crate::ops::forms;
use crate::ops::forms::availability::{Standing, Status};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, account_messages, queries, widgets};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::{Notice, Summary, SummaryLine, Tone, message};
use crate::web::pages::ui::section::Columns;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

pub use availability::{close, open, put as put_availability};
pub use password::{put as put_password, remove as remove_password};

/// Where the page's posts lead back to.
const DONE: [&str; 6] = ["closed", "opened", "published", "saved", "password", "password-removed"];

/// The outcome of the last action.
#[derive(Default)]
struct Outcome {
    done: Option<String>,
    faults: Vec<Issue>,
    /// The availability as typed, where it was not saved.
    typed: Option<availability::Values>,
    /// Whether somebody else saved another one meanwhile.
    is_overtaken: bool,
    /// The typed password, where it was not saved.
    password: Option<String>,
}

/// `GET /forms/{form_token}/share`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let done = call.query("done").filter(|done| DONE.contains(&done.as_str()));
    Ok(view(call, caller, StatusCode::OK, &Outcome { done, ..Outcome::default() })?.into())
}

/// `POST /forms/{form_token}/share/publish`
pub fn publish(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, token) = (json!({"published": true}), call.param("form_token"));
    match forms::update(call.app, caller, token, body, &IfMatch::Absent, Issues::new()) {
        // A form without questions: that page says so.
        Err(Error::Invalid(_)) => Ok(session::to_page(&call.app.config, &format!("/forms/{token}/publish")).into()),
        Err(other) => Err(other),
        Ok(_) => Ok(done(call, "published")),
    }
}

fn done(call: &Call, what: &str) -> Reply {
    let token = call.param("form_token");
    session::to_page(&call.app.config, &format!("/forms/{token}/share?done={what}")).into()
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let is_manager = frame.view.role >= Role::Manager;
    let is_published = frame.view.form.published;
    let (password, people, queries) = match is_manager {
        true => (password::section(&frame, outcome)?, people::section(&frame)?, queries::card::section(&frame)?),
        false => (Markup::default(), Markup::default(), Markup::default()),
    };
    let content = html! {
        (frame.head(FormPage::Share, true))
        @if let Some(done) = outcome.done.as_deref().filter(|_| is_manager) { (done_notice(&frame, done)) }
        @if outcome.is_overtaken {
            (message(Tone::Warn, &frame.say("share-overtaken"), &frame.say("share-overtaken-text")))
        }
        (summary(frame.texts, &outcome.faults))
        @if is_manager { (availability::section(&frame, outcome)) }
        @if !is_published { (link::unpublished(&frame, is_manager)) }
        @if is_published {
            (Columns { main: link::link(&frame), side: link::code(&frame), is_level: true })
            (Columns {
                main: html! { (link::embed(&frame)) (prefilled::section(&frame)) (queries) },
                side: html! { (password) (people) },
                is_level: false,
            })
        } @else if is_manager {
            (Columns { main: password, side: people, is_level: true })
            (queries)
        }
    };
    let title = frame.title(&frame.say("forms-share"));
    let title = widgets::page_title(frame.texts, &title, !outcome.faults.is_empty());
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &title);
    Ok(page.script("copy.js").script("password.js").script("share.js").answer(status, &content))
}

/// A notice of the last action. Opening or closing the form can be undone at once.
fn done_notice(frame: &FormFrame, done: &str) -> Markup {
    let standing = availability::standing(frame);
    let is_closed = standing == Standing::ClosedByHand;
    let (title, undo) = match done {
        "closed" if is_closed => ("share-done-closed", Some("open")),
        "opened" if standing.status() == Status::Open => ("share-done-opened", Some("close")),
        "opened" if !is_closed => ("share-done-not-by-hand", Some("close")),
        // Somebody did the opposite since.
        "closed" | "opened" => return Markup::default(),
        "published" => ("share-done-published", None),
        "password" => ("share-done-password", None),
        "password-removed" => ("share-done-no-password", None),
        _ => ("share-done-saved", None),
    };
    let button = Button::quiet(&frame.say("entries-undo")).render();
    let undo = undo.map(|act| {
        PostForm {
            action: &frame.address(&format!("share/{act}")),
            csrf: &frame.csrf,
            content: button,
            ..PostForm::default()
        }
        .render()
    });
    Notice { tone: Tone::Good, title: &frame.say(title), text: "", content: undo.unwrap_or_default() }.render()
}

/// All faults, in the order of the page.
fn summary(texts: &Texts, faults: &[Issue]) -> Markup {
    let place = |issue: &&Issue| availability::FIELDS.iter().position(|(name, _)| *name == issue.attribute);
    let mut faults: Vec<&Issue> = faults.iter().collect();
    faults.sort_by_key(|issue| place(issue).unwrap_or(usize::MAX));
    let lines = faults.into_iter().map(|issue| summary_line(texts, issue)).collect();
    Summary { title: &texts.say("account-faults"), lines }.render()
}

fn summary_line<'a>(texts: &Texts, issue: &'a Issue) -> SummaryLine<'a> {
    let labels = availability::FIELDS.iter().chain([&password::FIELD]);
    let label = labels.filter(|(name, _)| *name == issue.attribute).map(|(_, label)| texts.say(label)).next();
    let message = fault_message(texts, issue);
    match label {
        Some(label) => SummaryLine { field: &issue.attribute, text: texts.labelled(&label, &message) },
        None => SummaryLine { field: "", text: message },
    }
}

/// The message for a fault of a setting, which says what to do about it.
fn fault_message(texts: &Texts, issue: &Issue) -> String {
    let id = match (issue.attribute.as_str(), &issue.reason) {
        (availability::END, Reason::MustBe(Expected::Other("after start_at"))) => "share-fault-order",
        (availability::START | availability::END, _) => "share-fault-time",
        (availability::LIMIT, Reason::Between(..)) => "share-fault-limit-large",
        (availability::LIMIT, _) => "share-fault-limit",
        (password::NAME, Reason::Blank) => "share-fault-no-password",
        _ => return account_messages::message(texts, issue),
    };
    texts.say(id)
}

/// The message of the field with this name; empty if it has no fault.
fn fault(texts: &Texts, faults: &[Issue], name: &str) -> String {
    faults.iter().find(|issue| issue.attribute == name).map_or_else(String::new, |issue| fault_message(texts, issue))
}
