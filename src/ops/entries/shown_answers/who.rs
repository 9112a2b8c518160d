//! Whose an entry is, as a list of people calls it.

use crate::base::error::Result;
use crate::fields::kind::{Cx, Plain};
use crate::fields::kinds::PERSON;
use crate::fields::{Field, values};
use crate::model::entry::Entry;
use crate::ops::entries::Shape;
use crate::query::as_read;

impl Shape {
    /// The first name among an entry's answers, else its first line of text; `None` if there is neither.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn who(&self, entry: &Entry, cx: &Cx) -> Result<Option<String>> {
        let stored = as_read::values(&self.parsed, &entry.values, cx)?;
        let text = |field: &Field| {
            let value = values::today(field, stored.get(&field.api_code), cx)?;
            Some(field.kind.text(&value, cx)).filter(|text| !text.trim().is_empty())
        };
        let fields = || self.parsed.definition.fields.with_values();
        let is_person = |field: &&Field| field.row.name == PERSON;
        let is_text = |field: &&Field| field.kind.plain() == Some(Plain::Text);
        Ok(fields().filter(is_person).find_map(text).or_else(|| fields().filter(is_text).find_map(text)))
    }
}
