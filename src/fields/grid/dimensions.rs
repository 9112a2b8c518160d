//! Reads `dimensions` whose cells are fields of their own.

use std::collections::HashSet;

use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things};
use crate::fields::definition::field_reader::{self, Edited};
use crate::fields::grid::MAX_DIMENSIONS;
use crate::fields::kind::{BuildCx, KindRow};
use crate::fields::links::NOTHING;
use crate::fields::{Field, number_of};

/// Reads `dimensions`, which is required: one with an `api_code` edits that column, one without adds a column, and
/// omitted ones are removed.
pub fn read(reader: &mut Reader, cx: &BuildCx) -> Vec<Field> {
    if !reader.has("dimensions") {
        reader.fault("dimensions", Reason::Required);
        return Vec::new();
    }
    let kinds: Vec<&'static KindRow> = cx.kinds.iter().copied().filter(|row| row.facets.in_cells).collect();
    let old = cx.old.map_or(&[][..], |kind| kind.sub_fields());
    let ever = cx.known.iter().filter_map(|code| number_of(code)).max();
    let mut edited = Edited {
        old: &|api_code| old.iter().find(|field| field.api_code == api_code),
        kinds: &kinds,
        table: cx.kinds,
        unknown: "is not a column of this field",
        drafted: None,
        next_field: ever.unwrap_or_default() + 1,
    };
    let mut seen = HashSet::new();
    let Some(fields) = reader.opt_objects("dimensions", |item| {
        let field = if cx.is_stored {
            field_reader::read_stored(item, &kinds, cx.kinds, cx.images)
        } else {
            edited.read_with(item, cx.found.unwrap_or(&NOTHING))
        }?;
        if field.unique && field.row.facets.unique {
            item.fault("unique", Reason::other("is not possible in a cell"));
        }
        if !seen.insert(field.api_code.clone()) {
            item.fault("api_code", Reason::Repeated);
        }
        Some(field)
    }) else {
        return Vec::new();
    };
    if fields.is_empty() || fields.len() > MAX_DIMENSIONS {
        reader.fault("dimensions", Reason::not_one_to(MAX_DIMENSIONS, Things::Other("dimensions")));
    }
    // Leaving out one that can't be read would shift the indices in later faults.
    fields.into_iter().collect::<Option<_>>().unwrap_or_default()
}
