//! The field kinds, one file each, and the table of them. No kind refers to another.

mod address;
mod attachment;
mod audio;
mod booking;
mod cascade;
mod checkbox;
mod date;
mod description;
mod dropdown;
mod email;
mod formula;
mod image_checkbox;
mod image_radio;
mod likert;
mod linked_form;
mod location;
mod long_text;
mod matrix;
mod matrix_rating;
mod name;
mod nps;
mod number;
mod page_break;
mod phone;
mod product;
mod radio;
mod ranking;
mod rating;
mod short_text;
mod signature;
mod table;
mod time;
mod url;

use crate::fields::kind::KindRow;

/// Every kind. A new one needs a file, its `mod` line above and its row here.
pub static KINDS: &[&KindRow] = &[
    &short_text::KIND,
    &long_text::KIND,
    &name::KIND,
    &email::KIND,
    &url::KIND,
    &phone::KIND,
    &number::KIND,
    &date::KIND,
    &time::KIND,
    &radio::KIND,
    &checkbox::KIND,
    &image_radio::KIND,
    &image_checkbox::KIND,
    &dropdown::KIND,
    &cascade::KIND,
    &ranking::KIND,
    &rating::KIND,
    &nps::KIND,
    &likert::KIND,
    &product::KIND,
    &booking::KIND,
    &formula::KIND,
    &matrix_rating::KIND,
    &matrix::KIND,
    &table::KIND,
    &address::KIND,
    &location::KIND,
    &attachment::KIND,
    &audio::KIND,
    &signature::KIND,
    &page_break::KIND,
    &linked_form::KIND,
    &description::KIND,
];

/// The kinds as people look for them, by the groups that have names among the texts.
pub static GROUPS: &[(&str, &[&KindRow])] = &[
    (
        "text",
        &[
            &short_text::KIND,
            &long_text::KIND,
            &name::KIND,
            &email::KIND,
            &phone::KIND,
            &url::KIND,
            &address::KIND,
            &location::KIND,
        ],
    ),
    (
        "choice",
        &[&radio::KIND, &checkbox::KIND, &dropdown::KIND, &image_radio::KIND, &image_checkbox::KIND, &cascade::KIND],
    ),
    ("number", &[&number::KIND, &date::KIND, &time::KIND, &formula::KIND]),
    ("ratings", &[&rating::KIND, &nps::KIND, &likert::KIND, &ranking::KIND, &matrix_rating::KIND]),
    ("order", &[&product::KIND, &booking::KIND]),
    ("file", &[&attachment::KIND, &audio::KIND, &signature::KIND]),
    ("form", &[&description::KIND, &page_break::KIND, &matrix::KIND, &table::KIND, &linked_form::KIND]),
];

/// The type of a person's name.
pub const PERSON: &str = "name";

/// The row of a `type`.
pub fn by_name(name: &str) -> Option<&'static KindRow> {
    KINDS.iter().copied().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::base::clock::Time;
    use crate::base::issue::Issues;
    use crate::base::json::Json;
    use crate::base::text::texts::texts;
    use crate::fields::definition::Definition;
    use crate::fields::kind::{Cx, InputCx, Sample};
    use crate::fields::links::LinkedData;
    use crate::fields::{Field, values};

    fn cx(timezone: &TimeZone) -> Cx<'_> {
        let now = Time::parse("2026-11-20T12:00:00Z").expect("a time");
        Cx {
            timezone,
            locale: "en",
            now,
            respondent: true,
            found: LinkedData::of_a_test(),
            files: crate::fields::files::links::FilesCx::default(),
            pass_score: None,
            has_waiting_list: false,
        }
    }

    fn definition(row: &KindRow, own: &str, label: &str) -> Definition {
        let mut field: Json = serde_json::from_str(own).expect("JSON");
        field["type"] = json!(row.name);
        field["label"] = json!(label);
        let mut at = Issues::new();
        let definition = Definition::create(json!([field]), &cx(&TimeZone::UTC), &mut at);
        assert!(at.is_empty(), "{}: {:?}", row.name, at.into_list());
        definition
    }

    fn each(f: impl Fn(&KindRow, &Sample, &Field)) {
        for row in KINDS {
            for sample in row.samples {
                let definition = definition(row, sample.definition, "A label");
                f(row, sample, definition.fields.get("field_1").expect("the field"));
            }
        }
    }

    #[test]
    fn names_are_unique_and_every_kind_has_samples() {
        let mut names = HashSet::new();
        for row in KINDS {
            assert!(names.insert(row.name), "{}", row.name);
            assert!(row.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
            assert!(!row.samples.is_empty(), "{}", row.name);
        }
    }

    #[test]
    fn samples_are_stored_and_read_as_they_say() {
        let utc = TimeZone::UTC;
        let cx = cx(&utc);
        each(|row, sample, field| {
            if !field.kind.has_value() {
                return;
            }
            let json = |text: &str| serde_json::from_str::<Json>(text).expect("JSON");
            let mut at = Issues::new();
            let stored = field.kind.parse(json(sample.write), &cx, &mut at);
            assert!(at.is_empty(), "{}: {:?}", row.name, at.into_list());
            assert_eq!(stored, json(sample.stored), "{}", row.name);
            assert_eq!(field.kind.text(&stored, &cx), sample.text, "{}", row.name);
            let read = field.kind.read(&stored, &cx);
            assert!(!field.kind.reads_as_stored() || read == stored, "{}", row.name);
            let again = field.kind.parse(read, &cx, &mut Issues::new());
            assert_eq!(again, stored, "{}", row.name);
            for left in [field.kind.prune(stored.clone(), &cx), field.kind.without_removed(stored.clone(), &cx)] {
                assert_eq!(left, stored, "{}", row.name);
            }
            let keyed = !field.kind.keys(&stored, &cx).is_empty();
            let findable = !values::is_blank(&stored) && !field.kind.operators().is_empty();
            assert!(keyed || !findable, "{}", row.name);
            assert_eq!(field.kind.unique_key(&stored).is_some(), row.facets.unique, "{}", row.name);
        });
    }

    #[test]
    fn definitions_survive_the_store() {
        each(|row, sample, _| {
            let definition = definition(row, sample.definition, "A label");
            let stored = definition.to_stored();
            let back = Definition::from_stored(stored.clone()).expect("reads back");
            assert_eq!(back.to_stored(), stored, "{}", row.name);
        });
    }

    #[test]
    fn controls_escape_what_people_typed() {
        let hostile = "\"><script>alert(1)</script>";
        let utc = TimeZone::UTC;
        let cx = cx(&utc);
        each(|row, _, field| {
            for value in [json!(hostile), json!({"number": hostile, "value": hostile}), json!([hostile])] {
                let markup = field.kind.input(&InputCx {
                    name: "field_1",
                    label: hostile,
                    value: &value,
                    posted: None,
                    required: true,
                    placeholder: Some(hostile),
                    invalid: true,
                    faults: &[],
                    described_by: "note",
                    texts: texts("en"),
                    currency: "USD",
                    seed: "",
                    cx: &cx,
                });
                assert!(!markup.into_string().contains("<script"), "{}", row.name);
            }
        });
    }
}
