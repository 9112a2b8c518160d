//! `/setup/{token}`: makes the first account. Looking at the page does not spend the link (S22).

use maud::html;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::secret::Secret;
use crate::ops::setup::{self, Made};
use crate::ops::users::NewAccount;
use crate::web::call::Call;
use crate::web::pages::console::new_account::AccountForm;
use crate::web::pages::console::{self, Posted, curl_form};
use crate::web::pages::layout::{Page, Shape, Sign, csrf_field, sign};
use crate::web::reply::{Answer, Reply};
use crate::web::session;

/// `GET /setup/{token}`
pub fn show(call: &Call) -> Result<Reply> {
    if !setup::is_live(call.app, call.param("token"))? {
        return Ok(spent(call).into());
    }
    let typed = Posted(vec![("timezone".to_owned(), "UTC".to_owned())]);
    Ok(view(call, StatusCode::OK, &typed, &[]).into())
}

/// `POST /setup/{token}`
pub fn submit(call: &Call) -> Result<Reply> {
    if let Some(refused) = console::checked(call)? {
        return Ok(refused.into());
    }
    let posted = Posted::of(call);
    let text = |name: &str| posted.text(name).to_owned();
    let texts = session::visitor_texts(call);
    let account = NewAccount {
        email: text("email"),
        name: text("name"),
        organization: Some(text("organization")),
        password: Some(Secret::new(text("password"))),
        locale: texts.locale().to_owned(),
        timezone: text("timezone"),
    };
    let token_name = texts.say("setup-token-name");
    match setup::spend(call.app, call.param("token"), account, &token_name) {
        Ok(made) => Ok(welcome(call, &made).into()),
        Err(Error::NotFound(Noun::Page)) => Ok(spent(call).into()),
        Err(other) => {
            let faults = console::faults(other)?;
            Ok(view(call, StatusCode::UNPROCESSABLE_ENTITY, &posted, &faults).into())
        }
    }
}

/// The link does not work; whoever has just used it is led on.
fn spent(call: &Call) -> Answer {
    let config = &call.app.config;
    if session::text(call).is_some() {
        return session::to_page(config, "/profile");
    }
    let texts = session::visitor_texts(call);
    let title = texts.say("setup-spent");
    let content = html! {
        div.card {
            (sign(Sign::Lock))
            h1 { (title) }
            p.lead { (texts.say("setup-spent-text")) }
            pre { code { "formsvc setup-link" } }
            p { a.button href={ (config.base_path()) "/sign-in" } { (texts.say("sign-in-title")) } }
        }
    };
    Page::new(config, texts, Shape::Plain, &title)
        .hidden_from_search()
        .answer(StatusCode::NOT_FOUND, &content)
}

fn view(call: &Call, status: StatusCode, typed: &Posted, faults: &[Issue]) -> Answer {
    let texts = session::visitor_texts(call);
    let page = AccountForm {
        title: "setup-title",
        button: "setup-button",
        lead: html! { p.lead { (texts.say("setup-lead")) } },
        founds: true,
    };
    page.answer(call, status, typed, faults)
}

/// The first page of a new account: its token, once, and what to do first.
fn welcome(call: &Call, made: &Made) -> Answer {
    let config = &call.app.config;
    let user = &made.signed_in.user;
    let texts = console::texts_of(user);
    let csrf = session::csrf_of(call, &made.signed_in.session);
    let title = texts.say("welcome-title");
    let token = made.token.reveal();
    let content = html! {
        div.wide.stack {
            (sign(Sign::Check))
            h1 { (title) }
            p.lead { (texts.say("welcome-lead")) }
            section.card.stack {
                h2 { (texts.say("welcome-sample")) }
                p { (texts.say("welcome-sample-text")) }
                form method="post" action={ (config.base_path()) "/profile/sample-form" } {
                    (csrf_field(&csrf))
                    button.button type="submit" { (texts.say("sample-button")) }
                }
            }
            section.card.stack {
                h2 { (texts.say("welcome-token")) }
                p { (texts.say("welcome-token-text")) }
                pre.wrap { code #token { (token) } }
                p { (texts.say("welcome-curl")) }
                pre.wrap { code #curl { (curl_form(call, texts, token)) } }
            }
            p { a href={ (config.base_path()) "/profile" } { (texts.say("welcome-on")) } }
        }
    };
    let answer = console::page(call, user, &csrf, texts, &title).answer(StatusCode::OK, &content);
    session::begin(config, answer, &made.signed_in)
}
