//! Texts between parts: a lead, a quieter text, facts in one line.

use maud::{Markup, Render, html};

/// The sentence below a page's title.
pub fn lead(text: impl Render) -> Markup {
    html! { p.lead { (text) } }
}

/// A text that recedes.
pub fn muted(text: impl Render) -> Markup {
    html! { p.muted { (text) } }
}

/// Small print.
pub fn small(text: impl Render) -> Markup {
    html! { p.small.muted { (text) } }
}

/// Controls and links in one line, as far as they fit.
pub fn row(content: impl Render) -> Markup {
    html! { div.row { (content) } }
}

/// A command or a text for a terminal.
pub fn code_block(text: impl Render) -> Markup {
    html! { pre.wrap { code { (text) } } }
}

/// A name for programmers, beside its words.
pub fn code(text: &str) -> Markup {
    html! { code.small.muted { (text) } }
}

/// For screen readers only.
pub fn aside(text: &Markup) -> Markup {
    html! { @if !text.0.is_empty() { span.visually-hidden { " " (text) } } }
}

/// A name that somebody chose: its direction may differ from the page's.
pub fn name(text: &str) -> Markup {
    html! { bdi { (text) } }
}

/// Facts in one line; empty ones are left out.
pub fn joined(facts: &[Markup]) -> Markup {
    let facts = facts.iter().filter(|fact| !fact.0.is_empty());
    html! { @for (at, fact) in facts.enumerate() { @if at > 0 { " · " } (fact) } }
}

/// Names with their values, one below the other.
pub fn facts(pairs: &[(&str, Markup)]) -> Markup {
    html! {
        dl.facts {
            @for (term, value) in pairs { dt { (term) } dd { (value) } }
        }
    }
}
