//! A confirmation page before an irreversible action. The button posts to the address of the page.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::model::caller::Caller;
use crate::web::pages::console;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::section::Question;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;
use crate::web::request::session;

pub struct Confirmation<'a> {
    /// The question, naming the subject.
    pub title: String,
    /// The consequences.
    pub text: String,
    /// The label of the button that confirms.
    pub button: String,
    /// The path to go back to, below the base address.
    pub back: &'a str,
}

impl Confirmation<'_> {
    pub fn answer(&self, call: &Call, caller: &Caller) -> Answer {
        self.named(call, caller, &self.title)
    }

    /// The same, with another title in the browser's tabs.
    pub fn named(&self, call: &Call, caller: &Caller, page_title: &str) -> Answer {
        let texts = console::texts_of(&caller.user);
        let csrf = session::csrf(call);
        let base = call.app.config.base_path();
        let buttons = html! {
            (Button { label: &self.button, weight: Weight::Sure, ..Button::default() })
            (Button {
                label: &texts.say("question-no"),
                press: Press::Go(&format!("{base}{}", self.back)),
                ..Button::default()
            })
        };
        let action = format!("{base}{}", call.path);
        let content = Question {
            sign: None,
            title: &self.title,
            text: &self.text,
            content: PostForm { action: &action, csrf: &csrf, content: buttons, is_row: true, ..PostForm::default() }
                .render(),
        };
        console::page(call, &caller.user, &csrf, texts, page_title).answer(StatusCode::OK, &content.render())
    }
}
