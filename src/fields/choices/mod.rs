//! Choices: shared by radio, checkbox, dropdown and similar kinds. This file has the definition and the quotas; [`one`]
//! and [`many`] have the selected values, [`selection`] the kinds made from them, `input` draws the controls.

mod capabilities;
mod input;
pub mod many;
pub mod one;
pub mod selection;
pub mod sheet;
pub mod stored_selection;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::Serialize;
use serde_json::json;

use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things};
use crate::base::text::phrase::Phrase;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::definition::items::{MAX_CHOICES, item_code};
use crate::fields::images::Image;
use crate::fields::kind::{BuildCx, InputCx, Item, Limit, Take, UsedOf, put_remaining};
use crate::fields::schedule::occupancy::Left;

pub use input::{inputs, pictures, select};

const MAX_LABEL: usize = 500;

/// One choice (contract 3.1).
#[derive(Debug, Serialize)]
pub struct Choice {
    api_code: String,
    label: String,
    #[serde(skip_serializing_if = "is_false")]
    hidden: bool,
    #[serde(skip_serializing_if = "is_false")]
    is_other: bool,
    #[serde(skip_serializing_if = "is_false")]
    allow_extended_text: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Image>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Which texts a kind's choices may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The text of the "other" choice, and further text for any other choice.
    OtherAndExtended,
    /// The text of the "other" choice.
    Other,
    Nothing,
}

/// Reads `choices`: 1 to 1,000, at most one of them "other".
pub fn read(reader: &mut Reader, cx: &BuildCx) -> Vec<Choice> {
    read_with(reader, cx, Beside::OtherAndExtended)
}

/// Reads `choices` of a kind that allows fewer texts.
pub fn read_with(reader: &mut Reader, cx: &BuildCx, beside: Beside) -> Vec<Choice> {
    let mut seen = HashSet::new();
    let mut others = 0;
    reader.note("choices", || json!({"minItems": 1, "maxItems": MAX_CHOICES}));
    let Some(choices) = reader.objects("choices", |item| {
        let choice = Choice {
            api_code: item_code(item, cx, &mut seen),
            label: item.text("label", MAX_LABEL),
            hidden: item.bool("hidden", false),
            is_other: item.bool("is_other", false),
            allow_extended_text: item.bool("allow_extended_text", false),
            quota: item.opt_int("quota", 0..=i64::from(u32::MAX)),
            score: item.opt_number("score"),
            image: cx.images.read(item, "image", "choice_image"),
        };
        if choice.is_other {
            others += 1;
        }
        check_texts(item, &choice, beside, others > 1);
        choice
    }) else {
        return Vec::new();
    };
    if choices.is_empty() || choices.len() > MAX_CHOICES {
        reader.fault("choices", Reason::not_one_to(MAX_CHOICES, Things::Choices));
    }
    choices
}

/// Checks that the texts which a choice asks for are allowed.
fn check_texts(item: &mut Reader, choice: &Choice, beside: Beside, is_second: bool) {
    const NOT_HERE: Reason = Reason::Other(Phrase::plain("is not possible for this type"));
    if choice.is_other && beside == Beside::Nothing {
        item.fault("is_other", NOT_HERE);
    } else if choice.is_other && is_second {
        item.fault("is_other", Reason::other("is possible for one choice only"));
    }
    if choice.allow_extended_text && beside != Beside::OtherAndExtended {
        item.fault("allow_extended_text", NOT_HERE);
    } else if choice.allow_extended_text && choice.is_other {
        item.fault("allow_extended_text", Reason::other("is not possible for the other choice"));
    }
}

/// JSON Schema of one selection in the read shape.
pub fn read_schema(choices: &[Choice]) -> Json {
    let codes: Vec<&str> = choices.iter().map(|c| c.api_code.as_str()).collect();
    let mut properties = json!({"value": {"type": "string", "enum": codes}});
    if choices.iter().any(|choice| choice.is_other) {
        properties["other_text"] = json!({"type": "string"});
    }
    if choices.iter().any(|choice| choice.allow_extended_text) {
        properties["extended_text"] = json!({"type": "string"});
    }
    json!({"type": "object", "properties": properties, "required": ["value"]})
}

/// JSON Schema of one selection in the write shape: the code alone is enough.
pub fn write_schema(choices: &[Choice]) -> Json {
    let selection = read_schema(choices);
    let code = selection["properties"]["value"].clone();
    json!({"oneOf": [selection, code]})
}

/// The choice with this code.
pub fn find<'c>(choices: &'c [Choice], code: &str) -> Option<&'c Choice> {
    choices.iter().find(|choice| choice.api_code == code)
}

/// The choices as named parts of the definition.
pub fn items(choices: &[Choice]) -> Vec<Item<'_>> {
    choices.iter().map(|choice| Item { list: "choices", code: &choice.api_code, label: &choice.label }).collect()
}

/// The rest of a choice's quota, if it has one.
pub fn left(choices: &[Choice], code: &str, cx: &InputCx) -> Option<Left> {
    cx.left(code, quota(choices, code))
}

/// A choice's quota, if it has one.
pub fn quota(choices: &[Choice], code: &str) -> Option<i64> {
    find(choices, code)?.quota
}

/// Whether the page shows the rest of a choice's quota.
pub fn are_limited(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.quota.is_some())
}

/// The choices that respondents see.
pub fn shown_items(choices: &[Choice]) -> impl Iterator<Item = Item<'_>> {
    let shown = choices.iter().filter(|choice| !choice.hidden);
    shown.map(|choice| Item { list: "choices", code: &choice.api_code, label: &choice.label })
}

/// One unit of the quota of a choice.
pub fn take(code: &str, at: String) -> Take {
    Take { counter: code.to_owned(), amount: 1, at }
}

/// The quota that selections use of their choices: one each.
pub fn takes(stored: &Json) -> Vec<Take> {
    let take = |(selection, at): (&Json, String)| {
        let code = code_of(selection);
        (!code.is_empty()).then(|| take(code, at))
    };
    match stored {
        Json::Array(several) => {
            let several = several.iter().enumerate();
            let several = several.map(|(i, selection)| (selection, format!("[{i}]")));
            several.filter_map(take).collect()
        }
        one => take((one, String::new())).into_iter().collect(),
    }
}

/// The quota of a choice.
pub fn limit(choices: &[Choice], code: &str) -> Option<Limit> {
    let place = choices.iter().position(|choice| choice.api_code == code)?;
    Limit::of(choices[place].quota, || format!("choices[{place}].quota"))
}

/// Adds the rest of the quotas to the choices that respondents see.
pub fn show_remaining(choices: &[Choice], shown: &mut Json, taken: UsedOf) {
    let shown = shown.get_mut("choices").and_then(Json::as_array_mut);
    for own in shown.into_iter().flatten() {
        let code = own["api_code"].as_str().unwrap_or_default();
        let remaining = limit(choices, code).map(|limit| limit.remaining(taken(code)));
        put_remaining(own, remaining);
    }
}

/// The definition as respondents see it: without hidden choices, quotas and scores.
pub fn for_respondent(mut own: Json) -> Json {
    if let Some(choices) = own.get_mut("choices").and_then(Json::as_array_mut) {
        choices.retain(|choice| choice["hidden"] != json!(true));
        for choice in choices {
            if let Some(choice) = choice.as_object_mut() {
                choice.shift_remove("quota");
                choice.shift_remove("score");
            }
        }
    }
    own
}

impl Choice {
    pub fn code(&self) -> &str {
        &self.api_code
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    /// Whether it stands for what is not listed.
    pub fn is_other(&self) -> bool {
        self.is_other
    }

    /// Whether respondents don't see it.
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// The key of the text that belongs to this choice.
    fn text_key(&self) -> Option<&'static str> {
        if self.is_other { Some("other_text") } else { self.allow_extended_text.then_some("extended_text") }
    }
}
