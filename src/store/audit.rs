//! The audit log: rows are added and read, and nothing else; the database itself refuses the rest.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::audit::{Action, Actor, AuditEvent, Holder, Via};
use crate::model::user::{OrganizationId, UserId};
use crate::store::tx::Tx;

/// What an event is about, beside its subject.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// Nothing else.
    Nothing,
    /// This form.
    Form(&'a str),
    /// Somebody whose token it is.
    Holder(UserId),
}

/// Adds an event.
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

/// Which events are asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Whose.
    pub organization: OrganizationId,
    /// Those about this form alone.
    pub form_token: Option<String>,
    /// Those alone that are called so.
    pub action: Option<Action>,
}

const MATCHES: &str = "e.organization_id = ?1 AND (?2 IS NULL OR e.form_token = ?2) \
     AND (?3 IS NULL OR e.action = ?3)";

/// Events before a number, the latest first, at most `limit`.
pub fn list(tx: &Tx, filter: &Filter, before: i64, limit: usize) -> Result<Vec<AuditEvent>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let asked = params![
        filter.organization.0,
        filter.form_token,
        filter.action.map(Action::name),
        before,
        limit
    ];
    let rows: Vec<Option<AuditEvent>> = tx.all(
        &format!(
            "SELECT e.id, e.created_at, e.via, e.action, e.subject, e.form_token, a.token, a.name, \
             a.email, s.name, f.name, h.token, h.name FROM audit_events e \
             LEFT JOIN users a ON a.id = e.actor_id LEFT JOIN users h ON h.id = e.holder_id \
             LEFT JOIN users s ON s.token = e.subject LEFT JOIN forms f ON f.token = e.form_token \
             WHERE {MATCHES} AND e.id < ?4 ORDER BY e.id DESC LIMIT ?5"
        ),
        asked,
        read,
    )?;
    rows.into_iter()
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Error::internal("an audit event of no known kind"))
}

/// None where the row holds a word that this program does not know.
fn read(row: &Row) -> rusqlite::Result<Option<AuditEvent>> {
    let (via, action): (String, String) = (row.get(2)?, row.get(3)?);
    let (Some(via), Some(action)) = (Via::by_name(&via), Action::by_name(&action)) else {
        return Ok(None);
    };
    let actor = match row.get::<_, Option<String>>(6)? {
        Some(token) => Some(Actor {
            token,
            name: row.get(7)?,
            email: row.get(8)?,
        }),
        None => None,
    };
    let holder = match row.get::<_, Option<String>>(11)? {
        Some(token) => Some(Holder {
            token,
            name: row.get(12)?,
        }),
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

/// How many events a list has.
pub fn count(tx: &Tx, filter: &Filter) -> Result<i64> {
    let asked = params![
        filter.organization.0,
        filter.form_token,
        filter.action.map(Action::name)
    ];
    tx.one(
        &format!("SELECT count(*) FROM audit_events e WHERE {MATCHES}"),
        asked,
        |row| row.get(0),
    )
}
