//! `/forgot-password`: asks for a link to set another password; `/reset-password/{token}`: the page of such a link.
//! Both exist only where mail is sent.

use maud::{Markup, Render, html};
use warp::http::{StatusCode, header};

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::secret::Secret;
use crate::base::text::texts::Texts;
use crate::http::net;
use crate::ops::accounts::{password_reset, users};
use crate::web::pages::console::{self, Posted, line, sign_in, widgets};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::LineField;
use crate::web::pages::ui::form::{PostForm, account_of_password};
use crate::web::pages::ui::head::PlainCard;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::words::muted;
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
    let base = config.base_path();
    let fields = html! {
        (line(texts, faults, LineField {
            name: "email",
            label: &texts.say("account-email"),
            kind: "email",
            value: email,
            autocomplete: "username",
            required: true,
            ..LineField::default()
        }))
        (Button::main(&texts.say("forgot-button")))
    };
    let action = format!("{base}/forgot-password");
    let content = PlainCard {
        title: &heading,
        lead: html! { (texts.say("forgot-lead")) },
        content: html! {
            (notice)
            (PostForm { action: &action, csrf: &visit.csrf(call), content: fields, ..PostForm::default() })
            (back_to_sign_in(call, texts))
        },
        ..PlainCard::default()
    };
    let page = console::plain_page(call, texts, &title).script(console::SUBMIT_ONCE);
    visit.keep(config, page.answer(status, &content.render()))
}

fn back_to_sign_in(call: &Call, texts: &Texts) -> Markup {
    html! { p { a href={ (call.app.config.base_path()) "/sign-in" } { (texts.say("forgot-back")) } } }
}

fn sent(call: &Call, texts: &'static Texts) -> Answer {
    let title = texts.say("forgot-sent");
    let content = PlainCard {
        sign: Some(Sign::Check),
        title: &title,
        lead: html! { (texts.say("forgot-sent-text")) },
        content: html! {
            (muted(texts.say("forgot-sent-spam")))
            (back_to_sign_in(call, texts))
        },
    };
    console::plain_page(call, texts, &title).answer(StatusCode::OK, &content.render())
}

fn reset_view(call: &Call, email: &str, status: StatusCode, faults: &[Issue]) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let visit = Visit::of(call);
    let heading = texts.say("reset-title");
    let title = widgets::page_title(texts, &heading, !faults.is_empty());
    let fields = html! {
        (account_of_password(email))
        (line(texts, faults, LineField {
            name: "password",
            label: &texts.say("profile-password-new"),
            notes: &texts.say("account-password-notes"),
            kind: "password",
            autocomplete: "new-password",
            required: true,
            ..LineField::default()
        }))
        (Button::main(&texts.say("reset-button")))
    };
    let content = PlainCard {
        title: &heading,
        lead: html! { (texts.say("reset-lead")) },
        content: PostForm { csrf: &visit.csrf(call), content: fields, ..PostForm::default() }.render(),
        ..PlainCard::default()
    };
    let page = console::plain_page(call, texts, &title).script("password.js").script(console::SUBMIT_ONCE);
    visit.keep(config, page.answer(status, &content.render()))
}

fn spent(call: &Call) -> Answer {
    let texts = session::visitor_texts(call);
    let title = texts.say("setup-spent");
    let again = Button {
        label: &texts.say("reset-again"),
        press: Press::Go(&format!("{}/forgot-password", call.app.config.base_path())),
        weight: Weight::Main,
        ..Button::default()
    }
    .render();
    let content = PlainCard {
        sign: Some(Sign::Lock),
        title: &title,
        lead: html! { (texts.say("reset-spent-text")) },
        content: html! { @if password_reset::is_offered(call.app) { p { (again) } } },
    };
    console::plain_page(call, texts, &title).answer(StatusCode::NOT_FOUND, &content.render())
}
