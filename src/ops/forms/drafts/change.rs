//! Changes of a draft: questions are typed, added, moved, copied and removed.

use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::base::text::texts;
use crate::fields::field::MAX_FIELDS;
use crate::fields::kinds::by_name;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::model::draft::{Draft, DraftQuestion};
use crate::ops::app::App;
use crate::ops::forms::drafts::fresh::Copied;
use crate::ops::forms::drafts::parts::rules_of;
use crate::ops::forms::drafts::{Change, MOST_QUESTIONS, check, fresh, new_question, write};

/// The outcome of saving a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Saved {
    /// It is stored; the draft's version that it has now.
    Stored(i64),
    /// Somebody else changed or removed it since it was loaded: it is as before.
    Changed(Option<DraftQuestion>),
}

/// Saves a question as it was typed, if it still has the version `tag` that was loaded. A sound one is stored as the
/// API shows it, so that its new choices have codes. `subject` names the typed property: steps with the same one are
/// joined.
///
/// # Errors
/// 403, 404.
pub fn put(app: &App, caller: &Caller, token: &str, code: &str, tag: i64, body: Json, subject: &str) -> Result<Saved> {
    let body = check::settled(app, caller, token, code, body)?;
    let code = code.to_owned();
    write(app, caller, token, subject, move |change| {
        let version = change.stored_version + 1;
        let Some(question) = change.draft.any_mut(&code) else {
            return Err(Error::NotFound(Noun::Question));
        };
        if question.version != tag || question.body.is_none() {
            // The same text from two pages is no conflict.
            return Ok(match question.body.as_ref() == Some(&body) {
                true => Saved::Stored(question.version),
                false => Saved::Changed(Some(question.clone()).filter(|question| question.body.is_some())),
            });
        }
        if question.body.as_ref() == Some(&body) {
            return Ok(Saved::Stored(tag));
        }
        question.body = Some(body);
        Ok(Saved::Stored(version))
    })
}

/// Adds questions after another one; at the beginning for an empty code. Returns their codes.
///
/// # Errors
/// 403, 404, 422 over the most questions of a form.
pub fn add(app: &App, caller: &Caller, token: &str, bodies: Vec<Json>, after: &str) -> Result<Vec<String>> {
    let after = after.to_owned();
    write(app, caller, token, "", move |change| change.insert(bodies, &after))
}

/// Copies questions, with their exam settings; each copy comes after the last of them, and has the same rules about it.
/// Conditions on the questions stay on them alone. Returns the codes of the copies.
///
/// # Errors
/// As `add`.
pub fn copy(app: &App, caller: &Caller, token: &str, codes: Vec<String>) -> Result<Vec<String>> {
    write(app, caller, token, "", move |change| {
        let codes = change.in_order(&codes)?;
        let bodies = codes.iter().filter_map(|code| change.draft.get(code)?.body.as_ref());
        let copies: Vec<Copied> = bodies.map(Copied::of).collect();
        let last = codes.last().cloned().unwrap_or_default();
        let new = change.insert(copies.iter().map(|copy| copy.body.clone()).collect(), &last)?;
        for ((code, copy), copy_code) in codes.iter().zip(&copies).zip(&new) {
            change.copy_exam_question(code, copy, copy_code);
        }
        change.copy_rules(&codes, &new);
        Ok(new)
    })
}

/// Moves questions, which keep their order, behind another one; to the beginning for an empty code.
///
/// # Errors
/// 403, 404.
pub fn move_after(app: &App, caller: &Caller, token: &str, codes: Vec<String>, after: &str) -> Result<()> {
    let after = after.to_owned();
    write(app, caller, token, "", move |change| {
        let codes = change.in_order(&codes)?;
        if !after.is_empty() {
            change.is_there(&after)?;
        }
        // Behind one of the block is where the block begins.
        let mut target = after;
        while codes.contains(&target) {
            target = change.draft.before(&target).to_owned();
        }
        change.move_after(codes, &target);
        Ok(())
    })
}

/// Moves questions one place up or down, as a block.
///
/// # Errors
/// 403, 404.
pub fn shift(app: &App, caller: &Caller, token: &str, codes: Vec<String>, is_down: bool) -> Result<()> {
    write(app, caller, token, "", move |change| {
        let codes = change.in_order(&codes)?;
        let present: Vec<&str> = change.draft.present().map(|(question, _)| question.code.as_str()).collect();
        let at = |code: &String| present.iter().position(|known| known == code);
        let (first, last) = (codes.first().and_then(at).unwrap_or(0), codes.last().and_then(at).unwrap_or(0));
        let target = if is_down {
            present.get(last + 1).copied()
        } else {
            first.checked_sub(1).map(|first| first.checked_sub(1).map_or("", |before| present[before]))
        };
        if let Some(target) = target.map(str::to_owned) {
            change.move_after(codes, &target);
        }
        Ok(())
    })
}

/// Removes questions.
///
/// # Errors
/// 403, 404.
pub fn remove(app: &App, caller: &Caller, token: &str, codes: Vec<String>) -> Result<()> {
    each(app, caller, token, codes, |question| question.body = None)
}

/// Sets a switch of questions: `required` or `hidden`.
///
/// # Errors
/// 403, 404.
pub fn set(app: &App, caller: &Caller, token: &str, codes: Vec<String>, key: &'static str, is_on: bool) -> Result<()> {
    each(app, caller, token, codes, move |question| {
        if let Some(body) = question.body.as_mut() {
            body[key] = json!(is_on);
        }
    })
}

/// Sets the default answer, in the write shape; null removes it.
///
/// # Errors
/// 403, 404.
pub fn set_default(app: &App, caller: &Caller, token: &str, code: &str, value: Json) -> Result<()> {
    each(app, caller, token, vec![code.to_owned()], move |question| {
        if let Some(body) = question.body.as_mut().and_then(Json::as_object_mut) {
            match &value {
                Json::Null => body.shift_remove("default_value"),
                value => body.insert("default_value".to_owned(), value.clone()),
            };
        }
    })
}

fn each(
    app: &App,
    caller: &Caller,
    token: &str,
    codes: Vec<String>,
    f: impl Fn(&mut DraftQuestion) + Send + 'static,
) -> Result<()> {
    write(app, caller, token, "", move |change| {
        for code in change.in_order(&codes)? {
            if let Some(question) = change.draft.any_mut(&code) {
                f(question);
            }
        }
        Ok(())
    })
}

/// Changes the kind of a question, keeping the properties that the new kind has too.
///
/// # Errors
/// 403, 404, 422 for a kind that its answers can't become.
pub fn set_kind(app: &App, caller: &Caller, token: &str, code: &str, kind: &str) -> Result<()> {
    let row = by_name(kind).ok_or(Error::NotFound(Noun::Page))?;
    let texts = texts::texts(&caller.user.locale);
    let body = super::load(app, caller, token)?.draft.get(code).and_then(|question| {
        let is_allowed = fresh::kinds_for(question.base.as_ref()).iter().any(|known| known.name == row.name);
        is_allowed.then(|| fresh::become_kind(question.body.as_ref().unwrap_or(&Json::Null), row, texts))
    });
    let Some(body) = body else {
        let reason = Reason::other("can't be that: the answers of this question can't become answers of that kind");
        return Err(Error::Invalid(vec![Issue::new("type", reason)]));
    };
    let body = check::settled(app, caller, token, code, body)?;
    let code = code.to_owned();
    write(app, caller, token, "", move |change| {
        change.is_there(&code)?;
        if let Some(question) = change.draft.any_mut(&code) {
            question.body = Some(body);
        }
        Ok(())
    })
}

/// Ends the conflict of a question that was also changed over the API: by the published version, or by the draft's.
///
/// # Errors
/// 403, 404.
pub fn settle(app: &App, caller: &Caller, token: &str, code: &str, takes_published: bool) -> Result<()> {
    let code = code.to_owned();
    write(app, caller, token, "", move |change| {
        let published = change.published.iter().find(|(known, _)| *known == code).map(|(_, body)| body.clone());
        let Some(question) = change.draft.any_mut(&code) else {
            return Err(Error::NotFound(Noun::Question));
        };
        match (published, takes_published) {
            (Some(published), true) => {
                question.body = Some(published.clone());
                question.base = Some(published);
            }
            (Some(published), false) => question.base = Some(published),
            (None, true) => question.body = None,
            // Its code is spent: it comes again as a new question.
            (None, false) => {
                let body = question.body.take().map(|body| Copied::of(&body).body);
                change.insert(body.into_iter().collect(), &code)?;
            }
        }
        Ok(())
    })
}

impl Change {
    /// A move past removed questions alone is none: its step back would show nothing.
    fn move_after(&mut self, codes: Vec<String>, target: &str) {
        let order = |draft: &Draft| draft.present().map(|(question, _)| question.code.clone()).collect::<Vec<_>>();
        let mut draft = self.draft.clone();
        draft.move_after(&codes, target);
        if order(&draft) != order(&self.draft) {
            self.draft = draft;
            self.moved = codes;
        }
    }

    /// These questions in the draft's order.
    fn in_order(&self, codes: &[String]) -> Result<Vec<String>> {
        codes.iter().try_for_each(|code| self.is_there(code))?;
        let found = self.draft.present().filter(|(question, _)| codes.contains(&question.code));
        Ok(found.map(|(question, _)| question.code.clone()).collect())
    }

    /// A copy is worth the same points for the same answer.
    fn copy_exam_question(&mut self, code: &str, copy: &Copied, copy_code: &str) {
        let mut questions = self.draft.body(PartName::ExamQuestions).clone();
        let Some(mut question) = questions.get(code).cloned() else {
            return;
        };
        if let Some(answer) = question.get_mut("answer") {
            *answer = copy.named(answer);
        }
        questions[copy_code] = question;
        self.draft.set_body(PartName::ExamQuestions, questions);
    }

    /// The rules about questions, each once more for their copies.
    fn copy_rules(&mut self, codes: &[String], copies: &[String]) {
        let mut rules = Vec::new();
        for rule in rules_of(self.draft.body(PartName::Rules)) {
            let targets = rule["fields"].as_array().into_iter().flatten();
            let place = |target: &Json| codes.iter().position(|code| target == code);
            let own: Vec<&String> = targets.filter_map(|target| copies.get(place(target)?)).collect();
            let copy = (!own.is_empty()).then(|| {
                let mut copy = rule.clone();
                copy["fields"] = json!(own);
                copy
            });
            rules.push(rule);
            rules.extend(copy);
        }
        self.draft.set_body(PartName::Rules, Json::Array(rules));
    }

    /// Adds questions after another one. Returns their codes.
    pub(super) fn insert(&mut self, bodies: Vec<Json>, after: &str) -> Result<Vec<String>> {
        let count = self.draft.present().count() + bodies.len();
        if count > MAX_FIELDS || self.draft.questions.len() + bodies.len() > MOST_QUESTIONS {
            let reason =
                Reason::other(phrase!("can't be more than {}: a form has no room for more questions", MAX_FIELDS));
            return Err(Error::Invalid(vec![Issue::new("fields", reason)]));
        }
        let mut last = after.to_owned();
        let mut codes = Vec::new();
        for mut body in bodies {
            let code = format!("field_{}", self.draft.next_field);
            self.draft.next_field += 1;
            body["api_code"] = json!(code);
            self.draft.insert(new_question(code.clone(), body), &last);
            last.clone_from(&code);
            codes.push(code);
        }
        // Taken back and made again, they stand in the same place.
        self.moved.extend(codes.iter().cloned());
        Ok(codes)
    }
}
