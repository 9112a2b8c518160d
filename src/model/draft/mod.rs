//! The draft of a form: how its managers change its questions, rules and looks until they publish them.

pub mod parts;

use std::collections::HashSet;

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::model::draft::parts::{DraftPart, PartName, PublishedParts};

/// The questions that respondents see, in their order: codes and definitions in the API's shape.
pub type PublishedQuestions = Vec<(String, Json)>;

/// The questions of a form as they are being changed.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Counts the changes; 0 where nothing was changed since the form was published.
    pub version: i64,
    /// The N of the next `field_N`.
    pub next_field: u32,
    /// In the draft's order; removed ones keep their old place, where undo finds them.
    pub questions: Vec<DraftQuestion>,
    /// The parts besides the questions. Each is present once, except in a draft that is only partly stored.
    pub parts: Vec<DraftPart>,
}

/// A question of a draft.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftQuestion {
    /// `field_N`.
    pub code: String,
    /// The draft's version when this question changed last.
    pub version: i64,
    /// Its definition in the API's shape, as far as it was typed; `None` for a removed one.
    pub body: Option<Json>,
    /// The published definition that the draft began with; `None` for a new question.
    pub base: Option<Json>,
}

impl DraftQuestion {
    /// Whether the question differs from the published one.
    pub fn is_changed(&self) -> bool {
        self.body != self.base
    }
}

impl Draft {
    /// The draft of a form in which nothing was changed: its published questions.
    pub fn of_published(published: PublishedQuestions, parts: PublishedParts, next_field: u32) -> Self {
        let questions = published.into_iter().map(|(code, body)| DraftQuestion {
            code,
            version: 0,
            base: Some(body.clone()),
            body: Some(body),
        });
        let parts = parts.into_iter().map(|(name, body)| DraftPart::of_published(name, body));
        Self { version: 0, next_field, questions: questions.collect(), parts: parts.collect() }
    }

    /// The questions that were not removed.
    pub fn present(&self) -> impl Iterator<Item = (&DraftQuestion, &Json)> {
        self.questions.iter().filter_map(|question| Some((question, question.body.as_ref()?)))
    }

    /// The question with this code, unless it was removed.
    pub fn get(&self, code: &str) -> Option<&DraftQuestion> {
        self.questions.iter().find(|question| question.code == code && question.body.is_some())
    }

    /// The same, also if it was removed.
    pub fn any(&self, code: &str) -> Option<&DraftQuestion> {
        self.questions.iter().find(|question| question.code == code)
    }

    pub fn any_mut(&mut self, code: &str) -> Option<&mut DraftQuestion> {
        self.questions.iter_mut().find(|question| question.code == code)
    }

    /// One of the parts; `None` if the stored draft never changed it.
    pub fn part(&self, name: PartName) -> Option<&DraftPart> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// The content of a part; null if the draft does not have it.
    pub fn body(&self, name: PartName) -> &Json {
        self.part(name).map_or(&Json::Null, |part| &part.body)
    }

    /// Changes the content of a part.
    pub fn set_body(&mut self, name: PartName, body: Json) {
        if let Some(part) = self.parts.iter_mut().find(|part| part.name == name) {
            part.body = body;
        }
    }

    /// Takes over the parts that were published over the API since the draft began.
    pub fn adopt_parts(&mut self, published: PublishedParts) {
        for (name, published) in published {
            match self.parts.iter_mut().find(|part| part.name == name) {
                Some(part) => part.adopt(&published),
                None => self.parts.push(DraftPart::of_published(name, published)),
            }
        }
    }

    /// Adopts changes published over the API since the draft began: questions that nobody changed here, and new ones,
    /// after the question that they follow.
    pub fn adopt(&mut self, published: &[(String, Json)], next_field: u32) {
        self.next_field = self.next_field.max(next_field);
        let codes: HashSet<&str> = published.iter().map(|(code, _)| code.as_str()).collect();
        self.questions.retain(|question| match (&question.base, &question.body) {
            (None, _) => true,
            // Removed here and there, or unchanged here and removed there.
            _ => codes.contains(question.code.as_str()) || (question.is_changed() && question.body.is_some()),
        });
        let mut before = "";
        for (code, body) in published {
            match self.any_mut(code) {
                Some(question) if question.base.as_ref() == Some(body) => {}
                Some(question) => {
                    if !question.is_changed() || question.body.as_ref() == Some(body) {
                        question.body = Some(body.clone());
                        question.base = Some(body.clone());
                    }
                }
                None => {
                    let at = self.place_after(before);
                    let body = Some(body.clone());
                    let question = DraftQuestion { code: code.clone(), version: 0, base: body.clone(), body };
                    self.questions.insert(at, question);
                }
            }
            before = code;
        }
    }

    /// Continues from `published`, which was made from `sent`: the questions get their published content, with the
    /// codes of their new parts. A question that was changed since `sent` keeps its change.
    pub fn settle(&mut self, sent: &Self, published: &[(String, Json)]) {
        for (code, body) in published {
            let was_sent = sent.get(code).and_then(|question| question.body.as_ref());
            let Some((question, was_sent)) = self.any_mut(code).zip(was_sent) else {
                continue;
            };
            if question.body.as_ref() == Some(was_sent) {
                question.body = Some(body.clone());
            }
            question.base = Some(body.clone());
        }
    }

    /// The place right after a question; the first one for no question, the last one for an unknown one.
    fn place_after(&self, code: &str) -> usize {
        if code.is_empty() {
            return 0;
        }
        let at = self.questions.iter().position(|question| question.code == code);
        at.map_or(self.questions.len(), |at| at + 1)
    }

    /// The question before another, removed ones included; empty for the first one.
    pub fn before(&self, code: &str) -> &str {
        let at = self.questions.iter().position(|question| question.code == code);
        at.and_then(|at| at.checked_sub(1)).map_or("", |at| &self.questions[at].code)
    }

    /// Inserts a question after another.
    pub fn insert(&mut self, question: DraftQuestion, after: &str) {
        let at = self.place_after(after);
        self.questions.insert(at, question);
    }

    /// Moves questions, which keep their order, behind another one that is not among them.
    pub fn move_after(&mut self, codes: &[String], after: &str) {
        let (moved, mut rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.questions).into_iter().partition(|question| codes.contains(&question.code));
        std::mem::swap(&mut self.questions, &mut rest);
        let at = self.place_after(after);
        self.questions.splice(at..at, moved);
    }

    /// Whether the draft differs from what is published. `published` has the codes of the questions in their order.
    pub fn is_changed(&self, published: &[(String, Json)]) -> bool {
        let has_changed = self.questions.iter().any(DraftQuestion::is_changed);
        has_changed || self.parts.iter().any(DraftPart::is_changed) || self.is_reordered(published)
    }

    /// Whether published questions have changed their order.
    pub fn is_reordered(&self, published: &[(String, Json)]) -> bool {
        let is_here = |code: &&str| self.get(code).is_some_and(|question| question.base.is_some());
        let there: Vec<&str> = published.iter().map(|(code, _)| code.as_str()).filter(is_here).collect();
        let known: HashSet<&str> = there.iter().copied().collect();
        let here = self.present().map(|(question, _)| question.code.as_str()).filter(|code| known.contains(code));
        !here.eq(there.iter().copied())
    }
}

/// A change of a draft with its way back.
#[derive(Clone, Debug)]
pub struct DraftStep {
    pub number: i64,
    pub created_at: Time,
    /// Subject of the step: steps with the same subject within a few seconds become one.
    pub subject: String,
    pub before: StepState,
    pub after: StepState,
}

/// State before or after a step.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StepState {
    /// The bodies of the questions that it changed; `None` for one that was not there.
    pub bodies: Vec<(String, Option<Json>)>,
    /// The questions that it moved, each with the one before it.
    pub places: Vec<(String, String)>,
    /// The parts that it changed, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<(PartName, Json)>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn published(codes: &[&str]) -> Vec<(String, Json)> {
        codes.iter().map(|code| ((*code).to_owned(), json!({"label": code}))).collect()
    }

    fn codes(draft: &Draft) -> Vec<&str> {
        draft.questions.iter().map(|question| question.code.as_str()).collect()
    }

    #[test]
    fn questions_move_as_a_block_and_keep_their_order() {
        let mut draft = Draft::of_published(published(&["a", "b", "c", "d"]), Vec::new(), 5);
        draft.move_after(&["c".to_owned(), "a".to_owned()], "d");
        assert_eq!(codes(&draft), ["b", "d", "a", "c"]);
        draft.move_after(&["a".to_owned()], "");
        assert_eq!((codes(&draft), draft.before("a"), draft.before("c")), (vec!["a", "b", "d", "c"], "", "d"));
        assert!(draft.is_reordered(&published(&["a", "b", "c", "d"])));
        assert!(!draft.is_reordered(&published(&["a", "b", "d", "c"])));
    }

    #[test]
    fn unchanged_questions_follow_what_is_published_and_changed_ones_stay() {
        let mut draft = Draft::of_published(published(&["a", "b", "c"]), Vec::new(), 4);
        let changed = draft.any_mut("b").expect("it");
        changed.body = Some(json!({"label": "mine"}));
        let mut now = published(&["a", "x", "b"]);
        now[0].1 = json!({"label": "theirs"});
        now[2].1 = json!({"label": "theirs too"});
        draft.adopt(&now, 9);
        assert_eq!((codes(&draft), draft.next_field), (vec!["a", "x", "b"], 9));
        assert_eq!(draft.get("a").and_then(|it| it.body.clone()), Some(json!({"label": "theirs"})));
        let kept = draft.get("b").expect("it");
        assert_eq!((&kept.body, &kept.base), (&Some(json!({"label": "mine"})), &Some(json!({"label": "b"}))));
        assert!(draft.is_changed(&now));
        let mut same = Draft::of_published(published(&["a"]), Vec::new(), 2);
        same.adopt(&published(&["a"]), 2);
        assert!(!same.is_changed(&published(&["a"])));
    }

    #[test]
    fn published_questions_say_what_is_published_but_for_later_changes() {
        let coded = |label: &str| json!({"label": label, "dimensions": [{"api_code": "x_1", "label": "Day"}]});
        let typed = |label: &str| json!({"label": label, "dimensions": [{"label": "Day"}]});
        let question =
            |code: &str| DraftQuestion { code: code.to_owned(), version: 1, body: Some(typed(code)), base: None };
        let sent = Draft { questions: vec![question("a"), question("b"), question("c")], ..Draft::default() };
        let mut draft = sent.clone();
        draft.questions[1].body = Some(typed("later"));
        draft.questions[2].body = None;
        draft.insert(question("d"), "c");
        let now: PublishedQuestions = ["a", "b", "c"].map(|code| (code.to_owned(), coded(code))).into();
        draft.settle(&sent, &now);
        let bodies: Vec<_> = draft.questions.iter().map(|question| question.body.clone()).collect();
        assert_eq!(bodies, [Some(coded("a")), Some(typed("later")), None, Some(typed("d"))]);
        let bases: Vec<_> = draft.questions.iter().map(|question| question.base.clone()).collect();
        assert_eq!(bases, [Some(coded("a")), Some(coded("b")), Some(coded("c")), None]);
    }
}
