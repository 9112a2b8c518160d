//! A selection as it is stored.

use crate::base::json::Json;

/// A stored selection: the code of the choice, and the text that was typed beside it. A code that is missing or not a
/// text is empty.
pub struct StoredSelection<'v> {
    pub value: &'v str,
    /// The text of a choice for everything else.
    pub other_text: Option<&'v str>,
    /// The text of a choice that takes one.
    pub extended_text: Option<&'v str>,
}

impl<'v> StoredSelection<'v> {
    /// Decodes a stored selection.
    pub fn of(selection: &'v Json) -> Self {
        Self {
            value: code_of(selection),
            other_text: selection["other_text"].as_str(),
            extended_text: selection["extended_text"].as_str(),
        }
    }
}

/// The code of a stored selection.
pub fn code_of(selection: &Json) -> &str {
    selection["value"].as_str().unwrap_or_default()
}
