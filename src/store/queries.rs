//! Public queries: their rows, lists and counters.

use rusqlite::types::Type;
use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::QueryToken;
use crate::model::public_query::{Content, PublicQuery, Rules};
use crate::model::user::UserId;
use crate::store::db::tx::Tx;
use crate::store::files::images;

const COLUMNS: &str = "q.id, q.token, q.form_no, q.creator_id, q.version, q.name, q.description, \
     q.enabled, q.allow_to_export_results, q.rules, q.searches_count, q.views_count, \
     q.created_at, q.updated_at";

fn read(row: &Row) -> rusqlite::Result<PublicQuery> {
    let rules: Rules = serde_json::from_str(row.get_ref(9)?.as_str()?)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(9, Type::Text, Box::new(e)))?;
    Ok(PublicQuery {
        id: row.get(0)?,
        token: QueryToken::new(row.get::<_, String>(1)?),
        form_no: row.get(2)?,
        creator: row.get::<_, Option<i64>>(3)?.map(UserId),
        version: row.get(4)?,
        content: Content {
            name: row.get(5)?,
            description: row.get(6)?,
            enabled: row.get(7)?,
            allow_to_export_results: row.get(8)?,
            rules,
        },
        searches_count: row.get(10)?,
        views_count: row.get(11)?,
        created_at: Time::from_millis(row.get(12)?),
        updated_at: Time::from_millis(row.get(13)?),
    })
}

fn text(rules: &Rules) -> Result<String> {
    serde_json::to_string(rules).map_err(Error::internal)
}

pub fn by_token(tx: &Tx, token: &str) -> Result<Option<PublicQuery>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM public_queries q WHERE q.token = ?1"), [token], read)
}

/// The queries of a form, oldest first.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Vec<PublicQuery>> {
    tx.all(&format!("SELECT {COLUMNS} FROM public_queries q WHERE q.form_no = ?1 ORDER BY q.id"), [form_no], read)
}

/// The tokens and names of a form's queries, oldest first.
pub fn names(tx: &Tx, form_no: i64) -> Result<Vec<(QueryToken, String)>> {
    tx.all("SELECT token, name FROM public_queries WHERE form_no = ?1 ORDER BY id", [form_no], |row| {
        Ok((QueryToken::new(row.get::<_, String>(0)?), row.get(1)?))
    })
}

/// Marks that change whenever a query of the form is created, changed or deleted.
pub fn marks(tx: &Tx, form_no: i64) -> Result<Marks> {
    tx.one(
        "SELECT count(*), ifnull(max(id), 0), ifnull(sum(version), 0) FROM public_queries WHERE form_no = ?1",
        [form_no],
        |row| Ok(Marks(row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// How many queries a form has, the latest, and all their versions added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks(i64, i64, i64);

/// The numbers and versions of live forms that have queries, or keys that queries needed, with their queries' marks.
pub fn forms(tx: &Tx, searched: u32) -> Result<Vec<(i64, i64, Marks)>> {
    tx.all(
        "SELECT f.form_no, f.version, count(q.id), ifnull(max(q.id), 0), ifnull(sum(q.version), 0) \
         FROM forms f LEFT JOIN public_queries q USING (form_no) \
         WHERE f.deleted_at IS NULL AND (f.form_no IN (SELECT form_no FROM public_queries) \
             OR f.form_no IN (SELECT form_no FROM key_fields WHERE field >= ?1)) \
         GROUP BY f.form_no",
        [searched],
        |row| {
            let marks = Marks(row.get(2)?, row.get(3)?, row.get(4)?);
            Ok((row.get(0)?, row.get(1)?, marks))
        },
    )
}

/// The queries that a user manages: those of forms that they own or manage, also in the trash, and those they made for
/// forms that are gone for good.
const MANAGED: &str = "(q.form_no IN (SELECT form_no FROM forms WHERE owner_id = ?1 \
     UNION SELECT form_no FROM collaborators WHERE user_id = ?1 AND role = 'manager') \
     OR (q.form_no IS NULL AND q.creator_id = ?1)) AND (?2 IS NULL OR q.form_no = ?2)";

/// Up to `limit` queries that a user manages, of all forms or of one, latest first, below the id `before`.
pub fn managed(
    tx: &Tx,
    user: UserId,
    form_no: Option<i64>,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<PublicQuery>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM public_queries q WHERE {MANAGED} AND q.id < ?3 \
             ORDER BY q.id DESC LIMIT ?4"
        ),
        params![user.0, form_no, before.unwrap_or(i64::MAX), limit],
        read,
    )
}

/// How many there are.
pub fn count_managed(tx: &Tx, user: UserId, form_no: Option<i64>) -> Result<i64> {
    tx.one(&format!("SELECT count(*) FROM public_queries q WHERE {MANAGED}"), params![user.0, form_no], |row| {
        row.get(0)
    })
}

/// Adds a query of a form.
pub fn insert(tx: &Tx, token: &QueryToken, form_no: i64, creator: UserId, content: &Content) -> Result<()> {
    let image = content.rules.background_image.as_ref().map(|it| &it.id);
    tx.run(
        "INSERT INTO public_queries (token, form_no, creator_id, version, name, description, enabled, \
             allow_to_export_results, rules, image, created_at, updated_at) \
         VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)",
        params![
            token.as_str(),
            form_no,
            creator.0,
            content.name,
            content.description,
            content.enabled,
            content.allow_to_export_results,
            text(&content.rules)?,
            image,
            tx.now.millis(),
        ],
    )?;
    Ok(())
}

/// Changes a query that still has this version.
///
/// # Errors
/// `Stale` if it has another, or is gone.
pub fn update(tx: &Tx, id: i64, version: i64, content: &Content) -> Result<()> {
    let image = content.rules.background_image.as_ref().map(|it| &it.id);
    let changed = tx.run(
        "UPDATE public_queries SET version = version + 1, name = ?3, description = ?4, enabled = ?5, \
             allow_to_export_results = ?6, rules = ?7, image = ?8, updated_at = ?9 \
         WHERE id = ?1 AND version = ?2",
        params![
            id,
            version,
            content.name,
            content.description,
            content.enabled,
            content.allow_to_export_results,
            text(&content.rules)?,
            image,
            tx.now.millis(),
        ],
    )?;
    images::note_idle(tx)?;
    if changed == 1 { Ok(()) } else { Err(Error::Stale) }
}

pub fn delete(tx: &Tx, id: i64) -> Result<()> {
    tx.run("DELETE FROM public_queries WHERE id = ?1", [id])?;
    images::note_idle(tx)
}

/// Adds to the counters.
pub fn count_up(tx: &Tx, id: i64, views: i64, searches: i64) -> Result<()> {
    tx.run(
        "UPDATE public_queries SET views_count = views_count + ?2, searches_count = searches_count + ?3 \
             WHERE id = ?1",
        params![id, views, searches],
    )?;
    Ok(())
}

/// Whether a query shows this image in its header.
pub fn shows_image(tx: &Tx, image: &str) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM public_queries WHERE image = ?1)", [image], |row| row.get(0))
}
