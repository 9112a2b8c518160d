//! A form with its parts, as a caller sees it.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::id::FolderToken;
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::role::Role;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::folders;
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::forms::drafts;

pub struct FormView {
    pub form: Form,
    pub parsed: Arc<ParsedForm>,
    /// The caller's role.
    pub role: Role,
    /// The caller's folder that contains it.
    pub folder: Option<FolderToken>,
    /// Whether its questions have a draft that is not published.
    pub has_draft: bool,
}

/// The form with this token, if the caller has the right.
///
/// # Errors
/// 403, 404.
pub fn load(app: &App, tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<FormView> {
    let (form, role) = access::form_and_role(tx, caller, token, right)?;
    let parsed = app.cache.parsed(tx, &form)?;
    let folder = folders::of_form(tx, caller, form.form_no)?;
    let has_draft = drafts::next_field(tx, form.form_no)? > 0;
    Ok(FormView { form, parsed, role, folder, has_draft })
}

/// The caller's own form with this token in the trash.
///
/// # Errors
/// 403, 404.
pub fn trashed(app: &App, caller: &Caller, token: &str) -> Result<Form> {
    app.store.read(|tx| access::trashed_form_for(tx, caller, token, Right::Own))
}
