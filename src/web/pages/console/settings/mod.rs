//! `/forms/{form_token}/settings`: all settings of a form, section by section. Any role reads them, managers change
//! them; each section is saved by itself.

mod acts;
mod bands;
mod drawing;
mod exam;
mod messages;
mod table;
mod values;

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use maud::{Markup, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts;
use crate::fields::display::moment;
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::ops::delivery::notifications;
use crate::ops::forms::settings_edit::{self, Edited, Saved};
use crate::web::pages::console::build::rich_texts::RichTexts;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::settings::drawing::Drawing;
use crate::web::pages::console::settings::table::{SECTIONS, Section, Shape};
use crate::web::pages::console::settings::values::ValueCx;
use crate::web::pages::console::{self, Posted, timezone_list, widgets};
use crate::web::pages::ui::field::datalist;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::settings::sections::Sections;
use crate::web::pages::ui::words::facts;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The outcome of a post to a section. Empty on a page that was just opened.
#[derive(Default)]
struct Outcome {
    /// The section's id.
    section: String,
    /// The text id of the last action.
    done: Option<&'static str>,
    warnings: Vec<Issue>,
    /// The paths of the section and the values that were typed there.
    typed: Option<(Vec<&'static str>, Json)>,
    /// The version that was loaded before, for a section that is shown with faults.
    version: Option<String>,
    faults: Vec<Issue>,
    /// By path: the value that somebody else set meanwhile.
    news: Vec<(&'static str, String)>,
}

/// `GET /forms/{form_token}/settings`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let edited = settings_edit::load(call.app, caller, call.param("form_token"))?;
    let section = call.query("saved").unwrap_or_default();
    let done = acts::done(&section);
    let is_known = done.is_some() || SECTIONS.iter().any(|known| known.id == section);
    let outcome = if is_known {
        let section = if done.is_some() { acts::SECTION.to_owned() } else { section };
        Outcome { section, done: Some(done.unwrap_or("profile-done-profile")), ..Outcome::default() }
    } else {
        Outcome::default()
    };
    Ok(view(call, caller, StatusCode::OK, edited, &outcome)?.into())
}

/// `POST /forms/{form_token}/settings/{section}`
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    let name = call.param("section");
    match SECTIONS.iter().find(|section| section.id == name) {
        Some(section) => save_section(call, caller, section),
        None => acts::act(call, caller, name),
    }
}

fn save_section(call: &Call, caller: &Caller, section: &Section) -> Result<Reply> {
    let token = call.param("form_token");
    let posted = Posted::of(call);
    let (paths, loaded) = (section.paths(), posted.text("version").to_owned());
    let before = settings_edit::load(call.app, caller, token)?;
    let mut typed = json!({});
    {
        let cx = cx_of(&before, caller);
        for control in section.controls() {
            let value = cx.read(control, &posted);
            let value = value.unwrap_or_else(|| settings_edit::at(&before.values, control.path).clone());
            settings_edit::put(&mut typed, control.path, value);
        }
    }
    let mut outcome = Outcome { section: section.id.to_owned(), ..Outcome::default() };
    match settings_edit::save(call.app, caller, token, &paths, &loaded, &typed) {
        Ok(Saved::Stored(warnings)) if warnings.is_empty() => {
            let path = format!("/forms/{token}/settings?saved={0}#{0}", section.id);
            Ok(session::to_page(&call.app.config, &path).into())
        }
        Ok(Saved::Stored(warnings)) => {
            outcome.warnings = warnings;
            outcome.done = Some("profile-done-profile");
            let edited = settings_edit::load(call.app, caller, token)?;
            Ok(view(call, caller, StatusCode::OK, edited, &outcome)?.into())
        }
        Ok(Saved::Changed(now)) => {
            outcome.news = adopt(section, &loaded, &now, caller, &mut typed);
            outcome.typed = Some((paths, typed));
            Ok(view(call, caller, StatusCode::PRECONDITION_FAILED, *now, &outcome)?.into())
        }
        Err(Error::Invalid(faults)) => {
            outcome.faults = faults;
            outcome.typed = Some((paths, typed));
            outcome.version = Some(loaded);
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, before, &outcome)?.into())
        }
        Err(other) => Err(other),
    }
}

/// Takes another user's values into the typed ones, where nothing else was typed. Returns a note for each control that
/// somebody else changed.
fn adopt(
    section: &Section,
    loaded: &str,
    now: &Edited,
    caller: &Caller,
    typed: &mut Json,
) -> Vec<(&'static str, String)> {
    let cx = cx_of(now, caller);
    let paths = section.paths();
    let loaded: Vec<&str> = loaded.split('-').collect();
    let mut news = Vec::new();
    for control in section.controls().filter(|control| paths.contains(&control.path)) {
        let place = paths.iter().position(|path| *path == control.path);
        let before = place.and_then(|place| loaded.get(place)).copied().unwrap_or_default();
        let (own, others) = (settings_edit::at(typed, control.path), settings_edit::at(&now.values, control.path));
        if before == settings_edit::version_of(others) || settings_edit::is_same(own, others) {
            continue;
        }
        let is_theirs = before == settings_edit::version_of(own);
        let words = if is_theirs {
            cx.texts.say("settings-changed-theirs")
        } else {
            let told = widgets::isolated(&cx.told(control, others));
            cx.texts.fill("settings-changed-now", &[("value", told.into())])
        };
        news.push((control.path, words));
        if is_theirs {
            let others = others.clone();
            settings_edit::put(typed, control.path, others);
        }
    }
    news
}

fn cx_of<'a>(edited: &'a Edited, caller: &'a Caller) -> ValueCx<'a> {
    let parsed = &edited.view.parsed;
    ValueCx {
        texts: console::texts_of(&caller.user),
        locale: &caller.user.locale,
        timezone: parsed.cx(crate::base::clock::Time::default(), false).timezone,
        fields: &parsed.definition.fields,
    }
}

fn view(call: &Call, caller: &Caller, status: StatusCode, edited: Edited, outcome: &Outcome) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let zone = TimeZone::get(&edited.view.form.timezone).unwrap_or(TimeZone::UTC);
    let cx = cx_of(&edited, caller);
    let clock = call.now.timestamp().to_zoned(zone);
    let clock = moment::with_zone(&moment::clock(&clock), &clock, texts);
    let questions = exam::questions(&frame)?;
    let rich = RichTexts::of(&frame);
    let mut drawing = Drawing {
        frame: &frame,
        edited: &edited,
        cx,
        outcome,
        questions,
        clock,
        trees: BTreeMap::new(),
        images: rich.images(),
    };
    if edited.view.role >= Role::Manager {
        for control in SECTIONS.iter().flat_map(Section::controls).filter(|control| control.shape == Shape::Rich) {
            let tree = rich.tree(drawing.value(control.path).as_str().unwrap_or_default())?;
            drawing.trees.insert(control.path, tree);
        }
    }
    let mut sections: Vec<_> =
        SECTIONS.iter().map(|section| drawing.section(section, more(&drawing, section))).collect();
    sections.extend(acts::sections(&drawing));
    let is_refused = !outcome.faults.is_empty() || !outcome.news.is_empty();
    let heading = frame.title(&texts.say("settings-title"));
    let title = widgets::page_title(texts, &heading, is_refused);
    let content = html! {
        (frame.head(FormPage::Settings, true))
        @if edited.view.role < Role::Manager {
            (message(Tone::Note, &texts.say("settings-reader"), &texts.say("settings-reader-text")))
        }
        (Sections {
            label: &texts.say("settings-sections"),
            find: &texts.say("settings-find"),
            none: &texts.say("settings-find-none"),
            sections,
        })
        (timezone_list())
        (datalist("locales", &texts::locales()))
    };
    let page = console::page(call, &caller.user, &frame.csrf, texts, &title);
    let page = page.script("copy.js").script("settings.js").script("rich.js").script("unsaved.js");
    Ok(page.answer(status, &content))
}

/// The contents above the controls of a section.
fn more(drawing: &Drawing, section: &Section) -> Markup {
    let texts = drawing.cx.texts;
    match section.id {
        "general" => {
            let scene = texts.say(&format!("scene-{}", drawing.edited.view.form.scene));
            facts(&[(&texts.say("settings-scene"), html! { (scene) })])
        }
        "notifications" => {
            let sends = notifications::is_sent(drawing.frame.call.app);
            let has_address = drawing.cx.fields.iter().any(|field| field.row.facets.mailable);
            html! {
                @if !sends {
                    (message(Tone::Warn, &texts.say("settings-no-mail"), &texts.say("settings-no-mail-text")))
                } @else if !has_address {
                    (message(Tone::Note, &texts.say("settings-no-address"), &texts.say("settings-no-address-text")))
                }
            }
        }
        _ => Markup::default(),
    }
}
