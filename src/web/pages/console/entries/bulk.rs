//! `/forms/{form_token}/entries/bulk`: bulk actions on all entries that a list's address selects: to the trash, or one
//! question gets one value. Either is a job.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::unknown_members::Ignored;
use crate::base::text::phrase::Phrase;
use crate::fields::Field;
use crate::model::caller::Caller;
use crate::model::page::PageRequest;
use crate::ops::entries::entry_editor::Subject;
use crate::ops::entries::entry_lists::{self, ListRequest};
use crate::ops::entries::jobs::{self, BulkRequest};
use crate::ops::forms::access::{self, Right};
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::editor::entry_form::EntryForm;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, jobs as job_page};
use crate::web::pages::form::faults::name_of;
use crate::web::pages::form::form_post::{Action, FormPost};
use crate::web::pages::ui::button::{Button, Weight};
use crate::web::pages::ui::field::{Choice, LineField, SelectField, line_field};
use crate::web::pages::ui::form::{AskForm, PostForm, hidden};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::request::call::Call;
use crate::web::request::error;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// For up to so many entries, a press is enough; beyond, their number must be typed.
const UNTYPED: i64 = 1_000;

/// The parameter that names the question.
const FIELD: &str = "field";
/// The number of entries that the page showed, and the number that was typed.
const EXPECTED: &str = "expected_total";
const TYPED: &str = "typed_total";

const TRASH: &str = "trash";
const SET: &str = "set";

/// Faults, and the values as typed.
#[derive(Default)]
struct Said {
    status: StatusCode,
    /// The requested action: `trash` or `set`.
    act: String,
    /// The number as it was typed.
    typed: String,
    typed_fault: String,
    issues: Vec<Issue>,
    notice: Option<(Tone, String)>,
}

struct BulkPage<'a> {
    frame: &'a FormFrame<'a>,
    address: ListAddress,
    /// The question whose value is set.
    field: Option<&'a Field>,
    /// The controls.
    form: EntryForm<'a>,
}

/// `GET /forms/{form_token}/entries/bulk`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    access::check(call.app, caller, call.param("form_token"), Right::Enter)?;
    let name = call.query(FIELD).unwrap_or_default();
    let page = BulkPage::open(&frame, &name)?;
    Ok(page.answer(Said::default())?.into())
}

/// `POST /forms/{form_token}/entries/bulk`: leads to the job.
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    access::check(call.app, caller, call.param("form_token"), Right::Enter)?;
    let posted = Posted::of(call);
    let mut page = BulkPage::open(&frame, posted.text(FIELD))?;
    let sent = FormPost::read(call);
    page.form.take(&sent);
    let act = posted.text("act").to_owned();
    let mut said = Said { act: act.clone(), typed: posted.text(TYPED).to_owned(), ..Said::default() };
    if act == SET {
        let action = sent.intent(&page.form.values);
        page.form.look_up(&sent.open_finds(&page.form.values))?;
        if action != Action::Submit {
            return Ok(page.answer(said)?.into());
        }
    }
    let expected: i64 = posted.text(EXPECTED).parse().unwrap_or_default();
    if expected > UNTYPED && digits(&said.typed) != Some(expected) {
        said.status = StatusCode::UNPROCESSABLE_ENTITY;
        said.typed_fault = frame.texts.fill("bulk-type-wrong", &[("count", expected.to_string().into())]);
        return Ok(page.answer(said)?.into());
    }
    match page.begin(&act, expected) {
        Ok(job) => {
            let job = page.address.leads(&job_page::address(call.param("form_token"), &job), &[], &[]);
            Ok(session::to_page(&call.app.config, &job).into())
        }
        Err(error) => Ok(page.answer(page.refused(said, error)?)?.into()),
    }
}

/// A number without the separators of its digits.
fn digits(typed: &str) -> Option<i64> {
    let digits: String = typed.chars().filter(|c| !c.is_whitespace() && !matches!(c, ',' | '.' | '\'')).collect();
    digits.parse().ok()
}

impl<'a> BulkPage<'a> {
    fn open(frame: &'a FormFrame<'a>, name: &str) -> Result<Self> {
        let address = ListAddress::of(frame.call, None);
        let field = jobs::settable(&frame.view.parsed).find(|field| field.api_code == name);
        Ok(Self { frame, address, field, form: EntryForm::open(frame, Subject::New)? })
    }

    /// Begins the job; its public id.
    fn begin(&self, act: &str, expected_total: i64) -> Result<String> {
        let (call, caller) = (self.frame.call, self.frame.caller);
        let token = call.param("form_token");
        let request = BulkRequest { filter: self.address.filter()?, serials: None, expected_total };
        let view = match (act, self.field) {
            (SET, Some(field)) => {
                let value = self.form.values.get(&field.api_code).cloned().unwrap_or_default();
                let values = json!({ field.api_code.as_str(): value });
                let mut ignored = Ignored::default();
                jobs::begin_update(call.app, caller, token, (request, values), Issues::new(), &mut ignored)?
            }
            (TRASH, _) => jobs::begin_trash(call.app, caller, token, request, Issues::new())?,
            _ => return Err(Error::BadRequest(Phrase::plain("act must be trash or set, with a field"))),
        };
        Ok(view.job.token)
    }

    /// The page after a refusal.
    fn refused(&self, said: Said, error: Error) -> Result<Said> {
        let frame = self.frame;
        match error {
            Error::TotalChanged(_) => {
                let notice = Some((Tone::Warn, frame.say("bulk-changed")));
                Ok(Said { status: StatusCode::PRECONDITION_FAILED, typed: String::new(), notice, ..said })
            }
            Error::Invalid(issues) => {
                let own = |issue: &Issue| self.form.faults(std::slice::from_ref(issue)).is_empty();
                let others = frame.told(issues.iter().filter(|issue| own(issue)));
                let notice = (!others.is_empty()).then_some((Tone::Bad, others));
                Ok(Said { status: StatusCode::UNPROCESSABLE_ENTITY, issues, notice, ..said })
            }
            error @ (Error::TooManyOpen(..) | Error::Busy(..)) => {
                let status = error::reply(error, frame.call.pattern, frame.call.request_id).status;
                Ok(Said { status, notice: Some((Tone::Bad, frame.say("bulk-busy"))), ..said })
            }
            other => Err(other),
        }
    }

    /// How many entries it is about.
    fn total(&self) -> Result<i64> {
        let (call, (order, descending)) = (self.frame.call, entry_lists::order_by_name(None)?);
        let page = PageRequest { size: 1, after: None };
        let request = ListRequest { filter: self.address.filter()?, order, descending, fields: None, page };
        let token = call.param("form_token");
        Ok(entry_lists::live(call.app, self.frame.caller, token, request, Issues::new())?.wait()?.page.total)
    }

    fn answer(&self, said: Said) -> Result<Answer> {
        let frame = self.frame;
        let total = self.total()?;
        let heading = frame.texts.fill("entries-count", &[("count", total.into())]);
        let back = self.address.leads(&frame.address("entries"), &[], &[]);
        let lead = if self.address.is_all() { "bulk-all" } else { "bulk-matching" };
        let content = html! {
            (frame.head(FormPage::Entries, false))
            (PageHead {
                back: Some(Back { address: &back, label: &frame.say("entries-back") }),
                title: html! { (heading) },
                lead: html! { (frame.say(lead)) },
                ..PageHead::default()
            })
            @if let Some((tone, text)) = &said.notice { (message(*tone, text, "")) }
            @if total == 0 {
                (EmptyState { text: &frame.say("entries-none-found"), ..EmptyState::default() })
            } @else {
                (self.set(total, &said))
                (self.trash(total, &said))
            }
        };
        let title = frame.title(&heading);
        let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, &title);
        Ok(page.answer(said.status, &content))
    }

    /// The choice of a question, and the value that it gets.
    fn set(&self, total: i64, said: &Said) -> Markup {
        let frame = self.frame;
        let choices = jobs::settable(&frame.view.parsed).map(|field| {
            let is_chosen = self.field.is_some_and(|chosen| chosen.api_code == field.api_code);
            Choice { lang: frame.owners_lang(), ..Choice::new(&field.api_code, name_of(frame.texts, field), is_chosen) }
        });
        let select = SelectField {
            id: FIELD,
            name: FIELD,
            label: &frame.say("bulk-question"),
            choices: choices.collect(),
            ..SelectField::default()
        };
        let choose = AskForm {
            action: &frame.address("entries/bulk"),
            kept: self.address.pairs_without(&[]),
            content: html! { (select) (Button::quiet(&frame.say("bulk-choose"))) },
        };
        let button = frame.texts.fill("bulk-set", &[("count", total.into())]);
        let content = html! {
            (choose)
            @if let Some(field) = self.field {
                (PostForm {
                    action: &self.action(),
                    csrf: &frame.csrf,
                    content: html! {
                        (hidden("act", SET))
                        (hidden(FIELD, &field.api_code))
                        (hidden(EXPECTED, &total.to_string()))
                        // Marks the post as ours, which has the whole control.
                        (hidden("_page", "0"))
                        (self.form.only(field, &said.issues))
                        (self.typed(SET, total, said))
                        (Button::main(&button))
                    },
                    ..PostForm::default()
                })
            }
        };
        Section {
            id: "set",
            title: html! { (frame.say("bulk-set-title")) },
            text: &frame.say("bulk-set-text"),
            content,
        }
        .render()
    }

    fn trash(&self, total: i64, said: &Said) -> Markup {
        let frame = self.frame;
        let label = frame.texts.fill("bulk-trash", &[("count", total.into())]);
        let content = PostForm {
            action: &self.action(),
            csrf: &frame.csrf,
            content: html! {
                (hidden("act", TRASH))
                (hidden(EXPECTED, &total.to_string()))
                (self.typed(TRASH, total, said))
                (Button { label: &label, weight: Weight::Danger, ..Button::default() })
            },
            ..PostForm::default()
        };
        Section {
            id: TRASH,
            title: html! { (frame.say("bulk-trash-title")) },
            text: &frame.say("bulk-trash-text"),
            content: content.render(),
        }
        .render()
    }

    /// The input for the number of entries, where there are many.
    fn typed(&self, act: &str, total: i64, said: &Said) -> Markup {
        if total <= UNTYPED {
            return Markup::default();
        }
        let is_own = said.act == act;
        line_field(&LineField {
            name: TYPED,
            id: &format!("{act}-total"),
            label: &self.frame.texts.fill("bulk-type", &[("count", total.to_string().into())]),
            value: if is_own { &said.typed } else { "" },
            fault: if is_own { &said.typed_fault } else { "" },
            autocomplete: "off",
            ..LineField::default()
        })
    }

    fn action(&self) -> String {
        self.address.leads(&self.frame.address("entries/bulk"), &[], &[])
    }
}
