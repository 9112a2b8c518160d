//! Bounds the length of cells by that of the stored JSON. A cell is longer only where labels replace codes and where
//! texts of other entries are shown.

use crate::fields::{Field, Fields};

/// Minimum bytes of a stored code with its separator: `"a",`.
const CODE: usize = 4;
/// Maximum bytes around a label in a cell: quotes around quotes, a comma, a line end.
const AROUND: usize = 8;

/// The size of an entry's JSON up to which none of its cells exceeds `most` characters; `None` if the size does not
/// decide it. Only the wanted fields count, if some are given.
pub fn bytes_that_fit(fields: &Fields, wanted: Option<&[String]>, most: usize) -> Option<usize> {
    let is_wanted = |field: &&Field| wanted.is_none_or(|some| some.contains(&field.api_code));
    let stretches = fields.iter().filter(is_wanted).map(stretch);
    let widest = stretches.collect::<Option<Vec<_>>>()?.into_iter().max();
    Some(most / widest.unwrap_or(1))
}

/// The most times that a field's text may be longer than its JSON; `None` if it shows other entries.
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
