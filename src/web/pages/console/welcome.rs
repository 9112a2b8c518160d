//! `/welcome`: first steps with a new service, and its first access token, shown once.

use maud::html;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::accounts::shown_once::SecretKind;
use crate::web::pages::console::widgets::{copyable, shown_already};
use crate::web::pages::console::{self, curl_form, sample_button};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::head::PageHead;
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /welcome`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let session = session::cookie_value(call).unwrap_or_default();
    let token = call.app.accounts.shown_once.take(session, SecretKind::AccessToken, call.now);
    let title = texts.say("welcome-title");
    let base = call.app.config.base_path();
    let content = html! {
        (PageHead {
            sign: Some(Sign::Check),
            title: html! { (title) },
            lead: html! { (texts.say("welcome-lead")) },
            ..PageHead::default()
        })
        (Section {
            title: html! { (texts.say("welcome-sample")) },
            content: html! {
                p { (texts.say("welcome-sample-text")) }
                (row(html! {
                    (Button {
                        label: &texts.say("forms-new"),
                        press: Press::Go(&format!("{base}/forms/new")),
                        weight: Weight::Main,
                        ..Button::default()
                    })
                    (sample_button(call, texts, &csrf, Weight::Quiet))
                }))
            },
            ..Section::default()
        })
        (Section {
            title: html! { (texts.say("welcome-token")) },
            content: html! {
                @match &token {
                    Some(token) => {
                        p { (texts.say("welcome-token-text")) }
                        (copyable(texts, "token", token.reveal(), &texts.say("copy-token")))
                        p { (texts.say("welcome-curl")) }
                        (copyable(texts, "curl", &curl_form(call, texts, token.reveal()), &texts.say("copy-command")))
                    }
                    None => {
                        (shown_already(texts, "once-gone-token"))
                        p { a href={ (base) "/profile#tokens" } { (texts.say("profile-tokens")) } }
                    }
                }
            },
            ..Section::default()
        })
        p { a href={ (base) "/forms" } { (texts.say("welcome-on")) } }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}
