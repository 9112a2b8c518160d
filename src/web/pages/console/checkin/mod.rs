//! `/forms/{form_token}/checkin`: lets people in by the verification codes of their entries.

use maud::{Markup, Render, html};
use warp::http::{StatusCode, header};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::fields::display::moment;
use crate::model::caller::Caller;
use crate::model::capacity::Resource;
use crate::model::user::User;
use crate::ops::entries::shown_answers::EntryColumn;
use crate::ops::entries::{self, EntryView};
use crate::ops::exams::check_in::{self, CheckIn, CheckedIn, Refusal};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, moment_text, widgets, zone_of};
use crate::web::pages::ui::bookings::desk::CodeDesk;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::entries::answers;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::rates;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The name of the input.
const CODE: &str = "code";
/// The parameters of the address: the entry that a code led to, that it was not there before, and that it was taken back.
const ENTRY: &str = "entry";
const NEW: &str = "new";
const UNDONE: &str = "undone";

/// `GET /forms/{form_token}/checkin`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let notice = outcome(&frame)?;
    Ok(answer(&frame, StatusCode::OK, &notice, ("", ""))?.into())
}

/// `POST /forms/{form_token}/checkin`: marks the entry of a code.
pub fn mark(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let posted = Posted::of(call);
    let typed = posted.text(CODE).trim();
    let token = call.param("form_token");
    if typed.is_empty() {
        let fault = frame.say("checkin-blank");
        return Ok(answer(&frame, StatusCode::UNPROCESSABLE_ENTITY, &Markup::default(), ("", &fault))?.into());
    }
    let marked = rates::count_check_in(call, caller).and_then(|()| check_in::mark(call.app, caller, token, typed));
    let (serial, query) = match marked {
        Ok(CheckedIn::New(serial)) => (serial, "&new=1"),
        Ok(CheckedIn::Again(serial)) => (serial, ""),
        Ok(CheckedIn::Refused(refusal)) => {
            let fault = frame.say(match refusal {
                Refusal::Unknown => "checkin-unknown",
                Refusal::InTrash => "checkin-in-trash",
                Refusal::Cancelled => "checkin-cancelled",
                Refusal::Waiting => "checkin-waiting",
            });
            return Ok(answer(&frame, StatusCode::UNPROCESSABLE_ENTITY, &Markup::default(), (typed, &fault))?.into());
        }
        Err(Error::TooMany(secs)) => {
            let wait = i64::try_from(secs).unwrap_or(i64::MAX);
            let fault = frame.texts.fill("verify-wait-text", &[("wait", wait.into())]);
            let answer = answer(&frame, StatusCode::TOO_MANY_REQUESTS, &Markup::default(), (typed, &fault))?;
            return Ok(answer.header(header::RETRY_AFTER, &secs.to_string()).into());
        }
        Err(other) => return Err(other),
    };
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/checkin?{ENTRY}={serial}{query}")).into())
}

/// `POST /forms/{form_token}/checkin/{serial_number}/undo`: takes the mark of an entry away.
pub fn unmark(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    check_in::unmark(call.app, caller, token, serial)?;
    let serial = serial.unwrap_or_default();
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/checkin?{UNDONE}={serial}")).into())
}

fn answer(frame: &FormFrame, status: StatusCode, notice: &Markup, (typed, fault): (&str, &str)) -> Result<Answer> {
    let attendance = check_in::attendance(frame.call.app, frame.caller, frame.view.form.token.as_str())?;
    let counts = [("there", attendance.there.into()), ("all", attendance.all.into())];
    let heading = frame.say("checkin-title");
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back { address: &frame.address("entries"), label: &frame.say("entries-back") }),
            title: html! { (heading) },
            lead: html! { (frame.texts.fill("checkin-count", &counts)) },
            ..PageHead::default()
        })
        (CodeDesk {
            action: &frame.address("checkin"),
            csrf: &frame.csrf,
            name: CODE,
            label: &frame.say("verify-code"),
            value: typed,
            fault,
            button: &frame.say("checkin-button"),
            picture: &frame.say("checkin-picture"),
            unread: &frame.say("checkin-unread"),
        })
        (notice)
    };
    let title = frame.title(&heading);
    let title = widgets::page_title(frame.texts, &title, !fault.is_empty());
    let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, &title);
    Ok(page.script("checkin.js").answer(status, &content))
}

/// The person checked in, or the person whose check-in was undone.
fn outcome(frame: &FormFrame) -> Result<Markup> {
    let serial = |name: &str| frame.call.query(name).and_then(|serial| serial.parse().ok());
    if let Some(view) = serial(UNDONE).and_then(|serial| view_of(frame, serial)) {
        let title = frame.texts.fill("checkin-undone", &[("who", who(frame, &view).into())]);
        return Ok(message(Tone::Warn, &title, ""));
    }
    let Some(view) = serial(ENTRY).and_then(|serial| view_of(frame, serial)) else {
        return Ok(Markup::default());
    };
    let token = frame.view.form.token.as_str();
    let Some(found) = check_in::of_entry(frame.call.app, frame.caller, token, view.entry.serial)? else {
        return Ok(Markup::default());
    };
    let is_new = frame.call.query(NEW).is_some();
    let (tone, words) = if is_new { (Tone::Good, "checkin-there") } else { (Tone::Warn, "checkin-again") };
    let title = frame.texts.fill(words, &[("who", who(frame, &view).into())]);
    let content = html! {
        (taken(frame, &view)?)
        (row(html! { (to_entry(frame, &view)) (undo(frame, &view)) }))
    };
    Ok(Notice { tone, title: &title, text: &since(frame, &found), content }.render())
}

fn view_of(frame: &FormFrame, serial: i64) -> Option<EntryView> {
    entries::show(frame.call.app, frame.caller, frame.view.form.token.as_str(), Some(serial)).ok()
}

/// The name in an entry, else its number.
fn who(frame: &FormFrame, view: &EntryView) -> String {
    let shape = &view.shape;
    let who = shape.who(&view.entry, &shape.cx(frame.call.now)).ok().flatten();
    let number = || frame.texts.fill("entries-entry", &[("serial", view.entry.serial.into())]);
    who.map_or_else(number, |who| widgets::isolated(&who))
}

/// The bookings and orders of the entry.
fn taken(frame: &FormFrame, view: &EntryView) -> Result<Markup> {
    let shape = &view.shape;
    let cx = shape.cx(frame.call.now);
    let columns = EntryColumn::all(&shape.parsed);
    let is_taken = |column: &&EntryColumn| {
        column.kind().capacity().is_some_and(|capacity| capacity.resource() != Resource::Choices)
    };
    let columns: Vec<EntryColumn> = columns.iter().filter(is_taken).copied().collect();
    let cells = shape.cells(&view.entry, &columns, &cx)?;
    let lines = columns.iter().zip(cells).filter_map(|(column, cell)| Some(column.kind().lines(&cell?, &cx)));
    let lines: Vec<String> = lines.flatten().collect();
    Ok(html! { @if !lines.is_empty() { (answers::lines(&lines, frame.owners_lang())) } })
}

fn to_entry(frame: &FormFrame, view: &EntryView) -> Markup {
    let label = frame.texts.fill("entries-entry", &[("serial", view.entry.serial.into())]);
    let address = frame.address(&format!("entries/{}", view.entry.serial));
    Button { label: &label, press: Press::Go(&address), is_small: true, ..Button::default() }.render()
}

fn undo(frame: &FormFrame, view: &EntryView) -> Markup {
    let label = frame.say("checkin-undo");
    let about = html! { (frame.texts.fill("entries-entry", &[("serial", view.entry.serial.into())])) };
    PostForm {
        action: &frame.address(&format!("checkin/{}/undo", view.entry.serial)),
        csrf: &frame.csrf,
        content: Button { label: &label, is_small: true, about, ..Button::default() }.render(),
        ..PostForm::default()
    }
    .render()
}

/// The time of a check-in, and the user who marked it.
pub fn since(frame: &FormFrame, found: &CheckIn) -> String {
    let when = clock(&frame.caller.user, found.at, frame.call.now);
    match &found.by {
        Some(name) => {
            let words = [("when", when.into()), ("name", widgets::isolated(name).into())];
            frame.texts.fill("checkin-since-by", &words)
        }
        None => frame.texts.fill("checkin-since", &[("when", when.into())]),
    }
}

/// The time of a moment, with its day where that is not today.
fn clock(user: &User, at: Time, now: Time) -> String {
    let [local, now] = [at, now].map(|time| time.timestamp().to_zoned(zone_of(user)));
    if local.date() == now.date() { moment::clock(&local) } else { moment_text(user, at) }
}

/// On an entry's page: that somebody is there, with the way back.
pub fn on_entry(frame: &FormFrame, view: &EntryView) -> Result<Markup> {
    if !check_in::is_possible(&frame.view.parsed) {
        return Ok(Markup::default());
    }
    let token = frame.view.form.token.as_str();
    let Some(found) = check_in::of_entry(frame.call.app, frame.caller, token, view.entry.serial)? else {
        return Ok(Markup::default());
    };
    let undo = if frame.may_change_entries() { undo(frame, view) } else { Markup::default() };
    let title = frame.say("checkin-is-there");
    Ok(Notice { tone: Tone::Good, title: &title, text: &since(frame, &found), content: undo }.render())
}

/// Where a page about entries leads to the check-in; nothing for a form without codes.
pub fn link(frame: &FormFrame) -> Markup {
    if !frame.may_change_entries() || !check_in::is_possible(&frame.view.parsed) {
        return Markup::default();
    }
    Button {
        label: &frame.say("checkin-title"),
        press: Press::Go(&frame.address("checkin")),
        is_small: true,
        ..Button::default()
    }
    .render()
}
