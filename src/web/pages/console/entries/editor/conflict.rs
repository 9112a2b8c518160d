//! The page of an entry that somebody else changed meanwhile: both answers to each question, and the choice between
//! them.

use maud::html;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::kind::typed;
use crate::ops::entries::entry_editor::Subject;
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::editor::entry_form::{EntryForm, SHOWN};
use crate::web::pages::console::entries::{head_of_entry, page_of_entry};
use crate::web::pages::form::faults::name_of;
use crate::web::pages::ui::entries::difference::{Difference, Differences};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::request::reply::Answer;

/// The value that chooses the other's answer, and the one that chooses the own one.
pub const THEIRS: &str = "theirs";
const MINE: &str = "mine";

/// The name of the choice between the answers to a question.
pub fn taken(code: &str) -> String {
    format!("_take.{code}")
}

/// The page; nothing if the answers are the same by now. `mine` has the typed values on the entry as it was.
///
/// # Errors
/// 403, 404.
pub fn page(mine: &EntryForm, address: &ListAddress, serial: i64) -> Result<Option<Answer>> {
    let frame = mine.frame;
    let mut now = EntryForm::open(frame, Subject::Entry(Some(serial)))?;
    let theirs = now.shown.clone();
    now.values.clone_from(&mine.values);
    // Both are looked up: the typed values name entries and files that are not stored.
    now.look_up(&[])?;
    let rows: Vec<Difference> = now
        .editor
        .written()
        .filter_map(|field| {
            let code = field.api_code.as_str();
            let (own, other) = (mine.values.get(code)?, theirs.get(code));
            if !now.differs(field, own, other) {
                return None;
            }
            Some(Difference {
                name: taken(code),
                values: (THEIRS, MINE),
                label: html! { bdi lang=[frame.owners_lang()] { (name_of(frame.texts, field)) } },
                theirs: lines(&now, field, other.unwrap_or(&Json::Null)),
                mine: lines(&now, field, own),
                is_mine: mine.differs(field, own, mine.shown.get(code)),
            })
        })
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let heading = frame.texts.fill("editing-conflict", &[("serial", serial.into())]);
    let title = frame.title(&heading);
    let back = frame.texts.fill("entries-entry", &[("serial", serial.into())]);
    let own = |page: &str| address.leads_to_entry(frame.call, &frame.address(&format!("entries/{serial}{page}")), &[]);
    let (entry, action) = (own(""), own("/edit"));
    let changed_at = now.editor.entry.as_ref().map_or(frame.call.now, |entry| entry.updated_at);
    let changed_at = console::moment_text(&frame.caller.user, changed_at);
    let content = html! {
        (head_of_entry(frame, PageHead {
            back: Some(Back { address: &entry, label: &back }),
            title: html! { (heading) },
            lead: html! { (frame.texts.fill("editing-conflict-text", &[("time", changed_at.into())])) },
            ..PageHead::default()
        }))
        (Differences {
            action: &action,
            csrf: &frame.csrf,
            has_files: now.editor.parsed.files,
            inputs: vec![
                ("_page", "0".to_owned()),
                ("_tag", now.tag.clone().unwrap_or_default()),
                (SHOWN, Json::Object(theirs).to_string()),
            ],
            heads: (&frame.say("editing-theirs"), &frame.say("editing-mine")),
            lang: frame.owners_lang(),
            blank: &frame.say("receipt-blank"),
            rows,
            typed: mine.questions(&[]),
            save: &frame.say("own-save"),
            cancel: (&frame.say("question-no"), &entry),
        })
    };
    Ok(Some(page_of_entry(frame, &title).answer(StatusCode::PRECONDITION_FAILED, &content)))
}

/// A value as people read it; one that can't be read as it was typed.
fn lines(form: &EntryForm, field: &Field, value: &Json) -> Vec<String> {
    if value.is_null() {
        return Vec::new();
    }
    let cx = form.editor.cx();
    let cx = cx.of_field(field);
    let mut at = Issues::new();
    let stored = field.kind.parse(value.clone(), &cx, &mut at);
    if !at.is_empty() {
        return vec![typed(value)];
    }
    if stored.is_null() { Vec::new() } else { field.kind.lines(&stored, &cx) }
}
