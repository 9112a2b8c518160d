//! The page of a query: its parts, and beside them the visitors' page.

use maud::{Markup, Render, html};

use crate::base::text::texts::Texts;
use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::look::framed::FramedPage;
use crate::web::pages::ui::settings::sections::SettingsSection;

/// The name of the buttons that change the contents of a part without saving it.
pub const ACT: &str = "act";

/// Parts beside the frame; on a phone a button shows the frame above them.
pub struct QueryEditor<'a> {
    pub parts: Vec<SettingsSection<'a>>,
    /// The address of the visitors' page; nothing is framed if empty.
    pub page: &'a str,
    /// The title of the frame.
    pub title: &'a str,
    /// Stands in place of the frame: why visitors see no search.
    pub instead: Markup,
    /// Shows and hides the frame on a phone.
    pub see: &'a str,
    pub texts: &'a Texts,
}

impl Render for QueryEditor<'_> {
    fn render(&self) -> Markup {
        html! {
            div.look.query-look {
                div.query-parts { @for part in &self.parts { (part) } }
                a.button.quiet.look-see href=(if self.page.is_empty() { "#look-frame" } else { self.page }) data-see
                    aria-controls="look-frame" { (self.see) }
                section.look-frame #look-frame aria-label=(self.title) {
                    @if self.page.is_empty() {
                        (self.instead)
                    } @else {
                        (FramedPage { address: self.page, title: self.title, texts: self.texts })
                    }
                }
            }
        }
    }
}

/// The form of a part, which is saved by itself.
pub struct PartForm<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The version of the part that it shows.
    pub version: &'a str,
    /// Whether it holds typed values that are not saved.
    pub is_changed: bool,
    /// Whether its button takes the focus.
    pub is_focused: bool,
    pub content: Markup,
    pub save: &'a str,
    /// Stands beside the button while something is not saved.
    pub unsaved: &'a str,
}

impl Render for PartForm<'_> {
    fn render(&self) -> Markup {
        html! {
            form.query-part method="post" action=(self.action) novalidate
                data-unsaved=(if self.is_changed { "changed" } else { "" }) {
                (csrf_field(self.csrf))
                input type="hidden" name="version" value=(self.version);
                // Enter in a line saves, whatever button comes first.
                button type="submit" hidden {}
                (self.content)
                div.row.save-row {
                    button.button.quiet type="submit" autofocus[self.is_focused] { (self.save) }
                    span.muted.small role="status" data-text=(self.unsaved) {
                        @if self.is_changed { (self.unsaved) }
                    }
                }
            }
        }
    }
}

/// A button that changes the contents of a part.
pub fn act(value: &str, label: &str) -> Markup {
    html! { button.button.quiet.small type="submit" name=(ACT) value=(value) { (label) } }
}
