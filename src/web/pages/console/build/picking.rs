//! `/forms/{form_token}/build/from`: questions of another form are added to the draft as copies, in one step.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::page::PageRequest;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::picked::{self, Offered, Picked, Source, Unpicked};
use crate::ops::forms::form_lists::{self, FormListItem, ListRequest};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, account_messages};
use crate::web::pages::ui::build::picked::{PickList, PickRow, TICK};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::form::{AskForm, PostForm, hidden};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{lead, name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The most forms that are offered, the newest first.
const MOST_FORMS: usize = 500;

/// `GET /forms/{form_token}/build/from`; `form` is the form to pick from, `after` the code of the question that the new
/// ones follow.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let after = call.query("after").unwrap_or_default();
    match call.query("form").filter(|form| !form.is_empty()) {
        Some(form) => {
            let source = Source::load(call.app, caller, &form)?;
            Ok(questions(call, caller, StatusCode::OK, &after, &source, &[], "")?.into())
        }
        None => Ok(forms(call, caller, &after)?.into()),
    }
}

/// `POST /forms/{form_token}/build/from`: adds the ticked questions.
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    access::check(call.app, caller, token, Right::Manage)?;
    let source = Source::load(call.app, caller, posted.text("form"))?;
    let (after, ticked) = (posted.text("after"), ticks(&posted));
    let texts = console::texts_of(&caller.user);
    let fault = match source.pick(&ticked) {
        Ok(picked) => {
            let leaves = picked.leaves;
            match picked::take_over(call.app, caller, token, picked, after) {
                Ok(codes) => return Ok(to_questions(call, token, &codes, leaves)),
                Err(Error::Invalid(faults)) => {
                    let told = faults.iter().map(|fault| account_messages::message(texts, fault));
                    told.collect::<Vec<_>>().join(" ")
                }
                Err(other) => return Err(other),
            }
        }
        Err(fault) => words_of(texts, &source, &fault),
    };
    Ok(questions(call, caller, StatusCode::UNPROCESSABLE_ENTITY, after, &source, &ticked, &fault)?.into())
}

/// The codes that were ticked.
pub(in crate::web::pages::console) fn ticks(posted: &Posted) -> Vec<String> {
    posted.0.iter().filter(|(key, _)| key == TICK).map(|(_, code)| code.clone()).collect()
}

/// Leads to the builder with the first of the new questions chosen; `leaves` says that something stayed behind.
pub fn to_questions(call: &Call, token: &str, codes: &[String], leaves: bool) -> Reply {
    let (first, done) = (codes.first().map_or("", String::as_str), if leaves { "picked-left" } else { "picked" });
    session::to_page(&call.app.config, &format!("/forms/{token}/build?field={first}&done={done}")).into()
}

/// Why nothing was picked, in words.
pub fn words_of(texts: &Texts, source: &Source, fault: &Unpicked) -> String {
    let label = |code: &str| isolated(source.body(code).map_or(code, label_of));
    match fault {
        Unpicked::Nothing => texts.say("picked-none"),
        Unpicked::Needed(missing) => {
            let told = missing.iter().map(|(formula, needed)| {
                texts.fill("picked-needs", &[("question", label(formula).into()), ("needed", label(needed).into())])
            });
            told.collect::<Vec<_>>().join(" ")
        }
    }
}

fn label_of(body: &Json) -> &str {
    body["label"].as_str().unwrap_or_default().trim()
}

/// The forms that somebody reads, those that changed last first.
///
/// # Errors
/// 503.
pub fn readable(app: &App, caller: &Caller) -> Result<Vec<FormListItem>> {
    let request = ListRequest {
        name: None,
        folder: None,
        sort: form_lists::sort_by_name(Some("updated_at"))?,
        is_trashed: false,
        page: PageRequest { size: MOST_FORMS, after: None },
    };
    Ok(form_lists::list(app, caller, request)?.rows)
}

/// The choice of a form.
pub fn form_field(texts: &Texts, forms: &[&FormListItem], id: &str, chosen: &str) -> Markup {
    let choices = forms.iter().map(|item| {
        let token = item.form.token.as_str();
        Choice::new(token, name(&item.form.name), token == chosen)
    });
    let label = texts.say("new-form-source");
    SelectField { id, name: "form", label: &label, choices: choices.collect(), ..SelectField::default() }.render()
}

/// The questions of a form, each with a tick.
pub fn list(texts: &Texts, source: &Source, ticked: &[String], fault: &str) -> Markup {
    let rows = source.offered().into_iter().map(|question| row_of(texts, source, ticked, question)).collect();
    PickList { label: &texts.say("picked-questions"), find: &texts.say("picked-find"), fault, rows }.render()
}

fn row_of<'s>(texts: &Texts, source: &'s Source, ticked: &[String], question: Offered<'s>) -> PickRow<'s> {
    let label = |code: &str| isolated(source.body(code).map_or(code, label_of));
    let kind = question.body["type"].as_str().map(|kind| texts.say(&format!("kind-{kind}"))).unwrap_or_default();
    let needs: Vec<String> = question.needs.iter().map(|code| label(code)).collect();
    let needs = (!needs.is_empty()).then(|| texts.fill("picked-from", &[("labels", needs.join(" · ").into())]));
    let rules = question.has_rules.then(|| texts.say("picked-rules"));
    PickRow {
        code: question.code,
        label: match label_of(question.body) {
            "" => html! { (kind) },
            own => html! { span lang=[texts.other(source.locale())] { (name(own)) } },
        },
        kind,
        notes: needs.into_iter().chain(rules).collect(),
        is_ticked: ticked.iter().any(|code| code == question.code),
    }
}

/// The choice of the form to pick from.
fn forms(call: &Call, caller: &Caller, after: &str) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let readable = readable(call.app, caller)?;
    let forms: Vec<_> = readable.iter().filter(|item| item.form.token != frame.view.form.token).collect();
    let content = html! {
        @if forms.is_empty() {
            (lead(texts.say("picked-no-forms")))
            (row(back(&frame, after)))
        } @else {
            (AskForm {
                action: &frame.address("build/from"),
                kept: vec![("after", after.to_owned())],
                content: html! {
                    (form_field(texts, &forms, "form", ""))
                    (row(html! { (Button::main(&texts.say("picked-choose"))) (back(&frame, after)) }))
                },
            })
        }
    };
    page(call, caller, StatusCode::OK, &frame, content)
}

/// The choice of questions.
fn questions(
    call: &Call,
    caller: &Caller,
    status: StatusCode,
    after: &str,
    source: &Source,
    ticked: &[String],
    fault: &str,
) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let content = html! {
        (hidden("after", after))
        (hidden("form", source.token()))
        (list(texts, source, ticked, fault))
        (row(html! { (Button::main(&texts.say("picked-add"))) (back(&frame, after)) }))
    };
    let action = frame.address("build/from");
    let content = html! {
        @if !fault.is_empty() { (message(Tone::Bad, fault, "")) }
        (lead(html! { (name(source.name())) }))
        (PostForm { action: &action, csrf: &frame.csrf, content, ..PostForm::default() })
    };
    page(call, caller, status, &frame, content)
}

fn back(frame: &FormFrame, after: &str) -> Markup {
    let address = frame.address(&format!("build?add={after}"));
    Button { label: &frame.texts.say("paste-back"), press: Press::Go(&address), ..Button::default() }.render()
}

fn page(call: &Call, caller: &Caller, status: StatusCode, frame: &FormFrame, content: Markup) -> Result<Answer> {
    let texts = frame.texts;
    let shown = html! {
        (frame.head(FormPage::Build, true))
        (Section {
            id: "from",
            title: html! { (texts.say("picked-title")) },
            text: &texts.say("picked-text"),
            content,
        })
    };
    let title = frame.title(&texts.say("picked-title"));
    let page = console::page(call, &caller.user, &frame.csrf, texts, &title).script("columns.js");
    Ok(page.answer(status, &shown))
}

/// The outcome of picking from a posted form: what was picked, or the words of why nothing was.
///
/// # Errors
/// 404.
pub(in crate::web::pages::console) fn picked_of(
    app: &App,
    caller: &Caller,
    posted: &Posted,
) -> Result<(Source, std::result::Result<Picked, String>)> {
    let source = Source::load(app, caller, posted.text("form"))?;
    let texts = console::texts_of(&caller.user);
    let picked = source.pick(&ticks(posted)).map_err(|fault| words_of(texts, &source, &fault));
    Ok((source, picked))
}
