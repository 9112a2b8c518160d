//! `/forms/{form_token}/build/paste`: a pasted list becomes questions of the draft, in one step.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::fields::paste;
use crate::model::caller::Caller;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::{change, fresh};
use crate::web::pages::console::build::back;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, account_messages};
use crate::web::pages::ui::build::paste::{PasteField, PasteForm, PasteRow, PasteTable, count, definitions, rows_of};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// `GET /forms/{form_token}/build/paste`; `after` is the code of the question that the new ones follow.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let after = call.query("after").unwrap_or_default();
    Ok(boxed(call, caller, StatusCode::OK, &after, "")?.into())
}

/// `POST /forms/{form_token}/build/paste`: reads a list, or adds the questions of the table that it became.
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    access::check(call.app, caller, token, Right::Manage)?;
    let after = posted.text("after");
    match posted.text("from") {
        "list" => {
            let reading = paste::read(posted.text("list"));
            if reading.proposals.is_empty() {
                let texts = console::texts_of(&caller.user);
                let fault = account_messages::message(texts, &Issue::new("list", Reason::Blank));
                return Ok(boxed(call, caller, StatusCode::UNPROCESSABLE_ENTITY, after, &fault)?.into());
            }
            // The form has its name: a title is left out, unless it was a question after all.
            let title = Some(reading.title).filter(|title| !title.is_empty());
            let title = title.map(|title| PasteRow { is_left_out: true, ..paste::question(&title).into() });
            let rows: Vec<PasteRow> =
                title.into_iter().chain(reading.proposals.into_iter().map(PasteRow::from)).collect();
            Ok(table(call, caller, StatusCode::OK, after, &rows, "", &reading.left_out)?.into())
        }
        "questions" => {
            let rows = rows_of(&posted.0);
            let texts = console::texts_of(&caller.user);
            let bodies = definitions(&rows).into_iter().map(|(_, body)| fresh::completed(body, texts)).collect();
            match change::add(call.app, caller, token, bodies, after) {
                Ok(codes) => Ok(back(call, codes.first().map_or("", String::as_str))),
                Err(Error::Invalid(faults)) => {
                    let told: Vec<String> =
                        faults.iter().map(|fault| account_messages::message(texts, fault)).collect();
                    let status = StatusCode::UNPROCESSABLE_ENTITY;
                    Ok(table(call, caller, status, after, &rows, &told.join(" "), &[])?.into())
                }
                Err(other) => Err(other),
            }
        }
        _ => Err(Error::NotFound(Noun::Page)),
    }
}

/// The box for a list.
fn boxed(call: &Call, caller: &Caller, status: StatusCode, after: &str, fault: &str) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let field = PasteField {
        name: "list",
        label: &texts.say("paste-label"),
        notes: &texts.say("paste-notes"),
        fault,
        example: &texts.say("paste-example"),
        value: "",
    };
    let content = html! { (field) (buttons(&frame, &texts.say("paste-button"))) };
    page(call, caller, status, &frame, ("list", after), content, ("paste-title", "new-form-list-text"))
}

/// The questions that the list will become.
fn table(
    call: &Call,
    caller: &Caller,
    status: StatusCode,
    after: &str,
    rows: &[PasteRow],
    fault: &str,
    left_out: &[String],
) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let content = html! {
        @if !fault.is_empty() { (message(Tone::Bad, fault, "")) }
        @if !left_out.is_empty() { (message(Tone::Warn, &texts.say("paste-too-long"), &left_out.join(" · "))) }
        (PasteTable { texts, rows })
        (buttons(&frame, &texts.fill("paste-add", &[("count", count(rows).into())])))
    };
    page(call, caller, status, &frame, ("questions", after), content, ("paste-table", "paste-table-text"))
}

fn buttons(frame: &FormFrame, label: &str) -> Markup {
    let back = frame.address("build");
    let back = Button { label: &frame.texts.say("paste-back"), press: Press::Go(&back), ..Button::default() };
    row(html! { (Button::main(label)) (back) })
}

fn page(
    call: &Call,
    caller: &Caller,
    status: StatusCode,
    frame: &FormFrame,
    (from, after): (&str, &str),
    content: Markup,
    (title, text): (&str, &str),
) -> Result<Answer> {
    let texts = frame.texts;
    let content = html! {
        input type="hidden" name="from" value=(from);
        input type="hidden" name="after" value=(after);
        (content)
    };
    let action = frame.address("build/paste");
    let shown = html! {
        (frame.head(FormPage::Build, true))
        (Section {
            id: "paste",
            title: html! { (texts.say(title)) },
            text: &texts.say(text),
            content: PostForm { action: &action, csrf: &frame.csrf, content, ..PostForm::default() }.render(),
        })
    };
    let title = frame.title(&texts.say("paste-title"));
    Ok(console::page(call, &caller.user, &frame.csrf, texts, &title).answer(status, &shown))
}

/// The form that a script sends when several lines are pasted outside of a box.
pub fn ready(frame: &FormFrame, after: &str) -> PasteForm {
    PasteForm { action: frame.address("build/paste"), csrf: frame.csrf.clone(), after: after.to_owned() }
}
