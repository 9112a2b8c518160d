//! The keys of a page, in a dialog that `?` opens.

use maud::{Markup, Render, html};

use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::dialog::Dialog;

pub struct KeyHelp<'a> {
    pub title: &'a str,
    /// The keys, each with its effect.
    pub keys: Vec<(&'a str, String)>,
    /// A note on the keys; nothing if empty.
    pub note: &'a str,
    pub close: &'a str,
}

impl Render for KeyHelp<'_> {
    fn render(&self) -> Markup {
        let content = html! {
            @if !self.note.is_empty() { p { (self.note) } }
            dl.keys {
                @for (keys, words) in &self.keys {
                    div {
                        dt { @for key in keys.split(' ') { kbd { (key) } " " } }
                        dd { (words) }
                    }
                }
            }
        };
        Dialog {
            id: "keys",
            title: html! { (self.title) },
            content,
            actions: Button { label: self.close, press: Press::Close("keys"), ..Button::default() }.render(),
        }
        .render()
    }
}
