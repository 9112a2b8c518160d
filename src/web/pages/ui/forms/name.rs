//! The name of a form, which its managers change where it stands.

use maud::{Markup, Render, html};

const PANEL: &str = "rename";

/// The name as a button that opens the form of another; the browser does it.
pub struct NameButton<'a> {
    pub name: Markup,
    /// The name as a text.
    pub full_name: &'a str,
    /// The description of a press.
    pub about: &'a str,
}

impl Render for NameButton<'_> {
    fn render(&self) -> Markup {
        html! {
            button.form-name type="button" popovertarget=(PANEL) title=(self.full_name)
                aria-description=(self.about) { (self.name) }
        }
    }
}

/// The form that the button opens.
pub struct NamePanel {
    pub form: Markup,
}

impl Render for NamePanel {
    fn render(&self) -> Markup {
        // A dialog gives the focus to its first input without `autofocus`, which would be heeded when the page opens.
        html! { dialog.name-panel id=(PANEL) popover { (self.form) } }
    }
}
