//! `/setup/{token}`: creates the first account. Opening the page does not use up the link (S22).

use maud::{Markup, html};
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
use crate::web::pages::ui::layout::{Page, PageShape, Sign, sign};
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
    let content = html! {
        div.card {
            (sign(Sign::Lock))
            h1 { (title) }
            p.lead { (texts.say("setup-spent-text")) }
            pre { code { "formsvc setup-link" } }
            p { a.button href={ (config.base_path()) "/sign-in" } { (texts.say("sign-in-title")) } }
        }
    };
    Page::new(config, texts, PageShape::Plain, &title).hidden_from_search().answer(StatusCode::NOT_FOUND, &content)
}

fn view(call: &Call, status: StatusCode, typed: &Posted, faults: &[Issue]) -> Answer {
    let texts = session::visitor_texts(call);
    let page = AccountForm {
        title: "setup-title",
        button: "setup-button",
        lead: html! {
            p.lead { (texts.say("setup-lead")) }
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
        div.message.warn role="status" data-origin=(config.origin()) hidden[host.is_empty() || host == known] {
            h2 { (texts.say("setup-address")) }
            dl.facts {
                dt { (texts.say("setup-address-here")) }
                dd { bdi data-here { (here) } }
                dt { (texts.say("setup-address-known")) }
                dd { bdi { (config.base_url) } }
            }
            p { (texts.say("setup-address-text")) }
            pre.wrap { code { "formsvc serve --base-url " span data-here { (here) } (config.base_path()) } }
        }
    }
}
