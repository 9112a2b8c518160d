//! Reports: the number of answers to each question and the tally of its kind. Entries are counted one by one, newest
//! first, and not kept. Pure: no IO.

pub mod chart;
pub mod choices;
pub mod dates;
pub mod goods;
pub mod grids;
mod histogram;
pub mod moments;
pub mod numbers;
pub mod places;
pub mod ranks;
pub mod split;
pub mod texts;

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde_json::json;

use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Room, Tally};
use crate::fields::report::chart::{Card, Chart, Found};
use crate::fields::values::{self, unparsed};
use crate::fields::{Field, Fields};

/// Values of one field that are kept parsed, at most, and the longest text of one.
const KNOWN: usize = 512;
const KNOWN_BYTES: usize = 64;

/// Values that came before, by their JSON text. Most answers to a question are one of a few, and to parse one takes longer
/// than to look it up.
#[derive(Default)]
struct Known {
    values: HashMap<String, KnownValue, RandomState>,
    misses: usize,
}

struct KnownValue {
    value: Json,
    /// Whether it only has to be counted.
    is_only_counted: bool,
    /// How often it came without being added to the tally yet.
    waiting: u64,
}

impl Known {
    fn get(&mut self, text: &str) -> Option<&mut KnownValue> {
        // Where values are rarely the same, such as names, looking for them is in vain.
        if text.len() > KNOWN_BYTES || self.misses > 2 * KNOWN {
            return None;
        }
        let known = self.values.get_mut(text);
        self.misses += usize::from(known.is_none());
        known
    }

    fn put(&mut self, text: &str, value: Json, is_only_counted: bool) {
        if text.len() <= KNOWN_BYTES && self.values.len() < KNOWN {
            self.values.insert(text.to_owned(), KnownValue { value, is_only_counted, waiting: 0 });
        }
    }
}

/// The tally of one field, of a form or within another field.
pub struct FieldTally<'f> {
    field: &'f Field,
    answered: u64,
    own: Box<dyn Tally + 'f>,
    known: Known,
}

impl<'f> FieldTally<'f> {
    pub fn new(field: &'f Field, room: Room) -> Self {
        Self { field, answered: 0, own: field.kind.tally(room), known: Known::default() }
    }

    /// Counts a value that is valid in the current definition.
    pub fn add(&mut self, serial: i64, stored: &Json, cx: &Cx) {
        self.add_times(serial, stored, cx, 1);
    }

    fn add_times(&mut self, serial: i64, stored: &Json, cx: &Cx, times: u64) {
        let answer = Answer { serial, stored, kind: self.field.kind.as_ref(), cx, times };
        if !values::is_blank(stored) && self.own.add(&answer) {
            self.answered += times;
        }
    }

    /// Counts a stored value given as JSON text.
    fn add_text(&mut self, serial: i64, stored: &str, cx: &Cx) -> Result<(), serde_json::Error> {
        if self.own.is_full() && self.field.splices() {
            // Stored values are never blank, so nothing has to be parsed.
            self.answered += 1;
            return Ok(());
        }
        let field = self.field;
        if let Some(known) = self.known.get(stored) {
            if known.is_only_counted {
                known.waiting += 1;
                return Ok(());
            }
            let value = known.value.clone();
            if let Some(today) = values::as_today(field, &value, cx) {
                self.add(serial, &today, cx);
            }
            return Ok(());
        }
        let value: Json = serde_json::from_str(stored)?;
        let mut is_only_counted = false;
        if let Some(today) = values::as_today(field, &value, cx) {
            self.add(serial, &today, cx);
            is_only_counted = self.own.only_counts(&today);
        }
        self.known.put(stored, value, is_only_counted);
        Ok(())
    }

    /// Adds the values that were only counted, each as often as it came.
    fn settle(&mut self, cx: &Cx) {
        let mut values = std::mem::take(&mut self.known.values);
        for known in values.values_mut().filter(|known| known.waiting > 0) {
            let times = std::mem::take(&mut known.waiting);
            if let Some(today) = values::as_today(self.field, &known.value, cx) {
                self.add_times(0, &today, cx, times);
            }
        }
        self.known.values = values;
    }

    pub fn result(&self, cx: &Cx) -> Json {
        let mut out = Members::new();
        out.insert("api_code".to_owned(), json!(self.field.api_code));
        out.insert("type".to_owned(), json!(self.field.row.name));
        out.insert("label".to_owned(), json!(self.field.label));
        out.insert("answered".to_owned(), json!(self.answered));
        out.extend(self.own.result(cx));
        Json::Object(out)
    }

    /// The card that a page shows.
    pub fn card(&self, cx: &Cx) -> Card {
        let allowed = self.field.kind.operators();
        let mut chart = self.own.chart(cx);
        keep_found(&mut chart, allowed);
        Card {
            api_code: self.field.api_code.clone(),
            label: self.field.label.clone(),
            answered: self.answered,
            is_found: allowed.contains(&Op::NotNull),
            chart,
        }
    }
}

/// Removes the conditions that the question's kind has no operators for.
fn keep_found(chart: &mut Chart, allowed: &[Op]) {
    for bar in chart.bars_mut() {
        let fits = |found: &Found| found.iter().all(|(op, _)| allowed.contains(op));
        bar.found = bar.found.take().filter(fits);
    }
}

/// The tallies of all questions of a form.
pub struct Report<'f> {
    fields: &'f Fields,
    total: u64,
    /// By the fields' positions; `None` for fields without values.
    tallies: Vec<Option<FieldTally<'f>>>,
}

impl<'f> Report<'f> {
    pub fn new(fields: &'f Fields) -> Self {
        let tally = |field: &'f Field| {
            let has_value = field.kind.has_value();
            has_value.then(|| FieldTally::new(field, Room::FIELD))
        };
        Self { fields, total: 0, tallies: fields.iter().map(tally).collect() }
    }

    /// Counts an entry, given its stored values as JSON text; it must be older than those before it. Fails only on
    /// corrupt stored text.
    pub fn add(&mut self, serial: i64, stored: &str, cx: &Cx) -> Result<(), serde_json::Error> {
        self.total += 1;
        unparsed::each_placed(self.fields, stored, |place, value| {
            match self.tallies.get_mut(place).and_then(Option::as_mut) {
                Some(tally) => tally.add_text(serial, value, cx),
                None => Ok(()),
            }
        })
    }

    fn settle(&mut self, cx: &Cx) {
        self.tallies.iter_mut().flatten().for_each(|tally| tally.settle(cx));
    }

    /// The report (contract section 4).
    pub fn to_json(&mut self, cx: &Cx) -> Json {
        self.settle(cx);
        let tallies = self.tallies.iter().flatten();
        let fields: Vec<Json> = tallies.map(|tally| tally.result(cx)).collect();
        json!({"total": self.total, "fields": fields})
    }

    /// The cards that a page shows.
    pub fn cards(&mut self, cx: &Cx) -> Vec<Card> {
        self.settle(cx);
        self.tallies.iter().flatten().map(|tally| tally.card(cx)).collect()
    }

    pub fn total(&self) -> u64 {
        self.total
    }
}

/// Members by name.
pub fn members<const N: usize>(list: [(&str, Json); N]) -> Members {
    list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// JSON Schema of an object that has exactly these members.
pub fn object(properties: Members) -> Json {
    let required: Vec<&String> = properties.keys().collect();
    let required = json!(required);
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// JSON Schema of a list of such objects.
fn list<const N: usize>(properties: [(&str, Json); N]) -> Json {
    json!({"type": "array", "items": object(members(properties))})
}

/// JSON Schema of a count.
pub fn count() -> Json {
    json!({"type": "integer", "minimum": 0})
}

fn text() -> Json {
    json!({"type": "string"})
}

pub fn described(mut schema: Json, words: &str) -> Json {
    schema["description"] = json!(words);
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kinds::KINDS;
    use crate::fields::schemas;
    use crate::fields::values::stored;

    /// Bars that count the only value there is are found by conditions that hold for it, others by such that don't.
    fn check_found(card: &Card, fields: &Fields, stored: &Json, cx: &Cx) {
        let kind = fields.get(&card.api_code).expect("a field").kind.as_ref();
        for bar in card.chart.bars() {
            let Some(found) = &bar.found else { continue };
            let keys = kind.keys(stored, cx);
            let holds =
                found.iter().all(|(op, value)| kind.condition(*op, value, cx).expect("a condition").holds(&keys));
            assert_eq!(holds, bar.count > 0, "{card:?}: {bar:?}");
        }
    }

    #[test]
    fn every_kind_keeps_to_its_schema_with_answers_and_without() {
        let mut components = schemas::components();
        components.shift_remove("examples");
        let whole = json!({"$ref": "#/components/schemas/ReportField", "components": {"schemas": components}});
        let validator = jsonschema::draft202012::new(&whole).expect("a schema");
        let cx = Cx::of_a_test(false);
        for row in KINDS {
            for sample in row.samples {
                let mut field: Json = serde_json::from_str(sample.definition).expect("JSON");
                field["type"] = json!(row.name);
                field["label"] = json!("A label");
                let mut at = Issues::new();
                let definition = Definition::create(json!([field]), &cx, &mut at);
                let fields = &definition.fields;
                let mut report = Report::new(fields);
                let stored: Json = serde_json::from_str(sample.stored).expect("JSON");
                // The store omits blank values.
                let entry = if values::is_blank(&stored) { json!({}) } else { json!({"field_1": stored}) };
                for answered in 0..3 {
                    let told = report.to_json(&cx);
                    assert_eq!(told["total"], answered);
                    for told in told["fields"].as_array().expect("a list") {
                        let faults: Vec<String> = validator.iter_errors(told).map(|e| e.to_string()).collect();
                        assert!(faults.is_empty(), "{}: {told}: {faults:?}", row.name);
                        assert_eq!(told["type"], row.name);
                        let wanted = if entry == json!({}) { 0 } else { answered };
                        assert_eq!(told["answered"], wanted, "{}: {told}", row.name);
                    }
                    for card in report.cards(&cx).iter().filter(|card| card.answered > 0) {
                        check_found(card, fields, &stored, &cx);
                    }
                    let added = report.add(9 - answered, &stored::of_test(&entry), &cx);
                    added.expect("JSON");
                }
            }
        }
    }
}
