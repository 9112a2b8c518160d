//! Deliveries of a webhook: a table that a script keeps up to date, and the page of one delivery.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::event::EventKind;
use crate::model::outbox::{DeliveryFault, DeliveryStatus};
use crate::model::webhook::{Webhook, WebhookDelivery};
use crate::ops::delivery::webhooks;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::{moment, moment_text};
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::{Column, Holds, Narrow, PageLink, Pager, Table};
use crate::web::pages::ui::views::tabs::{ViewTab, ViewTabs};
use crate::web::pages::ui::webhooks::delivery::{Again, DeliveryRow, DeliveryWords, LiveDeliveries};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::{Answer, Reply};

const PAGE: i64 = 25;
/// The parameter that narrows the list to a state.
pub const STATUS: &str = "status";
/// Stands where there is nothing to say.
const NONE: &str = "–";

/// The state that the address asks for; none for all of them.
///
/// # Errors
/// 400 for a state that deliveries don't have.
pub fn status_of(call: &Call) -> Result<Option<DeliveryStatus>> {
    let Some(name) = call.query(STATUS).filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let known = DeliveryStatus::by_name(&name).ok_or_else(|| {
        let names = DeliveryStatus::ALL.map(DeliveryStatus::name).join(", ");
        Error::BadRequest(format!("{STATUS} must be one of {names}").into())
    })?;
    Ok(Some(known))
}

/// The section of a webhook's page.
///
/// # Errors
/// 400 for an unknown state or a cursor of another list, 403, 404.
pub fn section(frame: &FormFrame, webhook: &Webhook) -> Result<Markup> {
    let (call, texts) = (frame.call, frame.texts);
    let status = status_of(call)?;
    let name = status.map_or("", DeliveryStatus::name);
    let cursor = call.query("cursor").filter(|cursor| !cursor.is_empty());
    let is_first = cursor.is_none();
    let paged = PagedList::of_query(call, frame.caller, &json!({STATUS: name})).page(Some(PAGE), cursor);
    let form = frame.view.form.token.as_str();
    let page = webhooks::deliveries(call.app, frame.caller, form, webhook.token.as_str(), status, &paged.request()?)?;
    let own = frame.address(&format!("webhooks/{}", webhook.token));
    let of_status = |more: &str| match (name, more) {
        ("", "") => own.clone(),
        ("", more) => format!("{own}?{more}"),
        (name, "") => format!("{own}?{STATUS}={name}"),
        (name, more) => format!("{own}?{STATUS}={name}&{more}"),
    };
    let first = of_status("");
    let next = paged.next_cursor(&page).map(|next| of_status(&format!("cursor={next}")));
    let shown: Vec<&str> = page.rows.iter().map(|delivery| delivery.token.as_str()).collect();
    let live =
        format!("{own}/state?{STATUS}={name}&first={}&shown={}", if is_first { "1" } else { "" }, shown.join(","));
    let [latest, older] = ["webhook-deliveries-latest", "webhook-deliveries-older"].map(|id| texts.say(id));
    let none = if status.is_some() { "webhook-deliveries-none-found" } else { "webhook-deliveries-none" };
    let content = html! {
        (tabs(texts, &own, status))
        (LiveDeliveries { state: &live, list: &first, show: &texts.say("entries-show-new") })
        @if page.rows.is_empty() {
            (EmptyState { text: &texts.say(none), ..EmptyState::default() })
        } @else {
            (table(frame, webhook, &page.rows, name))
        }
        (Pager {
            previous: (!is_first).then_some(PageLink { address: &first, label: &latest }),
            next: next.as_deref().map(|address| PageLink { address, label: &older }),
            ..Pager::default()
        })
    };
    Ok(Section {
        id: "deliveries",
        title: html! { (texts.say("webhook-deliveries")) },
        text: &texts.say("webhook-deliveries-text"),
        content,
    }
    .render())
}

fn tabs(texts: &Texts, own: &str, status: Option<DeliveryStatus>) -> Markup {
    let all = ViewTab {
        address: format!("{own}#deliveries"),
        label: html! { (texts.say("webhook-state-all")) },
        note: "",
        is_here: status.is_none(),
    };
    let of_state = DeliveryStatus::ALL.into_iter().map(|one| ViewTab {
        address: format!("{own}?{STATUS}={}#deliveries", one.name()),
        label: html! { (state_words(texts, one)) },
        note: "",
        is_here: status == Some(one),
    });
    ViewTabs {
        label: &texts.say("webhook-state"),
        tabs: std::iter::once(all).chain(of_state).collect(),
        end: Markup::default(),
    }
    .render()
}

fn table(frame: &FormFrame, webhook: &Webhook, rows: &[WebhookDelivery], status: &str) -> Markup {
    let texts = frame.texts;
    let headings = [
        "webhook-when",
        "webhook-event",
        "webhook-state",
        "webhook-attempts",
        "webhook-answer",
        "webhook-next",
        "webhook-again",
    ]
    .map(|id| texts.say(id));
    let last = headings.len() - 1;
    // A webhook that is off sends nothing again.
    let shown = if webhook.content.enabled { headings.len() } else { last };
    let columns = headings.iter().take(shown).enumerate().map(|(at, heading)| Column {
        heading,
        holds: if at == last { Holds::Actions } else { Holds::Text },
        ..Column::default()
    });
    let label = texts.say("webhook-again");
    let rows = rows.iter().map(|delivery| {
        let path = format!("webhooks/{}/deliveries/{}/again?{STATUS}={status}", webhook.token, delivery.token);
        DeliveryRow {
            id: &delivery.token,
            when: moment(&frame.caller.user, delivery.created_at),
            event: event_words(texts, delivery.event),
            words: words(frame, delivery),
            again: webhook.content.enabled.then(|| Again {
                action: frame.address(&path),
                csrf: &frame.csrf,
                label: &label,
                about: html! { (moment_text(&frame.caller.user, delivery.created_at)) },
                is_waiting: delivery.status == DeliveryStatus::Pending,
            }),
        }
        .cells()
    });
    Table {
        caption: &texts.say("webhook-deliveries"),
        columns: columns.collect(),
        rows: rows.collect(),
        narrow: Narrow::Stack,
    }
    .render()
}

/// `GET /forms/{form_token}/webhooks/{webhook_id}/state`: how the deliveries named in `shown` are now, and that others
/// came, for the script of the page.
pub fn state(call: &Call, caller: &Caller) -> Result<Reply> {
    let shown = call.query("shown").unwrap_or_default();
    let most = usize::try_from(PAGE).unwrap_or_default();
    let shown: Vec<&str> = shown.split(',').filter(|token| !token.is_empty()).take(most).collect();
    let (form, webhook) = (call.param("form_token"), call.param("webhook_id"));
    let progress = webhooks::progress(call.app, caller, form, webhook, status_of(call)?, &shown)?;
    let frame = FormFrame::load(call, caller)?;
    let is_first = call.query("first").as_deref() == Some("1");
    let news = match progress.newer {
        count if is_first && count > 0 => frame.texts.fill("webhook-deliveries-new", &[("count", count.into())]),
        _ => String::new(),
    };
    let deliveries: Vec<Json> = progress
        .shown
        .iter()
        .map(|delivery| {
            let words = words(&frame, delivery);
            json!({
                "id": delivery.token,
                "tone": words.tone.class().unwrap_or_default(),
                "is_waiting": delivery.status == DeliveryStatus::Pending,
                "cells": {
                    "state": words.state,
                    "fault": words.fault,
                    "attempts": words.attempts,
                    "answer": words.answer,
                    "next": words.next,
                },
            })
        })
        .collect();
    let body = json!({"data": {"words": news, "deliveries": deliveries}});
    Ok(Answer::json_text(StatusCode::OK, body.to_string()).into())
}

/// A delivery in words.
pub fn words(frame: &FormFrame, delivery: &WebhookDelivery) -> DeliveryWords {
    let texts = frame.texts;
    let answer = match (delivery.response_status, delivery.response_ms) {
        (Some(status), Some(ms)) => {
            let args = [("status", status.to_string().into()), ("ms", ms.to_string().into())];
            texts.fill("webhook-answered", &args)
        }
        _ => NONE.to_owned(),
    };
    DeliveryWords {
        tone: match (delivery.status, delivery.attempts) {
            (DeliveryStatus::Delivered, _) => Tone::Good,
            (DeliveryStatus::Failed, _) => Tone::Bad,
            (DeliveryStatus::Pending, 0) => Tone::Note,
            (DeliveryStatus::Pending, _) => Tone::Warn,
        },
        state: state_words(texts, delivery.status),
        fault: delivery.error.map(|fault| fault_words(texts, fault)).unwrap_or_default(),
        attempts: delivery.attempts.to_string(),
        answer,
        next: delivery.next_attempt_at.map_or_else(|| NONE.to_owned(), |at| moment_text(&frame.caller.user, at)),
    }
}

/// The outcome of the latest delivery of a webhook, in a few words.
pub fn last_words(frame: &FormFrame, last: Option<&WebhookDelivery>) -> String {
    let texts = frame.texts;
    let Some(last) = last else {
        return texts.say("webhook-last-none");
    };
    let user = &frame.caller.user;
    match (last.status, last.next_attempt_at) {
        (DeliveryStatus::Delivered, _) => {
            texts.fill("webhook-last-delivered", &[("when", moment_text(user, last.created_at).into())])
        }
        (DeliveryStatus::Pending, Some(next)) if last.attempts > 0 => {
            let args = [("count", last.attempts.into()), ("when", moment_text(user, next).into())];
            texts.fill("webhook-last-tries", &args)
        }
        (DeliveryStatus::Pending, _) => texts.say("webhook-last-waiting"),
        (DeliveryStatus::Failed, _) => {
            let fault = last.error.map(|fault| fault_words(texts, fault)).unwrap_or_default();
            texts.fill("webhook-last-failed", &[("fault", fault.into())])
        }
    }
}

pub fn state_words(texts: &Texts, status: DeliveryStatus) -> String {
    texts.say(match status {
        DeliveryStatus::Pending => "webhook-state-pending",
        DeliveryStatus::Delivered => "webhook-state-delivered",
        DeliveryStatus::Failed => "webhook-state-failed",
    })
}

pub fn event_words(texts: &Texts, kind: EventKind) -> String {
    texts.say(match kind {
        EventKind::EntryCreated => "webhook-event-created",
        EventKind::EntryUpdated => "webhook-event-updated",
        EventKind::EntryDeleted => "webhook-event-deleted",
        EventKind::EntryRestored => "webhook-event-restored",
        EventKind::Ping => "webhook-event-ping",
    })
}

/// Why an attempt failed; in the words of the API where it concerns mail.
pub fn fault_words(texts: &Texts, fault: DeliveryFault) -> String {
    let id = match fault {
        DeliveryFault::Restored => "webhook-error-restored",
        DeliveryFault::Unreadable => "webhook-error-unreadable",
        DeliveryFault::WebhookDisabled => "webhook-error-off",
        DeliveryFault::NotPublic => "webhook-error-not-public",
        DeliveryFault::Unresolved => "webhook-error-unresolved",
        DeliveryFault::ReceiverUnreachable => "webhook-error-unreachable",
        DeliveryFault::ReceiverUntrusted => "webhook-error-untrusted",
        DeliveryFault::ReceiverTimedOut => "webhook-error-slow",
        DeliveryFault::ReceiverBroken => "webhook-error-broken",
        DeliveryFault::NotHttp => "webhook-error-not-http",
        DeliveryFault::Redirected => "webhook-error-redirected",
        DeliveryFault::Gone => "webhook-error-gone",
        DeliveryFault::NotAccepted => "webhook-error-refused",
        other => return other.name().to_owned(),
    };
    texts.say(id)
}
