//! The default or the right answer of a question, with the buttons that take another one from the preview or none.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;

pub struct TakenValue<'a> {
    /// The beginning of its ids.
    pub id: &'static str,
    pub title: &'a str,
    /// The value in words, in this language; nothing if empty.
    pub text: &'a str,
    pub lang: Option<&'a str>,
    /// Said where there is none.
    pub none: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: &'a str,
    /// The code of the question: a script takes the value of its control in the preview.
    pub code: &'a str,
    /// The page on which the question is filled in, and where it is posted to.
    pub take: (&'a str, &'a str),
    /// Where the value is taken away.
    pub remove: (&'a str, &'a str),
    pub csrf: &'a str,
}

impl Render for TakenValue<'_> {
    fn render(&self) -> Markup {
        let id = self.id;
        html! {
            section.panel-default aria-labelledby={ (id) "-title" } {
                h3 id={ (id) "-title" } { (self.title) }
                @if self.text.is_empty() {
                    p.muted { (self.none) }
                } @else {
                    p.default-text lang=[self.lang] { bdi { (self.text) } }
                }
                p.notes id={ (id) "-notes" } { (self.notes) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                div.row {
                    a.button.quiet.small id={ (id) "-take" } href=(self.take.0) data-take=(self.code) data-csrf=(self.csrf)
                        aria-describedby={ (id) "-notes" } { (self.take.1) }
                    @if !self.text.is_empty() {
                        form method="post" action=(self.remove.0) {
                            (csrf_field(self.csrf))
                            button.button.quiet.small id={ (id) "-remove" } type="submit" { (self.remove.1) }
                        }
                    }
                }
            }
        }
    }
}
