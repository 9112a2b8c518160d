//! Drafts of forms, and the steps back and forth.

use std::collections::HashMap;

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::model::draft::parts::{DraftPart, PartName};
use crate::model::draft::{Draft, DraftQuestion, DraftStep, StepState};
use crate::model::user::UserId;
use crate::store::db::tx::Tx;
use crate::store::files::images;

/// The theme of a draft among the parts that refer to images.
const THEME_USES: &str = "draft_theme";

/// The draft of a form; `None` where nothing was changed since it was published.
pub fn load(tx: &Tx, form_no: i64) -> Result<Option<Draft>> {
    let head = tx.maybe("SELECT version, next_field, places FROM drafts WHERE form_no = ?1", [form_no], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?, row.get::<_, String>(2)?))
    })?;
    let Some((version, next_field, places)) = head else {
        return Ok(None);
    };
    let rows: Vec<(String, i64, Option<String>, Option<String>)> =
        tx.all("SELECT code, version, body, base FROM draft_fields WHERE form_no = ?1", [form_no], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    let mut by_code = HashMap::new();
    for (code, version, body, base) in rows {
        let (body, base) = (body.as_deref().map(parsed).transpose()?, base.as_deref().map(parsed).transpose()?);
        by_code.insert(code.clone(), DraftQuestion { code, version, body, base });
    }
    let places: Vec<String> = serde_json::from_str(&places).map_err(Error::internal)?;
    let questions = places.iter().filter_map(|code| by_code.remove(code)).collect();
    Ok(Some(Draft { version, next_field, questions, parts: parts(tx, form_no)? }))
}

fn parts(tx: &Tx, form_no: i64) -> Result<Vec<DraftPart>> {
    let rows: Vec<(String, i64, String, String)> =
        tx.all("SELECT part, version, body, base FROM draft_parts WHERE form_no = ?1", [form_no], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    let read = |(name, version, body, base): (String, i64, String, String)| {
        let name = PartName::by_name(&name).ok_or_else(|| Error::internal(format!("unknown part {name}")))?;
        Ok(DraftPart { name, version, body: parsed(&body)?, base: parsed(&base)? })
    };
    rows.into_iter().map(read).collect()
}

/// The N of the next `field_N` of a form's draft; 0 without one.
pub fn next_field(tx: &Tx, form_no: i64) -> Result<u32> {
    let found = tx.maybe("SELECT next_field FROM drafts WHERE form_no = ?1", [form_no], |row| row.get(0))?;
    Ok(found.unwrap_or(0))
}

/// Stores a draft, of its questions those with these codes, and of its parts those with these names.
pub fn save(tx: &Tx, form_no: i64, draft: &Draft, codes: &[String], parts: &[PartName]) -> Result<()> {
    let places: Vec<&str> = draft.questions.iter().map(|question| question.code.as_str()).collect();
    tx.run(
        "INSERT INTO drafts (form_no, version, next_field, places) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO UPDATE SET version = ?2, next_field = ?3, places = ?4",
        params![form_no, draft.version, draft.next_field, Json::from(places).to_string()],
    )?;
    for question in codes.iter().filter_map(|code| draft.any(code)) {
        tx.run(
            "INSERT INTO draft_fields (form_no, code, version, body, base) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT DO UPDATE SET version = ?3, body = ?4, base = ?5",
            params![
                form_no,
                question.code,
                question.version,
                question.body.as_ref().map(Json::to_string),
                question.base.as_ref().map(Json::to_string),
            ],
        )?;
    }
    for part in parts.iter().filter_map(|name| draft.part(*name)) {
        tx.run(
            "INSERT INTO draft_parts (form_no, part, version, body, base) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT DO UPDATE SET version = ?3, body = ?4, base = ?5",
            params![form_no, part.name.name(), part.version, part.body.to_string(), part.base.to_string()],
        )?;
        if part.name == PartName::Theme {
            images::note_uses(tx, form_no, THEME_USES, &part.body)?;
        }
    }
    Ok(())
}

/// Removes a draft with its steps.
pub fn remove(tx: &Tx, form_no: i64) -> Result<()> {
    images::note_uses(tx, form_no, THEME_USES, &Json::Null)?;
    tx.run("DELETE FROM drafts WHERE form_no = ?1", [form_no])?;
    Ok(())
}

const STEP: &str = "SELECT number, created_at, subject, before, after FROM draft_steps WHERE form_no = ?1";

fn read_step(row: &Row) -> rusqlite::Result<(i64, i64, String, String, String)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
}

fn step(tx: &Tx, sql: &str, form_no: i64, user: UserId) -> Result<Option<DraftStep>> {
    let found = tx.maybe(&format!("{STEP} {sql}"), params![form_no, user.0], read_step)?;
    let state = |text: &str| serde_json::from_str::<StepState>(text).map_err(Error::internal);
    found
        .map(|(number, created_at, subject, before, after)| {
            let created_at = Time::from_millis(created_at);
            Ok(DraftStep { number, created_at, subject, before: state(&before)?, after: state(&after)? })
        })
        .transpose()
}

/// The latest step of a user that was not undone.
pub fn last_step(tx: &Tx, form_no: i64, user: UserId) -> Result<Option<DraftStep>> {
    step(tx, "AND user_id = ?2 AND is_undone = 0 ORDER BY number DESC LIMIT 1", form_no, user)
}

/// The step that a user undid last.
pub fn undone_step(tx: &Tx, form_no: i64, user: UserId) -> Result<Option<DraftStep>> {
    step(tx, "AND user_id = ?2 AND is_undone = 1 ORDER BY number LIMIT 1", form_no, user)
}

/// Whether a step is the latest one of all users.
pub fn is_latest(tx: &Tx, form_no: i64, number: i64) -> Result<bool> {
    let last = tx
        .one("SELECT max(number) FROM draft_steps WHERE form_no = ?1", [form_no], |row| row.get::<_, Option<i64>>(0))?;
    Ok(last == Some(number))
}

/// Adds a step after all others and deletes the steps that the user undid, and the oldest ones over `most`.
pub fn add_step(
    tx: &Tx,
    form_no: i64,
    user: UserId,
    subject: &str,
    (before, after): (&StepState, &StepState),
    most: i64,
) -> Result<()> {
    tx.run("DELETE FROM draft_steps WHERE form_no = ?1 AND user_id = ?2 AND is_undone = 1", params![form_no, user.0])?;
    tx.run(
        "INSERT INTO draft_steps (form_no, number, user_id, created_at, subject, before, after, is_undone) \
             SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, 0 FROM draft_steps WHERE form_no = ?1",
        params![form_no, user.0, tx.now.millis(), subject, json_of(before)?, json_of(after)?],
    )?;
    tx.run(
        "DELETE FROM draft_steps WHERE form_no = ?1 \
             AND number <= (SELECT max(number) FROM draft_steps WHERE form_no = ?1) - ?2",
        params![form_no, most],
    )?;
    Ok(())
}

/// Replaces the state after a step.
pub fn extend_step(tx: &Tx, form_no: i64, number: i64, after: &StepState) -> Result<()> {
    tx.run(
        "UPDATE draft_steps SET after = ?3, created_at = ?4 WHERE form_no = ?1 AND number = ?2",
        params![form_no, number, json_of(after)?, tx.now.millis()],
    )?;
    Ok(())
}

pub fn set_undone(tx: &Tx, form_no: i64, number: i64, is_undone: bool) -> Result<()> {
    tx.run(
        "UPDATE draft_steps SET is_undone = ?3 WHERE form_no = ?1 AND number = ?2",
        params![form_no, number, is_undone],
    )?;
    Ok(())
}

/// Forgets all steps of a draft.
pub fn forget_steps(tx: &Tx, form_no: i64) -> Result<()> {
    tx.run("DELETE FROM draft_steps WHERE form_no = ?1", [form_no])?;
    Ok(())
}

/// Whether a user can go a step back, and one forth again.
pub fn ways(tx: &Tx, form_no: i64, user: UserId) -> Result<(bool, bool)> {
    tx.one(
        "SELECT ifnull(max(is_undone = 0), 0), ifnull(max(is_undone), 0) FROM draft_steps \
             WHERE form_no = ?1 AND user_id = ?2",
        params![form_no, user.0],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn parsed(text: &str) -> Result<Json> {
    serde_json::from_str(text).map_err(Error::internal)
}

fn json_of(state: &StepState) -> Result<String> {
    serde_json::to_string(state).map_err(Error::internal)
}
