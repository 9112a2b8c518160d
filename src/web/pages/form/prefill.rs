//! The initial values of a form's page: those in its address, and the defaults of the rest.

use serde_json::Map;
use url::form_urlencoded::Serializer;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::fields::kind::Cx;
use crate::fields::{Field, values};
use crate::web::pages::form::form_view::FilledForm;
use crate::web::request::call::Call;

/// An address is shorter.
const MAX_WRITTEN: usize = 8 << 10;
/// The most characters of a link: its pages, whose addresses are a little longer, are asked for too.
pub const MOST_CHARACTERS: usize = 8_000;
/// The most characters of `x_field_1` in an address, which tells where respondents come from.
pub const MOST_X_FIELD: usize = 255;

/// The values in the address.
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
            let given = read(field, tree.member(&field.api_code)?, &cx);
            (!given.is_null()).then(|| (field.api_code.clone(), given))
        })
        .collect()
}

/// The same, and the defaults of the other fields.
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

fn read(field: &Field, part: &FormPart, cx: &Cx) -> Json {
    written(field, part).unwrap_or_else(|| field.kind.form_value(part, cx))
}

/// The query of an address that prefills the current values of a form, except for defaults.
pub fn query(sheet: &FilledForm, x_field_1: Option<&str>) -> String {
    let cx = sheet.cx();
    let mut query = Serializer::new(String::new());
    let fields = sheet.published.parsed.definition.fields.with_values();
    for field in fields.filter(|field| !field.hidden && field.kind.is_written()) {
        let Some(value) = sheet.values.get(&field.api_code).filter(|value| !value.is_null()) else {
            continue;
        };
        let default = values::default_of(field, &cx);
        // Controls that nobody has touched send empty parts.
        let is_blank = |value: &Json| values::is_blank(&field.kind.parse(value.clone(), &cx, &mut Issues::new()));
        if *value != default && !(is_blank(value) && is_blank(&default)) {
            query.append_pair(&field.api_code, &text_of(field, value, sheet, &cx));
        }
    }
    if let Some(x_field_1) = x_field_1.filter(|text| !text.is_empty()) {
        query.append_pair("x_field_1", x_field_1);
    }
    query.finish()
}

/// A value as an address has it: as its text alone where that reads the same.
fn text_of(field: &Field, value: &Json, sheet: &FilledForm, cx: &Cx) -> String {
    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_same = |text: &str| {
        let tree = FormPart::tree([(field.api_code.as_str(), text)]);
        tree.member(&field.api_code).is_some_and(|part| read(field, part, cx) == *value)
    };
    let typed = sheet.posted.member(&field.api_code).and_then(FormPart::first);
    match typed.filter(|typed| !is_same(&plain) && is_same(typed)) {
        Some(typed) => typed.to_owned(),
        None => plain,
    }
}

/// A whole value in the write shape, as JSON; none where the field's values are texts, or where the text is no JSON.
/// The value is checked when it is sent.
fn written(field: &Field, part: &FormPart) -> Option<Json> {
    let text = part.first().filter(|text| text.starts_with(['{', '[']) && text.len() <= MAX_WRITTEN)?;
    if field.kind.write_schema()["type"] == "string" {
        return None;
    }
    serde_json::from_str(text).ok()
}
