//! Effects of an edit of a form or its settings on the scores of its exam or evaluation.

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::definition::Removal;
use crate::fields::kind::Cx;
use crate::fields::values::results::evaluation;
use crate::fields::values::results::exam::{self, Key};
use crate::fields::{Field, Fields};
use crate::model::settings::Settings;
use crate::query::form_cache::ParsedForm;

/// Whether entries may have other scores or reports with these settings.
pub fn changes_results(parsed: &ParsedForm, settings: &Settings) -> bool {
    let before = &parsed.settings;
    match parsed.scene.as_str() {
        exam::SCENE => before.exam.questions != settings.exam.questions,
        evaluation::SCENE => before.after_submission.report != settings.after_submission.report,
        _ => false,
    }
}

/// Checks that the exam can be passed. `is_given`: whether the request sets the pass score; otherwise the questions now
/// give fewer points than the stored pass score.
pub fn check(fields: &Fields, cx: &Cx, settings: &Settings, is_given: bool, at: &mut Issues) {
    let Some(pass_score) = settings.exam.pass_score else {
        return;
    };
    let key = Key::of(&settings.exam, fields, cx);
    let most = key.most();
    if !key.is_empty() && pass_score > most {
        let reason = if is_given {
            phrase!("must be {} or less: the questions give no more points", most)
        } else {
            phrase!(
                "is {}, and these questions give at most {} points: lower pass_score in the same request",
                pass_score,
                most
            )
        };
        at.push_at("exam.pass_score", Reason::other(reason));
    }
}

/// The settings with right answers in the write shapes of edited fields: if a field becomes another type, or less
/// exact, its answer is converted like those of entries. Names of removed parts stay as they are.
pub fn adopted(settings: &Json, old: &Fields, new: &Fields, cx: &Cx) -> Json {
    let mut settings = settings.clone();
    let questions = settings.pointer_mut("/exam/questions");
    let questions = questions.and_then(Json::as_object_mut);
    for (code, question) in questions.into_iter().flatten() {
        let fields = old.get(code).zip(new.get(code));
        let Some(((was, is), answer)) = fields.zip(question.get_mut("answer")) else {
            continue;
        };
        let parsed = |field: &Field, answer: &Json| {
            let mut faults = Issues::new();
            let stored = field.kind.parse(answer.clone(), cx, &mut faults);
            faults.is_empty().then_some(stored)
        };
        let Some(stored) = parsed(was, answer).filter(|_| parsed(is, answer).is_none()) else {
            continue;
        };
        let mut now = is.kind.adopt(stored);
        if is.kind.parts().is_none() {
            now = is.kind.prune(now, cx);
        }
        let now = is.kind.read(&now, cx);
        if parsed(is, &now).is_some() {
            *answer = now;
        }
    }
    settings
}

/// Warnings about settings that have no effect yet.
pub fn warnings(parsed: &ParsedForm, settings: &Settings) -> Vec<Issue> {
    let mut at = Issues::new();
    let may_change = settings.submission_options.allow_edit_after_submission;
    if parsed.scene == exam::SCENE && settings.exam.show_answers && may_change {
        let reason = "has no effect until the form closes, since respondents may edit their answers";
        at.push_at("exam.show_answers", Reason::other(reason));
    }
    at.into_list()
}

/// The questions whose right answer names a removed part of their field: nobody can get their points now.
pub fn naming_removed(parsed: &ParsedForm, removals: &[Removal]) -> Vec<Issue> {
    let Some(key) = parsed.exam_key() else {
        return Vec::new();
    };
    let fields = &parsed.definition.fields;
    let named = removals.iter().filter_map(|removal| {
        let (code, item) = (&removal.api_code, removal.item.as_deref()?);
        let field = fields.get(code)?;
        let is_named = field.kind.points_to(key.right(code)?, item);
        is_named.then(|| {
            let reason = phrase!(
                "is named by {} of the settings, for which nobody gets points now",
                format!("exam.questions.{code}.answer")
            );
            Issue::new(removal.attribute.clone(), Reason::other(reason))
        })
    });
    named.collect()
}
