//! Pages in place of a query: switched off, gone, over its plan, unknown; a link that has expired, a row that visitors
//! no longer find.

use maud::html;
use warp::http::{StatusCode, header};

use crate::base::error::{Error, Noun, Result};
use crate::base::text::texts::{self, Texts};
use crate::ops::queries::visit::{self, OpenQuery, Shut, Visit};
use crate::web::pages::error::reader_texts;
use crate::web::pages::query::frame::QueryPage;
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// The page of a query that can't be used. It tells nothing of the query.
pub fn shut(call: &Call, shut: Shut) -> Answer {
    let (key, icon, status) = match shut {
        Shut::Disabled => ("disabled", Sign::Lock, StatusCode::FORBIDDEN),
        Shut::FormGone => ("gone", Sign::Question, StatusCode::NOT_FOUND),
        Shut::OverPlan => ("over-plan", Sign::Lock, StatusCode::FORBIDDEN),
    };
    card(call, None, key, icon, status, 0)
}

/// The answer, or the page of the error.
///
/// # Errors
/// Errors that have the same page everywhere.
pub fn or_page(call: &Call, answer: Result<Answer>) -> Result<Answer> {
    answer.or_else(|error| of_error(call, error))
}

/// The same, for a reply.
///
/// # Errors
/// Those of `or_page`.
pub fn or_reply(call: &Call, reply: Result<Reply>) -> Result<Reply> {
    reply.or_else(|error| of_error(call, error).map(Reply::from))
}

fn of_error(call: &Call, error: Error) -> Result<Answer> {
    let (key, icon, status, wait) = match error {
        Error::NotFound(Noun::Query) | Error::NotHere(_) => {
            return Ok(match visit::of(call.app, call.param("query_token")) {
                Ok(Visit::Shut(shut)) => self::shut(call, shut),
                Ok(Visit::Open(open)) => {
                    let (key, status) = ("no-export", StatusCode::FORBIDDEN);
                    card(call, Some(&open), key, Sign::Lock, status, 0)
                }
                Err(Error::NotFound(_)) => {
                    let status = StatusCode::NOT_FOUND;
                    card(call, None, "unknown", Sign::Question, status, 0)
                }
                Err(error) => return Err(error),
            });
        }
        Error::BadLink => ("link", Sign::Clock, StatusCode::FORBIDDEN, 0),
        Error::NotFound(_) => ("row-gone", Sign::Question, StatusCode::NOT_FOUND, 0),
        Error::TooMany(secs) => ("wait", Sign::Clock, StatusCode::TOO_MANY_REQUESTS, secs),
        Error::Busy(_, secs) => ("busy", Sign::Clock, StatusCode::SERVICE_UNAVAILABLE, secs),
        other => return Err(other),
    };
    let open = match visit::of(call.app, call.param("query_token")) {
        Ok(Visit::Open(open)) => Some(open),
        Ok(Visit::Shut(shut)) => return Ok(self::shut(call, shut)),
        Err(_) => None,
    };
    let answer = card(call, open.as_deref(), key, icon, status, wait);
    Ok(if wait > 0 { answer.header(header::RETRY_AFTER, &wait.to_string()) } else { answer })
}

/// A card in the form's language where the query can be used, else in the reader's.
fn card(call: &Call, open: Option<&OpenQuery>, key: &str, icon: Sign, status: StatusCode, wait: u64) -> Answer {
    let texts: &'static Texts = match open {
        Some(open) => texts::texts(&open.form.locale),
        None => reader_texts(call.headers),
    };
    let title = texts.say(&format!("query-{key}"));
    let wait = i64::try_from(wait).unwrap_or(i64::MAX);
    let text = texts.fill(&format!("query-{key}-text"), &[("wait", wait.into())]);
    let page = open.map(|open| QueryPage::new(call, open));
    let content = html! {
        div.card {
            (sign(icon))
            @if let Some(page) = &page {
                p.muted lang=[page.owners_lang()] { bdi { (page.open.query.content.name) } }
            }
            h1 { (title) }
            p.lead { (text) }
            @if let Some(page) = &page {
                p { a.button href=(page.address()) { (texts.say("query-back-form")) } }
            }
        }
    };
    let mut answer = Page::new(&call.app.config, texts, PageShape::Plain, &title).frameable();
    if let Some(open) = open {
        answer = answer.of_form(&open.form.locale).masthead(Masthead::of(&call.app.config, &open.organization));
    }
    answer.answer(status, &content)
}
