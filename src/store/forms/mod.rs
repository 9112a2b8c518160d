//! Forms: their rows, parts and lists.

pub mod drafts;
pub mod folders;
pub mod form_lists;
pub mod purge;
pub mod rewrites;
pub mod versions;

use std::sync::LazyLock;

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::FormToken;
use crate::base::json::Json;
use crate::base::text;
use crate::model::form::{Form, FormSection, Parts, Versions};
use crate::model::user::UserId;
use crate::store::db::tx::Tx;
use crate::store::entries::counters;
use crate::store::files::images;

const COLUMNS: &str = "f.form_no, f.token, f.owner_id, f.name, f.description, f.scene, f.layout, \
     f.locale, f.timezone, f.published, f.version, f.form_version, f.settings_version, \
     f.theme_version, f.rules_version, f.created_at, f.updated_at, f.deleted_at, \
     c.live_count, c.last_entry_at";

fn read(row: &Row) -> rusqlite::Result<Form> {
    Ok(Form {
        form_no: row.get(0)?,
        token: FormToken::new(row.get::<_, String>(1)?),
        owner: UserId(row.get(2)?),
        name: row.get(3)?,
        description: row.get(4)?,
        scene: row.get(5)?,
        layout: row.get(6)?,
        locale: row.get(7)?,
        timezone: row.get(8)?,
        published: row.get(9)?,
        version: row.get(10)?,
        versions: Versions { form: row.get(11)?, settings: row.get(12)?, theme: row.get(13)?, rules: row.get(14)? },
        created_at: Time::from_millis(row.get(15)?),
        updated_at: Time::from_millis(row.get(16)?),
        deleted_at: row.get::<_, Option<i64>>(17)?.map(Time::from_millis),
        entries_count: row.get(18)?,
        last_entry_at: row.get::<_, Option<i64>>(19)?.map(Time::from_millis),
    })
}

/// The form with this token, also if it is in the trash. Its counts include this batch's uncommitted changes.
pub fn by_token(tx: &Tx, token: &str) -> Result<Option<Form>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {COLUMNS} FROM forms f JOIN form_counters c USING (form_no) WHERE f.token = ?1")
    });
    let load = || tx.maybe(&SQL, [token], read);
    let form = match tx.cache() {
        Some(cache) => cache.form(token, load),
        None => load(),
    }?;
    match form {
        Some(mut form) if tx.batch.is_some() => {
            let counters = counters::of_form(tx, form.form_no)?;
            form.entries_count = counters.live_count;
            form.last_entry_at = counters.last_entry_at;
            Ok(Some(form))
        }
        form => Ok(form),
    }
}

/// The form with this number, also if it is in the trash; an internal error if there is none.
pub fn by_number(tx: &Tx, form_no: i64) -> Result<Form> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {COLUMNS} FROM forms f JOIN form_counters c USING (form_no) WHERE f.form_no = ?1")
    });
    tx.one(&SQL, [form_no], read)
}

/// The numbers of all forms, including those in the trash.
pub fn numbers(tx: &Tx) -> Result<Vec<i64>> {
    tx.all("SELECT form_no FROM forms ORDER BY form_no", [], |row| row.get(0))
}

/// The numbers of the other forms that link to this one: their fields contain its token.
pub fn linking_to(tx: &Tx, token: &FormToken) -> Result<Vec<i64>> {
    tx.all("SELECT form_no FROM forms WHERE token <> ?1 AND instr(fields, ?1) > 0", [token.as_str()], |row| row.get(0))
}

/// Whether a form exists, also if it is in the trash.
pub fn exists(tx: &Tx, form_no: i64) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM forms WHERE form_no = ?1)", [form_no], |row| row.get(0))
}

/// Checks that a form still has the version that the change was prepared for and is not in the trash.
///
/// # Errors
/// `Stale`.
pub fn check_version(tx: &Tx, form_no: i64, version: i64) -> Result<()> {
    if is_version(tx, form_no, version)? { Ok(()) } else { Err(Error::Stale) }
}

/// Whether a form still has that version and is not in the trash.
pub fn is_version(tx: &Tx, form_no: i64, version: i64) -> Result<bool> {
    let current: Option<i64> =
        tx.maybe("SELECT version FROM forms WHERE form_no = ?1 AND deleted_at IS NULL", [form_no], |row| row.get(0))?;
    Ok(current == Some(version))
}

/// Whether a form exists and is not in the trash.
pub fn is_live(tx: &Tx, form_no: i64) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM forms WHERE form_no = ?1 AND deleted_at IS NULL)", [form_no], |row| row.get(0))
}

/// The parts of a form that are stored as JSON.
pub fn parts(tx: &Tx, form_no: i64) -> Result<Parts> {
    let texts: [String; 4] =
        tx.one("SELECT fields, settings, theme, field_rules FROM forms WHERE form_no = ?1", [form_no], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
        })?;
    let json = |text: &str| serde_json::from_str::<Json>(text).map_err(Error::internal);
    Ok(Parts {
        fields: json(&texts[0])?,
        settings: json(&texts[1])?,
        theme: json(&texts[2])?,
        field_rules: json(&texts[3])?,
    })
}

pub struct NewForm {
    pub token: FormToken,
    pub owner: UserId,
    pub head: Head,
    /// `form`, `survey` …
    pub scene: String,
    pub parts: Parts,
}

/// The columns of a form that its managers edit.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// 1 to 200 characters.
    pub name: String,
    pub description: Option<String>,
    /// `classic` or `card`.
    pub layout: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
    /// Whether respondents reach it.
    pub published: bool,
}

pub fn insert(tx: &Tx, form: &NewForm) -> Result<i64> {
    tx.run(
        "INSERT INTO forms (token, owner_id, name, name_folded, description, scene, layout, \
             locale, timezone, published, fields, settings, theme, field_rules, version, \
             form_version, settings_version, theme_version, rules_version, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 1, 1, 1, 1, 1, \
             ?15, ?15)",
        params![
            form.token.as_str(),
            form.owner.0,
            form.head.name,
            text::fold(&form.head.name),
            form.head.description,
            form.scene,
            form.head.layout,
            form.head.locale,
            form.head.timezone,
            form.head.published,
            form.parts.fields.to_string(),
            form.parts.settings.to_string(),
            form.parts.theme.to_string(),
            form.parts.field_rules.to_string(),
            tx.now.millis(),
        ],
    )?;
    let form_no = tx.connection.last_insert_rowid();
    counters::insert(tx, form_no)?;
    note_uses(tx, form_no, FormSection::Form, &form.parts.fields)?;
    note_uses(tx, form_no, FormSection::Settings, &form.parts.settings)?;
    note_uses(tx, form_no, FormSection::Theme, &form.parts.theme)?;
    Ok(form_no)
}

/// Updates the head and, if given, the fields. Locale and timezone are shown in the settings too, so a change of
/// either also increments the version of the settings.
pub fn update(tx: &Tx, form_no: i64, head: &Head, fields: Option<&Json>) -> Result<()> {
    tx.run(
        "UPDATE forms SET name = ?2, name_folded = ?3, description = ?4, layout = ?5, \
             locale = ?6, timezone = ?7, published = ?8, fields = coalesce(?9, fields), \
             version = version + 1, form_version = form_version + 1, updated_at = ?10, \
             settings_version = settings_version + (locale <> ?6 OR timezone <> ?7) \
             WHERE form_no = ?1",
        params![
            form_no,
            head.name,
            text::fold(&head.name),
            head.description,
            head.layout,
            head.locale,
            head.timezone,
            head.published,
            fields.map(Json::to_string),
            tx.now.millis(),
        ],
    )?;
    match fields {
        Some(fields) => note_uses(tx, form_no, FormSection::Form, fields),
        None => Ok(()),
    }
}

/// Records which images a part refers to.
fn note_uses(tx: &Tx, form_no: i64, part: FormSection, value: &Json) -> Result<()> {
    images::note_uses(tx, form_no, column_of(part), value)
}

fn column_of(part: FormSection) -> &'static str {
    match part {
        FormSection::Form => "fields",
        FormSection::Settings => "settings",
        FormSection::Theme => "theme",
        FormSection::Rules => "field_rules",
    }
}

/// Replaces settings, theme or rules. The form's `updated_at` stays, because its ETag depends on it and does not
/// cover these parts.
pub fn update_part(tx: &Tx, form_no: i64, part: FormSection, value: &Json) -> Result<()> {
    let column = column_of(part);
    let version = match part {
        FormSection::Form => "form_version",
        FormSection::Settings => "settings_version",
        FormSection::Theme => "theme_version",
        FormSection::Rules => "rules_version",
    };
    tx.run(
        &format!(
            "UPDATE forms SET {column} = ?2, {version} = {version} + 1, version = version + 1 \
             WHERE form_no = ?1"
        ),
        params![form_no, value.to_string()],
    )?;
    note_uses(tx, form_no, part, value)
}

/// Increments the form's version, so that every change prepared with it becomes stale, and returns the new one. No
/// ETag changes.
pub fn touch(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one("UPDATE forms SET version = version + 1 WHERE form_no = ?1 RETURNING version", [form_no], |row| row.get(0))
}

/// Moves a form into or out of the trash.
pub fn set_deleted(tx: &Tx, form_no: i64, deleted: bool) -> Result<()> {
    tx.run(
        "UPDATE forms SET deleted_at = ?2, version = version + 1 WHERE form_no = ?1",
        params![form_no, deleted.then_some(tx.now.millis())],
    )?;
    Ok(())
}
