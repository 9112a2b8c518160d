//! Reads one field of a definition, by a table of kinds that the caller has: of a form, or of a field that has
//! fields inside.

use std::collections::HashSet;

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::Field;
use crate::fields::definition::convert;
use crate::fields::images::Images;
use crate::fields::kind::{BuildCx, KindRow};
use crate::fields::links::{self, LinkedData, NOTHING};
use crate::fields::texts::rich_text;

const MAX_LABEL: usize = 500;
/// The longest path of codes: three, separated by dots.
const MAX_PATH: usize = 3 * 32 + 2;

/// A list of fields being edited: those of a form, or those within a field.
pub struct Edited<'a> {
    /// The field of that name before the edit.
    pub old: &'a dyn Fn(&str) -> Option<&'a Field>,
    /// The types that the list may have.
    pub kinds: &'a [&'static KindRow],
    /// All kinds.
    pub table: &'static [&'static KindRow],
    /// The fault for an unknown code.
    pub unknown: &'static str,
    /// Codes that a draft gave to new fields.
    pub drafted: Option<&'a HashSet<String>>,
    /// The N of the next `field_N`.
    pub next_field: u32,
}

impl Edited<'_> {
    /// Reads one field of a request, new or edited; `None` if its type is unknown. It can't refer to other forms.
    pub fn read(&mut self, reader: &mut Reader) -> Option<Field> {
        self.read_with(reader, &NOTHING)
    }

    /// Like [`read`](Self::read), for a field that can, with the loaded forms.
    pub fn read_with(&mut self, reader: &mut Reader, found: &LinkedData) -> Option<Field> {
        let mut drafted = None;
        reader.note("api_code", || json!({"pattern": "^field_[1-9][0-9]*$"}));
        let old = reader.opt_text("api_code", 64).map(|api_code| {
            let old = (self.old)(&api_code);
            let is_drafted = self.drafted.is_some_and(|codes| codes.contains(&api_code));
            if old.is_none() && !is_drafted {
                reader.fault("api_code", Reason::other(self.unknown));
            }
            drafted = is_drafted.then_some(api_code);
            old
        });
        let old = old.flatten();
        let Some(row) = read_type(reader, self.kinds) else {
            // The other faults are reported too.
            read_common(reader, true, found.images());
            return None;
        };
        if let Some(old) = old
            && old.row.name != row.name
            && !convert::is_allowed(old.row, row)
        {
            let message = phrase!("can't change from {} to {}", Phrase::plain(old.row.name), Phrase::plain(row.name));
            reader.fault("type", Reason::other(message));
            return None;
        }
        let mut field = self.build(reader, row, old, found);
        field.api_code = match (old, drafted) {
            (Some(old), _) => old.api_code.clone(),
            (None, Some(api_code)) => api_code,
            (None, None) => {
                let api_code = format!("field_{}", self.next_field);
                self.next_field += 1;
                api_code
            }
        };
        Some(field)
    }

    /// Builds a field of a request: header and kind, with the data kept from the old field.
    fn build(&self, reader: &mut Reader, row: &'static KindRow, old: Option<&Field>, found: &LinkedData) -> Field {
        let old_items: Vec<String> =
            old.map(|old| old.kind.items().iter().map(|item| item.code.to_owned()).collect()).unwrap_or_default();
        let mut retired = old.map(|old| old.retired.clone()).unwrap_or_default();
        let known: Vec<String> = old_items.iter().chain(&retired).cloned().collect();
        let cx = BuildCx {
            kinds: self.table,
            known: &known,
            retired: &retired,
            old: old.map(|old| old.kind.as_ref()),
            is_stored: false,
            found: Some(found),
            images: found.images(),
        };
        let mut field = read_header(reader, row, &cx);
        let kept: HashSet<_> = field.kind.items().into_iter().map(|item| item.code).collect();
        retired.extend(old_items.into_iter().filter(|code| !kept.contains(code.as_str())));
        drop(kept);
        field.retired = retired;
        if let Some(old) = old {
            field.past = convert::past_after(old, &field);
        }
        field
    }
}

/// Reads one field in the stored form; `None` if its type is unknown.
pub fn read_stored(
    reader: &mut Reader,
    kinds: &[&'static KindRow],
    table: &'static [&'static KindRow],
    images: &Images,
) -> Option<Field> {
    let past = reader.opt_texts("past", 64, |_| Ok(())).unwrap_or_default();
    let retired = reader.opt_texts("retired", MAX_PATH, |_| Ok(())).unwrap_or_default();
    let api_code = reader.opt_text("api_code", 64).unwrap_or_default();
    let row = read_type(reader, kinds)?;
    let cx = BuildCx { kinds: table, is_stored: true, images, ..BuildCx::default() };
    let mut field = read_header(reader, row, &cx);
    field.api_code = api_code;
    field.past = past;
    field.retired = retired;
    Some(field)
}

/// `short_text` → `ShortText`.
pub fn type_name(kind: &str) -> String {
    kind.split('_')
        .flat_map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars)
        })
        .collect()
}

/// Any of these types: `part` is `Definition` or `Field`.
pub fn one_of(kinds: &[&'static KindRow], part: &str) -> Json {
    let name = |row: &KindRow| format!("{}{part}", type_name(row.name));
    let all: Vec<Json> = kinds.iter().map(|row| reference(&name(row))).collect();
    let mapping: Map<String, Json> = kinds
        .iter()
        .map(|row| {
            let to = reference(&name(row))["$ref"].take();
            (row.name.to_owned(), to)
        })
        .collect();
    json!({"oneOf": all, "discriminator": {"propertyName": "type", "mapping": mapping}})
}

fn read_type(reader: &mut Reader, kinds: &[&'static KindRow]) -> Option<&'static KindRow> {
    if let ([row], true) = (kinds, reader.is_describing()) {
        reader.note("type", || json!({"const": row.name}));
        let _ = reader.required("type");
        return Some(row);
    }
    if reader.describe_as(|| one_of(kinds, "Definition")) {
        return None;
    }
    match reader.required("type")? {
        Json::String(name) => {
            let row = kinds.iter().copied().find(|row| row.name == name);
            if row.is_none() {
                let names = kinds.iter().map(|row| row.name);
                reader.fault("type", Reason::one_of(names));
            }
            row
        }
        _ => {
            reader.fault("type", Reason::MustBe(Expected::Text));
            None
        }
    }
}

/// The keys that all types have.
struct Common {
    label: String,
    notes: Option<String>,
    required: bool,
    hidden: bool,
    placeholder: Option<String>,
    default_value: Option<Json>,
    unique: bool,
}

fn read_common(reader: &mut Reader, is_label_needed: bool, images: &Images) -> Common {
    Common {
        label: if is_label_needed {
            reader.text("label", MAX_LABEL)
        } else {
            reader.opt_text("label", MAX_LABEL).unwrap_or_default()
        },
        notes: rich_text::read(reader, "notes", images),
        required: reader.bool("required", false),
        hidden: reader.bool("hidden", false),
        placeholder: reader.opt_text("placeholder", MAX_LABEL),
        default_value: reader.raw("default_value"),
        unique: reader.bool("unique", false),
    }
}

fn read_header(reader: &mut Reader, row: &'static KindRow, cx: &BuildCx) -> Field {
    let common = read_common(reader, !row.facets.label_optional, cx.images);
    if common.unique && !row.facets.unique {
        let reason = phrase!("is not possible for {}", Phrase::plain(row.name));
        reader.fault("unique", Reason::other(reason));
    }
    let kind = (row.build)(reader, cx);
    let default_value = common.default_value.filter(|_| kind.has_value());
    // Respondents can read the default. A linked entry may show a collaborator more than it shows them.
    let default_value = default_value.map(|raw| match links::token_of(&raw) {
        Some(token) if kind.link_rules().is_some() => json!(token),
        _ => raw,
    });
    Field {
        api_code: String::new(),
        label: common.label,
        notes: common.notes,
        required: common.required && kind.has_value(),
        hidden: common.hidden,
        placeholder: common.placeholder,
        default_value,
        unique: common.unique,
        row,
        kind,
        past: Vec::new(),
        retired: Vec::new(),
    }
}
