//! Keeps a version of a form in the write that changes it.

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::form_version::{FormContent, Origin};
use crate::ops::accounts::audit::By;
use crate::ops::forms::versions::compare;
use crate::store::db::tx::Tx;
use crate::store::forms;
use crate::store::forms::versions::{self, NewVersion};

/// The content of a form before a change, and since when it has it.
pub struct Before {
    content: FormContent,
    since: Time,
}

/// # Errors
/// 503.
pub fn before(tx: &Tx, form_no: i64) -> Result<Before> {
    Ok(Before { content: versions::content(tx, form_no)?, since: forms::by_number(tx, form_no)?.updated_at })
}

/// Stores the form's content as its next version, unless it is the same as before. A form without versions gets the
/// content before the change as its first version. `name` is the user's name for the version.
///
/// # Errors
/// 503.
pub fn keep(tx: &Tx, form_no: i64, before: &Before, by: By, name: Option<&str>) -> Result<()> {
    let content = versions::content(tx, form_no)?;
    let changes = compare::changes(&before.content, &content);
    if changes.is_empty() {
        return Ok(());
    }
    if versions::latest(tx, form_no)? == 0 {
        let (created_at, content) = (before.since, &before.content);
        let first = NewVersion { created_at, origin: Origin::Api, user: None, name: None, changes: &[], content };
        versions::add(tx, form_no, &first)?;
    }
    let (origin, user) = (origin(by), by.user());
    versions::add(
        tx,
        form_no,
        &NewVersion { created_at: tx.now, origin, user, name, changes: &changes, content: &content },
    )
}

/// Keeps the first version of a form that was just made.
///
/// # Errors
/// 503.
pub fn begin(tx: &Tx, form_no: i64, by: By) -> Result<()> {
    let content = versions::content(tx, form_no)?;
    let (origin, user) = (origin(by), by.user());
    versions::add(
        tx,
        form_no,
        &NewVersion { created_at: tx.now, origin, user, name: None, changes: &[], content: &content },
    )
}

fn origin(by: By) -> Origin {
    if by.is_in_browser() { Origin::Console } else { Origin::Api }
}
