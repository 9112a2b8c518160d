//! Events of entries, written with the change itself if they have receivers.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::event::{Event, EventKind, NewEvent};
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::entries::{SERIALS, address, counters, entry_changes};

/// The id of the form's next event, and its public id. It is used up by this.
pub fn next(tx: &Tx, form_no: i64) -> Result<(i64, String)> {
    let counters = counters::change(tx, form_no, |counters| counters.next_event += 1)?;
    let id = address(form_no, counters.next_event - 1);
    Ok((id, tx.secrets.events.make(id)))
}

/// The id of the form's latest event, kept or not: later ones are higher.
pub fn last(tx: &Tx, form_no: i64) -> Result<i64> {
    let counters = counters::of_form(tx, form_no)?;
    Ok(address(form_no, counters.next_event - 1))
}

/// Adds an event and queues it for these webhooks, due at once.
pub fn insert(tx: &Tx, event: &NewEvent, webhooks: &[(i64, &str)]) -> Result<()> {
    tx.run(
        "INSERT INTO events (id, serial, kind, created_at, is_queued, body) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![event.id, event.serial, event.kind.name(), tx.now.millis(), !webhooks.is_empty(), event.body,],
    )?;
    for (webhook, token) in webhooks {
        tx.run(
            "INSERT INTO outbox (kind, webhook_id, event_id, target, status, attempts, \
                 next_attempt_at, is_underway, created_at) \
             VALUES ('webhook', ?1, ?2, ?3, 'pending', 0, ?4, 0, ?4)",
            params![webhook, event.id, token, tx.now.millis()],
        )?;
    }
    Ok(())
}

fn read(tx: &Tx, row: &Row) -> rusqlite::Result<Event> {
    let id: i64 = row.get(0)?;
    let kind: String = row.get(1)?;
    Ok(Event {
        id,
        token: tx.secrets.events.make(id),
        // The table takes no other.
        kind: EventKind::by_name(&kind).unwrap_or(EventKind::Ping),
        created_at: Time::from_millis(row.get(2)?),
        body: row.get(3)?,
        serial: row.get(4)?,
    })
}

/// The events of entries of a form with ids above `after`, in order: at most `limit`, and at most `bytes` of them, but
/// at least one.
pub fn after(tx: &Tx, form_no: i64, after: i64, limit: usize, bytes: usize) -> Result<Vec<Event>> {
    let end = (form_no << 32) + SERIALS;
    let mut select = tx
        .connection
        .prepare_cached(
            "SELECT id, kind, created_at, body, serial FROM events \
             WHERE id > ?1 AND id < ?2 AND kind <> 'ping' AND entry_is_gone = 0 ORDER BY id",
        )
        .map_err(internal)?;
    let rows = select.query_map([after.max(form_no << 32), end], |row| read(tx, row)).map_err(internal)?;
    let (mut out, mut left) = (Vec::new(), bytes);
    for row in rows.take(limit) {
        let event = row.map_err(internal)?;
        left = left.saturating_sub(event.body.len());
        out.push(event);
        if left == 0 {
            break;
        }
    }
    Ok(out)
}

/// Whether a text has the format of an event's public id, whatever its form and time.
pub fn is_token(tx: &Tx, text: &str) -> bool {
    tx.secrets.events.is_token(text)
}

/// The id of an event of this form by its public id; `None` for a text that is none. The event itself may be gone.
pub fn id_of(tx: &Tx, form_no: i64, token: &str) -> Option<i64> {
    let id = tx.secrets.events.row(token)?;
    (id >> 32 == form_no).then_some(id)
}

/// Whether an event is still kept.
pub fn is_kept(tx: &Tx, id: i64) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM events WHERE id = ?1)";
    tx.one(sql, [id], |row| row.get(0))
}

/// When the events of a form were last read as a stream.
pub fn streamed_at(tx: &Tx, form_no: i64) -> Result<Option<Time>> {
    let at: Option<Option<i64>> =
        tx.maybe("SELECT streamed_at FROM forms WHERE form_no = ?1", [form_no], |row| row.get(0))?;
    Ok(at.flatten().map(Time::from_millis))
}

/// Notes that the events of a form are being read as a stream: from now on they are kept for a while. If that was not
/// noted since `since`, some may be missing before this.
pub fn mark_streamed(tx: &Tx, form_no: i64, since: Time) -> Result<()> {
    tx.run(
        "UPDATE forms SET streamed_from = CASE WHEN streamed_at > ?3 THEN streamed_from ELSE ?4 END, \
             streamed_at = ?2 WHERE form_no = ?1",
        params![form_no, tx.now.millis(), since.millis(), last(tx, form_no)?],
    )?;
    entry_changes::forget_audience(tx, form_no);
    Ok(())
}

/// Whether all events after this one are kept, provided that none after `since` are removed. The event itself may have
/// been removed with its entry.
pub fn is_followed(tx: &Tx, form_no: i64, id: i64, since: Time) -> Result<bool> {
    // After a backup was restored, later ones may be known outside.
    if id > last(tx, form_no)? {
        return Ok(false);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM forms WHERE form_no = ?1 AND streamed_at > ?3 AND streamed_from <= ?2 \
                   AND (SELECT created_at FROM events WHERE id > ?1 << 32 AND id <= ?2 \
                        ORDER BY id DESC LIMIT 1) > ?3)";
    tx.one(sql, params![form_no, id, since.millis()], |row| row.get(0))
}

/// Whether an event tells of an entry.
pub(in crate::store) fn is_any_of(tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM events WHERE id >> 32 = ?1 AND serial = ?2)", [form_no, serial], |row| {
        row.get(0)
    })
}

/// Notes that deliveries of these events are gone: events without other deliveries are kept as long as those of
/// streams, and those of entries that are gone for good are deleted at once.
pub(in crate::store) fn let_go(tx: &Tx, events: impl IntoIterator<Item = i64>) -> Result<()> {
    for id in events {
        tx.run(
            "UPDATE events SET is_queued = 0 WHERE id = ?1 \
             AND NOT EXISTS (SELECT 1 FROM outbox WHERE event_id = ?1)",
            [id],
        )?;
        tx.run("DELETE FROM events WHERE id = ?1 AND is_queued = 0 AND entry_is_gone = 1", [id])?;
    }
    Ok(())
}

/// Removes the events of an entry that is removed for good, with their settled deliveries. Those that a delivery still
/// waits for go with it; until then their bodies only say which entry it was.
pub(in crate::store) fn remove_of(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    let events: Vec<i64> = tx.all(
        "UPDATE events SET entry_is_gone = 1 WHERE id >> 32 = ?1 AND serial = ?2 RETURNING id",
        [form_no, serial],
        |row| row.get(0),
    )?;
    for id in &events {
        tx.run("DELETE FROM outbox WHERE event_id = ?1 AND status <> 'pending'", [id])?;
    }
    let_go(tx, events)?;
    tx.run(
        "UPDATE events SET body = CAST(json_set(CAST(body AS TEXT), '$.entry', json_object('serial_number', serial, \
             'token', CAST(body AS TEXT) ->> '$.entry.token', 'purged', json('true'))) AS BLOB) \
             WHERE id >> 32 = ?1 AND serial = ?2",
        [form_no, serial],
    )?;
    Ok(())
}

/// Replaces the body of an event, unless its entry was removed for good meanwhile.
pub fn replace_body(tx: &Tx, id: i64, body: &[u8]) -> Result<()> {
    tx.run("UPDATE events SET body = ?2 WHERE id = ?1 AND entry_is_gone = 0", params![id, body])?;
    Ok(())
}

/// Removes up to `limit` events that no delivery names and that are older than `moment`. Returns the number removed.
pub fn forget_old(tx: &Tx, moment: Time, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).map_err(Error::internal)?;
    tx.run(
        "DELETE FROM events WHERE id IN (SELECT id FROM events \
             WHERE is_queued = 0 AND created_at < ?1 LIMIT ?2)",
        params![moment.millis(), limit],
    )
}
