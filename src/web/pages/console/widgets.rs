//! Widgets that several account pages share.

use maud::{Markup, Render};

use crate::base::issue::Issue;
pub use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::ops::forms::availability::Status;
use crate::web::pages::console::account_messages;
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::copyable::Copyable;
use crate::web::pages::ui::notice::{Summary, SummaryLine, Tone, message};

/// Whether a form takes submissions now, in a word or two; without a status it is not published.
pub fn form_state(texts: &Texts, status: Option<Status>) -> Markup {
    let (tone, words) = match status {
        Some(Status::Open) => (Tone::Good, "forms-open"),
        Some(Status::NotOpen) => (Tone::Note, "forms-not-open"),
        Some(Status::Closed) => (Tone::Note, "forms-closed"),
        Some(Status::Full) => (Tone::Warn, "forms-full"),
        None => (Tone::Note, "forms-unpublished"),
    };
    Chip { tone, text: &texts.say(words) }.render()
}

/// The fault summary of a page with several fields: it takes the focus and links to each fault, in the order of the
/// page. `fields` are the ids of the fields and the text ids of their labels.
pub fn fault_summary(texts: &Texts, faults: &[Issue], fields: &[(&str, &str)]) -> Markup {
    let of_field = |name: &str| faults.iter().find(|issue| issue.attribute == name);
    let elsewhere = |issue: &&Issue| fields.iter().all(|(name, _)| *name != issue.attribute);
    let beside = fields.iter().filter_map(|(name, label)| {
        let message = account_messages::message(texts, of_field(name)?);
        Some(SummaryLine { field: name, text: texts.labelled(&texts.say(label), &message) })
    });
    let other = faults.iter().filter(elsewhere);
    let other = other.map(|issue| SummaryLine { field: "", text: account_messages::message(texts, issue) });
    Summary { title: &texts.say("account-faults"), lines: beside.chain(other).collect() }.render()
}

/// The title of a page of something named: the page first, because tabs show the beginning of a title.
pub fn page_of(heading: &str, name: &str) -> String {
    format!("{heading} – {name}")
}

/// The title of a page; says so if there are faults.
pub fn page_title(texts: &Texts, title: &str, has_faults: bool) -> String {
    if has_faults { texts.fill("form-title-faults", &[("title", title.into())]) } else { title.to_owned() }
}

/// A text with a copy button. `what` names the text for screen readers.
pub fn copyable(texts: &Texts, id: &str, text: &str, what: &str) -> Markup {
    Copyable { id, text, what, texts }.render()
}

/// Shown in place of a secret that was already shown once.
pub fn shown_already(texts: &Texts, text: &str) -> Markup {
    message(Tone::Note, &texts.say("once-gone"), &texts.say(text))
}
