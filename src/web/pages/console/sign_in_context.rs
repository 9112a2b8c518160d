//! What the sign-in page says of the page that is next: whose answer or access it is for. Nothing is said of a form that
//! its link alone does not show.

use crate::base::texts::Texts;
use crate::model::settings::OnePer;
use crate::ops::published::{self, Visitor};
use crate::web::call::Call;
use crate::web::pages::consent;
use crate::web::pages::console::widgets::isolated;
use crate::web::session;

/// The title of the sign-in page, and why to sign in where that is known.
pub fn words(call: &Call, texts: &Texts, next: &str) -> (String, Option<String>) {
    if let Some(name) = form(call, next) {
        return (
            texts.fill("sign-in-form-title", &[("form", isolated(&name).into())]),
            Some(texts.say("sign-in-form-text")),
        );
    }
    if let Some(name) = consent::app_of(call, next) {
        return (
            texts.fill("sign-in-app-title", &[("app", isolated(&name).into())]),
            Some(texts.say("sign-in-app-text")),
        );
    }
    (texts.say("sign-in-title"), None)
}

/// The name of the form that is next, where it asks for an account and anybody with its link sees it.
fn form(call: &Call, next: &str) -> Option<String> {
    let next = session::next(&call.app.config, next)?;
    let path = next.split('?').next()?;
    let rest = path.strip_prefix(call.app.config.base_path())?;
    let token = rest.strip_prefix("/f/")?.split('/').next()?;
    let visitor = Visitor {
        password: None,
        is_carried: false,
        address: "",
    };
    let published = published::show(call.app, token, visitor).ok()?;
    let asks = published
        .parsed
        .settings
        .submission_options
        .one_per_respondent
        == OnePer::Account;
    (asks && published.shows_fields()).then(|| published.form.name.clone())
}
