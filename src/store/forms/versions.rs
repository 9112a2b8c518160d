//! Versions of forms.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::model::audit::Actor;
use crate::model::form_version::{FormChange, FormContent, FormVersion, Origin};
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

/// How many versions of a form are kept.
const MOST: i64 = 200;
/// Larger bodies are packed.
const LARGE: usize = 8 << 10;
const LEVEL: i32 = 3;

/// The current content of a form.
pub fn content(tx: &Tx, form_no: i64) -> Result<FormContent> {
    let sql = "SELECT name, description, fields, field_rules, theme FROM forms WHERE form_no = ?1";
    let (name, description, texts): (String, Option<String>, [String; 3]) =
        tx.one(sql, [form_no], |row| Ok((row.get(0)?, row.get(1)?, [row.get(2)?, row.get(3)?, row.get(4)?])))?;
    let [mut definition, field_rules, theme] = texts.map(|text| serde_json::from_str::<Json>(&text));
    let fields = match &mut definition {
        Ok(definition) => definition.get_mut("fields").map(Json::take).unwrap_or_default(),
        Err(_) => Json::Null,
    };
    definition.map_err(Error::internal)?;
    let (field_rules, theme) = (field_rules.map_err(Error::internal)?, theme.map_err(Error::internal)?);
    Ok(FormContent { name, description, fields, field_rules, theme })
}

/// A version before it has a number.
pub struct NewVersion<'a> {
    pub created_at: Time,
    pub origin: Origin,
    pub user: Option<UserId>,
    pub name: Option<&'a str>,
    pub changes: &'a [FormChange],
    pub content: &'a FormContent,
}

/// Adds a version and deletes the oldest one if there are too many.
pub fn add(tx: &Tx, form_no: i64, version: &NewVersion) -> Result<()> {
    let body = serde_json::to_vec(version.content).map_err(Error::internal)?;
    let is_packed = body.len() > LARGE;
    let body = if is_packed { zstd::encode_all(body.as_slice(), LEVEL).map_err(Error::internal)? } else { body };
    let number = latest(tx, form_no)? + 1;
    tx.run(
        "INSERT INTO form_versions (form_no, version, created_at, user_id, origin, name, changes, is_packed, body) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            form_no,
            number,
            version.created_at.millis(),
            version.user.map(|user| user.0),
            version.origin.name(),
            version.name,
            serde_json::to_string(version.changes).map_err(Error::internal)?,
            is_packed,
            body,
        ],
    )?;
    tx.run("DELETE FROM form_versions WHERE form_no = ?1 AND version <= ?2", params![form_no, number - MOST])?;
    Ok(())
}

/// The number of a form's latest version; 0 without any.
pub fn latest(tx: &Tx, form_no: i64) -> Result<i64> {
    let sql = "SELECT ifnull(max(version), 0) FROM form_versions WHERE form_no = ?1";
    tx.one(sql, [form_no], |row| row.get(0))
}

const COLUMNS: &str = "v.version, v.created_at, v.origin, v.name, v.changes, u.token, u.name, u.email";
const FROM: &str = "FROM form_versions v LEFT JOIN users u ON u.id = v.user_id";

/// Up to `limit` versions with numbers below `before`, latest first.
pub fn list(tx: &Tx, form_no: i64, before: i64, limit: usize) -> Result<Vec<FormVersion>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows: Vec<Stored> = tx.all(
        &format!("SELECT {COLUMNS} {FROM} WHERE v.form_no = ?1 AND v.version < ?2 ORDER BY v.version DESC LIMIT ?3"),
        params![form_no, before, limit],
        read,
    )?;
    rows.into_iter().map(version).collect()
}

/// The number of versions that are kept.
pub fn count(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one("SELECT count(*) FROM form_versions WHERE form_no = ?1", [form_no], |row| row.get(0))
}

/// A version with the form's content; `None` if it is not kept.
pub fn load(tx: &Tx, form_no: i64, number: i64) -> Result<Option<(FormVersion, FormContent)>> {
    let found = tx.maybe(
        &format!("SELECT {COLUMNS}, v.is_packed, v.body {FROM} WHERE v.form_no = ?1 AND v.version = ?2"),
        params![form_no, number],
        |row| Ok((read(row)?, row.get::<_, bool>(8)?, row.get::<_, Vec<u8>>(9)?)),
    )?;
    let Some((stored, is_packed, body)) = found else {
        return Ok(None);
    };
    let body = if is_packed { zstd::decode_all(body.as_slice()).map_err(Error::internal)? } else { body };
    Ok(Some((version(stored)?, serde_json::from_slice(&body).map_err(Error::internal)?)))
}

struct Stored {
    number: i64,
    created_at: i64,
    origin: String,
    name: Option<String>,
    changes: String,
    user: Option<Actor>,
}

fn read(row: &Row) -> rusqlite::Result<Stored> {
    let user = match row.get::<_, Option<String>>(5)? {
        Some(token) => Some(Actor { token, name: row.get(6)?, email: row.get(7)? }),
        None => None,
    };
    Ok(Stored {
        number: row.get(0)?,
        created_at: row.get(1)?,
        origin: row.get(2)?,
        name: row.get(3)?,
        changes: row.get(4)?,
        user,
    })
}

fn version(stored: Stored) -> Result<FormVersion> {
    let Stored { number, created_at, origin, name, changes, user } = stored;
    let origin = Origin::by_name(&origin).ok_or_else(|| Error::internal("a version of no known origin"))?;
    let changes = serde_json::from_str(&changes).map_err(Error::internal)?;
    Ok(FormVersion { number, created_at: Time::from_millis(created_at), origin, user, name, changes })
}
