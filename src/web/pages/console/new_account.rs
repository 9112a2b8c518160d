//! The page on which somebody makes their account: the first one, or one that an invitation leads to.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::issue::Issue;
use crate::web::call::Call;
use crate::web::pages::console::{self, Posted, line, timezone_field, timezone_list, widgets};
use crate::web::pages::layout::{LineField, Page, Shape, csrf_field};
use crate::web::reply::Answer;
use crate::web::session::{self, Visit};

/// The ids of the fields, and of their labels' words.
const FIELDS: [(&str, &str); 5] = [
    ("name", "account-name"),
    ("organization", "account-organization"),
    ("email", "account-email"),
    ("password", "account-password"),
    ("timezone", "account-timezone"),
];

/// What sets one such page apart.
pub struct AccountForm<'a> {
    /// Its words in the locales: title and button.
    pub title: &'a str,
    /// The button's.
    pub button: &'a str,
    /// What stands under the title.
    pub lead: Markup,
    /// Whether the organisation gets its name here too.
    pub founds: bool,
}

impl AccountForm<'_> {
    /// The page, with what was typed and what is wrong with it.
    pub fn answer(
        &self,
        call: &Call,
        status: StatusCode,
        typed: &Posted,
        faults: &[Issue],
    ) -> Answer {
        let config = &call.app.config;
        let texts = session::visitor_texts(call);
        let visit = Visit::of(call);
        let heading = texts.say(self.title);
        let title = widgets::title(texts, &heading, !faults.is_empty());
        let content = html! {
            div.card {
                h1 { (heading) }
                (self.lead)
                (widgets::summary(texts, faults, &FIELDS))
                form method="post" novalidate {
                    (csrf_field(&visit.csrf(call)))
                    (line(texts, faults, LineField {
                        name: "name",
                        label: &texts.say("account-name"),
                        value: typed.text("name"),
                        autocomplete: "name",
                        required: true,
                        ..LineField::default()
                    }))
                    @if self.founds {
                        (line(texts, faults, LineField {
                            name: "organization",
                            label: &texts.say("account-organization"),
                            notes: &texts.say("account-organization-notes"),
                            value: typed.text("organization"),
                            autocomplete: "organization",
                            required: true,
                            ..LineField::default()
                        }))
                    }
                    (line(texts, faults, LineField {
                        name: "email",
                        label: &texts.say("account-email"),
                        kind: "email",
                        value: typed.text("email"),
                        autocomplete: "username",
                        required: true,
                        ..LineField::default()
                    }))
                    (line(texts, faults, LineField {
                        name: "password",
                        label: &texts.say("account-password"),
                        notes: &texts.say("account-password-notes"),
                        kind: "password",
                        autocomplete: "new-password",
                        required: true,
                        ..LineField::default()
                    }))
                    (timezone_field(texts, faults, typed.text("timezone"), faults.is_empty()))
                    button.button type="submit" { (texts.say(self.button)) }
                }
            }
            (timezone_list())
        };
        let answer = Page::new(config, texts, Shape::Plain, &title)
            .hidden_from_search()
            .script("timezone.js")
            .script("base_url.js")
            .script("password.js")
            .script(console::SUBMIT_ONCE)
            .answer(status, &content);
        visit.keep(config, answer)
    }
}
