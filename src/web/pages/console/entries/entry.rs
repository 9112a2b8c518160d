//! `/forms/{form_token}/entries/{serial_number}`: one entry, with the way to its neighbours in the list.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::entries::entry_lists::{self, Neighbours};
use crate::ops::entries::shown_answers::EntryColumn;
use crate::ops::entries::{self, EntryView, trash};
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::{title_of, value};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::entries::answers::Answers;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::table::{PageLink, Pager};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /forms/{form_token}/entries/{serial_number}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let token = call.param("form_token");
    let view = entries::show(call.app, caller, token, call.number("serial_number"))?;
    let address = ListAddress::of(call, None);
    let beside = neighbours(&frame, &address, &view).unwrap_or_default();
    let list = frame.address("entries");
    let heading = frame.texts.fill("entries-entry", &[("serial", view.entry.serial.into())]);
    let entry_address = |serial: i64| address.leads(&format!("{list}/{serial}"), &[], &[]);
    let (before, after) = (beside.previous.map(entry_address), beside.next.map(entry_address));
    let (back_words, on_words) = (frame.say("entries-previous"), frame.say("entries-next"));
    let pager = Pager {
        previous: before.as_deref().map(|address| PageLink { address, label: &back_words }),
        next: after.as_deref().map(|address| PageLink { address, label: &on_words }),
    };
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back { address: &address.leads(&list, &[], &[]), label: &frame.say("entries-back") }),
            title: html! { (heading) },
            actions: html! { (pager) (actions(&frame, &view)) },
            ..PageHead::default()
        })
        (answers(&frame, &view)?)
    };
    let title = title_of(&frame, &heading);
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &title);
    Ok(page.answer(StatusCode::OK, &content).into())
}

/// `POST /forms/{form_token}/entries/{serial_number}/trash`
pub fn put_in_trash(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    let serial = trash::put(call.app, caller, token, call.number("serial_number"), IfMatch::default())?.wait()?;
    let to = format!("/forms/{token}/entries?trashed={serial}");
    Ok(session::to_page(&call.app.config, &to).into())
}

fn neighbours(frame: &FormFrame, address: &ListAddress, view: &EntryView) -> Result<Neighbours> {
    let (filter, order) = (address.filter()?, address.order()?);
    let token = frame.view.form.token.as_str();
    entry_lists::neighbours(frame.call.app, frame.caller, token, filter, order, &view.entry)?.wait()
}

fn actions(frame: &FormFrame, view: &EntryView) -> Markup {
    if !frame.may_change_entries() {
        return Markup::default();
    }
    let trash = frame.say("entries-to-trash");
    let button = Button { label: &trash, press: Press::Submit, weight: Weight::Danger, ..Button::default() };
    PostForm {
        action: &frame.address(&format!("entries/{}/trash", view.entry.serial)),
        csrf: &frame.csrf,
        content: button.render(),
        is_row: true,
        ..PostForm::default()
    }
    .render()
}

/// The questions with their answers, then what the form knows of the entry.
fn answers(frame: &FormFrame, view: &EntryView) -> Result<Markup> {
    let shape = &view.shape;
    let cx = shape.cx(frame.call.now);
    let all = EntryColumn::all(&shape.parsed);
    let cells = shape.cells(&view.entry, &all, &cx)?;
    let drawn = all.iter().zip(&cells).map(|(column, cell)| {
        let value = cell.as_ref().map(|cell| value::whole(frame, column, cell, &cx)).unwrap_or_default();
        (column, value)
    });
    let (questions, facts): (Vec<_>, Vec<_>) =
        drawn.partition(|(column, _)| matches!(column, EntryColumn::Question(_)));
    let label = |column: &EntryColumn| match column {
        EntryColumn::Question(field) => html! {
            bdi lang=[frame.owners_lang()] {
                @if field.label.is_empty() { (frame.say("form-unnamed")) } @else { (field.label) }
            }
        },
        EntryColumn::System(field) => html! { (field.label(frame.texts)) },
    };
    let list = |lines: Vec<(&EntryColumn, Markup)>| Answers {
        lines: lines.into_iter().map(|(column, value)| (label(column), value)).collect(),
        blank: frame.say("receipt-blank"),
    };
    let facts = facts.into_iter().filter(|(_, value)| !value.0.is_empty()).collect();
    Ok(html! {
        (Section { content: list(questions).render(), ..Section::default() })
        (Section {
            id: "facts",
            title: html! { (frame.say("entries-facts")) },
            content: list(facts).render(),
            ..Section::default()
        })
    })
}
