//! What stands in a form's page before anything is typed: what its address fills in, and the defaults of the rest.

use serde_json::Map;

use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::fields::{Field, values};
use crate::web::pages::form::form_view::FilledForm;
use crate::web::request::call::Call;

/// An address is shorter.
const MAX_WRITTEN: usize = 8 << 10;

/// What the address fills in.
pub fn from_address(call: &Call, sheet: &FilledForm) -> Map<String, Json> {
    let pairs: Vec<_> = call.pairs().collect();
    let tree = FormPart::tree(
        pairs
            .iter()
            .filter(|(name, _)| name.starts_with("field_"))
            .map(|(name, value)| (name.as_ref(), value.as_ref())),
    );
    let cx = sheet.cx();
    let fields = sheet.published.parsed.definition.fields.with_values();
    fields
        .filter(|field| !field.hidden && field.kind.is_written())
        .filter_map(|field| {
            let part = tree.member(&field.api_code)?;
            let given = written(field, part).unwrap_or_else(|| field.kind.form_value(part, &cx));
            (!given.is_null()).then(|| (field.api_code.clone(), given))
        })
        .collect()
}

/// The same, and the defaults of what it leaves out.
pub fn with_defaults(mut given: Map<String, Json>, sheet: &FilledForm) -> Map<String, Json> {
    let cx = sheet.cx();
    let fields = sheet.published.parsed.definition.fields.with_values();
    fields
        .filter(|field| !field.hidden && field.kind.is_written())
        .map(|field| {
            let value = given.shift_remove(&field.api_code);
            let value = value.unwrap_or_else(|| values::default_of(field, &cx));
            (field.api_code.clone(), value)
        })
        .collect()
}

/// A whole value in the write shape, as JSON; none where the field's values are texts, or where that is
/// no JSON. Whether it is a good value is said when it is sent.
fn written(field: &Field, part: &FormPart) -> Option<Json> {
    let text = part.first().filter(|text| text.starts_with(['{', '[']) && text.len() <= MAX_WRITTEN)?;
    if field.kind.write_schema()["type"] == "string" {
        return None;
    }
    serde_json::from_str(text).ok()
}
