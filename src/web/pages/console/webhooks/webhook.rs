//! `/forms/{form_token}/webhooks/{webhook_id}`: one webhook, with its deliveries.

use maud::{Markup, Render, html};
use url::Url;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::outbox::DeliveryStatus;
use crate::model::precondition::IfMatch;
use crate::model::webhook::Webhook;
use crate::ops::delivery::webhooks;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::webhooks::controls::{self, Controls, Typed};
use crate::web::pages::console::webhooks::{deliveries, path, state_chip};
use crate::web::pages::console::{self, Posted, widgets};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::section::{Columns, Section};
use crate::web::pages::ui::words::{facts, muted, name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The version of the webhook that the form of its page was drawn from.
const VERSION: &str = "version";

/// The outcome of a post. Empty on a page that was just opened.
#[derive(Default)]
pub struct Outcome {
    pub typed: Option<Typed>,
    pub faults: Vec<Issue>,
    /// By control: the value that somebody else set meanwhile.
    pub news: Vec<(&'static str, String)>,
    /// The notice above all else: its tone, title and text.
    pub notice: Option<(Tone, String, String)>,
}

/// `GET /forms/{form_token}/webhooks/{webhook_id}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, &Outcome::default())?.into())
}

/// `POST /forms/{form_token}/webhooks/{webhook_id}`
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, id) = (call.param("form_token"), call.param("webhook_id"));
    let posted = Posted::of(call);
    let typed = Typed::of(&posted);
    let if_match = match posted.text(VERSION) {
        "" => IfMatch::Absent,
        version => IfMatch::Tags(vec![version.to_owned()]),
    };
    match webhooks::update(call.app, caller, form, id, typed.body(), if_match) {
        Ok(_) => Ok(session::to_page(&call.app.config, &format!("{}/{id}?saved=1", path(form))).into()),
        Err(Error::Invalid(faults)) => {
            let outcome = Outcome { typed: Some(typed), faults, ..Outcome::default() };
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
        }
        Err(Error::VersionConflict) => {
            let texts = console::texts_of(&caller.user);
            let now = webhooks::show(call.app, caller, form, id)?;
            let news = typed.news(texts, &now.content);
            let notice = (Tone::Warn, texts.say("webhook-changed"), texts.say("webhook-changed-text"));
            let outcome = Outcome { typed: Some(typed), news, notice: Some(notice), ..Outcome::default() };
            Ok(view(call, caller, StatusCode::PRECONDITION_FAILED, &outcome)?.into())
        }
        Err(other) => Err(other),
    }
}

/// The page's title: a webhook is named by its host.
pub fn title(texts: &Texts, webhook: &Webhook) -> String {
    let url = &webhook.content.url;
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    texts.fill("webhook-title", &[("host", isolated(host.as_deref().unwrap_or(url)).into())])
}

/// The page, with the outcome of a post.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let webhook = webhooks::show(call.app, caller, call.param("form_token"), call.param("webhook_id"))?;
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let title = title(texts, &webhook);
    let stored = Typed::stored(&webhook.content);
    let typed = outcome.typed.as_ref().unwrap_or(&stored);
    let own = frame.address(&format!("webhooks/{}", webhook.token));
    let test = PostForm {
        action: &format!("{own}/test"),
        csrf: &frame.csrf,
        content: Button::quiet(&texts.say("webhook-test")).render(),
        ..PostForm::default()
    };
    let content = html! {
        (frame.head(FormPage::Settings, false))
        (PageHead {
            back: Some(Back { address: &frame.address("webhooks"), label: &texts.say("webhooks") }),
            title: html! { (title) },
            lead: html! { (state_chip(&frame, &webhook)) " " (name(&webhook.content.url)) },
            actions: test.render(),
            ..PageHead::default()
        })
        (notice(&frame, outcome)?)
        (controls::summary(texts, typed, &outcome.faults))
        (deliveries::section(&frame, &webhook)?)
        (Columns {
            main: edit(&frame, &own, &webhook, typed, outcome),
            side: more(texts, &own),
            is_level: false,
        })
    };
    let page_title = widgets::page_title(texts, &frame.title(&title), !outcome.faults.is_empty());
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title);
    Ok(page.script("deliveries.js").answer(status, &content))
}

/// A notice of the last action, or of the reason why it failed.
fn notice(frame: &FormFrame, outcome: &Outcome) -> Result<Markup> {
    let (call, texts) = (frame.call, frame.texts);
    if let Some((tone, title, text)) = &outcome.notice {
        return Ok(message(*tone, title, text));
    }
    if !outcome.faults.is_empty() {
        return Ok(Markup::default());
    }
    if let Some(tested) = call.query("tested") {
        return tested_notice(frame, &tested);
    }
    let done = [("saved", "profile-done-profile"), ("again", "webhook-again-done")];
    let done = done.into_iter().find(|(parameter, _)| call.query(parameter).is_some());
    Ok(done.map(|(_, words)| message(Tone::Good, &texts.say(words), "")).unwrap_or_default())
}

/// The record of a test that was just sent.
fn tested_notice(frame: &FormFrame, tested: &str) -> Result<Markup> {
    let (call, texts) = (frame.call, frame.texts);
    let (form, id) = (call.param("form_token"), call.param("webhook_id"));
    let mut found = webhooks::progress(call.app, frame.caller, form, id, None, &[tested])?.shown;
    let Some(delivery) = found.pop() else {
        return Ok(Markup::default());
    };
    let words = deliveries::words(frame, &delivery);
    let (tone, title) = match delivery.status {
        DeliveryStatus::Failed => (Tone::Bad, "webhook-test-failed"),
        DeliveryStatus::Delivered | DeliveryStatus::Pending => (Tone::Good, "webhook-test-delivered"),
    };
    let answer = texts.say("webhook-answer");
    let content = facts(&[(&answer, html! { (words.answer) })]);
    Ok(Notice { tone, title: &texts.say(title), text: &words.fault, content }.render())
}

fn edit(frame: &FormFrame, own: &str, webhook: &Webhook, typed: &Typed, outcome: &Outcome) -> Markup {
    let texts = frame.texts;
    let content = html! {
        (hidden(VERSION, &webhook.etag().0))
        (Controls { texts, typed, faults: &outcome.faults, news: &outcome.news })
        (Button::main(&texts.say("webhook-save")))
    };
    Section {
        id: "webhook",
        title: html! { (texts.say("settings-title")) },
        content: PostForm { action: own, csrf: &frame.csrf, content, ..PostForm::default() }.render(),
        ..Section::default()
    }
    .render()
}

/// The secret, and the end of the webhook.
fn more(texts: &Texts, own: &str) -> Markup {
    let [rotate, delete] = ["rotate", "delete"].map(|act| format!("{own}/{act}"));
    html! {
        (Section {
            id: "secret",
            title: html! { (texts.say("webhook-secret")) },
            text: &texts.say("webhook-secret-text"),
            content: row(Button {
                label: &texts.say("webhook-rotate"),
                press: Press::Go(&rotate),
                ..Button::default()
            }),
        })
        (Section {
            id: "delete",
            title: html! { (texts.say("webhook-delete")) },
            content: html! {
                (muted(texts.say("webhook-delete-text")))
                (row(Button {
                    label: &texts.say("webhook-delete"),
                    press: Press::Go(&delete),
                    weight: Weight::Danger,
                    ..Button::default()
                }))
            },
            ..Section::default()
        })
    }
}
