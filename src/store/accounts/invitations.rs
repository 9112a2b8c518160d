//! Invitations into an organisation. Only hashes are stored, and each works once (S93).

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::{OrganizationId, OrganizationRole, User, UserId};
use crate::store::db::tx::Tx;

#[derive(Clone, Debug)]
pub struct Invitation {
    pub id: i64,
    pub organization: OrganizationId,
    pub organization_name: String,
    pub inviter: UserId,
    /// The role of the invited user.
    pub role: OrganizationRole,
    /// To whom it was mailed, if it was.
    pub email: Option<String>,
    pub expires_at: Time,
}

// An invitation works only while its inviter is an owner of the organisation.
const LIVE: &str = "SELECT i.id, i.organization_id, o.name, i.inviter_id, i.role, i.expires_at, i.email \
     FROM invitations i JOIN organizations o ON o.id = i.organization_id \
     JOIN users u ON u.id = i.inviter_id AND u.organization_id = i.organization_id \
     AND u.role = 'owner' AND u.disabled_at IS NULL AND u.deleted_at IS NULL \
     WHERE i.expires_at > ?1";

fn read(row: &Row) -> rusqlite::Result<Invitation> {
    let role: String = row.get(4)?;
    Ok(Invitation {
        id: row.get(0)?,
        organization: OrganizationId(row.get(1)?),
        organization_name: row.get(2)?,
        inviter: UserId(row.get(3)?),
        role: OrganizationRole::by_name(&role).unwrap_or(OrganizationRole::Member),
        expires_at: Time::from_millis(row.get(5)?),
        email: row.get(6)?,
    })
}

/// The invitation with this hash, if it still works.
pub fn live(tx: &Tx, hash: &[u8; 32]) -> Result<Option<Invitation>> {
    tx.maybe(&format!("{LIVE} AND i.hash = ?2"), params![tx.now.millis(), hash], read)
}

/// The invitations of an organisation that still work, newest first.
pub fn list(tx: &Tx, organization: OrganizationId) -> Result<Vec<Invitation>> {
    tx.all(
        &format!("{LIVE} AND i.organization_id = ?2 ORDER BY i.id DESC"),
        params![tx.now.millis(), organization.0],
        read,
    )
}

/// Adds an invitation into the inviter's organisation and returns its id.
pub fn insert(
    tx: &Tx,
    hash: &[u8; 32],
    (inviter, email): (&User, Option<&str>),
    role: OrganizationRole,
    expires_at: Time,
) -> Result<i64> {
    tx.run(
        "INSERT INTO invitations (hash, organization_id, inviter_id, role, created_at, \
             expires_at, email) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            hash,
            inviter.organization.id.0,
            inviter.id.0,
            role.name(),
            tx.now.millis(),
            expires_at.millis(),
            email
        ],
    )?;
    Ok(tx.connection.last_insert_rowid())
}

/// Deletes an invitation of an organisation. False if there is none.
pub fn remove(tx: &Tx, organization: OrganizationId, id: i64) -> Result<bool> {
    tx.run("DELETE FROM invitations WHERE id = ?1 AND organization_id = ?2", params![id, organization.0])
        .map(|removed| removed > 0)
}

/// Deletes expired invitations. Returns the number deleted.
pub fn forget_old(tx: &Tx) -> Result<usize> {
    tx.run("DELETE FROM invitations WHERE expires_at <= ?1", [tx.now.millis()])
}
