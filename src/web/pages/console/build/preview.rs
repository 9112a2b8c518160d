//! `/forms/{form_token}/preview`: the page of a form as its draft has it. Nothing that is sent there is stored.

use crate::base::error::Result;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::{self, DraftView, check};
use crate::ops::forms::published::Published;
use crate::web::pages::console::rules::sentence::RuleWords;
use crate::web::pages::console::texts_of;
use crate::web::pages::form::draft_preview::{self, Told};
use crate::web::pages::form::inspector::ToldRule;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// `GET /forms/{form_token}/preview`; with `canvas=1` for the frame in the builder.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let (published, told) = load(call, caller)?;
    draft_preview::show(call, published, told)
}

/// `POST /forms/{form_token}/preview`
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    let (published, told) = load(call, caller)?;
    draft_preview::submit(call, published, told)
}

fn load(call: &Call, caller: &Caller) -> Result<(Published, Told)> {
    let shown = drafts::load(call.app, caller, call.param("form_token"))?;
    let checked = check::check(call.app, caller, &shown)?;
    let told = told(caller, &shown, &checked);
    Ok((drafts::preview::as_published(call.app, &shown, checked)?, told))
}

/// The rules that the preview reads, in words.
fn told(caller: &Caller, shown: &DraftView, checked: &Checked) -> Told {
    let texts = texts_of(&caller.user);
    let words = RuleWords { texts, shown, fields: &checked.definition.fields };
    let rules = shown.draft.body(PartName::Rules).as_array().into_iter().flatten().enumerate();
    let read = rules.filter(|(at, _)| !checked.unread_rules.contains(at));
    let told = |(at, rule): (usize, &Json)| {
        let items = rule["condition"]["items"].as_array().into_iter().flatten();
        let conditions = items.map(|item| words.condition(item)).collect();
        ToldRule { number: at + 1, sentence: words.sentence(rule), conditions }
    };
    Told { rules: read.map(told).collect(), texts }
}
