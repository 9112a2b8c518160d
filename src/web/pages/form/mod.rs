//! The hosted page of a form: it works without a script, and better with one. A post is the same submission as over
//! the API; whatever refuses it answers with the page and all that was typed.

pub mod answer_messages;
mod beside;
mod buttons;
mod changed_entry;
pub mod check;
mod done;
pub mod draft_preview;
mod draw;
mod edit_entry;
mod exam_start;
pub mod faults;
pub mod form_post;
mod form_view;
pub mod inspector;
mod pagination;
pub mod prefill;
mod preview;
mod progress;
mod script_words;
mod single_response;
mod states;
mod storing;
mod taken_down;
mod verify;
mod withdraw;

use std::sync::Arc;

use serde_json::Map;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::config::Config;
use crate::base::error::{Code, Error, Noun, Result};
use crate::base::id;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::{self, Texts};
use crate::fields::form_part::FormPart;
use crate::fields::links::LinkedData;
use crate::http::blocking::spawn_blocking;
use crate::model::settings::OnePer;
use crate::ops::entries::Shape;
use crate::ops::entries::answers::Answers;
use crate::ops::exams::time;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::{self, Password, Published, Visitor};
use crate::web::forms::form_cookie::{EXAM, HOLD};
use crate::web::forms::form_password;
use crate::web::pages::form::check::faults;
use crate::web::pages::form::form_post::{Action, FormPost};
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::storing::{refused, store};
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

pub use done::show as done;
pub use edit_entry::{show as show_own, submit as submit_own};
pub use form_view::Fills;
pub use verify::show as verify;
pub use withdraw::{cancel, leave, show_cancel, show_waiting};

/// Nobody reads and answers a form faster, unless the script saw how (S87).
const MIN_SECS: i64 = 2;

/// The path of a form's page, as links on pages have it.
fn address(config: &Config, form: &str) -> String {
    format!("{}/f/{form}", config.base_path())
}

fn is_embedded(call: &Call) -> bool {
    call.query("embed").is_some_and(|value| value == "1")
}

/// `GET /f/{form_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let visitor = Visitor { password: None, is_carried: false, address: &call.address() };
    match published::show(call.app, call.param("form_token"), visitor) {
        Ok(published) => Ok(fresh(call, published, None)?.into()),
        Err(Error::Refused(Code::PasswordRequired, _)) => Ok(states::locked(call, false, &[]).into()),
        Err(error) => Err(error),
    }
}

/// A page that is not older may still be in use.
const JUST_NOW_SECS: i64 = 86_400;

/// When this browser began the exam whose time is limited, and that signed. A page in another site's frame reads no
/// cookie (S9).
fn begun(call: &Call, sheet: &FilledForm) -> Option<(Time, String)> {
    let stamp = EXAM.of(call).filter(|_| sheet.keeps_start())?;
    let form = sheet.published.form.token.as_str();
    let began = time::started(call.app.keys(), form, stamp)?;
    Some((began, stamp.to_owned()))
}

/// The page as it is before anything was typed.
fn fresh(call: &Call, published: Published, password: Option<&Password>) -> Result<Answer> {
    if !published.shows_fields() {
        return Ok(states::page(call, &published, None));
    }
    if published.status == Status::Open
        && let Some(instead) = single_response::instead(call, &published)?
    {
        return Ok(instead);
    }
    let must_begin = exam_start::has_one(&published) && !exam_start::is_asked(call);
    let x_field_1 = call.query("x_field_1").filter(|text| text.chars().count() <= prefill::MOST_X_FIELD);
    let mut sheet = sheet(call, Arc::new(published), password)?;
    let before = begun(call, &sheet);
    if must_begin && before.is_none() {
        return exam_start::page(call, sheet.texts(), &sheet.published, password);
    }
    // This is a page, whatever the request accepts.
    sheet.for_script = false;
    sheet.values = prefill::from_address(call, &sheet);
    sheet.look_up(&[], false)?;
    sheet.values = prefill::with_defaults(std::mem::take(&mut sheet.values), &sheet);
    let raw = Json::Object(sheet.values.clone());
    sheet.answers = Answers::of_fresh_page(Arc::clone(&sheet.answers.shape), raw, call.now);
    sheet.look_for_room()?;
    sheet.page = sheet.next_page(0, false).unwrap_or_default();
    sheet.x_field_1 = x_field_1;
    let is_new = sheet.keeps_start() && before.is_none();
    if let Some((_, stamp)) = before {
        sheet.stamp = stamp;
    }
    let answer = sheet.answer(&Notice { is_fresh: true, ..said_now(&sheet) });
    Ok(if is_new { EXAM.keep(call.app, &sheet.published.form.token, &sheet.stamp, answer) } else { answer })
}

/// The notice for the form as it is now: one that opens later can be filled in already.
fn said_now(sheet: &FilledForm) -> Notice {
    let is_shut = sheet.is_early();
    let notice = is_shut.then(|| {
        let (title, text) = states::words(sheet.texts(), sheet.published.status);
        (Tone::Note, title, text)
    });
    Notice { notice, is_shut, ..Notice::default() }
}

fn sheet(call: &Call, published: Arc<Published>, password: Option<&Password>) -> Result<FilledForm> {
    let form = call.param("form_token");
    let grant = password
        .filter(|_| published.has_password())
        .map(|password| form_password::seal(call.app.keys(), form, &password.text))
        .transpose()?;
    let shape = Shape { parsed: Arc::clone(&published.parsed), found: LinkedData::default() };
    Ok(FilledForm {
        app: Arc::clone(&call.site.app),
        texts: texts::texts(&published.form.locale),
        csrf: (single_response::of(&published) == OnePer::Account).then(|| session::csrf(call)),
        own: None,
        preview: None,
        published,
        values: Map::new(),
        posted: FormPart::default(),
        page: 0,
        stamp: time::start_token(call.app.keys(), form, call.now),
        once: id::random(22),
        grant,
        x_field_1: None,
        hold_token: HOLD.of(call).map(str::to_owned),
        hold: None,
        is_hold_short: false,
        waits: false,
        is_embedded: is_embedded(call),
        for_script: wants_json(call),
        answers: Answers::unread(Arc::new(shape), true, call.now),
        now: call.now,
    })
}

/// `POST /f/{form_token}`
pub fn submit(call: &Call) -> Result<Reply> {
    let sent = FormPost::read(call);
    let address = call.address();
    let visitor = Visitor::of_page(sent.password.as_ref(), &address);
    let published = match published::show(call.app, call.param("form_token"), visitor) {
        Ok(published) => published,
        Err(Error::Refused(Code::PasswordRequired | Code::PasswordInvalid, _)) => {
            let was_tried = sent.action == Action::Open;
            return Ok(states::locked(call, was_tried, &form_post::carried(call)).into());
        }
        Err(Error::TooMany(secs)) => {
            return Ok(states::locked_for(call, secs, &form_post::carried(call)).into());
        }
        Err(Error::NotFound(Noun::Form)) => return taken_down::answer(call, &sent),
        Err(error) => return Err(error),
    };
    let password = sent.password.as_ref();
    // The reader of a form that opens later asks whether it is open now.
    let is_reader = sent.action == Action::More && sent.tree.members().next().is_none() && published.shows_fields();
    if is_reader || (sent.action == Action::Open && !sent.is_ours) {
        return Ok(fresh(call, published, password)?.into());
    }
    if !published.shows_fields() && !was_shown(call, &published, &sent) {
        let mut answer = states::page(call, &published, None);
        answer.status = StatusCode::FORBIDDEN;
        return Ok(answer.into());
    }
    let mut sheet = sheet(call, Arc::new(published), password)?;
    take(&mut sheet, &sent);
    sheet.page = sent.page;
    sheet.x_field_1.clone_from(&sent.x_field_1);
    if sent.hold.is_some() {
        sheet.hold_token.clone_from(&sent.hold);
    }
    go_on(call, sheet, sent)
}

/// Whether the sender was given the questions of a form that shows them to nobody now: only then the page comes back
/// with the typed answers. For a form that opens later, that must have been just now.
fn was_shown(call: &Call, published: &Published, sent: &FormPost) -> bool {
    let form = published.form.token.as_str();
    let began = |stamp: &str| time::started(call.app.keys(), form, stamp);
    let began = sent.stamp.as_deref().and_then(began);
    began.is_some_and(|began| published.status != Status::NotOpen || call.now.secs_since(began) < JUST_NOW_SECS)
}

/// Carries out a post of a page; `sheet` holds the typed values.
fn go_on(call: &Call, mut sheet: FilledForm, sent: FormPost) -> Result<Reply> {
    let form = call.param("form_token");
    let mut began = sent.stamp.as_deref().map(|stamp| time::started(call.app.keys(), form, stamp));
    if let (Some(stamp), Some(Some(_))) = (&sent.stamp, began) {
        sheet.stamp.clone_from(stamp);
    }
    if let Some((earlier, stamp)) = begun(call, &sheet)
        && began.flatten().is_none_or(|began| earlier < began)
    {
        began = Some(Some(earlier));
        sheet.stamp = stamp;
    }
    if let Some(once) = &sent.once {
        sheet.once.clone_from(once);
    }
    let action = sent.intent(&sheet.values);
    if action == Action::Find {
        return find(call, sheet, sent);
    }
    sheet.look_up(&sent.open_finds(&sheet.values), false)?;
    sheet.read();
    sheet.look_for_room()?;
    if let Some(refusal) = sent.refusal {
        return refused(sheet, refusal.error()).map(Reply::from);
    }
    match action {
        Action::Back => {
            sheet.page = sheet.next_page(sent.page, true).unwrap_or_default();
            Ok(sheet.answer(&said_now(&sheet)).into())
        }
        Action::More => Ok(sheet.answer(&said_now(&sheet)).into()),
        Action::Open => {
            let issues = sheet.shown_issues(&sent.lost);
            sheet.page = sheet.page_of(&issues).unwrap_or(sheet.page);
            let said = Notice { issues, ..said_now(&sheet) };
            Ok(sheet.answer(&said).into())
        }
        Action::Next | Action::Check => check::check(call, sheet, sent),
        Action::Find | Action::Submit => {
            let is_hasty = |began| !sent.is_signed && call.now.secs_since(began) < MIN_SECS;
            let is_stamp_odd = began.is_some_and(|began| began.is_none_or(is_hasty));
            // The right to an entry proves that the sender is no bot.
            if sheet.own.is_none() && sheet.preview.is_none() && (sent.is_trapped || is_stamp_odd) {
                // Faults are reason enough to look again.
                let issues = faults(&sheet, &sent);
                return if issues.is_empty() {
                    Ok(ask_again(&sheet).into())
                } else {
                    refused(sheet, Error::Invalid(issues)).map(Reply::from)
                };
            }
            if let Some(page) = sheet.revealed(sent.hidden.as_deref()) {
                let issues = faults(&sheet, &sent);
                sheet.page = sheet.page_of(&issues).map_or(page, |first| first.min(page));
                return Ok(more(&sheet, issues).into());
            }
            if sheet.preview.is_some() {
                draft_preview::finish(call, sheet, &sent)
            } else if sheet.own.is_some() {
                edit_entry::store(call, sheet, sent)
            } else {
                store(call, sheet, sent, began.flatten())
            }
        }
    }
}

/// Puts the fields of a post into the sheet, in the write shape. Our own page posts every filled-in field: a missing
/// one was left empty. Others may leave a field to its default.
fn take(sheet: &mut FilledForm, sent: &FormPost) {
    let nothing = FormPart::default();
    let cx = sheet.cx();
    let fields = sheet.published.parsed.definition.fields.with_values();
    let values = fields
        .filter(|field| !field.hidden)
        .filter_map(|field| {
            let part = sent.tree.member(&field.api_code);
            let part = part.or(sent.is_ours.then_some(&nothing))?;
            Some((field.api_code.clone(), field.kind.form_value(part, &cx)))
        })
        .collect();
    sheet.values = values;
    sheet.posted.clone_from(&sent.tree);
}

impl FilledForm {
    /// Takes the form as it is now, where it was changed since the page was made, with the typed values.
    fn follow_form(&mut self, sent: &FormPost) -> Result<()> {
        let form = self.published.form.token.as_str();
        let Some(changed) = published::since(&self.app, form, self.published.form.version)? else {
            return Ok(());
        };
        // A visitor who had access before may have none now.
        let (now, before) = (&changed.parsed.settings, &self.published.parsed.settings);
        if now.access_control != before.access_control {
            return Ok(());
        }
        self.texts = texts::texts(&changed.form.locale);
        self.published = Arc::new(changed);
        take(self, sent);
        self.look_up(&sent.open_finds(&self.values), false)?;
        self.read();
        Ok(())
    }
}

/// Whether the script of the page asks.
fn wants_json(call: &Call) -> bool {
    call.header("accept").is_some_and(|accept| accept.starts_with("application/json"))
}

/// The page again with the results of a search in other forms, or the results alone for the script. Counted like
/// submissions, and done where it may take its time.
fn find(call: &Call, mut sheet: FilledForm, sent: FormPost) -> Result<Reply> {
    rates::count_visit(call, Visit::FormSearch)?;
    let for_script = wants_json(call);
    Ok(Reply::Later(Box::pin(async move {
        spawn_blocking(move || {
            if for_script {
                let options = sheet.options(sent.finds.first())?;
                return Ok(Answer::json_text(StatusCode::OK, options.to_string()));
            }
            sheet.look_up(&sent.open_finds(&sheet.values), true)?;
            sheet.read();
            Ok(sheet.answer(&said_now(&sheet)))
        })
        .await
    })))
}

/// Shows questions that the answers revealed: they were not seen yet, so nothing is stored.
fn more(sheet: &FilledForm, issues: Vec<Issue>) -> Answer {
    let notice = notice(sheet.texts(), Tone::Note, "form-more");
    sheet.answer(&Notice {
        status: StatusCode::UNPROCESSABLE_ENTITY,
        notice: Some(notice),
        issues,
        ..Notice::default()
    })
}

/// Asks senders that were too quick, or filled in the hidden input, to send once more.
fn ask_again(sheet: &FilledForm) -> Answer {
    let texts = sheet.texts();
    let text = texts.fill("form-again-text", &[("button", sheet.submit_words().into())]);
    let notice = (Tone::Note, texts.say("form-again"), text);
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    sheet.answer(&Notice { status, notice: Some(notice), is_again: true, ..Notice::default() })
}

fn notice(texts: &Texts, tone: Tone, key: &str) -> (Tone, String, String) {
    (tone, texts.say(key), texts.say(&format!("{key}-text")))
}
