//! Amounts taken of a form's limited choices, goods and places, as far as its page shows them.

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::fields::Field;
use crate::fields::kind::{Counters, Cx};
use crate::fields::schedule::occupancy::Occupancy;
use crate::fields::values::stored::Values;
use crate::model::capacity::{Resource, TakenAmount};
use crate::model::results::Results;
use crate::ops;
use crate::ops::app::App;
use crate::query::form_cache::ParsedForm;
use crate::store::capacity;
use crate::store::db::tx::Tx;

/// Amounts that belong to the page itself and stay available to it.
pub enum Own<'o> {
    /// Amounts of the entry that is being edited.
    Entry(&'o Values, &'o Results),
    /// Amounts of the hold for a new entry.
    Hold(&'o [TakenAmount]),
}

/// The amounts taken of all that the page of a form shows to respondents.
///
/// # Errors
/// 503 while no reader is free.
pub fn for_page(app: &App, parsed: &ParsedForm, own: &Own, now: Time) -> Result<Occupancy> {
    let fields = parsed.definition.fields.iter().filter(|field| !field.hidden);
    of_fields(app, parsed, fields, own, &parsed.cx(now, true))
}

/// The amounts taken of all that collaborators may choose. Quotas of choices don't bind them.
///
/// # Errors
/// 503 while no reader is free.
pub fn for_collaborator(app: &App, parsed: &ParsedForm, own: &Own, now: Time) -> Result<Occupancy> {
    let is_bound = |field: &Field| field.kind.capacity().is_some_and(|it| it.resource() != Resource::Choices);
    let (bound, free): (Vec<&Field>, Vec<&Field>) = parsed.definition.fields.iter().partition(|field| is_bound(field));
    let mut found = of_fields(app, parsed, bound.into_iter(), own, &parsed.cx(now, false))?;
    for field in free {
        found.lift(&field.api_code);
    }
    Ok(found)
}

fn of_fields<'f>(
    app: &App,
    parsed: &ParsedForm,
    fields: impl Iterator<Item = &'f Field>,
    own: &Own,
    cx: &Cx,
) -> Result<Occupancy> {
    let limited: Vec<(&Field, Vec<Counters>)> =
        fields.map(|field| (field, shown(field, cx))).filter(|(_, ranges)| !ranges.is_empty()).collect();
    let (may_wait, own) = match own {
        Own::Entry(values, results) => (results.is_waiting, ops::capacity::taken_amounts(parsed, values, results)),
        Own::Hold(takes) => (parsed.settings.capacity.waiting_list, takes.to_vec()),
    };
    let mut found = Occupancy::new(may_wait);
    for taken in own {
        let field = format!("field_{}", taken.field);
        found.add_own(&field, &taken.counter, taken.amount);
    }
    if limited.is_empty() {
        return Ok(found);
    }
    app.store.read(|tx| {
        for (field, ranges) in &limited {
            for range in ranges {
                add(tx, parsed.form_no, field, range, &mut found)?;
            }
        }
        Ok(())
    })?;
    Ok(found)
}

fn shown(field: &Field, cx: &Cx) -> Vec<Counters> {
    let capacity = field.kind.capacity();
    capacity.map_or_else(Vec::new, |capacity| capacity.shown_counters(cx))
}

/// Adds what is taken of a field's counters in a range.
pub(in crate::ops) fn add(tx: &Tx, form_no: i64, field: &Field, range: &Counters, found: &mut Occupancy) -> Result<()> {
    let names = (range.first.as_str(), range.last.as_str());
    for (counter, amount) in capacity::taken_between(tx, form_no, field.number(), names)? {
        found.add(&field.api_code, &counter, amount);
    }
    Ok(())
}
