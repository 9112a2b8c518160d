//! `/forms/{form_token}/webhooks`: the programs that receive a form's events, for its managers.

pub mod acts;
mod controls;
pub mod deliveries;
pub mod webhook;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::model::caller::Caller;
use crate::model::webhook::{MOST_WEBHOOKS, Webhook, WebhookDelivery};
use crate::ops::delivery::{webhook_example, webhooks};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::webhooks::controls::{Controls, Typed};
use crate::web::pages::console::{self, Posted, widgets};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{Disclosure, EmptyState, Section};
use crate::web::pages::ui::words::{code_block, muted, name};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// `GET /forms/{form_token}/webhooks`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, &Typed::fresh(), &[])?.into())
}

/// `POST /forms/{form_token}/webhooks`: redirects to the page that shows the secret once.
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = call.param("form_token");
    let typed = Typed::of(&Posted::of(call));
    match webhooks::create(call.app, caller, form, typed.body()) {
        Ok(made) => Ok(acts::to_secret(call, made).into()),
        Err(Error::Invalid(faults)) => {
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &typed, &faults)?.into())
        }
        Err(other) => Err(other),
    }
}

/// The path of a form's webhooks, below the base address.
fn path(form: &str) -> String {
    format!("/forms/{form}/webhooks")
}

fn view(call: &Call, caller: &Caller, status: StatusCode, typed: &Typed, faults: &[Issue]) -> Result<Answer> {
    let form = call.param("form_token");
    let all = webhooks::overview(call.app, caller, form)?;
    let example = webhook_example::body(call.app, caller, form)?;
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let title = texts.say("webhooks");
    let deleted = call.query("deleted").is_some() && faults.is_empty();
    let rows = all.iter().map(|(webhook, last)| row(&frame, webhook, last.as_ref()));
    let content = html! {
        (frame.head(FormPage::Settings, false))
        (PageHead {
            back: Some(Back {
                address: &frame.address("settings#integrations"),
                label: &texts.say("settings-title"),
            }),
            title: html! { (title) },
            lead: html! { (texts.say("webhooks-lead")) },
            ..PageHead::default()
        })
        @if deleted { (message(Tone::Good, &texts.say("webhook-deleted"), "")) }
        (controls::summary(texts, typed, faults))
        @if !all.is_empty() {
            (Section {
                id: "all",
                title: html! { (texts.say("webhooks-all")) },
                content: list(rows),
                ..Section::default()
            })
        }
        (new(&frame, all.len(), typed, faults))
        (Section {
            id: "example",
            title: html! { (texts.say("webhook-example")) },
            text: &texts.say("webhook-example-text"),
            content: code_block(&example),
        })
    };
    let page_title = widgets::page_title(texts, &frame.title(&title), !faults.is_empty());
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title);
    Ok(page.answer(status, &content))
}

fn row(frame: &FormFrame, webhook: &Webhook, last: Option<&WebhookDelivery>) -> Row {
    let texts = frame.texts;
    let address = frame.address(&format!("webhooks/{}", webhook.token));
    let kinds = webhook.content.trigger_events.iter().map(|kind| deliveries::event_words(texts, *kind));
    Row {
        title: html! { a href=(address) { (name(&webhook.content.url)) } },
        chips: state_chip(frame, webhook),
        facts: vec![html! { (kinds.collect::<Vec<_>>().join(", ")) }, html! { (deliveries::last_words(frame, last)) }],
        ..Row::default()
    }
}

/// Whether a webhook is on.
fn state_chip(frame: &FormFrame, webhook: &Webhook) -> Markup {
    let (tone, words) = if webhook.content.enabled { (Tone::Good, "webhook-on") } else { (Tone::Note, "webhook-off") };
    Chip { tone, text: &frame.say(words) }.render()
}

/// The form of another webhook, as long as there may be one.
fn new(frame: &FormFrame, count: usize, typed: &Typed, faults: &[Issue]) -> Markup {
    let texts = frame.texts;
    if count >= MOST_WEBHOOKS {
        let most = texts.fill("webhooks-most", &[("count", MOST_WEBHOOKS.into())]);
        return muted(most);
    }
    let controls = Controls { texts, typed, faults, news: &[] };
    let fields = html! {
        (controls)
        (Button::main(&texts.say("webhook-add")))
    };
    let action = frame.address("webhooks");
    let form = PostForm { action: &action, csrf: &frame.csrf, content: fields, ..PostForm::default() }.render();
    if count == 0 {
        let content = html! {
            (EmptyState { text: &texts.say("webhooks-none"), ..EmptyState::default() })
            (form)
        };
        return Section { id: "new", title: html! { (texts.say("webhook-new")) }, content, ..Section::default() }
            .render();
    }
    let is_open = !faults.is_empty();
    Disclosure { summary: &texts.say("webhook-new"), is_open, content: form }.render()
}
