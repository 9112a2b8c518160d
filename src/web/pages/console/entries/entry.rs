//! `/forms/{form_token}/entries/{serial_number}`: one entry, with links to its neighbours in the list and the actions
//! on it.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::capacity::reservations;
use crate::ops::entries::entry_lists::{self, Neighbours};
use crate::ops::entries::{self, EntryView, trash};
use crate::ops::exams::certificates;
use crate::web::pages::console::entries::address::{ListAddress, is_framed};
use crate::web::pages::console::entries::editor::{ADDED, SAVED};
use crate::web::pages::console::entries::whole::WholeEntry;
use crate::web::pages::console::entries::{head_of_entry, keys, page_of_entry};
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::{Posted, checkin, widgets};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::entries::answers::{address_to_copy, text_to_copy};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::section::{Disclosure, Section};
use crate::web::pages::ui::table::{PageLink, Pager};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The most letters that a warning names.
const MOST_LETTERS: usize = 20;

/// `GET /forms/{form_token}/entries/{serial_number}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let done = [(SAVED, "entries-saved"), (ADDED, "entries-added")];
    let done = done.into_iter().find(|(name, _)| call.query(name).is_some());
    let serial = call.number("serial_number").unwrap_or_default();
    let done = done.map(|(_, words)| message(Tone::Good, &frame.texts.fill(words, &[("serial", serial.into())]), ""));
    Ok(EntryPage::load(&frame)?.answer(StatusCode::OK, &done.unwrap_or_default())?.into())
}

/// `POST /forms/{form_token}/entries/{serial_number}/trash`
pub fn put_in_trash(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    let serial = trash::put(call.app, caller, token, call.number("serial_number"), IfMatch::default())?.wait()?;
    let list = format!("/forms/{token}/entries");
    let to = ListAddress::of(call, None).leads(&list, &[("trashed", &serial.to_string())], &[]);
    Ok(session::to_page(&call.app.config, &to).into())
}

/// `POST /forms/{form_token}/entries/{serial_number}/booking`: sets the state of its booking.
pub fn set_booking(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let body = json!({"status": Posted::of(call).text("status")});
    let set = reservations::set(call.app, caller, token, serial, body, IfMatch::default());
    let (status, issues) = match set.and_then(|ticket| ticket.wait()) {
        Ok(view) => {
            let address = ListAddress::of(call, None);
            let to = format!("{}/forms/{token}/entries/{}", call.app.config.base_path(), view.entry.serial);
            return Ok(Answer::see_other(&address.leads_to_entry(call, &to, &[(SAVED, "1")])).into());
        }
        Err(Error::NoRoom(_)) => (StatusCode::CONFLICT, None),
        Err(Error::Invalid(issues)) => (StatusCode::UNPROCESSABLE_ENTITY, Some(issues)),
        Err(other) => return Err(other),
    };
    let frame = FormFrame::load(call, caller)?;
    let text = match issues {
        None => frame.say("entries-booking-full"),
        Some(issues) => frame.told(&issues),
    };
    let notice = message(Tone::Bad, &frame.say("entries-booking-refused"), &text);
    Ok(EntryPage::load(&frame)?.answer(status, &notice)?.into())
}

struct EntryPage<'a> {
    frame: &'a FormFrame<'a>,
    /// The list that it was opened from.
    address: ListAddress,
    view: EntryView,
}

impl<'a> EntryPage<'a> {
    fn load(frame: &'a FormFrame<'a>) -> Result<Self> {
        let call = frame.call;
        let serial = call.number("serial_number");
        let view = entries::show(call.app, frame.caller, call.param("form_token"), serial)?;
        Ok(Self { frame, address: ListAddress::of(call, None), view })
    }

    fn serial(&self) -> i64 {
        self.view.entry.serial
    }

    /// A page of this entry, or of its neighbour, that keeps the list.
    fn page_of(&self, serial: i64, page: &str) -> String {
        self.address.leads_to_entry(self.frame.call, &self.frame.address(&format!("entries/{serial}{page}")), &[])
    }

    /// The page; `notice` tells the last action.
    fn answer(&self, status: StatusCode, notice: &Markup) -> Result<Answer> {
        let frame = self.frame;
        let whole = WholeEntry::of(frame, &self.view.shape, &self.view.entry)?;
        let (beside, refused) = match self.neighbours() {
            Ok(beside) => (beside, Markup::default()),
            Err(Error::BadRequest(text)) => (Neighbours::default(), self.refused(&frame.texts.phrase(&text))),
            Err(Error::Invalid(issues)) => (Neighbours::default(), self.refused(&frame.told(&issues))),
            Err(other) => return Err(other),
        };
        let (before, after) =
            (beside.previous.map(|it| self.page_of(it, "")), beside.next.map(|it| self.page_of(it, "")));
        let (back_words, on_words) = (frame.say("entries-previous"), frame.say("entries-next"));
        let pager = Pager {
            previous: before.as_deref().map(|address| PageLink { address, label: &back_words }),
            next: after.as_deref().map(|address| PageLink { address, label: &on_words }),
            ..Pager::default()
        };
        let heading = whole.title();
        let list = self.address.leads(&frame.address("entries"), &[], &[]);
        let (blank_count, unanswered) = whole.unanswered();
        let blank_count = i64::try_from(blank_count).unwrap_or(i64::MAX);
        let answered = whole.answered();
        let back = frame.say("entries-back");
        let content = html! {
            (head_of_entry(frame, PageHead {
                back: (!is_framed(frame.call)).then_some(Back { address: &list, label: &back }),
                title: html! { (heading) },
                lead: whole.origin(),
                actions: html! { (pager) (self.actions()) },
                ..PageHead::default()
            }))
            (notice)
            (refused)
            (self.unwritable())
            (checkin::on_entry(frame, &self.view)?)
            (Section {
                content: html! {
                    (answered)
                    @if blank_count > 0 {
                        (Disclosure {
                            summary: &frame.texts.fill("entries-blank", &[("count", blank_count.into())]),
                            is_open: false,
                            content: unanswered,
                        })
                    }
                },
                ..Section::default()
            })
            (Section {
                id: "facts",
                title: html! { (frame.say("entries-facts")) },
                content: html! { (whole.facts()) (self.booking()) (self.to_copy(&whole.text())) },
                ..Section::default()
            })
            (keys::of_entry(frame))
        };
        let title = frame.title(&heading);
        let page = page_of_entry(frame, &title).script("copy.js").script("entry.js");
        Ok(page.answer(status, &content))
    }

    /// A warning that the entry's certificate has boxes in place of letters.
    fn unwritable(&self) -> Markup {
        let (frame, view) = (self.frame, &self.view);
        let letters = certificates::unwritable(frame.call.app, &frame.view.form, &view.shape, &view.entry);
        if letters.is_empty() {
            return Markup::default();
        }
        let named: Vec<String> = letters.iter().take(MOST_LETTERS).map(char::to_string).collect();
        let named = widgets::isolated(&named.join(" "));
        let text = frame.texts.fill("entries-certificate-boxes-text", &[("letters", named.into())]);
        message(Tone::Warn, &frame.say("entries-certificate-boxes"), &text)
    }

    fn neighbours(&self) -> Result<Neighbours> {
        let (filter, order) = (self.address.filter()?, self.address.order()?);
        let frame = self.frame;
        let token = frame.view.form.token.as_str();
        entry_lists::neighbours(frame.call.app, frame.caller, token, filter, order, &self.view.entry)?.wait()
    }

    /// A notice that the list of the neighbours can't be read.
    fn refused(&self, text: &str) -> Markup {
        let frame = self.frame;
        let all = Button {
            label: &frame.say("entries-show-all"),
            press: Press::Go(&frame.address("entries")),
            ..Button::default()
        };
        let title = frame.say("entries-no-neighbours");
        Notice { tone: Tone::Warn, title: &title, text, content: all.render() }.render()
    }

    fn actions(&self) -> Markup {
        let frame = self.frame;
        let may_change = frame.may_change_entries();
        let print = frame.address(&format!("entries/print?serials={}", self.serial()));
        // The list tells the last action, and has the link to undo it.
        let trash = self.address.leads(&frame.address(&format!("entries/{}/trash", self.serial())), &[], &[]);
        let (link, text, done) =
            (frame.say("entries-copy-link"), frame.say("entries-copy-text"), frame.say("copy-done"));
        let (print_words, trash_words) = (frame.say("entries-print"), frame.say("entries-to-trash"));
        let mut items = vec![
            MenuItem::Copy { of: "entry-link", label: &link, copied: &done },
            MenuItem::Copy { of: "entry-text", label: &text, copied: &done },
            MenuItem::Go { address: &print, label: &print_words },
        ];
        if may_change {
            items.push(MenuItem::Post { action: &trash, csrf: &frame.csrf, label: &trash_words });
        }
        html! {
            @if may_change {
                (Button {
                    label: &frame.say("entries-edit"),
                    press: Press::Go(&self.page_of(self.serial(), "/edit")),
                    weight: Weight::Main,
                    ..Button::default()
                })
            }
            (Menu { id: "entry-more", label: &frame.say("entries-more"), about: Markup::default(), items })
        }
    }

    /// The state of its booking, with the change of it.
    fn booking(&self) -> Markup {
        let frame = self.frame;
        let current = self.view.entry.results.reservation_status.filter(|_| frame.may_change_entries());
        let Some(current) = current else {
            return Markup::default();
        };
        let choices = reservations::STATUSES
            .iter()
            .map(|(name, status)| Choice::new(name, frame.say(&format!("system-status-{name}")), *status == current));
        let field = SelectField {
            id: "status",
            name: "status",
            label: &frame.say("entries-booking"),
            choices: choices.collect(),
            about: html! { (self.serial()) },
        };
        PostForm {
            action: &self.page_of(self.serial(), "/booking"),
            csrf: &frame.csrf,
            content: html! { (field) (Button::quiet(&frame.say("entries-booking-set"))) },
            is_row: true,
            ..PostForm::default()
        }
        .render()
    }

    /// The address and the answers as texts: scripts copy them, and without one they are selected here.
    fn to_copy(&self, text: &str) -> Markup {
        let frame = self.frame;
        let address =
            format!("{}/forms/{}/entries/{}", frame.call.app.config.base_url, frame.view.form.token, self.serial());
        Disclosure {
            summary: &frame.say("entries-copy"),
            is_open: false,
            content: html! {
                (address_to_copy("entry-link", &frame.say("entries-link"), &address))
                (text_to_copy("entry-text", &frame.say("entries-text"), text))
            },
        }
        .render()
    }
}
