//! The parts of a draft besides its questions: rules, theme and the exam's questions. A rule, and a question of the
//! exam, is the unit of conflict: a change names the version of it that the user saw.

use serde_json::{Map, json};

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::draft::parts::{PartName, PublishedParts};
use crate::ops::app::App;
use crate::ops::forms::drafts::write;
use crate::ops::forms::settings_edit::version_of;
use crate::ops::forms::themes;
use crate::query::form_cache::ParsedForm;

/// The parts that respondents see, in their stored shape.
pub fn published(parsed: &ParsedForm) -> PublishedParts {
    PartName::ALL.map(|name| (name, published_body(parsed, name))).into()
}

/// The published body of a part.
pub fn published_body(parsed: &ParsedForm, name: PartName) -> Json {
    match name {
        PartName::Rules => parsed.parts.field_rules.clone(),
        PartName::Theme => parsed.parts.theme.clone(),
        PartName::ExamQuestions => Json::Object(parsed.settings.exam.questions.clone()),
    }
}

/// The outcome of changing a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// It is stored; the part's version that it has now.
    Stored(i64),
    /// Somebody else changed it since it was loaded: its value now, null where it was removed.
    Changed(Json),
}

/// Changes members of the theme, if it still has the version `tag`; null takes a member back to its default. A theme
/// that the API would refuse is refused. Also returns warnings about its colours.
///
/// # Errors
/// 403, 404, 422.
pub fn change_theme(
    app: &App,
    caller: &Caller,
    token: &str,
    tag: i64,
    patch: Json,
    subject: &str,
) -> Result<(Kept, Vec<Issue>)> {
    app.run_until_stored(token, || {
        let (change, images) = themes::read_change(app, caller, patch.clone())?;
        write(app, caller, token, subject, move |writing| {
            let Some(part) = writing.draft.part(PartName::Theme) else {
                return Err(Error::internal("a draft has a theme"));
            };
            let mut theme = part.body.clone();
            themes::change(&mut theme, change);
            let warnings = themes::warnings_of(&theme);
            if part.body == theme {
                return Ok((Kept::Stored(part.version), warnings));
            }
            if part.version != tag {
                return Ok((Kept::Changed(part.body.clone()), Vec::new()));
            }
            writing.images = images;
            writing.draft.set_body(PartName::Theme, theme);
            Ok((Kept::Stored(writing.stored_version + 1), warnings))
        })
    })
}

/// Changes the exam settings of a question, if they are still as `seen`: the `version_of` them, or of null without any.
/// A null `question` takes it out of the exam.
///
/// # Errors
/// 403, 404.
pub fn change_exam_question(
    app: &App,
    caller: &Caller,
    token: &str,
    code: &str,
    seen: &str,
    question: Json,
    subject: &str,
) -> Result<Kept> {
    let (code, seen) = (code.to_owned(), seen.to_owned());
    write(app, caller, token, subject, move |writing| {
        let mut questions = writing.draft.body(PartName::ExamQuestions).as_object().cloned().unwrap_or_default();
        let now = questions.get(&code).cloned().unwrap_or_default();
        let version = writing.draft.part(PartName::ExamQuestions).map_or(0, |part| part.version);
        if now == question {
            return Ok(Kept::Stored(version));
        }
        if version_of(&now) != seen {
            return Ok(Kept::Changed(now));
        }
        if question.is_null() {
            questions.shift_remove(&code);
        } else {
            questions.insert(code, question);
        }
        writing.draft.set_body(PartName::ExamQuestions, Json::Object(questions));
        Ok(Kept::Stored(writing.stored_version + 1))
    })
}

/// Sets the right answer of a question of the exam, in the shape in which answers are written; null takes it away. A
/// question that was not scored is worth a point from now on.
///
/// # Errors
/// 403, 404.
pub fn set_answer(app: &App, caller: &Caller, token: &str, code: &str, answer: Json) -> Result<()> {
    let code = code.to_owned();
    write(app, caller, token, "", move |writing| {
        writing.is_there(&code)?;
        let mut questions = writing.draft.body(PartName::ExamQuestions).as_object().cloned().unwrap_or_default();
        if answer.is_null() {
            questions.get_mut(&code).and_then(Json::as_object_mut).map(|it| it.shift_remove("answer"));
        } else {
            questions.entry(code).or_insert_with(|| json!({"scored": true, "score": 1.0}))["answer"] = answer;
        }
        writing.draft.set_body(PartName::ExamQuestions, Json::Object(questions));
        Ok(())
    })
}

/// Replaces the exam's entries for all questions, overwriting changes of others: `{"field_1": {…}}`.
///
/// # Errors
/// 403, 404.
pub fn change_exam_questions(app: &App, caller: &Caller, token: &str, questions: Map<String, Json>) -> Result<()> {
    set_parts(app, caller, token, vec![(PartName::ExamQuestions, Json::Object(questions))])
}

/// Replaces parts in one step, overwriting changes of others: an old version comes back so.
///
/// # Errors
/// 403, 404.
pub fn set_parts(app: &App, caller: &Caller, token: &str, parts: Vec<(PartName, Json)>) -> Result<()> {
    write(app, caller, token, "", move |writing| {
        for (name, body) in parts {
            writing.draft.set_body(name, body);
        }
        Ok(())
    })
}

/// The identity of a rule in posts: a hash of the rule as the user saw it.
pub fn rule_name(rule: &Json) -> String {
    version_of(rule)
}

/// A change of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleChange {
    Put(Json),
    Remove,
    Up,
    Down,
}

/// Changes the rule of that name; the result is `Changed` with null if somebody else changed or removed that rule.
///
/// # Errors
/// 403, 404.
pub fn change_rule(
    app: &App,
    caller: &Caller,
    token: &str,
    seen: &str,
    change: RuleChange,
    subject: &str,
) -> Result<Kept> {
    let seen = seen.to_owned();
    write(app, caller, token, subject, move |writing| {
        let mut rules = rules_of(writing.draft.body(PartName::Rules));
        let version = writing.draft.part(PartName::Rules).map_or(0, |part| part.version);
        let Some(at) = rules.iter().position(|rule| rule_name(rule) == seen) else {
            // The same change from two pages is no conflict.
            let is_there = matches!(&change, RuleChange::Put(rule) if rules.contains(rule));
            return Ok(if is_there { Kept::Stored(version) } else { Kept::Changed(Json::Null) });
        };
        let before = rules.clone();
        match change {
            RuleChange::Put(rule) => rules[at] = rule,
            RuleChange::Remove => drop(rules.remove(at)),
            RuleChange::Up if at > 0 => rules.swap(at, at - 1),
            RuleChange::Down if at + 1 < rules.len() => rules.swap(at, at + 1),
            RuleChange::Up | RuleChange::Down => {}
        }
        if rules == before {
            return Ok(Kept::Stored(version));
        }
        writing.draft.set_body(PartName::Rules, Json::Array(rules));
        Ok(Kept::Stored(writing.stored_version + 1))
    })
}

/// Adds a rule at the end.
///
/// # Errors
/// 403, 404.
pub fn add_rule(app: &App, caller: &Caller, token: &str, rule: Json) -> Result<()> {
    write(app, caller, token, "", move |writing| {
        let mut rules = rules_of(writing.draft.body(PartName::Rules));
        rules.push(rule);
        writing.draft.set_body(PartName::Rules, Json::Array(rules));
        Ok(())
    })
}

/// The rules of a part.
pub fn rules_of(body: &Json) -> Vec<Json> {
    body.as_array().cloned().unwrap_or_default()
}

/// Ends the conflict of a part that was also changed over the API: by the published version, or by the draft's.
///
/// # Errors
/// 403, 404.
pub fn settle(app: &App, caller: &Caller, token: &str, name: &str, takes_published: bool) -> Result<()> {
    let name = PartName::by_name(name).ok_or(Error::NotFound(Noun::Page))?;
    write(app, caller, token, "", move |writing| {
        let published = writing.published_parts.iter().find(|(known, _)| *known == name);
        let published = published.map(|(_, body)| body.clone()).unwrap_or_else(|| json!({}));
        if takes_published {
            writing.draft.set_body(name, published.clone());
        }
        if let Some(part) = writing.draft.parts.iter_mut().find(|part| part.name == name) {
            part.base = published;
        }
        Ok(())
    })
}
