//! Required questions that no column of a file goes to. A script follows the choices.

use maud::{Markup, Render, html};

pub struct Missing<'a> {
    pub title: &'a str,
    /// The language of the names, if it is not the page's.
    pub lang: Option<&'a str>,
    /// Each required question: its code, its name, and whether a column goes there.
    pub questions: Vec<(&'a str, String, bool)>,
}

impl Render for Missing<'_> {
    fn render(&self) -> Markup {
        let is_whole = self.questions.iter().all(|(.., has_column)| *has_column);
        html! {
            @if !self.questions.is_empty() {
                div.message.warn #missing role="status" hidden[is_whole] {
                    h2 { (self.title) }
                    ul role="list" {
                        @for (code, name, has_column) in &self.questions {
                            li data-needs=(code) hidden[*has_column] lang=[self.lang] { bdi { (name) } }
                        }
                    }
                }
            }
        }
    }
}
