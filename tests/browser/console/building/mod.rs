//! The builder with many questions: they are dragged over the whole list, what is typed saves itself, the preview follows
//! without a jump, and all of it is quick. And the way of a newcomer to the first answer.

mod dragging;
mod first_form;
mod preview;
mod saving;
mod speed;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};

struct Desk {
    server: Server,
    owner: Caller,
    browser: Browser,
}

/// A service with somebody signed in; none without a browser.
fn desk(look: Look) -> Option<Desk> {
    if !Browser::is_installed() {
        return None;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(look);
    sign_in(&browser, &server);
    Some(Desk { server, owner, browser })
}

impl Desk {
    /// A form of so many questions of common kinds.
    fn form(&self, count: usize) -> Form {
        let choices = json!([{"label": "Yes"}, {"label": "No"}, {"label": "Perhaps"}]);
        let kinds = [
            ("short_text", json!({})),
            ("radio", json!({ "choices": choices })),
            ("rating", json!({})),
            ("long_text", json!({})),
            ("date", json!({})),
            ("number", json!({})),
        ];
        let question = |at: usize| {
            let (kind, mut own) = kinds[at % kinds.len()].clone();
            own["label"] = json!(format!("Question {}: what would you like to say about it?", at + 1));
            field(kind, own)
        };
        let fields: Value = (0..count).map(question).collect();
        self.owner.form_with(json!({"name": format!("{count} questions"), "fields": fields}))
    }

    /// Opens the builder, with a question chosen if `field` names one, and waits until its scripts are there.
    fn build(&self, form: &Form, field: &str) {
        let chosen = if field.is_empty() { String::new() } else { format!("?field={field}") };
        self.browser.go(&format!("{}/forms/{}/build{chosen}", self.server.base, form.token));
        self.browser.until("document.querySelector('.outline[data-live]') !== null");
        if !field.is_empty() {
            self.browser.until("document.querySelector('#panel')?.dataset.live === ''");
        }
    }

    /// Waits until the frame shows the form's last question, and no other frame is on its way.
    fn previewed(&self, form: &Form) {
        let last = form.body["fields"].as_array().expect("fields").len();
        self.browser.until(&format!(
            "document.querySelectorAll('.builder-preview > iframe').length === 1
             && document.getElementById('preview')?.contentDocument?.querySelector('[data-field=field_{last}]')
             && document.getElementById('preview').contentDocument.readyState === 'complete'"
        ));
    }

    /// Puts the cursor behind the label of the chosen question.
    fn at_label(&self) {
        self.browser
            .run("const label = document.getElementById('label'); label.focus(); label.setSelectionRange(999, 999)");
    }

    fn saved(&self) {
        self.browser.until("document.querySelector('[data-save-chip]').dataset.state === 'saved'");
    }
}
