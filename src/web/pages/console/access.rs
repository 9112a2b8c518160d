//! What may act in somebody's name, as the profile lists it: their tokens, and applications of others.

use maud::{Markup, html};

use crate::base::clock::Time;
use crate::base::texts::Texts;
use crate::model::caller::Caller;
use crate::model::scope::Scopes;
use crate::web::pages::console::moment;
use crate::web::pages::console::tokens::scope_words;

/// One of them.
pub struct Access<'a> {
    /// What people call it.
    pub name: &'a str,
    /// What it may do.
    pub scopes: Scopes,
    /// What else is to be said of it: what that is, and what it comes to.
    pub said: (&'a str, Markup),
    /// When it was last used.
    pub used: Option<Time>,
    /// The address of the page that asks whether it is to end.
    pub end: String,
    /// What the way there says.
    pub button: &'a str,
}

impl Access<'_> {
    /// Its row in the list.
    pub fn row(&self, caller: &Caller, texts: &Texts) -> Markup {
        let (what, said) = &self.said;
        html! {
            li {
                div.stack {
                    h3 { bdi { (self.name) } }
                    ul.scopes.small role="list" {
                        @for scope in self.scopes.iter() { li { (scope_words(texts, scope)) } }
                    }
                    p.small.muted {
                        (texts.say(what)) ": "
                        (said)
                        " · "
                        (texts.say("profile-token-used")) ": "
                        @match self.used {
                            Some(used) => (moment(&caller.user, used)),
                            None => (texts.say("profile-token-unused")),
                        }
                    }
                }
                a.button.danger.small href=(self.end) {
                    (texts.say(self.button))
                    span.visually-hidden { " " bdi { (self.name) } }
                }
            }
        }
    }
}
