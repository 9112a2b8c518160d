//! Checked values, with the lists that they were requested as, before they become an entry.

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::kind::Cx;
use crate::fields::values::{self, Checked, Values, stored};
use crate::model::capacity::Demand;
use crate::model::entry::NewEntry;
use crate::model::results::Results;
use crate::ops::capacity::{self, RequestedLists};
use crate::ops::entries::exact_keys::{self, Keys};
use crate::query::form_cache::ParsedForm;

/// Values that were checked, as they would be stored.
#[derive(Default)]
pub(in crate::ops) struct Draft {
    pub checked: Checked,
    /// The requested items, by the lines of the request.
    asked: RequestedLists,
}

impl Draft {
    /// Of a new entry, from write shapes by api_code; faults go to `at`.
    pub fn of_new(parsed: &ParsedForm, raw: Json, cx: &Cx, at: &mut Issues) -> Self {
        let fields = &parsed.definition.fields;
        let asked = RequestedLists::of(fields, raw.as_object());
        Self { asked, checked: values::create(fields, &parsed.rules, raw, cx, at) }
    }

    /// Of an entry whose values were `before`. `raw` holds the changed fields.
    pub fn of_change(parsed: &ParsedForm, before: &Values, raw: Json, cx: &Cx, at: &mut Issues) -> Self {
        let fields = &parsed.definition.fields;
        let asked = RequestedLists::of(fields, raw.as_object());
        Self { asked, checked: values::update(fields, &parsed.rules, before, raw, cx, at) }
    }

    pub fn values(&self) -> &Values {
        &self.checked.values
    }

    /// The keys that no other live entry may have.
    pub fn unique(&self, parsed: &ParsedForm, cx: &Cx) -> Keys {
        exact_keys::unique(parsed, self.values(), cx)
    }

    /// The amounts that an entry with these results takes.
    pub fn demands(&self, parsed: &ParsedForm, results: &Results) -> Vec<Demand> {
        capacity::demands(parsed, self.values(), results, &self.asked)
    }

    /// The new entry.
    pub fn entry(&self, parsed: &ParsedForm, cx: &Cx, creator_name: Option<String>) -> NewEntry {
        let results = parsed.results(&self.checked, &Results::default(), cx);
        NewEntry {
            creator_name,
            duration_secs: None,
            x_field_1: None,
            respondent: None,
            values: stored::text(self.values()),
            takes: self.demands(parsed, &results),
            results,
            keys: exact_keys::of(parsed, self.values(), cx),
            uploads: cx.found.files.new_uploads(self.values()),
        }
    }
}
