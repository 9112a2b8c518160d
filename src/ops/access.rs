//! Who may do what with a form: loads and decides in one call (contract section 2).

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::model::caller::{Caller, Credential};
use crate::model::form::Form;
use crate::store::tx::Tx;
use crate::store::{forms, users};

const TRASH_SECS: i64 = 30 * 24 * 3600;

/// What somebody wants to do with a form.
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

/// The caller's role with a form, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Also changes entries.
    Editor,
    /// Also changes the form.
    Manager,
    /// Also deletes it.
    Owner,
}

impl Role {
    /// The words in answers.
    pub const NAMES: [&'static str; 3] = ["viewer", "editor", "manager"];

    /// The word in answers: owners are managers whose form is `owned`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Manager | Self::Owner => "manager",
        }
    }

    fn needed(right: Right) -> Self {
        match right {
            Right::Read => Self::Viewer,
            Right::Enter => Self::Editor,
            Right::Manage => Self::Manager,
            Right::Own => Self::Owner,
        }
    }
}

/// The caller's role with a form; none where there is no relation.
pub fn role(caller: &Caller, form: &Form) -> Option<Role> {
    (form.owner == caller.user.id).then_some(Role::Owner)
}

/// The form of a token, if the caller may do this with it. A form in the trash is not found.
///
/// # Errors
/// 404 without any relation to it, 403 where the role does not suffice.
pub fn form_for(tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<Form> {
    let form = forms::by_token(tx, token)?.filter(|form| form.deleted_at.is_none());
    allowed(caller, form, right)
}

/// The owner of a form, as the command line acts for.
///
/// # Errors
/// Internal.
pub fn owner(tx: &Tx, form: &Form) -> Result<Caller> {
    let user = users::by_id(tx, form.owner)?;
    Ok(Caller::whole(user, Credential::CommandLine))
}

/// Forms and entries in the trash that were deleted before this moment are removed for good.
pub fn kept_since(now: Time) -> Time {
    now.minus_secs(TRASH_SECS)
}

/// The form of a token in the trash, if the caller may do this with it. One whose time there is over may
/// be gone in part already, so it is not found.
///
/// # Errors
/// As `form_for`.
pub fn trashed_form_for(tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<Form> {
    let form = forms::by_token(tx, token)?
        .filter(|form| form.deleted_at.is_some_and(|at| at >= kept_since(tx.now)));
    allowed(caller, form, right)
}

fn allowed(caller: &Caller, form: Option<Form>, right: Right) -> Result<Form> {
    let unknown = Error::NotFound(Noun::Form);
    let Some(form) = form else {
        return Err(unknown);
    };
    match role(caller, &form) {
        None => Err(unknown),
        Some(role) if role < Role::needed(right) => Err(Error::Forbidden),
        Some(_) => Ok(form),
    }
}
