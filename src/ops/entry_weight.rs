//! How much there is to look through for what a filter means: whether its answer is a matter of a moment.
//! It is a guess, and decides nothing but where a search stands in line.

use crate::base::error::Result;
use crate::fields::filter::subject::Subject;
use crate::fields::system;
use crate::model::form::Form;
use crate::ops::entry_query::{self, Query};
use crate::store::entries::Shelf;
use crate::store::searches::Weight;
use crate::store::tx::Tx;
use crate::store::{counters, entry_scan, segments};

/// So many entries are looked at one by one in a moment.
const ROWS: i64 = 20_000;
/// So many bytes of stored values are, counted once for each condition.
const READ: i64 = 128 << 20;
/// So many bytes of segments are.
const BYTES: i64 = 32 << 20;

/// How much it is.
///
/// # Errors
/// Internal.
pub fn weigh(tx: &Tx, form: &Form, shelf: Shelf, query: &Query) -> Result<Weight> {
    let is_brief = is_small(tx, form, shelf, query)?
        || (shelf == Shelf::Live && is_sealed_and_small(tx, form.form_no, query)?);
    Ok(of(is_brief))
}

/// How much it is where the entries themselves are read, however soon it is known which.
///
/// # Errors
/// Internal.
pub fn weigh_whole(tx: &Tx, form: &Form, shelf: Shelf, query: &Query) -> Result<Weight> {
    is_small(tx, form, shelf, query).map(of)
}

fn of(is_brief: bool) -> Weight {
    if is_brief {
        Weight::Brief
    } else {
        Weight::Long
    }
}

/// Whether there are few entries, and little to be read of them.
fn is_small(tx: &Tx, form: &Form, shelf: Shelf, query: &Query) -> Result<bool> {
    let count = entry_query::count(tx, form, shelf)?;
    if count > ROWS {
        return Ok(false);
    }
    let size = entry_scan::usual_size(tx, shelf, form.form_no)?;
    // There are a hundred at most.
    let clauses = i64::try_from(query.filter.clauses.len()).unwrap_or(i64::MAX);
    Ok(size.saturating_mul(count).saturating_mul(1 + clauses) <= READ)
}

/// Whether segments know all that is asked, but for a few entries, and are soon read.
fn is_sealed_and_small(tx: &Tx, form_no: i64, query: &Query) -> Result<bool> {
    let sealed_upto = segments::sealed_upto(tx, form_no)?;
    let newest = counters::of_form(tx, form_no)?.next_serial - 1;
    if newest - sealed_upto > ROWS {
        return Ok(false);
    }
    let blocks = segments::block_of(sealed_upto) + 1;
    let words = query.filter.keyword.iter().flat_map(|it| &it.among);
    let words = words.map(|question| Subject::Question(question.clone()));
    let conditions = query.filter.clauses.iter().map(|it| it.subject.clone());
    let mut bytes = 0;
    for subject in conditions.chain(words) {
        match size(tx, form_no, query, &subject, blocks / 2)? {
            Some(size) => bytes += size * blocks,
            None => return Ok(false),
        }
    }
    Ok(bytes <= BYTES)
}

/// The bytes that one block has of what is asked for; none where that is not known. The entries of a linked
/// form are looked at besides, so such a condition may take long.
fn size(
    tx: &Tx,
    form_no: i64,
    query: &Query,
    subject: &Subject,
    block: i64,
) -> Result<Option<i64>> {
    let is_address = matches!(subject, Subject::System(field) if field.name == system::FIXED[0]);
    if is_address {
        return Ok(Some(0));
    }
    let mut columns = query.parsed.columns().iter();
    let Some(column) = columns.find(|column| column.is_of(subject)) else {
        return Ok(None);
    };
    match segments::slot(tx, form_no, &column.name, column.mark)? {
        Some(slot) => segments::size(tx, form_no, slot, block),
        None => Ok(None),
    }
}
