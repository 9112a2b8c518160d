//! `/forms/{form_token}/history`: the versions of a form after each change.

mod compare;
pub mod version;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::form_version::{FormChange, FormVersion, Origin};
use crate::ops::forms::versions;
use crate::web::pages::console::build::publishing::change_line;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, moment};
use crate::web::pages::ui::build::publishing::{ChangeLine, Changes};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::{Column, Narrow, PageLink, Pager, Table};
use crate::web::pages::ui::words::{joined, muted, name};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::Reply;

const PAGE: usize = 25;
/// The changes of a version that its row tells.
const MOST_TOLD: usize = 5;

/// `GET /forms/{form_token}/history`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let paged = PagedList::new(call, Some(caller));
    let mut page = paged.request()?;
    page.size = PAGE;
    let found = versions::list(call.app, caller, call.param("form_token"), &page)?;
    let next = paged.next_cursor(&found);
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let title = texts.say("history-title");
    let older = next.map(|next| frame.address(&format!("history?cursor={next}")));
    let older_words = texts.say("history-older");
    let content = html! {
        (frame.head(FormPage::Build, false))
        (PageHead {
            back: Some(Back { address: &frame.address("build"), label: &texts.say("publish-back") }),
            title: html! { (title) },
            lead: html! { (texts.say("history-lead")) },
            ..PageHead::default()
        })
        @if found.rows.is_empty() {
            (EmptyState { text: &texts.say("history-none"), ..EmptyState::default() })
        } @else {
            (Section { content: table(&frame, &found.rows), ..Section::default() })
            (Pager {
                next: older.as_deref().map(|address| PageLink { address, label: &older_words }),
                ..Pager::default()
            })
        }
    };
    let page_title = frame.title(&title);
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title);
    Ok(page.answer(StatusCode::OK, &content).into())
}

fn table(frame: &FormFrame, versions: &[FormVersion]) -> Markup {
    let texts = frame.texts;
    let headings = ["history-version", "history-who", "history-when"].map(|id| texts.say(id));
    let rows = versions.iter().map(|version| {
        let address = frame.address(&format!("history/{}", version.number));
        let number = texts.fill("history-number", &[("number", version.number.into())]);
        vec![
            html! {
                a href=(address) { (number) }
                @if let Some(called) = &version.name { (muted(name(called))) }
                (changes(texts, version))
            },
            maker(texts, version),
            moment(&frame.caller.user, version.created_at),
        ]
    });
    Table {
        caption: &texts.say("history-title"),
        columns: headings.iter().map(|heading| Column { heading, ..Column::default() }).collect(),
        rows: rows.collect(),
        narrow: Narrow::Stack,
    }
    .render()
}

/// The changes of a version; a note for the first one.
fn changes(texts: &Texts, version: &FormVersion) -> Markup {
    if version.changes.is_empty() {
        return muted(texts.say("history-first"));
    }
    let mut lines = lines(texts, version.changes.iter().take(MOST_TOLD));
    let rest = version.changes.len().saturating_sub(MOST_TOLD);
    if rest > 0 {
        let text = html! { (texts.fill("history-more", &[("count", rest.into())])) };
        lines.push(ChangeLine { sign: "changed", text, details: String::new() });
    }
    Changes { lines }.render()
}

/// Changes in words, one a line.
fn lines<'c>(texts: &Texts, changes: impl Iterator<Item = &'c FormChange>) -> Vec<ChangeLine> {
    changes.map(|change| change_line(texts, change)).collect()
}

/// The user who made a version, and the way if it was not the form's pages.
fn maker(texts: &Texts, version: &FormVersion) -> Markup {
    let who = version.user.as_ref().map(|user| name(&user.name)).unwrap_or_default();
    let by_program = version.origin == Origin::Api && version.user.is_some();
    let way = html! { @if by_program { (texts.say("history-by-api")) } };
    joined(&[who, way])
}
