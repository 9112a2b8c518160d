//! Error pages, in the reader's language. Signed-in users keep the navigation and see which account they use.

use maud::{Markup, Render, html};
use warp::http::{HeaderMap, Method, StatusCode};

use crate::base::text::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::web::pages::console;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::PlainCard;
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::section::Question;
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::words::{row, small};
use crate::web::request::call::Call;
use crate::web::request::error::{About, ErrorReply};
use crate::web::request::reply::Answer;
use crate::web::request::session;

/// Pages that only owners of an organization may use.
const OWNER_PAGES: [&str; 2] = ["/audit", "/members"];

/// The page of an error. It reveals no more than the error does.
pub fn page(call: &Call, fault: &ErrorReply) -> Answer {
    // If the session can't be read, the page is the one for visitors.
    let caller = session::optional_caller(call).ok().flatten();
    let texts = match &caller {
        Some(caller) => texts::texts(&caller.user.locale),
        None => reader_texts(call.headers),
    };
    let (title, text) = words(call, texts, fault);
    let details = html! {
        @for issue in &fault.details {
            p { code { (issue.attribute) } " " (texts.phrase(&issue.reason.phrase())) }
        }
        @if let Some(caller) = &caller { (next_steps(call, caller, texts, fault)) }
        (small(texts.fill("error-status", &[("status", fault.status.as_u16().into())])))
    };
    let sign = Some(Sign::Question);
    match caller {
        Some(caller) => {
            let csrf = session::csrf(call);
            let content = Question { sign, title: &title, text: &text, content: details };
            console::page(call, &caller.user, &csrf, texts, &title).answer(fault.status, &content.render())
        }
        None => {
            let content = PlainCard { sign, title: &title, lead: html! { (text) }, content: details };
            Page::new(&call.app.config, texts, PageShape::Plain, &title)
                .hidden_from_search()
                .answer(fault.status, &content.render())
        }
    }
}

/// Links to continue, and the current account if another one may have access.
fn next_steps(call: &Call, caller: &Caller, texts: &Texts, fault: &ErrorReply) -> Markup {
    let base = call.app.config.base_path();
    let is_about_them = matches!(fault.status, StatusCode::FORBIDDEN | StatusCode::NOT_FOUND)
        && !matches!(fault.about, About::StalePage | About::Link);
    html! {
        @if is_about_them {
            p { (texts.say("consent-as")) " " strong { bdi { (caller.user.email) } } }
        }
        (row(html! {
            (Button {
                label: &texts.say("error-forms"),
                press: Press::Go(&format!("{base}/forms")),
                weight: Weight::Main,
                ..Button::default()
            })
            @if is_about_them {
                (PostForm {
                    action: &format!("{base}/sign-out"),
                    csrf: &session::csrf(call),
                    content: html! {
                        @if let Some(next) = return_address(call) { input type="hidden" name="next" value=(next); }
                        (Button::quiet(&texts.say("consent-switch")))
                    },
                    ..PostForm::default()
                })
            }
        }))
    }
}

/// The address to return to with another account.
fn return_address(call: &Call) -> Option<String> {
    let is_get = *call.method == Method::GET;
    is_get.then(|| session::address(call))
}

/// The texts in the reader's language.
pub fn reader_texts(headers: &HeaderMap) -> &'static Texts {
    let wanted = headers.get("accept-language").and_then(|value| value.to_str().ok());
    texts::texts(wanted.unwrap_or_default())
}

fn words(call: &Call, texts: &Texts, fault: &ErrorReply) -> (String, String) {
    let is_for_owners = OWNER_PAGES.iter().any(|path| call.pattern.starts_with(path));
    let key = match fault.status.as_u16() {
        404 if fault.about == About::Form => "form",
        404 if fault.about == About::Entry => "entry",
        404 => "404",
        403 if fault.about == About::StalePage => "stale",
        403 if fault.about == About::Link => "link",
        403 if is_for_owners => "owners",
        403 => "403",
        405 => "405",
        408 => "408",
        413 => "413",
        429 => "429",
        500 => "500",
        503 => "503",
        _ => return (texts.say("error-other"), texts.phrase(&fault.message)),
    };
    let wait = i64::try_from(fault.retry_after.unwrap_or(1)).unwrap_or(60);
    (texts.say(&format!("error-{key}")), texts.fill(&format!("error-{key}-text"), &[("wait", wait.into())]))
}
