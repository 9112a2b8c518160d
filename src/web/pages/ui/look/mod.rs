//! The page of a form's look: its controls, and beside them the form in a frame of the width of a phone, a tablet or
//! the window.

pub mod colours;
pub mod framed;
pub mod pictures;

use maud::{Markup, Render, html};

use self::framed::FramedPage;
use crate::base::text::texts::Texts;
use crate::web::pages::ui::build::panel::{ACTION, TAG};
use crate::web::pages::ui::form::csrf_field;

/// Controls beside the frame; on a phone above it.
pub struct LookPage<'a> {
    pub controls: Markup,
    /// The address of the form's page as the draft has it.
    pub preview: &'a str,
    pub preview_title: &'a str,
    /// Shows and hides the frame on a phone.
    pub see: &'a str,
    pub texts: &'a Texts,
}

impl Render for LookPage<'_> {
    fn render(&self) -> Markup {
        let framed = format!("{}?canvas=1", self.preview);
        html! {
            div.look {
                div.look-controls { (self.controls) }
                a.button.quiet.look-see href=(self.preview) data-see aria-controls="look-frame" { (self.see) }
                section.look-frame #look-frame aria-label=(self.preview_title) {
                    (FramedPage { address: &framed, title: self.preview_title, texts: self.texts })
                }
            }
        }
    }
}

/// The controls as a form that a script sends as it changes, with a button where no script runs.
pub struct LookForm<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The version that the page shows, to notice another user's save.
    pub tag: &'a str,
    pub content: Markup,
    pub save: &'a str,
}

impl Render for LookForm<'_> {
    fn render(&self) -> Markup {
        html! {
            form.panel.look-form #panel method="post" action=(self.action) novalidate data-code="theme" {
                (csrf_field(self.csrf))
                input type="hidden" name=(TAG) value=(self.tag);
                // Enter in a line saves, whatever button comes first.
                button type="submit" hidden {}
                (self.content)
                button.button.panel-save type="submit" { (self.save) }
            }
        }
    }
}

/// Controls under a heading.
pub struct LookGroup<'a> {
    pub title: &'a str,
    pub content: Markup,
}

impl Render for LookGroup<'_> {
    fn render(&self) -> Markup {
        html! { section.look-group { h2 { (self.title) } (self.content) } }
    }
}

/// A button that changes the theme at once.
pub fn act(value: &str, label: &str) -> Markup {
    html! { button.button.quiet.small type="submit" name=(ACTION) value=(value) { (label) } }
}

/// A choice of one of a few, side by side.
pub struct Few<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    /// Values and words.
    pub choices: Vec<(&'a str, String)>,
    pub chosen: &'a str,
}

impl Render for Few<'_> {
    fn render(&self) -> Markup {
        html! {
            fieldset.few id=(self.name) tabindex="-1" {
                legend { (self.label) }
                div.few-row {
                    @for (value, words) in &self.choices {
                        label { input type="radio" name=(self.name) value=(value) checked[*value == self.chosen]; span { (words) } }
                    }
                }
            }
        }
    }
}
