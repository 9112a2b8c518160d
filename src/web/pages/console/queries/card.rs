//! The card of a form's public queries on the page that shares the form.

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::base::json::Json;
use crate::model::page::PageRequest;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::queries::{Listed, word};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{muted, name};

/// As many as can be read at a glance.
const SHOWN: usize = 5;

/// # Errors
/// 403.
pub fn section(frame: &FormFrame) -> Result<Markup> {
    let listed = Listed::load(frame.call, frame.caller, &PageRequest { size: SHOWN, after: None })?;
    let texts = frame.texts;
    let more = listed.queries.total - i64::try_from(listed.queries.rows.len()).unwrap_or_default();
    let row = |query: &Json| {
        let (_, state, _) = listed.state(texts, query);
        let address = frame.address(&format!("queries/{}", word(query, "token")));
        Row {
            title: html! { a href=(address) { (name(word(query, "name"))) } },
            facts: vec![html! { (state) }],
            ..Row::default()
        }
    };
    let all = Button {
        label: &texts.say(if listed.queries.rows.is_empty() { "queries-card-first" } else { "queries-card-all" }),
        press: Press::Go(&frame.address("queries")),
        ..Button::default()
    };
    let section = Section {
        id: "queries",
        title: html! { (texts.say("queries-card")) },
        text: &texts.say("queries-card-text"),
        content: html! {
            @if !listed.queries.rows.is_empty() { (list(listed.queries.rows.iter().map(row))) }
            @if more > 0 { (muted(texts.fill("queries-card-more", &[("count", more.into())]))) }
            (all)
        },
    };
    Ok(section.render())
}
