//! `/forms/{form_token}/queries`: the pages on which visitors look up entries of a form, for the form's managers.

pub mod acts;
pub mod card;
pub mod editor;
mod messages;
mod parts;
mod typed;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::page::{Page, PageRequest};
use crate::model::user::Capability;
use crate::ops::queries::{self, QueryView, first};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, fault, widgets};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::table::{PageLink, Pager};
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// Queries of a page.
const PAGE_SIZE: usize = 50;

/// The outcome of the last act.
#[derive(Default)]
struct Outcome {
    is_deleted: bool,
    faults: Vec<Issue>,
    typed: String,
}

/// A query of a form as programs read it, with data of the form.
struct Listed {
    queries: Page<Json>,
    /// The entries that are searched.
    entries: i64,
    /// How many the plan allows; `None` for no limit.
    most: Option<i64>,
}

impl Listed {
    fn load(call: &Call, caller: &Caller, page: &PageRequest) -> Result<Self> {
        let form = call.param("form_token");
        let (entries, most) = queries::entries_of(call.app, caller, form)?;
        let queries = queries::list(call.app, caller, Some(form), page)?;
        let queries = queries.try_map(|text| serde_json::from_str(&text).map_err(Error::internal))?;
        Ok(Self { queries, entries, most })
    }

    /// The state of a query, and its search fields, in words.
    fn state(&self, texts: &Texts, query: &Json) -> (Tone, String, String) {
        let entries = match self.most {
            None => texts.fill("queries-entries", &[("count", self.entries.into())]),
            Some(most) => texts.fill("queries-entries-of", &[("count", self.entries.into()), ("most", most.into())]),
        };
        let (tone, id) = state_of(query);
        (tone, texts.say(id), entries)
    }
}

/// The colour and the text id of a query's state.
fn state_of(query: &Json) -> (Tone, &'static str) {
    match (query["status"].as_str(), query["enabled"] == true) {
        (Some("entries_count_limited"), _) => (Tone::Bad, "queries-over-plan"),
        (_, false) => (Tone::Note, "queries-off"),
        _ => (Tone::Good, "queries-on"),
    }
}

fn word<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_default()
}

/// A query of the form that the address names, as programs read it.
///
/// # Errors
/// 403, 404.
fn load(call: &Call, caller: &Caller) -> Result<(QueryView, Json)> {
    // An error about the form comes first, whatever the query.
    queries::entries_of(call.app, caller, call.param("form_token"))?;
    let view = queries::show(call.app, caller, call.param("query_token"))?;
    let body = serde_json::to_value(&view.body).map_err(Error::internal)?;
    if body["form_token"] != call.param("form_token") {
        return Err(Error::NotFound(Noun::Query));
    }
    Ok((view, body))
}

/// The path of a query's page below the base address.
fn path_of(call: &Call, query: &str) -> String {
    format!("/forms/{}/queries/{query}", call.param("form_token"))
}

/// `GET /forms/{form_token}/queries`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let is_deleted = call.query("done").as_deref() == Some("deleted");
    Ok(view(call, caller, StatusCode::OK, &Outcome { is_deleted, ..Outcome::default() })?.into())
}

/// `POST /forms/{form_token}/queries`: makes one of a name.
pub fn make(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let typed = posted.text("name").trim().to_owned();
    match first::make(call.app, caller, call.param("form_token"), &typed) {
        Ok(made) => {
            let made = serde_json::to_value(&made.body).map_err(Error::internal)?;
            let path = path_of(call, word(&made, "token"));
            Ok(session::to_page(&call.app.config, &format!("{path}?saved=made")).into())
        }
        // The page says which plan is needed.
        Err(Error::PlanLacks(_)) => Ok(view(call, caller, StatusCode::PAYMENT_REQUIRED, &Outcome::default())?.into()),
        Err(error) => {
            let faults = console::faults(error, &posted)?;
            let outcome = Outcome { faults, typed, ..Outcome::default() };
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
        }
    }
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let request = PageRequest { size: PAGE_SIZE, after: call.query("after").filter(|after| !after.is_empty()) };
    let listed = Listed::load(call, caller, &request)?;
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let heading = texts.say("queries-title");
    let next = listed.queries.next.as_ref().map(|next| format!("{}?after={next}", frame.address("queries")));
    let (next_label, first_label) = (texts.say("queries-older"), texts.say("queries-newest"));
    let newest = frame.address("queries");
    let pager = Pager {
        previous: request.after.is_some().then_some(PageLink { address: &newest, label: &first_label }),
        next: next.as_deref().map(|address| PageLink { address, label: &next_label }),
        ..Pager::default()
    };
    let has_none = listed.queries.rows.is_empty();
    let content = html! {
        (frame.head(FormPage::Share, false))
        (PageHead {
            back: Some(Back { address: &frame.address("share"), label: &texts.say("share-back") }),
            title: html! { (heading) },
            lead: html! { (texts.say(if has_none { "queries-none" } else { "queries-lead" })) },
            ..PageHead::default()
        })
        @if outcome.is_deleted { (message(Tone::Good, &texts.say("queries-deleted"), "")) }
        @if !has_none {
            (Section {
                id: "all",
                title: html! { (texts.say("queries-all")) },
                content: html! { (list(listed.queries.rows.iter().map(|query| row(&frame, &listed, query)))) (pager) },
                ..Section::default()
            })
        }
        (making(&frame, caller, outcome))
    };
    let title = frame.title(&heading);
    let title = widgets::page_title(texts, &title, !outcome.faults.is_empty());
    Ok(console::page(call, &caller.user, &frame.csrf, texts, &title).script("copy.js").answer(status, &content))
}

fn row(frame: &FormFrame, listed: &Listed, query: &Json) -> Row {
    let texts = frame.texts;
    let token = word(query, "token");
    let (tone, state, entries) = listed.state(texts, query);
    let count = |key: &str| query[key].as_i64().unwrap_or_default();
    let counts = [("views", count("views_count").into()), ("searches", count("searches_count").into())];
    let about = name(word(query, "name"));
    let edit = frame.address(&format!("queries/{token}"));
    Row {
        title: about.clone(),
        chips: Chip { tone, text: &state }.render(),
        details: widgets::copyable(texts, &format!("link-{token}"), word(query, "url"), &texts.say("copy-link")),
        facts: vec![html! { (entries) }, html! { (texts.fill("queries-counts", &counts)) }],
        actions: html! {
            (Button {
                label: &texts.say("queries-edit"),
                press: Press::Go(&edit),
                is_small: true,
                about: about.clone(),
                ..Button::default()
            })
            (Button {
                label: &texts.say("queries-open"),
                press: Press::Beside(word(query, "url")),
                is_small: true,
                about,
                ..Button::default()
            })
        },
    }
}

/// The form that makes a query; where the plan has none, that.
fn making(frame: &FormFrame, caller: &Caller, outcome: &Outcome) -> Markup {
    let texts = frame.texts;
    let plan = caller.user.organization.plan;
    if !plan.has(Capability::PublicQueries) {
        let text = texts.fill("queries-plan-text", &[("plan", plan.name().into())]);
        return message(Tone::Warn, &texts.say("queries-plan"), &text);
    }
    let content = html! {
        (line_field(&LineField {
            name: "name",
            label: &texts.say("queries-name"),
            notes: &texts.say("queries-make-notes"),
            value: &outcome.typed,
            fault: &fault(texts, &outcome.faults, "name"),
            autocomplete: "off",
            required: true,
            ..LineField::default()
        }))
        (Button { label: &texts.say("queries-make"), weight: Weight::Main, ..Button::default() })
    };
    let action = frame.address("queries");
    Section {
        id: "make",
        title: html! { (texts.say("queries-make-title")) },
        content: PostForm { action: &action, csrf: &frame.csrf, content, ..PostForm::default() }.render(),
        ..Section::default()
    }
    .render()
}
