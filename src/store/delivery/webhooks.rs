//! Webhooks: their rows and secrets.

use std::sync::LazyLock;

use rusqlite::types::Type;
use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::WebhookToken;
use crate::model::event::EventKind;
use crate::model::webhook::{Webhook, WebhookContent, WebhookSecrets};
use crate::store::db::tx::Tx;
use crate::store::entries::entry_changes;

const COLUMNS: &str = "id, token, form_no, version, url, trigger_events, enabled, created_at, updated_at";

fn read(row: &Row) -> rusqlite::Result<Webhook> {
    Ok(Webhook {
        id: row.get(0)?,
        token: WebhookToken::new(row.get::<_, String>(1)?),
        form_no: row.get(2)?,
        version: row.get(3)?,
        content: WebhookContent { url: row.get(4)?, trigger_events: kinds(row, 5)?, enabled: row.get(6)? },
        created_at: Time::from_millis(row.get(7)?),
        updated_at: Time::from_millis(row.get(8)?),
    })
}

/// The kinds of events in a column.
fn kinds(row: &Row, at: usize) -> rusqlite::Result<Vec<EventKind>> {
    let names: Vec<String> = serde_json::from_str(row.get_ref(at)?.as_str()?)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(e)))?;
    Ok(names.iter().filter_map(|name| EventKind::by_name(name)).collect())
}

fn text(kinds: &[EventKind]) -> Result<String> {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    serde_json::to_string(&names).map_err(Error::internal)
}

/// A webhook of a form.
pub fn by_token(tx: &Tx, form_no: i64, token: &str) -> Result<Option<Webhook>> {
    tx.maybe(
        &format!("SELECT {COLUMNS} FROM webhooks WHERE token = ?1 AND form_no = ?2"),
        params![token, form_no],
        read,
    )
}

/// A webhook by its row id.
pub fn by_id(tx: &Tx, id: i64) -> Result<Option<Webhook>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM webhooks WHERE id = ?1"), [id], read)
}

/// Up to `limit` webhooks of a form with ids below `before`, latest first.
pub fn list(tx: &Tx, form_no: i64, before: i64, limit: usize) -> Result<Vec<Webhook>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM webhooks WHERE form_no = ?1 AND id < ?2 \
             ORDER BY id DESC LIMIT ?3"
        ),
        params![form_no, before, limit],
        read,
    )
}

/// The enabled webhooks of a form, oldest first.
pub(in crate::store) fn enabled(tx: &Tx, form_no: i64) -> Result<Vec<Webhook>> {
    static SQL: LazyLock<String> =
        LazyLock::new(|| format!("SELECT {COLUMNS} FROM webhooks WHERE form_no = ?1 AND enabled ORDER BY id"));
    tx.all(&SQL, [form_no], read)
}

/// The number of webhooks of a form.
pub fn count(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one("SELECT count(*) FROM webhooks WHERE form_no = ?1", [form_no], |row| row.get(0))
}

/// The secrets that deliveries are signed with now, sealed.
pub fn secrets(tx: &Tx, id: i64) -> Result<Option<WebhookSecrets>> {
    tx.maybe(
        "SELECT secret, iif(old_secret_until > ?2, old_secret, NULL) FROM webhooks WHERE id = ?1",
        params![id, tx.now.millis()],
        |row| Ok(WebhookSecrets { current: row.get(0)?, old: row.get(1)? }),
    )
}

/// Adds a webhook.
pub fn insert(tx: &Tx, form_no: i64, token: &WebhookToken, content: &WebhookContent, secret: &[u8]) -> Result<()> {
    tx.run(
        "INSERT INTO webhooks (token, form_no, version, url, trigger_events, enabled, secret, \
             created_at, updated_at) VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?7)",
        params![
            token.as_str(),
            form_no,
            content.url,
            text(&content.trigger_events)?,
            content.enabled,
            secret,
            tx.now.millis(),
        ],
    )?;
    entry_changes::forget_audience(tx, form_no);
    Ok(())
}

/// Changes a webhook.
pub fn update(tx: &Tx, webhook: &Webhook, content: &WebhookContent) -> Result<()> {
    tx.run(
        "UPDATE webhooks SET version = version + 1, url = ?2, trigger_events = ?3, enabled = ?4, \
             updated_at = ?5 WHERE id = ?1",
        params![webhook.id, content.url, text(&content.trigger_events)?, content.enabled, tx.now.millis(),],
    )?;
    entry_changes::forget_audience(tx, webhook.form_no);
    Ok(())
}

/// Replaces the secret. The old one signs too until then.
pub fn rotate(tx: &Tx, id: i64, secret: &[u8], until: Time) -> Result<()> {
    tx.run(
        "UPDATE webhooks SET version = version + 1, old_secret = secret, old_secret_until = ?3, \
             secret = ?2, updated_at = ?4 WHERE id = ?1",
        params![id, secret, until.millis(), tx.now.millis()],
    )?;
    Ok(())
}

/// Deletes a webhook. Its deliveries are removed by `store::delivery::event_deliveries::remove_some`; until then
/// nothing sends them.
pub fn delete(tx: &Tx, webhook: &Webhook) -> Result<()> {
    tx.run("DELETE FROM webhooks WHERE id = ?1", [webhook.id])?;
    entry_changes::forget_audience(tx, webhook.form_no);
    Ok(())
}
