//! The keys of the pages about entries, as a dialog tells them.

use maud::{Markup, Render};

use crate::web::pages::console;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::entries::keys::KeyHelp;

/// Keys with the id of their words, and whether only users who may change entries have them.
type Keys<'k> = &'k [(&'k str, &'k str, bool)];

const OF_LIST: Keys = &[
    ("j ↓", "keys-down", false),
    ("k ↑", "keys-up", false),
    ("← →", "keys-cells", false),
    ("Home End", "keys-ends", false),
    ("g\u{a0}g", "keys-first", false),
    ("G", "keys-last", false),
    ("[ ]", "keys-pages", false),
    ("Enter o", "keys-open", false),
    ("e", "keys-edit", true),
    ("x", "keys-choose", false),
    ("# Delete", "keys-trash", true),
    ("Ctrl+Z", "keys-undo", true),
    ("p", "keys-print", false),
    ("f", "keys-filter", false),
    ("/", "keys-search", false),
    ("c", "keys-columns", false),
    ("Esc", "keys-clear", false),
    ("Ctrl+K", "keys-finder", false),
    ("?", "keys-help", false),
];

const OF_ENTRY: Keys = &[
    ("[ ]", "keys-beside", false),
    ("e", "keys-edit", true),
    ("Ctrl+K", "keys-finder", false),
    ("?", "keys-help", false),
];

const OF_EDITOR: Keys = &[
    ("Ctrl+Enter", "keys-save", true),
    ("Esc", "keys-leave", true),
    ("Ctrl+K", "keys-finder", false),
    ("?", "keys-help", false),
];

pub fn of_list(frame: &FormFrame) -> Markup {
    help(frame, OF_LIST)
}

pub fn of_entry(frame: &FormFrame) -> Markup {
    help(frame, OF_ENTRY)
}

pub fn of_editor(frame: &FormFrame) -> Markup {
    help(frame, OF_EDITOR)
}

fn help(frame: &FormFrame, keys: Keys) -> Markup {
    let may_change = frame.may_change_entries();
    let shown = keys.iter().filter(|(.., is_change)| may_change || !is_change);
    KeyHelp {
        title: &frame.say("keys-title"),
        note: &console::note_on_keys(&frame.caller.user, frame.texts),
        keys: shown.map(|(keys, words, _)| (*keys, frame.say(words))).collect(),
        close: &frame.say("keys-close"),
    }
    .render()
}
