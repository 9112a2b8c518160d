//! Examples of answers, for pages that show their effect.

use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::values::is_blank;

/// An answer as it would be stored; `None` if it is none or wrong.
pub fn stored(field: &Field, raw: Json, cx: &Cx) -> Option<Json> {
    let mut faults = Issues::new();
    let stored = (!raw.is_null()).then(|| field.kind.parse(raw, cx, &mut faults))?;
    (faults.is_empty() && !is_blank(&stored)).then_some(stored)
}

/// One of the samples of the question's kind, or its first choice; `None` for a question that takes neither.
pub fn answer(field: &Field, cx: &Cx) -> Option<Json> {
    if !field.kind.is_written() || field.kind.has_files() {
        return None;
    }
    let samples = field.row.samples.iter().filter_map(|sample| serde_json::from_str(sample.write).ok());
    let items = field.kind.parts().map(|parts| parts.items()).unwrap_or_default();
    let first = items.first().map(|item| [json!(item.code), json!([item.code])]);
    samples.chain(first.into_iter().flatten()).find_map(|raw| stored(field, raw, cx))
}
