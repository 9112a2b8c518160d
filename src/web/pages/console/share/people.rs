//! The people whom the form is shared with, for its managers; its own page changes that.

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::model::page::PageRequest;
use crate::model::role::Role;
use crate::ops::accounts::collaborators;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::words::{muted, name};

/// As many as can be read at a glance.
const SHOWN: usize = 5;

/// # Errors
/// 403.
pub fn section(frame: &FormFrame) -> Result<Markup> {
    let page = PageRequest { size: SHOWN, after: None };
    let shared = collaborators::list(frame.call.app, frame.caller, frame.view.form.token.as_str(), &page)?;
    let more = shared.total - i64::try_from(shared.rows.len()).unwrap_or_default();
    let manage = Button {
        label: &frame.say("share-people-button"),
        press: Press::Go(&frame.address("people")),
        ..Button::default()
    };
    let section = Section {
        id: "people",
        title: html! { (frame.say("sharing-people")) },
        content: html! {
            @if shared.rows.is_empty() {
                (EmptyState { text: &frame.say("sharing-none"), ..EmptyState::default() })
            } @else {
                (list(shared.rows.iter().map(|one| Row {
                    title: name(&one.user.name),
                    facts: vec![html! { (role(frame.texts, one.role)) }, name(&one.user.email)],
                    ..Row::default()
                })))
            }
            @if more > 0 { (muted(frame.texts.fill("share-people-more", &[("count", more.into())]))) }
            (manage)
        },
        ..Section::default()
    };
    Ok(section.render())
}

fn role(texts: &Texts, role: Role) -> String {
    texts.say(match role {
        Role::Viewer => "sharing-viewer",
        Role::Editor => "sharing-editor",
        Role::Manager | Role::Owner => "sharing-manager",
    })
}
