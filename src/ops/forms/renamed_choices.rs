//! Rules that look for a part of a choice's label, and the effect of a new label on them. All other conditions name
//! choices by their codes, which a new label does not change.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text;
use crate::base::text::phrase::phrase;
use crate::fields::Fields;
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::filter::subject::Question;

/// A condition that looks for a text which a choice's label had before, or has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The place of the rule, and of the condition within it.
    pub rule: usize,
    pub item: usize,
    /// The question of the choice.
    pub field: String,
    pub was: String,
    pub now: String,
    /// The text that the condition looks for.
    pub text: String,
    /// Whether the new label contains it; the old one did otherwise.
    pub is_met: bool,
}

/// The conditions of rules that new labels change. Only conditions that `known` rules have too: a new condition was
/// written for the labels of today.
pub fn renamed(rules: &Json, known: &Json, old: &Fields, new: &Fields) -> Vec<Renamed> {
    let known: Vec<&Json> = items(known).map(|(_, _, item)| item).collect();
    let mut all = Vec::new();
    for (rule, place, item) in items(rules).filter(|(_, _, item)| known.contains(item)) {
        let is_text =
            item["operator"].as_str().and_then(Op::by_name).is_some_and(|op| op == Op::Like || op == Op::NotLike);
        let asked = |fields| Question::find(fields, item["field"].as_str()?)?.asked(fields);
        let Some(((before, after), text)) = asked(old).zip(asked(new)).zip(item["value"].as_str()).filter(|_| is_text)
        else {
            continue;
        };
        let contains = |label: &str| Cond::Like(text::fold(text)).holds(&[Key::label(label)]);
        let labels = after.kind.items();
        for choice in before.kind.items() {
            let now = labels.iter().find(|other| (other.list, other.code) == (choice.list, choice.code));
            let Some(now) = now.filter(|now| contains(now.label) != contains(choice.label)) else {
                continue;
            };
            all.push(Renamed {
                rule,
                item: place,
                field: item["field"].as_str().unwrap_or_default().to_owned(),
                was: choice.label.to_owned(),
                now: now.label.to_owned(),
                text: text.to_owned(),
                is_met: contains(now.label),
            });
        }
    }
    all
}

/// The conditions of rules with the places of the rule and within it.
fn items(rules: &Json) -> impl Iterator<Item = (usize, usize, &Json)> {
    let rules = rules.as_array().into_iter().flatten().enumerate();
    rules.flat_map(|(rule, body)| {
        let items = body["condition"]["items"].as_array().into_iter().flatten().enumerate();
        items.map(move |(place, item)| (rule, place, item))
    })
}

/// The same for programs, at the questions of an edit.
pub fn warnings(rules: &Json, known: &Json, old: &Fields, new: &Fields) -> Vec<Issue> {
    let told = |renamed: Renamed| {
        let Renamed { rule, item, field, was, now, text, is_met } = renamed;
        let place = format!("rules[{rule}].condition.items[{item}]");
        let [was, now, text] = [was, now, text].map(|label| format!("{label:?}"));
        let told = match is_met {
            true => {
                phrase!(
                    "renames {} to {}, which now contains {}: {} of the field rules looks for that text",
                    was,
                    now,
                    text,
                    place
                )
            }
            false => {
                phrase!(
                    "renames {} to {}, which no longer contains {}: {} of the field rules looks for that text",
                    was,
                    now,
                    text,
                    place
                )
            }
        };
        Issue::new(format!("fields.{}", field.split('.').next().unwrap_or_default()), Reason::other(told))
    };
    renamed(rules, known, old, new).into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kind::Cx;

    fn fields(labels: [&str; 2]) -> Definition {
        let choices = json!([{"api_code": "a", "label": labels[0]}, {"api_code": "b", "label": labels[1]}]);
        let (mut at, cx) = (Issues::new(), Cx::of_a_test(false));
        let nodes =
            json!([{"api_code": "eu", "label": "Europe", "children": [{"api_code": "it", "label": labels[0]}]}]);
        let goods = json!([{"api_code": "mug", "name": labels[1], "price": 1}]);
        let columns = json!([{"type": "radio", "label": "Track", "choices": choices}]);
        let fields = json!([
            {"type": "radio", "label": "1", "choices": choices},
            {"type": "checkbox", "label": "2", "choices": choices},
            {"type": "cascade", "label": "3", "choices": nodes},
            {"type": "product", "label": "4", "goods_items": goods},
            {"type": "table", "label": "5", "dimensions": columns},
            {"type": "short_text", "label": "6"},
        ]);
        let definition = Definition::create(fields, &cx, &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        definition
    }

    #[test]
    fn only_conditions_on_parts_of_labels_depend_on_them() {
        let (old, new) = (fields(["Letterpress", "Sourdough"]), fields(["Printing", "Sour bread"]));
        for (field, operator, value, wanted) in [
            ("field_1", "like", json!("letter"), vec![("Letterpress", "Printing", false)]),
            ("field_1", "not_like", json!("BREAD"), vec![("Sourdough", "Sour bread", true)]),
            ("field_2", "like", json!("r"), vec![]),
            ("field_2", "like", json!("o"), vec![]),
            ("field_2", "like", json!("in"), vec![("Letterpress", "Printing", true)]),
            ("field_3", "like", json!("press"), vec![("Letterpress", "Printing", false)]),
            ("field_3", "like", json!("europe"), vec![]),
            ("field_4", "like", json!("dough"), vec![("Sourdough", "Sour bread", false)]),
            ("field_5.field_1", "like", json!("letter"), vec![("Letterpress", "Printing", false)]),
            // By their codes.
            ("field_1", "eq", json!("a"), vec![]),
            ("field_2", "any_in", json!(["a", "b"]), vec![]),
            ("field_6", "like", json!("Letterpress"), vec![]),
        ] {
            let item = json!({"field": field, "operator": operator, "value": value});
            let rules = json!([{"condition": {"operand": "and", "items": [item]}, "action": "show", "fields": []}]);
            let found = renamed(&rules, &rules, &old.fields, &new.fields);
            let found: Vec<_> = found.iter().map(|it| (it.was.as_str(), it.now.as_str(), it.is_met)).collect();
            assert_eq!(found, wanted, "{item}");
            assert_eq!(renamed(&rules, &json!([]), &old.fields, &new.fields), [], "{item} is new");
        }
    }
}
