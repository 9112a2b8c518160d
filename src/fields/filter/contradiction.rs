//! Whether conditions can hold together at all. Undecided cases count as possible.

use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::filter::condition::Condition;
use crate::fields::kind::{AnswerOrder, Item};
use crate::fields::{Field, Fields};

/// The most keys that several conditions on one question name for this to be looked at.
const MOST_KEYS: usize = 200;

/// The place of a question whose value can never satisfy all of these conditions; `None` where there may be one.
pub fn impossible(conditions: &[&Condition], fields: &Fields) -> Option<usize> {
    let places = conditions.iter().filter(|condition| condition.question.column.is_none());
    let mut places: Vec<usize> = places.map(|condition| condition.question.place).collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().find(|place| {
        let own = conditions.iter().filter(|it| it.question.place == *place && it.question.column.is_none());
        let conds: Vec<&Cond> = own.map(|condition| &condition.cond).collect();
        !is_possible(&conds, *place, fields)
    })
}

/// Whether a condition holds for an unanswered question.
pub fn holds_for_blank(condition: &Condition) -> bool {
    condition.cond.holds(&[])
}

fn is_possible(conds: &[&Cond], place: usize, fields: &Fields) -> bool {
    let Some(field) = fields.at(place) else {
        return true;
    };
    if field.kind.operators() == Op::CHOICE && field.kind.parts().is_some() {
        return is_possible_choice(conds, field);
    }
    // One key makes a value of these kinds; a value of others has several.
    let is_one =
        [Op::NUMBER, Op::SCORE, Op::DATE, Op::TEXT].contains(&field.kind.operators()) && field.kind.live().is_some();
    // Times compare as choices do.
    let is_time = field.kind.answer_order().is_some() && field.kind.operators() == Op::CHOICE;
    if !is_one && !is_time {
        return true;
    }
    let mut keys = Vec::new();
    let mut parts = Vec::new();
    conds.iter().for_each(|cond| collect(cond, &mut keys, &mut parts));
    if keys.len() > MOST_KEYS || (is_time && !parts.is_empty()) {
        return true;
    }
    let mut values = around(&keys);
    values.push(Key::Text(parts.join("\u{1}")));
    values.push(Key::Code(parts.join("\u{1}")));
    let holds = |keys: &[Key]| conds.iter().all(|cond| cond.holds(keys));
    holds(&[]) || values.into_iter().any(|key| holds(&[key]))
}

/// Whether the choices of a question allow these conditions: one of them, or any of them where several may be chosen.
fn is_possible_choice(conds: &[&Cond], field: &Field) -> bool {
    let items = field.kind.items();
    let keys_of = |item: &Item| [Key::Code(item.code.to_owned()), Key::label(item.label)];
    if matches!(field.kind.answer_order(), Some(AnswerOrder::Choices(_))) {
        let holds = |keys: &[Key]| conds.iter().all(|cond| cond.holds(keys));
        return holds(&[]) || items.iter().any(|item| holds(&keys_of(item)));
    }
    // More choices satisfy more of these; what else a value of several choices may be is not looked at.
    let all: Vec<Key> = items.iter().flat_map(keys_of).collect();
    conds.iter().all(|cond| match cond {
        Cond::In(_) if !field.kind.takes_several() => true,
        Cond::In(_) | Cond::Like(_) => cond.holds(&all),
        _ => true,
    })
}

fn collect(cond: &Cond, keys: &mut Vec<Key>, parts: &mut Vec<String>) {
    match cond {
        Cond::Null => {}
        Cond::In(own) | Cond::Set(own) => keys.extend(own.iter().cloned()),
        Cond::Range { low, high } => keys.extend(low.iter().chain(high).map(|(key, _)| key.clone())),
        Cond::Like(part) => parts.push(part.clone()),
        Cond::Not(inner) => {
            // A key that must not be contained is no part of a value that satisfies the condition.
            let mut left_out = Vec::new();
            collect(inner, keys, &mut left_out);
        }
        Cond::Any(several) => several.iter().for_each(|cond| collect(cond, keys, parts)),
        Cond::Both(one, other) => {
            collect(one, keys, parts);
            collect(other, keys, parts);
        }
    }
}

/// These keys, one between each two of them, one before and one after all.
fn around(keys: &[Key]) -> Vec<Key> {
    let mut all = keys.to_vec();
    let mut numbers: Vec<f64> = Vec::new();
    for key in keys {
        match key {
            Key::Number(number) => numbers.push(*number),
            Key::Text(text) => all.extend([Key::Text(format!("{text}\u{0}")), Key::Text("\u{0}".to_owned())]),
            Key::Code(code) => all.extend([Key::Code(format!("{code}\u{0}")), Key::Code("\u{0}".to_owned())]),
            Key::Label(_) => {}
        }
    }
    numbers.sort_by(f64::total_cmp);
    all.extend(numbers.windows(2).map(|two| Key::Number(f64::midpoint(two[0], two[1]))));
    if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
        all.extend([Key::Number(first - 1.0), Key::Number(last + 1.0)]);
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kind::Cx;

    #[test]
    fn conditions_that_exclude_one_another_are_found_and_others_are_not() {
        let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
        let fields = json!([
            {"type": "number", "label": "1"},
            {"type": "short_text", "label": "2"},
            {"type": "radio", "label": "3", "choices": choices},
            {"type": "checkbox", "label": "4", "choices": choices},
            {"type": "date", "label": "5"},
            {"type": "time", "label": "6"},
        ]);
        let (mut at, cx) = (Issues::new(), Cx::of_a_test(false));
        let definition = Definition::create(fields, &cx, &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        let fields = &definition.fields;
        for (items, wanted) in [
            (json!([["field_1", "gt", 5], ["field_1", "lt", 3]]), Some(0)),
            (json!([["field_1", "gt", 3], ["field_1", "lt", 5]]), None),
            (json!([["field_1", "between", [5, 3]]]), Some(0)),
            (json!([["field_1", "eq", 3], ["field_1", "ne", 3]]), Some(0)),
            (json!([["field_1", "not_between", [1, 3]], ["field_1", "gt", 0]]), None),
            (json!([["field_2", "eq", "x"], ["field_2", "null"]]), Some(1)),
            (json!([["field_2", "like", "x"], ["field_2", "like", "y"], ["field_2", "not_like", "z"]]), None),
            (json!([["field_2", "like", "xy"], ["field_2", "not_like", "x"]]), Some(1)),
            (json!([["field_2", "eq", "x"], ["field_2", "eq", "y"]]), Some(1)),
            (json!([["field_3", "eq", "a"], ["field_3", "eq", "b"]]), Some(2)),
            (json!([["field_3", "any_in", ["a", "b"]], ["field_3", "ne", "a"]]), None),
            (json!([["field_4", "any_in", ["a"]], ["field_4", "any_in", ["b"]]]), None),
            (json!([["field_6", "eq", "09:30"], ["field_6", "eq", "10:00"]]), Some(5)),
            (json!([["field_6", "eq", "09:30"], ["field_6", "like", "09"]]), None),
            // A choice that was removed, and a text that no label has any more.
            (json!([["field_3", "eq", "gone"]]), Some(2)),
            (json!([["field_3", "ne", "gone"]]), None),
            (json!([["field_3", "any_in", ["gone", "b"]]]), None),
            (json!([["field_3", "like", "b"]]), None),
            (json!([["field_3", "like", "x"]]), Some(2)),
            (json!([["field_3", "like", "a"], ["field_3", "eq", "b"]]), Some(2)),
            (json!([["field_4", "any_in", ["gone"]]]), Some(3)),
            (json!([["field_4", "like", "a"], ["field_4", "like", "b"]]), None),
            (json!([["field_4", "like", "x"]]), Some(3)),
            (json!([["field_5", "gt", "2026-01-02"], ["field_5", "lt", "2026-01-01"]]), Some(4)),
            (json!([["field_5", "gte", "2026-01-02"], ["field_5", "like", "2026-01"]]), None),
        ] {
            let read = |item: &crate::base::json::Json| {
                let text = |at: usize| item[at].as_str().expect("a text");
                Condition::read(fields, text(0), text(1), &item[2], &cx).expect("a condition")
            };
            let all: Vec<Condition> = items.as_array().expect("a list").iter().map(read).collect();
            assert_eq!(impossible(&all.iter().collect::<Vec<_>>(), fields), wanted, "{items}");
        }
    }
}
