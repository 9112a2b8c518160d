//! What is taken of a form's limited choices, goods and places, as far as its page shows it.

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::fields::Field;
use crate::fields::kind::{Counters, Cx};
use crate::fields::schedule::occupancy::Occupancy;
use crate::fields::values::stored::Values;
use crate::model::capacity::TakenAmount;
use crate::model::results::Results;
use crate::ops;
use crate::ops::app::App;
use crate::ops::forms::published::Published;
use crate::store::capacity;
use crate::store::db::tx::Tx;

/// What of that is the page's own, and left to it.
pub enum Own<'o> {
    /// What the entry that is being edited takes.
    Entry(&'o Values, &'o Results),
    /// What the hold of a new one takes.
    Hold(&'o [TakenAmount]),
}

/// What is taken of all that the page of a form shows.
///
/// # Errors
/// 503 while no reader is free.
pub fn for_page(app: &App, published: &Published, own: &Own, now: Time) -> Result<Occupancy> {
    let cx = published.parsed.cx(now, true);
    let fields = published.parsed.definition.fields.iter();
    let limited: Vec<(&Field, Vec<Counters>)> = fields
        .filter(|field| !field.hidden)
        .map(|field| (field, shown(field, &cx)))
        .filter(|(_, ranges)| !ranges.is_empty())
        .collect();
    let (may_wait, own) = match own {
        Own::Entry(values, results) => {
            (results.is_waiting, ops::capacity::taken_amounts(&published.parsed, values, results))
        }
        Own::Hold(takes) => {
            let settings = &published.parsed.settings;
            (settings.capacity.waiting_list, takes.to_vec())
        }
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
                add(tx, published.form.form_no, field, range, &mut found)?;
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
