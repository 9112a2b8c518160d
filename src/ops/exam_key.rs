//! What an edit of a form or its settings does to the scores of its exam or evaluation.

use crate::base::clock::Time;
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::fields::definition::Removal;
use crate::fields::results::evaluation;
use crate::fields::results::exam::{self, Key};
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

/// That the exam can be passed.
pub fn check(parsed: &ParsedForm, settings: &Settings, at: &mut Issues) {
    let Some(pass_score) = settings.exam.pass_score else {
        return;
    };
    let cx = parsed.cx(Time::default(), false);
    let key = Key::of(&settings.exam, &parsed.definition.fields, &cx);
    let most = key.most();
    if !key.is_empty() && pass_score > most {
        at.push_at("exam.pass_score", Reason::AtMost(most.to_string()));
    }
}

/// The questions whose right answer names a removed part of their field: nobody gets their points now.
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
            let reason = format!(
                "is named by exam.questions.{code}.answer of the settings, for which nobody gets points now"
            );
            Issue::new(removal.attribute.clone(), Reason::other(reason))
        })
    });
    named.collect()
}
