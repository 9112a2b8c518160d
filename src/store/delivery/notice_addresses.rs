//! Addresses of notices that belong to no member: which were asked whether they want them, and which agreed.

use rusqlite::params;

use crate::base::error::Result;
use crate::model::user::OrganizationId;
use crate::store::db::tx::Tx;

/// Whether an address agreed to notices of an organisation. `None` if it was never asked.
pub fn has_confirmed(tx: &Tx, organization: OrganizationId, folded: &str) -> Result<Option<bool>> {
    tx.maybe(
        "SELECT confirmed_at IS NOT NULL FROM notice_addresses WHERE organization_id = ?1 AND email_folded = ?2",
        params![organization.0, folded],
        |row| row.get(0),
    )
}

/// Notes that an address was asked.
pub fn note_asked(tx: &Tx, organization: OrganizationId, folded: &str) -> Result<()> {
    tx.run(
        "INSERT INTO notice_addresses (organization_id, email_folded, asked_at) VALUES (?1, ?2, ?3)",
        params![organization.0, folded, tx.now.millis()],
    )?;
    Ok(())
}

/// Notes that an address agreed. Doing it twice is no error.
pub fn confirm(tx: &Tx, organization: OrganizationId, folded: &str) -> Result<()> {
    tx.run(
        "INSERT INTO notice_addresses (organization_id, email_folded, asked_at, confirmed_at) VALUES (?1, ?2, ?3, ?3) \
             ON CONFLICT (organization_id, email_folded) DO UPDATE SET confirmed_at = ifnull(confirmed_at, ?3)",
        params![organization.0, folded, tx.now.millis()],
    )?;
    Ok(())
}
