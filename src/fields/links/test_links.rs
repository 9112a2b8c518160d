//! A form that samples of linked fields point to.

use std::sync::{Arc, OnceLock};

use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::definition::Definition;
use crate::fields::kind::Cx;
use crate::fields::links::{Link, LinkedData, LinkedEntry, LinkedForm, NOTHING};
use crate::model::entry::Entry;
use crate::model::results::Results;

impl LinkedData {
    /// The form `LinkedForm` (a name, a telephone number, a text, a link of its own) with two entries, the second
    /// empty; a third one is gone.
    pub fn of_a_test() -> &'static Self {
        static FOUND: OnceLock<LinkedData> = OnceLock::new();
        FOUND.get_or_init(|| {
            let cx = Cx {
                timezone: &TimeZone::UTC,
                locale: "en",
                now: Time::from_millis(0),
                respondent: false,
                found: &NOTHING,
                files: crate::fields::files::links::FilesCx::default(),
                pass_score: None,
                has_waiting_list: false,
            };
            let raw = json!([
                {"type": "name", "label": "Name"},
                {"type": "phone", "label": "Phone"},
                {"type": "number", "label": "Age"},
                {"type": "description", "label": "A word", "content": "x"},
            ]);
            let mut at = Issues::new();
            let definition = Definition::create(raw, &cx, &mut at);
            assert!(at.is_empty(), "{:?}", at.into_list());
            let form = Arc::new(LinkedForm {
                fields: definition.fields,
                timezone: TimeZone::UTC,
                locale: "en".to_owned(),
                mark: 0,
            });
            let mut found = LinkedData::default();
            found.add_form("LinkedForm".to_owned(), form);
            let values = [
                json!({
                    "field_1": "Ada Lovelace",
                    "field_2": {"country_id": "CN", "country_code": "86", "number": "13800138000"},
                    "field_3": 36,
                }),
                json!({}),
            ];
            for (serial, values) in (1..).zip(values) {
                found.add_entry(link(serial), Some(entry(serial, &values)));
            }
            found.add_entry(link(3), None);
            found
        })
    }
}

pub fn link(serial: i64) -> Link {
    Link { form: "LinkedForm".to_owned(), entry: format!("{serial:022}") }
}

fn entry(serial: i64, values: &Json) -> LinkedEntry {
    LinkedEntry {
        entry: Entry {
            serial,
            token: EntryToken::new(link(serial).entry),
            created_at: Time::from_millis(0),
            updated_at: Time::from_millis(0),
            version: 1,
            creator_name: None,
            duration_secs: None,
            x_field_1: None,
            waiting_position: None,
            values: values.to_string(),
            results: Results::default(),
        },
        values: values.as_object().cloned().unwrap_or_default(),
    }
}
