//! Random definitions and searches, and which entries they mean by the list of entries.

use std::collections::BTreeSet;

use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::queries::random::searched::Searched;
use crate::queries::random::world::{MARK, World, one};
use crate::queries::{Query, body, condition};

/// The fields that may be shown besides the mark.
const SHOWN: [&str; 19] = [
    "field_2",
    "field_3",
    "field_4",
    "field_5",
    "field_6",
    "field_7",
    "field_8",
    "field_9",
    "field_10",
    "field_11",
    "field_12_associated_field_1",
    "field_12_associated_field_2",
    "field_12_associated_serial_number",
    "field_13",
    "field_14",
    "serial_number",
    "created_at",
    "reservation_status_fsf_field",
    "gen_code",
];

/// A random definition.
pub struct Plan {
    /// By operand: fields by their place in the list of all, and whether they are fuzzy.
    pub groups: Vec<(&'static str, Vec<(usize, bool)>)>,
    /// The shown fields, and whether each is masked.
    pub rules: Vec<(&'static str, bool)>,
    pub scope: Vec<Value>,
}

pub fn plan(dice: &mut StdRng, all: &[Searched]) -> Plan {
    let mut left: Vec<usize> = (0..all.len()).collect();
    let mut groups = Vec::new();
    for _ in 0..dice.random_range(1..4) {
        let operand = one(dice, &["and", "or", "or"]);
        let count = dice.random_range(1..4);
        let fields = (0..count)
            .map(|_| {
                let at = left.swap_remove(dice.random_range(0..left.len()));
                (at, all[at].can_be_fuzzy && dice.random_bool(0.4))
            })
            .collect();
        groups.push((operand, fields));
    }
    let mut rules = vec![(MARK, false)];
    for code in SHOWN {
        if dice.random_bool(0.5) {
            rules.push((code, dice.random_bool(0.5)));
        }
    }
    let conditions = [
        condition("field_7", "gte", json!(1)),
        condition("field_9", "ne", json!("red")),
        condition("field_8", "null", Value::Null),
        condition("field_13", "any_in", json!(["b"])),
        condition("field_2", "not_like", json!("ada")),
        condition("field_12_associated_field_1", "ne", json!("Tulip")),
        condition("serial_number", "between", json!([3, 37])),
        condition("field_14", "not_null", Value::Null),
    ];
    let count = one(dice, &[0, 0, 1, 1, 2]);
    let scope = (0..count).map(|_| one(dice, &conditions)).collect();
    Plan { groups, rules, scope }
}

impl Plan {
    pub fn make(&self, world: &World, all: &[Searched]) -> Query {
        let groups: Vec<Value> = self
            .groups
            .iter()
            .map(|(operand, fields)| {
                let fields: Vec<Value> =
                    fields.iter().map(|(at, fuzzy)| json!({"field": all[*at].code, "fuzzy": fuzzy})).collect();
                json!({"operand": operand, "fields": fields})
            })
            .collect();
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|(code, protected)| json!({"field": code, "protected": protected, "label": format!("L {code}")}))
            .collect();
        let mut whole = body(&world.form, json!(groups), json!(rules));
        whole["scope_conditions"] = json!(self.scope);
        whole["allow_to_export_results"] = json!(true);
        Query::new(&world.owner, whole)
    }

    /// Random values; now and then something is left out that must be there.
    pub fn values(&self, dice: &mut StdRng, all: &[Searched]) -> Value {
        let mut out = json!({});
        for (operand, fields) in &self.groups {
            for (at, fuzzy) in fields {
                let likely = if *operand == "and" { 0.97 } else { 0.6 };
                if dice.random_bool(likely) {
                    let field = &all[*at];
                    let list = if *fuzzy { &field.parts } else { &field.exact };
                    out[field.code] = one(dice, list);
                } else if dice.random_bool(0.5) {
                    out[all[*at].code] = one(dice, &[json!(""), json!(" "), Value::Null]);
                }
            }
        }
        out
    }

    /// Which fields are missing, or else which entries are meant, newest first.
    pub fn expected(&self, world: &World, all: &[Searched], values: &Value) -> Result<Vec<i64>, Vec<String>> {
        let filled = |at: usize| {
            let value = &values[all[at].code];
            let is_blank = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
            (!is_blank).then_some(value)
        };
        let mut missing = Vec::new();
        let mut found = world.serials(&self.scope);
        for (operand, fields) in &self.groups {
            let blank = fields.iter().filter(|(at, _)| filled(*at).is_none());
            let blank: Vec<String> = blank.map(|(at, _)| format!("values.{}", all[*at].code)).collect();
            if *operand == "and" || blank.len() == fields.len() {
                missing.extend(blank);
            }
            let sets = fields.iter().filter_map(|(at, fuzzy)| {
                let conditions = all[*at].conditions(filled(*at)?, *fuzzy);
                let any = conditions.iter().map(|condition| world.serials(std::slice::from_ref(condition)));
                Some(any.fold(BTreeSet::new(), |all, some| all.union(&some).copied().collect()))
            });
            let group = match *operand {
                "and" => sets.reduce(|all, one| all.intersection(&one).copied().collect()),
                _ => sets.reduce(|all, one| all.union(&one).copied().collect()),
            };
            found = found.intersection(&group.unwrap_or_default()).copied().collect();
        }
        match missing.is_empty() {
            true => Ok(found.into_iter().rev().collect()),
            false => Err(missing),
        }
    }
}
