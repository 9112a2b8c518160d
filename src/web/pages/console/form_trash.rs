//! Forms that go to the trash and come back, and copies of forms: the acts of a row in the list of forms, and
//! `/forms/trash`.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::forms;
use crate::ops::forms::access;
use crate::ops::forms::form_lists::{self, FormListItem, ListRequest};
use crate::ops::forms::form_view;
use crate::web::pages::console::widgets::isolated;
use crate::web::pages::console::{self, moment};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Notice, Tone};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::{Column, Holds, Narrow, PageLink, Pager, Table};
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::Reply;
use crate::web::request::session;

const PAGE: usize = 50;

/// `POST /forms/{form_token}/delete`: leads to the list, which offers the way back.
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    forms::trash(call.app, caller, token, IfMatch::default())?;
    Ok(session::to_page(&call.app.config, &format!("/forms?deleted={token}")).into())
}

/// `POST /forms/{form_token}/restore`: leads to the form.
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    forms::restore(call.app, caller, token)?;
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}")).into())
}

/// `POST /forms/{form_token}/copy`: leads to the questions of the copy, which is not published.
pub fn copy(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    let body = json!({"name": name_of_copy(call, caller, token)?});
    let made = forms::copy_unpublished(call.app, caller, token, body, Issues::new())?;
    Ok(session::to_page(&call.app.config, &format!("/forms/{}/build", made.form.token)).into())
}

/// The name of a copy in the user's language, no longer than names may be.
///
/// # Errors
/// 404.
pub fn name_of_copy(call: &Call, caller: &Caller, token: &str) -> Result<String> {
    let name = forms::show(call.app, caller, token)?.form.name;
    let words = |name: &str| console::texts_of(&caller.user).fill("forms-copy-name", &[("name", name.into())]);
    let room = forms::MAX_NAME - words("").chars().count();
    Ok(words(&name.chars().take(room).collect::<String>()))
}

/// Says which form went to the trash before this page, with the way back.
pub fn deleted_notice(call: &Call, caller: &Caller, csrf: &str) -> Result<Markup> {
    let Some(token) = call.query("deleted") else {
        return Ok(Markup::default());
    };
    let form = match form_view::trashed(call.app, caller, &token) {
        Ok(form) => form,
        // Restored since, or another's.
        Err(Error::NotFound(_) | Error::Forbidden) => return Ok(Markup::default()),
        Err(other) => return Err(other),
    };
    let texts = console::texts_of(&caller.user);
    let title = texts.fill("forms-deleted", &[("name", isolated(&form.name).into())]);
    let undo = Button::quiet(&texts.say("entries-undo")).render();
    let action = format!("{}/forms/{token}/restore", call.app.config.base_path());
    Ok(Notice {
        tone: Tone::Good,
        title: &title,
        text: "",
        content: PostForm { action: &action, csrf, content: undo, ..PostForm::default() }.render(),
    }
    .render())
}

/// `GET /forms/trash`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let (texts, csrf) = (console::texts_of(&caller.user), session::csrf(call));
    let base = call.app.config.base_path();
    let paged = PagedList::new(call, Some(caller));
    let mut page = paged.request()?;
    page.size = PAGE;
    let sort = form_lists::sort_by_name(Some("updated_at"))?;
    let request = ListRequest { name: None, folder: None, sort, is_trashed: true, page };
    let found = form_lists::list(call.app, caller, request)?;
    let next = paged.next_cursor(&found).map(|cursor| format!("{base}/forms/trash?cursor={cursor}"));
    let more = texts.say("forms-more");
    let heading = texts.say("forms-trash");
    let count = texts.fill("forms-count", &[("count", found.total.into())]);
    let headings =
        ["forms-name", "forms-entries", "forms-deleted-at", "forms-time-left", "forms-actions"].map(|id| texts.say(id));
    let holds = [Holds::Text, Holds::Numbers, Holds::Text, Holds::Text, Holds::Actions];
    let columns = headings.iter().zip(holds).map(|(heading, holds)| Column { heading, holds, ..Column::default() });
    let left = |at: Time| {
        let days = access::days_left(call.now, at);
        html! { (texts.fill("form-days", &[("count", days.into())])) }
    };
    let row = |item: &FormListItem| {
        let form = &item.form;
        let restore = Button {
            label: &texts.say("entries-restore"),
            is_small: true,
            about: name(&form.name),
            ..Button::default()
        };
        let action = format!("{base}/forms/{}/restore", form.token);
        vec![
            name(&form.name),
            html! { (form.entries_count) },
            form.deleted_at.map(|at| moment(&caller.user, at)).unwrap_or_default(),
            form.deleted_at.map(left).unwrap_or_default(),
            PostForm { action: &action, csrf: &csrf, content: restore.render(), ..PostForm::default() }.render(),
        ]
    };
    let table = Table {
        caption: &heading,
        columns: columns.collect(),
        rows: found.rows.iter().map(row).collect(),
        narrow: Narrow::Stack,
    };
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/forms"), label: &texts.say("forms-back") }),
            title: html! { (heading) },
            lead: html! { (texts.say("forms-trash-text")) },
            ..PageHead::default()
        })
        (Section {
            id: "trash",
            title: html! { (count) },
            content: html! {
                @if found.rows.is_empty() {
                    (EmptyState { text: &texts.say("entries-trash-none"), ..EmptyState::default() })
                } @else {
                    (table)
                }
                (Pager { next: next.as_deref().map(|address| PageLink { address, label: &more }), ..Pager::default() })
            },
            ..Section::default()
        })
    };
    let page = console::page(call, &caller.user, &csrf, texts, &heading);
    Ok(page.answer(StatusCode::OK, &content).into())
}
