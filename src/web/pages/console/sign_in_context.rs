//! The heading of the sign-in page: names the form or the application that needs the sign-in. It names no form that
//! its link alone would not show.

use crate::base::text::texts::Texts;
use crate::model::settings::OnePer;
use crate::ops::forms::published::{self, Visitor};
use crate::web::pages::consent;
use crate::web::pages::console::widgets::isolated;
use crate::web::request::call::Call;
use crate::web::request::session;

/// The title of the sign-in page, and the reason to sign in if known.
pub fn heading(call: &Call, texts: &Texts, next: &str) -> (String, Option<String>) {
    if let Some(name) = form_name(call, next) {
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

/// The name of the form that `next` leads to, if it requires an account and is visible to anyone with its link.
fn form_name(call: &Call, next: &str) -> Option<String> {
    let next = session::next(&call.app.config, next)?;
    let path = next.split('?').next()?;
    let rest = path.strip_prefix(call.app.config.base_path())?;
    let token = rest.strip_prefix("/f/")?.split('/').next()?;
    let visitor = Visitor { password: None, is_carried: false, address: "" };
    let published = published::show(call.app, token, visitor).ok()?;
    let asks = published.parsed.settings.submission_options.one_per_respondent == OnePer::Account;
    (asks && published.shows_fields()).then(|| published.form.name.clone())
}
