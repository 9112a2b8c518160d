//! Which values may fill a cell beyond what it holds. A cell has what a value's JSON has, but where codes stand
//! for what people call them, and where texts of other entries are shown.

use crate::fields::{Field, Fields};

/// Bytes of a stored code with the sign beside it, at least: `"a",`.
const CODE: usize = 4;
/// Of these, what stands around a label in a cell, at most: quotes around quotes, a comma, a line's end.
const AROUND: usize = 8;

/// No cell of an entry has more than `most` characters where its values' JSON has at most so many bytes; none where
/// only the cells themselves tell. Of the fields some alone may be wanted.
pub fn bytes_that_fit(fields: &Fields, wanted: Option<&[String]>, most: usize) -> Option<usize> {
    let is_wanted = |field: &&Field| wanted.is_none_or(|some| some.contains(&field.api_code));
    let stretches = fields.iter().filter(is_wanted).map(stretch);
    let widest = stretches.collect::<Option<Vec<_>>>()?.into_iter().max();
    Some(most / widest.unwrap_or(1))
}

/// How many times as long as its JSON a field's text may be; none where it is another entry's.
fn stretch(field: &Field) -> Option<usize> {
    if field.kind.link_rules().is_some() {
        return None;
    }
    let labels = field.kind.items().into_iter().map(|item| {
        let quotes = item.label.matches('"').count();
        (item.label.len() + 3 * quotes + AROUND).div_ceil(CODE)
    });
    let own = labels.max().unwrap_or(1);
    let columns = field.kind.sub_fields().iter().map(stretch);
    let widest = columns.collect::<Option<Vec<_>>>()?.into_iter().max();
    Some(own.max(widest.unwrap_or(1)))
}
