//! The input of a desk at the door, the first and largest of its page.

use maud::{Markup, Render, html};

use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::described_by;
use crate::web::pages::ui::form::csrf_field;

/// Takes a code that is typed or, where the browser can read one, in a picture.
pub struct CodeDesk<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// Name and id of the input.
    pub name: &'a str,
    pub label: &'a str,
    pub value: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    pub button: &'a str,
    /// Takes a picture.
    pub picture: &'a str,
    /// The message that there is no code in the picture.
    pub unread: &'a str,
}

impl Render for CodeDesk<'_> {
    fn render(&self) -> Markup {
        let name = self.name;
        html! {
            form.card.code-desk method="post" action=(self.action) novalidate {
                (csrf_field(self.csrf))
                label for=(name) { (self.label) }
                @if !self.fault.is_empty() { p.fault id={ (name) "-fault" } { (self.fault) } }
                div.code-line {
                    input.input.code-input id=(name) name=(name) value=(self.value) type="text" required autofocus
                        autocomplete="off" autocapitalize="characters" spellcheck="false" enterkeyhint="go"
                        aria-describedby=[described_by(name, "", self.fault)]
                        aria-invalid=[(!self.fault.is_empty()).then_some("true")];
                    (Button::main(self.button))
                }
                div.code-picture data-picture=(name) hidden {
                    label.button.quiet {
                        (self.picture)
                        input.visually-hidden type="file" accept="image/*" capture="environment";
                    }
                    p.muted role="status" data-unread=(self.unread) {}
                }
            }
        }
    }
}
