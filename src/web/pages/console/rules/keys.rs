//! The keys of the page of rules, as a dialog tells them.

use maud::{Markup, Render};

use crate::web::pages::console;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::entries::keys::KeyHelp;

/// Keys with the id of their words.
const KEYS: [(&str, &str); 9] = [
    ("n", "keys-rule-add"),
    ("j ↓", "keys-rule-down"),
    ("k ↑", "keys-rule-up"),
    ("Alt+↑ Alt+↓", "keys-rule-move"),
    ("Delete", "keys-rule-remove"),
    ("/", "keys-rule-find"),
    ("Ctrl+S", "keys-question-save"),
    ("Ctrl+K", "keys-finder"),
    ("?", "keys-help"),
];

pub fn help(frame: &FormFrame) -> Markup {
    KeyHelp {
        title: &frame.say("keys-title"),
        keys: KEYS.iter().map(|(keys, words)| (*keys, frame.say(words))).collect(),
        close: &frame.say("keys-close"),
        note: &console::note_on_keys(&frame.caller.user, frame.texts),
    }
    .render()
}
