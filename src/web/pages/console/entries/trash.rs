//! `/forms/{form_token}/trash`: deleted entries, which can be restored for 30 days.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::entries::entry_lists::{self, FilterRequest, ListRequest};
use crate::ops::entries::shown_answers::EntryColumn;
use crate::ops::entries::trash;
use crate::web::pages::console;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::entries::value;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::texts_of;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::entries::selection::{Selection, tick};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Summary, SummaryLine, Tone, message};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::{Column, Holds, Narrow, PageLink, Pager, Table};
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// Questions that tell the entries apart.
const QUESTIONS: usize = 3;

/// `GET /forms/{form_token}/trash`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    Ok(view(&frame, StatusCode::OK, &Markup::default())?.into())
}

/// `POST /forms/{form_token}/trash/{serial_number}/restore`: leads to the entry.
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    let serial = call.number("serial_number");
    let restored = trash::restore(call.app, caller, token, serial, IfMatch::default())?.wait();
    let (status, text) = match restored {
        Ok(view) => {
            let to = format!("/forms/{token}/entries/{}", view.entry.serial);
            return Ok(session::to_page(&call.app.config, &to).into());
        }
        Err(Error::Invalid(issues)) => (StatusCode::UNPROCESSABLE_ENTITY, FormFrame::load(call, caller)?.told(&issues)),
        Err(Error::Conflict(_, text)) => (StatusCode::CONFLICT, texts_of(&caller.user).phrase(&text.into())),
        Err(other) => return Err(other),
    };
    let frame = FormFrame::load(call, caller)?;
    let notice = message(Tone::Bad, &frame.say("entries-not-restored"), &text);
    Ok(view(&frame, status, &notice)?.into())
}

/// `GET /forms/{form_token}/trash/{serial_number}/delete`
pub fn confirm_delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let serial = call.number("serial_number");
    let serial = trash::find(call.app, caller, call.param("form_token"), serial)?.serial;
    let confirmation = Confirmation {
        title: frame.texts.fill("entries-purge-title", &[("serial", serial.into())]),
        text: frame.say("entries-purge-text"),
        button: frame.say("entries-purge"),
        back: &format!("/forms/{}/trash", frame.view.form.token),
    };
    Ok(frame.ask(&confirmation).into())
}

/// `POST /forms/{form_token}/trash/{serial_number}/delete`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    trash::remove(call.app, caller, token, call.number("serial_number"), IfMatch::default())?.wait()?;
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/trash")).into())
}

/// The trash, with the entries that were not restored and why.
pub fn not_restored(call: &Call, caller: &Caller, status: StatusCode, refused: &[(i64, String)]) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let lines = refused.iter().map(|(serial, text)| SummaryLine {
        field: "",
        text: format!("{} – {text}", frame.texts.fill("entries-entry", &[("serial", (*serial).into())])),
    });
    let notice = Summary { title: &frame.say("entries-some-not-restored"), lines: lines.collect() }.render();
    view(&frame, status, &notice)
}

fn view(frame: &FormFrame, status: StatusCode, notice: &Markup) -> Result<Answer> {
    let (call, caller) = (frame.call, frame.caller);
    let list = PagedList::of_query(call, caller, &serde_json::json!({}))
        .page(Some(caller.user.preferences.rows), call.query("cursor"));
    let (order, descending) = entry_lists::order_by_name(None)?;
    let request =
        ListRequest { filter: FilterRequest::default(), order, descending, fields: None, page: list.request()? };
    let listed = entry_lists::in_trash(call.app, caller, call.param("form_token"), request, Issues::new())?.wait()?;
    let cursors = (list.previous_cursor(listed.previous.as_deref()), list.next_cursor(&listed.page));
    let address = |cursor: String| format!("{}?cursor={cursor}", frame.address("trash"));
    let (previous, next) = (cursors.0.map(address), cursors.1.map(address));
    let (back, on) = (frame.say("entries-page-before"), frame.say("entries-page-after"));
    let heading = frame.say("entries-trash");
    let count = frame.texts.fill("entries-count", &[("count", listed.page.total.into())]);
    let shape = &listed.shape;
    let cx = shape.cx(call.now);
    let all = EntryColumn::all(&shape.parsed);
    let questions = all.iter().filter(|column| matches!(column, EntryColumn::Question(_)));
    let chosen: Vec<EntryColumn> = questions.take(QUESTIONS).copied().collect();
    let rows = listed.page.rows.iter().map(|entry| {
        let cells = shape.cells(entry, &chosen, &cx)?;
        let values = chosen.iter().zip(&cells);
        let values = values
            .map(|(column, cell)| cell.as_ref().map(|cell| value::short(frame, column, cell, &cx)).unwrap_or_default());
        let label = frame.texts.fill("entries-choose", &[("serial", entry.serial.into())]);
        let number = html! { @if frame.may_change_entries() { (tick(entry.serial, &label)) } (entry.serial) };
        Ok(std::iter::once(number).chain(values).chain([actions(frame, entry.serial)]).collect())
    });
    let rows = rows.collect::<Result<Vec<Vec<Markup>>>>()?;
    let labels: Vec<String> = std::iter::once(frame.say("system-serial-number"))
        .chain(chosen.iter().map(|column| match column {
            EntryColumn::Question(field) => field.label.clone(),
            EntryColumn::System(field) => field.label(frame.texts),
        }))
        .chain([frame.say("forms-actions")])
        .collect();
    let last = labels.len() - 1;
    let columns = labels.iter().enumerate().map(|(at, heading)| Column {
        heading,
        holds: if at == last { Holds::Actions } else { Holds::Text },
        ..Column::default()
    });
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back { address: &frame.address("entries"), label: &frame.say("entries-back") }),
            title: html! { (heading) },
            lead: html! { (frame.say("entries-trash-text")) },
            ..PageHead::default()
        })
        (notice)
        (Section {
            id: "trash",
            title: html! { (count) },
            content: html! {
                @if rows.is_empty() {
                    (EmptyState { text: &frame.say("entries-trash-none"), ..EmptyState::default() })
                } @else {
                    (Table { caption: &heading, columns: columns.collect(), rows, narrow: Narrow::Stack })
                    @if frame.may_change_entries() { (selection(frame)) }
                }
                (Pager {
                    previous: previous.as_deref().map(|address| PageLink { address, label: &back }),
                    next: next.as_deref().map(|address| PageLink { address, label: &on }),
                    ..Pager::default()
                })
            },
            ..Section::default()
        })
    };
    let title = frame.title(&heading);
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &title).script("entries.js");
    Ok(page.answer(status, &content))
}

fn selection(frame: &FormFrame) -> Markup {
    let (restore, delete) = (frame.say("entries-restore"), frame.say("entries-purge"));
    Selection {
        action: &frame.address("trash/chosen"),
        csrf: &frame.csrf,
        label: &frame.say("entries-chosen"),
        count: &frame.say("entries-chosen-count"),
        all: &frame.say("entries-choose-all"),
        everything: None,
        acts: vec![("restore", &restore), ("delete", &delete)],
    }
    .render()
}

fn actions(frame: &FormFrame, serial: i64) -> Markup {
    if !frame.may_change_entries() {
        return Markup::default();
    }
    let about = html! { (serial) };
    let restore =
        Button { label: &frame.say("entries-restore"), is_small: true, about: about.clone(), ..Button::default() };
    let delete = Button {
        label: &frame.say("entries-purge"),
        press: Press::Go(&frame.address(&format!("trash/{serial}/delete"))),
        weight: Weight::Danger,
        is_small: true,
        about,
    };
    row(html! {
        (PostForm {
            action: &frame.address(&format!("trash/{serial}/restore")),
            csrf: &frame.csrf,
            content: restore.render(),
            ..PostForm::default()
        })
        (delete)
    })
}
