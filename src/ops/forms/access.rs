//! Access to forms: loads a form and checks the caller's right in one call (contract section 2).

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::model::caller::{Caller, Credential};
use crate::model::form::Form;
use crate::model::role::Role;
use crate::ops::app::App;
use crate::store::accounts::{collaborators, users};
use crate::store::db::tx::Tx;
use crate::store::forms;

const TRASH_SECS: i64 = 30 * 24 * 3600;
const DAY_MILLIS: i64 = 24 * 3_600_000;

/// A right in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read form, settings, theme, rules and entries: viewers and above.
    Read,
    /// Change entries: editors and above.
    Enter,
    /// Change the form: managers and above.
    Manage,
    /// Delete and restore the form: its owner.
    Own,
}

impl Right {
    /// The least role with the right.
    const fn needs(self) -> Role {
        match self {
            Self::Read => Role::Viewer,
            Self::Enter => Role::Editor,
            Self::Manage => Role::Manager,
            Self::Own => Role::Owner,
        }
    }
}

/// The caller's role in a form, if any.
pub fn role(tx: &Tx, caller: &Caller, form: &Form) -> Result<Option<Role>> {
    if form.owner == caller.user.id {
        Ok(Some(Role::Owner))
    } else {
        collaborators::role(tx, form.form_no, caller.user.id)
    }
}

/// True if this address is an account's that can read the form.
pub fn reads(tx: &Tx, email: &str, form: &Form) -> Result<bool> {
    let Some(user) = users::by_email(tx, email)?.map(|found| found.user).filter(|user| user.disabled_at.is_none())
    else {
        return Ok(false);
    };
    Ok(form.owner == user.id || collaborators::role(tx, form.form_no, user.id)?.is_some())
}

/// The form with this token, if the caller has the right. A form in the trash is not found.
///
/// # Errors
/// 404 without any role, 403 if the role does not suffice.
pub fn form_for(tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<Form> {
    form_and_role(tx, caller, token, right).map(|(form, _)| form)
}

/// Checks that the caller has a right in a form.
///
/// # Errors
/// As `form_for`.
pub fn check(app: &App, caller: &Caller, token: &str, right: Right) -> Result<()> {
    let form = app.store.read(|tx| form_for(tx, caller, token, right));
    form.map(|_| ())
}

/// The form with this token, and the caller's role.
///
/// # Errors
/// As `form_for`.
pub fn form_and_role(tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<(Form, Role)> {
    let form = forms::by_token(tx, token)?.filter(|form| form.deleted_at.is_none());
    allowed(tx, caller, form, right)
}

/// The owner of a form as the caller, for the command line.
pub fn owner(tx: &Tx, form: &Form) -> Result<Caller> {
    let user = users::by_id(tx, form.owner)?;
    Ok(Caller::with_all_scopes(user, Credential::CommandLine))
}

/// Forms and entries that were deleted before this time are removed for good.
pub fn trash_cutoff(now: Time) -> Time {
    now.minus_secs(TRASH_SECS)
}

/// The days until a thing deleted at this time is removed for good, a begun one counted as a whole.
pub fn days_left(now: Time, deleted_at: Time) -> i64 {
    let millis = deleted_at.millis() - trash_cutoff(now).millis();
    (millis.max(0) + DAY_MILLIS - 1) / DAY_MILLIS
}

/// The form with this token in the trash, if the caller has the right. An expired one may be partly removed, so it is not
/// found.
///
/// # Errors
/// As `form_for`.
pub fn trashed_form_for(tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<Form> {
    let form = forms::by_token(tx, token)?.filter(|form| form.deleted_at.is_some_and(|at| at >= trash_cutoff(tx.now)));
    allowed(tx, caller, form, right).map(|(form, _)| form)
}

fn allowed(tx: &Tx, caller: &Caller, form: Option<Form>, right: Right) -> Result<(Form, Role)> {
    let unknown = Error::NotFound(Noun::Form);
    let Some(form) = form else {
        return Err(unknown);
    };
    match role(tx, caller, &form)? {
        None => Err(unknown),
        Some(role) if role < right.needs() => Err(Error::Forbidden),
        Some(role) => Ok((form, role)),
    }
}
