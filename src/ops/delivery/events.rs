//! Events of entries: written at the end of the writer's job that changed them, for webhooks and for readers of the
//! form's stream (contract section 9). The store notes the changes, so no way of changing an entry can forget them.

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::model::event::{EventKind, NewEvent};
use crate::model::form::Form;
use crate::ops::app::App;
use crate::ops::entries::Shape;
use crate::ops::forms::removed_values;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::delivery::events;
use crate::store::entries::pending_changes::{Change, Changes};
use crate::store::forms::{self, rewrites};

/// Changes whose linked entries are looked up together.
const PIECE: usize = 100;

/// Writes the events of these changes for their receivers.
pub(in crate::ops) fn write(cache: &Cache, tx: &Tx, changes: &Changes) -> Result<()> {
    let form = forms::by_number(tx, changes.form_no)?;
    let parsed = cache.parsed(tx, &form)?;
    for piece in changes.all.chunks(PIECE) {
        let entries = piece.iter().map(|change| &change.entry);
        let found = linked_entries::of_entries(cache, tx, &parsed, entries)?;
        let shape = Shape { parsed: Arc::clone(&parsed), found };
        for Change { kind, entry } in piece {
            let shown = shape.whole(entry, None, tx.now)?;
            let (id, token) = events::next(tx, form.form_no)?;
            let body = body(&token, *kind, tx.now, &form, &shown)?;
            let event = NewEvent { id, kind: *kind, serial: Some(entry.serial), body: body.as_bytes() };
            let wanted_by: Vec<(i64, &str)> =
                changes.audience.of(*kind).map(|webhook| (webhook.id, webhook.token.as_str())).collect();
            events::insert(tx, &event, &wanted_by)?;
        }
    }
    Ok(())
}

/// The body of a stored event without data that an edit of fields removed: the edit was confirmed, but the job that
/// deletes the data from stored events may not have reached this one yet.
///
/// # Errors
/// Internal.
pub(in crate::ops) fn as_it_may_leave(app: &App, tx: &Tx, form_no: i64, body: Vec<u8>) -> Result<Vec<u8>> {
    let removing = rewrites::removing(tx)?;
    if removing.is_empty() {
        return Ok(body);
    }
    let mut concerned = removing.contains(&form_no);
    for other in removing {
        // The entry shows entries of forms that it links to.
        concerned = concerned || forms::linking_to(tx, &forms::by_number(tx, other)?.token)?.contains(&form_no);
    }
    if !concerned {
        return Ok(body);
    }
    let parsed = app.cache.parsed(tx, &forms::by_number(tx, form_no)?)?;
    Ok(without_removed(app, tx, &parsed, &body)?.unwrap_or(body))
}

/// The body of a stored event without data that edits of fields removed; `None` if it has no such data.
///
/// # Errors
/// Internal.
pub(in crate::ops) fn without_removed(app: &App, tx: &Tx, parsed: &ParsedForm, body: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut shown: Json = serde_json::from_slice(body).map_err(Error::internal)?;
    let is_other = removed_values::take_out(app, tx, parsed, &mut shown["entry"], false)?;
    Ok(is_other.then(|| shown.to_string().into_bytes()))
}

/// The body of an event; `entry` is JSON text.
///
/// # Errors
/// Internal.
pub(in crate::ops) fn body(token: &str, kind: EventKind, at: Time, form: &Form, entry: &str) -> Result<String> {
    let name = serde_json::to_string(&form.name).map_err(Error::internal)?;
    let mut out = String::with_capacity(entry.len() + name.len() + 160);
    for part in [
        "{\"id\":\"",
        token,
        "\",\"event\":\"",
        kind.name(),
        "\",\"created_at\":\"",
        &at.to_string(),
        "\",\"form\":{\"token\":\"",
        form.token.as_str(),
        "\",\"name\":",
        &name,
        "},\"entry\":",
        entry,
        "}",
    ] {
        out.push_str(part);
    }
    Ok(out)
}
