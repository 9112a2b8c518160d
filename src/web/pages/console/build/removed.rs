//! Choices and other parts that a question has lost since it was published: how many answers have them, and the way back.

use maud::{Markup, Render, html};
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::text::isolated;
use crate::fields::kinds::by_name;
use crate::fields::panel;
use crate::model::caller::Caller;
use crate::model::draft::DraftQuestion;
use crate::ops::forms::drafts::check::Checked;
use crate::web::pages::console::build::{Drawing, state};
use crate::web::pages::ui::build::removed::{RemovedPart, RemovedParts};
use crate::web::request::call::Call;

/// The prefix of the value of buttons that bring a part back; its code follows.
pub const ACTION: &str = "bring_back.";
/// More than a page can tell of one by one.
const MOST: usize = 20;

/// The codes of the published parts that a question has no longer.
pub fn codes<'c>(checked: &'c Checked, code: &'c str) -> impl Iterator<Item = &'c str> {
    let removals = checked.removals.iter().filter(move |removal| removal.api_code == code);
    removals.filter_map(|removal| removal.item.as_deref())
}

/// A part of a published question: the key of its list, its place there, and itself.
fn find<'p>(published: &'p Json, code: &str) -> Option<(&'p str, usize, &'p Json)> {
    let is_it = |item: &Json| ["code", "api_code"].iter().any(|key| item[key] == code);
    published.as_object()?.iter().find_map(|(key, list)| {
        let at = list.as_array()?.iter().position(is_it)?;
        Some((key.as_str(), at, &list[at]))
    })
}

/// Whether a part of this list of a question can be hidden.
fn can_hide(published: &Json, list: &str) -> bool {
    published["type"].as_str().and_then(by_name).is_some_and(|row| panel::can_hide(row, list))
}

/// Brings a part back to its place, hidden where it can be.
pub fn bring_back(body: &mut Json, published: &Json, code: &str) {
    let Some((key, at, item)) = find(published, code) else { return };
    let Some(list) = body.get_mut(key).and_then(Json::as_array_mut) else { return };
    let mut item = item.clone();
    if can_hide(published, key) {
        item["hidden"] = json!(true);
    }
    list.insert(at.min(list.len()), item);
}

/// The parts that hold answers.
pub fn draw(call: &Call, caller: &Caller, drawing: &Drawing, question: &DraftQuestion) -> Result<Markup> {
    let texts = drawing.frame.texts;
    let published = question.base.as_ref().unwrap_or(&Json::Null);
    let codes: Vec<&str> = codes(drawing.checked, &question.code).collect();
    let mut parts = Vec::new();
    for code in codes.iter().take(MOST) {
        let Some((list, _, item)) = find(published, code) else { continue };
        let count = entries_with(call, caller, &question.code, code)?;
        let label = item["label"].as_str().or_else(|| item["name"].as_str()).unwrap_or(code);
        let label = ("label", isolated(label).into());
        let text = match count {
            Some(0) => continue,
            Some(count) => texts.fill("build-removed", &[label, ("count", count.into())]),
            None => texts.fill("build-removed-uncounted", &[label]),
        };
        let button = if can_hide(published, list) { "build-hide-instead" } else { "build-removed-return" };
        parts.push(RemovedPart {
            text: html! { (text) },
            action: format!("{ACTION}{code}"),
            button: texts.say(button),
        });
    }
    let more = codes.len().saturating_sub(MOST);
    let more = (more > 0).then(|| texts.fill("build-removed-more", &[("count", more.into())]));
    Ok(RemovedParts { codes: codes.join(" "), parts, more }.render())
}

/// How many entries have a part as their answer; `None` where no filter can ask so.
fn entries_with(call: &Call, caller: &Caller, field: &str, code: &str) -> Result<Option<i64>> {
    match state::total(call, caller, json!([{"field": field, "operator": "any_in", "value": [code]}])) {
        Ok(total) => Ok(Some(total)),
        Err(Error::Invalid(_)) => Ok(None),
        Err(other) => Err(other),
    }
}
