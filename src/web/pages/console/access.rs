//! Rows of the profile's lists of tokens and third-party applications.

use maud::{Markup, html};

use crate::base::clock::Time;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::scope::Scopes;
use crate::web::pages::console::moment;
use crate::web::pages::console::tokens::scope_words;

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
    pub fn draw(&self, caller: &Caller, texts: &Texts) -> Markup {
        let (label, value) = &self.fact;
        html! {
            li {
                div.stack {
                    h3 { bdi { (self.name) } }
                    ul.scopes.small role="list" {
                        @for scope in self.scopes.iter() { li { (scope_words(texts, scope)) } }
                    }
                    p.small.muted {
                        (texts.say(label)) ": "
                        (value)
                        " · "
                        (texts.say("profile-token-used")) ": "
                        @match self.last_used_at {
                            Some(used) => (moment(&caller.user, used)),
                            None => (texts.say("profile-token-unused")),
                        }
                    }
                }
                a.button.danger.small href=(self.end_address) {
                    (texts.say(self.end_label))
                    span.visually-hidden { " " bdi { (self.name) } }
                }
            }
        }
    }
}
