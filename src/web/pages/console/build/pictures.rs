//! `/forms/{form_token}/build/fields/{code}/pictures`: the pictures of a question's choices, products and things to book.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::fields::kinds::by_name;
use crate::fields::panel::{self, PicturePlace};
use crate::model::caller::Caller;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts;
use crate::ops::forms::drafts::change::{self, Saved};
use crate::ops::forms::drafts::compare::label;
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::build::rich_texts;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, fault};
use crate::web::pages::ui::build::parts::thumb;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::field::{Choice, FileField, SelectField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{muted, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The purpose of its uploads: an image may be used wherever its organization's images may.
pub const PURPOSE: &str = "choice_image";
/// The name of the control for the part that a picture is of.
const AT: &str = "at";

/// `GET /forms/{form_token}/build/fields/{code}/pictures`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, "", &[])?.into())
}

/// `POST /forms/{form_token}/build/fields/{code}/pictures`: adds a picture, which came with the form and is an upload by
/// now, or removes one.
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let Question { tag, mut body, places } = load(call, caller)?;
    let removed = posted.text("remove");
    let at = posted.text(AT);
    if removed.is_empty() {
        let refused = |faults: &[Issue]| view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, at, faults);
        let Some(place) = places.iter().find(|place| place.path == at) else {
            return Ok(refused(&[Issue::new(AT, Reason::Blank)])?.into());
        };
        match rich_texts::posted(call, caller, PURPOSE)? {
            Ok(image) => put(&mut body, place, json!(image)),
            Err(faults) => {
                let faults: Vec<Issue> = faults.into_iter().map(|fault| Issue::new(INPUT, fault.reason)).collect();
                return Ok(refused(&faults)?.into());
            }
        }
    } else {
        remove(&mut body, &places, removed);
    }
    match change::put(call.app, caller, call.param("form_token"), call.param("code"), tag, body, "")? {
        Saved::Stored(_) | Saved::Changed(_) => Ok(session::to_page(&call.app.config, &page(call)).into()),
    }
}

fn page(call: &Call) -> String {
    format!("/forms/{}/build/fields/{}/pictures", call.param("form_token"), call.param("code"))
}

/// A question that has places for pictures.
struct Question {
    tag: i64,
    body: Json,
    places: Vec<PicturePlace>,
}

fn load(call: &Call, caller: &Caller) -> Result<Question> {
    let token = call.param("form_token");
    access::check(call.app, caller, token, Right::Manage)?;
    let shown = drafts::load(call.app, caller, token)?;
    let question = shown.draft.get(call.param("code")).ok_or(Error::NotFound(Noun::Question))?;
    let body = question.body.clone().unwrap_or(Json::Null);
    let row = body["type"].as_str().and_then(by_name);
    let places = row.map(|row| panel::picture_places(row, &body)).unwrap_or_default();
    if places.is_empty() {
        return Err(Error::NotFound(Noun::Page));
    }
    Ok(Question { tag: question.version, body, places })
}

/// Puts a picture behind the others of its part, or in the place of its only one.
fn put(body: &mut Json, place: &PicturePlace, image: Json) {
    let Some((owner, key)) = place.path.rsplit_once('.') else {
        return;
    };
    let Some(part) = panel::at_path_mut(body, owner) else {
        return;
    };
    match part[key].as_array_mut() {
        Some(list) => list.push(image),
        None if place.is_list => part[key] = json!([image]),
        None => part[key] = image,
    }
}

fn remove(body: &mut Json, places: &[PicturePlace], removed: &str) {
    let list = removed.strip_suffix(']').and_then(|path| path.rsplit_once('['));
    let (path, at) = match list {
        Some((path, at)) => (path, at.parse::<usize>().ok()),
        None => (removed, None),
    };
    if !places.iter().any(|place| place.path == path) {
        return;
    }
    match (panel::at_path_mut(body, path), at) {
        (Some(Json::Array(list)), Some(at)) if at < list.len() => drop(list.remove(at)),
        (Some(one), None) if one.is_object() => drop(one.take()),
        _ => {}
    }
}

fn view(call: &Call, caller: &Caller, status: StatusCode, chosen: &str, faults: &[Issue]) -> Result<Answer> {
    let Question { body, places, .. } = load(call, caller)?;
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let heading = texts.fill("pictures-title", &[("question", label(&body).into())]);
    let back = frame.address(&format!("build?field={}", call.param("code")));
    let content = html! {
        (frame.head(FormPage::Build, true))
        (Section {
            id: "pictures",
            title: html! { (heading) },
            content: html! {
                (shown(&frame, call, &body, &places))
                (upload(&frame, call, &places, chosen, faults))
                (row(html! { (Button { label: &texts.say("build-back"), press: Press::Go(&back), ..Button::default() }) }))
            },
            ..Section::default()
        })
    };
    let title = console::widgets::page_title(texts, &frame.title(&heading), !faults.is_empty());
    Ok(console::page(call, &caller.user, &frame.csrf, texts, &title).answer(status, &content))
}

fn part_name(texts: &Texts, place: &PicturePlace) -> String {
    if place.label.trim().is_empty() { texts.say("build-untitled") } else { place.label.clone() }
}

/// The pictures that there are, each with a button that removes it.
fn shown(frame: &FormFrame, call: &Call, body: &Json, places: &[PicturePlace]) -> Markup {
    let texts = frame.texts;
    let picture = |path: String, image: &Json, name: &str| {
        let address = image["image_url"].as_str()?;
        let remove = Button { label: &texts.say("pictures-remove"), is_small: true, ..Button::default() };
        let content = html! {
            input type="hidden" name="remove" value=(path);
            (thumb(address, name)) (muted(name)) (remove)
        };
        let action = format!("{}{}", call.app.config.base_path(), page(call));
        Some(PostForm { action: &action, csrf: &frame.csrf, content, is_row: true, ..PostForm::default() }.render())
    };
    let all = places.iter().flat_map(|place| {
        let name = part_name(texts, place);
        match panel::at_path(body, &place.path) {
            Some(Json::Array(list)) => {
                let list = list.iter().enumerate();
                list.filter_map(|(at, image)| picture(format!("{}[{at}]", place.path), image, &name)).collect()
            }
            Some(one) => picture(place.path.clone(), one, &name).into_iter().collect(),
            None => Vec::new(),
        }
    });
    let all: Vec<Markup> = all.collect();
    html! {
        @if all.is_empty() { (muted(texts.say("pictures-none"))) }
        @for picture in all { (picture) }
    }
}

fn upload(frame: &FormFrame, call: &Call, places: &[PicturePlace], chosen: &str, faults: &[Issue]) -> Markup {
    let texts = frame.texts;
    let names: Vec<String> = places.iter().map(|place| part_name(texts, place)).collect();
    let choices = places.iter().zip(&names).map(|(place, name)| Choice::new(&place.path, name, place.path == chosen));
    let content = html! {
        (SelectField {
            id: AT,
            name: AT,
            label: &texts.say("pictures-of"),
            choices: choices.collect(),
            ..SelectField::default()
        })
        (FileField {
            name: INPUT,
            label: &texts.say("pictures-file"),
            notes: &texts.say("pictures-notes"),
            fault: &fault(texts, faults, INPUT),
            accept: "image/png,image/jpeg,image/webp,image/gif",
        })
        (Button::quiet(&texts.say("pictures-upload")))
    };
    let action = format!("{}{}", call.app.config.base_path(), page(call));
    PostForm { action: &action, csrf: &frame.csrf, content, has_file: true, ..PostForm::default() }.render()
}
