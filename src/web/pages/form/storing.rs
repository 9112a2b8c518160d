//! Stores the submission of a form page. A refusal answers with the page, all that was typed, and the reason.

use serde_json::json;
use warp::http::{StatusCode, header};

use crate::base::clock::Time;
use crate::base::error::{Code, Error, Result};
use crate::base::id::{self, EntryToken};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::fields::number_of;
use crate::http::blocking::spawn_blocking;
use crate::model::caller::Sender;
use crate::model::settings::OnePer;
use crate::ops::entries::edit_right;
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::respondents::{self, Respondent};
use crate::ops::entries::submission::{self, Stored, Submission};
use crate::ops::forms::availability::Status;
use crate::web::forms::form_cookie::{ANSWERED, EXAM, HOLD};
use crate::web::pages::form::check::not_blank;
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::prefill::MOST_X_FIELD;
use crate::web::pages::form::{done, notice, single_response, states};
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::{error, rates};

/// Stores a submission and answers with the way to its receipt.
///
/// # Errors
/// Any fault that keeps the page from being drawn again.
pub fn store(call: &Call, mut sheet: FilledForm, sent: FormPost, began: Option<Time>) -> Result<Reply> {
    if let Err(error) = rates::count_submission(call, &mut None) {
        return refused(sheet, error).map(Reply::from);
    }
    if sent.x_field_1.as_ref().is_some_and(|text| text.chars().count() > MOST_X_FIELD) {
        return Err(Error::invalid("x_field_1", Reason::TooLong { most: MOST_X_FIELD }));
    }
    if answers_what_is_gone(&sheet, &sent) {
        return Ok(sheet.answer(&gone(sheet.texts())).into());
    }
    let caller = match single_response::sender(call, &sheet, &sent)? {
        Ok(caller) => caller,
        Err(page) => return Ok(page.into()),
    };
    let sender = match &caller {
        Some(caller) => Sender::User(caller.user.id),
        None => call.sender(),
    };
    let key = call.header("idempotency-key").or(sent.once.as_deref());
    // The answers themselves: browsers part the same ones by other boundaries when they send them again.
    let mut answers = json!([sheet.values, sent.x_field_1]).to_string();
    for (upload, fingerprint) in &sent.fingerprints {
        answers = answers.replace(upload, &json!(fingerprint).to_string());
    }
    let once = key.map(|key| Once::new(key, &sender, call.path, answers.as_bytes())).transpose()?;
    let submission = Submission {
        field_values: Json::Object(sheet.values.clone()),
        x_field_1: sent.x_field_1.clone(),
        started_at: began,
        start_token: began.map(|_| sheet.stamp.clone()),
        hold_token: sheet.hold_token.clone(),
        waits: sent.waits,
        faults: sheet.shown_issues(&sent.file_faults),
        by_page: true,
    };
    let answered_cookie = ANSWERED.of(call).map(str::to_owned);
    let who = Respondent { caller, answered_cookie, sender: call.origin().sender };
    let ticket = match submission::respond(call.app, &sheet.published, who, submission, Some(&sheet.answers), once) {
        Ok(ticket) => ticket,
        Err(error) => return refused(sheet, error).map(Reply::from),
    };
    Ok(Reply::Later(Box::pin(async move {
        let stored = match ticket.await {
            Ok(stored) => stored,
            // The form may have changed meanwhile: messages are shown on the page as it is now.
            Err(error) => {
                return spawn_blocking(move || {
                    // Where that can't be read now, the page as it was keeps the typed values.
                    if let Err(unread) = sheet.follow_form(&sent) {
                        tracing::debug!(?unread, "a refused submission is shown on the form as it was");
                    }
                    refused(sheet, error)
                })
                .await;
            }
        };
        let app = &sheet.app;
        let form = &sheet.published.form.token;
        let (entry, right) = match &stored {
            Stored::Now(view) => {
                let (entry, settings) = (&view.entry, &view.shape.parsed.settings);
                let right = edit_right::offered_token(app.keys(), settings, entry);
                (Some((entry.serial, entry.token.clone())), right)
            }
            Stored::Before(body) => message_of(body),
        };
        let (serial, entry) = entry.ok_or_else(|| Error::internal("an answer without an entry"))?;
        let receipt = done::receipt(app, form.as_str(), (serial, &entry), right.as_deref(), sheet.is_embedded);
        let mut answer = sheet.received(&receipt);
        if sheet.keeps_start() {
            answer = EXAM.clear(app, form, answer);
        }
        if sheet.hold_token.is_some() {
            answer = HOLD.clear(app, form, answer);
        }
        Ok(match single_response::of(&sheet.published) {
            OnePer::Browser => {
                let mark = respondents::answered_cookie(app.keys(), form, &entry);
                ANSWERED.keep(app, form, &mark, answer)
            }
            OnePer::None | OnePer::Account => answer,
        })
    })))
}

/// Whether an answer belongs to a question that was removed since the page was drawn.
fn answers_what_is_gone(sheet: &FilledForm, sent: &FormPost) -> bool {
    let fields = &sheet.published.parsed.definition.fields;
    let is_gone = |name: &str| number_of(name).is_some() && fields.get(name).is_none();
    sent.is_ours && sent.tree.members().any(|(name, part)| is_gone(name) && part.is_filled())
}

/// The page as it is now is drawn without these questions: sent again, it is meant.
fn gone(texts: &Texts) -> Notice {
    let notice = Some(notice(texts, Tone::Warn, "form-gone"));
    Notice { status: StatusCode::CONFLICT, notice, is_outdated: true, ..Notice::default() }
}

/// The entry, and the right to it, in an answer that was given before.
fn message_of(body: &str) -> (Option<(i64, EntryToken)>, Option<String>) {
    let body: Json = serde_json::from_str(body).unwrap_or_default();
    let right = body["edit_token"].as_str().map(str::to_owned);
    let entry = &body["entry"];
    let token = entry["token"].as_str().map(EntryToken::new);
    (entry["serial_number"].as_i64().zip(token), right)
}

/// The page again, with everything typed and the reason why it was not stored.
pub fn refused(mut sheet: FilledForm, error: Error) -> Result<Answer> {
    let texts = sheet.texts();
    let mut said = Notice::default();
    match error {
        Error::Invalid(ref issues) | Error::NoRoom(ref issues) => {
            let issues = not_blank(issues.clone(), &[]);
            said.status = match error {
                Error::NoRoom(_) => StatusCode::CONFLICT,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            if matches!(error, Error::NoRoom(_)) {
                // Options that are full by now are shown as full.
                sheet.count()?;
                said.is_outdated = true;
                said.asks_to_wait = sheet.has_waiting_list();
            }
            sheet.page = sheet.page_of(&issues).unwrap_or(sheet.page);
            said.notice = whole(texts, &sheet, &issues);
            said.issues = issues;
            return Ok(sheet.answer(&said));
        }
        Error::Conflict(Code::IdempotencyConflict, _) if single_response::of(&sheet.published) != OnePer::None => {
            let status = StatusCode::CONFLICT;
            return Ok(states::answered(&sheet.app, &sheet.published, None, status));
        }
        Error::Conflict(Code::IdempotencyConflict, _) => {
            said.status = StatusCode::CONFLICT;
            said.notice = Some(notice(texts, Tone::Warn, "form-sent"));
            sheet.once = id::random(22);
            return Ok(sheet.answer(&said));
        }
        Error::Conflict(Code::AlreadySubmitted, _) => {
            let status = StatusCode::CONFLICT;
            return Ok(states::answered(&sheet.app, &sheet.published, None, status));
        }
        Error::Conflict(Code::WaitingListFull, _) => {
            sheet.count()?;
            said.is_outdated = true;
            said.status = StatusCode::CONFLICT;
            said.notice = Some(notice(texts, Tone::Warn, "wait-many"));
            return Ok(sheet.answer(&said));
        }
        Error::VersionConflict => {
            said.status = StatusCode::PRECONDITION_FAILED;
            said.notice = Some(notice(texts, Tone::Warn, "own-overtaken"));
            // Posted again, it is meant.
            if let Some(own) = &mut sheet.own {
                own.tag = None;
            }
            return Ok(sheet.answer(&said));
        }
        Error::Refused(code, _) => {
            let status = match code {
                Code::FormClosed => Status::Closed,
                Code::FormNotOpen => Status::NotOpen,
                Code::FormFull => Status::Full,
                _ => return Err(error),
            };
            let (title, _) = states::words(texts, status);
            said.status = StatusCode::FORBIDDEN;
            let text = if sheet.own.is_some() { "own-not-stored" } else { "form-not-stored" };
            said.notice = Some((Tone::Bad, title, texts.say(text)));
            said.is_shut = true;
            return Ok(sheet.answer(&said));
        }
        Error::TooMany(_) | Error::Busy(..) | Error::Stale => {}
        other => return Err(other),
    }
    let fault = error::reply(error, "/f/{form_token}", "");
    let wait = i64::try_from(fault.retry_after.unwrap_or(1)).unwrap_or(60);
    said.status = fault.status;
    said.notice = Some((Tone::Bad, texts.say("form-busy"), texts.fill("form-busy-text", &[("wait", wait.into())])));
    let answer = sheet.answer(&said);
    Ok(match fault.retry_after {
        Some(secs) => answer.header(header::RETRY_AFTER, &secs.to_string()),
        None => answer,
    })
}

/// A notice for faults that belong to no field on the page.
fn whole(texts: &Texts, sheet: &FilledForm, issues: &[Issue]) -> Option<(Tone, String, String)> {
    let other: Vec<String> = issues
        .iter()
        .filter(|issue| sheet.page_of(std::slice::from_ref(issue)).is_none())
        .map(ToString::to_string)
        .collect();
    (!other.is_empty()).then(|| (Tone::Bad, texts.say("error-other"), other.join(" · ")))
}
