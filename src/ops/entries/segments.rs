//! Background jobs that build column segments.

use crate::base::error::Result;
use crate::ops::app::App;
use crate::query::form_cache::ParsedForm;
use crate::query::segment_builder::{self, Builder};

fn builder(app: &App) -> Builder<'_> {
    Builder { store: &app.store, cache: &app.cache, up_to_date: &app.entries.segments }
}

/// Builds segments of full blocks that have none; how many blocks.
pub fn build(app: &App) -> Result<usize> {
    builder(app).build()
}

/// Rebuilds blocks that changed much or were defined anew, and drops segments of columns that are gone.
pub fn rebuild(app: &App) -> Result<usize> {
    builder(app).rebuild()
}

/// Drops the segments of columns that a form no longer has; how many writes that took.
pub(in crate::ops) fn drop_other_columns(app: &App, parsed: &ParsedForm) -> Result<usize> {
    segment_builder::drop_other_columns(&app.store, parsed)
}
