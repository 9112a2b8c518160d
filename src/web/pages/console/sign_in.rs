//! `/sign-in` and `/sign-out`.

use maud::{Markup, Render, html};
use warp::http::{StatusCode, header};

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::secret::Secret;
use crate::base::text::texts::Texts;
use crate::http::net;
use crate::model::caller::Caller;
use crate::ops::accounts::sign_in::{self, Attempt, SignInOutcome};
use crate::ops::accounts::{password_reset, sessions, setup};
use crate::web::pages::consent;
use crate::web::pages::console::{self, Posted, line, sign_in_context, widgets};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::LineField;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::PlainCard;
use crate::web::pages::ui::layout::Page;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session::{self, Visit};

/// The ids of the fields, and the text ids of their labels.
const FIELDS: [(&str, &str); 2] = [("email", "account-email"), ("password", "account-password")];

/// `GET /sign-in`
pub fn show(call: &Call) -> Result<Reply> {
    let next = call.query("next").unwrap_or_default();
    if session::cookie_value(call).is_some() && session::caller(call)?.is_ok() {
        return Ok(to_next(call, &next).into());
    }
    let texts = session::visitor_texts(call);
    let notice = if setup::is_needed(call.app)? {
        let text = texts.say("sign-in-nobody-text");
        message(Tone::Note, &texts.say("sign-in-nobody"), &text)
    } else if call.query("password").is_some() {
        let text = texts.say("reset-done-text");
        message(Tone::Good, &texts.say("reset-done"), &text)
    } else {
        html! {}
    };
    Ok(view(call, StatusCode::OK, &notice, "", &next, &[]).into())
}

/// `POST /sign-in`
pub fn submit(call: &Call) -> Result<Reply> {
    if let Some(refused) = console::refused_visit(call)? {
        return Ok(refused.into());
    }
    let posted = Posted::of(call);
    let (email, next) = (posted.text("email"), posted.text("next"));
    let blank = blank_faults(&posted, &FIELDS);
    if !blank.is_empty() {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(view(call, status, &html! {}, email, next, &blank).into());
    }
    let (address, network) = origin(call);
    let outcome = sign_in::sign_in(
        call.app,
        Attempt {
            email,
            password: Secret::new(posted.text("password").to_owned()),
            address: &address,
            network: &network,
            device: session::device(call),
            session: session::cookie_value(call),
            agent: session::agent(call),
            now: call.now,
        },
    )?;
    let texts = session::visitor_texts(call);
    Ok(match outcome {
        SignInOutcome::In(signed_in) => session::begin(&call.app.config, to_next(call, next), &signed_in).into(),
        SignInOutcome::SecondStep(ticket) => {
            let nothing = html! {};
            code_view(call, StatusCode::OK, &nothing, &ticket, next, &[]).into()
        }
        SignInOutcome::Refused => {
            let text = texts.say("sign-in-refused-text");
            let notice = message(Tone::Bad, &texts.say("sign-in-refused"), &text);
            view(call, StatusCode::UNPROCESSABLE_ENTITY, &notice, email, next, &[]).into()
        }
        SignInOutcome::Wait(secs) => {
            let notice = message(Tone::Bad, &texts.say("sign-in-wait"), &wait(texts, secs));
            view(call, StatusCode::TOO_MANY_REQUESTS, &notice, email, next, &[])
                .header(header::RETRY_AFTER, &secs.to_string())
                .into()
        }
    })
}

/// `POST /sign-in/code`: the second step.
pub fn submit_code(call: &Call) -> Result<Reply> {
    if let Some(refused) = console::refused_visit(call)? {
        return Ok(refused.into());
    }
    let posted = Posted::of(call);
    let (ticket, next) = (posted.text("ticket"), posted.text("next"));
    let blank = blank_faults(&posted, &[("code", "sign-in-code")]);
    if !blank.is_empty() {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(code_view(call, status, &html! {}, ticket, next, &blank).into());
    }
    let (address, network) = origin(call);
    let outcome = sign_in::second_step(
        call.app,
        ticket,
        Attempt {
            email: "",
            password: Secret::new(posted.text("code").to_owned()),
            address: &address,
            network: &network,
            device: session::device(call),
            session: session::cookie_value(call),
            agent: session::agent(call),
            now: call.now,
        },
    );
    let texts = session::visitor_texts(call);
    Ok(match outcome {
        Ok(SignInOutcome::In(signed_in)) => session::begin(&call.app.config, to_next(call, next), &signed_in).into(),
        Ok(SignInOutcome::Refused | SignInOutcome::SecondStep(_)) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let wrong = [Issue::new("code", Reason::Wrong)];
            code_view(call, status, &html! {}, ticket, next, &wrong).into()
        }
        Ok(SignInOutcome::Wait(secs)) => {
            let notice = message(Tone::Bad, &texts.say("sign-in-wait"), &wait(texts, secs));
            code_view(call, StatusCode::TOO_MANY_REQUESTS, &notice, ticket, next, &[])
                .header(header::RETRY_AFTER, &secs.to_string())
                .into()
        }
        // The password step has expired: start again.
        Err(Error::Forbidden) => {
            let notice = message(Tone::Note, &texts.say("sign-in-late"), "");
            view(call, StatusCode::UNPROCESSABLE_ENTITY, &notice, "", next, &[]).into()
        }
        Err(other) => return Err(other),
    })
}

/// The client's address and network.
fn origin(call: &Call) -> (String, String) {
    (net::address(call.client), net::network(call.client))
}

/// A fault for each blank field.
fn blank_faults(posted: &Posted, fields: &[(&str, &str)]) -> Vec<Issue> {
    let names = fields.iter().map(|(name, _)| *name);
    let blank = names.filter(|name| posted.text(name).trim().is_empty());
    blank.map(|name| Issue::new(name, Reason::Blank)).collect()
}

/// The page of the second step. It has one field: a fault is shown there, and it has the focus.
fn code_view(call: &Call, status: StatusCode, notice: &Markup, ticket: &str, next: &str, faults: &[Issue]) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let visit = Visit::of(call);
    let heading = texts.say("sign-in-code-title");
    let title = widgets::page_title(texts, &heading, !faults.is_empty());
    let fields = html! {
        input type="hidden" name="ticket" value=(ticket);
        @if !next.is_empty() { input type="hidden" name="next" value=(next); }
        (line(texts, faults, LineField {
            name: "code",
            label: &texts.say("sign-in-code"),
            notes: &texts.say("sign-in-code-notes"),
            autocomplete: "one-time-code",
            required: true,
            ..LineField::default()
        }))
        (Button::main(&texts.say("sign-in-button")))
    };
    let action = format!("{}/sign-in/code", config.base_path());
    let content = PlainCard {
        title: &heading,
        content: html! {
            (notice)
            (PostForm { action: &action, csrf: &visit.csrf(call), content: fields, ..PostForm::default() })
        },
        ..PlainCard::default()
    };
    let page = page(call, texts, &title, next);
    visit.keep(config, page.answer(status, &content.render()))
}

/// `POST /sign-out`: redirects to the sign-in page, and from there to the page in `next`.
pub fn sign_out(call: &Call, _: &Caller) -> Result<Reply> {
    if let Some(text) = session::cookie_value(call) {
        sessions::end(call.app, text)?;
    }
    let config = &call.app.config;
    let posted = Posted::of(call);
    let path = match session::next(config, posted.text("next")) {
        Some(next) => {
            let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
            format!("/sign-in?next={next}")
        }
        None => "/sign-in".to_owned(),
    };
    Ok(session::end(config, session::to_page(config, &path)).into())
}

fn to_next(call: &Call, next: &str) -> Answer {
    match session::next(&call.app.config, next) {
        Some(next) => Answer::see_other(&next),
        None => session::to_page(&call.app.config, console::HOME),
    }
}

/// A sign-in page on the way to `next`.
fn page<'a>(call: &'a Call, texts: &'static Texts, title: &'a str, next: &str) -> Page<'a> {
    let page = console::plain_page(call, texts, title).script("password.js").script(console::SUBMIT_ONCE);
    // If the user allowed the application before, consent redirects to it at once.
    if consent::is_next(call, next) { page.leads_to_app() } else { page }
}

/// How long to wait before the next try.
pub(in crate::web::pages::console) fn wait(texts: &Texts, secs: u64) -> String {
    if secs < 60 {
        let secs = i64::try_from(secs).unwrap_or(60);
        texts.fill("sign-in-wait-seconds", &[("wait", secs.into())])
    } else {
        let minutes = i64::try_from(secs.div_ceil(60)).unwrap_or(60);
        texts.fill("sign-in-wait-minutes", &[("wait", minutes.into())])
    }
}

fn view(call: &Call, status: StatusCode, notice: &Markup, email: &str, next: &str, faults: &[Issue]) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let visit = Visit::of(call);
    let (heading, why) = sign_in_context::heading(call, texts, next);
    let title = widgets::page_title(texts, &heading, !faults.is_empty());
    let fields = html! {
        @if !next.is_empty() { input type="hidden" name="next" value=(next); }
        (line(texts, faults, LineField {
            name: "email",
            label: &texts.say("account-email"),
            kind: "email",
            value: email,
            autocomplete: "username",
            required: true,
            ..LineField::default()
        }))
        (line(texts, faults, LineField {
            name: "password",
            label: &texts.say("account-password"),
            kind: "password",
            autocomplete: "current-password",
            required: true,
            // After a failed attempt the password is typed again.
            focus: status != StatusCode::OK && !email.is_empty(),
            ..LineField::default()
        }))
        (Button::main(&texts.say("sign-in-button")))
    };
    let base = config.base_path();
    let action = format!("{base}/sign-in");
    let content = PlainCard {
        title: &heading,
        lead: html! { @if let Some(why) = why { (why) } },
        content: html! {
            (notice)
            (widgets::fault_summary(texts, faults, &FIELDS))
            (PostForm { action: &action, csrf: &visit.csrf(call), content: fields, ..PostForm::default() })
            @if password_reset::is_offered(call.app) {
                p { a href={ (base) "/forgot-password" } { (texts.say("sign-in-forgot")) } }
            }
        },
        ..PlainCard::default()
    };
    let page = page(call, texts, &title, next);
    visit.keep(config, page.answer(status, &content.render()))
}
