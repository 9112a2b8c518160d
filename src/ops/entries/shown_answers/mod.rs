//! An entry on pages for owners: its answers, and the columns that the form adds to each entry.

pub mod alike;
mod who;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};
use crate::fields::system::{self, SystemField};
use crate::fields::{Field, values};
use crate::model::entry::Entry;
use crate::ops::entries::Shape;
use crate::ops::entries::entry_lists::SORTS;
use crate::query::as_read;
use crate::query::form_cache::ParsedForm;

/// A column of a list of entries, or a line of one entry.
#[derive(Clone, Copy)]
pub enum EntryColumn<'f> {
    Question(&'f Field),
    System(&'static SystemField),
}

impl<'f> EntryColumn<'f> {
    /// The columns that entries of this form can have: system fields about time and user, the questions in their order,
    /// and the form's own additions.
    pub fn all(parsed: &'f ParsedForm) -> Vec<Self> {
        let system = |name| system::by_name(name).map(Self::System);
        let questions = parsed.definition.fields.with_values().map(Self::Question);
        let results = parsed.result_fields().iter().filter(|field| !field.is_link()).map(|field| Self::System(field));
        let first = ["created_at", "updated_at", "creator_name"].into_iter().filter_map(system);
        let last = ["x_field_1", "info_filling_duration"].into_iter().filter_map(system);
        first.chain(questions).chain(results).chain(last).collect()
    }

    /// The key in entries.
    pub fn name(&self) -> &'f str {
        match self {
            Self::Question(field) => &field.api_code,
            Self::System(field) => field.name,
        }
    }

    /// Whether a list can be sorted by it.
    pub fn is_sorted(&self) -> bool {
        match self {
            Self::Question(field) => field.kind.answer_order().is_some(),
            Self::System(field) => SORTS.iter().any(|(name, _)| *name == field.name),
        }
    }

    pub fn kind(&self) -> &'f dyn Kind {
        match self {
            Self::Question(field) => field.kind.as_ref(),
            Self::System(field) => field.kind,
        }
    }
}

impl Shape {
    /// The context for showing values.
    pub fn cx(&self, now: Time) -> Cx<'_> {
        self.parsed.cx_with(now, false, &self.found)
    }

    /// An entry's stored value in each of these columns; none where there is no answer.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn cells(&self, entry: &Entry, columns: &[EntryColumn], cx: &Cx) -> Result<Vec<Option<Json>>> {
        let stored = as_read::values(&self.parsed, &entry.values, cx)?;
        let cell = |column: &EntryColumn| match column {
            EntryColumn::Question(field) => values::today(field, stored.get(&field.api_code), cx),
            EntryColumn::System(field) => Some(field.stored(entry, cx)).filter(|value| !value.is_null()),
        };
        Ok(columns.iter().map(cell).collect())
    }
}
