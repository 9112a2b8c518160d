//! Marks that show whether a form's entries changed since something was computed from them.

use crate::base::error::Result;
use crate::store::db::tx::Tx;
use crate::store::entries::address;
use crate::store::entries::counters;
use crate::store::transfer;

/// Equal marks mean equal entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangeMark {
    next_serial: i64,
    live: i64,
    trashed: i64,
    restores: i64,
    /// Changes since segments were built, of entries in segments and of others.
    changes: (i64, i64),
    /// The latest change, in milliseconds: counts begin anew where segments are rebuilt.
    latest: Option<i64>,
    first_hidden: Option<i64>,
}

/// The mark of a form's entries that are not in the trash.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<ChangeMark> {
    let counters = counters::of_form(tx, form_no)?;
    let ends = [address(form_no, 0), address(form_no + 1, 0)];
    let sealed =
        tx.maybe("SELECT coalesce(sum(count), 0) FROM segment_changes WHERE id >= ?1 AND id < ?2", ends, |row| {
            row.get(0)
        })?;
    let latest = tx.maybe(
        "SELECT max(updated_at) FROM entries WHERE id >> 32 = ?1 AND updated_at > created_at",
        [form_no],
        |row| row.get(0),
    )?;
    Ok(ChangeMark {
        next_serial: counters.next_serial,
        live: counters.live_count,
        trashed: counters.trash_count,
        restores: counters.restores,
        changes: (sealed.unwrap_or_default(), counters.unsealed_changes),
        latest: latest.flatten(),
        first_hidden: transfer::first_hidden(tx, form_no)?,
    })
}
