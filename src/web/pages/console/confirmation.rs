//! A confirmation page before an irreversible action. The button posts to the address of the page.

use maud::html;
use warp::http::StatusCode;

use crate::model::caller::Caller;
use crate::web::pages::console;
use crate::web::pages::ui::layout::csrf_field;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;
use crate::web::request::session;

pub struct Confirmation<'a> {
    /// The confirmation, with the name of what it is about.
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
        let texts = console::texts_of(&caller.user);
        let csrf = session::csrf(call);
        let base = call.app.config.base_path();
        let content = html! {
            div.wide {
                div.card.stack.narrow {
                    h1 { (self.title) }
                    p.lead { (self.text) }
                    form.row method="post" action={ (base) (call.path) } novalidate {
                        (csrf_field(&csrf))
                        button.button.danger.sure type="submit" { (self.button) }
                        a.button.quiet href={ (base) (self.back) } { (texts.say("question-no")) }
                    }
                }
            }
        };
        console::page(call, &caller.user, &csrf, texts, &self.title).answer(StatusCode::OK, &content)
    }
}
