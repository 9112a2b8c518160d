//! `/invitation/{token}`: the page of a link that invites somebody to the organization.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::secret::Secret;
use crate::ops::accounts::members;
use crate::ops::accounts::users::NewAccount;
use crate::web::pages::console::new_account::AccountForm;
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::head::PlainCard;
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::words::{lead, muted, name};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// `GET /invitation/{token}`
pub fn show(call: &Call) -> Result<Reply> {
    let Some(live) = members::invitation(call.app, call.param("token"))? else {
        return Ok(spent(call).into());
    };
    let typed = Posted(vec![("timezone".to_owned(), "UTC".to_owned())]);
    let name = &live.organization_name;
    Ok(form(call, StatusCode::OK, name, &typed, &[]).into())
}

/// `POST /invitation/{token}`
pub fn join(call: &Call) -> Result<Reply> {
    if let Some(refused) = console::refused_visit(call)? {
        return Ok(refused.into());
    }
    let Some(live) = members::invitation(call.app, call.param("token"))? else {
        return Ok(spent(call).into());
    };
    let posted = Posted::of(call);
    let text = |name: &str| posted.text(name).to_owned();
    let account = NewAccount {
        email: text("email"),
        name: text("name"),
        organization: None,
        password: Some(Secret::new(text("password"))),
        locale: session::visitor_texts(call).locale().to_owned(),
        timezone: text("timezone"),
    };
    match members::join(call.app, call.param("token"), account, session::agent(call)) {
        Ok(signed_in) => {
            let on = session::to_page(&call.app.config, "/forms");
            Ok(session::begin(&call.app.config, on, &signed_in).into())
        }
        Err(Error::NotFound(Noun::Page)) => Ok(spent(call).into()),
        Err(other) => {
            let faults = console::faults(other, &posted)?;
            let name = &live.organization_name;
            Ok(form(call, StatusCode::UNPROCESSABLE_ENTITY, name, &posted, &faults).into())
        }
    }
}

fn spent(call: &Call) -> Answer {
    let texts = session::visitor_texts(call);
    let title = texts.say("setup-spent");
    let content = PlainCard {
        sign: Some(Sign::Lock),
        title: &title,
        lead: html! { (texts.say("invitation-spent-text")) },
        content: html! { p { (console::to_sign_in(call, texts)) } },
    };
    console::plain_page(call, texts, &title).answer(StatusCode::NOT_FOUND, &content.render())
}

fn form(call: &Call, status: StatusCode, organization: &str, typed: &Posted, faults: &[Issue]) -> Answer {
    let texts = session::visitor_texts(call);
    let page = AccountForm {
        title: "invitation-title",
        button: "invitation-button",
        lead: html! {
            (lead(name(organization)))
            (muted(texts.say("invitation-lead")))
        },
        asks_organization: false,
    };
    page.answer(call, status, typed, faults)
}
