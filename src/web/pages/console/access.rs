//! Rows of the profile's lists of tokens and third-party applications.

use maud::{Markup, Render, html};

use crate::base::clock::Time;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::scope::Scopes;
use crate::web::pages::console::moment;
use crate::web::pages::console::tokens::scope_words;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::list::{Row, plain_list};
use crate::web::pages::ui::words::name;

/// A token or application with access to the account.
pub struct AccessRow<'a> {
    pub name: &'a str,
    pub scopes: Scopes,
    /// One more fact: text id of its label, and value.
    pub fact: (&'a str, Markup),
    pub last_used_at: Option<Time>,
    /// The address of the page that confirms the end of the access.
    pub end_address: String,
    /// The text id of the link to that page.
    pub end_label: &'a str,
}

impl AccessRow<'_> {
    pub fn row(&self, caller: &Caller, texts: &Texts) -> Row {
        let (label, value) = &self.fact;
        let used = match self.last_used_at {
            Some(used) => moment(&caller.user, used),
            None => html! { (texts.say("profile-token-unused")) },
        };
        Row {
            title: name(self.name),
            details: plain_list(self.scopes.iter().map(|scope| scope_words(texts, scope))),
            facts: vec![
                html! { (texts.say(label)) ": " (value) },
                html! { (texts.say("profile-token-used")) ": " (used) },
            ],
            actions: Button {
                label: &texts.say(self.end_label),
                press: Press::Go(&self.end_address),
                weight: Weight::Danger,
                is_small: true,
                about: name(self.name),
            }
            .render(),
            ..Row::default()
        }
    }
}
