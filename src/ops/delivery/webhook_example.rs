//! An event of a form as its receivers get it, with made-up answers to the form's own questions.

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::id::EntryToken;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::values::stored::{self, Values};
use crate::model::caller::Caller;
use crate::model::entry::{Entry, FIRST_VERSION};
use crate::model::event::EventKind;
use crate::ops::app::App;
use crate::ops::delivery::events;
use crate::ops::entries::entry_shape;
use crate::ops::forms::access::{self, Right};

/// Placeholders for ids that only a real event has.
const EVENT: &str = "evt_0123456789abcdef";
const ENTRY: &str = "0123456789abcdefABCDEF";

/// The body of an event of a new entry, as JSON text in lines.
///
/// # Errors
/// 403, 404.
pub fn body(app: &App, caller: &Caller, form: &str) -> Result<String> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let cx = parsed.cx(tx.now, false);
        let fields = parsed.definition.fields.iter();
        let values: Values = fields.filter_map(|field| Some((field.api_code.clone(), example(field, &cx)?))).collect();
        let entry = Entry {
            token: EntryToken::new(ENTRY),
            created_at: tx.now,
            updated_at: tx.now,
            version: FIRST_VERSION,
            duration_secs: Some(60),
            values: stored::text(&values),
            ..Entry::without_values(1)
        };
        let shown = entry_shape::whole(&parsed, &entry, None, &cx)?;
        let body = events::body(EVENT, EventKind::EntryCreated, tx.now, &form, &shown)?;
        let body: Json = serde_json::from_str(&body).map_err(Error::internal)?;
        serde_json::to_string_pretty(&body).map_err(Error::internal)
    })
}

/// An answer as it is stored: a sample of the question's kind, else the first of its options. `None` for fields without
/// answers, and for files: there is no example of one.
fn example(field: &Field, cx: &Cx) -> Option<Json> {
    if !field.kind.is_written() || field.kind.files().is_some() {
        return None;
    }
    let samples = field.row.samples.iter().filter_map(|sample| serde_json::from_str(sample.write).ok());
    let offered = first_offered(&field.kind.write_schema());
    let offered = offered.into_iter().flat_map(|one| [json!([one.clone()]), one]);
    samples.chain(offered).find_map(|raw: Json| {
        let mut faults = Issues::new();
        let stored = field.kind.parse(raw, cx, &mut faults);
        (faults.is_empty() && !stored::is_blank(&stored)).then_some(stored)
    })
}

/// The first value that a schema lists.
fn first_offered(schema: &Json) -> Option<Json> {
    match schema {
        Json::Object(members) => {
            let listed = members.get("enum").and_then(|values| values.get(0)).cloned();
            listed.or_else(|| members.values().find_map(first_offered))
        }
        Json::Array(items) => items.iter().find_map(first_offered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_of_a_schema_is_found_where_it_stands() {
        let schema = json!({"anyOf": [{"type": "object"}, {"items": {"enum": ["red", "blue"]}}]});
        assert_eq!(first_offered(&schema), Some(json!("red")));
        assert_eq!(first_offered(&json!({"type": "string"})), None);
        assert_eq!(first_offered(&json!({"enum": []})), None);
    }
}
