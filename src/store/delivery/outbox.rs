//! The outbox: messages wait here for their delivery, and their outcomes are kept for a while. Deliveries to webhooks
//! are in `deliveries`.

use rusqlite::{Row, params};
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::outbox::{
    ClaimedMessage, Delayed, Delivery, DeliveryFault, DeliveryStatus, MailLane, MessageKind, NewMessage,
};
use crate::model::user::OrganizationId;
use crate::store::db::tx::Tx;
use crate::store::delivery::events;

/// A claimed mail without a result counts as lost after this time, and is due again. Longer than an attempt and the
/// storing of its result.
const LOST_AFTER_SECS: i64 = 180;

/// The condition of mails of a kind to an address that are planned for later, by the index of the mail about accounts.
const PLANNED: &str = "status = 'pending' AND webhook_id IS NULL AND form_no IS NULL AND attempts = 0 \
    AND kind = ?1 AND target = ?2 AND next_attempt_at > ?3";

const DAY_SECS: i64 = 86_400;
const DAY_HOURS: i64 = 24;

/// Adds a message.
pub fn insert(tx: &Tx, message: &NewMessage) -> Result<()> {
    let about = message.about.as_ref();
    let (body, due) = message.sent.unzip();
    let (status, error) = match due {
        Some(_) => (DeliveryStatus::Pending, None),
        None => (DeliveryStatus::Failed, Some(DeliveryFault::HeldBack.name())),
    };
    tx.run(
        "INSERT INTO outbox (kind, form_no, serial, target, body, status, attempts, next_attempt_at, is_underway, \
             error, created_at, organization_id, sender, recipient, hour) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            message.kind.name(),
            about.map(|about| about.form_no),
            about.and_then(|about| about.serial),
            message.target,
            body,
            status.name(),
            due.map(Time::millis),
            error,
            tx.now.millis(),
            about.map(|about| about.organization.0),
            about.and_then(|about| about.sender),
            about.map(|about| about.recipient),
            about.and_then(|about| about.hour),
        ],
    )?;
    Ok(())
}

/// The mails to an address that were taken since a moment: about one form, or about all.
pub fn count_to(tx: &Tx, recipient: &str, form_no: Option<i64>, since: Time) -> Result<u32> {
    tx.one(
        "SELECT count(*) FROM outbox WHERE recipient = ?1 AND created_at > ?2 AND hour IS NOT NULL \
             AND (?3 IS NULL OR form_no = ?3)",
        params![recipient, since.millis(), form_no],
        |row| row.get(0),
    )
}

/// The mails about a form that are planned for an hour: those that one network caused, or all.
pub fn count_in_hour(tx: &Tx, form_no: i64, sender: Option<&str>, hour: i64) -> Result<u32> {
    tx.one(
        "SELECT count(*) FROM outbox WHERE form_no = ?1 AND hour = ?2 AND (?3 IS NULL OR sender = ?3)",
        params![form_no, hour, sender],
        |row| row.get(0),
    )
}

/// The mails about all forms of an organisation that are planned for the day (UTC) with this hour.
pub fn count_in_day(tx: &Tx, organization: OrganizationId, hour: i64) -> Result<u32> {
    let first = hour - hour.rem_euclid(DAY_HOURS);
    tx.one(
        "SELECT count(*) FROM outbox WHERE organization_id = ?1 AND hour BETWEEN ?2 AND ?3",
        params![organization.0, first, first + DAY_HOURS - 1],
        |row| row.get(0),
    )
}

/// True if mail of these kinds about an entry was taken since a moment, and not given up.
pub fn has_told(tx: &Tx, form_no: i64, serial: i64, kinds: &[MessageKind], since: Time) -> Result<bool> {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM outbox WHERE form_no = ?1 AND serial = ?2 AND created_at > ?3 AND status <> ?4 \
             AND kind IN (SELECT value FROM json_each(?5)))",
        params![form_no, serial, since.millis(), DeliveryStatus::Failed.name(), json!(kinds).to_string()],
        |row| row.get(0),
    )
}

/// The mail about a form that waits for its hour, and the mail held back since yesterday.
pub fn delayed(tx: &Tx, form_no: i64) -> Result<Delayed> {
    tx.one(
        "SELECT count(*) FILTER (WHERE status = 'pending' AND attempts = 0 AND next_attempt_at > ?2), \
             count(*) FILTER (WHERE error = ?3 AND created_at > ?4) FROM outbox WHERE form_no = ?1",
        params![form_no, tx.now.millis(), DeliveryFault::HeldBack.name(), tx.now.minus_secs(DAY_SECS).millis()],
        |row| Ok(Delayed { waiting: row.get(0)?, held_back: row.get(1)? }),
    )
}

/// Whether mail of the service itself to an address is planned for later.
pub fn is_planned(tx: &Tx, kind: MessageKind, target: &str) -> Result<bool> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM outbox WHERE {PLANNED})");
    tx.one(&sql, params![kind.name(), target, tx.now.millis()], |row| row.get(0))
}

/// Removes mail of the service itself to an address that is planned for later.
pub fn withdraw(tx: &Tx, kind: MessageKind, target: &str) -> Result<()> {
    tx.run(&format!("DELETE FROM outbox WHERE {PLANNED}"), params![kind.name(), target, tx.now.millis()])?;
    Ok(())
}

/// The condition of mails of a lane that are not settled, as its index has it.
fn unsettled(lane: MailLane) -> &'static str {
    match lane {
        MailLane::Accounts => "status = 'pending' AND webhook_id IS NULL AND form_no IS NULL",
        MailLane::Forms => "status = 'pending' AND webhook_id IS NULL AND form_no IS NOT NULL",
    }
}

/// Takes up to `limit` mails of a lane that are due, longest first. Each counts as attempted; one that is not settled is
/// due again after `LOST_AFTER_SECS`.
pub fn claim(tx: &Tx, lane: MailLane, limit: usize) -> Result<Vec<ClaimedMessage>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let lost_at = tx.now.plus_secs(LOST_AFTER_SECS);
    let rows: Vec<Option<ClaimedMessage>> = tx.all(
        &format!(
            "UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ?2, is_underway = 1 \
             WHERE id IN (SELECT id FROM outbox WHERE {} AND next_attempt_at <= ?1 \
             ORDER BY next_attempt_at, id LIMIT ?3) \
             RETURNING id, kind, target, body, attempts, created_at, form_no, serial",
            unsettled(lane)
        ),
        params![tx.now.millis(), lost_at.millis(), limit],
        |row| {
            let kind: String = row.get(1)?;
            let Some(kind) = MessageKind::by_name(&kind) else {
                return Ok(None);
            };
            Ok(Some(ClaimedMessage {
                id: row.get(0)?,
                kind,
                target: row.get(2)?,
                body: row.get::<_, Option<Vec<u8>>>(3)?.unwrap_or_default(),
                attempts: row.get(4)?,
                created_at: Time::from_millis(row.get(5)?),
                entry: row.get::<_, Option<i64>>(6)?.zip(row.get(7)?),
            }))
        },
    )?;
    Ok(rows.into_iter().flatten().collect())
}

/// When the next mail of a lane is due.
pub fn next_due(tx: &Tx, lane: MailLane) -> Result<Option<Time>> {
    let sql = format!("SELECT min(next_attempt_at) FROM outbox WHERE {}", unsettled(lane));
    let next = tx.one(&sql, [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(next.map(Time::from_millis))
}

/// The mails that wait, and the deliveries to webhooks that do. Each is read from its index.
pub fn waiting(tx: &Tx) -> Result<(u64, u64)> {
    let count = |condition: &str| {
        let sql = format!("SELECT count(*) FROM outbox WHERE {condition}");
        tx.one(&sql, [], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))
    };
    let mut mails = 0;
    for lane in MailLane::ALL {
        mails += count(unsettled(lane))?;
    }
    Ok((mails, count("status = 'pending' AND webhook_id IS NOT NULL")?))
}

/// Makes messages due at once that another process was sending when it ended.
pub fn release(tx: &Tx) -> Result<usize> {
    tx.run(
        // Not now: those to a webhook stay in their order, before the ones that came later.
        "UPDATE outbox SET next_attempt_at = created_at, is_underway = 0 WHERE is_underway = 1",
        [],
    )
}

/// Notes that a message was delivered. Its body goes.
pub fn delivered(tx: &Tx, id: i64) -> Result<()> {
    settle(tx, id, DeliveryStatus::Delivered, None)
}

/// Notes that a message is not tried again. Its body goes.
pub fn failed(tx: &Tx, id: i64, fault: DeliveryFault) -> Result<()> {
    settle(tx, id, DeliveryStatus::Failed, Some(fault))
}

fn settle(tx: &Tx, id: i64, status: DeliveryStatus, fault: Option<DeliveryFault>) -> Result<()> {
    tx.run(
        "UPDATE outbox SET status = ?2, error = ?3, next_attempt_at = NULL, is_underway = 0, body = NULL \
             WHERE id = ?1 AND status = 'pending'",
        params![id, status.name(), fault.map(DeliveryFault::name)],
    )?;
    Ok(())
}

/// Puts a message off after an attempt that failed.
pub fn put_off(tx: &Tx, id: i64, fault: DeliveryFault, until: Time) -> Result<()> {
    tx.run(
        "UPDATE outbox SET error = ?2, next_attempt_at = ?3, is_underway = 0 \
             WHERE id = ?1 AND status = 'pending'",
        params![id, fault.name(), until.millis()],
    )?;
    Ok(())
}

/// Up to `limit` messages about entries of a form with ids below `before`, latest first.
pub fn list(tx: &Tx, form_no: i64, before: i64, limit: usize) -> Result<Vec<Delivery>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows: Vec<Option<Delivery>> = tx.all(
        "SELECT id, kind, target, serial, status, attempts, error, created_at, next_attempt_at, is_underway FROM outbox \
             WHERE form_no = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
        params![form_no, before, limit],
        read,
    )?;
    rows.into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| Error::internal("a message of no known kind"))
}

fn read(row: &Row) -> rusqlite::Result<Option<Delivery>> {
    let (kind, status): (String, String) = (row.get(1)?, row.get(4)?);
    let (Some(kind), Some(status)) = (MessageKind::by_name(&kind), DeliveryStatus::by_name(&status)) else {
        return Ok(None);
    };
    let error: Option<String> = row.get(6)?;
    let next: Option<i64> = row.get(8)?;
    let next = next.map(Time::from_millis);
    let is_underway: bool = row.get(9)?;
    Ok(Some(Delivery {
        id: row.get(0)?,
        kind,
        target: row.get(2)?,
        serial: row.get(3)?,
        status,
        attempts: row.get(5)?,
        error: error.and_then(|error| DeliveryFault::by_name(&error)),
        created_at: Time::from_millis(row.get(7)?),
        // For a mail being sent: since when, not when it would count as lost.
        next_attempt_at: match is_underway {
            true => next.map(|lost_at| lost_at.minus_secs(LOST_AFTER_SECS)),
            false => next,
        },
    }))
}

/// The number of messages about entries of a form.
pub fn count(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one("SELECT count(*) FROM outbox WHERE form_no = ?1", [form_no], |row| row.get(0))
}

/// Removes the text of the messages about entries of a form that wait: it is written again when they are sent.
pub fn forget_texts(tx: &Tx, form_no: i64) -> Result<()> {
    tx.run(
        "UPDATE outbox INDEXED BY outbox_due SET body = NULL \
             WHERE form_no = ?1 AND serial IS NOT NULL AND status = 'pending' AND webhook_id IS NULL",
        [form_no],
    )?;
    Ok(())
}

/// Removes the messages about an entry that is removed for good.
pub fn remove_of(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    tx.run("DELETE FROM outbox WHERE form_no = ?1 AND serial = ?2", params![form_no, serial])?;
    Ok(())
}

/// Removes up to `limit` messages that are older than `moment`. Returns the number removed.
pub fn forget_old(tx: &Tx, moment: Time, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let removed: Vec<Option<i64>> = tx.all(
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE created_at < ?1 LIMIT ?2) \
             RETURNING event_id",
        params![moment.millis(), limit],
        |row| row.get(0),
    )?;
    let count = removed.len();
    events::let_go(tx, removed.into_iter().flatten())?;
    Ok(count)
}
