//! Deliveries of events to webhooks: rows of the outbox that name a webhook and an event.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::event::EventKind;
use crate::model::outbox::{DeliveryFault, DeliveryStatus};
use crate::model::webhook::{AttemptOutcome, ClaimedDelivery, SettledDelivery, WaitingWebhook, WebhookDelivery};
use crate::store::db::tx::Tx;
use crate::store::delivery::events;

/// A claimed delivery without a result counts as lost after this time, and is due again. Longer than a run.
const LOST_AFTER_SECS: i64 = 600;

/// The enabled webhooks with waiting deliveries, and the time when the next one is due; claimed ones count from the
/// time when they would be lost. Webhooks that have waited longest come first.
pub fn waiting(tx: &Tx) -> Result<Vec<WaitingWebhook>> {
    // Two probes of the index per webhook, however many deliveries wait. Deferred ones are due last.
    tx.all(
        "WITH RECURSIVE one (webhook) AS ( \
             SELECT min(webhook_id) FROM outbox INDEXED BY outbox_due_webhooks \
                 WHERE status = 'pending' AND webhook_id IS NOT NULL \
             UNION ALL SELECT (SELECT min(webhook_id) FROM outbox INDEXED BY outbox_due_webhooks \
                 WHERE status = 'pending' AND webhook_id > one.webhook) \
                 FROM one WHERE one.webhook IS NOT NULL) \
         SELECT w.id, w.url, (SELECT min(next_attempt_at) FROM outbox INDEXED BY outbox_due_webhooks \
                 WHERE status = 'pending' AND webhook_id = w.id) AS due \
             FROM one JOIN webhooks w ON w.id = one.webhook WHERE w.enabled ORDER BY due, w.id",
        [],
        read_waiting,
    )
}

/// Like [`waiting`], for the webhooks of a form.
pub fn waiting_in(tx: &Tx, form_no: i64) -> Result<Vec<WaitingWebhook>> {
    let ids: Vec<i64> =
        tx.all("SELECT id FROM webhooks WHERE form_no = ?1 AND enabled", [form_no], |row| row.get(0))?;
    let waiting = ids.into_iter().map(|id| waiting_for(tx, id));
    waiting.filter_map(Result::transpose).collect()
}

/// Like [`waiting`], for one webhook; `None` if it waits for nothing.
pub fn waiting_for(tx: &Tx, webhook: i64) -> Result<Option<WaitingWebhook>> {
    tx.maybe(
        "SELECT w.id, w.url, o.next_attempt_at \
             FROM outbox o INDEXED BY outbox_due_webhooks JOIN webhooks w ON w.id = o.webhook_id \
             WHERE o.webhook_id = ?1 AND o.status = 'pending' AND w.enabled \
             ORDER BY o.next_attempt_at LIMIT 1",
        [webhook],
        read_waiting,
    )
}

fn read_waiting(row: &Row) -> rusqlite::Result<WaitingWebhook> {
    Ok(WaitingWebhook { id: row.get(0)?, url: row.get(1)?, next_attempt_at: Time::from_millis(row.get(2)?) })
}

/// Takes up to `limit` deliveries of an enabled webhook that are due, in the order of their events. One that is neither
/// settled nor released is due again after `LOST_AFTER_SECS`.
pub fn claim(tx: &Tx, webhook: i64, limit: usize) -> Result<Vec<ClaimedDelivery>> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let out: Vec<ClaimedDelivery> = tx.all(
        "SELECT o.id, o.event_id, e.kind, o.attempts, o.created_at \
             FROM outbox o INDEXED BY outbox_due_webhooks JOIN events e ON e.id = o.event_id \
             WHERE o.webhook_id = ?1 AND o.status = 'pending' AND o.next_attempt_at <= ?2 \
             AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = ?1 AND w.enabled) \
             ORDER BY o.next_attempt_at, o.id LIMIT ?3",
        params![webhook, tx.now.millis(), most],
        |row| {
            let id: i64 = row.get(0)?;
            Ok(ClaimedDelivery {
                id,
                token: tx.secrets.deliveries.make(id),
                event_token: tx.secrets.events.make(row.get(1)?),
                kind: kind(row, 2)?,
                attempts: row.get(3)?,
                created_at: Time::from_millis(row.get(4)?),
            })
        },
    )?;
    let lost_at = tx.now.plus_secs(LOST_AFTER_SECS);
    for delivery in &out {
        tx.run(
            "UPDATE outbox SET next_attempt_at = ?2, is_underway = 1 WHERE id = ?1",
            params![delivery.id, lost_at.millis()],
        )?;
    }
    Ok(out)
}

/// The body of a delivery that waits, as it is now, with the number of its form; `None` if the delivery has ended
/// meanwhile, or is gone.
pub fn body(tx: &Tx, id: i64) -> Result<Option<(i64, Vec<u8>)>> {
    tx.maybe(
        "SELECT e.id >> 32, e.body FROM outbox o JOIN events e ON e.id = o.event_id \
             WHERE o.id = ?1 AND o.status = 'pending'",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Notes the outcomes of attempts. Each counts.
pub fn settle(tx: &Tx, attempts: &[SettledDelivery]) -> Result<()> {
    for attempt in attempts {
        let (status, fault, next) = match attempt.outcome {
            AttemptOutcome::Delivered => (DeliveryStatus::Delivered, None, None),
            AttemptOutcome::PutOff(fault, at) => (DeliveryStatus::Pending, Some(fault), Some(at)),
            AttemptOutcome::Failed(fault) => (DeliveryStatus::Failed, Some(fault), None),
        };
        // A delivery whose webhook was disabled meanwhile has failed already: it stays failed, unless it arrived.
        tx.run(
            "UPDATE outbox SET status = ?2, error = ?3, next_attempt_at = ?4, is_underway = 0, \
                 attempts = attempts + 1, response_status = ?5, response_ms = ?6 \
                 WHERE id = ?1 AND (status = 'pending' OR ?2 = 'delivered')",
            params![
                attempt.id,
                status.name(),
                fault.map(DeliveryFault::name),
                next.map(Time::millis),
                attempt.response_status,
                attempt.response_ms,
            ],
        )?;
    }
    forget_settled(tx, attempts.iter().map(|attempt| attempt.id))
}

/// Gives back deliveries that were taken out and not tried: they are due at once, before later ones.
pub fn release(tx: &Tx, ids: &[i64]) -> Result<()> {
    for id in ids {
        tx.run(
            "UPDATE outbox SET next_attempt_at = created_at, is_underway = 0 \
                 WHERE id = ?1 AND status = 'pending'",
            [id],
        )?;
    }
    Ok(())
}

/// Adds a delivery that came to an end already: of a ping. Its row id.
pub fn insert_settled(tx: &Tx, webhook: i64, token: &str, event: i64, attempt: &SettledDelivery) -> Result<i64> {
    tx.run(
        "INSERT INTO outbox (kind, webhook_id, event_id, target, status, attempts, is_underway, \
             created_at) SELECT 'webhook', ?1, id, ?2, 'pending', 0, 0, created_at FROM events \
             WHERE id = ?3",
        params![webhook, token, event],
    )?;
    let id = tx.connection.last_insert_rowid();
    tx.run("UPDATE events SET is_queued = 1 WHERE id = ?1", [event])?;
    settle(tx, &[SettledDelivery { id, ..*attempt }])?;
    Ok(id)
}

/// Fails up to `limit` deliveries of a webhook that wait and have ids up to `last`. Returns their number.
pub fn fail_waiting(tx: &Tx, webhook: i64, last: i64, fault: DeliveryFault, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let failed: Vec<i64> = tx.all(
        "UPDATE outbox SET status = 'failed', error = ?3, next_attempt_at = NULL, is_underway = 0 \
             WHERE id IN (SELECT id FROM outbox INDEXED BY outbox_due_webhooks \
                 WHERE webhook_id = ?1 AND status = 'pending' AND id <= ?2 LIMIT ?4) RETURNING id",
        params![webhook, last, fault.name(), limit],
        |row| row.get(0),
    )?;
    let count = failed.len();
    forget_settled(tx, failed)?;
    Ok(count)
}

/// The latest row id of a webhook's deliveries; 0 if there is none.
pub fn last(tx: &Tx, webhook: i64) -> Result<i64> {
    tx.one("SELECT ifnull(max(id), 0) FROM outbox WHERE webhook_id = ?1", [webhook], |row| row.get(0))
}

/// Removes those of these deliveries that have ended and are about entries that are gone for good.
fn forget_settled(tx: &Tx, ids: impl IntoIterator<Item = i64>) -> Result<()> {
    for id in ids {
        let event: Option<i64> = tx.maybe(
            "DELETE FROM outbox WHERE id = ?1 AND status <> 'pending' AND EXISTS \
                 (SELECT 1 FROM events e WHERE e.id = event_id AND e.entry_is_gone = 1) \
                 RETURNING event_id",
            [id],
            |row| row.get(0),
        )?;
        events::let_go(tx, event)?;
    }
    Ok(())
}

const COLUMNS: &str = "o.id, e.kind, o.status, o.attempts, o.response_status, o.response_ms, \
     o.error, o.created_at, o.next_attempt_at, o.is_underway";

fn read(tx: &Tx, row: &Row) -> rusqlite::Result<WebhookDelivery> {
    let id: i64 = row.get(0)?;
    let status: String = row.get(2)?;
    let error: Option<String> = row.get(6)?;
    let next: Option<i64> = row.get(8)?;
    let next = next.map(Time::from_millis);
    let is_underway: bool = row.get(9)?;
    Ok(WebhookDelivery {
        id,
        token: tx.secrets.deliveries.make(id),
        event: kind(row, 1)?,
        // The table takes no other.
        status: DeliveryStatus::by_name(&status).unwrap_or(DeliveryStatus::Failed),
        attempts: row.get(3)?,
        response_status: row.get(4)?,
        response_ms: row.get(5)?,
        error: error.and_then(|error| DeliveryFault::by_name(&error)),
        created_at: Time::from_millis(row.get(7)?),
        // For a delivery being sent: since when, not when it would count as lost.
        next_attempt_at: match is_underway {
            true => next.map(|lost_at| lost_at.minus_secs(LOST_AFTER_SECS)),
            false => next,
        },
    })
}

/// The kind of event in a column. The table takes no other.
fn kind(row: &Row, at: usize) -> rusqlite::Result<EventKind> {
    let name: String = row.get(at)?;
    Ok(EventKind::by_name(&name).unwrap_or(EventKind::Ping))
}

/// Up to `limit` deliveries of a webhook with ids below `before`, latest first; with a status, those that have it.
pub fn list(
    tx: &Tx,
    webhook: i64,
    status: Option<DeliveryStatus>,
    before: i64,
    limit: usize,
) -> Result<Vec<WebhookDelivery>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let of_status = status_clause(status);
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM outbox o JOIN events e ON e.id = o.event_id \
             WHERE o.webhook_id = ?1 AND o.id < ?2{of_status} ORDER BY o.id DESC LIMIT ?3"
        ),
        params![webhook, before, limit],
        |row| read(tx, row),
    )
}

/// The number of deliveries of a webhook with ids above `after`; with a status, of those that have it.
pub fn count(tx: &Tx, webhook: i64, status: Option<DeliveryStatus>, after: i64) -> Result<i64> {
    let of_status = status_clause(status);
    tx.one(
        &format!("SELECT count(*) FROM outbox o WHERE o.webhook_id = ?1 AND o.id > ?2{of_status}"),
        [webhook, after],
        |row| row.get(0),
    )
}

/// The condition that narrows deliveries to a status.
fn status_clause(status: Option<DeliveryStatus>) -> String {
    status.map(|status| format!(" AND o.status = '{}'", status.name())).unwrap_or_default()
}

/// A delivery of a webhook by its public id.
pub fn by_token(tx: &Tx, webhook: i64, token: &str) -> Result<Option<WebhookDelivery>> {
    match tx.secrets.deliveries.row(token) {
        Some(id) => by_id(tx, webhook, id),
        None => Ok(None),
    }
}

/// A delivery of a webhook by its row id.
pub fn by_id(tx: &Tx, webhook: i64, id: i64) -> Result<Option<WebhookDelivery>> {
    tx.maybe(
        &format!(
            "SELECT {COLUMNS} FROM outbox o JOIN events e ON e.id = o.event_id \
             WHERE o.id = ?1 AND o.webhook_id = ?2"
        ),
        [id, webhook],
        |row| read(tx, row),
    )
}

/// Makes a delivery that came to an end wait again: due at once, and its attempts are counted from 0.
pub fn redeliver(tx: &Tx, id: i64) -> Result<()> {
    tx.run(
        "UPDATE outbox SET status = 'pending', attempts = 0, error = NULL, next_attempt_at = ?2, \
             response_status = NULL, response_ms = NULL WHERE id = ?1 AND status <> 'pending'",
        params![id, tx.now.millis()],
    )?;
    Ok(())
}

/// Removes up to `limit` deliveries of a webhook that was deleted. Returns the number removed.
pub fn remove_some(tx: &Tx, webhook: i64, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let events: Vec<i64> = tx.all(
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE webhook_id = ?1 LIMIT ?2) \
             RETURNING event_id",
        params![webhook, limit],
        |row| row.get(0),
    )?;
    let count = events.len();
    events::let_go(tx, events)?;
    Ok(count)
}

/// A webhook that was deleted and whose deliveries are still there.
pub fn of_no_webhook(tx: &Tx) -> Result<Option<i64>> {
    tx.maybe(
        "WITH RECURSIVE one (webhook) AS ( \
             SELECT min(webhook_id) FROM outbox WHERE webhook_id IS NOT NULL \
             UNION ALL SELECT (SELECT min(webhook_id) FROM outbox WHERE webhook_id > one.webhook) \
                 FROM one WHERE one.webhook IS NOT NULL) \
         SELECT webhook FROM one WHERE webhook IS NOT NULL \
             AND webhook NOT IN (SELECT id FROM webhooks) LIMIT 1",
        [],
        |row| row.get(0),
    )
}
