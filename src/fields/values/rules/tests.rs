//! Properties of all rules over all values: nothing hidden is left or required, and the outcome is the same whatever
//! hidden values there were.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base::cases::cases;
use crate::base::issue::Issues;
use crate::fields::definition::Definition;
use crate::fields::filter::cond::Op;
use crate::fields::values::live;

static FORM: LazyLock<Definition> = LazyLock::new(|| {
    let choices = json!([{"api_code": "a", "label": "A", "score": 1}, {"api_code": "b", "label": "B"}]);
    let fields = json!([
        {"type": "number", "label": "1"},
        {"type": "short_text", "label": "2"},
        {"type": "radio", "label": "3", "choices": choices},
        {"type": "checkbox", "label": "4", "choices": choices, "required": true},
        {"type": "formula", "label": "5", "expression": "SUM(field_1, SCORE(field_3))", "result_type": "number"},
        {"type": "date", "label": "6", "default_value": "today"},
        {"type": "table", "label": "7", "dimensions": [{"type": "number", "label": "n"}, {"type": "short_text", "label": "t"}]},
        {"type": "number", "label": "8", "hidden": true, "default_value": 2},
        {"type": "formula", "label": "9", "expression": "CONCAT(field_2, field_5)", "result_type": "text"},
        {"type": "short_text", "label": "10", "required": true},
        {"type": "formula", "label": "11", "expression": "DATE_DIFF(field_6, TODAY(), \"day\") + field_1", "result_type": "number"},
        {"type": "formula", "label": "12", "expression": "CONCAT(field_11, field_2)", "result_type": "text"},
    ]);
    let mut at = Issues::new();
    let definition = Definition::create(fields, &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
});

fn code() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (1..=12_u32).prop_map(|n| format!("field_{n}")),
        1 => Just("field_7.field_1".to_owned()),
        1 => Just("field_7.field_2".to_owned()),
        1 => "[a-z_.0-9]{0,12}",
    ]
}

fn wanted() -> impl Strategy<Value = Json> {
    let one = prop_oneof![
        (-3..10_i64).prop_map(Json::from),
        prop::sample::select(vec!["a", "b", "x", "2026-11-20", "2026-11", ""]).prop_map(Json::from),
        Just(Json::Null),
    ];
    prop_oneof![3 => one.clone(), 1 => prop::collection::vec(one, 0..3).prop_map(Json::from)]
}

fn rules() -> impl Strategy<Value = Json> {
    let operators: Vec<&str> = Op::ALL.iter().map(|op| op.name()).chain(["is"]).collect();
    let item = (code(), prop::sample::select(operators), wanted())
        .prop_map(|(field, operator, value)| json!({"field": field, "operator": operator, "value": value}));
    let rule = (
        prop::sample::select(vec!["show", "hide", "require"]),
        prop::sample::select(vec!["and", "or"]),
        prop::collection::vec(item, 1..4),
        prop::collection::vec(code(), 1..4),
    );
    let rule = rule.prop_map(|(action, operand, items, fields)| {
        json!({"condition": {"operand": operand, "items": items}, "action": action, "fields": fields})
    });
    prop::collection::vec(rule, 0..6).prop_map(Json::from)
}

fn given() -> impl Strategy<Value = Json> {
    let number = prop::option::of((-3..10_i64).prop_map(Json::from));
    let text = prop::option::of(prop::sample::select(vec!["a", "x", " ", "2026-11-20"]));
    let choice = prop::option::of(prop::sample::select(vec!["a", "b", "c"]));
    (number.clone(), text.clone(), choice.clone(), choice, number, text).prop_map(
        |(one, two, three, four, seven, ten)| {
            json!({
                "field_1": one, "field_2": two, "field_3": three, "field_4": four.map(|code| json!([code])),
                "field_6": two, "field_7": [{"field_1": seven, "field_2": ten}], "field_8": seven, "field_10": ten,
            })
        },
    )
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn nothing_hidden_is_left_or_asked_for(stored in rules(), given in given(), respondent in any::<bool>()) {
        let (fields, cx) = (&FORM.fields, Cx::of_a_test(respondent));
        let (rules, faults) = Rules::read(&stored, fields, &cx);
        let mut at = Issues::new();
        let values = values::create(fields, &rules, given.clone(), &cx, &mut at).values;
        let mut again = values.clone();
        let outcome = rules.settle(fields, &mut again, &cx);
        let asked: Vec<String> = at.into_list().into_iter().map(|issue| issue.attribute).collect();
        for (place, field) in fields.iter().enumerate() {
            if outcome.hides(place) {
                prop_assert!(!values.contains_key(&field.api_code), "{} in {values:?}", field.api_code);
                prop_assert!(!outcome.requires(place));
                let path = format!("field_values.{}", field.api_code);
                prop_assert!(!asked.iter().any(|asked| asked.starts_with(&format!("{path}.")) || *asked == path), "{asked:?}");
            }
        }
        // Evaluating again changes nothing, unless rules and formulas form a cycle, which no stored form has.
        if faults.iter().all(|fault| fault.condition.is_some()) {
            prop_assert_eq!(&again, &values);
        }
        // The trace tells what decided, condition by condition.
        let (traced, trace) = rules.trace(fields, &mut values.clone(), &cx);
        for (place, field) in fields.iter().enumerate() {
            prop_assert_eq!((traced.hides(place), traced.requires(place)), (outcome.hides(place), outcome.requires(place)));
            let holds = |(at, rule): &(usize, &Rule)| {
                let all = trace.of(*at);
                if rule.is_any { all.contains(&true) } else { !all.contains(&false) }
            };
            let of = |action: Action| rules.about(place).filter(move |(_, rule)| rule.action == action);
            let is_hidden = of(Action::Hide).any(|it| holds(&it))
                || (of(Action::Show).next().is_some() && !of(Action::Show).any(|it| holds(&it)));
            prop_assert_eq!(is_hidden, outcome.hides(place), "{}", field.api_code);
            for (at, rule) in rules.about(place).filter(|_| faults.iter().all(|fault| fault.condition.is_some())) {
                let of_server = rule.conditions.iter().map(|condition| {
                    condition.as_ref().is_some_and(|condition| condition.holds(fields, &values, &cx))
                });
                prop_assert_eq!(of_server.collect::<Vec<_>>(), trace.of(at));
            }
        }
        // The values read on a later day are those that would be computed then; no other value changes.
        let mut later = Cx::of_a_test(respondent);
        for days in [0, 1, 40] {
            later.now = cx.now.plus_secs(days * 86_400);
            let (mut read, mut settled) = (values.clone(), values.clone());
            rules.refresh(fields, &mut read, &later);
            rules.settle(fields, &mut settled, &later);
            for (place, field) in fields.iter().enumerate() {
                let code = &field.api_code;
                let expected = if rules.is_daily(place) { &settled } else { &values };
                if faults.iter().all(|fault| fault.condition.is_some()) {
                    prop_assert_eq!(read.get(code), expected.get(code), "{} after {} days", code, days);
                }
            }
        }
        // The data for the page's script names no hidden field.
        let told = live::data(fields, &rules, "en").map(|data| data.to_string()).unwrap_or_default();
        prop_assert!(!told.contains("\"field_8\""), "{}", told);
        // An empty change changes nothing.
        let mut at = Issues::new();
        let kept = values::update(fields, &rules, &values, json!({}), &cx, &mut at).values;
        if faults.iter().all(|fault| fault.condition.is_some()) {
            prop_assert_eq!((&kept, at.count()), (&values, 0));
        }
    }
}
