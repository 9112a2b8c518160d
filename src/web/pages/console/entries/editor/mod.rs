//! `/forms/{form_token}/entries/{serial_number}/edit` and `/forms/{form_token}/entries/new`: a collaborator changes an
//! entry or adds one, with the controls that respondents have.

mod conflict;
pub(in crate::web::pages::console::entries) mod entry_form;

use maud::html;
use warp::http::{StatusCode, header};

use crate::base::error::{Code, Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::model::caller::{Caller, Sender};
use crate::ops::entries::entry_editor::{Change, Subject};
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::linked_options;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::editor::entry_form::{EntryForm, SHOWN};
use crate::web::pages::console::entries::{head_of_entry, keys, page_of_entry};
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::widgets;
use crate::web::pages::form::check::not_blank;
use crate::web::pages::form::form_post::{Action, FormPost};
use crate::web::pages::ui::entries::editor::EditorForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::error;
use crate::web::request::reply::{Answer, Reply};

/// Among the parameters of an entry's address: that it was changed, or added.
pub const SAVED: &str = "saved";
pub const ADDED: &str = "added";

/// `GET /forms/{form_token}/entries/{serial_number}/edit`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    open(call, caller, Subject::Entry(call.number("serial_number")))
}

/// `POST /forms/{form_token}/entries/{serial_number}/edit`
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    submit(call, caller, Subject::Entry(call.number("serial_number")))
}

/// `GET /forms/{form_token}/entries/new`
pub fn show_new(call: &Call, caller: &Caller) -> Result<Reply> {
    open(call, caller, Subject::New)
}

/// `POST /forms/{form_token}/entries/new`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    submit(call, caller, Subject::New)
}

fn open(call: &Call, caller: &Caller, subject: Subject) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let mut form = EntryForm::open(&frame, subject)?;
    form.read();
    Ok(page(&form, &Said::default()).into())
}

/// The outcome of a post, for its page.
#[derive(Default)]
struct Said {
    status: StatusCode,
    /// By the paths of the API.
    issues: Vec<Issue>,
    /// A message above the questions: title and text.
    notice: Option<(Tone, String, String)>,
    /// Seconds until it may be sent again.
    wait: Option<u64>,
    /// True if something that was typed is not saved.
    is_changed: bool,
}

fn submit(call: &Call, caller: &Caller, subject: Subject) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let sent = FormPost::read(call);
    let mut form = EntryForm::open(&frame, subject)?;
    form.take(&sent);
    let action = sent.intent(&form.values);
    if action == Action::Find && wants_json(call) {
        let find = sent.finds.first().cloned().unwrap_or_default();
        let options = linked_options::offered(call.app, &form.editor.parsed, &find, false)?;
        return Ok(Answer::json_text(StatusCode::OK, options.to_string()).into());
    }
    form.look_up(&sent.open_finds(&form.values))?;
    form.read();
    let said = Said { is_changed: true, ..Said::default() };
    let answer = match action {
        // Nobody has seen yet the questions that the answers made appear, so nothing is saved.
        Action::Submit if form.reveals(sent.hidden.as_deref()) => {
            let notice = Some((Tone::Note, frame.say("form-more"), frame.say("form-more-text")));
            let issues = issues(&form, &sent);
            answer(&form, Said { status: StatusCode::UNPROCESSABLE_ENTITY, notice, issues, ..said })
        }
        Action::Submit => return store(&mut form, &sent).map(Reply::from),
        Action::Check | Action::Next => {
            let issues = issues(&form, &sent);
            let status = if issues.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
            answer(&form, Said { issues, status: if wants_json(call) { StatusCode::OK } else { status }, ..said })
        }
        _ => answer(&form, said),
    };
    Ok(answer.into())
}

/// The faults of the answers, as far as they are known before they are saved.
fn issues(form: &EntryForm, sent: &FormPost) -> Vec<Issue> {
    let mut at = form.editor.answers.faults.clone();
    at.extend(sent.file_faults.clone());
    not_blank(at.into_list(), &sent.later)
}

/// Saves the changes and leads to the entry.
fn store(form: &mut EntryForm, sent: &FormPost) -> Result<Answer> {
    let call = form.frame.call;
    if let Some(refusal) = sent.refusal {
        return refused(form, refusal.error());
    }
    let values = form.changed();
    if let Some(entry) = form.editor.entry.as_ref().filter(|_| values.is_empty() && sent.file_faults.is_empty()) {
        return Ok(saved(form, entry.serial));
    }
    let save = |form: &EntryForm| {
        let once = form.editor.entry.is_none().then(|| once(form, sent, &values)).transpose()?;
        let (values, faults, tag) = (values.clone(), sent.file_faults.clone(), form.tag.clone());
        form.editor.save(call.app, form.frame.caller, Change { values, faults, tag, once })?.wait()
    };
    let stored = match save(form) {
        // Only its form was changed, or the state of its booking.
        Err(Error::VersionConflict) if form.follow()? => save(form),
        stored => stored,
    };
    match stored {
        Ok(serial) => Ok(saved(form, serial)),
        Err(error) => refused(form, error),
    }
}

/// The key of a sending: two clicks add one entry. Browsers send the same files again under other names.
fn once(form: &EntryForm, sent: &FormPost, values: &serde_json::Map<String, Json>) -> Result<Once> {
    let mut answers = Json::Object(values.clone()).to_string();
    for (upload, fingerprint) in &sent.fingerprints {
        answers = answers.replace(upload, &Json::from(fingerprint.as_str()).to_string());
    }
    let call = form.frame.call;
    Once::new(&form.once, &Sender::User(form.frame.caller.user.id), call.path, answers.as_bytes())
}

/// Leads to the page of an entry that was saved.
fn saved(form: &EntryForm, serial: i64) -> Answer {
    let frame = form.frame;
    let done = if form.editor.entry.is_some() { SAVED } else { ADDED };
    let entry = frame.address(&format!("entries/{serial}"));
    let to = ListAddress::of(frame.call, None).leads_to_entry(frame.call, &entry, &[(done, "1")]);
    if wants_json(frame.call) {
        return Answer::json_text(StatusCode::OK, serde_json::json!({"receipt": to}).to_string());
    }
    Answer::see_other(&to)
}

/// The page again, with everything typed and the reason why it was not saved.
fn refused(form: &mut EntryForm, error: Error) -> Result<Answer> {
    let frame = form.frame;
    let mut said = Said { is_changed: true, ..Said::default() };
    match error {
        Error::Invalid(issues) => {
            said.status = StatusCode::UNPROCESSABLE_ENTITY;
            said.issues = not_blank(issues, &[]);
        }
        Error::NoRoom(issues) => {
            said.status = StatusCode::CONFLICT;
            said.issues = issues;
            // Shows as full all that is full by now.
            form.look_up(&[])?;
            form.read();
        }
        Error::VersionConflict => return conflicting(form),
        Error::Conflict(Code::IdempotencyConflict, _) => {
            said.status = StatusCode::CONFLICT;
            said.notice = Some((Tone::Warn, frame.say("editing-sent"), frame.say("editing-sent-text")));
            form.begin_again();
        }
        Error::TooMany(_) | Error::Busy(..) | Error::Stale => {
            let fault = error::reply(error, frame.call.pattern, frame.call.request_id);
            let wait = fault.retry_after.unwrap_or(1);
            let shown = i64::try_from(wait).unwrap_or(i64::MAX);
            said.status = fault.status;
            said.wait = fault.retry_after;
            let text = frame.texts.fill("editing-busy-text", &[("wait", shown.into())]);
            said.notice = Some((Tone::Bad, frame.say("editing-busy"), text));
        }
        other => return Err(other),
    }
    let known = form.faults(&said.issues).len();
    let is_told = |issue: &&Issue| form.faults(std::slice::from_ref(issue)).is_empty();
    let others = frame.told(said.issues.iter().filter(is_told));
    if !others.is_empty() {
        let tone = if known == 0 { Tone::Bad } else { Tone::Warn };
        said.notice = Some((tone, frame.say("editing-not-saved"), others));
    }
    Ok(answer(form, said))
}

/// The choice between the answers of two people; if they gave the same, it is saved.
fn conflicting(form: &EntryForm) -> Result<Answer> {
    let call = form.frame.call;
    let Some(entry) = &form.editor.entry else {
        return Err(Error::VersionConflict);
    };
    if wants_json(call) {
        // The script has the server draw the page.
        let mut body = form.for_script(&[]);
        body["says_more"] = true.into();
        return Ok(Answer::json_text(StatusCode::PRECONDITION_FAILED, body.to_string()));
    }
    let page = conflict::page(form, &ListAddress::of(call, None), entry.serial)?;
    Ok(page.unwrap_or_else(|| saved(form, entry.serial)))
}

/// The answer to a page or to its script.
fn answer(form: &EntryForm, said: Said) -> Answer {
    let answer = if wants_json(form.frame.call) {
        let mut body = form.for_script(&said.issues);
        body["says_more"] = said.notice.is_some().into();
        Answer::json_text(said.status, body.to_string())
    } else {
        page(form, &said)
    };
    match said.wait {
        Some(secs) => answer.header(header::RETRY_AFTER, &secs.to_string()),
        None => answer,
    }
}

fn page(form: &EntryForm, said: &Said) -> Answer {
    let frame = form.frame;
    let address = ListAddress::of(frame.call, None);
    let (list, entry) = (frame.address("entries"), form.editor.entry.as_ref());
    let leads = |page: &str| address.leads(&format!("{list}{page}"), &[], &[]);
    let own = |page: &str| address.leads_to_entry(frame.call, &format!("{list}{page}"), &[]);
    let (heading, back, back_words, action) = match entry {
        Some(entry) => (
            frame.texts.fill("editing-title", &[("serial", entry.serial.into())]),
            own(&format!("/{}", entry.serial)),
            frame.texts.fill("entries-entry", &[("serial", entry.serial.into())]),
            own(&format!("/{}/edit", entry.serial)),
        ),
        None => (frame.say("editing-new"), leads(""), frame.say("entries-back"), leads("/new")),
    };
    let faults = form.faults(&said.issues);
    let title = frame.title(&heading);
    let wrong = widgets::page_title(frame.texts, &title, true);
    let rules = form.rules();
    let mut inputs = vec![("_once", form.once.clone())];
    if let Some(tag) = &form.tag {
        inputs.push(("_tag", tag.clone()));
        inputs.push((SHOWN, Json::Object(form.shown.clone()).to_string()));
    }
    let content = html! {
        (head_of_entry(frame, PageHead {
            back: Some(Back { address: &back, label: &back_words }),
            title: html! { (heading) },
            ..PageHead::default()
        }))
        @if let Some((tone, title, text)) = &said.notice { (message(*tone, title, text)) }
        (EditorForm {
            action: &action,
            csrf: &frame.csrf,
            inputs,
            has_files: form.editor.parsed.files,
            uploads: form.uploads(),
            rules: rules.as_ref(),
            hidden: form.hidden(),
            is_changed: said.is_changed,
            version: form.editor.form.versions.form,
            titles: (&title, &wrong),
            summary: form.summary(&faults),
            questions: form.questions(&faults),
            save: &frame.say(if entry.is_some() { "own-save" } else { "editing-add" }),
            cancel: &back,
            texts: frame.texts,
        })
        (keys::of_editor(frame))
    };
    let shown = if faults.is_empty() { &title } else { &wrong };
    let mut page = page_of_entry(frame, shown);
    page = page.script("form.js").script("enter.js").script("editor.js");
    if rules.is_some() {
        page = page.script("rules.js");
    }
    for name in form.scripts() {
        page = page.script(name);
    }
    page.answer(said.status, &content)
}

/// Whether the script of the page asks.
fn wants_json(call: &Call) -> bool {
    call.header("accept").is_some_and(|accept| accept.starts_with("application/json"))
}
