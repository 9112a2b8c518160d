//! Type changes that keep data (contract 3.2). No entry is rewritten: an old value is converted when it is read, and
//! stored converted at the next write.

use std::collections::HashMap;

use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::kind::KindRow;

/// Whether the type of a field may change from `from` to `to`.
pub fn is_allowed(from: &KindRow, to: &KindRow) -> bool {
    from.facets.becomes.contains(&to.name)
}

/// Earlier forms of stored values after `new` replaced `old`.
pub fn past_after(old: &Field, new: &Field) -> Vec<String> {
    let mut past = old.past.clone();
    let (was, is) = (old.kind.as_json(), new.kind.as_json());
    let changed = old.row.name != new.row.name
        || was.get("precision") != is.get("precision")
        || was.get("result_type") != is.get("result_type")
        || (was["include_second"] == true) != (is["include_second"] == true)
        || takes_less_text(&was["choices"], &is["choices"])
        || was_moved(&was["choices"], &is["choices"]);
    if changed && !past.iter().any(|name| name == old.row.name) {
        past.push(old.row.name.to_owned());
    }
    past
}

/// Whether any choice no longer takes text.
fn takes_less_text(was: &Json, is: &Json) -> bool {
    let (was, is) = (was.as_array(), is.as_array());
    ["is_other", "allow_extended_text"].into_iter().any(|key| {
        let took = was.into_iter().flatten().filter(|old| old[key] == true);
        took.flat_map(|old| is.into_iter().flatten().map(move |new| (old, new)))
            .any(|(old, new)| old["api_code"] == new["api_code"] && new[key] != true)
    })
}

/// Whether any choice now has another parent.
fn was_moved(was: &Json, is: &Json) -> bool {
    fn parents<'c>(choices: &'c Json, parent: &'c str, out: &mut HashMap<&'c str, &'c str>) {
        for choice in choices.as_array().into_iter().flatten() {
            let code = choice["api_code"].as_str().unwrap_or_default();
            out.insert(code, parent);
            parents(&choice["children"], code, out);
        }
    }
    let (mut old, mut new) = (HashMap::new(), HashMap::new());
    parents(was, "", &mut old);
    parents(is, "", &mut new);
    old.iter().any(|(code, parent)| new.get(code).is_some_and(|now| now != parent))
}

/// Converts a value stored under an earlier definition to the current kind.
pub fn to_today(field: &Field, stored: Json) -> Json {
    if field.past.is_empty() {
        return stored;
    }
    field.kind.adopt(stored)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kind::Cx;
    use crate::fields::kinds::{KINDS, by_name};
    use crate::fields::values;

    /// The read value after a sequence of definitions.
    fn read_after(steps: &[Json], stored: &Json) -> Json {
        let mut at = Issues::new();
        let mut definition = Definition::create(json!([steps[0]]), &Cx::of_a_test(false), &mut at);
        for step in &steps[1..] {
            let mut step = step.clone();
            step["api_code"] = json!("field_1");
            definition = definition.replace(json!([step]), &Cx::of_a_test(false), &mut at).definition;
            // As the next request loads it.
            definition = Definition::from_stored(definition.to_stored()).expect("reads back");
        }
        assert!(at.is_empty(), "{:?}", at.into_list());
        let field = definition.fields.get("field_1").expect("the field");
        values::read(field, Some(stored), &Cx::of_a_test(false))
    }

    fn of(kind: &str) -> Json {
        let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "o", "label": "O", "is_other": true}]);
        json!({"type": kind, "label": "x", "choices": choices})
    }

    #[test]
    fn values_go_with_their_field() {
        let phone = json!({"country_id": "CN", "country_code": "86", "number": "13800138000"});
        let other = json!({"value": "o", "other_text": "x"});
        for (kinds, stored, read) in [
            (vec!["short_text", "long_text", "name", "short_text"], json!("x"), json!("x")),
            (vec!["number", "short_text"], json!(2.5), json!("2.5")),
            (vec!["number", "short_text", "name", "long_text"], json!(3), json!("3")),
            (vec!["email", "short_text", "name"], json!("a@b.co"), json!("a@b.co")),
            (vec!["phone", "short_text", "long_text"], phone, json!("+86 13800138000")),
            (vec!["url", "short_text"], json!("https://a.example"), json!("https://a.example")),
            (vec!["radio", "dropdown", "radio"], other.clone(), other.clone()),
            (vec!["dropdown", "checkbox"], other.clone(), json!([other])),
            (vec!["radio", "checkbox"], other.clone(), json!([other])),
            (vec!["radio", "checkbox"], json!({"value": "gone"}), json!([])),
        ] {
            let steps: Vec<Json> = kinds.iter().map(|kind| of(kind)).collect();
            assert_eq!(read_after(&steps, &stored), read, "{kinds:?}");
        }
    }

    #[test]
    fn dates_are_cut_or_filled() {
        let date = |precision: &str| json!({"type": "date", "label": "x", "precision": precision});
        for (steps, stored, read) in [
            (["second", "day"], "2026-11-20 10:11:12", "2026-11-20"),
            (["month", "minute"], "2026-11", "2026-11-01 00:00"),
            (["day", "second"], "2026-11-20", "2026-11-20 00:00:00"),
            (["minute", "month"], "2026-11-20 10:11", "2026-11"),
        ] {
            assert_eq!(read_after(&steps.map(date), &json!(stored)), read, "{steps:?}");
        }
    }

    #[test]
    fn seconds_come_and_go() {
        let time = |second: bool| json!({"type": "time", "label": "x", "include_second": second});
        let (short, long) = (json!({"hour": 1, "minute": 2}), json!({"hour": 1, "minute": 2, "second": 3}));
        assert_eq!(read_after(&[time(true), time(false)], &long), short);
        let filled = json!({"hour": 1, "minute": 2, "second": 0});
        assert_eq!(read_after(&[time(false), time(true)], &short), filled);
    }

    #[test]
    fn choices_are_found_where_they_were_moved() {
        let tree = |choices: Json| json!({"type": "cascade", "label": "x", "choices": choices});
        let town = json!({"api_code": "town", "label": "T"});
        let before = tree(json!([
            {"api_code": "a", "label": "A", "children": [town]},
            {"api_code": "b", "label": "B"},
        ]));
        let after = tree(json!([
            {"api_code": "a", "label": "A"},
            {"api_code": "b", "label": "B", "children": [town]},
        ]));
        assert_eq!(
            read_after(&[before, after], &json!({"level_1": "a", "level_2": "town"})),
            json!({"level_1": "b", "level_2": "town"})
        );
    }

    #[test]
    fn texts_beside_a_choice_go_with_what_asked_for_them() {
        let mut plain = of("radio");
        plain["choices"][1]["is_other"] = json!(false);
        let stored = json!({"value": "o", "other_text": "x"});
        assert_eq!(read_after(&[of("radio"), plain.clone()], &stored), json!({"value": "o"}));
        plain["type"] = json!("checkbox");
        assert_eq!(read_after(&[of("radio"), plain], &stored), json!([{"value": "o"}]));
    }

    #[test]
    fn only_changes_that_keep_data_are_allowed() {
        let row = |name: &str| by_name(name).expect("a kind");
        let is_allowed = |from: &str, to: &str| is_allowed(row(from), row(to));
        let pairs = KINDS.iter().flat_map(|from| KINDS.iter().map(move |to| (from.name, to.name)));
        assert_eq!(pairs.filter(|(from, to)| is_allowed(from, to)).count(), 14);
        for name in KINDS.iter().flat_map(|row| row.facets.becomes) {
            assert!(by_name(name).is_some(), "{name}");
        }
        assert!(!is_allowed("short_text", "number") && !is_allowed("checkbox", "radio"));
        assert!(!is_allowed("number", "long_text") && !is_allowed("short_text", "phone"));
    }
}
