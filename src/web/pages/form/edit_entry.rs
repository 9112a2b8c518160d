//! The page on which a respondent edits an entry: the form, filled in with the stored values. Only changed fields are
//! sent on, so that untouched ones need not satisfy rules that are newer than the entry.

use std::sync::Arc;

use serde_json::Map;

use crate::base::error::{Code, Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::texts;
use crate::fields::Field;
use crate::fields::values::{self, stored};
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::entries::edit_right;
use crate::ops::entries::respondent_entries::{self, Ask, OwnChange, OwnEntry};
use crate::ops::forms::published::{self, Password, Published, Visitor};
use crate::web::pages::form::changed_entry::ChangedEntry;
use crate::web::pages::form::form_post::{self, Action, FormPost};
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::{self as pages, done, states};
use crate::web::request::call::Call;
use crate::web::request::rates;
use crate::web::request::reply::Reply;

/// `GET /f/{form_token}/entries/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    open(call, None, false)
}

/// `POST /f/{form_token}/entries/{entry_token}`
pub fn submit(call: &Call) -> Result<Reply> {
    let sent = FormPost::read(call);
    if sent.action == Action::Open && !sent.is_ours {
        return open(call, sent.password.as_ref(), true);
    }
    let own = match find(call, sent.password.as_ref()) {
        Ok(own) => own,
        Err(error) => {
            let was_tried = sent.action == Action::Open;
            return instead(call, error, sent.password.as_ref(), was_tried);
        }
    };
    let mut sheet = sheet(call, &own, sent.password.as_ref())?;
    pages::take(&mut sheet, &sent);
    sheet.page = sent.page;
    if let Some(own) = &mut sheet.own {
        own.tag.clone_from(&sent.tag);
    }
    pages::go_on(call, sheet, sent)
}

/// The entry that a page of a respondent is about.
///
/// # Errors
/// 403 for the password or where the settings don't allow it, 404 without the right to it.
pub fn find(call: &Call, password: Option<&Password>) -> Result<OwnEntry> {
    find_by(call, password, respondent_entries::find)
}

/// The same, looked up in another way.
///
/// # Errors
/// Those of `look_up`.
pub fn find_by(
    call: &Call,
    password: Option<&Password>,
    look_up: fn(&App, &Ask) -> Result<OwnEntry>,
) -> Result<OwnEntry> {
    let right = call.query("edit_token");
    let address = call.address();
    let ask = Ask {
        form: call.param("form_token"),
        entry: call.param("entry_token"),
        edit_token: right.as_deref(),
        visitor: Visitor::of_page(password, &address),
    };
    look_up(call.app, &ask)
}

/// The page that asks for the password, or the one that says that nothing is changed any more.
///
/// # Errors
/// Any other error.
pub fn instead(call: &Call, error: Error, password: Option<&Password>, was_tried: bool) -> Result<Reply> {
    match error {
        Error::Refused(Code::PasswordRequired | Code::PasswordInvalid, _) => {
            Ok(states::locked(call, was_tried, &form_post::carried(call)).into())
        }
        Error::TooMany(secs) => Ok(states::locked_for(call, secs, &form_post::carried(call)).into()),
        // The right to the entry gives the right to read the form's texts.
        Error::Forbidden => {
            let address = call.address();
            let visitor = Visitor::of_page(password, &address);
            let published = published::show(call.app, call.param("form_token"), visitor)?;
            Ok(states::fixed(call.app, &published, pages::is_embedded(call)).into())
        }
        error => Err(error),
    }
}

fn open(call: &Call, password: Option<&Password>, was_tried: bool) -> Result<Reply> {
    let own = match find(call, password) {
        Ok(own) => own,
        Err(error) => return instead(call, error, password, was_tried),
    };
    if respondent_entries::check_open(&own.published).is_err() {
        let texts = texts::texts(&own.published.form.locale);
        let stay = texts.say("own-shut");
        return Ok(states::page(call, &own.published, Some(&stay)).into());
    }
    let mut sheet = sheet(call, &own, password)?;
    sheet.values = filled(&own, call);
    sheet.look_up(&[], false)?;
    sheet.read();
    sheet.page = sheet.next_page(0, false).unwrap_or_default();
    Ok(sheet.answer(&Notice::default()).into())
}

fn sheet(call: &Call, own: &OwnEntry, password: Option<&Password>) -> Result<FilledForm> {
    let mut sheet = pages::sheet(call, Arc::clone(&own.published), password)?;
    sheet.own = Some(ChangedEntry::of(own, call.now)?);
    Ok(sheet)
}

fn written(published: &Published) -> impl Iterator<Item = &Field> {
    let fields = published.parsed.definition.fields.with_values();
    fields.filter(|field| !field.hidden && (field.kind.is_written() || field.kind.comes_by_page()))
}

/// The stored values as the controls take them: every kind reads its own output.
fn filled(own: &OwnEntry, call: &Call) -> Map<String, Json> {
    let cx = own.shape.parsed.cx_with(call.now, true, &own.shape.found);
    let stored = stored::values(&own.entry.values).unwrap_or_default();
    written(&own.published)
        .map(|field| {
            let value = values::on_page(field, stored.get(&field.api_code), &cx);
            (field.api_code.clone(), value)
        })
        .collect()
}

/// The fields that were given another value than they have.
pub fn changed(sheet: &FilledForm, own: &ChangedEntry) -> Map<String, Json> {
    let cx = sheet.cx();
    let is_new = |field: &Field, typed: &Json| {
        let stored = own.before.get(&field.api_code);
        let shown = values::on_page(field, stored, &cx);
        // Values that look the same are the same, in whatever order they were ticked.
        let drawn = |value: &Json| sheet.control(field, value, &cx).into_string();
        if *typed == shown || drawn(typed) == drawn(&shown) {
            return false;
        }
        let mut at = Issues::new();
        let parsed = match typed {
            Json::Null => Json::Null,
            typed => field.kind.parse(typed.clone(), &cx.of_field(field), &mut at),
        };
        let parsed = Some(parsed).filter(|parsed| !values::is_blank(parsed));
        !at.is_empty() || parsed != values::today(field, stored, &cx)
    };
    written(&sheet.published)
        .filter_map(|field| {
            let typed = sheet.values.get(&field.api_code)?;
            is_new(field, typed).then(|| (field.api_code.clone(), typed.clone()))
        })
        .collect()
}

/// Stores the changes.
///
/// # Errors
/// Any fault that keeps the page from being drawn again.
pub fn store(call: &Call, sheet: FilledForm, sent: FormPost) -> Result<Reply> {
    let Some(own) = &sheet.own else {
        return Err(Error::internal("a change without an entry"));
    };
    if let Err(error) = respondent_entries::check_open(&sheet.published) {
        return pages::refused(sheet, error).map(Reply::from);
    }
    let form = call.param("form_token");
    let right = edit_right::token(call.app.keys(), &own.entry.token);
    let entry = (own.entry.serial, &own.entry.token);
    let receipt = done::changed(call.app, form, entry, &right, sheet.is_embedded);
    let file_faults = sheet.shown_issues(&sent.file_faults);
    if own.changed.is_empty() && file_faults.is_empty() {
        return Ok(sheet.received(&receipt).into());
    }
    if let Err(error) = rates::count_submission(call, &mut None) {
        return pages::refused(sheet, error).map(Reply::from);
    }
    let if_match = match own.tag.clone() {
        Some(tag) => IfMatch::Tags(vec![tag]),
        None => IfMatch::Absent,
    };
    let mut change = OwnChange::of_page(Json::Object(own.changed.clone()), file_faults);
    change.sender = Some(call.origin().sender);
    let (published, entry, answers) = (&sheet.published, own.entry.clone(), Some(&sheet.answers));
    let ticket = match respondent_entries::update(call.app, published, entry, change, answers, if_match) {
        Ok(ticket) => ticket,
        Err(error) => return pages::refused(sheet, error).map(Reply::from),
    };
    Ok(Reply::Later(Box::pin(async move {
        match ticket.await {
            Ok(_) => Ok(sheet.received(&receipt)),
            Err(error) => pages::refused(sheet, error),
        }
    })))
}
