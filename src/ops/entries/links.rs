//! Loads the linked forms, entries and files that requests need, according to the caller's rights.

use crate::base::error::{Error, Result};
use crate::fields::links::LinkedData;
use crate::fields::links::linked::{self, Named};
use crate::fields::values::Values;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::role::Role;
use crate::ops::files::entry_files;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries::{linked, look_up, of_entry};
use crate::store::db::tx::Tx;
use crate::store::forms;

/// Loads the linked entries and files that checking an entry's values needs. `given` holds values in the write shape;
/// `old` is the entry that they change.
pub fn of_write(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    given: Option<&Values>,
    old: Option<&Entry>,
) -> Result<LinkedData> {
    let mut found = LinkedData::default();
    if parsed.links {
        let mut wanted = linked::links_to_look_up(&parsed.definition.fields, given, old.is_none());
        if let Some(old) = old {
            wanted.extend(of_entry(parsed, old)?);
        }
        look_up(cache, tx, wanted, &mut found)?;
    }
    entry_files::look_up(tx, parsed, given, old, &mut found)?;
    Ok(found)
}

/// The same for new entries, each given in the write shape.
pub fn of_new<'v>(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    given: impl IntoIterator<Item = Option<&'v Values>>,
) -> Result<LinkedData> {
    let mut found = LinkedData::default();
    let given: Vec<Option<&Values>> = given.into_iter().collect();
    for given in &given {
        entry_files::look_up(tx, parsed, *given, None, &mut found)?;
    }
    if parsed.links {
        let fields = &parsed.definition.fields;
        let wanted = given.into_iter().flat_map(|given| linked::links_to_look_up(fields, given, true));
        look_up(cache, tx, wanted.collect(), &mut found)?;
    }
    Ok(found)
}

/// Loads the forms that a definition links to, if the caller manages them (S42).
pub fn of_definition(cache: &Cache, tx: &Tx, caller: &Caller, named: Named) -> Result<LinkedData> {
    let mut found = LinkedData::default();
    look_up(cache, tx, named.defaults, &mut found)?;
    for token in named.forms {
        match access::form_for(tx, caller, &token, Right::Manage) {
            Ok(form) => found.add_form(token, linked(cache, tx, &form)?),
            Err(Error::NotFound(_) | Error::Forbidden) => found.remove_form(&token),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The positions of the fields that the caller may not copy into another form: they link to a form that the caller does
/// not manage. Links to permanently deleted forms are allowed.
pub fn not_for(tx: &Tx, caller: &Caller, parsed: &ParsedForm) -> Result<Vec<usize>> {
    let mut out = Vec::new();
    for (i, field) in parsed.definition.fields.iter().enumerate() {
        let Some(rules) = field.kind.link_rules() else {
            continue;
        };
        if let Some(form) = forms::by_token(tx, &rules.form_token)?
            && access::role(tx, caller, &form)?.is_none_or(|role| role < Role::Manager)
        {
            out.push(i);
        }
    }
    Ok(out)
}
