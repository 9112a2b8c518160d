//! The differences between a draft and the published form.

use crate::base::json::Json;
use crate::model::draft::DraftQuestion;
use crate::model::draft::parts::DraftPart;
use crate::model::form_version::FormChange;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::parts;

/// A question that was changed in the draft and over the API.
pub struct Conflict<'d> {
    pub question: &'d DraftQuestion,
    /// The published definition; `None` where the question was removed.
    pub published: Option<&'d Json>,
}

/// The label of a definition.
pub fn label(body: &Json) -> &str {
    body["label"].as_str().unwrap_or_default()
}

/// The keys that differ between two definitions.
pub fn keys(one: &Json, other: &Json) -> Vec<String> {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
        return Vec::new();
    };
    let mut keys: Vec<String> =
        one.iter().filter(|(key, value)| other.get(*key) != Some(value)).map(|(key, _)| key.clone()).collect();
    keys.extend(other.keys().filter(|key| !one.contains_key(*key)).cloned());
    keys
}

impl DraftView {
    /// The changes that publishing would make, in the draft's order.
    pub fn differences(&self) -> Vec<FormChange> {
        let mut all: Vec<FormChange> = self.draft.questions.iter().filter_map(difference).collect();
        if self.draft.is_reordered(&self.published) {
            all.push(FormChange::Reordered);
        }
        let changed = self.draft.parts.iter().filter(|part| part.is_changed());
        all.extend(changed.map(|part| FormChange::Part { part: part.name }));
        all
    }

    /// Questions that somebody else changed over the API since the draft began, and that the draft changes too.
    pub fn conflicts(&self) -> Vec<Conflict<'_>> {
        let changed = self.draft.questions.iter().filter(|question| question.is_changed() && question.body.is_some());
        let both = changed.filter_map(|question| {
            let base = question.base.as_ref()?;
            let published = self.published(&question.code);
            (published != Some(base)).then_some(Conflict { question, published })
        });
        both.collect()
    }

    /// Parts in which somebody else changed the same over the API since the draft began.
    pub fn part_conflicts(&self) -> Vec<&DraftPart> {
        let parsed = &self.view.parsed;
        let changed = self.draft.parts.iter().filter(|part| part.is_changed());
        changed.filter(|part| part.base != parts::published_body(parsed, part.name)).collect()
    }
}

fn difference(question: &DraftQuestion) -> Option<FormChange> {
    let code = question.code.clone();
    match (&question.base, &question.body) {
        (None, Some(body)) => Some(FormChange::Added { code, label: label(body).to_owned() }),
        (Some(base), None) => Some(FormChange::Removed { code, label: label(base).to_owned() }),
        (Some(base), Some(body)) if base != body => {
            Some(FormChange::Changed { code, label: label(body).to_owned(), keys: keys(base, body) })
        }
        _ => None,
    }
}

/// The label of an item with this code, however deep it stands.
pub fn item_label<'b>(body: &'b Json, code: &str) -> Option<&'b str> {
    match body {
        Json::Object(members) => {
            if members.get("api_code").and_then(Json::as_str) == Some(code) {
                return members.get("label").or_else(|| members.get("name")).and_then(Json::as_str);
            }
            members.values().find_map(|inner| item_label(inner, code))
        }
        Json::Array(items) => items.iter().find_map(|item| item_label(item, code)),
        _ => None,
    }
}
