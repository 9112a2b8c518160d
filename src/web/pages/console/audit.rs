//! `/audit`: the organization's audit log, for its owners.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::model::audit::{AuditEvent, Via};
use crate::model::caller::Caller;
use crate::ops::accounts::audit::{self, ListRequest};
use crate::web::pages::console::{self, moment};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::table::{Column, Narrow, PageLink, Pager, Table};
use crate::web::pages::ui::words::{joined, name};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::Reply;
use crate::web::request::session;

const PAGE: usize = 50;

/// `GET /audit`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let paged = PagedList::new(call, Some(caller));
    let mut page = paged.request()?;
    page.size = PAGE;
    let request = ListRequest { form_token: None, action: None, page };
    let events = audit::list(call.app, caller, request)?;
    let next = paged.next_cursor(&events);
    let title = texts.say("audit-title");
    let base = call.app.config.base_path();
    let older_words = texts.say("audit-more");
    let older = next.map(|next| format!("{base}/audit?cursor={next}"));
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/members"), label: &texts.say("members-title") }),
            title: html! { (title) },
            lead: html! { (texts.say("audit-text")) },
            ..PageHead::default()
        })
        (Section { content: table(caller, texts, &events.rows), ..Section::default() })
        (Pager {
            next: older.as_deref().map(|address| PageLink { address, label: &older_words }),
            ..Pager::default()
        })
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.answer(StatusCode::OK, &content).into())
}

fn table(caller: &Caller, texts: &Texts, events: &[AuditEvent]) -> Markup {
    let [what, who, when] = ["audit-what", "audit-who", "audit-when"].map(|id| texts.say(id));
    let column = |heading| Column { heading, ..Column::default() };
    let rows = events
        .iter()
        .map(|event| vec![action(texts, event), actor(texts, event), moment(&caller.user, event.created_at)]);
    Table {
        caption: &texts.say("audit-title"),
        columns: vec![column(&what), column(&who), column(&when)],
        rows: rows.collect(),
        narrow: Narrow::Stack,
    }
    .render()
}

/// The action and its subject.
fn action(texts: &Texts, event: &AuditEvent) -> Markup {
    let action = event.action.name().replace(['.', '_'], "-");
    html! {
        @let words = texts.say(&format!("audit-{action}"));
        (words)
        @if event.action.subject_kind() == "entry" { " " (event.subject) }
        @if let Some(subject) = &event.subject_name { (texts.colon(&words)) (name(subject)) }
        @if let Some(holder) = &event.holder { (texts.colon(&words)) (name(&holder.name)) }
        @if let Some(form) = &event.form_name { " · " (name(form)) }
    }
}

/// The user, and the way that the action came by.
fn actor(texts: &Texts, event: &AuditEvent) -> Markup {
    let via = match event.via {
        Via::Session => "audit-via-session",
        Via::Token => "audit-via-token",
        Via::App => "audit-via-app",
        Via::CommandLine => "audit-via-command-line",
        Via::Service => "audit-via-service",
    };
    let actor = event.actor.as_ref().map(|actor| {
        html! {
            (name(&actor.name))
            @if !actor.email.is_empty() { " (" (name(&actor.email)) ")" }
        }
    });
    joined(&[actor.unwrap_or_default(), html! { (texts.say(via)) }])
}
