//! `/q/{query_token}`: the page on which visitors look up entries. It works without a script: a search is a `GET`, and
//! the entered values are in its address. Only the output of `Results::rows` reaches the markup (S66). It needs no
//! cookie.

mod detail;
mod edit_form;
mod editing;
mod frame;
mod in_place;
mod look;
mod results;
mod search_faults;
mod search_form;
mod states;
mod typed;
mod value;

use warp::http::{StatusCode, header};

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::ops::queries::search::{self, Results};
use crate::ops::queries::visit::{self, OpenQuery, Visit};
use crate::web::files::query_files;
use crate::web::pages::query::frame::{QueryPage, Said, ShownResults};
use crate::web::pages::query::search_faults::Faults;
use crate::web::pages::query::typed::Typed;
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::rates;
use crate::web::request::reply::{Answer, Reply};

pub use detail::show as show_entry;
pub use editing::submit as update_entry;

/// Rows of a page of results.
const PAGE_SIZE: i64 = 20;

/// `GET /q/{query_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let answer = page(call);
    states::or_page(call, answer).map(Reply::from)
}

fn page(call: &Call) -> Result<Answer> {
    let open = match visit::of(call.app, call.param("query_token"))? {
        Visit::Open(open) => open,
        Visit::Shut(shut) => return Ok(states::shut(call, shut)),
    };
    if !is_tried(call) {
        call.app.queries.counts.view(open.query.id);
    }
    let typed = Typed::of_address(call, &open);
    if !typed.is_search() {
        return Ok(QueryPage::new(call, &open).fresh());
    }
    match find(call, &typed) {
        Ok((list, found)) => {
            let rows = found.rows(call.app, call.now)?;
            let next = list.next_cursor(&found.page);
            let page = QueryPage::new(call, &found.open);
            let beside = in_place::beside(call, &page, &found, &rows)?;
            let shown = ShownResults {
                rows: &rows,
                total: Some(found.page.total),
                next: next.as_deref(),
                beside: beside.as_ref(),
            };
            Ok(page.results(&typed, &shown))
        }
        Err(error) => again(call, &open, &typed, error),
    }
}

/// Searches, and counts that.
fn find(call: &Call, typed: &Typed) -> Result<(PagedList, Results)> {
    rates::count_search(call, typed.search_values(), typed.proof())?;
    let (list, found) = search(call, typed)?;
    if !is_tried(call) {
        call.app.queries.counts.search(found.open.query.id);
    }
    Ok((list, found))
}

/// Whether the page is in a frame: managers of the query see it so, and no other site may frame it.
fn is_tried(call: &Call) -> bool {
    call.header("sec-fetch-dest") == Some("iframe")
}

/// The page of results that the address asks for.
fn search(call: &Call, typed: &Typed) -> Result<(PagedList, Results)> {
    let token = call.param("query_token");
    let given = Json::Object(typed.search_values().clone());
    let list = PagedList::of_search(call, &format!("/q/{token}"), &given);
    let list = list.page(Some(PAGE_SIZE), call.query("cursor"));
    let ticket = search::search(call.app, token, typed.search_values().clone(), list.request()?)?;
    Ok((list, ticket.wait()?))
}

/// The page again with all that was filled in, and why there are no results.
///
/// # Errors
/// Errors that are no faults of the search.
fn again(call: &Call, open: &OpenQuery, typed: &Typed, error: Error) -> Result<Answer> {
    let page = QueryPage::new(call, open);
    let texts = page.texts;
    let mut retry_after = None;
    let mut notice = |key: &str, secs: Option<u64>| {
        retry_after = secs;
        let wait = secs.map_or(1, |secs| i64::try_from(secs).unwrap_or(i64::MAX));
        let text = texts.fill(&format!("query-{key}-text"), &[("wait", wait.into())]);
        Some((Tone::Warn, texts.say(&format!("query-{key}")), text))
    };
    let said = match error {
        Error::Invalid(issues) => {
            let faults = Faults::of_search(open, typed, &issues, texts);
            let others = issues.iter().any(|issue| issue.attribute == "values");
            Said {
                status: StatusCode::UNPROCESSABLE_ENTITY,
                notice: others.then(|| notice("many", None)).flatten(),
                faults,
            }
        }
        Error::TooMany(secs) => {
            Said { status: StatusCode::TOO_MANY_REQUESTS, notice: notice("wait", Some(secs)), ..Said::default() }
        }
        Error::Unproven(secs) => {
            Said { status: StatusCode::TOO_MANY_REQUESTS, notice: notice("unproven", Some(secs)), ..Said::default() }
        }
        Error::Busy(_, secs) => {
            Said { status: StatusCode::SERVICE_UNAVAILABLE, notice: notice("busy", Some(secs)), ..Said::default() }
        }
        // A page of results that was made for another search, or by another program.
        Error::BadRequest(_) => {
            Said { status: StatusCode::BAD_REQUEST, notice: notice("page-gone", None), ..Said::default() }
        }
        other => return Err(other),
    };
    let answer = page.search(typed, &said);
    Ok(match retry_after {
        Some(secs) => answer.header(header::RETRY_AFTER, &secs.to_string()),
        None => answer,
    })
}

/// `GET /q/{query_token}/export`
pub fn export(call: &Call) -> Result<Reply> {
    let error = match query_files::export(call) {
        Ok(reply) => return Ok(reply),
        Err(error) => error,
    };
    let refused = match visit::of(call.app, call.param("query_token"))? {
        Visit::Open(open) => again(call, &open, &Typed::of_address(call, &open), error),
        Visit::Shut(shut) => Ok(states::shut(call, shut)),
    };
    states::or_page(call, refused).map(Reply::from)
}

/// `GET /q/{query_token}/entries/{entry_token}/files/{id}/{name}`
pub fn file(call: &Call) -> Result<Reply> {
    states::or_reply(call, query_files::file(call))
}

/// `GET /q/{query_token}/entries/{entry_token}/certificate`
pub fn certificate(call: &Call) -> Result<Reply> {
    states::or_reply(call, query_files::certificate(call))
}
