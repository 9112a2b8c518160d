//! Takes data removed by edits of fields out of stored documents that show an entry: remembered answers and events.

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::fields::{Field, values};
use crate::model::entry::Entry;
use crate::ops::app::App;
use crate::ops::entries::entry_shape;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::{self, trash};

/// Takes values of removed fields, and of removed parts of fields, out of a shown entry; returns whether it held any,
/// or may have. Computed values, and those shown of linked entries, can hold them too: they become those that the entry
/// shows today.
///
/// # Errors
/// Internal.
pub fn take_out(app: &App, tx: &Tx, parsed: &ParsedForm, shown: &mut Json, for_respondent: bool) -> Result<bool> {
    let fields = &parsed.definition.fields;
    let serial = shown["serial_number"].as_i64();
    let (Some(serial), Some(members)) = (serial, shown.as_object_mut()) else {
        return Ok(false);
    };
    let (mut is_other, mut derived) = (false, Vec::new());
    let codes: Vec<String> = members.keys().filter(|code| code.starts_with("field_")).cloned().collect();
    for code in codes {
        match fields.get(&code).filter(|field| field.kind.has_value()) {
            None => {
                members.shift_remove(&code);
                is_other = true;
            }
            Some(field) if is_derived(field) => derived.push(code),
            Some(field) if field.retired.is_empty() => {}
            Some(field) => {
                let Some(value) = members.get_mut(&code) else { continue };
                let cx = parsed.cx(tx.now, for_respondent);
                let kept = values::without_removed(field, value, &cx);
                let kept = kept.map_or_else(|| field.kind.empty(), |kept| kept.into_owned());
                if kept != *value {
                    *value = kept;
                    is_other = true;
                }
            }
        }
    }
    if derived.is_empty() {
        return Ok(is_other);
    }
    let entry = today(tx, parsed.form_no, serial)?;
    let found = linked_entries::of_entries(&app.cache, tx, parsed, [&entry])?;
    let cx = parsed.cx_with(tx.now, for_respondent, &found);
    let today = entry_shape::whole(parsed, &entry, Some(&derived), &cx)?;
    let mut today: Json = serde_json::from_str(&today).map_err(Error::internal)?;
    for code in derived {
        let now = today.get_mut(&code).map_or(Json::Null, Json::take);
        is_other |= members.get(&code) != Some(&now);
        members.insert(code, now);
    }
    Ok(is_other)
}

fn is_derived(field: &Field) -> bool {
    field.kind.computed().is_some() || field.kind.link_rules().is_some()
}

/// The entry as it is now; blank if it was deleted for good.
///
/// # Errors
/// Internal.
pub fn today(tx: &Tx, form_no: i64, serial: i64) -> Result<Entry> {
    Ok(stored(tx, form_no, serial)?.unwrap_or_else(|| Entry::without_values(serial)))
}

/// The entry as it is now, also if it is in the trash; `None` if it was deleted for good.
///
/// # Errors
/// Internal.
pub fn stored(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<Entry>> {
    match entries::by_serial(tx, form_no, serial)? {
        Some(entry) => Ok(Some(entry)),
        None => trash::by_serial(tx, form_no, serial),
    }
}
