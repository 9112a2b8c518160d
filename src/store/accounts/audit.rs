//! The audit log. Rows are only added and read; triggers in the database refuse changes.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::audit::{Action, Actor, AuditEvent, Holder, Via};
use crate::model::user::{OrganizationId, UserId};
use crate::store::db::tx::Tx;

/// The second thing that an event refers to, beside its subject.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    Nothing,
    /// The token of a form.
    Form(&'a str),
    /// The user who holds the access token.
    Holder(UserId),
}

pub fn insert(
    tx: &Tx,
    organization: OrganizationId,
    actor: Option<UserId>,
    via: Via,
    action: Action,
    subject: &str,
    about: About,
) -> Result<()> {
    let (holder, form_token) = match about {
        About::Nothing => (None, None),
        About::Form(token) => (None, Some(token)),
        About::Holder(user) => (Some(user.0), None),
    };
    tx.run(
        "INSERT INTO audit_events (organization_id, created_at, actor_id, via, action, subject, \
             holder_id, form_token) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            organization.0,
            tx.now.millis(),
            actor.map(|user| user.0),
            via.name(),
            action.name(),
            subject,
            holder,
            form_token
        ],
    )?;
    Ok(())
}

/// Selects events.
#[derive(Clone, Debug)]
pub struct AuditFilter {
    pub organization: OrganizationId,
    pub form_token: Option<String>,
    pub action: Option<Action>,
}

const MATCHES: &str = "e.organization_id = ?1 AND (?2 IS NULL OR e.form_token = ?2) \
     AND (?3 IS NULL OR e.action = ?3)";

/// Up to `limit` events with ids below `before`, latest first.
pub fn list(tx: &Tx, filter: &AuditFilter, before: i64, limit: usize) -> Result<Vec<AuditEvent>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let params = params![filter.organization.0, filter.form_token, filter.action.map(Action::name), before, limit];
    let rows: Vec<Option<AuditEvent>> = tx.all(
        &format!(
            "SELECT e.id, e.created_at, e.via, e.action, e.subject, e.form_token, a.token, a.name, \
             a.email, s.name, f.name, h.token, h.name FROM audit_events e \
             LEFT JOIN users a ON a.id = e.actor_id LEFT JOIN users h ON h.id = e.holder_id \
             LEFT JOIN users s ON s.token = e.subject LEFT JOIN forms f ON f.token = e.form_token \
             WHERE {MATCHES} AND e.id < ?4 ORDER BY e.id DESC LIMIT ?5"
        ),
        params,
        read,
    )?;
    rows.into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| Error::internal("an audit event of no known kind"))
}

/// `None` if the row has a channel or an action that this version does not know.
fn read(row: &Row) -> rusqlite::Result<Option<AuditEvent>> {
    let (via, action): (String, String) = (row.get(2)?, row.get(3)?);
    let (Some(via), Some(action)) = (Via::by_name(&via), Action::by_name(&action)) else {
        return Ok(None);
    };
    let actor = match row.get::<_, Option<String>>(6)? {
        Some(token) => Some(Actor { token, name: row.get(7)?, email: row.get(8)? }),
        None => None,
    };
    let holder = match row.get::<_, Option<String>>(11)? {
        Some(token) => Some(Holder { token, name: row.get(12)? }),
        None => None,
    };
    Ok(Some(AuditEvent {
        holder,
        id: row.get(0)?,
        created_at: Time::from_millis(row.get(1)?),
        actor,
        via,
        action,
        subject: row.get(4)?,
        form_token: row.get(5)?,
        subject_name: row.get(9)?,
        form_name: row.get(10)?,
    }))
}

/// The number of selected events.
pub fn count(tx: &Tx, filter: &AuditFilter) -> Result<i64> {
    let params = params![filter.organization.0, filter.form_token, filter.action.map(Action::name)];
    tx.one(&format!("SELECT count(*) FROM audit_events e WHERE {MATCHES}"), params, |row| row.get(0))
}
