//! Unknown placeholders in the texts of settings: answered with a warning.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::system;
use crate::fields::texts::placeholders::{unknown, unknown_rich};
use crate::model::settings::Settings;
use crate::query::form_cache::ParsedForm;

const URL: &str = "after_submission.redirect.url";

/// The texts that may have placeholders.
const TEXTS: [&str; 12] = [
    "after_submission.show_message.text.title",
    "after_submission.show_message.text.description",
    URL,
    "certificate.title",
    "certificate.body",
    "notifications.receipt.subject",
    "notifications.notice.subject",
    "notifications.waiting.subject",
    "notifications.moved_up.subject",
    "notifications.cancelled.subject",
    "notifications.changed.subject",
    "notifications.reminder.subject",
];
const RICH_TEXTS: [&str; 8] = [
    "after_submission.show_message.rich_text",
    "notifications.receipt.message",
    "notifications.notice.message",
    "notifications.waiting.message",
    "notifications.moved_up.message",
    "notifications.cancelled.message",
    "notifications.changed.message",
    "notifications.reminder.message",
];

/// The texts that a change of settings brings.
pub struct Texts(Vec<(&'static str, String)>);

impl Texts {
    /// From the groups of the change.
    pub fn of(groups: &Json) -> Self {
        let all = TEXTS.iter().chain(&RICH_TEXTS);
        let given = all.filter_map(|attribute| {
            let pointer = format!("/{}", attribute.replace('.', "/"));
            let text = groups.pointer(&pointer)?.as_str()?;
            // An address is stored as a URL library writes it: braces in its path have become codes.
            let text = match *attribute {
                URL => text.replace("%7B%7B", "{{").replace("%7D%7D", "}}"),
                _ => text.to_owned(),
            };
            Some((*attribute, text))
        });
        Self(given.collect())
    }

    /// One warning for each text with unknown placeholders in a form with these settings.
    pub fn warnings(&self, parsed: &ParsedForm, settings: &Settings) -> Vec<Issue> {
        let fields = &parsed.definition.fields;
        let results: Vec<_> = system::results_of(&parsed.scene, settings, fields)
            .chain(system::fixed())
            .filter(|field| !field.is_link())
            .map(|field| field.name)
            .chain(["x_field_1"])
            .collect();
        let is_known = |code: &str| fields.get(code).is_some() || results.contains(&code);
        let warning = |(attribute, text): &(&'static str, String)| {
            let names =
                if RICH_TEXTS.contains(attribute) { unknown_rich(text, is_known) } else { unknown(text, is_known) };
            let listed: Vec<String> = names.iter().map(|name| format!("{{{{{name}}}}}")).collect();
            let (count, listed) = (listed.len(), listed.join(", "));
            let reason = match count {
                0 => return None,
                1 => phrase!("has a placeholder that stands for nothing in this form: {}", listed),
                _ => phrase!("has placeholders that stand for nothing in this form: {}", listed),
            };
            Some(Issue::new(*attribute, Reason::other(reason)))
        };
        self.0.iter().filter_map(warning).collect()
    }
}
