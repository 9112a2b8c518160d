//! `/audit`: the organization's audit log, for its owners.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::model::audit::{AuditEvent, Via};
use crate::model::caller::Caller;
use crate::ops::accounts::audit::{self, ListRequest};
use crate::web::pages::console::{self, moment};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::Reply;
use crate::web::request::session;

const PAGE: usize = 50;

/// `GET /audit`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let list = PagedList::new(call, Some(caller));
    let mut page = list.request()?;
    page.size = PAGE;
    let request = ListRequest { form_token: None, action: None, page };
    let events = audit::list(call.app, caller, request)?;
    let next = list.next_cursor(&events);
    let title = texts.say("audit-title");
    let base = call.app.config.base_path();
    let content = html! {
        div.wide.stack {
            p { a href={ (base) "/members" } { (texts.say("members-title")) } }
            h1 { (title) }
            p.muted { (texts.say("audit-text")) }
            section.card {
                ul.rows role="list" {
                    @for event in &events.rows { (row(caller, texts, event)) }
                }
            }
            @if let Some(next) = next {
                p { a.button.quiet href={ (base) "/audit?cursor=" (next) } { (texts.say("audit-more")) } }
            }
        }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.answer(StatusCode::OK, &content).into())
}

fn row(caller: &Caller, texts: &Texts, event: &AuditEvent) -> Markup {
    let action = event.action.name().replace(['.', '_'], "-");
    let via = match event.via {
        Via::Session => "audit-via-session",
        Via::Token => "audit-via-token",
        Via::App => "audit-via-app",
        Via::CommandLine => "audit-via-command-line",
        Via::Service => "audit-via-service",
    };
    html! {
        li {
            div.stack {
                p {
                    strong { (texts.say(&format!("audit-{action}"))) }
                    @if event.action.subject_kind() == "entry" { " " (event.subject) }
                    @if let Some(name) = &event.subject_name { ": " bdi { (name) } }
                    @if let Some(holder) = &event.holder { ": " bdi { (holder.name) } }
                    @if let Some(name) = &event.form_name { " · " bdi { (name) } }
                }
                p.small.muted {
                    @match &event.actor {
                        Some(actor) => {
                            bdi { (actor.name) }
                            @if !actor.email.is_empty() { " (" bdi { (actor.email) } ")" }
                            " · " (texts.say(via))
                        }
                        None => (texts.say(via)),
                    }
                    " · " (moment(&caller.user, event.created_at))
                }
            }
        }
    }
}
