//! Updates an entry's stored values to the form's current fields: data of removed fields and removed parts is dropped,
//! and formulas are recomputed.

use std::borrow::Cow;

use crate::fields::kind::Cx;
use crate::fields::values::rules::Rules;
use crate::fields::values::{self, Values};
use crate::fields::{Field, Fields};

/// An entry's values after a rewrite.
#[derive(Debug)]
pub struct Rewritten {
    pub values: Values,
    /// Whether a computed value has changed. Removed data was not visible before either.
    pub shows_other: bool,
}

/// The rewritten values; `None` if nothing changes. `cx.now` is when the entry was last saved, so that formulas give
/// the result of that time. Formulas are only computed if `rules` are given.
pub fn rewrite(fields: &Fields, rules: Option<&Rules>, stored: &Values, cx: &Cx) -> Option<Rewritten> {
    let kept = without_removed(fields, stored, cx);
    let mut is_other = kept.is_some();
    let mut values = kept.unwrap_or_else(|| stored.clone());
    let mut shows_other = false;
    if let Some(rules) = rules.filter(|rules| rules.has_formulas()) {
        let settled = values::settled(fields, rules, &values, cx).values;
        let computed = fields.iter().filter(|field| field.kind.computed().is_some());
        for Field { api_code, .. } in computed {
            match settled.get(api_code) {
                now if now == values.get(api_code) => continue,
                Some(now) => {
                    values.insert(api_code.clone(), now.clone());
                }
                None => {
                    values.shift_remove(api_code);
                }
            }
            shows_other = true;
        }
    }
    is_other |= shows_other;
    is_other.then_some(Rewritten { values, shows_other })
}

/// Stored values without data of removed fields and removed parts; `None` if there is none.
pub fn without_removed(fields: &Fields, stored: &Values, cx: &Cx) -> Option<Values> {
    let mut out = Values::new();
    let mut is_other = false;
    for (api_code, value) in stored {
        let field = fields.get(api_code).filter(|field| field.kind.has_value());
        let kept = field.and_then(|field| values::without_removed(field, value, cx));
        is_other |= !matches!(kept, Some(Cow::Borrowed(_)));
        if let Some(kept) = kept {
            out.insert(api_code.clone(), kept.into_owned());
        }
    }
    is_other.then_some(out)
}

/// Whether formulas may give other results: one of them, or a field that one reads, has another definition.
pub fn changes_formulas(old: &Fields, new: &Fields) -> bool {
    let is_other = |field: &Field| is_other(old, field);
    new.iter().any(|field| {
        field.kind.computed().is_some_and(|computed| {
            let mut read = computed.formula.fields().into_iter();
            is_other(field) || read.any(|code| new.get(code).is_some_and(is_other))
        })
    })
}

/// Whether the rules may show or hide other fields: a field that they test has another definition.
pub fn changes_rules(old: &Fields, new: &Fields, rules: &Rules) -> bool {
    rules.hides_by(|place| new.at(place).is_some_and(|field| is_other(old, field)))
}

fn is_other(old: &Fields, field: &Field) -> bool {
    old.get(&field.api_code)
        .is_none_or(|was| was.row.name != field.row.name || was.kind.to_stored() != field.kind.to_stored())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;

    fn edited(steps: &[Json]) -> (Definition, Definition) {
        let mut at = Issues::new();
        let cx = Cx::of_a_test(false);
        let mut made = vec![Definition::create(steps[0].clone(), &cx, &mut at)];
        for (i, step) in steps[1..].iter().enumerate() {
            let edit = made[i].replace(step.clone(), &cx, &mut at).definition;
            // As the next request loads it.
            made.push(Definition::from_stored(edit.to_stored()).expect("reads back"));
        }
        assert!(at.is_empty(), "{:?}", at.into_list());
        let new = made.pop().expect("two steps at least");
        (made.pop().expect("two steps at least"), new)
    }

    fn after(definition: &Definition, stored: &Json) -> Option<(Json, bool)> {
        let cx = Cx::of_a_test(false);
        let rules = Rules::read(&json!([]), &definition.fields, &cx).0;
        let stored = stored.as_object().expect("an object");
        let made = rewrite(&definition.fields, Some(&rules), stored, &cx)?;
        let again = rewrite(&definition.fields, Some(&rules), &made.values, &cx);
        assert!(again.is_none(), "nothing is left to do: {again:?}");
        Some((made.values.into(), made.shows_other))
    }

    fn choices(codes: &[&str], api_code: Option<&str>, kind: &str, other: bool) -> Json {
        let choices: Vec<Json> = codes
            .iter()
            .map(|code| json!({"api_code": code, "label": code, "is_other": other && *code == "o"}))
            .collect();
        json!({"type": kind, "label": "x", "api_code": api_code, "choices": choices})
    }

    #[test]
    fn what_is_hidden_stays_and_what_was_removed_goes() {
        let (_, new) = edited(&[
            json!([choices(&["a", "o"], None, "checkbox", true)]),
            json!([choices(&["o"], Some("field_1"), "checkbox", false)]),
        ]);
        let kept = json!({"value": "o", "other_text": "typed"});
        let stored = json!({"field_1": [{"value": "a"}, kept], "field_2": "of a removed field"});
        assert_eq!(after(&new, &stored), Some((json!({"field_1": [kept]}), false)));
        assert_eq!(after(&new, &json!({"field_1": [kept]})), None);
        assert_eq!(after(&new, &json!({"field_1": [{"value": "a"}]})), Some((json!({}), false)));
    }

    #[test]
    fn a_value_of_an_earlier_type_is_understood() {
        let (_, new) = edited(&[
            json!([choices(&["a", "b"], None, "radio", false)]),
            json!([choices(&["a"], Some("field_1"), "radio", false)]),
            json!([choices(&["a"], Some("field_1"), "checkbox", false)]),
        ]);
        assert_eq!(after(&new, &json!({"field_1": {"value": "a"}})), None);
        assert_eq!(after(&new, &json!({"field_1": {"value": "b"}})), Some((json!({}), false)));
    }

    #[test]
    fn columns_and_their_choices_go_from_every_row() {
        let table = |api_code: Option<&str>, columns: Json| json!([{"type": "table", "label": "t", "api_code": api_code, "dimensions": columns}]);
        let first = json!({"type": "short_text", "label": "s"});
        let mut kept = choices(&["a"], Some("field_2"), "radio", false);
        kept["label"] = json!("other label");
        let (_, new) = edited(&[
            table(None, json!([first, choices(&["a", "b"], None, "radio", false)])),
            table(Some("field_1"), json!([kept])),
        ]);
        let stored = json!({"field_1": [
            {"field_1": "gone", "field_2": {"value": "a"}}, {"field_1": "gone", "field_2": {"value": "b"}}]});
        let left = json!({"field_1": [{"field_2": {"value": "a"}}]});
        assert_eq!(after(&new, &stored), Some((left, false)));
    }

    #[test]
    fn formulas_are_computed_again_one_after_the_other() {
        let formula = |api_code: Option<&str>, expression: &str| json!({"type": "formula", "label": "f", "api_code": api_code, "expression": expression, "result_type": "number"});
        let number = |api_code: Option<&str>| json!({"type": "number", "label": "n", "api_code": api_code});
        let (old, new) = edited(&[
            json!([number(None), formula(None, "field_1 + 1"), formula(None, "field_2 * 10")]),
            json!([
                number(Some("field_1")),
                formula(Some("field_2"), "field_1 + 2"),
                formula(Some("field_3"), "field_2 * 10"),
            ]),
        ]);
        assert!(changes_formulas(&old.fields, &new.fields));
        assert!(!changes_formulas(&new.fields, &new.fields));
        let stored = json!({"field_1": 1, "field_2": 2, "field_3": 20});
        let now = json!({"field_1": 1, "field_2": 3, "field_3": 30});
        assert_eq!(after(&new, &stored), Some((now.clone(), true)));
        assert_eq!(after(&new, &now), None);
        assert_eq!(after(&new, &json!({"field_2": 2})), Some((json!({}), true)), "a blank operand gives nothing");
    }
}
