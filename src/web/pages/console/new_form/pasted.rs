//! A form of a pasted list: the table of its questions first, then the form.

use maud::{Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::paste::{self, Reading};
use crate::model::caller::Caller;
use crate::ops::forms::beginnings;
use crate::ops::forms::drafts::fresh;
use crate::web::pages::console::new_form::{head, to_questions, view};
use crate::web::pages::console::{self, Posted, account_messages, texts_of};
use crate::web::pages::ui::build::paste::{PasteRow, PasteTable, count, definitions, rows_of};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// Shows the questions that a list will become.
pub fn read(call: &Call, caller: &Caller, posted: &Posted) -> Result<Reply> {
    let reading = paste::read(posted.text("list"));
    if reading.proposals.is_empty() {
        let faults = [Issue::new("list", Reason::Blank)];
        return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, posted, &faults)?.into());
    }
    Ok(propose(call, caller, posted, reading).into())
}

/// The table of these questions, to be changed.
pub fn propose(call: &Call, caller: &Caller, posted: &Posted, reading: Reading) -> Answer {
    let rows: Vec<PasteRow> = reading.proposals.into_iter().map(PasteRow::from).collect();
    let name = Some(posted.text("name")).filter(|name| !name.is_empty()).unwrap_or(&reading.title);
    table(call, caller, StatusCode::OK, (posted, name), &rows, &[], &reading.left_out)
}

/// Makes a form of the table.
pub fn make(call: &Call, caller: &Caller, posted: &Posted) -> Result<Reply> {
    let mut rows = rows_of(&posted.0);
    let texts = texts_of(&caller.user);
    let made: Vec<_> = definitions(&rows).into_iter().map(|(at, body)| (at, fresh::completed(body, texts))).collect();
    let fields: Vec<&Json> = made.iter().map(|(_, definition)| definition).collect();
    let (name, folder) = (posted.text("name").trim(), posted.text("folder"));
    match beginnings::make_of(call.app, caller, texts.locale(), folder, name, &json!(fields)) {
        Ok(made) => Ok(to_questions(call, made.form.token.as_str())),
        Err(Error::Invalid(faults)) => {
            let mut others = Vec::new();
            for fault in faults {
                match row_of(&fault.attribute).and_then(|at| rows.get_mut(made.get(at)?.0)) {
                    Some(row) => row.fault = account_messages::message(texts, &fault),
                    None => others.push(fault),
                }
            }
            Ok(table(call, caller, StatusCode::UNPROCESSABLE_ENTITY, (posted, name), &rows, &others, &[]).into())
        }
        Err(other) => Err(other),
    }
}

/// The place in the list of fields that a fault is at.
fn row_of(attribute: &str) -> Option<usize> {
    attribute.strip_prefix("fields[")?.split_once(']')?.0.parse().ok()
}

fn table(
    call: &Call,
    caller: &Caller,
    status: StatusCode,
    (posted, name): (&Posted, &str),
    rows: &[PasteRow],
    faults: &[Issue],
    left_out: &[String],
) -> Answer {
    let (texts, csrf) = (texts_of(&caller.user), session::csrf(call));
    let base = call.app.config.base_path();
    let fault = faults.iter().map(|fault| account_messages::message(texts, fault)).collect::<Vec<_>>().join(" ");
    let back =
        Button { label: &texts.say("paste-back"), press: Press::Go(&format!("{base}/forms/new")), ..Button::default() };
    let content = html! {
        input type="hidden" name="from" value="questions";
        input type="hidden" name="folder" value=(posted.text("folder"));
        (line_field(&LineField {
            name: "name",
            label: &texts.say("new-form-name"),
            value: name,
            fault: &fault,
            required: true,
            focus: true,
            autocomplete: "off",
            ..LineField::default()
        }))
        (PasteTable { texts, rows })
        (row(html! {
            (Button::main(&texts.fill("paste-make", &[("count", count(rows).into())])))
            (back)
        }))
    };
    let page = html! {
        (head(call, texts))
        @if !left_out.is_empty() {
            (message(Tone::Warn, &texts.say("paste-too-long"), &left_out.join(" · ")))
        }
        (Section {
            id: "questions",
            title: html! { (texts.say("paste-table")) },
            text: &texts.say("paste-table-text"),
            content: PostForm { action: &format!("{base}/forms/new"), csrf: &csrf, content, ..PostForm::default() }.render(),
        })
    };
    console::page(call, &caller.user, &csrf, texts, &texts.say("new-form-title")).answer(status, &page)
}
