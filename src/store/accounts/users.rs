//! Users and organisations.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::base::text::{self, identity};
use crate::model::user::{
    Organization, OrganizationId, OrganizationRole, Plan, Preferences, User, UserId, folded_email,
};
use crate::store::accounts::password_resets;
use crate::store::db::rows::{internal, is_duplicate};
use crate::store::db::tx::Tx;

pub(in crate::store) const COLUMNS: &str = "u.id, u.token, u.role, u.email, u.name, u.locale, u.timezone, \
     u.disabled_at, u.created_at, o.id, o.token, o.name, o.plan, u.preferences";

/// Reads `COLUMNS`, starting at column `first`.
pub(in crate::store) fn read(row: &Row, first: usize) -> rusqlite::Result<User> {
    let role: String = row.get(first + 2)?;
    let plan: String = row.get(first + 12)?;
    Ok(User {
        id: UserId(row.get(first)?),
        token: row.get(first + 1)?,
        role: if role == "owner" { OrganizationRole::Owner } else { OrganizationRole::Member },
        email: row.get(first + 3)?,
        name: row.get(first + 4)?,
        locale: row.get(first + 5)?,
        timezone: row.get(first + 6)?,
        preferences: preferences(row.get_ref(first + 13)?.as_str_or_null()?),
        disabled_at: row.get::<_, Option<i64>>(first + 7)?.map(Time::from_millis),
        created_at: Time::from_millis(row.get(first + 8)?),
        organization: Organization {
            id: OrganizationId(row.get(first + 9)?),
            token: row.get(first + 10)?,
            name: row.get(first + 11)?,
            plan: Plan::by_name(&plan).unwrap_or(Plan::Free),
        },
    })
}

/// The defaults if none are stored, and for values that an older program does not know.
fn preferences(stored: Option<&str>) -> Preferences {
    let known = stored.and_then(|stored| serde_json::from_str(stored).ok());
    known.filter(|own: &Preferences| Preferences::ROWS.contains(&own.rows)).unwrap_or_default()
}

pub struct WithPassword {
    pub user: User,
    /// A PHC string, if a password is set.
    pub password_hash: Option<String>,
}

/// The user with this e-mail address, in whatever spelling. Where an account has another's address, since it is older
/// than that the two count as one, its own spelling leads to it.
pub fn by_email(tx: &Tx, email: &str) -> Result<Option<WithPassword>> {
    let Some(folded) = folded_email(email) else {
        return Ok(None);
    };
    tx.maybe(
        &format!(
            "SELECT {COLUMNS}, u.password_hash FROM users u JOIN organizations o \
             ON o.id = u.organization_id WHERE u.email_folded IN (?1, ?2) ORDER BY u.email_folded = ?2 DESC LIMIT 1"
        ),
        [folded, text::fold(email)],
        |row| Ok(WithPassword { user: read(row, 0)?, password_hash: row.get(14)? }),
    )
}

/// The addresses of accounts that are another's too.
pub fn doubled_emails(tx: &Tx) -> Result<Vec<String>> {
    let all: Vec<(String, String)> =
        tx.all("SELECT email, email_folded FROM users WHERE deleted_at IS NULL ORDER BY id", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let own = |(email, folded): (String, String)| (identity::of_email(&email) != folded).then_some(email);
    Ok(all.into_iter().filter_map(own).collect())
}

/// The user with this id; an internal error if there is none.
pub fn by_id(tx: &Tx, id: UserId) -> Result<User> {
    tx.one(
        &format!(
            "SELECT {COLUMNS} FROM users u JOIN organizations o ON o.id = u.organization_id \
             WHERE u.id = ?1"
        ),
        [id.0],
        |row| read(row, 0),
    )
}

pub fn by_token(tx: &Tx, token: &str) -> Result<Option<User>> {
    tx.maybe(
        &format!(
            "SELECT {COLUMNS} FROM users u JOIN organizations o ON o.id = u.organization_id \
             WHERE u.token = ?1 AND u.deleted_at IS NULL"
        ),
        [token],
        |row| read(row, 0),
    )
}

/// All users, oldest first.
pub fn all(tx: &Tx) -> Result<Vec<User>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM users u JOIN organizations o ON o.id = u.organization_id \
             WHERE u.deleted_at IS NULL ORDER BY u.id"
        ),
        [],
        |row| read(row, 0),
    )
}

/// Whether any user exists.
pub fn exist(tx: &Tx) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM users WHERE deleted_at IS NULL)", [], |row| row.get(0))
}

pub struct NewUser {
    /// The public id.
    pub token: String,
    pub organization: OrganizationId,
    pub role: OrganizationRole,
    /// As entered.
    pub email: String,
    pub name: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
    /// A PHC string.
    pub password_hash: Option<String>,
}

/// # Errors
/// 422 if the address is taken.
pub fn insert(tx: &Tx, user: &NewUser) -> Result<UserId> {
    tx.connection
        .execute(
            "INSERT INTO users (token, organization_id, role, email, email_folded, name, locale, \
             timezone, password_hash, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)",
            params![
                user.token,
                user.organization.0,
                user.role.name(),
                user.email,
                identity::of_email(&user.email),
                user.name,
                user.locale,
                user.timezone,
                user.password_hash,
                tx.now.millis(),
            ],
        )
        .map_err(|e| {
            if is_duplicate(&e, "users.email_folded") { Error::invalid("email", Reason::Taken) } else { internal(e) }
        })?;
    Ok(UserId(tx.connection.last_insert_rowid()))
}

/// Sets a password. A link to set another one ends.
pub fn set_password(tx: &Tx, user: UserId, hash: &str) -> Result<()> {
    password_resets::end(tx, user)?;
    tx.run(
        "UPDATE users SET password_hash = ?2, updated_at = ?3 WHERE id = ?1",
        params![user.0, hash, tx.now.millis()],
    )?;
    Ok(())
}

/// Disables an account. If it is disabled already, its time stays.
pub fn disable(tx: &Tx, user: UserId) -> Result<()> {
    tx.run(
        "UPDATE users SET disabled_at = coalesce(disabled_at, ?2), updated_at = ?2 WHERE id = ?1",
        params![user.0, tx.now.millis()],
    )?;
    Ok(())
}

pub fn enable(tx: &Tx, user: UserId) -> Result<()> {
    tx.run("UPDATE users SET disabled_at = NULL, updated_at = ?2 WHERE id = ?1", params![user.0, tx.now.millis()])?;
    Ok(())
}

/// Updates the profile.
pub fn update(tx: &Tx, user: UserId, name: &str, locale: &str, timezone: &str) -> Result<()> {
    tx.run(
        "UPDATE users SET name = ?2, locale = ?3, timezone = ?4, updated_at = ?5 WHERE id = ?1",
        params![user.0, name, locale, timezone, tx.now.millis()],
    )?;
    Ok(())
}

pub fn set_preferences(tx: &Tx, user: UserId, preferences: &Preferences) -> Result<()> {
    let stored = serde_json::to_string(preferences).map_err(Error::internal)?;
    tx.run(
        "UPDATE users SET preferences = ?2, updated_at = ?3 WHERE id = ?1",
        params![user.0, stored, tx.now.millis()],
    )?;
    Ok(())
}

pub fn set_role(tx: &Tx, user: UserId, role: OrganizationRole) -> Result<()> {
    tx.run("UPDATE users SET role = ?2, updated_at = ?3 WHERE id = ?1", params![user.0, role.name(), tx.now.millis()])?;
    Ok(())
}

/// Fate of a deleted account's forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnedForms {
    MoveToTrash,
    GiveTo(UserId),
}

/// Deletes an account with its address, password, sessions, tokens, folders and roles. The row stays, because other
/// rows refer to it.
pub fn delete(tx: &Tx, user: UserId, forms: OwnedForms) -> Result<()> {
    for sql in [
        "DELETE FROM sessions WHERE user_id = ?1",
        "DELETE FROM tokens WHERE user_id = ?1",
        "DELETE FROM second_factors WHERE user_id = ?1",
        "DELETE FROM recovery_codes WHERE user_id = ?1",
        "DELETE FROM password_resets WHERE user_id = ?1",
        "DELETE FROM placements WHERE user_id = ?1",
        "DELETE FROM saved_views WHERE user_id = ?1",
        "DELETE FROM folders WHERE user_id = ?1",
        "DELETE FROM collaborators WHERE user_id = ?1",
    ] {
        tx.run(sql, [user.0])?;
    }
    let now = tx.now.millis();
    match forms {
        OwnedForms::MoveToTrash => tx.run(
            "UPDATE forms SET deleted_at = ?2, version = version + 1 \
             WHERE owner_id = ?1 AND deleted_at IS NULL",
            params![user.0, now],
        )?,
        OwnedForms::GiveTo(heir) => {
            tx.run(
                "DELETE FROM collaborators WHERE user_id = ?2 \
                 AND form_no IN (SELECT form_no FROM forms WHERE owner_id = ?1)",
                params![user.0, heir.0],
            )?;
            tx.run(
                "UPDATE forms SET owner_id = ?2, version = version + 1 WHERE owner_id = ?1",
                params![user.0, heir.0],
            )?
        }
    };
    // No address begins with NUL.
    tx.run(
        "UPDATE users SET email = '', email_folded = char(0) || token, password_hash = NULL, \
             disabled_at = ifnull(disabled_at, ?2), deleted_at = ?2, updated_at = ?2 WHERE id = ?1",
        params![user.0, now],
    )?;
    Ok(())
}

/// The number of forms a user owns, except those in the trash.
pub fn count_forms(tx: &Tx, user: UserId) -> Result<i64> {
    tx.one("SELECT count(*) FROM forms WHERE owner_id = ?1 AND deleted_at IS NULL", [user.0], |row| row.get(0))
}
