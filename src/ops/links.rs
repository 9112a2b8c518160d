//! What reading and checking links needs, where the caller's rights or files count, too.

use crate::base::error::{Error, Result};
use crate::fields::linked::{self, Named};
use crate::fields::links::Found;
use crate::fields::values::Values;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::role::Role;
use crate::ops::access::{self, Right};
use crate::ops::cache::{Cache, ParsedForm};
use crate::ops::files;
pub use crate::query::linked_entries::*;
use crate::store::forms;
use crate::store::tx::Tx;

/// What checking these values needs, given in their write shapes, and what a change of `old` leaves.
pub fn of_write(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    given: Option<&Values>,
    old: Option<&Entry>,
) -> Result<Found> {
    let mut found = Found::default();
    if parsed.links {
        let mut wanted = linked::wanted(&parsed.definition.fields, given, old.is_none());
        if let Some(old) = old {
            wanted.extend(of_entry(parsed, old)?);
        }
        look_up(cache, tx, wanted, &mut found)?;
    }
    files::look_up(tx, parsed, given, old, &mut found)?;
    Ok(found)
}

/// What checking the values of new entries needs, each given in their write shapes.
pub fn of_new<'v>(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    given: impl IntoIterator<Item = Option<&'v Values>>,
) -> Result<Found> {
    let mut found = Found::default();
    let given: Vec<Option<&Values>> = given.into_iter().collect();
    for given in &given {
        files::look_up(tx, parsed, *given, None, &mut found)?;
    }
    if parsed.links {
        let fields = &parsed.definition.fields;
        let wanted = given
            .into_iter()
            .flat_map(|given| linked::wanted(fields, given, true));
        look_up(cache, tx, wanted.collect(), &mut found)?;
    }
    Ok(found)
}

/// What checking a definition needs: of the forms that it links to, those that the caller manages (S42).
pub fn of_definition(cache: &Cache, tx: &Tx, caller: &Caller, named: Named) -> Result<Found> {
    let mut found = Found::default();
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

/// The fields, by their places, that the caller may not take along into another form: they link to one
/// that the caller does not manage. One that is gone for good does no harm.
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
