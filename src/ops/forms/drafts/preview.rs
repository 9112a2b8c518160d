//! A form as it would be if its draft were published.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::json::Json;
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

/// The form as its draft has it, open to its preview; rules that can't be read are left out. Its entries and what is
/// taken of it are those of the published form.
///
/// # Errors
/// 503.
pub fn as_published(app: &App, shown: &DraftView, checked: Checked) -> Result<Published> {
    let form = shown.view.form.clone();
    let (organization, images) = app
        .store
        .read(|tx| Ok((organizations::settings_of_owner(tx, form.owner)?, shown.view.parsed.images_again(tx)?)))?;
    let before = &shown.view.parsed;
    let draft = &shown.draft;
    let cx = before.cx(clock::now(), false);
    let questions = check::exam_questions(draft, &checked.definition);
    let fields = &checked.definition.fields;
    let (settings, _) = settings::with_exam_questions(&before.parts.settings, &questions, fields, &cx)?;
    let rules = draft.body(PartName::Rules).as_array().into_iter().flatten().enumerate();
    let rules: Json =
        rules.filter(|(at, _)| !checked.unread_rules.contains(at)).map(|(_, rule)| rule.clone()).collect();
    let parts = Parts {
        fields: before.parts.fields.clone(),
        theme: draft.body(PartName::Theme).clone(),
        field_rules: rules,
        settings: settings.clone(),
    };
    let mut parsed = before.with_draft(checked.definition, parts, Settings::of(&settings)?, images);
    parsed.settings.access_control.access_password = None;
    Ok(Published { form, parsed: Arc::new(parsed), organization, status: Status::Open })
}
