//! `/setup/{token}`: creates the first account. Opening the page does not use up the link (S22).

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::secret::Secret;
use crate::base::text::texts::Texts;
use crate::ops::accounts::setup;
use crate::ops::accounts::shown_once::SecretKind;
use crate::ops::accounts::users::NewAccount;
use crate::web::pages::console::new_account::AccountForm;
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::head::PlainCard;
use crate::web::pages::ui::notice::{Notice, Tone};
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::words::{code_block, facts, lead, name};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

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
    if let Some(refused) = console::refused_visit(call)? {
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
    match setup::use_link(call.app, call.param("token"), account, &token_name, session::agent(call)) {
        Ok(made) => {
            let session = made.signed_in.session.reveal();
            let shown_once = &call.app.accounts.shown_once;
            shown_once.keep(session, SecretKind::AccessToken, made.token, call.now);
            let config = &call.app.config;
            let on = session::to_page(config, "/welcome");
            Ok(session::begin(config, on, &made.signed_in).into())
        }
        Err(Error::NotFound(Noun::Page)) => Ok(spent(call).into()),
        Err(other) => {
            let faults = console::faults(other, &posted)?;
            Ok(view(call, StatusCode::UNPROCESSABLE_ENTITY, &posted, &faults).into())
        }
    }
}

/// The page of an invalid link; a browser with a session is redirected to the home page.
fn spent(call: &Call) -> Answer {
    let config = &call.app.config;
    if session::cookie_value(call).is_some() {
        return session::to_page(config, console::HOME);
    }
    let texts = session::visitor_texts(call);
    let title = texts.say("setup-spent");
    let content = PlainCard {
        sign: Some(Sign::Lock),
        title: &title,
        lead: html! { (texts.say("setup-spent-text")) },
        content: html! {
            (code_block("formsvc setup-link"))
            p { (console::to_sign_in(call, texts)) }
        },
    };
    console::plain_page(call, texts, &title).answer(StatusCode::NOT_FOUND, &content.render())
}

fn view(call: &Call, status: StatusCode, typed: &Posted, faults: &[Issue]) -> Answer {
    let texts = session::visitor_texts(call);
    let page = AccountForm {
        title: "setup-title",
        button: "setup-button",
        lead: html! {
            (lead(texts.say("setup-lead")))
            (address_notice(call, texts))
        },
        asks_organization: true,
    };
    page.answer(call, status, typed, faults)
}

/// Warns if the page is opened under another address than the configured one. The request contains only the host, so
/// the scheme is guessed; a script compares the full address.
fn address_notice(call: &Call, texts: &Texts) -> Markup {
    let config = &call.app.config;
    let host = call.header("host").unwrap_or_default();
    let (scheme, known) = config.origin().split_once("://").unwrap_or_default();
    let here = format!("{scheme}://{host}");
    html! {
        // A script compares the full address, and shows it.
        div data-origin=(config.origin()) hidden[host.is_empty() || host == known] {
            (Notice {
                tone: Tone::Warn,
                title: &texts.say("setup-address"),
                content: html! {
                    (facts(&[
                        (&texts.say("setup-address-here"), html! { bdi data-here { (here) } }),
                        (&texts.say("setup-address-known"), name(&config.base_url)),
                    ]))
                    p { (texts.say("setup-address-text")) }
                    (code_block(html! {
                        "formsvc serve --base-url " span data-here { (here) } (config.base_path())
                    }))
                },
                ..Notice::default()
            })
        }
    }
}
