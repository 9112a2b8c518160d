//! A sheet to hang up: a name, a code, an address. Printed, nothing else is on it.

use maud::{Markup, Render, html};

use crate::web::pages::ui::qr;

pub struct Poster<'a> {
    pub name: &'a str,
    /// The instructions for the code.
    pub text: &'a str,
    pub address: &'a str,
    /// Names the code for screen readers.
    pub code_name: &'a str,
    /// The language of the words.
    pub lang: &'a str,
    pub dir: &'a str,
}

impl Render for Poster<'_> {
    fn render(&self) -> Markup {
        html! {
            article.poster lang=(self.lang) dir=(self.dir) {
                h1.poster-name { bdi { (self.name) } }
                (qr::picture(self.address, self.code_name))
                p.poster-text { (self.text) }
                p.poster-address { bdi dir="ltr" { (self.address) } }
            }
        }
    }
}

/// A button that prints the page; only with scripts.
pub fn print_button(label: &str) -> Markup {
    html! { button.button.scripted type="button" data-print { (label) } }
}
