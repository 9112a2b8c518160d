//! Answers of an entry: beside their questions, and in the cells of a table.

use maud::{Markup, Render, html};

/// Questions with their answers, one below the other.
pub struct Answers {
    /// The questions with their answers; an answer is empty where there is none.
    pub lines: Vec<(Markup, Markup)>,
    /// Stands where there is no answer.
    pub blank: String,
}

impl Render for Answers {
    fn render(&self) -> Markup {
        html! {
            dl.answers {
                @for (label, value) in &self.lines {
                    div {
                        dt { (label) }
                        @if value.0.is_empty() { dd.muted { (self.blank) } } @else { dd { (value) } }
                    }
                }
            }
        }
    }
}

/// A text that is cut after two lines.
pub fn clipped(text: &str, lang: Option<&str>) -> Markup {
    html! { @if !text.is_empty() { span.clipped dir="auto" lang=[lang] { (text) } } }
}

/// The lines of a value.
pub fn lines(lines: &[String], lang: Option<&str>) -> Markup {
    html! {
        @match lines {
            [] => {},
            [line] => span.lines dir="auto" lang=[lang] { (line) },
            lines => ul.plain-lines { @for line in lines { li.lines dir="auto" lang=[lang] { (line) } } },
        }
    }
}

/// A value that leads to a page.
pub fn linked(address: &str, value: &Markup) -> Markup {
    html! { a href=(address) { (value) } }
}

/// A text to copy as a whole, with its name for screen readers.
pub fn text_to_copy(id: &str, name: &str, text: &str) -> Markup {
    html! { textarea.input.to-copy id=(id) aria-label=(name) rows="10" readonly { (text) } }
}

/// An address to copy.
pub fn address_to_copy(id: &str, name: &str, address: &str) -> Markup {
    html! { input.input.to-copy id=(id) type="text" aria-label=(name) value=(address) dir="ltr" readonly; }
}

pub struct FileLink<'a> {
    pub address: &'a str,
    /// Empty for a picture that was drawn on the page.
    pub name: &'a str,
    /// The name of a picture for screen readers.
    pub picture: &'a str,
    pub size: String,
    pub content_type: &'a str,
}

/// Pictures and sounds in place, others as links.
pub fn files(files: &[FileLink]) -> Markup {
    html! {
        ul.entry-files role="list" {
            @for file in files {
                li {
                    @if file.content_type.starts_with("image/") {
                        a href=(file.address) {
                            img src=(file.address) alt=(file.picture) loading="lazy" decoding="async";
                        }
                    } @else if file.content_type.starts_with("audio/") {
                        audio controls preload="none" src=(file.address) {}
                    }
                    @if !file.name.is_empty() {
                        p { a href=(file.address) { bdi { (file.name) } } " " span.muted { (file.size) } }
                    }
                }
            }
        }
    }
}
