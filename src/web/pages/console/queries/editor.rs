//! `/forms/{form_token}/queries/{query_token}`: a query, part by part, beside its visitors' page. Each part is saved by
//! itself, so that two people who work on different ones never meet.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::forms::settings_edit::{is_same, version_of};
use crate::ops::queries::{self, QueryView};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::queries::parts::{Drawing, Part};
use crate::web::pages::console::queries::{Listed, load, path_of, state_of, typed, word};
use crate::web::pages::console::{self, Posted, widgets};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::queries::editor::{ACT, QueryEditor};
use crate::web::pages::ui::section::EmptyState;
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The number of tries of a save when others change the query at the same time.
const TRIES: usize = 5;

/// The outcome of a post to a part. Empty on a page that was just opened.
#[derive(Default)]
pub struct Outcome {
    pub part: Option<Part>,
    /// The text id of the last action.
    pub done: Option<&'static str>,
    pub faults: Vec<Issue>,
    /// The part as typed, where it was not saved.
    pub typed: Option<Json>,
    /// The version that the part was loaded with.
    pub version: Option<String>,
    /// Whether somebody else saved the part meanwhile.
    pub is_overtaken: bool,
    /// Whether the plan has no such part.
    pub lacks_plan: bool,
    /// The line that a button of the part changed: a place in its lists, which takes the focus.
    pub focus: Option<(usize, usize)>,
    /// The button that was pressed, to take the focus again.
    pub pressed: &'static str,
}

/// The text id of the last action, by the word that the page is opened with.
fn said(word: &str) -> Option<(&'static str, Option<Part>)> {
    if let Some(part) = Part::by_name(word) {
        return Some(("profile-done-profile", Some(part)));
    }
    Some(match word {
        "made" => ("queries-made", None),
        "on" => ("queries-done-on", None),
        "off" => ("queries-done-off", None),
        "image" => ("queries-done-image", Some(Part::Page)),
        "no-image" => ("queries-done-no-image", Some(Part::Page)),
        _ => return None,
    })
}

/// Leads to the page with a notice of the action, at a part of it.
pub fn done(call: &Call, what: &str, part: &str) -> Reply {
    let path = path_of(call, call.param("query_token"));
    let place = if part.is_empty() { String::new() } else { format!("#{part}") };
    session::to_page(&call.app.config, &format!("{path}?saved={what}{place}")).into()
}

/// `GET /forms/{form_token}/queries/{query_token}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let outcome = match call.query("saved").and_then(|word| said(&word)) {
        Some((done, part)) => Outcome { done: Some(done), part, ..Outcome::default() },
        None => Outcome::default(),
    };
    Ok(view(call, caller, StatusCode::OK, &outcome)?.into())
}

/// `POST /forms/{form_token}/queries/{query_token}/{part}`: saves a part, or changes its contents.
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    let (view_now, stored) = load(call, caller)?;
    let part = Part::by_name(call.param("part")).ok_or(Error::NotFound(Noun::Page))?;
    let posted = Posted::of(call);
    let frame = FormFrame::load(call, caller)?;
    let mut typed = part.read(&frame, &posted, &stored);
    let mut outcome =
        Outcome { part: Some(part), version: Some(posted.text("version").to_owned()), ..Outcome::default() };
    let act = posted.text(ACT);
    if !act.is_empty() || part.adds(&posted) {
        act_on(call, caller, part, &posted, &mut typed, &mut outcome)?;
        outcome.typed = Some(typed);
        return Ok(view(call, caller, StatusCode::OK, &outcome)?.into());
    }
    let status = match store(call, caller, part, &typed, posted.text("version"), view_now, stored) {
        Ok(true) => return Ok(done(call, part.name(), part.name())),
        Ok(false) => {
            outcome.is_overtaken = true;
            outcome.version = None;
            StatusCode::PRECONDITION_FAILED
        }
        Err(Error::Invalid(faults)) => {
            outcome.faults = faults;
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Err(Error::PlanLacks(_)) => {
            outcome.lacks_plan = true;
            StatusCode::PAYMENT_REQUIRED
        }
        Err(other) => return Err(other),
    };
    outcome.typed = Some(typed);
    Ok(view(call, caller, status, &outcome)?.into())
}

/// Changes the contents of a part, as its button says.
fn act_on(
    call: &Call,
    caller: &Caller,
    part: Part,
    posted: &Posted,
    typed: &mut Json,
    outcome: &mut Outcome,
) -> Result<()> {
    let act = posted.text(ACT);
    match part {
        Part::Search => {
            let known = suggested(call, caller)?;
            let first = unused(&known, typed);
            outcome.focus = typed::search_after(typed, act, &first);
        }
        Part::Shows => {
            if let Some((at, way)) = typed::shown_after(typed, act) {
                outcome.focus = Some((at, 0));
                outcome.pressed = way;
            }
        }
        Part::Only => part.act_on_conditions(posted, typed),
        Part::Page => typed::page_after(typed, act),
    }
    Ok(())
}

/// The fields that queries of the form may search by and show, as programs read it.
fn suggested(call: &Call, caller: &Caller) -> Result<Json> {
    let found = queries::suggestions(call.app, caller, call.param("form_token"))?;
    serde_json::to_value(&found).map_err(Error::internal)
}

/// The first field that no group searches yet.
fn unused(known: &Json, groups: &Json) -> String {
    let used: Vec<&Json> = groups
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|group| group["fields"].as_array().into_iter().flatten())
        .map(|field| &field["field"])
        .collect();
    let searchable = known["searchable"].as_array().into_iter().flatten();
    let found = searchable.map(|it| &it["field"]).find(|code| !used.contains(code));
    found.and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// Stores a part; `false` where somebody else changed it since it was loaded with this version.
fn store(
    call: &Call,
    caller: &Caller,
    part: Part,
    typed: &Json,
    version: &str,
    mut view: QueryView,
    mut stored: Json,
) -> Result<bool> {
    for _ in 0..TRIES {
        let now = part.values(&stored);
        if version != version_of(&now) && !version.is_empty() && !is_same(&now, &part.body(typed)) {
            return Ok(false);
        }
        let condition = IfMatch::Tags(vec![view.etag.0.clone()]);
        match queries::update(call.app, caller, call.param("query_token"), part.body(typed), &condition) {
            Ok(_) => return Ok(true),
            Err(Error::VersionConflict) => (view, stored) = load(call, caller)?,
            Err(other) => return Err(other),
        }
    }
    Err(Error::VersionConflict)
}

/// The page of a query, after a post or before one.
pub fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let (view, stored) = load(call, caller)?;
    let known = suggested(call, caller)?;
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let drawing = Drawing::of(&frame, &stored, &known, &view.warnings, outcome)?;
    let is_open = stored["enabled"] == true && stored["status"] == "active";
    let address = format!("{}/q/{}", call.app.config.base_path(), word(&stored, "token"));
    let content = html! {
        (frame.head(FormPage::Share, false))
        (head(&frame, caller, &stored)?)
        @if let (Some(done), None) = (outcome.done, outcome.part) { (message(Tone::Good, &texts.say(done), "")) }
        (QueryEditor {
            parts: Part::ALL.map(|part| drawing.part(part)).into(),
            page: if is_open { &address } else { "" },
            title: &texts.say("queries-frame"),
            instead: instead(&frame, &stored),
            see: &texts.say("queries-see"),
            texts,
        })
        (drawing.upload_forms())
    };
    let title = frame.title(word(&stored, "name"));
    let title = widgets::page_title(texts, &title, !outcome.faults.is_empty());
    let page = console::page(call, &caller.user, &frame.csrf, texts, &title).framing();
    let page = page.script("copy.js").script("settings.js").script("look.js").script("rich.js");
    Ok(page.script("queries.js").script("conditions.js").script("unsaved.js").answer(status, &content))
}

fn head(frame: &FormFrame, caller: &Caller, stored: &Json) -> Result<Markup> {
    let texts = frame.texts;
    let (tone, state) = state_of(stored);
    let own = frame.address(&format!("queries/{}", word(stored, "token")));
    let request = crate::model::page::PageRequest { size: 1, after: None };
    let (_, _, entries) = Listed::load(frame.call, caller, &request)?.state(texts, stored);
    let is_on = stored["enabled"] == true;
    let switch = html! {
        (hidden("enabled", if is_on { "false" } else { "true" }))
        (Button::quiet(&texts.say(if is_on { "queries-switch-off" } else { "queries-switch-on" })))
    };
    let switch_address = format!("{own}/enabled");
    let actions = html! {
        (Button {
            label: &texts.say("queries-open"),
            press: Press::Beside(word(stored, "url")),
            ..Button::default()
        })
        (PostForm { action: &switch_address, csrf: &frame.csrf, content: switch, is_row: true, ..PostForm::default() })
        (Button {
            label: &texts.say("queries-delete"),
            press: Press::Go(&format!("{own}/delete")),
            weight: Weight::Danger,
            ..Button::default()
        })
    };
    let head = PageHead {
        back: Some(Back { address: &frame.address("queries"), label: &texts.say("queries-title") }),
        title: name(word(stored, "name")),
        lead: html! { (Chip { tone, text: &texts.say(state) }) " " (entries) },
        actions,
        ..PageHead::default()
    };
    let link = widgets::copyable(texts, "query-link", word(stored, "url"), &texts.say("copy-link"));
    Ok(html! { (head) (link) })
}

/// Stands in place of the frame of a query that visitors can't use.
fn instead(frame: &FormFrame, stored: &Json) -> Markup {
    let id = if stored["status"] == "active" { "queries-frame-off" } else { "queries-frame-over-plan" };
    EmptyState { text: &frame.say(id), ..EmptyState::default() }.render()
}

impl Part {
    /// The part's members of the stored query.
    pub fn values(self, stored: &Json) -> Json {
        match self {
            Self::Search => json!({typed::SEARCH: stored[typed::SEARCH]}),
            Self::Shows => json!({typed::SHOWN: stored[typed::SHOWN]}),
            Self::Only => json!({typed::SCOPE: stored[typed::SCOPE]}),
            Self::Page => {
                let mut out: serde_json::Map<String, Json> =
                    typed::PAGE.iter().map(|key| ((*key).to_owned(), stored[*key].clone())).collect();
                // The address of the picture follows from its id; a page without one names none.
                match out.get_mut("header").and_then(|header| header["background_image"].as_object_mut()) {
                    Some(image) => drop(image.shift_remove("image_url")),
                    None => drop(out.shift_remove("header")),
                }
                Json::Object(out)
            }
        }
    }

    /// The body that stores the typed values.
    pub fn body(self, typed: &Json) -> Json {
        match self {
            Self::Search => json!({typed::SEARCH: typed}),
            Self::Shows => json!({typed::SHOWN: typed::rules(typed)}),
            Self::Only => json!({typed::SCOPE: typed}),
            Self::Page => typed.clone(),
        }
    }
}
