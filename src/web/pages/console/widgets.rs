//! Parts that several account pages are made of.

use maud::{Markup, html};

use crate::base::issue::Issue;
use crate::base::texts::Texts;
use crate::web::pages::console::fault_messages;
use crate::web::pages::layout::Tone;

/// Around a name that has its own direction, where there is no markup.
const ISOLATE: char = '\u{2068}';
const END: char = '\u{2069}';

/// A name inside a sentence of ours.
pub fn isolated(name: &str) -> String {
    format!("{ISOLATE}{name}{END}")
}

/// What is wrong on a page of several fields: takes the focus and leads to each of them, in their order on the page.
/// `fields` are their ids and the ids of their labels' words.
pub fn summary(texts: &Texts, faults: &[Issue], fields: &[(&str, &str)]) -> Markup {
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

/// The title of a page that tells faults.
pub fn title(texts: &Texts, title: &str, has_faults: bool) -> String {
    if has_faults {
        texts.fill("form-title-faults", &[("title", title.into())])
    } else {
        title.to_owned()
    }
}

/// A text to take along, and a button that copies it. `what` is what the button copies, for screen readers.
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

/// In place of a secret that was shown already: what to do about it.
pub fn shown_already(texts: &Texts, text: &str) -> Markup {
    crate::web::pages::layout::message(Tone::Note, &texts.say("once-gone"), &texts.say(text))
}
