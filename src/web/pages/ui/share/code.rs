//! A QR code beside its actions.

use maud::{Markup, Render, html};

use crate::web::pages::ui::qr;

pub struct Code<'a> {
    /// The content of the code.
    pub text: &'a str,
    /// Names the picture for screen readers.
    pub name: &'a str,
    pub actions: Markup,
}

impl Render for Code<'_> {
    fn render(&self) -> Markup {
        html! {
            div.code-beside {
                (qr::picture(self.text, self.name))
                div.code-actions { (self.actions) }
            }
        }
    }
}
