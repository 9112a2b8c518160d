//! `/forgot-password`: asks for a link to set another password; `/reset-password/{token}`: the page of such a link.
//! Both exist only where mail is sent.

use maud::{Markup, html};
use warp::http::{StatusCode, header};

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::secret::Secret;
use crate::base::text::texts::Texts;
use crate::http::net;
use crate::ops::accounts::{password_reset, users};
use crate::web::pages::console::{self, Posted, line, sign_in, widgets};
use crate::web::pages::ui::layout::{LineField, Page, PageShape, Sign, Tone, csrf_field, message, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session::{self, Visit};

/// `GET /forgot-password`
pub fn show_request(call: &Call) -> Result<Reply> {
    password_reset::check_offered(call.app)?;
    Ok(request_view(call, StatusCode::OK, &html! {}, "", &[]).into())
}

/// `POST /forgot-password`: the answer is the same whether there is such an account.
pub fn request(call: &Call) -> Result<Reply> {
    password_reset::check_offered(call.app)?;
    if let Some(refused) = console::refused_visit(call)? {
        return Ok(refused.into());
    }
    let posted = Posted::of(call);
    let email = posted.text("email").trim();
    let fault = match email {
        "" => Some(Reason::Blank),
        email if !users::is_email(email) => Some(Reason::NotEmail),
        _ => None,
    };
    if let Some(reason) = fault {
        let faults = [Issue::new("email", reason)];
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(request_view(call, status, &html! {}, email, &faults).into());
    }
    let texts = session::visitor_texts(call);
    match password_reset::request(call.app, email, &net::address(call.client), call.now) {
        Ok(()) => Ok(sent(call, texts).into()),
        Err(Error::TooMany(secs)) => {
            let notice = message(Tone::Bad, &texts.say("sign-in-wait"), &sign_in::wait(texts, secs));
            let status = StatusCode::TOO_MANY_REQUESTS;
            let answer = request_view(call, status, &notice, email, &[]);
            Ok(answer.header(header::RETRY_AFTER, &secs.to_string()).into())
        }
        Err(other) => Err(other),
    }
}

/// `GET /reset-password/{token}`
pub fn show(call: &Call) -> Result<Reply> {
    let account = password_reset::account(call.app, call.param("token"))?;
    Ok(match account {
        Some(email) => reset_view(call, &email, StatusCode::OK, &[]).into(),
        None => spent(call).into(),
    })
}

/// `POST /reset-password/{token}`: sets the password and leads to the sign-in page.
pub fn submit(call: &Call) -> Result<Reply> {
    if let Some(refused) = console::refused_visit(call)? {
        return Ok(refused.into());
    }
    let posted = Posted::of(call);
    let password = Secret::new(posted.text("password").to_owned());
    let Some(email) = password_reset::account(call.app, call.param("token"))? else {
        return Ok(spent(call).into());
    };
    if password.reveal().is_empty() {
        let blank = [Issue::new("password", Reason::Blank)];
        return Ok(reset_view(call, &email, StatusCode::UNPROCESSABLE_ENTITY, &blank).into());
    }
    match password_reset::reset(call.app, call.param("token"), &password) {
        Ok(()) => Ok(session::to_page(&call.app.config, "/sign-in?password=new").into()),
        Err(Error::NotFound(Noun::Page)) => Ok(spent(call).into()),
        Err(other) => {
            let faults = console::faults(other, &posted)?;
            Ok(reset_view(call, &email, StatusCode::UNPROCESSABLE_ENTITY, &faults).into())
        }
    }
}

/// The page to ask for a link. It has one field: a fault is shown there.
fn request_view(call: &Call, status: StatusCode, notice: &Markup, email: &str, faults: &[Issue]) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let visit = Visit::of(call);
    let heading = texts.say("forgot-title");
    let title = widgets::page_title(texts, &heading, !faults.is_empty());
    let content = html! {
        div.card {
            h1 { (heading) }
            p.lead { (texts.say("forgot-lead")) }
            (notice)
            form method="post" action={ (config.base_path()) "/forgot-password" } novalidate {
                (csrf_field(&visit.csrf(call)))
                (line(texts, faults, LineField {
                    name: "email",
                    label: &texts.say("account-email"),
                    kind: "email",
                    value: email,
                    autocomplete: "username",
                    required: true,
                    ..LineField::default()
                }))
                button.button type="submit" { (texts.say("forgot-button")) }
            }
            p { a href={ (config.base_path()) "/sign-in" } { (texts.say("forgot-back")) } }
        }
    };
    let page = Page::new(config, texts, PageShape::Plain, &title).hidden_from_search().script(console::SUBMIT_ONCE);
    visit.keep(config, page.answer(status, &content))
}

fn sent(call: &Call, texts: &'static Texts) -> Answer {
    let config = &call.app.config;
    let title = texts.say("forgot-sent");
    let content = html! {
        div.card {
            (sign(Sign::Check))
            h1 { (title) }
            p.lead { (texts.say("forgot-sent-text")) }
            p.muted { (texts.say("forgot-sent-spam")) }
            p { a href={ (config.base_path()) "/sign-in" } { (texts.say("forgot-back")) } }
        }
    };
    Page::new(config, texts, PageShape::Plain, &title).hidden_from_search().answer(StatusCode::OK, &content)
}

fn reset_view(call: &Call, email: &str, status: StatusCode, faults: &[Issue]) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let visit = Visit::of(call);
    let heading = texts.say("reset-title");
    let title = widgets::page_title(texts, &heading, !faults.is_empty());
    let content = html! {
        div.card {
            h1 { (heading) }
            p.lead { (texts.say("reset-lead")) }
            form method="post" novalidate {
                (csrf_field(&visit.csrf(call)))
                // Tells password managers which account it is.
                input type="text" name="username" value=(email) autocomplete="username" readonly hidden;
                (line(texts, faults, LineField {
                    name: "password",
                    label: &texts.say("profile-password-new"),
                    notes: &texts.say("account-password-notes"),
                    kind: "password",
                    autocomplete: "new-password",
                    required: true,
                    ..LineField::default()
                }))
                button.button type="submit" { (texts.say("reset-button")) }
            }
        }
    };
    let page = Page::new(config, texts, PageShape::Plain, &title)
        .hidden_from_search()
        .script("password.js")
        .script(console::SUBMIT_ONCE);
    visit.keep(config, page.answer(status, &content))
}

fn spent(call: &Call) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let title = texts.say("setup-spent");
    let content = html! {
        div.card {
            (sign(Sign::Lock))
            h1 { (title) }
            p.lead { (texts.say("reset-spent-text")) }
            @if password_reset::is_offered(call.app) {
                p { a.button href={ (config.base_path()) "/forgot-password" } { (texts.say("reset-again")) } }
            }
        }
    };
    Page::new(config, texts, PageShape::Plain, &title).hidden_from_search().answer(StatusCode::NOT_FOUND, &content)
}
