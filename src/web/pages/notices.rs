//! `/f/{form_token}/notices` ends the mail about a form's new entries to one address, and `…/notices/confirm` agrees to
//! it. The links in that mail are signed; nobody signs in here.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::ops::app::App;
use crate::ops::delivery::notice_addresses;
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// The address that a link of ours names, by the check of its signature.
fn checked(call: &Call, check: fn(&App, &str, &str, &str) -> Result<()>) -> Result<String> {
    let to = call.query("to").unwrap_or_default();
    let signature = call.query("s").unwrap_or_default();
    check(call.app, call.param("form_token"), &to, &signature)?;
    Ok(to)
}

/// `GET /f/{form_token}/notices`: asks first, since mail programs open links by themselves.
pub fn show(call: &Call) -> Result<Reply> {
    let to = checked(call, notice_addresses::check_stop)?;
    let texts = session::visitor_texts(call);
    let text = texts.fill("notices-text", &[("email", to.into())]);
    Ok(question(call, texts, &texts.say("notices-title"), &text, &texts.say("notices-button")))
}

/// `POST /f/{form_token}/notices`: by the button, or by a mail program (RFC 8058). The signature in the address is the
/// right to it, so it needs no page of ours before.
pub fn stop(call: &Call) -> Result<Reply> {
    let to = checked(call, notice_addresses::check_stop)?;
    notice_addresses::stop(call.app, call.param("form_token"), &to)?;
    let texts = session::visitor_texts(call);
    Ok(done(call, texts, &texts.say("notices-done"), &texts.say("notices-done-text")))
}

/// `GET /f/{form_token}/notices/confirm`
pub fn show_consent(call: &Call) -> Result<Reply> {
    let to = checked(call, notice_addresses::check_consent)?;
    let texts = session::visitor_texts(call);
    let text = texts.fill("notices-consent-text", &[("email", to.into())]);
    Ok(question(call, texts, &texts.say("notices-consent-title"), &text, &texts.say("notices-consent-button")))
}

/// `POST /f/{form_token}/notices/confirm`
pub fn confirm(call: &Call) -> Result<Reply> {
    let to = checked(call, notice_addresses::check_consent)?;
    notice_addresses::confirm(call.app, call.param("form_token"), &to)?;
    let texts = session::visitor_texts(call);
    Ok(done(call, texts, &texts.say("notices-consent-done"), &texts.say("notices-consent-done-text")))
}

fn question(call: &Call, texts: &'static Texts, title: &str, text: &str, button: &str) -> Reply {
    let content = html! {
        div.card {
            (sign(Sign::Question))
            h1 { (title) }
            p.lead { (text) }
            form method="post" { button.button type="submit" { (button) } }
        }
    };
    answer(call, texts, title, &content)
}

fn done(call: &Call, texts: &'static Texts, title: &str, text: &str) -> Reply {
    let content = html! {
        div.card {
            (sign(Sign::Check))
            h1 { (title) }
            p.lead { (text) }
        }
    };
    answer(call, texts, title, &content)
}

fn answer(call: &Call, texts: &'static Texts, title: &str, content: &Markup) -> Reply {
    let page = Page::new(&call.app.config, texts, PageShape::Plain, title).hidden_from_search();
    page.answer(StatusCode::OK, content).into()
}
