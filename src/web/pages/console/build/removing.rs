//! The question before questions are removed that rules name: it lists these rules.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::isolated;
use crate::model::caller::Caller;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::{self, check};
use crate::web::pages::console;
use crate::web::pages::console::Posted;
use crate::web::pages::console::build::row_words;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::of_question;
use crate::web::pages::ui::build::outline::TICK;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::section::Question;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// The name of the input that says that the rules were shown.
const SHOWN: &str = "rules_shown";

/// The page that asks; `None` where no rule names one of the questions, or where it was shown already.
///
/// # Errors
/// 403, 404, 503.
pub fn ask(call: &Call, caller: &Caller, codes: &[String], posted: &Posted) -> Result<Option<Answer>> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let draft = drafts::load(call.app, caller, call.param("form_token"))?;
    let bodies: Option<Vec<_>> =
        codes.iter().map(|code| draft.draft.get(code).and_then(|question| question.body.as_ref())).collect();
    let places = of_question::places(&draft, codes);
    let Some([first, ..]) = bodies.as_deref().filter(|_| !places.is_empty() && posted.text(SHOWN).is_empty()) else {
        return Ok(None);
    };
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let checked = check::check(call.app, caller, &draft)?;
    let label = isolated(&row_words::label(texts, first));
    let title = texts.fill("build-remove-ruled", &[("count", codes.len().into()), ("label", label.into())]);
    let back = frame.address(&format!("build?field={}", codes.first().map_or("", String::as_str)));
    let answers = html! {
        (hidden(SHOWN, "true"))
        (hidden("act", "remove"))
        @for code in codes { (hidden(TICK, code)) }
        (Button { label: &texts.say("build-remove"), weight: Weight::Sure, ..Button::default() })
        (Button { label: &texts.say("question-no"), press: Press::Go(&back), ..Button::default() })
    };
    let action = format!("{}{}", call.app.config.base_path(), call.path);
    let content = Question {
        sign: None,
        title: &title,
        text: &texts.fill("build-remove-ruled-text", &[("count", places.len().into())]),
        content: html! {
            (of_question::list(&frame, &draft, &checked, &places))
            (PostForm { action: &action, csrf: &frame.csrf, content: answers, is_row: true, ..PostForm::default() })
        },
    };
    let page_title = frame.title(&title);
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title);
    Ok(Some(page.answer(StatusCode::OK, &content.render())))
}
