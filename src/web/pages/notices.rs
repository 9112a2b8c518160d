//! `/f/{form_token}/notices`: ends the mail about a form's new entries to one address. The link in that mail is signed;
//! nobody signs in here.

use maud::html;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::ops::notifications;
use crate::web::call::Call;
use crate::web::pages::layout::{Page, PageShape, Sign, sign};
use crate::web::reply::Reply;
use crate::web::session;

/// The address that a link of ours names.
fn checked(call: &Call) -> Result<String> {
    let to = call.query("to").unwrap_or_default();
    let signature = call.query("s").unwrap_or_default();
    notifications::check_stop(call.app, call.param("form_token"), &to, &signature)?;
    Ok(to)
}

/// `GET /f/{form_token}/notices`: asks first, since mail programs open links by themselves.
pub fn show(call: &Call) -> Result<Reply> {
    let to = checked(call)?;
    let texts = session::visitor_texts(call);
    let title = texts.say("notices-title");
    let content = html! {
        div.card {
            (sign(Sign::Question))
            h1 { (title) }
            p.lead { (texts.fill("notices-text", &[("email", to.into())])) }
            form method="post" { button.button type="submit" { (texts.say("notices-button")) } }
        }
    };
    let page = Page::new(&call.app.config, texts, PageShape::Plain, &title).hidden_from_search();
    Ok(page.answer(StatusCode::OK, &content).into())
}

/// `POST /f/{form_token}/notices`: by the button, or by a mail program (RFC 8058). The signature in the address is the
/// right to it, so it needs no page of ours before.
pub fn stop(call: &Call) -> Result<Reply> {
    let to = checked(call)?;
    notifications::stop(call.app, call.param("form_token"), &to)?;
    let texts = session::visitor_texts(call);
    let title = texts.say("notices-done");
    let content = html! {
        div.card {
            (sign(Sign::Check))
            h1 { (title) }
            p.lead { (texts.say("notices-done-text")) }
        }
    };
    let page = Page::new(&call.app.config, texts, PageShape::Plain, &title).hidden_from_search();
    Ok(page.answer(StatusCode::OK, &content).into())
}
