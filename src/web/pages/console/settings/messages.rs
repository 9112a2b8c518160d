//! Messages for faults of settings, and for stored settings without effect, in the reader's language.

use crate::base::issue::Issue;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text::texts::Texts;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::settings::table::{Control, Shape, control_of};

/// The message beside a control. `control` is the one that the fault belongs to.
pub fn fault(texts: &Texts, issue: &Issue, control: Option<&Control>) -> String {
    let count = |id: &str, count: i64| texts.fill(id, &[("a", count.into())]);
    match &issue.reason {
        Reason::Required | Reason::Empty => texts.say("account-fault-blank"),
        Reason::MustBe(Expected::Number) => texts.say("fault-number"),
        Reason::MustBe(Expected::WholeNumber) => texts.say("fault-whole"),
        Reason::Between(low, high) => {
            texts.fill("fault-from-to", &[("a", low.as_str().into()), ("b", high.as_str().into())])
        }
        Reason::AtLeast(low) => texts.fill("fault-at-least", &[("a", low.as_str().into())]),
        Reason::TooManyDigits => texts.say("fault-digits"),
        Reason::LessThan(_) => texts.say("settings-fault-end-point"),
        Reason::TooMany { most, of: Things::Other("decimals") } => count("settings-fault-decimals", *most),
        Reason::TooMany { most, .. } => count("settings-fault-many", *most),
        Reason::Repeated => texts.say("settings-fault-repeated"),
        Reason::MustBe(Expected::Other(_)) | Reason::Other(_) => {
            match control.and_then(|control| own(control, issue)) {
                Some(id) => texts.say(id),
                None => texts.phrase(&issue.reason.phrase()),
            }
        }
        _ => account_messages::message(texts, issue),
    }
}

/// The text id of a reason that one control alone has.
fn own(control: &Control, issue: &Issue) -> Option<&'static str> {
    Some(match (control.words, control.shape) {
        ("places", _) => "settings-fault-places",
        ("end", _) if issue.reason == Reason::MustBe(Expected::Other("after start_at")) => "settings-fault-end",
        ("redirect-url", _) => "fault-url",
        ("currency", _) => "settings-fault-currency",
        ("discounts", _) => "settings-fault-discount",
        ("notice-to", _) => "settings-fault-repeated",
        ("pass", _) => "settings-fault-pass",
        (_, Shape::Moment) => "settings-fault-moment",
        (_, Shape::Rich) => "settings-fault-long",
        _ => return None,
    })
}

/// A warning of a save; `None` where the page says the same all the time.
pub fn warning(texts: &Texts, issue: &Issue) -> Option<String> {
    let control = control_of(&issue.attribute);
    let text = match control.map(|control| (control.words, control.shape)) {
        // The section says why no letter is sent.
        Some(("receipt-enabled" | "notice-enabled" | "letter-enabled", _)) => return None,
        Some(("notice-to", _)) => texts.say("settings-warning-notice"),
        Some(("exam-answers", _)) => texts.say("settings-warning-answers"),
        Some(("waiting-list", _)) => texts.say("settings-warning-waiting"),
        Some(("locale", _)) => texts.say("settings-warning-locale"),
        Some((_, Shape::Line(_) | Shape::Text | Shape::Rich)) => {
            match placeholders(&texts.phrase(&issue.reason.phrase())) {
                Some(names) => texts.fill("settings-warning-placeholders", &[("names", names.into())]),
                None => texts.phrase(&issue.reason.phrase()),
            }
        }
        _ => texts.phrase(&issue.reason.phrase()),
    };
    Some(match control {
        Some(control) => texts.labelled(&texts.say(&format!("settings-{}", control.words)), &text),
        None => text,
    })
}

/// The placeholders at the end of a message.
fn placeholders(message: &str) -> Option<String> {
    let from = message.find("{{")?;
    Some(message[from..].to_owned())
}
