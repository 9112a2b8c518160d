//! A form with its parts, as one caller may see it.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::id::FolderToken;
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::role::Role;
use crate::ops::access::{self, Right};
use crate::ops::cache::ParsedForm;
use crate::ops::{App, folders};
use crate::store::tx::Tx;

/// A form as its caller may see it.
pub struct FormView {
    /// The row.
    pub form: Form,
    /// Its parts.
    pub parsed: Arc<ParsedForm>,
    /// The caller's role.
    pub role: Role,
    /// The caller's folder that it lies in.
    pub folder: Option<FolderToken>,
}

/// The form of that token, where its caller has the right.
///
/// # Errors
/// 403, 404.
pub fn load(app: &App, tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<FormView> {
    let (form, role) = access::form_and_role(tx, caller, token, right)?;
    let parsed = app.cache.parsed(tx, &form)?;
    let folder = folders::of_form(tx, caller, form.form_no)?;
    Ok(FormView {
        form,
        parsed,
        role,
        folder,
    })
}
