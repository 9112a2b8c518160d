//! Actions on a webhook: its secret is shown once or replaced, a test is sent, a delivery is sent again, it is deleted.

use maud::html;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::accounts::shown_once::SecretKind;
use crate::ops::delivery::deliver_now;
use crate::ops::delivery::webhooks::{self, NewSecret};
use crate::web::pages::console;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::webhooks::deliveries::{STATUS, status_of};
use crate::web::pages::console::webhooks::path;
use crate::web::pages::console::webhooks::webhook::{self, Outcome};
use crate::web::pages::console::widgets::{copyable, isolated, shown_already};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::head::PageHead;
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{lead, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The page of the webhook in the address, below the base address.
fn own_path(call: &Call) -> String {
    format!("{}/{}", path(call.param("form_token")), call.param("webhook_id"))
}

/// Keeps a new secret for the session, and redirects to the page that shows it once.
pub fn to_secret(call: &Call, new: NewSecret) -> Answer {
    let session = session::cookie_value(call).unwrap_or_default();
    let kind = SecretKind::Webhook(new.webhook.id);
    call.app.accounts.shown_once.keep(session, kind, new.secret, call.now);
    let own = format!("{}/{}/secret", path(call.param("form_token")), new.webhook.token);
    session::to_page(&call.app.config, &own)
}

/// `GET /forms/{form_token}/webhooks/{webhook_id}/secret`: shows the new secret, once.
pub fn show_secret(call: &Call, caller: &Caller) -> Result<Reply> {
    let webhook = webhooks::show(call.app, caller, call.param("form_token"), call.param("webhook_id"))?;
    let session = session::cookie_value(call).unwrap_or_default();
    let secret = call.app.accounts.shown_once.take(session, SecretKind::Webhook(webhook.id), call.now);
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let title = texts.say("webhook-secret");
    let own = frame.address(&format!("webhooks/{}", webhook.token));
    let content = html! {
        (frame.head(FormPage::Settings, false))
        (PageHead {
            title: html! { (title) },
            lead: html! { (webhook::title(texts, &webhook)) },
            ..PageHead::default()
        })
        @match &secret {
            Some(secret) => (Section {
                content: html! {
                    (lead(texts.say("profile-token-once")))
                    (copyable(texts, "secret", secret.reveal(), &texts.say("copy-secret")))
                    p { (texts.say("webhook-secret-text")) }
                    (row(Button {
                        label: &texts.say("webhook-secret-next"),
                        press: Press::Go(&own),
                        weight: Weight::Main,
                        ..Button::default()
                    }))
                },
                ..Section::default()
            }),
            None => {
                (shown_already(texts, "once-gone-secret"))
                (row(Button { label: &texts.say("webhook-secret-next"), press: Press::Go(&own), ..Button::default() }))
            }
        }
    };
    let page_title = frame.title(&title);
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}

/// `GET /forms/{form_token}/webhooks/{webhook_id}/rotate`
pub fn confirm_rotate(call: &Call, caller: &Caller) -> Result<Reply> {
    confirm(call, caller, ["webhook-rotate-title", "webhook-rotate-text", "webhook-rotate"])
}

/// `POST /forms/{form_token}/webhooks/{webhook_id}/rotate`: redirects to the page that shows the new secret once.
pub fn rotate(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, id) = (call.param("form_token"), call.param("webhook_id"));
    let new = webhooks::rotate_secret(call.app, caller, form, id, IfMatch::Absent)?;
    Ok(to_secret(call, new).into())
}

/// `GET /forms/{form_token}/webhooks/{webhook_id}/delete`
pub fn confirm_delete(call: &Call, caller: &Caller) -> Result<Reply> {
    confirm(call, caller, ["webhook-delete-title", "webhook-delete-text", "webhook-delete"])
}

/// `POST /forms/{form_token}/webhooks/{webhook_id}/delete`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, id) = (call.param("form_token"), call.param("webhook_id"));
    webhooks::delete(call.app, caller, form, id, IfMatch::Absent)?;
    Ok(session::to_page(&call.app.config, &format!("{}?deleted=1", path(form))).into())
}

/// Asks before an act, with the ids of title, text and button.
fn confirm(call: &Call, caller: &Caller, words: [&str; 3]) -> Result<Reply> {
    let webhook = webhooks::show(call.app, caller, call.param("form_token"), call.param("webhook_id"))?;
    let texts = console::texts_of(&caller.user);
    let [title, text, button] = words;
    let confirmation = Confirmation {
        title: texts.fill(title, &[("url", isolated(&webhook.content.url).into())]),
        text: texts.say(text),
        button: texts.say(button),
        back: &own_path(call),
    };
    Ok(FormFrame::load(call, caller)?.ask(&confirmation).into())
}

/// `POST /forms/{form_token}/webhooks/{webhook_id}/test`: redirects to the webhook, which shows the outcome.
pub fn test(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, id) = (call.param("form_token"), call.param("webhook_id"));
    let sent = match deliver_now::test(call.app, caller, form, id) {
        Ok(sent) => sent,
        Err(Error::TooMany(secs)) => {
            let texts = console::texts_of(&caller.user);
            let wait = texts.fill("webhook-test-wait-text", &[("secs", secs.into())]);
            let notice = Some((Tone::Warn, texts.say("webhook-test-wait"), wait));
            let outcome = Outcome { notice, ..Outcome::default() };
            return Ok(webhook::view(call, caller, StatusCode::TOO_MANY_REQUESTS, &outcome)?.into());
        }
        Err(other) => return Err(other),
    };
    let own = format!("{}{}", call.app.config.base_path(), own_path(call));
    Ok(Reply::Later(Box::pin(async move {
        let delivery = sent.await?;
        Ok(Answer::see_other(&format!("{own}?tested={}", delivery.token)))
    })))
}

/// `POST /forms/{form_token}/webhooks/{webhook_id}/deliveries/{delivery_id}/again`
pub fn send_again(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, id) = (call.param("form_token"), call.param("webhook_id"));
    let status = status_of(call)?.map(|status| format!("&{STATUS}={}", status.name())).unwrap_or_default();
    match deliver_now::redeliver(call.app, caller, form, id, call.param("delivery_id")) {
        Ok(_) => {
            let own = format!("{}?again=1{status}", own_path(call));
            Ok(session::to_page(&call.app.config, &own).into())
        }
        // It waits already, or the webhook is off: both can be seen on the page.
        Err(Error::Invalid(_)) => {
            let texts = console::texts_of(&caller.user);
            let notice = (Tone::Warn, texts.say("webhook-again-refused"), texts.say("webhook-again-refused-text"));
            let outcome = Outcome { notice: Some(notice), ..Outcome::default() };
            Ok(webhook::view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
        }
        Err(other) => Err(other),
    }
}
