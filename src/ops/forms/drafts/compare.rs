//! How a draft differs from what is published.

use crate::base::json::Json;
use crate::model::draft::DraftQuestion;
use crate::model::draft::parts::{DraftPart, PartName};
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::parts;

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    Added {
        code: String,
        label: String,
    },
    Removed {
        code: String,
        label: String,
    },
    /// The keys of the definition that differ.
    Changed {
        code: String,
        label: String,
        keys: Vec<String>,
    },
    /// Questions that were published stand in another order.
    Reordered,
    /// The rules, the theme or the exam's questions.
    Part(PartName),
}

/// A question that was changed in the draft and over the API.
pub struct Conflict<'d> {
    pub question: &'d DraftQuestion,
    /// What is published; `None` where the question was removed.
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
    /// What publishing would change, in the draft's order.
    pub fn differences(&self) -> Vec<Difference> {
        let mut all: Vec<Difference> = self.draft.questions.iter().filter_map(difference).collect();
        if self.draft.is_reordered(&self.published) {
            all.push(Difference::Reordered);
        }
        let changed = self.draft.parts.iter().filter(|part| part.is_changed());
        all.extend(changed.map(|part| Difference::Part(part.name)));
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

fn difference(question: &DraftQuestion) -> Option<Difference> {
    let code = question.code.clone();
    match (&question.base, &question.body) {
        (None, Some(body)) => Some(Difference::Added { code, label: label(body).to_owned() }),
        (Some(base), None) => Some(Difference::Removed { code, label: label(base).to_owned() }),
        (Some(base), Some(body)) if base != body => {
            Some(Difference::Changed { code, label: label(body).to_owned(), keys: keys(base, body) })
        }
        _ => None,
    }
}
