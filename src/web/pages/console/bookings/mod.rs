//! `/forms/{form_token}/bookings`: a day of bookings, for the desk and, printed, for the door.

mod drawing;

use jiff::civil::Date;
use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::fields::schedule;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::model::results::ReservationStatus;
use crate::ops::capacity::booking_days::{self, Request};
use crate::ops::capacity::day_sheet::{self, DaySheet};
use crate::ops::capacity::reservations;
use crate::web::pages::console::Posted;
use crate::web::pages::console::bookings::drawing::DayPage;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer, Reply};

/// The parameters of the address.
const DAY: &str = "day";
const ITEM: &str = "item";
/// The entry whose booking was set, and its state before.
const SET: &str = "set";
const WAS: &str = "was";

/// `GET /forms/{form_token}/bookings`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let sheet = read(&frame)?;
    let notice = done(&frame, &sheet);
    Ok(DayPage { frame: &frame, sheet: &sheet }.answer(StatusCode::OK, &notice).into())
}

/// `GET /forms/{form_token}/bookings/days`: the places left, for the calendar of an entry that is edited.
pub fn days(call: &Call, caller: &Caller) -> Result<Reply> {
    let request = Request::of(|name| call.query(name));
    let days = booking_days::list_for_collaborator(call.app, caller, call.param("form_token"), &request)?;
    Ok(reply::data(&days)?.into())
}

/// `POST /forms/{form_token}/bookings/{serial_number}`: sets the state of a booking, and shows its day again.
pub fn set(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let posted = Posted::of(call);
    let body = json!({"status": posted.text("status")});
    let set = reservations::set(call.app, caller, token, serial, body, IfMatch::default());
    let (status, issues) = match set.and_then(|ticket| ticket.wait()) {
        Ok(view) => {
            let address = address_with(call, &[(SET, &view.entry.serial.to_string()), (WAS, posted.text(WAS))]);
            return Ok(Answer::see_other(&address).into());
        }
        Err(Error::NoRoom(_)) => (StatusCode::CONFLICT, None),
        Err(Error::Invalid(issues)) => (StatusCode::UNPROCESSABLE_ENTITY, Some(issues)),
        Err(other) => return Err(other),
    };
    let frame = FormFrame::load(call, caller)?;
    let sheet = read(&frame)?;
    let text = issues.map_or_else(|| frame.say("entries-booking-full"), |issues| frame.told(&issues));
    let notice = message(Tone::Bad, &frame.say("entries-booking-refused"), &text);
    Ok(DayPage { frame: &frame, sheet: &sheet }.answer(status, &notice).into())
}

fn read(frame: &FormFrame) -> Result<DaySheet> {
    let call = frame.call;
    let given = |name: &str| call.query(name).filter(|value| !value.is_empty());
    let wrong = || Error::BadRequest(format!("{DAY} must be a date such as 2026-12-01").into());
    let day: Option<Date> = given(DAY).map(|day| schedule::date(&day).ok_or_else(wrong)).transpose()?;
    let token = frame.view.form.token.as_str();
    day_sheet::find(call.app, frame.caller, token, day, given(ITEM))?.wait()
}

/// The address of the call's day, with these parameters in place of its own.
fn address_with(call: &Call, own: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for name in [DAY, ITEM] {
        let kept = own.iter().all(|(other, _)| *other != name).then(|| call.query(name)).flatten();
        if let Some(value) = kept.filter(|value| !value.is_empty()) {
            query.append_pair(name, &value);
        }
    }
    query.extend_pairs(own.iter().filter(|(_, value)| !value.is_empty()));
    let (base, token) = (call.app.config.base_path(), call.param("form_token"));
    format!("{base}/forms/{token}/bookings?{}", query.finish())
}

/// The address that sets the booking of an entry, and comes back to this day.
fn address_of_act(frame: &FormFrame, serial: i64) -> String {
    let page = address_with(frame.call, &[]);
    let query = page.split_once('?').map_or("", |(_, query)| query);
    frame.address(&format!("bookings/{serial}?{query}"))
}

fn state_words(frame: &FormFrame, status: ReservationStatus) -> String {
    let name = reservations::STATUSES.iter().find(|(_, known)| *known == status).map_or("", |(name, _)| name);
    frame.say(&format!("system-status-{name}"))
}

/// A notice that a booking was set, with a link to undo it.
fn done(frame: &FormFrame, sheet: &DaySheet) -> Markup {
    let serial: Option<i64> = frame.call.query(SET).and_then(|serial| serial.parse().ok());
    let entry = sheet.entries.iter().find(|entry| Some(entry.serial) == serial);
    let Some((entry, status)) = entry.and_then(|entry| Some((entry, entry.results.reservation_status?))) else {
        return Markup::default();
    };
    let was = frame.call.query(WAS).unwrap_or_default();
    let is_undone = !reservations::STATUSES.iter().any(|(name, known)| *name == was && *known != status);
    let state = state_words(frame, status);
    let title = frame.texts.fill("bookings-set", &[("serial", entry.serial.into()), ("state", state.into())]);
    if is_undone || !frame.may_change_entries() {
        return message(Tone::Good, &title, "");
    }
    let undo = Button {
        label: &frame.say("entries-undo"),
        press: Press::SubmitAs("status", &was),
        is_small: true,
        ..Button::default()
    };
    let undo = PostForm {
        action: &address_of_act(frame, entry.serial),
        csrf: &frame.csrf,
        content: html! { (hidden(WAS, "")) (undo) },
        ..PostForm::default()
    };
    Notice { tone: Tone::Good, title: &title, text: "", content: undo.render() }.render()
}

/// Where a page about entries leads to the day of bookings; nothing for a form without bookings.
pub fn link(frame: &FormFrame) -> Markup {
    if !day_sheet::has_bookings(&frame.view.parsed) {
        return Markup::default();
    }
    Button {
        label: &frame.say("bookings-title"),
        press: Press::Go(&frame.address("bookings")),
        is_small: true,
        ..Button::default()
    }
    .render()
}
