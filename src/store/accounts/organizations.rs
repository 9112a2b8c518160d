//! Organisations and their plans.

use std::sync::{Arc, LazyLock};

use rusqlite::{Row, params};

use crate::base::error::Result;
use crate::model::user::{Logo, Organization, OrganizationId, OrganizationSettings, Plan, User, UserId};
use crate::store::accounts::users;
use crate::store::db::tx::Tx;
use crate::store::files::images;

const COLUMNS: &str = "o.id, o.token, o.name, o.plan";

fn read(row: &Row) -> rusqlite::Result<Organization> {
    let plan: String = row.get(3)?;
    Ok(Organization {
        id: OrganizationId(row.get(0)?),
        token: row.get(1)?,
        name: row.get(2)?,
        plan: Plan::by_name(&plan).unwrap_or(Plan::Free),
    })
}

/// The oldest organisation, or the oldest with this name.
pub fn find(tx: &Tx, name: Option<&str>) -> Result<Option<OrganizationId>> {
    tx.maybe("SELECT id FROM organizations WHERE ?1 IS NULL OR name = ?1 ORDER BY id LIMIT 1", [name], |row| {
        row.get(0).map(OrganizationId)
    })
}

/// The organisation with this public id, or else the oldest with this name.
pub fn by_token_or_name(tx: &Tx, name: &str) -> Result<Option<Organization>> {
    tx.maybe(
        &format!(
            "SELECT {COLUMNS} FROM organizations o WHERE o.token = ?1 OR o.name = ?1 \
                 ORDER BY o.token <> ?1, o.id LIMIT 1"
        ),
        [name],
        read,
    )
}

/// All organisations, oldest first, each with its number of users.
pub fn all(tx: &Tx) -> Result<Vec<(Organization, i64)>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS}, (SELECT count(*) FROM users u WHERE u.organization_id = o.id \
             AND u.deleted_at IS NULL) FROM organizations o ORDER BY o.id"
        ),
        [],
        |row| Ok((read(row)?, row.get(4)?)),
    )
}

/// The users of an organisation, by name, except deleted ones.
pub fn users(tx: &Tx, organization: OrganizationId) -> Result<Vec<User>> {
    tx.all(
        &format!(
            "SELECT {} FROM users u JOIN organizations o ON o.id = u.organization_id \
             WHERE u.organization_id = ?1 AND u.deleted_at IS NULL ORDER BY u.name, u.id",
            users::COLUMNS
        ),
        [organization.0],
        |row| users::read(row, 0),
    )
}

/// Up to `limit` of them in the order of user ids, starting after user id `after`.
pub fn users_after(tx: &Tx, organization: OrganizationId, after: i64, limit: usize) -> Result<Vec<User>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        &format!(
            "SELECT {} FROM users u JOIN organizations o ON o.id = u.organization_id \
             WHERE u.organization_id = ?1 AND u.deleted_at IS NULL AND u.id > ?2 ORDER BY u.id LIMIT ?3",
            users::COLUMNS
        ),
        params![organization.0, after, limit],
        |row| users::read(row, 0),
    )
}

pub fn count_users(tx: &Tx, organization: OrganizationId) -> Result<i64> {
    tx.one("SELECT count(*) FROM users WHERE organization_id = ?1 AND deleted_at IS NULL", [organization.0], |row| {
        row.get(0)
    })
}

/// Adds an organisation. Pages of forms show its name if it was chosen on purpose.
pub fn insert(tx: &Tx, token: &str, name: &str, is_name_chosen: bool) -> Result<OrganizationId> {
    tx.run(
        "INSERT INTO organizations (token, name, is_name_shown, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![token, name, is_name_chosen, tx.now.millis()],
    )?;
    Ok(OrganizationId(tx.connection.last_insert_rowid()))
}

const SETTINGS: &str = "o.id, o.token, o.name, o.is_name_shown, o.color, o.show_powered_by, o.version, \
     i.token, i.width, i.height";

fn read_settings(row: &Row) -> rusqlite::Result<OrganizationSettings> {
    let logo = match row.get::<_, Option<String>>(7)? {
        Some(image) => Some(Logo { image, size: (row.get(8)?, row.get(9)?) }),
        None => None,
    };
    Ok(OrganizationSettings {
        id: OrganizationId(row.get(0)?),
        token: row.get(1)?,
        name: row.get(2)?,
        is_name_shown: row.get(3)?,
        logo,
        color: row.get(4)?,
        show_powered_by: row.get(5)?,
        version: row.get(6)?,
    })
}

pub fn settings(tx: &Tx, organization: OrganizationId) -> Result<OrganizationSettings> {
    tx.one(
        &format!("SELECT {SETTINGS} FROM organizations o LEFT JOIN images i ON i.token = o.logo WHERE o.id = ?1"),
        [organization.0],
        read_settings,
    )
}

/// The settings of the organisation that a form's owner belongs to.
pub fn settings_of_owner(tx: &Tx, owner: UserId) -> Result<Arc<OrganizationSettings>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {SETTINGS} FROM users u JOIN organizations o ON o.id = u.organization_id \
             LEFT JOIN images i ON i.token = o.logo WHERE u.id = ?1"
        )
    });
    let load = || tx.one(&SQL, [owner.0], |row| read_settings(row).map(Arc::new));
    match tx.cache() {
        Some(cache) => cache.organization_of(owner, load),
        None => load(),
    }
}

/// Stores new settings: all but the id and the version, which is incremented.
pub fn set_settings(tx: &Tx, set: &OrganizationSettings) -> Result<()> {
    tx.run(
        "UPDATE organizations SET name = ?2, is_name_shown = ?3, color = ?4, show_powered_by = ?5, logo = ?6, \
             version = version + 1 WHERE id = ?1",
        params![
            set.id.0,
            set.name,
            set.is_name_shown,
            set.color,
            set.show_powered_by,
            set.logo.as_ref().map(|logo| &logo.image),
        ],
    )?;
    images::note_idle(tx)
}

pub fn set_plan(tx: &Tx, organization: OrganizationId, plan: Plan) -> Result<()> {
    tx.run("UPDATE organizations SET plan = ?2 WHERE id = ?1", params![organization.0, plan.name()])?;
    Ok(())
}

/// Whether an organisation has no users left.
pub fn is_empty(tx: &Tx, organization: OrganizationId) -> Result<bool> {
    tx.one(
        "SELECT NOT EXISTS (SELECT 1 FROM users WHERE organization_id = ?1 \
             AND deleted_at IS NULL)",
        [organization.0],
        |row| row.get(0),
    )
}

/// Whether an organisation has another owner who can sign in.
pub fn has_other_owner(tx: &Tx, organization: OrganizationId, user: UserId) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM users WHERE organization_id = ?1 AND id <> ?2 \
             AND role = 'owner' AND disabled_at IS NULL AND deleted_at IS NULL)",
        params![organization.0, user.0],
        |row| row.get(0),
    )
}
