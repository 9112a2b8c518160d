//! `/forms/{form_token}/preview`: the page of a form as its draft has it. Nothing that is sent there is stored.

use std::sync::Arc;

use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::preview::Taken;
use crate::ops::forms::drafts::{self, DraftView, check};
use crate::ops::forms::published::Published;
use crate::web::pages::console::build::{Shown, view};
use crate::web::pages::console::rules::sentence::{Questions, RuleWords};
use crate::web::pages::console::texts_of;
use crate::web::pages::form::Fills;
use crate::web::pages::form::draft_preview::{self, Told};
use crate::web::pages::form::inspector::ToldRule;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// `GET /forms/{form_token}/preview`; with `canvas=1` for the frame in the builder, with `take` to fill a question's
/// default in, with `answer` for its right answer in the exam, with `prefill=1` to make a link that fills the form in.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    with_form(call, caller, draft_preview::show)
}

/// `POST /forms/{form_token}/preview`
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    with_form(call, caller, draft_preview::submit)
}

/// Continues with the form, and with the use of its answers. A question that is not sound has its panel instead.
fn with_form(
    call: &Call,
    caller: &Caller,
    go_on: impl FnOnce(&Call, Published, Told) -> Result<Reply>,
) -> Result<Reply> {
    let shown = drafts::load(call.app, caller, call.param("form_token"))?;
    let texts = texts_of(&caller.user);
    let to_fill = |fills: Fills| Told { rules: Arc::new([]), texts, fills: Some(fills) };
    let to_take = [("take", Taken::Default), ("answer", Taken::RightAnswer)];
    if let Some((code, taken)) = to_take.into_iter().find_map(|(key, taken)| Some((call.query(key)?, taken))) {
        access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
        if shown.draft.get(&code).is_none() {
            return Err(Error::NotFound(Noun::Question));
        }
        let Some(published) = drafts::preview::to_take(call.app, caller, &shown, &code, taken)? else {
            let name = if taken == Taken::Default { "default_value" } else { "right_answer" };
            let fault = Issue::new(name, Reason::NotAllowed);
            let shown = Shown { field: code, faults: vec![fault], ..Shown::default() };
            return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &shown)?.into());
        };
        let by = Box::new(caller.clone());
        let fills = match taken {
            Taken::Default => Fills::Default(by, code),
            Taken::RightAnswer => Fills::RightAnswer(by, code),
        };
        return go_on(call, published, to_fill(fills));
    }
    if call.query("prefill").is_some() && shown.view.form.published {
        let published = drafts::preview::to_link(call.app, caller, &shown)?.ok_or(Error::NotFound(Noun::Form))?;
        return go_on(call, published, to_fill(Fills::Link));
    }
    let checked = check::check(call.app, caller, &shown)?;
    let told = Told { rules: told_rules(caller, &shown, &checked), texts, fills: None };
    go_on(call, drafts::preview::as_published(call.app, &shown, checked)?, told)
}

/// The rules that the preview reads, in words.
fn told_rules(caller: &Caller, shown: &DraftView, checked: &Checked) -> Arc<[ToldRule]> {
    let words = RuleWords {
        texts: texts_of(&caller.user),
        questions: Questions::Draft(&shown.draft),
        fields: &checked.definition.fields,
    };
    let rules = shown.draft.body(PartName::Rules).as_array().into_iter().flatten().enumerate();
    let read = rules.filter(|(at, _)| !checked.unread_rules.contains(at));
    let told = |(at, rule): (usize, &Json)| {
        let items = rule["condition"]["items"].as_array().into_iter().flatten();
        let conditions = items.map(|item| words.condition(item)).collect();
        ToldRule { number: at + 1, sentence: words.sentence(rule), conditions }
    };
    read.map(told).collect()
}
