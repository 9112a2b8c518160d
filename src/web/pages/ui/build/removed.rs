//! Parts that a question has lost since it was published, and the answers that publishing would delete with them.

use maud::{Markup, Render, html};

use crate::web::pages::ui::build::panel::ACTION;

/// One of them.
pub struct RemovedPart {
    /// Its label, and how many answers have it.
    pub text: Markup,
    /// The button's value.
    pub action: String,
    /// The label of the button: to hide the part, or to put it back.
    pub button: String,
}

/// All of them, within the panel. It is there without any, since a script asks for it anew when one is lost.
pub struct RemovedParts {
    /// Their codes, by which a script knows whether there are others now.
    pub codes: String,
    pub parts: Vec<RemovedPart>,
    /// A note on the parts that are not listed.
    pub more: Option<String>,
}

impl Render for RemovedParts {
    fn render(&self) -> Markup {
        html! {
            div.stack.tight #removed-parts data-fresh data-removed=(self.codes) role="status" {
                @for part in &self.parts {
                    div.message.warn {
                        p { (part.text) }
                        div.row {
                            button.button.quiet.small type="submit" name=(ACTION) value=(part.action) { (part.button) }
                        }
                    }
                }
                @if let Some(more) = &self.more { p.muted { (more) } }
            }
        }
    }
}
