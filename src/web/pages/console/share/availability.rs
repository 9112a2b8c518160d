//! The availability of the form and its reason, the buttons that close and open it by hand, and its opening time,
//! closing time and limit. The posted values are compared with those that the page showed, so that two managers who
//! save at once lose nothing.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::display::{local_number, moment};
use crate::model::caller::Caller;
use crate::model::form::FormSection;
use crate::model::precondition::IfMatch;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::availability::{self, Standing};
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::{self, settings};
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::share::{self, Outcome, fault};
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::button::{Button, Weight};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::section::{Disclosure, Section};
use crate::web::pages::ui::share::standing::{StandingLine, fields_beside, theirs};
use crate::web::pages::ui::words::muted;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

pub const START: &str = "availability.schedule.start_at";
pub const END: &str = "availability.schedule.end_at";
pub const LIMIT: &str = "availability.entries_limit";
/// The fields, and the text ids of their labels.
pub const FIELDS: [(&str, &str); 3] = [(START, "share-start"), (END, "share-end"), (LIMIT, "share-limit")];
/// Before the names of the values that the page showed.
const WAS: &str = "was.";
/// The tries of a save when other managers save at the same moment.
const ATTEMPTS: usize = 5;

/// The values of the fields, in their order, as their inputs hold them.
#[derive(Clone, PartialEq, Eq)]
pub struct Values([String; 3]);

impl Values {
    fn of(view: &FormView, locale: &str) -> Self {
        let group = &view.parsed.settings.availability;
        let clock = |at: Option<Time>| {
            at.map(|at| moment::clock_text(at.timestamp(), &view.parsed.timezone)).unwrap_or_default()
        };
        let limit = group.entries_limit.map(|limit| local_number::in_control(&limit.to_string(), locale));
        Self([clock(group.schedule.start_at), clock(group.schedule.end_at), limit.unwrap_or_default()])
    }

    /// The values posted under the fields' names behind `prefix`.
    fn posted(posted: &Posted, prefix: &str) -> Self {
        Self(FIELDS.map(|(name, _)| posted.text(&format!("{prefix}{name}")).trim().to_owned()))
    }

    /// Whether somebody else changed one of these values too, and to another value.
    fn meets(&self, was: &Self, now: &Self) -> bool {
        let all = self.0.iter().zip(&was.0).zip(&now.0);
        all.into_iter().any(|((typed, was), now)| typed != was && now != was && typed != now)
    }

    /// The typed values where they differ from `was`, else the current ones.
    fn over(self, was: &Self, now: &Self) -> Self {
        let mut values = now.clone();
        for (at, typed) in self.0.into_iter().enumerate() {
            if typed != was.0[at] {
                values.0[at] = typed;
            }
        }
        values
    }

    /// The differences from `was`, as the body of a change of settings; null if there are none. A value that can't be
    /// read is sent as it was typed: the settings report its fault.
    fn change_from(&self, was: &Self, view: &FormView, locale: &str) -> Json {
        let zone = &view.parsed.timezone;
        let time = |typed: &str| {
            let read = moment::of_clock(typed, zone).map(|at| Time::from_millis(at.as_millisecond()).to_string());
            json!(read.as_deref().unwrap_or(typed))
        };
        let mut group = json!({});
        for (at, (name, _)) in FIELDS.into_iter().enumerate().filter(|(at, _)| self.0[*at] != was.0[*at]) {
            let typed = self.0[at].as_str();
            let value = match name {
                _ if typed.is_empty() => Json::Null,
                LIMIT => local_number::of_form(typed, locale),
                _ => time(typed),
            };
            match name {
                START => group["schedule"]["start_at"] = value,
                END => group["schedule"]["end_at"] = value,
                _ => group["entries_limit"] = value,
            }
        }
        if group == json!({}) { Json::Null } else { json!({"availability": group}) }
    }
}

/// `POST /forms/{form_token}/share/close`
pub fn close(call: &Call, caller: &Caller) -> Result<Reply> {
    switch(call, caller, true)?;
    Ok(share::done(call, "closed"))
}

/// `POST /forms/{form_token}/share/open`
pub fn open(call: &Call, caller: &Caller) -> Result<Reply> {
    switch(call, caller, false)?;
    Ok(share::done(call, "opened"))
}

fn switch(call: &Call, caller: &Caller, is_closed: bool) -> Result<()> {
    let body = json!({"availability": {"manually_closed": is_closed}});
    settings::update(call.app, caller, call.param("form_token"), body, &IfMatch::Absent, Issues::new()).map(|_| ())
}

/// `POST /forms/{form_token}/share/availability`
pub fn put(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    access::check(call.app, caller, token, Right::Manage)?;
    let locale = console::texts_of(&caller.user).locale();
    let posted = Posted::of(call);
    let (typed, was) = (Values::posted(&posted, ""), Values::posted(&posted, WAS));
    for _ in 0..ATTEMPTS {
        let view = forms::show(call.app, caller, token)?;
        let now = Values::of(&view, locale);
        if typed.meets(&was, &now) {
            let outcome = Outcome { typed: Some(typed.over(&was, &now)), is_overtaken: true, ..Outcome::default() };
            return Ok(share::view(call, caller, StatusCode::CONFLICT, &outcome)?.into());
        }
        let change = typed.change_from(&was, &view, locale);
        if change.is_null() {
            return Ok(share::done(call, "saved"));
        }
        let condition = IfMatch::Tags(vec![view.form.etag(FormSection::Settings).0]);
        match settings::update(call.app, caller, token, change, &condition, Issues::new()) {
            Ok(_) => return Ok(share::done(call, "saved")),
            Err(Error::VersionConflict) => {}
            Err(Error::Invalid(faults)) => {
                let outcome = Outcome { faults, typed: Some(typed.over(&was, &now)), ..Outcome::default() };
                return Ok(share::view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into());
            }
            Err(other) => return Err(other),
        }
    }
    Err(Error::VersionConflict)
}

/// Why the form is open or closed now, if it is published.
pub fn standing(frame: &FormFrame) -> Standing {
    let form = &frame.view.form;
    availability::standing(&frame.view.parsed.settings.availability, form.entries_count, frame.call.now)
}

/// The card, for managers.
pub fn section(frame: &FormFrame, outcome: &Outcome) -> Markup {
    let is_folded = outcome.typed.is_none();
    Section {
        id: "availability",
        title: html! { (frame.say("share-availability")) },
        content: html! {
            (line(frame))
            (Disclosure {
                summary: &frame.say("share-schedule"),
                is_open: !is_folded,
                content: schedule(frame, outcome),
            })
        },
        ..Section::default()
    }
    .render()
}

/// The state in one sentence, with the button that changes it.
fn line(frame: &FormFrame) -> Markup {
    let (texts, form) = (frame.texts, &frame.view.form);
    let count = form.entries_count;
    let when = |at: Time| moment::show(at.timestamp(), &frame.view.parsed.timezone, texts, texts.locale());
    let limit = frame.view.parsed.settings.availability.entries_limit;
    let standing = standing(frame);
    let (tone, text, more) = match standing {
        _ if !form.published => (Tone::Note, frame.say("share-unpublished"), "share-unpublished-text"),
        Standing::Open { until } => {
            let id = match (until, limit) {
                (None, None) => "share-open",
                (None, Some(_)) => "share-open-limit",
                (Some(_), None) => "share-open-until",
                (Some(_), Some(_)) => "share-open-until-limit",
            };
            let when = until.map(when).unwrap_or_default();
            let numbers = [("count", count.into()), ("limit", limit.unwrap_or_default().into()), ("when", when.into())];
            (Tone::Good, texts.fill(id, &numbers), "")
        }
        Standing::OpensAt(at) => (Tone::Note, texts.fill("share-opens", &[("when", when(at).into())]), ""),
        Standing::ClosedByHand => (Tone::Note, frame.say("share-closed-by-hand"), "share-closed-by-hand-text"),
        Standing::ClosedSince(at) => {
            let text = texts.fill("share-closed-since", &[("when", when(at).into())]);
            (Tone::Note, text, "share-closed-since-text")
        }
        Standing::Full { limit } => {
            let numbers = [("count", count.into()), ("limit", limit.into())];
            (Tone::Warn, texts.fill("share-full", &numbers), "share-full-text")
        }
    };
    let act = match standing {
        _ if !form.published => Some(("publish", "share-publish", Weight::Main)),
        Standing::ClosedByHand => Some(("open", "share-open-again", Weight::Quiet)),
        Standing::ClosedSince(_) => None,
        _ => Some(("close", "share-close", Weight::Quiet)),
    };
    let act = act.map(|(act, label, weight)| {
        PostForm {
            action: &frame.address(&format!("share/{act}")),
            csrf: &frame.csrf,
            content: Button { label: &frame.say(label), weight, ..Button::default() }.render(),
            ..PostForm::default()
        }
        .render()
    });
    let more = if more.is_empty() { String::new() } else { frame.say(more) };
    StandingLine { tone, text: &text, more: &more, actions: act.unwrap_or_default() }.render()
}

/// Opening time, closing time and limit.
fn schedule(frame: &FormFrame, outcome: &Outcome) -> Markup {
    let texts = frame.texts;
    let saved = Values::of(&frame.view, texts.locale());
    let typed = outcome.typed.as_ref().unwrap_or(&saved);
    let fields = html! {
        @for (at, (name, label)) in FIELDS.into_iter().enumerate() {
            div {
                (line_field(&LineField {
                    name,
                    label: &frame.say(label),
                    kind: if name == LIMIT { "text" } else { "datetime-local" },
                    value: &typed.0[at],
                    fault: &fault(texts, &outcome.faults, name),
                    autocomplete: "off",
                    ..LineField::default()
                }))
                @if outcome.is_overtaken && typed.0[at] != saved.0[at] {
                    (theirs(&texts.fill("share-theirs", &[("value", shown(&saved.0[at], frame).into())])))
                }
            }
        }
    };
    let content = html! {
        @for (at, (name, _)) in FIELDS.into_iter().enumerate() {
            input type="hidden" name={ (WAS) (name) } value=(saved.0[at]);
        }
        (muted(texts.fill("share-schedule-text", &[("zone", frame.view.form.timezone.as_str().into())])))
        (fields_beside(&fields))
        (Button::quiet(&frame.say("profile-save")))
    };
    PostForm { action: &frame.address("share/availability"), csrf: &frame.csrf, content, ..PostForm::default() }
        .render()
}

/// A saved value in a sentence.
fn shown(value: &str, frame: &FormFrame) -> String {
    if value.is_empty() { frame.say("share-none") } else { value.replace('T', " ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(start: &str, end: &str, limit: &str) -> Values {
        Values([start, end, limit].map(str::to_owned))
    }

    #[test]
    fn what_another_manager_saved_meanwhile_stays() {
        let (was, now) = (values("", "2026-05-03T18:00", "100"), values("", "2026-05-03T18:00", "50"));
        let typed = values("2026-05-01T09:00", "2026-05-03T18:00", "100");
        assert!(!typed.meets(&was, &now));
        assert!(typed.over(&was, &now) == values("2026-05-01T09:00", "2026-05-03T18:00", "50"));
        let other = values("", "2026-05-03T18:00", "80");
        assert!(other.meets(&was, &now) && !now.meets(&was, &now));
    }
}
