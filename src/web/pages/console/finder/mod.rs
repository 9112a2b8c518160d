//! The way to anything by its name, on every signed-in page: a dialog that a key opens, and its requests to the server.

use maud::{Markup, Render};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::ops::forms::find::{self, Found};
use crate::web::pages::console;
use crate::web::pages::ui::finder::Finder;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// `GET /find`: `{"data": [{"kind": …, "name": …, "url": …}]}`, the matches of `q`; within `form`, if that names one.
pub fn find(call: &Call, caller: &Caller) -> Result<Reply> {
    let text = call.query("q").unwrap_or_default();
    let form = call.query("form");
    let texts = console::texts_of(&caller.user);
    let base = call.app.config.base_path();
    let found = find::find(call.app, caller, &text, form.as_deref())?;
    let rows = found.into_iter().map(|found| match found {
        Found::Form { token, name } => json!({"kind": "form", "name": name, "url": format!("{base}/forms/{token}")}),
        Found::Question { form, code, label } => {
            let name = if label.is_empty() { texts.say("form-unnamed") } else { label };
            json!({"kind": "question", "name": name, "url": format!("{base}/forms/{form}/build?field={code}")})
        }
        Found::Entry { form, serial } => {
            let name = texts.fill("entries-entry", &[("serial", serial.into())]);
            json!({"kind": "entry", "name": name, "url": format!("{base}/forms/{form}/entries/{serial}")})
        }
    });
    let body = json!({"data": rows.collect::<Vec<_>>()});
    Ok(Answer::json_text(StatusCode::OK, body.to_string()).into())
}

/// The dialog of a page.
pub fn dialog(call: &Call, texts: &Texts) -> Markup {
    let form = call.param("form_token");
    let of_form = if form.is_empty() { String::new() } else { format!("?form={form}") };
    let kinds = ["form", "question", "entry", "page", "act"].map(|kind| (kind, texts.say(&format!("finder-{kind}"))));
    Finder {
        address: &format!("{}/find{of_form}", call.app.config.base_path()),
        label: &texts.say("finder"),
        hint: &texts.say(if form.is_empty() { "finder-hint" } else { "finder-hint-form" }),
        none: &texts.say("finder-none"),
        count: &texts.say("finder-count"),
        kinds: &kinds,
    }
    .render()
}
