//! Objects of a write shape must name something that is read: a value whose only key is misspelt would be stored
//! as blank, and the answer lost.

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;

/// A message names at most this many keys.
const MOST_NAMED: usize = 20;

/// Whether the object is empty or has one of the keys that are read; else that is its fault.
pub fn check<'k>(
    given: &Map<String, Json>,
    keys: impl Iterator<Item = &'k str> + Clone,
    at: &mut Issues,
) -> bool {
    if given.is_empty() || keys.clone().any(|key| given.contains_key(key)) {
        return true;
    }
    let mut names: Vec<&str> = keys.take(MOST_NAMED + 1).collect();
    let has_more = names.len() > MOST_NAMED;
    names.truncate(MOST_NAMED);
    let more = if has_more { ", …" } else { "" };
    at.push(format!(
        "must have at least one of {}{more}",
        names.join(", ")
    ));
    false
}

/// The first row that says anything, where no row has one of the keys that are read: beside a row that has one, others
/// are dropped with all their unknown columns. What is no object is somebody else's fault to tell.
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
