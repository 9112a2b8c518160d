//! Widgets that several account pages share.

use maud::{Markup, html};

use crate::base::issue::Issue;
use crate::base::text::texts::Texts;
use crate::web::pages::console::fault_messages;
use crate::web::pages::ui::layout::Tone;

/// Unicode isolates around a name whose text direction may differ, for texts without markup.
const ISOLATE: char = '\u{2068}';
const ISOLATE_END: char = '\u{2069}';

/// A name for use inside a sentence.
pub fn isolated(name: &str) -> String {
    format!("{ISOLATE}{name}{ISOLATE_END}")
}

/// The fault summary of a page with several fields: it takes the focus and links to each fault, in the order of the
/// page. `fields` are the ids of the fields and the text ids of their labels.
pub fn fault_summary(texts: &Texts, faults: &[Issue], fields: &[(&str, &str)]) -> Markup {
    let of_field = |name: &str| faults.iter().find(|issue| issue.attribute == name);
    let elsewhere = |issue: &&Issue| fields.iter().all(|(name, _)| *name != issue.attribute);
    html! {
        @if !faults.is_empty() {
            div.message.summary #summary role="alert" tabindex="-1" autofocus {
                h2 { (texts.say("account-faults")) }
                ul role="list" {
                    @for (name, label) in fields {
                        @if let Some(issue) = of_field(name) {
                            li { a href={ "#" (name) } {
                                (texts.say(label)) ": " (fault_messages::message(texts, issue))
                            } }
                        }
                    }
                    @for issue in faults.iter().filter(elsewhere) {
                        li { (fault_messages::message(texts, issue)) }
                    }
                }
            }
        }
    }
}

/// The title of a page; says so if there are faults.
pub fn page_title(texts: &Texts, title: &str, has_faults: bool) -> String {
    if has_faults { texts.fill("form-title-faults", &[("title", title.into())]) } else { title.to_owned() }
}

/// A text with a copy button. `what` names the text for screen readers.
pub fn copyable(texts: &Texts, id: &str, text: &str, what: &str) -> Markup {
    html! {
        div.copyable {
            pre.wrap { code id=(id) { (text) } }
            button.button.quiet.small.scripted type="button" data-copy=(id)
                data-copied=(texts.say("copy-done")) {
                (texts.say("copy"))
                span.visually-hidden { " " (what) }
            }
        }
    }
}

/// Shown in place of a secret that was already shown once.
pub fn shown_already(texts: &Texts, text: &str) -> Markup {
    crate::web::pages::ui::layout::message(Tone::Note, &texts.say("once-gone"), &texts.say(text))
}
