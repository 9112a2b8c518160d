//! Objects in a write shape must have a known key: a value whose only key is misspelt would be stored as blank, and the
//! answer lost.

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;

/// Maximum keys named in a message.
const MOST_NAMED: usize = 20;

/// Checks that the object is empty or has a known key.
pub fn check<'k>(given: &Map<String, Json>, keys: impl Iterator<Item = &'k str> + Clone, at: &mut Issues) -> bool {
    if given.is_empty() || keys.clone().any(|key| given.contains_key(key)) {
        return true;
    }
    let mut names: Vec<&str> = keys.take(MOST_NAMED + 1).collect();
    let has_more = names.len() > MOST_NAMED;
    names.truncate(MOST_NAMED);
    let more = if has_more { ", …" } else { "" };
    let names = names.join(", ");
    at.push(Reason::other(phrase!("must have at least one of {}", format!("{names}{more}"))));
    false
}

/// The first non-empty row, if no row has a known key; otherwise unknown columns are dropped. Rows that are not objects
/// are reported elsewhere.
pub fn first_of_unknown<'v, 'k>(
    rows: impl Iterator<Item = &'v Json>,
    keys: impl Iterator<Item = &'k str> + Clone,
) -> Option<usize> {
    let mut first = None;
    for (i, row) in rows.enumerate() {
        let row = row.as_object()?;
        if keys.clone().any(|key| row.contains_key(key)) {
            return None;
        }
        if first.is_none() && !row.is_empty() {
            first = Some(i);
        }
    }
    first
}
