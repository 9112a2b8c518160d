//! A row edited in place: its form, or that it was saved, directly below it in the results.

use maud::{Markup, html};

use crate::base::error::{Error, Result};
use crate::base::text;
use crate::ops::queries::search::{ResultRow, Results};
use crate::web::pages::query::detail::SAVED;
use crate::web::pages::query::edit_form::{EditForm, has_control};
use crate::web::pages::query::editing::{Editing, IN_PLACE};
use crate::web::pages::query::frame::{QueryPage, ShownResults};
use crate::web::pages::query::look;
use crate::web::pages::query::typed::Typed;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// The row whose form is asked for, among the parameters of the address.
pub const EDIT: &str = "edit";
/// Longer names of rows are cut in headings.
const MAX_NAME: usize = 80;

/// The content below a row.
pub struct Beside {
    /// The row's entry.
    pub entry: String,
    pub content: Markup,
    /// Whether the content is the row's form.
    pub is_form: bool,
    /// Modules of its controls.
    pub scripts: Vec<&'static str>,
    /// Whether the typed values have faults.
    pub is_wrong: bool,
}

/// Whether visitors can edit rows on the page.
pub fn is_possible(page: &QueryPage) -> bool {
    page.open.columns().iter().any(has_control)
}

/// The address of the page of results that is shown, with one more parameter.
pub fn address(call: &Call, typed: &Typed, more: &str) -> String {
    let cursor = call.query("cursor").unwrap_or_default();
    let base = call.app.config.base_path();
    let own = format!("{base}/q/{}", call.param("query_token"));
    let parts = [typed.parameters(), cursor_parameter(&cursor), more.to_owned()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{own}?{}", parts.join("&"))
}

fn cursor_parameter(cursor: &str) -> String {
    if cursor.is_empty() {
        return String::new();
    }
    let mut out = url::form_urlencoded::Serializer::new(String::new());
    out.append_pair("cursor", cursor);
    out.finish()
}

/// The content below a row of the results: the requested form, the form of the only row, or a note that it was saved.
///
/// # Errors
/// Internal.
pub fn beside(call: &Call, page: &QueryPage, found: &Results, rows: &[ResultRow]) -> Result<Option<Beside>> {
    let of = |name: &str| {
        let token = call.query(name)?;
        rows.iter().find(|row| row.entry.token.as_str() == token)
    };
    if let Some(row) = of(SAVED) {
        let content = html! {
            div #saved tabindex="-1" { (saved(page, "query-saved-row-text")) }
        };
        return Ok(Some(Beside {
            entry: row.entry.token.to_string(),
            content,
            is_form: false,
            scripts: Vec::new(),
            is_wrong: false,
        }));
    }
    let is_saved = call.query(SAVED).is_some();
    let only = rows.first().filter(|_| found.page.total == 1 && !is_saved);
    let Some(row) = of(EDIT).or(only).filter(|_| is_possible(page)) else {
        return Ok(None);
    };
    match Editing::of(call, row.entry.token.as_str()) {
        Ok(editing) => form(page, &editing, found.page.total > 1).map(Some),
        // It went just now.
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A notice that an edit was saved whose row is not among the results.
pub fn saved_elsewhere(call: &Call, page: &QueryPage, rows: &[ResultRow]) -> Option<Markup> {
    let token = call.query(SAVED)?;
    let is_here = rows.iter().any(|row| row.entry.token.as_str() == token);
    (!is_here).then(|| {
        html! { div.query-elsewhere #saved tabindex="-1" { (saved(page, "query-saved-elsewhere-text")) } }
    })
}

fn saved(page: &QueryPage, key: &str) -> Markup {
    message(Tone::Good, &page.texts.say("query-saved"), &page.texts.say(key))
}

/// The page of results again, after a post that was not saved. Where no search may run now, the row stands alone.
///
/// # Errors
/// Internal, 404 if visitors can't find the row any more.
pub fn again(call: &Call, editing: &Editing, may_search: bool) -> Result<Answer> {
    let typed = Typed::of_address(call, &editing.results.open);
    let entry = call.param("entry_token");
    let found = if may_search && typed.is_search() { super::search(call, &typed).ok() } else { None };
    if let Some((list, found)) = found {
        let rows = found.rows(call.app, call.now)?;
        if rows.iter().any(|row| row.entry.token.as_str() == entry) {
            let page = QueryPage::new(call, &found.open);
            let beside = form(&page, editing, found.page.total > 1)?;
            let next = list.next_cursor(&found.page);
            let shown = ShownResults {
                rows: &rows,
                total: Some(found.page.total),
                next: next.as_deref(),
                beside: Some(&beside),
            };
            return Ok(editing.answer(page.results(&typed, &shown)));
        }
    }
    let page = QueryPage::new(call, &editing.results.open);
    let rows = editing.results.rows(call.app, call.now)?;
    let beside = form(&page, editing, true)?;
    let shown = ShownResults { rows: &rows, total: None, next: None, beside: Some(&beside) };
    Ok(editing.answer(page.results(&typed, &shown)))
}

/// The form of a row, with the outcome of its last post.
fn form(page: &QueryPage, editing: &Editing, may_cancel: bool) -> Result<Beside> {
    let (call, texts) = (page.call, page.texts);
    let shown = editing.shown_values(call.now)?;
    let form = EditForm::of(&editing.results, &shown, call.now);
    let rows = editing.results.rows(call.app, call.now)?;
    let row = rows.first().ok_or_else(|| Error::internal("a row that is none"))?;
    let typed = Typed::of_address(call, page.open);
    let cursor = cursor_parameter(&call.query("cursor").unwrap_or_default());
    let base = call.app.config.base_path();
    let parts = [typed.parameters(), cursor, IN_PLACE.to_owned()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let post = format!("{base}{}&{}", row.view, parts.join("&"));
    let cancel = may_cancel.then(|| format!("{}#results", address(call, &typed, "")));
    let posted = editing.posted.as_ref();
    let edit_token = row.edit_token.as_deref().unwrap_or_default();
    let wait = i64::try_from(editing.wait).unwrap_or(i64::MAX);
    let content = html! {
        section.query-in-place #edit tabindex="-1" aria-labelledby="edit-title" {
            h3 #edit-title { (title(page, row)) }
            @if let Some(key) = editing.notice {
                @let text = texts.fill(&format!("query-{key}-text"), &[("wait", wait.into())]);
                div.before-form tabindex="-1" autofocus { (message(Tone::Bad, &texts.say(&format!("query-{key}")), &text)) }
            }
            (form.summary(page, posted))
            (form.draw(page, &post, edit_token, posted, cancel.as_deref()))
        }
    };
    Ok(Beside {
        entry: row.entry.token.to_string(),
        content,
        is_form: true,
        scripts: form.scripts(),
        is_wrong: editing.is_wrong(),
    })
}

/// The title of the form: the row's first column, as visitors see it.
fn title(page: &QueryPage, row: &ResultRow) -> Markup {
    let columns = page.open.columns();
    let first = look::ordered(&columns).first().map(|(at, _, _)| *at);
    let lines = first.and_then(|at| row.values.get(at)).map(|value| value.lines.join(", "));
    let name = text::shortened(lines.unwrap_or_default().trim(), MAX_NAME);
    html! {
        (page.texts.say("query-edit-result"))
        @if !name.is_empty() {
            span.visually-hidden { (page.texts.say("label-colon")) bdi lang=[page.owners_lang()] { (name) } }
        }
    }
}
