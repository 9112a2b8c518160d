//! `/q/{query_token}/entries/{entry_token}`: one row, reached by the link that a search signed; and, where the query lets
//! visitors edit, the form for that.

use maud::{Markup, html};

use crate::base::error::{Error, Result};
use crate::ops::queries::search::ResultRow;
use crate::web::pages::query::edit_form::EditForm;
use crate::web::pages::query::editing::{self, Editing};
use crate::web::pages::query::frame::{Drawn, QueryPage};
use crate::web::pages::query::typed::Typed;
use crate::web::pages::query::{look, states, value};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// The parameter of the address that says that the last edit was saved.
pub const SAVED: &str = "saved";

/// `GET /q/{query_token}/entries/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let answer = editing::check_link(call).and_then(|()| {
        let mut editing = Editing::of(call, call.param("entry_token"))?;
        editing.notice = (call.query(SAVED).as_deref() == Some("1")).then_some("saved");
        draw(call, &editing)
    });
    states::or_page(call, answer).map(Reply::from)
}

/// The page's own address: the link as it was signed, and the search behind it.
pub fn address(call: &Call, editing: &Editing) -> String {
    let typed = Typed::of_address(call, &editing.results.open).parameters();
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let path = format!("{}{}", call.app.config.base_path(), call.path);
    let own = format!("{path}?expires={expires}&signature={signature}");
    if typed.is_empty() { own } else { format!("{own}&{typed}") }
}

/// The page of a row.
///
/// # Errors
/// Internal.
pub fn draw(call: &Call, editing: &Editing) -> Result<Answer> {
    let results = &editing.results;
    let page = QueryPage::new(call, &results.open);
    let texts = page.texts;
    let rows = results.rows(call.app, call.now)?;
    let row = rows.first();
    let row = row.ok_or_else(|| Error::internal("a row that is none"))?;
    let shown = editing.shown_values(call.now)?;
    let form = EditForm::of(results, &shown, call.now);
    let posted = editing.posted.as_ref();
    let name = page.open.query.content.name.as_str();
    let args = [("name", name.into()), ("title", name.into())];
    let title = texts.fill(if editing.is_wrong() { "form-title-faults" } else { "query-title-row" }, &args);
    let typed = Typed::of_address(call, &results.open);
    let wait = i64::try_from(editing.wait).unwrap_or(i64::MAX);
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
        @if let Some(key) = editing.notice {
            @let tone = if key == "saved" { Tone::Good } else { Tone::Bad };
            @let text = texts.fill(&format!("query-{key}-text"), &[("wait", wait.into())]);
            div.before-form { (message(tone, &texts.say(&format!("query-{key}")), &text)) }
        }
        (form.summary(&page, posted))
        (facts(&page, row))
        @if let Some(edit_token) = row.edit_token.as_deref().filter(|_| !form.is_empty()) {
            section.query-edit aria-labelledby="edit" {
                h2 #edit { (texts.say("query-edit-result")) }
                (form.draw(&page, &address(call, editing), edit_token, posted, None))
            }
        }
    };
    let scripts = form.scripts();
    let drawn = Drawn { status: editing.status, title: &title, scripts: &scripts, ..Drawn::default() };
    Ok(editing.answer(page.answer(&drawn, &content)))
}

/// The row's fields, highlighted ones first.
fn facts(page: &QueryPage, row: &ResultRow) -> Markup {
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
