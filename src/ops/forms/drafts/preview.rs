//! A form as it would be if its draft were published.

use std::sync::Arc;

use serde_json::json;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::definition::Definition;
use crate::fields::kinds::by_name;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::model::form::Parts;
use crate::model::settings::Settings;
use crate::ops::app::App;
use crate::ops::forms::availability::Status;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::check::{self, Checked};
use crate::ops::forms::published::Published;
use crate::ops::forms::settings;
use crate::store::accounts::organizations;

/// The form as its draft has it, open to its preview; rules that can't be read are left out. Its entries and the
/// amounts taken are those of the published form.
///
/// # Errors
/// 503.
pub fn as_published(app: &App, shown: &DraftView, checked: Checked) -> Result<Published> {
    let before = &shown.view.parsed;
    let draft = &shown.draft;
    let cx = before.cx(clock::now(), false);
    let questions = check::exam_questions(draft, &checked.definition);
    let fields = &checked.definition.fields;
    let (settings, _) = settings::with_exam_questions(&before.parts.settings, &questions, fields, &cx)?;
    let rules = draft.body(PartName::Rules).as_array().into_iter().flatten().enumerate();
    let rules: Json =
        rules.filter(|(at, _)| !checked.unread_rules.contains(at)).map(|(_, rule)| rule.clone()).collect();
    open(app, shown, checked.definition, rules, settings)
}

/// The form with these fields, rules and settings, and the draft's theme, open to the visitor.
fn open(app: &App, shown: &DraftView, definition: Definition, rules: Json, settings: Json) -> Result<Published> {
    let form = shown.view.form.clone();
    let (organization, images) = app
        .store
        .read(|tx| Ok((organizations::settings_of_owner(tx, form.owner)?, shown.view.parsed.images_again(tx)?)))?;
    let before = &shown.view.parsed;
    let read = Settings::of(&settings)?;
    let theme = shown.draft.body(PartName::Theme).clone();
    let parts = Parts { fields: before.parts.fields.clone(), theme, field_rules: rules, settings };
    let mut parsed = before.with_draft(definition, parts, read, images);
    parsed.settings.access_control.access_password = None;
    Ok(Published { form, parsed: Arc::new(parsed), organization, status: Status::Open })
}

/// The purpose of the answer to a question shown alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Default,
    /// The right answer in the exam.
    RightAnswer,
}

/// A question of the draft alone, filled in with its default or its right answer; `None` while it is not sound, or for one
/// that takes none.
///
/// # Errors
/// 503.
pub fn to_take(app: &App, caller: &Caller, shown: &DraftView, code: &str, taken: Taken) -> Result<Option<Published>> {
    let Some(body) = shown.draft.get(code).and_then(|question| question.body.clone()) else {
        return Ok(None);
    };
    let mut bodies = [body.clone(), body];
    for body in &mut bodies {
        body["hidden"] = json!(false);
    }
    if taken == Taken::RightAnswer {
        bodies[0]["default_value"] = shown.draft.body(PartName::ExamQuestions)[code]["answer"].clone();
    }
    // A default that is wrong is no hindrance to another one.
    if let Some(body) = bodies[1].as_object_mut() {
        body.shift_remove("default_value");
    }
    for body in bodies {
        if let Some(definition) = check::apart(app, caller, shown, vec![body])? {
            let field = definition.fields.get(code).filter(|field| field.takes_default());
            let takes = field.is_some_and(|field| taken == Taken::Default || field.kind.grading().is_some());
            return takes.then(|| to_fill(app, shown, definition)).transpose();
        }
    }
    Ok(None)
}

/// The questions that respondents see, on one page, to be filled in with the values for a link.
///
/// # Errors
/// 503.
pub fn to_link(app: &App, caller: &Caller, shown: &DraftView) -> Result<Option<Published>> {
    let is_break = |body: &Json| body["type"].as_str().and_then(by_name).is_some_and(|row| row.facets.label_optional);
    let bodies = shown.published.iter().map(|(_, body)| body).filter(|body| !is_break(body)).cloned().collect();
    let definition = check::apart(app, caller, shown, bodies)?;
    definition.map(|definition| to_fill(app, shown, definition)).transpose()
}

/// All questions show, whatever the rules and the layout of the form say.
fn to_fill(app: &App, shown: &DraftView, definition: Definition) -> Result<Published> {
    let settings = shown.view.parsed.parts.settings.clone();
    let mut published = open(app, shown, definition, json!([]), settings)?;
    published.form.layout = "classic".to_owned();
    Ok(published)
}
