//! `/forms/{form_token}/theme`: how a form looks. Any role reads it, managers change it: colours, header, wallpaper,
//! button, with the form beside them.

mod drawing;
mod stored;

use maud::{Markup, html};
use serde_json::{Map, json};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::ready_themes;
use crate::web::pages::console;
use crate::web::pages::console::build;
use crate::web::pages::console::build::rich_texts::{posted, refused};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::theme::drawing::{Drawing, FIELDS};
use crate::web::pages::console::theme::stored::{Edited, Kept};
use crate::web::pages::console::{Posted, account_messages, texts_of, widgets};
use crate::web::pages::ui::build::panel::{ACTION, TAG};
use crate::web::pages::ui::look::LookPage;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer, Reply};
use crate::web::request::session;

/// The purposes of the pictures, as the API names them.
pub const HEADER_IMAGE: &str = "header_image";
pub const WALLPAPER_IMAGE: &str = "wallpaper_image";

/// The outcome of a post. Empty on a page that was just opened.
#[derive(Default)]
struct Outcome {
    faults: Vec<Issue>,
    /// The change that was typed and not saved.
    typed: Option<Json>,
    /// Whether somebody else changed the look meanwhile.
    is_overtaken: bool,
    /// The text id of a step's notice.
    done: Option<&'static str>,
}

/// `GET /forms/{form_token}/theme`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let done = call.query("done").and_then(|done| build::done(&done));
    Ok(view(call, caller, StatusCode::OK, &Outcome { done, ..Outcome::default() })?.into())
}

/// `POST /forms/{form_token}/theme`: saves the typed values, after a button was carried out.
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let posted = Posted::of(call);
    let edited = stored::load(call, caller)?;
    let typed = read(&posted);
    let change = ready_themes::after(&edited.theme, typed.clone(), posted.text(ACTION));
    let subject = if posted.text(ACTION).is_empty() { "theme" } else { "" };
    match stored::change(call, caller, posted.text(TAG), change, subject) {
        Ok(Kept::Stored(warnings)) if wants_json(call) => saved(call, caller, &warnings),
        Ok(Kept::Stored(_)) => Ok(back(call)),
        Ok(Kept::Changed) if wants_json(call) => {
            Ok(reply::data_with(StatusCode::PRECONDITION_FAILED, &json!({"tag": edited.tag}))?.into())
        }
        Ok(Kept::Changed) => {
            let outcome = Outcome { typed: Some(typed), is_overtaken: true, ..Outcome::default() };
            Ok(view(call, caller, StatusCode::PRECONDITION_FAILED, &outcome)?.into())
        }
        Err(Error::Invalid(faults)) if wants_json(call) => Ok(refused(caller, &faults)?.into()),
        Err(Error::Invalid(faults)) => {
            let outcome = Outcome { faults, typed: Some(typed), ..Outcome::default() };
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
        }
        Err(other) => Err(other),
    }
}

/// `POST /forms/{form_token}/theme/header`: a picture below those above the title.
pub fn put_header(call: &Call, caller: &Caller) -> Result<Reply> {
    place(call, caller, HEADER_IMAGE, "header.images", ready_themes::with_header_image)
}

/// `POST /forms/{form_token}/theme/wallpaper`: the picture behind the form.
pub fn put_wallpaper(call: &Call, caller: &Caller) -> Result<Reply> {
    place(call, caller, WALLPAPER_IMAGE, "wallpaper.image", |_, id| json!({"wallpaper": {"image": {"id": id}}}))
}

/// Takes a picture into the theme by the change that `of` makes for its id; `control` gets its faults.
fn place(
    call: &Call,
    caller: &Caller,
    purpose: &'static str,
    control: &str,
    of: fn(&Json, &str) -> Json,
) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let faults = match posted(call, caller, purpose)? {
        Ok(image) => {
            let edited = stored::load(call, caller)?;
            match stored::change(call, caller, &edited.tag, of(&edited.theme, &image.id), "") {
                Ok(Kept::Stored(warnings)) if wants_json(call) => return saved(call, caller, &warnings),
                Ok(Kept::Stored(_)) => return Ok(back(call)),
                Ok(Kept::Changed) => return Err(Error::VersionConflict),
                Err(Error::Invalid(faults)) => faults,
                Err(other) => return Err(other),
            }
        }
        Err(faults) => faults,
    };
    if wants_json(call) {
        return Ok(refused(caller, &faults)?.into());
    }
    let faults = faults.into_iter().map(|fault| Issue::new(control.to_owned(), fault.reason)).collect();
    let outcome = Outcome { faults, ..Outcome::default() };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
}

fn wants_json(call: &Call) -> bool {
    call.header("accept").is_some_and(|accept| accept.starts_with("application/json"))
}

fn back(call: &Call) -> Reply {
    session::to_page(&call.app.config, &format!("/forms/{}/theme", call.param("form_token"))).into()
}

/// Tells a script the stored values. Weak colours are no faults: the page shows them beside each colour.
fn saved(call: &Call, caller: &Caller, warnings: &[Issue]) -> Result<Reply> {
    let now = stored::load(call, caller)?;
    let texts = texts_of(&caller.user);
    let told =
        |issue: &Issue| json!({"attribute": issue.attribute, "message": account_messages::message(texts, issue)});
    let body = json!({
        "tag": now.tag,
        "theme": now.theme,
        "issues": [],
        "warnings": warnings.iter().map(told).collect::<Vec<_>>(),
        "can_undo": now.can_undo,
        "can_redo": now.can_redo,
    });
    Ok(reply::data(&body)?.into())
}

/// The change that was typed, in the shape of the API's body. An empty control takes its key back to the default.
fn read(posted: &Posted) -> Json {
    let mut out = Map::new();
    for (path, _) in FIELDS.iter().filter(|(path, _)| posted.0.iter().any(|(name, _)| name == path)) {
        let typed = posted.text(path).trim();
        let value = if typed.is_empty() { Json::Null } else { json!(typed) };
        match path.split_once('.') {
            Some((group, key)) => {
                let inner = out.entry(group.to_owned()).or_insert_with(|| json!({}));
                inner[key] = value;
            }
            None => {
                out.insert((*path).to_owned(), value);
            }
        }
    }
    Json::Object(out)
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts: &'static Texts = frame.texts;
    let edited = stored::load(call, caller)?;
    let can_change = frame.view.role >= Role::Manager;
    let drawing = Drawing { frame: &frame, edited: &edited, outcome };
    let content: Markup = html! {
        (frame.head(FormPage::Look, true))
        @if !can_change { (message(Tone::Note, &texts.say("build-reader"), &texts.say("look-reader-text"))) }
        @if let Some(done) = outcome.done { (message(Tone::Note, &texts.say(done), "")) }
        @if outcome.is_overtaken {
            (message(Tone::Warn, &texts.say("look-overtaken"), &texts.say("look-overtaken-text")))
        }
        (drawing.summary())
        @if can_change { (drawing.bar()) }
        (LookPage {
            controls: if can_change { drawing.controls() } else { drawing.facts() },
            preview: &frame.address("preview"),
            preview_title: &texts.say("build-preview"),
            see: &texts.say("look-see"),
            texts,
        })
    };
    let title = frame.title(&texts.say("look-title"));
    let title = widgets::page_title(texts, &title, !outcome.faults.is_empty());
    let mut page = console::page(call, &caller.user, &frame.csrf, texts, &title).framing();
    page = page.script("look.js");
    if can_change {
        page = page.script("panel.js");
    }
    Ok(page.answer(status, &content))
}

/// The typed value of a control that was not saved, else the stored one.
fn value<'v>(edited: &'v Edited, outcome: &'v Outcome, path: &str) -> &'v Json {
    let at = |json: &'v Json| match path.split_once('.') {
        Some((group, key)) => json.get(group).and_then(|group| group.get(key)),
        None => json.get(path),
    };
    outcome.typed.as_ref().and_then(at).or_else(|| at(&edited.theme)).unwrap_or(&Json::Null)
}
