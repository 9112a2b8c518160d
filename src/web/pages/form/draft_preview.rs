//! The page of a form as its draft has it: the same page, but nothing that is sent is stored. The values filled in
//! there may become the default of a question, or a link that prefills the form.

use std::sync::Arc;

use maud::{Markup, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::fields::Field;
use crate::fields::values::examples;
use crate::model::caller::Caller;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::linked_options::Find;
use crate::ops::entries::receipt::Receipt;
use crate::ops::forms::drafts::preview::Taken;
use crate::ops::forms::drafts::{change, parts};
use crate::ops::forms::published::Published;
use crate::web::pages::form::check::faults;
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::form::form_view::{FilledForm, Fills, Notice, Preview};
use crate::web::pages::form::inspector::ToldRule;
use crate::web::pages::form::pagination::FormPage;
use crate::web::pages::form::prefill::MOST_CHARACTERS;
use crate::web::pages::form::storing::refused;
use crate::web::pages::form::{address, done, go_on, notice, prefill, sheet, take as fill_in};
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The context of a preview: its rules, its language and its purpose.
pub struct Told {
    /// The draft's rules in words, in the order of those that are read.
    pub rules: Arc<[ToldRule]>,
    /// The reader's words.
    pub texts: &'static Texts,
    /// The use of the answers in place of a trial entry.
    pub fills: Option<Fills>,
}

/// The page before anything was typed; to make a link, with the values of the address.
pub fn show(call: &Call, published: Published, told: Told) -> Result<Reply> {
    let mut sheet = of(call, published, told)?;
    sheet.values = prefill::from_address(call, &sheet);
    let sheet = fresh(call, sheet)?;
    let said = match &sheet.preview {
        Some(preview) if preview.is_canvas => None,
        Some(Preview { fills: Some(Fills::Default(..)), .. }) => Some("default-fill"),
        Some(Preview { fills: Some(Fills::RightAnswer(..)), .. }) => Some("answer-fill"),
        Some(Preview { fills: Some(Fills::Link), .. }) => Some("prefilled-fill"),
        _ => Some("preview"),
    };
    let notice = said.map(|id| notice(sheet.texts(), Tone::Note, id));
    Ok(sheet.answer(&Notice { is_fresh: true, notice, ..Notice::default() }).into())
}

/// The whole page, to be looked at alone: it can't be sent.
pub fn show_shut(call: &Call, published: Published, texts: &'static Texts) -> Result<Reply> {
    let told = Told { rules: Arc::new([]), texts, fills: None };
    let sheet = fresh(call, of(call, published, told)?)?;
    Ok(sheet.answer(&Notice { is_fresh: true, is_shut: true, ..Notice::default() }).into())
}

/// The page with its initial values.
fn fresh(call: &Call, mut sheet: FilledForm) -> Result<FilledForm> {
    sheet.for_script = false;
    sheet.look_up(&[], false)?;
    sheet.values = prefill::with_defaults(std::mem::take(&mut sheet.values), &sheet);
    let raw = Json::Object(sheet.values.clone());
    sheet.answers = Answers::of_fresh_page(Arc::clone(&sheet.answers.shape), raw, call.now);
    // The question whose properties are beside the page is on it.
    let asked = call.query("field").filter(|_| sheet.preview.as_ref().is_some_and(|preview| preview.is_canvas));
    let has = |part: &FormPage| part.fields.iter().any(|field| Some(&field.api_code) == asked.as_ref());
    let first = sheet.parts().iter().position(has).unwrap_or_default();
    sheet.page = sheet.next_page(first, false).unwrap_or_default();
    Ok(sheet)
}

/// A post of the page: the same checks as of a published form.
pub fn submit(call: &Call, published: Published, told: Told) -> Result<Reply> {
    let sent = FormPost::read(call);
    let mut sheet = of(call, published, told)?;
    fill_in(&mut sheet, &sent);
    if call.query("examples").is_some() {
        fill_with_examples(&mut sheet)?;
    }
    sheet.page = sent.page;
    go_on(call, sheet, sent)
}

/// Fills what is blank with an example, so that the form can be tried at once. There are none of files.
fn fill_with_examples(sheet: &mut FilledForm) -> Result<()> {
    let published = Arc::clone(&sheet.published);
    for field in published.parsed.definition.fields.with_values().filter(|field| !field.hidden) {
        let cx = sheet.cx();
        let given = sheet.values.get(&field.api_code);
        if given.is_some_and(|given| examples::stored(field, given.clone(), &cx).is_some()) {
            continue;
        }
        let example = match field.kind.link_rules() {
            Some(_) => linked_example(sheet, field)?,
            None => examples::written(field, &cx),
        };
        if let Some(example) = example {
            sheet.values.insert(field.api_code.clone(), example);
        }
    }
    Ok(())
}

/// The first entry that a respondent is offered without a search.
fn linked_example(sheet: &FilledForm, field: &Field) -> Result<Option<Json>> {
    let found = sheet.options(Some(&Find { field: field.api_code.clone(), keyword: String::new() }))?;
    Ok(found["options"][0]["token"].as_str().map(|token| json!(token)))
}

impl FilledForm {
    /// The button of a preview that fills in what is blank.
    pub fn examples_button(&self) -> Markup {
        let preview = self.preview.as_ref().filter(|preview| !preview.is_canvas && preview.fills.is_none());
        html! {
            @if let Some(preview) = preview {
                p.before-form {
                    button.button.quiet form="form" name="_action" value="more"
                        formaction={ (preview.action) "?examples=1" } { (preview.texts.say("preview-examples")) }
                }
            }
        }
    }
}

fn of(call: &Call, published: Published, Told { rules, texts, fills }: Told) -> Result<FilledForm> {
    let mut sheet = sheet(call, Arc::new(published), None)?;
    let is_canvas = call.query("canvas").is_some_and(|value| value == "1");
    let query = match &fills {
        Some(Fills::Default(_, code)) => format!("?take={code}"),
        Some(Fills::RightAnswer(_, code)) => format!("?answer={code}"),
        Some(Fills::Link) => "?prefill=1".to_owned(),
        None if is_canvas => "?canvas=1".to_owned(),
        None => String::new(),
    };
    let action = format!("{}{}{query}", call.app.config.base_path(), call.path);
    sheet.preview = Some(Preview { action, is_canvas, csrf: session::csrf(call), rules, texts, fills });
    sheet.csrf = None;
    sheet.is_embedded = false;
    Ok(sheet)
}

/// The answer to a submission that could be stored.
///
/// # Errors
/// Any fault that keeps the page from being drawn again.
pub fn finish(call: &Call, sheet: FilledForm, sent: &FormPost) -> Result<Reply> {
    let issues = faults(&sheet, sent);
    if !issues.is_empty() {
        return refused(sheet, Error::Invalid(issues)).map(Reply::from);
    }
    let fills = sheet.preview.as_ref().and_then(|preview| preview.fills.clone());
    match fills {
        // The page's script posts the page when nothing is wrong.
        Some(_) if sheet.for_script => Ok(Answer::json_text(StatusCode::OK, json!({}).to_string()).into()),
        Some(Fills::Default(caller, code)) => take(call, sheet, &caller, &code, Taken::Default),
        Some(Fills::RightAnswer(caller, code)) => take(call, sheet, &caller, &code, Taken::RightAnswer),
        Some(Fills::Link) => Ok(to_link(call, &sheet, sent).into()),
        None => thank(call, sheet),
    }
}

fn thank(call: &Call, sheet: FilledForm) -> Result<Reply> {
    let FilledForm { published, preview, answers, .. } = sheet;
    let Some((published, preview)) = Arc::into_inner(published).zip(preview) else {
        return Err(Error::internal("a preview is sent once"));
    };
    let serial = published.form.entries_count + 1;
    let receipt = Receipt::of_preview(published, &answers, call.now);
    Ok(done::page(call, &receipt, serial, Some(&preview.action)).into())
}

/// Leads to the builder with the answer taken; without one the page asks for it.
fn take(call: &Call, mut sheet: FilledForm, caller: &Caller, code: &str, taken: Taken) -> Result<Reply> {
    let value = sheet.values.shift_remove(code).unwrap_or_default();
    if value.is_null() || !sheet.answers.checked().values.contains_key(code) {
        let blank = Issue::new(format!("field_values.{code}"), Reason::Required);
        return refused(sheet, Error::Invalid(vec![blank])).map(Reply::from);
    }
    let token = call.param("form_token");
    let done = match taken {
        Taken::Default => {
            change::set_default(call.app, caller, token, code, value)?;
            "default"
        }
        Taken::RightAnswer => {
            parts::set_answer(call.app, caller, token, code, value)?;
            "answer"
        }
    };
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/build?field={code}&done={done}")).into())
}

/// Leads to the page of the link, with the same query as the link has.
fn to_link(call: &Call, sheet: &FilledForm, sent: &FormPost) -> Answer {
    let query = prefill::query(sheet, sent.x_field_1.as_deref());
    let config = &call.app.config;
    let form = sheet.published.form.token.as_str();
    let length = format!("{}{}?{query}", config.origin(), address(config, form)).len();
    if length > MOST_CHARACTERS {
        let texts = sheet.texts();
        let told = texts.fill("prefilled-long-text", &[("length", length.into()), ("most", MOST_CHARACTERS.into())]);
        let notice = Some((Tone::Bad, texts.say("prefilled-long"), told));
        return sheet.answer(&Notice { status: StatusCode::UNPROCESSABLE_ENTITY, notice, ..Notice::default() });
    }
    session::to_page(config, &format!("/forms/{form}/share/prefilled?{query}"))
}
