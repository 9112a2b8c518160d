//! The field kinds, one file each, and the table of them. No kind names another.

mod short_text;

use crate::fields::kind::Row;

/// Every kind. A new one is a file, its `mod` line above and its row here.
pub static KINDS: &[&Row] = &[&short_text::KIND];

/// The row of a `type`.
pub fn by_name(name: &str) -> Option<&'static Row> {
    KINDS.iter().copied().find(|row| row.name == name)
}
