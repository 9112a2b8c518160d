//! Actions on entries that were ticked in a list: to the trash, into a file, on paper, back out of the trash, deleted
//! for good.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::entries::trash;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::exports::Format;
use crate::web::openapi::shape::names;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::trash as trash_page;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::entries::selection::{TICK, hidden_ticks};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::section::Question;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The most entries of one post: a page of the API's lists.
const MOST: usize = 100;

/// The ticked entries. Values that are no numbers are ignored.
fn ticked(posted: &Posted) -> Vec<i64> {
    let mut serials: Vec<i64> = posted.all(TICK).filter_map(|serial| serial.parse().ok()).take(MOST).collect();
    serials.sort_unstable();
    serials.dedup();
    serials
}

/// `POST /forms/{form_token}/entries/chosen`: leads back to the list, to the file, or to the sheets.
pub fn of_list(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let serials = ticked(&posted);
    let token = call.param("form_token");
    access::check(call.app, caller, token, Right::Read)?;
    let (address, list) = (ListAddress::of(call, None), format!("/forms/{token}/entries"));
    let to = |path: &str| Ok(session::to_page(&call.app.config, path).into());
    if serials.is_empty() {
        return to(&address.leads(&list, &[("trashed", "none")], &[]));
    }
    let act = posted.text("act");
    if names(&Format::ALL).contains(&act) {
        return to(&address.of_entries(&format!("{list}/export"), &serials, act));
    }
    if act == "print" {
        let serials = serials.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        return to(&format!("{list}/print?serials={serials}"));
    }
    if act == "set" {
        return to(&address.bulk_of(&format!("{list}/bulk"), &serials));
    }
    let moved = trash::put_many(call.app, caller, token, serials)?.wait()?;
    let moved = moved.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    to(&address.leads(&list, &[("trashed", if moved.is_empty() { "none" } else { &moved })], &[]))
}

/// `POST /forms/{form_token}/trash/chosen`: restores, or asks before it deletes for good.
pub fn of_trash(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let serials = ticked(&posted);
    let token = call.param("form_token");
    access::check(call.app, caller, token, Right::Enter)?;
    let to = |path: String| Ok(session::to_page(&call.app.config, &path).into());
    if serials.is_empty() {
        return to(format!("/forms/{token}/trash"));
    }
    match posted.text("act") {
        "delete" => return Ok(ask(call, caller, &serials)?.into()),
        "deleted" => {
            for serial in serials {
                match trash::remove(call.app, caller, token, Some(serial), IfMatch::default())?.wait() {
                    Ok(_) | Err(Error::NotFound(_)) => {}
                    Err(other) => return Err(other),
                }
            }
            return to(format!("/forms/{token}/trash"));
        }
        _ => {}
    }
    let (frame, mut refused) = (FormFrame::load(call, caller)?, Vec::new());
    for serial in serials {
        match trash::restore(call.app, caller, token, Some(serial), IfMatch::default())?.wait() {
            Ok(_) => {}
            Err(Error::Invalid(issues)) => {
                refused.extend(issues.iter().map(|issue| (serial, frame.told([issue]))));
            }
            Err(Error::Conflict(_, text)) => refused.push((serial, frame.texts.phrase(&text.into()))),
            Err(Error::NotFound(_)) => {}
            Err(other) => return Err(other),
        }
    }
    if refused.is_empty() {
        return to(ListAddress::of(call, None).leads(&format!("/forms/{token}/entries"), &[], &[]));
    }
    Ok(trash_page::not_restored(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &refused)?.into())
}

/// Asks whether these are deleted for good.
fn ask(call: &Call, caller: &Caller, serials: &[i64]) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let title = frame.texts.fill("entries-purge-many", &[("count", serials.len().into())]);
    let content = html! {
        (hidden_ticks(serials))
        input type="hidden" name="act" value="deleted";
        (Button { label: &frame.say("entries-purge"), weight: Weight::Sure, ..Button::default() })
        (Button {
            label: &frame.say("question-no"),
            press: Press::Go(&frame.address("trash")),
            ..Button::default()
        })
    };
    let page_title = frame.title(&title);
    let question = Question {
        sign: None,
        title: &title,
        text: &frame.say("entries-purge-many-text"),
        content: PostForm {
            action: &frame.address("trash/chosen"),
            csrf: &frame.csrf,
            content,
            is_row: true,
            ..PostForm::default()
        }
        .render(),
    };
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &page_title);
    Ok(page.answer(StatusCode::OK, &question.render()))
}
