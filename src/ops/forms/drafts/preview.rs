//! A form as it would be if its draft were published.

use std::sync::Arc;

use crate::base::error::Result;
use crate::fields::definition::Definition;
use crate::ops::app::App;
use crate::ops::forms::availability::Status;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::published::Published;
use crate::store::accounts::organizations;

/// The form with these fields, open to its preview. Its entries and what is taken of it are those of the published form.
///
/// # Errors
/// 503.
pub fn as_published(app: &App, shown: &DraftView, definition: Definition) -> Result<Published> {
    let form = shown.view.form.clone();
    let (organization, images) = app
        .store
        .read(|tx| Ok((organizations::settings_of_owner(tx, form.owner)?, shown.view.parsed.images_again(tx)?)))?;
    let before = &shown.view.parsed;
    let mut parsed = before.with_draft(definition, before.parts.clone(), before.settings.clone(), images);
    parsed.settings.access_control.access_password = None;
    Ok(Published { form, parsed: Arc::new(parsed), organization, status: Status::Open })
}
