//! The exact keys of an entry: the keys that it is found by, and those that no other live entry may have.

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::fields::Field;
use crate::fields::filter::cond::Key;
use crate::fields::kind::Cx;
use crate::fields::values::{self, Values};
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::entries::entry_keys;

/// Field numbers, each with the key of an entry's value.
pub type Keys = Vec<(u32, String)>;

/// The exact key of a field's stored value; none when it is blank.
pub fn of_field(field: &Field, stored: &Values, cx: &Cx) -> Option<String> {
    let value = values::as_today(field, stored.get(&field.api_code)?, cx)?;
    field.kind.unique_key(&value)
}

/// The keys by which public queries find a field's stored value.
pub fn searched(field: &Field, stored: &Values, cx: &Cx) -> Vec<String> {
    let value = stored.get(&field.api_code);
    let value = value.and_then(|value| values::as_today(field, value, cx));
    let keys = value.map_or_else(Vec::new, |value| field.kind.keys(&value, cx));
    keys.iter().filter_map(Key::exact).collect()
}

/// The exact keys that an entry adds.
pub fn of(parsed: &ParsedForm, stored: &Values, cx: &Cx) -> Keys {
    if parsed.keyed.is_empty() {
        return Keys::new();
    }
    let mut keys = keys_where(parsed, stored, cx, |field| parsed.keyed.contains(&field.number()));
    for field in parsed.definition.fields.iter() {
        let number = entry_keys::searched(field.number());
        if parsed.keyed.contains(&number) {
            let own = searched(field, stored, cx).into_iter();
            keys.extend(own.map(|key| (number, key)));
        }
    }
    keys
}

/// The keys that no other live entry may have.
pub fn unique(parsed: &ParsedForm, stored: &Values, cx: &Cx) -> Keys {
    keys_where(parsed, stored, cx, |field| field.unique)
}

fn keys_where(parsed: &ParsedForm, stored: &Values, cx: &Cx, wanted: impl Fn(&Field) -> bool) -> Keys {
    parsed
        .definition
        .fields
        .iter()
        .filter(|field| wanted(field))
        .filter_map(|field| Some((field.number(), of_field(field, stored, cx)?)))
        .collect()
}

/// The fault of a value that another entry has.
pub fn already_used(field: u32) -> Issue {
    Issue::new(format!("field_values.field_{field}"), Reason::Taken)
}

/// The faults of keys that another live entry than the own one has.
pub fn taken_of<'k>(
    tx: &Tx,
    form_no: i64,
    unique: impl IntoIterator<Item = &'k (u32, String)>,
    own_serial: Option<i64>,
) -> Result<Vec<Issue>> {
    let mut faults = Vec::new();
    for (field, key) in unique {
        if entry_keys::is_taken(tx, form_no, *field, key, own_serial)? {
            faults.push(already_used(*field));
        }
    }
    Ok(faults)
}

/// Checks that no live entry but the own one has one of these keys.
///
/// # Errors
/// 422 with all that are taken.
pub fn refuse_taken<'k>(
    tx: &Tx,
    form_no: i64,
    unique: impl IntoIterator<Item = &'k (u32, String)>,
    own_serial: Option<i64>,
) -> Result<()> {
    let faults = taken_of(tx, form_no, unique, own_serial)?;
    if faults.is_empty() { Ok(()) } else { Err(Error::Invalid(faults)) }
}

/// Adds the keys of an entry.
pub fn add(tx: &Tx, form_no: i64, serial: i64, keys: &Keys) -> Result<()> {
    keys.iter().try_for_each(|(field, key)| entry_keys::insert(tx, form_no, *field, key, serial))
}

/// Replaces an entry's keys.
pub fn replace(tx: &Tx, form_no: i64, serial: i64, before: &Keys, after: &Keys) -> Result<()> {
    for (field, key) in before {
        if !after.contains(&(*field, key.clone())) {
            entry_keys::remove(tx, form_no, *field, key, serial)?;
        }
    }
    add(tx, form_no, serial, after)
}
