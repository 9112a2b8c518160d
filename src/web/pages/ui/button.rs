//! Buttons, and links that look like buttons.

use maud::{Markup, Render, html};

use crate::web::pages::ui::words::aside;

/// The effect of a button.
#[derive(Clone, Copy)]
pub enum Press<'a> {
    /// Sends its form.
    Submit,
    /// Sends that form to another address.
    SubmitTo(&'a str),
    /// Sends that form with this name and value.
    SubmitAs(&'a str, &'a str),
    /// Leads to a page.
    Go(&'a str),
    /// Leads to a page in another tab.
    Beside(&'a str),
    /// Opens the dialog with this id, without a script.
    Open(&'a str),
    /// Closes the dialog with this id.
    Close(&'a str),
}

/// How much a button stands out.
#[derive(Clone, Copy, Default)]
pub enum Weight {
    /// The main action of the page: one a page.
    Main,
    #[default]
    Quiet,
    /// Leads to something that can't be undone.
    Danger,
    /// Does it.
    Sure,
}

pub struct Button<'a> {
    pub label: &'a str,
    pub press: Press<'a>,
    pub weight: Weight,
    /// In a row of a list or a table.
    pub is_small: bool,
    /// Tells buttons with one label apart, for screen readers only; empty where the label is enough.
    pub about: Markup,
}

impl Default for Button<'_> {
    fn default() -> Self {
        Self { label: "", press: Press::Submit, weight: Weight::Quiet, is_small: false, about: Markup::default() }
    }
}

impl<'a> Button<'a> {
    /// Sends its form: the main action of the page.
    pub fn main(label: &'a str) -> Self {
        Self { label, weight: Weight::Main, ..Self::default() }
    }

    /// Sends its form.
    pub fn quiet(label: &'a str) -> Self {
        Self { label, ..Self::default() }
    }
}

impl Render for Button<'_> {
    fn render(&self) -> Markup {
        let class = match self.weight {
            Weight::Main => "button",
            Weight::Quiet => "button quiet",
            Weight::Danger => "button danger",
            Weight::Sure => "button danger sure",
        };
        let class = if self.is_small { format!("{class} small") } else { class.to_owned() };
        let words = html! { (self.label) (aside(&self.about)) };
        html! {
            @match self.press {
                Press::Submit => button class=(class) type="submit" { (words) },
                Press::SubmitTo(address) => button class=(class) type="submit" formaction=(address) { (words) },
                Press::SubmitAs(name, value) => {
                    button class=(class) type="submit" name=(name) value=(value) { (words) }
                }
                Press::Go(address) => a class=(class) href=(address) { (words) },
                Press::Beside(address) => a class=(class) href=(address) target="_blank" { (words) },
                Press::Open(id) => {
                    button class=(class) type="button" commandfor=(id) command="show-modal" { (words) }
                }
                Press::Close(id) => button class=(class) type="button" commandfor=(id) command="close" { (words) },
            }
        }
    }
}
