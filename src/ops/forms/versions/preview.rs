//! A form as a version had it, to be looked at.

use std::sync::Arc;

use crate::base::error::Result;
use crate::model::form::Parts;
use crate::ops::app::App;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::Published;
use crate::ops::forms::versions::VersionView;
use crate::store::accounts::organizations;

/// The form with the content of the version, open to its preview. Its settings, its entries and the amounts taken are
/// the current ones.
///
/// # Errors
/// 503.
pub fn as_published(app: &App, shown: VersionView) -> Result<Published> {
    let VersionView { view, content, definition, images, .. } = shown;
    let mut form = view.form;
    let organization = app.store.read(|tx| organizations::settings_of_owner(tx, form.owner))?;
    (form.name, form.description) = (content.name, content.description);
    let before = &view.parsed;
    let parts = Parts {
        fields: before.parts.fields.clone(),
        settings: before.parts.settings.clone(),
        theme: content.theme,
        field_rules: content.field_rules,
    };
    let mut parsed = before.with_draft(definition, parts, before.settings.clone(), images);
    parsed.settings.access_control.access_password = None;
    Ok(Published { form, parsed: Arc::new(parsed), organization, status: Status::Open })
}
