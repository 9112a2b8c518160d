//! `/q/{query_token}/entries/{entry_token}`: one row, reached by the link that a search signed; and, where the query lets
//! visitors edit, the form for that.

use maud::{Markup, html};
use warp::http::{StatusCode, header};

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::files::links::QueryRow;
use crate::ops::public_queries::edit::{self, Edit};
use crate::ops::public_queries::links;
use crate::ops::public_queries::search::{Results, Row};
use crate::web::call::Call;
use crate::web::pages::layout::{Tone, message};
use crate::web::pages::query::edit_form::{EditForm, Posted};
use crate::web::pages::query::frame::{Drawn, QueryPage};
use crate::web::pages::query::typed::Typed;
use crate::web::pages::query::{look, states, value};
use crate::web::rates;
use crate::web::reply::{Answer, Reply};

/// That the last edit was saved, among the parameters of the address.
const SAVED: &str = "saved";

/// `GET /q/{query_token}/entries/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let answer = open(call).and_then(|results| {
        let notice = (call.query(SAVED).as_deref() == Some("1")).then_some("saved");
        draw(call, &results, StatusCode::OK, notice, None, 0)
    });
    states::or_page(call, answer).map(Reply::from)
}

/// `POST /q/{query_token}/entries/{entry_token}`
pub fn submit(call: &Call) -> Result<Reply> {
    states::or_page(call, store(call)).map(Reply::from)
}

/// The row that the link leads to.
fn open(call: &Call) -> Result<Results> {
    let (query, entry) = (call.param("query_token"), call.param("entry_token"));
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let row = QueryRow { query, entry };
    if !links::opens_view(call.app.keys(), row, &expires, &signature, call.now) {
        return Err(Error::BadLink);
    }
    edit::open(call.app, query, entry, call.now)
}

fn store(call: &Call) -> Result<Answer> {
    let results = open(call)?;
    let shown = results.page_values(call.now)?;
    let form = EditForm::of(&results, &shown, call.now);
    let mut posted = form.read(call);
    if !posted.is_final {
        return draw(call, &results, StatusCode::OK, None, Some(&posted), 0);
    }
    let changed = form.changed(&posted);
    let edit = Edit {
        query: call.param("query_token"),
        entry: call.param("entry_token"),
        edit_token: &posted.edit_token,
        field_values: Json::Object(changed),
        faults: Issues::new(),
    };
    let saved = rates::count_query_edit(call, edit.query)
        .and_then(|()| edit::update(call.app, edit, call.now));
    let (status, notice, issues, wait) = match saved {
        Ok(_) => return Ok(Answer::see_other(&address(call, &results, true))),
        Err(Error::Invalid(issues)) => (StatusCode::UNPROCESSABLE_ENTITY, None, issues, 0),
        Err(Error::NoRoom(issues)) => (StatusCode::CONFLICT, None, issues, 0),
        Err(Error::TooMany(secs)) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            (status, Some("not-saved"), Vec::new(), secs)
        }
        Err(Error::Busy(_, secs)) => {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            (status, Some("not-saved"), Vec::new(), secs)
        }
        Err(other) => return Err(other),
    };
    posted.issues = issues;
    let answer = draw(call, &results, status, notice, Some(&posted), wait)?;
    Ok(if wait > 0 {
        answer.header(header::RETRY_AFTER, &wait.to_string())
    } else {
        answer
    })
}

/// The page's own address: the link as it was signed, and the search behind it.
fn address(call: &Call, results: &Results, is_saved: bool) -> String {
    let typed = Typed::of_address(call, &results.open).parameters();
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let path = format!("{}{}", call.app.config.base_path(), call.path);
    let own = format!("{path}?expires={expires}&signature={signature}");
    let search = if typed.is_empty() {
        String::new()
    } else {
        format!("&{typed}")
    };
    let saved = if is_saved {
        format!("&{SAVED}=1")
    } else {
        String::new()
    };
    format!("{own}{search}{saved}")
}

fn draw(
    call: &Call,
    results: &Results,
    status: StatusCode,
    notice: Option<&str>,
    posted: Option<&Posted>,
    wait: u64,
) -> Result<Answer> {
    let page = QueryPage::new(call, &results.open);
    let texts = page.texts;
    let rows = results.rows(call.app, call.now)?;
    let row = rows.first();
    let row = row.ok_or_else(|| Error::internal("a row that is none"))?;
    let shown = results.page_values(call.now)?;
    let form = EditForm::of(results, &shown, call.now);
    let name = page.open.query.content.name.as_str();
    let is_wrong = posted.is_some_and(|posted| !posted.issues.is_empty());
    let args = [("name", name.into()), ("title", name.into())];
    let title = texts.fill(
        if is_wrong {
            "form-title-faults"
        } else {
            "query-title-row"
        },
        &args,
    );
    let typed = Typed::of_address(call, &results.open);
    let wait = i64::try_from(wait).unwrap_or(i64::MAX);
    let content = html! {
        p.query-back {
            a href={ (page.search_address(&typed)) @if typed.is_search() { "#results" } } {
                (texts.say(if typed.is_search() { "query-back" } else { "query-back-form" }))
            }
        }
        header.form-head {
            p.muted lang=[page.owners_lang()] { bdi { (name) } }
            h1 { (texts.say("query-row")) }
        }
        @if let Some(key) = notice {
            @let tone = if key == "saved" { Tone::Good } else { Tone::Bad };
            @let text = texts.fill(&format!("query-{key}-text"), &[("wait", wait.into())]);
            div.before-form { (message(tone, &texts.say(&format!("query-{key}")), &text)) }
        }
        (form.summary(&page, posted))
        (facts(&page, row))
        @if let Some(edit_token) = row.edit_token.as_deref().filter(|_| !form.is_empty()) {
            section.query-edit aria-labelledby="edit" {
                h2 #edit { (texts.say("query-edit")) }
                (form.draw(&page, &address(call, results, false), edit_token, posted))
            }
        }
    };
    let scripts = form.scripts();
    let drawn = Drawn {
        status,
        title: &title,
        scripts: &scripts,
        ..Drawn::default()
    };
    Ok(page.answer(&drawn, &content))
}

/// The row's fields, highlighted ones first.
fn facts(page: &QueryPage, row: &Row) -> Markup {
    let columns = page.open.columns();
    html! {
        dl.receipt.query-facts {
            @for (at, column, class) in look::ordered(&columns) {
                div class=[class.map(|class| format!("marked {class}"))] {
                    dt lang=[page.owners_lang()] { bdi { (column.label(page.texts)) } }
                    dd {
                        div.cell-value {
                            @if let Some(value) = row.values.get(at) { (value::draw(page, column, value)) }
                        }
                    }
                }
            }
        }
    }
}
