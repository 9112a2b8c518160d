//! Forms that change something.

use maud::{Markup, Render, html};

/// A post of a signed-in page, or of one that leads there. The server alone checks the typed values.
#[derive(Default)]
pub struct PostForm<'a> {
    /// The page's own address if empty.
    pub action: &'a str,
    pub csrf: &'a str,
    pub content: Markup,
    /// In one line: the form of a row.
    pub is_row: bool,
    /// Whether one of its inputs is a file.
    pub has_file: bool,
}

impl Render for PostForm<'_> {
    fn render(&self) -> Markup {
        let action = (!self.action.is_empty()).then_some(self.action);
        html! {
            form class=[self.is_row.then_some("row")] method="post" action=[action]
                enctype=[self.has_file.then_some("multipart/form-data")] novalidate {
                (csrf_field(self.csrf))
                (self.content)
            }
        }
    }
}

/// Asks for another page, with the rest of an address kept.
pub struct AskForm<'a> {
    pub action: &'a str,
    pub kept: Vec<(&'static str, String)>,
    pub content: Markup,
}

impl Render for AskForm<'_> {
    fn render(&self) -> Markup {
        html! {
            form method="get" action=(self.action) {
                @for (name, value) in &self.kept { (hidden(name, value)) }
                (self.content)
            }
        }
    }
}

/// An input that nobody sees.
pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// The hidden CSRF field of every form on signed-in pages (S20).
pub fn csrf_field(token: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(token); }
}

/// Tells password managers which account a new password is for.
pub fn account_of_password(email: &str) -> Markup {
    html! { input type="text" name="username" value=(email) autocomplete="username" readonly hidden; }
}
