//! The controls of a webhook: its address, its events, whether it is on; with their faults.

use maud::{Markup, Render, html};
use serde_json::json;

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::model::event::EventKind;
use crate::model::webhook::WebhookContent;
use crate::ops::delivery::webhooks::{self, BadUrl};
use crate::web::pages::console::webhooks::deliveries::event_words;
use crate::web::pages::console::{Posted, account_messages};
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::notice::{Summary, SummaryLine};
use crate::web::pages::ui::settings::control::{Control, Input};

/// The names of the controls, which are those of the API, with the ids of their labels.
pub const URL: &str = "url";
pub const EVENTS: &str = "trigger_events";
pub const ENABLED: &str = "enabled";
const LABELS: [(&str, &str); 3] = [(URL, "webhook-url"), (EVENTS, "webhook-events"), (ENABLED, "webhook-enabled")];

pub struct Typed {
    pub url: String,
    /// The names of events.
    pub events: Vec<String>,
    pub is_enabled: bool,
}

impl Typed {
    /// The initial values of a new webhook.
    pub fn fresh() -> Self {
        let events = EventKind::OF_ENTRIES.map(|kind| kind.name().to_owned());
        Self { url: String::new(), events: events.into(), is_enabled: true }
    }

    pub(super) fn of(posted: &Posted) -> Self {
        Self {
            url: posted.text(URL).trim().to_owned(),
            events: posted.all(EVENTS).map(str::to_owned).collect(),
            is_enabled: !posted.text(ENABLED).is_empty(),
        }
    }

    pub fn stored(content: &WebhookContent) -> Self {
        Self {
            url: content.url.clone(),
            events: content.trigger_events.iter().map(|kind| kind.name().to_owned()).collect(),
            is_enabled: content.enabled,
        }
    }

    /// The body that the API takes.
    pub fn body(&self) -> Json {
        json!({URL: self.url, EVENTS: self.events, ENABLED: self.is_enabled})
    }

    /// Notes on values that somebody else set meanwhile where another one was typed, by control.
    pub fn news(&self, texts: &Texts, now: &WebhookContent) -> Vec<(&'static str, String)> {
        let theirs = Self::stored(now);
        let same_events =
            |events: &[String]| EventKind::OF_ENTRIES.map(|kind| events.iter().any(|name| name == kind.name()));
        let kinds: Vec<String> = now.trigger_events.iter().map(|kind| event_words(texts, *kind)).collect();
        let on = if now.enabled { "webhook-on" } else { "webhook-off" };
        let told = [
            (URL, self.url != theirs.url, now.url.clone()),
            (EVENTS, same_events(&self.events) != same_events(&theirs.events), kinds.join(", ")),
            (ENABLED, self.is_enabled != theirs.is_enabled, texts.say(on)),
        ];
        let others = told.into_iter().filter(|(_, is_other, _)| *is_other);
        others.map(|(name, _, value)| (name, texts.fill("settings-changed-now", &[("value", value.into())]))).collect()
    }
}

/// The controls of a webhook, each with its effect and its faults.
pub struct Controls<'a> {
    pub texts: &'a Texts,
    pub typed: &'a Typed,
    pub faults: &'a [Issue],
    /// By name: the value that somebody else set meanwhile.
    pub news: &'a [(&'static str, String)],
}

impl Render for Controls<'_> {
    fn render(&self) -> Markup {
        let (texts, typed) = (self.texts, self.typed);
        let choices = EventKind::OF_ENTRIES.map(|kind| {
            let is_chosen = typed.events.iter().any(|name| name == kind.name());
            Choice::new(kind.name(), event_words(texts, kind), is_chosen)
        });
        let inputs = [
            (URL, Input::Line { value: &typed.url, mode: "url", list: "" }),
            (EVENTS, Input::Ticks { choices: choices.into() }),
            (ENABLED, Input::Tick { is_on: typed.is_enabled }),
        ];
        let controls = inputs.into_iter().zip(LABELS).map(|((name, input), (_, label))| {
            let news = self.news.iter().find(|(of, _)| *of == name).map_or("", |(_, news)| news);
            let notes = match name {
                URL => texts.say("webhook-url-notes"),
                ENABLED => texts.say("webhook-enabled-notes"),
                _ => String::new(),
            };
            let label = texts.say(label);
            let fault = fault(texts, typed, self.faults, name);
            Control { name, label: &label, notes: &notes, fault: &fault, news, input }.render()
        });
        html! { @for control in controls { (control) } }
    }
}

/// All faults above the form, each with a link to its control.
pub fn summary(texts: &Texts, typed: &Typed, faults: &[Issue]) -> Markup {
    let beside = LABELS.into_iter().filter_map(|(name, label)| {
        let fault = fault(texts, typed, faults, name);
        let text = format!("{}: {fault}", texts.say(label));
        (!fault.is_empty()).then_some(SummaryLine { field: name, text })
    });
    let other = faults.iter().filter(|issue| LABELS.iter().all(|(name, _)| !is_at(issue, name)));
    let other = other.map(|issue| SummaryLine { field: "", text: account_messages::message(texts, issue) });
    Summary { title: &texts.say("account-faults"), lines: beside.chain(other).collect() }.render()
}

fn is_at(issue: &Issue, name: &str) -> bool {
    issue.attribute.split(['[', '.']).next() == Some(name)
}

/// The message for the fault of a control; empty if there is none.
fn fault(texts: &Texts, typed: &Typed, faults: &[Issue], name: &str) -> String {
    let Some(issue) = faults.iter().find(|issue| is_at(issue, name)) else {
        return String::new();
    };
    let words = match (name, webhooks::fault_of_url(&typed.url)) {
        (URL, _) if typed.url.is_empty() => "account-fault-blank",
        (URL, Some(fault)) => url_words(fault),
        (EVENTS, _) => "webhook-fault-events",
        _ => return account_messages::message(texts, issue),
    };
    texts.say(words)
}

fn url_words(fault: BadUrl) -> &'static str {
    match fault {
        BadUrl::TooLong => "webhook-fault-long",
        BadUrl::Characters => "webhook-fault-characters",
        BadUrl::Scheme => "webhook-fault-scheme",
        BadUrl::UserInfo => "webhook-fault-user",
        BadUrl::Host => "webhook-fault-host",
        BadUrl::Port => "webhook-fault-port",
    }
}
