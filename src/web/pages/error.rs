//! An error as a page, in the reader's language.

use maud::html;
use warp::http::HeaderMap;

use crate::base::texts::{self, Texts};
use crate::ops::App;
use crate::web::error::Fault;
use crate::web::pages::layout::{Page, Shape, Sign, sign};
use crate::web::reply::Answer;

/// The page of a fault. It never says more than the fault does.
pub fn page(app: &App, headers: &HeaderMap, fault: &Fault) -> Answer {
    let texts = reader(headers);
    let (title, text) = words(texts, fault);
    Page::new(&app.config, texts, Shape::Plain, &title)
        .hidden_from_search()
        .answer(
            fault.status,
            &html! {
                div.card {
                    (sign(Sign::Question))
                    h1 { (title) }
                    p.lead { (text) }
                    @for issue in &fault.details {
                        p { code { (issue.attribute) } " " (issue.message) }
                    }
                    p.muted.small { (texts.fill("error-status", &[("status", fault.status.as_u16().into())])) }
                }
            },
        )
}

/// The words of the reader's language.
pub fn reader(headers: &HeaderMap) -> &'static Texts {
    let wanted = headers
        .get("accept-language")
        .and_then(|value| value.to_str().ok());
    texts::texts(wanted.unwrap_or_default())
}

fn words(texts: &Texts, fault: &Fault) -> (String, String) {
    let key = match fault.status.as_u16() {
        404 if fault.message == "Form not found" => "form",
        404 if fault.message == "Entry not found" => "entry",
        404 => "404",
        403 => "403",
        405 => "405",
        408 => "408",
        413 => "413",
        429 => "429",
        500 => "500",
        503 => "503",
        _ => return (texts.say("error-other"), fault.message.clone()),
    };
    let wait = i64::try_from(fault.retry_after.unwrap_or(1)).unwrap_or(60);
    (
        texts.say(&format!("error-{key}")),
        texts.fill(&format!("error-{key}-text"), &[("wait", wait.into())]),
    )
}
