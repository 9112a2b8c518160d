//! The changes and the losses of publishing.

use maud::{Markup, Render, html};

/// A line of the list of changes.
pub struct ChangeLine {
    /// Added, removed, changed.
    pub sign: &'static str,
    pub text: Markup,
    /// The details; none if empty.
    pub details: String,
}

pub struct Changes {
    pub lines: Vec<ChangeLine>,
}

impl Render for Changes {
    fn render(&self) -> Markup {
        html! {
            ul.changes role="list" {
                @for line in &self.lines {
                    li data-sign=(line.sign) {
                        (line.text)
                        @if !line.details.is_empty() { span.muted { " – " (line.details) } }
                    }
                }
            }
        }
    }
}

/// Two texts of one question: the draft's and the published one.
pub struct Versions<'a> {
    pub title: Markup,
    pub pairs: Vec<(String, String, String)>,
    /// The words before each, with their colon.
    pub mine: &'a str,
    pub theirs: &'a str,
    pub actions: Markup,
}

impl Render for Versions<'_> {
    fn render(&self) -> Markup {
        html! {
            div.versions.stack {
                h3 { (self.title) }
                dl.facts {
                    @for (what, mine, theirs) in &self.pairs {
                        dt { (what) }
                        dd { strong { (self.mine) } bdi { (mine) } }
                        dd { strong { (self.theirs) } bdi { (theirs) } }
                    }
                }
                div.row { (self.actions) }
            }
        }
    }
}

/// The faults that keep a draft from being published, each with a link to its question. Nothing if there are none.
pub struct Hindrances<'a> {
    pub title: &'a str,
    /// Addresses and texts.
    pub lines: Vec<(String, String)>,
}

impl Render for Hindrances<'_> {
    fn render(&self) -> Markup {
        html! {
            @if !self.lines.is_empty() {
                div.message.bad role="alert" {
                    h2 { (self.title) }
                    ul role="list" {
                        @for (address, text) in &self.lines { li { a href=(address) { (text) } } }
                    }
                }
            }
        }
    }
}
