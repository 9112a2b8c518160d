//! The page to create an account: the first one, or one by invitation.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::issue::Issue;
use crate::web::pages::console::{self, Posted, line, timezone_field, timezone_list, widgets};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::LineField;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::PlainCard;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;
use crate::web::request::session::{self, Visit};

/// The ids of the fields, and the text ids of their labels.
const FIELDS: [(&str, &str); 5] = [
    ("name", "account-name"),
    ("organization", "account-organization"),
    ("email", "account-email"),
    ("password", "account-password"),
    ("timezone", "account-timezone"),
];

/// The differences between the two pages.
pub struct AccountForm<'a> {
    /// The text id of the title.
    pub title: &'a str,
    /// The text id of the button.
    pub button: &'a str,
    /// Shown below the title.
    pub lead: Markup,
    /// Whether it asks for the name of a new organization.
    pub asks_organization: bool,
}

impl AccountForm<'_> {
    /// The page with the typed values and their faults.
    pub fn answer(&self, call: &Call, status: StatusCode, typed: &Posted, faults: &[Issue]) -> Answer {
        let texts = session::visitor_texts(call);
        let visit = Visit::of(call);
        let heading = texts.say(self.title);
        let title = widgets::page_title(texts, &heading, !faults.is_empty());
        let fields = html! {
            (line(texts, faults, LineField {
                name: "name",
                label: &texts.say("account-name"),
                value: typed.text("name"),
                autocomplete: "name",
                required: true,
                ..LineField::default()
            }))
            @if self.asks_organization {
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
            (Button::main(&texts.say(self.button)))
        };
        let csrf = visit.csrf(call);
        let content = html! {
            (PlainCard {
                title: &heading,
                content: html! {
                    (self.lead)
                    (widgets::fault_summary(texts, faults, &FIELDS))
                    (PostForm { csrf: &csrf, content: fields, ..PostForm::default() })
                },
                ..PlainCard::default()
            })
            (timezone_list())
        };
        let answer = console::plain_page(call, texts, &title)
            .script("timezone.js")
            .script("base_url.js")
            .script("password.js")
            .script(console::SUBMIT_ONCE)
            .answer(status, &content);
        visit.keep(&call.app.config, answer)
    }
}
