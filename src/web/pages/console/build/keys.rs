//! The keys of the builder, as a dialog tells them.

use maud::{Markup, Render};

use crate::web::pages::console;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::entries::keys::KeyHelp;

/// Keys of the list of questions, and of the page, with the id of their words.
const KEYS: [(&str, &str); 16] = [
    ("/", "keys-question-add"),
    ("j ↓", "keys-question-down"),
    ("k ↑", "keys-question-up"),
    ("Home End", "keys-question-ends"),
    ("Enter", "keys-question-open"),
    ("F2", "keys-question-label"),
    ("Alt+↑ Alt+↓", "keys-question-move"),
    ("m", "keys-question-move-to"),
    ("x X", "keys-question-choose"),
    ("D", "keys-question-copy"),
    ("r h", "keys-question-marks"),
    ("Delete", "keys-question-remove"),
    ("Ctrl+Z Ctrl+Shift+Z", "keys-question-undo"),
    ("Ctrl+S", "keys-question-save"),
    ("Ctrl+K", "keys-finder"),
    ("?", "keys-help"),
];

pub fn help(frame: &FormFrame) -> Markup {
    KeyHelp {
        title: &frame.say("keys-title"),
        note: &console::note_on_keys(&frame.caller.user, frame.texts),
        keys: KEYS.iter().map(|(keys, words)| (*keys, frame.say(words))).collect(),
        close: &frame.say("keys-close"),
    }
    .render()
}
