//! How two contents of a form differ.

use std::collections::HashSet;

use crate::base::json::Json;
use crate::model::draft::parts::PartName;
use crate::model::form_version::{FormChange, FormContent};

/// Keys of a field that are internal to the store.
const INTERNAL: [&str; 2] = ["past", "retired"];

/// The changes that lead from one content to the other, in the order of the list: head, fields in the new order,
/// removed ones, order, rules, theme. Nothing for equal contents.
pub fn changes(before: &FormContent, after: &FormContent) -> Vec<FormChange> {
    let mut all = Vec::new();
    all.extend((before.name != after.name).then_some(FormChange::Name));
    all.extend((before.description != after.description).then_some(FormChange::Description));
    let (old, new) = (list(&before.fields), list(&after.fields));
    for field in new {
        let code = code(field).to_owned();
        let label = label(field).to_owned();
        match old.iter().find(|known| self::code(known) == code) {
            None => all.push(FormChange::Added { code, label }),
            Some(known) => {
                let keys = keys(known, field);
                if !keys.is_empty() {
                    all.push(FormChange::Changed { code, label, keys });
                }
            }
        }
    }
    let new_codes: HashSet<&str> = new.iter().map(code).collect();
    let removed = old.iter().filter(|field| !new_codes.contains(code(field)));
    all.extend(
        removed.map(|field| FormChange::Removed { code: code(field).to_owned(), label: label(field).to_owned() }),
    );
    let old_codes: HashSet<&str> = old.iter().map(code).collect();
    let stayed = old.iter().map(code).filter(|code| new_codes.contains(code));
    let stands = new.iter().map(code).filter(|code| old_codes.contains(code));
    all.extend((!stayed.eq(stands)).then_some(FormChange::Reordered));
    all.extend((before.field_rules != after.field_rules).then_some(FormChange::Part { part: PartName::Rules }));
    all.extend((before.theme != after.theme).then_some(FormChange::Part { part: PartName::Theme }));
    all
}

/// A rule that differs: its place and text in each of two lists that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuleDifference<'r> {
    pub then: Option<(usize, &'r Json)>,
    pub now: Option<(usize, &'r Json)>,
}

/// The rules that only one of two lists has; a removed rule and an added one are paired as a change, in their order.
pub fn rules<'r>(then: &'r Json, now: &'r Json) -> Vec<RuleDifference<'r>> {
    let without = |these: &'r Json, those: &Json| {
        let mut left: Vec<&Json> = list(those).iter().collect();
        let mut rest = Vec::new();
        for (at, rule) in list(these).iter().enumerate() {
            match left.iter().position(|other| *other == rule) {
                Some(found) => drop(left.swap_remove(found)),
                None => rest.push((at, rule)),
            }
        }
        rest
    };
    let (gone, come) = (without(then, now), without(now, then));
    let places = 0..gone.len().max(come.len());
    places.map(|at| RuleDifference { then: gone.get(at).copied(), now: come.get(at).copied() }).collect()
}

/// The fields of a content.
pub fn list(fields: &Json) -> &[Json] {
    fields.as_array().map_or(&[], Vec::as_slice)
}

/// The code of a field's definition.
pub fn code(field: &Json) -> &str {
    field["api_code"].as_str().unwrap_or_default()
}

/// The label of a field's definition.
pub fn label(field: &Json) -> &str {
    field["label"].as_str().unwrap_or_default()
}

/// The keys that differ between two definitions, without those that are internal to the store.
pub fn keys(one: &Json, other: &Json) -> Vec<String> {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
        return Vec::new();
    };
    let is_told = |key: &&String| !INTERNAL.contains(&key.as_str());
    let differs = one.iter().filter(|(key, value)| other.get(*key) != Some(value)).map(|(key, _)| key);
    let added = other.keys().filter(|key| !one.contains_key(*key));
    differs.chain(added).filter(is_told).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_that_both_have_are_not_told() {
        let (then, now) = (json!(["a", "b", "b", "c"]), json!(["b", "c", "d"]));
        let told = rules(&then, &now);
        let places = told.iter().map(|it| (it.then.map(|(at, _)| at), it.now.map(|(at, _)| at)));
        assert_eq!(places.collect::<Vec<_>>(), [(Some(0), Some(2)), (Some(2), None)]);
        assert_eq!(rules(&json!(["a", "b"]), &json!(["b", "a"])), []);
        assert_eq!(rules(&Json::Null, &json!(["b"])).len(), 1);
    }

    fn content(fields: Json) -> FormContent {
        FormContent { name: "Workshop".to_owned(), description: None, fields, field_rules: json!([]), theme: json!({}) }
    }

    #[test]
    fn what_differs_is_told_in_the_new_order() {
        let field = |code: &str, label: &str| json!({"api_code": code, "type": "short_text", "label": label});
        let before = content(json!([field("a", "A"), field("b", "B"), field("c", "C")]));
        assert!(changes(&before, &before).is_empty());
        let mut after = content(json!([field("c", "C"), field("d", "D"), field("a", "Ada")]));
        after.name = "Summer".to_owned();
        after.theme = json!({"font": "serif"});
        let told = |what: &str| (what.to_owned(), what.to_uppercase());
        let ((d, new), (b, old)) = (told("d"), told("b"));
        assert_eq!(
            changes(&before, &after),
            [
                FormChange::Name,
                FormChange::Added { code: d, label: new },
                FormChange::Changed { code: "a".into(), label: "Ada".into(), keys: vec!["label".into()] },
                FormChange::Removed { code: b, label: old },
                FormChange::Reordered,
                FormChange::Part { part: PartName::Theme },
            ]
        );
    }

    #[test]
    fn what_only_the_store_reads_is_no_change() {
        let before = content(json!([{"api_code": "a", "label": "A"}]));
        let after = content(json!([{"api_code": "a", "label": "A", "retired": ["x"], "past": ["radio"]}]));
        assert!(changes(&before, &after).is_empty());
    }
}
