//! An entry as reads show it (spec 2.7, contract 3.3), as JSON text.

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::schema_builder::reference;
use crate::fields::kind::Cx;
use crate::fields::{Field, system, values};
use crate::model::entry::Entry;
use crate::ops::cache::ParsedForm;

/// What an entry has beside its values comes to about so many bytes.
const BESIDE: usize = 512;

/// The whole entry, or the four fixed keys and what is asked for.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn whole(
    parsed: &ParsedForm,
    entry: &Entry,
    wanted: Option<&[String]>,
    cx: &Cx,
) -> Result<String> {
    let mut out = fixed(entry);
    let is_wanted =
        |code: &str| wanted.is_none_or(|codes| codes.iter().any(|wanted| wanted.as_str() == code));
    for (name, value) in system::beside(entry) {
        if is_wanted(name) {
            out.push_str(&format!(",\"{name}\":{value}"));
        }
    }
    let shown = |field: &&Field| is_wanted(&field.api_code);
    members(parsed, entry, cx, shown, &mut out)?;
    out.push('}');
    Ok(out)
}

/// The JSON Schema of a whole entry; of a chosen few fields too, but for the keys that are always there.
pub fn schema() -> Json {
    let mut schema = respondent_schema();
    let more = json!({
        "info_filling_duration": {
            "type": ["integer", "null"],
            "description": "The seconds it took to fill in; null if not measured.",
        },
        "creator_name": {
            "type": ["string", "null"],
            "description": "The user who added it, if any.",
        },
        "x_field_1": {"type": "string", "description": "The value of `x_field_1` in the form's address."},
    });
    if let (Json::Object(all), Json::Object(more)) = (&mut schema["properties"], more) {
        all.extend(more);
    }
    schema
}

/// The JSON Schema of what a respondent sees.
pub fn respondent_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "serial_number": {"type": "integer", "minimum": 1},
            "token": {"type": "string"},
            "created_at": {"type": "string", "format": "date-time"},
            "updated_at": {"type": "string", "format": "date-time"},
        },
        "required": ["serial_number", "token", "created_at", "updated_at"],
        "patternProperties": {"^field_[1-9][0-9]*$": reference("FieldValue")},
    })
}

/// What a respondent sees of the own entry: no hidden field, nothing of collaborators.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn for_respondent(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> Result<String> {
    let mut out = fixed(entry);
    members(parsed, entry, cx, |field| !field.hidden, &mut out)?;
    out.push('}');
    Ok(out)
}

fn fixed(entry: &Entry) -> String {
    // Most of what follows stands in the stored text already.
    let mut out = String::with_capacity(entry.values.len() + entry.values.len() / 4 + BESIDE);
    let created_at = entry.created_at.to_string();
    let own = (entry.updated_at != entry.created_at).then(|| entry.updated_at.to_string());
    let updated_at = own.as_ref().unwrap_or(&created_at);
    let head = [
        "{\"serial_number\":",
        &entry.serial.to_string(),
        ",\"token\":\"",
        entry.token.as_str(),
    ];
    let times = [
        "\",\"created_at\":\"",
        &created_at,
        "\",\"updated_at\":\"",
        updated_at,
        "\"",
    ];
    head.into_iter()
        .chain(times)
        .for_each(|part| out.push_str(part));
    out
}

fn members(
    parsed: &ParsedForm,
    entry: &Entry,
    cx: &Cx,
    shown: impl Fn(&&Field) -> bool,
    out: &mut String,
) -> Result<()> {
    let fields = parsed.definition.fields.with_values().filter(shown);
    values::write_members(fields, &entry.values, cx, out).map_err(Error::internal)
}
