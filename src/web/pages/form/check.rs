//! Checks a page of a form and goes on to the next, or tells the script the faults. Where the form has holds, the
//! chosen parts so far are held by the way, and a fault says early that none is left.

use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::http::blocking::spawn_blocking;
use crate::ops::app::Ticket;
use crate::ops::capacity::page_holds::{self, HeldByPage};
use crate::ops::exams::time;
use crate::web::forms::form_cookie::HOLD;
use crate::web::pages::form::form_post::{Action, FormPost};
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::more;
use crate::web::request::call::Call;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{Answer, Reply};

/// Answers a post that asks for the faults.
///
/// # Errors
/// Any fault that keeps the page from being drawn again.
pub fn check(call: &Call, mut sheet: FilledForm, sent: FormPost) -> Result<Reply> {
    // A client above the rate limit gets no hold.
    if !sheet.keeps_places() || rates::count_visit(call, Visit::Hold).is_err() {
        let full = full(&sheet)?;
        return Ok(checked(sheet, &sent, full).into());
    }
    let had = sheet.hold_token.is_some();
    let ticket = keep(call, &sheet)?;
    Ok(Reply::Later(Box::pin(async move {
        let kept = ticket.await;
        spawn_blocking(move || {
            let full = match kept {
                Ok(kept) => {
                    sheet.hold_token = kept.held.map(|held| held.token);
                    sheet.is_hold_short = kept.is_short;
                    kept.full
                }
                // A busy service holds nothing, nor does one whose form is being changed, but the page goes on.
                Err(error) => {
                    tracing::debug!(?error, "what was chosen on a page is not kept");
                    Vec::new()
                }
            };
            sheet.count()?;
            // Full parts are no fault where the entry can wait.
            let full = if sheet.has_waiting_list() {
                sheet.look_for_room()?;
                Vec::new()
            } else {
                full
            };
            // Only the token of an existing hold: the posted one could be anything.
            let token = sheet.hold.as_ref().and(sheet.hold_token.clone());
            let app = sheet.app.clone();
            let (form, is_embedded) = (sheet.published.form.token.clone(), sheet.is_embedded);
            let answer = checked(sheet, &sent, full);
            Ok(match token {
                Some(token) if !is_embedded => HOLD.keep(&app, &form, &token, answer),
                None if had && !is_embedded => HOLD.clear(&app, &form, answer),
                _ => answer,
            })
        })
        .await
    })))
}

/// The faults for parts that are full now; none where the entry can wait, and for the amounts that a stored entry has
/// already.
fn full(sheet: &FilledForm) -> Result<Vec<Issue>> {
    if sheet.own.is_some() || sheet.has_waiting_list() {
        return Ok(Vec::new());
    }
    page_holds::full(&sheet.app, &sheet.published, (&sheet.answers, &sheet.values), &[])
}

fn keep(call: &Call, sheet: &FilledForm) -> Result<Ticket<HeldByPage>> {
    page_holds::keep(
        call.app,
        &sheet.published,
        call.origin().sender(),
        sheet.hold_token.as_deref(),
        (&sheet.answers, &sheet.values),
    )
}

/// The answer; `full` are the faults of parts that find no room.
fn checked(mut sheet: FilledForm, sent: &FormPost, full: Vec<Issue>) -> Answer {
    let mut issues = faults(&sheet, sent);
    let is_full: Vec<String> = full.iter().map(|issue| issue.attribute.clone()).collect();
    issues.extend(full);
    if sent.action == Action::Next {
        issues = sheet.of_page(issues, sent.page);
    }
    if sheet.for_script {
        let mut body = sheet.faults_json(&issues);
        if sheet.keeps_places() {
            body["full"] = sheet.fields_of(&is_full).into();
            body["hold"] = hold_json(&sheet);
            body["held"] = sheet.hold_words().unwrap_or_default().into();
        }
        if sheet.has_waiting_list() {
            body["waits"] = sheet.waits.into();
        }
        return Answer::json_text(StatusCode::OK, body.to_string());
    }
    if !issues.is_empty() {
        let all_full = issues.iter().all(|issue| is_full.contains(&issue.attribute));
        return sheet.answer(&Notice {
            status: if all_full { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY },
            issues,
            ..Notice::default()
        });
    }
    // Questions that this page's answers revealed on it, or before it, are shown first.
    let revealed = sheet.revealed(sent.hidden.as_deref());
    if let Some(page) = revealed.filter(|page| *page <= sent.page) {
        sheet.page = page;
        return more(&sheet, Vec::new());
    }
    let next = sheet.next_page(sent.page.saturating_add(1), false);
    sheet.page = next.unwrap_or(sent.page);
    sheet.answer(&Notice::default())
}

/// The page's hold for its script: the token, and the amounts held by field and counter.
fn hold_json(sheet: &FilledForm) -> Json {
    let Some((hold, token)) = sheet.hold.as_ref().zip(sheet.hold_token.as_ref()) else {
        return Json::Null;
    };
    let mut own = serde_json::Map::new();
    for taken in &hold.takes {
        let field = own.entry(format!("field_{}", taken.field)).or_insert_with(|| serde_json::json!({}));
        field[&taken.counter] = taken.amount.into();
    }
    serde_json::json!({"token": token, "own": own})
}

/// The faults of the values, except for those that only a write finds.
pub fn faults(sheet: &FilledForm, sent: &FormPost) -> Vec<Issue> {
    let mut at = sheet.answers.faults.clone();
    if sheet.is_over() {
        at.retain(|issue| !time::is_unanswered(issue));
    }
    at.extend(sheet.shown_issues(&sent.file_faults));
    not_blank(at.into_list(), &sent.later)
}

/// The faults without those for a blank file, where the file has faults of its own or comes later.
pub fn not_blank(issues: Vec<Issue>, later: &[String]) -> Vec<Issue> {
    let leads_to = |path: &str, inner: &str| {
        let rest = inner.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let is_blank = |issue: &Issue| issue.reason == Reason::Blank;
    let is_known = |issue: &Issue| {
        let path = issue.attribute.as_str();
        let own = path.strip_prefix("field_values.").unwrap_or(path);
        let mut others = issues.iter().filter(|other| !is_blank(other));
        later.iter().any(|input| leads_to(own, input)) || others.any(|other| leads_to(path, &other.attribute))
    };
    let kept = issues.iter().filter(|issue| !(is_blank(issue) && is_known(issue)));
    kept.cloned().collect()
}
