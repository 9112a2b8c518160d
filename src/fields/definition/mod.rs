//! Reads the `fields` of a form and edits them: the list replaces the old one, codes are kept or assigned, and data
//! that an edit would lose is reported (contract section 3).

pub mod convert;
pub mod depends;
pub(in crate::fields) mod field_reader;
pub mod items;
pub mod page_size;

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text::phrase::phrase;
use crate::fields::definition::field_reader::{Edited, read_stored};
use crate::fields::definition::page_size::PageSize;
use crate::fields::field::MAX_FIELDS;
use crate::fields::images::Images;
use crate::fields::kind::Cx;
use crate::fields::kinds::KINDS;
use crate::fields::texts::pattern::Cost;
use crate::fields::{Field, Fields};

/// Maximum choices, statements and other named parts of a form's fields together.
const MAX_ITEMS: usize = 5_000;
/// Above this a form's patterns take milliseconds for an entry.
const MANY_STEPS: u64 = 1_000_000;
/// Above this a form's formulas may take as long, because each can read a megabyte of text.
const MANY_FORMULAS: usize = 10;
/// Above this a form's page takes milliseconds to render.
const LARGE_PAGE: usize = 100 << 10;

/// A form's fields with the data needed to edit them.
pub struct Definition {
    /// In the form's order.
    pub fields: Arc<Fields>,
    /// The N of the next `field_N`.
    pub next_field: u32,
    /// The size of the form's page with all rows that a respondent may add.
    page_bytes: usize,
}

/// A removal that may lose data of entries.
#[derive(Clone)]
pub struct Removal {
    /// The path of the fault: `fields.field_3`, `fields.field_3.choices.abcd`.
    pub attribute: String,
    pub api_code: String,
    /// The item of the field; `None` if the whole field is removed.
    pub item: Option<String>,
}

/// Codes of a form that a draft has taken.
#[derive(Clone, Debug, Default)]
pub struct Drafted {
    /// The codes of its new fields, as far as they may be named.
    pub codes: HashSet<String>,
    /// The N of its next `field_N`; 0 without a draft.
    pub next_field: u32,
}

/// The outcome of an edit.
pub struct Edit {
    pub definition: Definition,
    pub removals: Vec<Removal>,
    /// Fields that became unique: their values have to be checked for duplicates.
    pub newly_unique: Vec<String>,
    /// The N of the draft's next `field_N` when the edit was read.
    pub drafted_next: u32,
}

impl Definition {
    /// Reads the `fields` of a new form. Faults go to `at`, under `fields`.
    pub fn create(raw: Json, cx: &Cx, at: &mut Issues) -> Self {
        let empty = Self { fields: Arc::new(Fields::new(Vec::new())), next_field: 1, page_bytes: 0 };
        empty.replace(raw, cx, at).definition
    }

    /// Reads the `fields` of an update, which replace the current ones.
    pub fn replace(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Edit {
        self.replace_drafted(raw, &Drafted::default(), cx, at)
    }

    /// Like [`replace`](Self::replace), beside a draft that gave codes to new fields.
    pub fn replace_drafted(&self, raw: Json, drafted: &Drafted, cx: &Cx, at: &mut Issues) -> Edit {
        let mut fields = Fields::new(Vec::new());
        let mut edited = Edited {
            old: &|api_code| self.fields.get(api_code),
            kinds: KINDS,
            table: KINDS,
            unknown: "is not a field of this form",
            drafted: Some(&drafted.codes),
            next_field: self.next_field.max(drafted.next_field),
        };
        let mut newly_unique = Vec::new();
        let mut page = PageSize::default();
        at.key("fields", |at| {
            let Json::Array(items) = raw else {
                at.push(Reason::MustBe(Expected::List));
                return;
            };
            // A form that is not published may have none: its caller knows.
            if items.len() > MAX_FIELDS {
                at.push(Reason::not_one_to(MAX_FIELDS, Things::Other("fields")));
                return;
            }
            let mut list = Vec::new();
            let mut seen = HashSet::new();
            let given = items.len();
            let faults = at.count();
            let mut cost = Cost::default();
            for (i, item) in items.into_iter().enumerate() {
                at.index(i, |at| {
                    let mut reader = Reader::new(item, at);
                    let Some(field) = edited.read_with(&mut reader, cx.found) else {
                        return;
                    };
                    cost = [cost, field.kind.pattern_cost()].into_iter().sum();
                    let was = self.fields.get(&field.api_code);
                    let keeps_link = was.is_some_and(|old| keeps_default_link(old, &field));
                    if cost.fault().is_none() && !keeps_link {
                        check_default(&field, cx, reader.issues());
                    }
                    if !seen.insert(field.api_code.clone()) {
                        reader.fault("api_code", Reason::Repeated);
                    }
                    let was_unique = was.is_some_and(|old| old.unique);
                    if field.unique && !was_unique {
                        newly_unique.push(field.api_code.clone());
                    }
                    list.push(field);
                });
            }
            if let Some(fault) = cost.fault() {
                at.push(fault);
            }
            fields = Fields::new(list);
            let parts: usize = fields.iter().map(|field| field.kind.items().len()).sum();
            if at.count() == faults && parts > MAX_ITEMS {
                at.push(Reason::other(phrase!(
                    "may have at most {} choices, statements and items in all, not {}: split it into several forms",
                    MAX_ITEMS,
                    parts
                )));
            }
            if at.count() == faults {
                page = PageSize::of(&fields, cx);
                if page.opened > page_size::MAX_BYTES {
                    at.push(Reason::other(
                        "would make a page of more than 1 MiB: use fewer or shorter choices, rows and texts, \
                         or split it into several forms",
                    ));
                }
            }
            // If a field could not be read, a formula that refers to it is not wrong.
            if fields.len() == given {
                depends::check(&fields, at);
            }
        });
        let removals = self.removals(&fields);
        Edit {
            definition: Self { next_field: edited.next_field, fields: Arc::new(fields), page_bytes: page.filled },
            removals,
            newly_unique,
            drafted_next: drafted.next_field,
        }
    }

    fn removals(&self, new: &Fields) -> Vec<Removal> {
        let mut out = Vec::new();
        for old in self.fields.with_values() {
            let attribute = format!("fields.{}", old.api_code);
            let Some(kept) = new.get(&old.api_code) else {
                out.push(Removal { attribute, api_code: old.api_code.clone(), item: None });
                continue;
            };
            let left: HashSet<_> = kept.kind.items().into_iter().map(|item| item.code).collect();
            for item in old.kind.items() {
                // Removing an outer part removes its inner ones: that is reported once.
                let outer = item.code.rsplit_once('.').map(|(outer, _)| outer);
                if outer.is_some_and(|outer| !left.contains(outer)) {
                    continue;
                }
                if !left.contains(item.code) && kept.kind.parts().is_some() {
                    out.push(Removal {
                        attribute: format!("{attribute}.{}.{}", item.list, item.code),
                        api_code: old.api_code.clone(),
                        item: Some(item.code.to_owned()),
                    });
                }
            }
        }
        out
    }

    /// Whether rendering a page or checking a submission may take so long that it must not block other requests:
    /// because of patterns, formulas, or the size of the page.
    pub fn is_heavy(&self) -> bool {
        let kinds = self.fields.iter().map(|field| &field.kind);
        let formulas = kinds.filter(|kind| kind.computed().is_some()).count();
        self.pattern_cost().steps() > MANY_STEPS || formulas > MANY_FORMULAS || self.page_bytes > LARGE_PAGE
    }

    pub fn pattern_cost(&self) -> Cost {
        let fields = self.fields.iter();
        fields.map(|field| field.kind.pattern_cost()).sum()
    }

    /// The stored form: the API's shape with internal data.
    pub fn to_stored(&self) -> Json {
        let fields: Vec<Json> = self.fields.iter().map(Field::to_stored).collect();
        json!({
            "next_field": self.next_field,
            "page_bytes": self.page_bytes,
            "fields": fields,
        })
    }

    /// Reads the output of `to_stored`. A fault means that the database was changed by other software; the message, for
    /// the log, has the place.
    pub fn from_stored(stored: Json) -> Result<Self, String> {
        Self::from_stored_with(stored, &Images::of_stored(""))
    }

    /// Like [`from_stored`](Self::from_stored), with the form's images; unknown images are omitted.
    pub fn from_stored_with(stored: Json, images: &Images) -> Result<Self, String> {
        let mut at = Issues::new();
        let mut reader = Reader::new(stored, &mut at);
        let next_field = reader.opt_int("next_field", 1..=i64::from(u32::MAX)).unwrap_or(1);
        let page_bytes = reader.opt_int("page_bytes", 0..=i64::MAX);
        let fields = reader.opt_objects("fields", |item| read_stored(item, KINDS, KINDS, images)).unwrap_or_default();
        if !at.is_empty() {
            return Err(format!("stored fields are damaged: {:?}", at.into_list()));
        }
        let fields = Fields::new(fields.into_iter().flatten().collect());
        Ok(Self {
            next_field: u32::try_from(next_field).unwrap_or(1),
            page_bytes: page_bytes.map_or(0, |bytes| usize::try_from(bytes).unwrap_or_default()),
            fields: Arc::new(fields),
        })
    }
}

/// The fault of a list of fields that is empty though its form is published.
pub fn none_given() -> Reason {
    Reason::not_one_to(MAX_FIELDS, Things::Other("fields"))
}

/// JSON Schema of the `fields` of a request.
pub fn list_schema() -> Json {
    json!({
        "type": "array",
        "description": "At most 5,000 choices, statements and items altogether, and a page of at most 1 MiB. Only a form that is not published may have none.",
        "maxItems": MAX_FIELDS,
        "items": reference("FieldDefinition"),
    })
}

/// Whether a field's default links to the same entry as before. That it is gone by now must not keep its form from
/// being edited.
fn keeps_default_link(old: &Field, new: &Field) -> bool {
    let rules = new.kind.link_rules();
    rules.is_some() && rules == old.kind.link_rules() && new.default_value == old.default_value
}

/// Defaults, including those of cells, must be valid answers.
fn check_default(field: &Field, cx: &Cx, at: &mut Issues) {
    at.key("dimensions", |at| {
        for (i, sub) in field.kind.sub_fields().iter().enumerate() {
            at.index(i, |at| check_default(sub, cx, at));
        }
    });
    if let Some(raw) = &field.default_value {
        at.key("default_value", |at| {
            // A default that resolves to nothing is invalid here, and omitted in entries.
            let resolved = Some(field.kind.resolve_default(raw, cx)).filter(|raw| !raw.is_null());
            let raw = resolved.unwrap_or_else(|| raw.clone());
            if !raw.is_null() {
                field.kind.parse(raw, cx, at);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(api_code: Option<&str>) -> Json {
        json!({"api_code": api_code, "type": "short_text", "label": "a"})
    }

    fn radio(api_code: Option<&str>, codes: &[&str]) -> Json {
        let choices: Vec<Json> = codes.iter().map(|code| json!({"api_code": code, "label": code})).collect();
        json!({"api_code": api_code, "type": "radio", "label": "r", "choices": choices})
    }

    fn made(raw: Json) -> Definition {
        let mut at = Issues::new();
        let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        definition
    }

    /// An edit, its faults, and the form as the next request loads it.
    fn edit(old: &Definition, raw: Json) -> (Edit, Vec<String>) {
        let mut at = Issues::new();
        let mut edit = old.replace(raw, &Cx::of_a_test(false), &mut at);
        edit.definition = Definition::from_stored(edit.definition.to_stored()).expect("reads back");
        let faults = at.into_list().into_iter().map(|issue| issue.to_string());
        (edit, faults.collect())
    }

    fn codes(definition: &Definition) -> Vec<&str> {
        definition.fields.iter().map(|field| field.api_code.as_str()).collect()
    }

    fn removed(edit: &Edit) -> Vec<&str> {
        edit.removals.iter().map(|removal| removal.attribute.as_str()).collect()
    }

    #[test]
    fn numbers_count_up_and_are_never_used_again() {
        let form = made(json!([text(None), text(None)]));
        assert_eq!(codes(&form), ["field_1", "field_2"]);
        let (first, _) = edit(&form, json!([text(None), text(Some("field_1"))]));
        assert_eq!(codes(&first.definition), ["field_3", "field_1"]);
        assert_eq!(removed(&first), ["fields.field_2"]);
        let (second, faults) = edit(&first.definition, json!([text(None)]));
        assert_eq!((codes(&second.definition), faults), (vec!["field_4"], vec![]));
    }

    #[test]
    fn names_that_are_unknown_or_stand_twice_are_refused() {
        let form = made(json!([text(None)]));
        let raw = json!([text(Some("field_1")), text(Some("field_1")), text(Some("field_2")), text(Some("x"))]);
        assert_eq!(
            edit(&form, raw).1,
            [
                "fields[1].api_code is listed twice",
                "fields[2].api_code is not a field of this form",
                "fields[3].api_code is not a field of this form",
            ]
        );
        assert_eq!(
            edit(&form, json!([{"api_code": "field_1", "type": "number", "label": "a"}])).1,
            ["fields[0].type can't change from short_text to number"]
        );
    }

    #[test]
    fn items_that_go_are_named_and_their_names_are_spent() {
        let form = made(json!([radio(None, &["a", "b"])]));
        let (first, faults) = edit(&form, json!([radio(Some("field_1"), &["b", "c"])]));
        assert_eq!((removed(&first), faults), (vec!["fields.field_1.choices.a"], vec![]));
        let (_, faults) = edit(&first.definition, json!([radio(Some("field_1"), &["a", "b", "c"])]));
        assert_eq!(faults, ["fields[0].choices[0].api_code was used before in this field"]);
        // Another field may have a choice with that code.
        let (other, faults) = edit(&first.definition, json!([radio(None, &["a"])]));
        assert_eq!((removed(&other), faults), (vec!["fields.field_1"], vec![]));
        // A checkbox keeps the choices that the radio's values refer to.
        let mut checkbox = radio(Some("field_1"), &["b"]);
        checkbox["type"] = json!("checkbox");
        assert_eq!(removed(&edit(&first.definition, json!([checkbox])).0), ["fields.field_1.choices.c"]);
    }

    #[test]
    fn what_becomes_unique_is_told() {
        let unique =
            |api_code: Option<&str>| json!({"api_code": api_code, "type": "name", "label": "a", "unique": true});
        let form = made(json!([unique(None), text(None)]));
        let mut also = text(Some("field_2"));
        also["unique"] = json!(true);
        let (edit, _) = edit(&form, json!([unique(Some("field_1")), also, unique(None)]));
        assert_eq!(edit.newly_unique, ["field_2", "field_3"]);
    }

    #[test]
    fn a_damaged_row_is_said_to_be_so() {
        for damaged in [json!([]), json!({"fields": 1}), json!({"fields": [{"type": "hologram"}]})] {
            assert!(Definition::from_stored(damaged.clone()).is_err(), "{damaged}");
        }
    }
}
