//! A text with emphasis, links and lists. A script makes an editor of it; without one it is typed as HTML.

use maud::{Markup, html};

use crate::base::text::texts::Texts;

pub struct RichText<'a> {
    /// The HTML.
    pub value: &'a str,
    /// The same as a tree of JSON, from which the script makes the editor.
    pub tree: &'a str,
    /// Where pictures are posted; none can be placed if empty.
    pub images: &'a str,
    pub texts: &'a Texts,
}

/// Buttons of the toolbar: their effect, their words, their sign, and the key that does the same.
const BUTTONS: [(&str, &str, &str); 8] = [
    ("bold", "rich-bold", "B"),
    ("italic", "rich-italic", "I"),
    ("link", "rich-link", "K"),
    ("heading", "rich-heading", ""),
    ("bullets", "rich-bullets", ""),
    ("numbers", "rich-numbers", ""),
    ("quote", "rich-quote", ""),
    ("picture", "rich-picture", ""),
];

impl RichText<'_> {
    fn say(&self, id: &str) -> String {
        self.texts.say(id)
    }

    /// The control with this name and id.
    pub fn draw(&self, name: &str, described: Option<&str>, invalid: Option<&str>) -> Markup {
        let buttons = BUTTONS.iter().filter(|(act, ..)| *act != "picture" || !self.images.is_empty());
        html! {
            div.rich-edit data-rich=(self.tree) data-images=[(!self.images.is_empty()).then_some(self.images)]
                data-failed=(self.say("rich-failed")) {
                // A parser drops the first line break.
                textarea.input.code-text id=(name) name=(name) rows="4" dir="auto" spellcheck="false"
                    aria-describedby=[described] aria-invalid=[invalid] { "\n" (self.value) }
                p.notes.rich-tags { (self.say("rich-tags")) }
                template {
                    div.rich-bar role="toolbar" aria-label=(self.say("rich-bar")) {
                        @for (act, words, key) in buttons {
                            @let words = self.say(words);
                            @let title = if key.is_empty() { words.clone() } else { format!("{words} (Ctrl+{key})") };
                            button type="button" data-rich-act=(act) aria-label=(words) title=(title) {
                                (sign(act))
                            }
                        }
                        @if !self.images.is_empty() {
                            input type="file" accept="image/png,image/jpeg,image/webp,image/gif" hidden;
                        }
                    }
                    div.rich-ask hidden data-link=(self.say("rich-address")) data-alt=(self.say("rich-alt")) {
                        input.input type="text" autocomplete="off" dir="auto";
                        button.button.quiet.small type="button" data-rich-set { (self.say("rich-set")) }
                        button.button.quiet.small type="button" data-rich-clear { (self.say("rich-unlink")) }
                    }
                    div.input.rich-area.rich-text contenteditable="true" role="textbox" aria-multiline="true" dir="auto" {}
                    progress.rich-progress max="1" hidden aria-label=(self.say("rich-progress")) {}
                    p.rich-fault aria-live="assertive" hidden {}
                }
            }
        }
    }
}

/// The sign of a button.
fn sign(act: &str) -> Markup {
    let path = match act {
        "bold" => "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z",
        "italic" => "M14 5l-4 14M10 5h7M7 19h7",
        "link" => "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
        "heading" => "M6 5v14M18 5v14M6 12h12",
        "bullets" => "M9 7h11M9 12h11M9 17h11M4.5 7h.01M4.5 12h.01M4.5 17h.01",
        "numbers" => "M10 7h10M10 12h10M10 17h10M4 5h1.5v4M4 15c0-1.5 2.5-1.5 2.5 0S4 17 4 18.500h2.500",
        "quote" => "M5 6v12M10 8h10M10 12h10M10 16h6",
        _ => "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.01",
    };
    html! {
        svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"
            stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" { path d=(path) {} }
    }
}
