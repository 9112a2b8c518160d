//! The conditions that find the entries with the same answer: "is this value", by the operators of its kind.

use serde_json::json;

use crate::base::json::Json;
use crate::fields::filter::cond::{Key, Op};
use crate::fields::kind::{Cx, Kind};
use crate::ops::entries::shown_answers::EntryColumn;

/// The length of a day in a moment's text, `2026-11-29`.
const DAY: usize = 10;

/// The conditions, as a filter takes them: all of them hold for the answer. Nothing if the column can't be filtered.
/// Where the kind compares no whole answers, they are about its parts, else about its text, else about there being one.
pub fn conditions(column: &EntryColumn, stored: Option<&Json>, cx: &Cx) -> Vec<Json> {
    let kind = column.kind();
    let allowed = kind.operators();
    let keys = stored.map(|stored| kind.keys(stored, cx)).unwrap_or_default();
    let condition = |op: Op, value: Option<Json>| match value {
        Some(value) => json!({"field": column.name(), "operator": op.name(), "value": value}),
        None => json!({"field": column.name(), "operator": op.name()}),
    };
    let without_value = |op: Op| allowed.contains(&op).then(|| condition(op, None)).into_iter().collect();
    let Some(stored) = stored.filter(|_| !keys.is_empty()) else {
        return without_value(Op::Null);
    };
    let answer = Answer { kind, keys: &keys, cx };
    let text = kind.text(stored, cx);
    // Nothing but itself came in the same millisecond.
    let day = matches!(column, EntryColumn::System(_)).then(|| text.get(..DAY)).flatten();
    let whole = day.map(|day| json!(day)).into_iter().chain([stored.clone(), kind.read(stored, cx), json!(text)]);
    for value in whole {
        if let Some((op, value)) = answer.met_by(&value) {
            return vec![condition(op, Some(value))];
        }
    }
    let parts = keys.iter().filter_map(value_of).filter_map(|value| answer.met_by(&value));
    let parts: Vec<Json> = parts.map(|(op, value)| condition(op, Some(value))).collect();
    if !parts.is_empty() {
        return parts;
    }
    if answer.meets(Op::Like, &json!(text)) {
        return vec![condition(Op::Like, Some(json!(text)))];
    }
    without_value(Op::NotNull)
}

/// An answer by which others are found.
struct Answer<'a> {
    kind: &'a dyn Kind,
    keys: &'a [Key],
    cx: &'a Cx<'a>,
}

impl Answer<'_> {
    /// The operator of equality that takes this value and holds for the answer, with the value as it takes it.
    fn met_by(&self, value: &Json) -> Option<(Op, Json)> {
        let ways = [(Op::Eq, value.clone()), (Op::AnyIn, json!([value]))];
        ways.into_iter().find(|(op, value)| self.meets(*op, value))
    }

    fn meets(&self, op: Op, value: &Json) -> bool {
        let is_allowed = self.kind.operators().contains(&op);
        is_allowed && self.kind.condition(op, value, self.cx).is_ok_and(|cond| cond.holds(self.keys))
    }
}

/// A part of an answer as filters name it; nothing for a label, which only a search looks at.
fn value_of(key: &Key) -> Option<Json> {
    match key {
        Key::Number(number) => Some(json!(number)),
        key => key.exact().map(|text| json!(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;

    #[test]
    fn an_answer_is_found_by_the_operators_of_its_kind() {
        let mut at = Issues::new();
        let cx = Cx::of_a_test(false);
        let choices = json!([{"label": "Soup"}, {"label": "Pie"}]);
        let places = json!([{"label": "North", "children": [{"label": "Hall"}]}]);
        let raw = json!([
            {"type": "short_text", "label": "Town"},
            {"type": "number", "label": "Guests"},
            {"type": "radio", "label": "Food", "choices": choices},
            {"type": "checkbox", "label": "Dishes", "choices": choices},
            {"type": "date", "label": "Day"},
            {"type": "cascade", "label": "Place", "choices": places},
            {"type": "attachment", "label": "Plan"},
            {"type": "address", "label": "Address"},
        ]);
        let form = Definition::create(raw, &cx, &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        let field = |name: &str| form.fields.get(name).expect("a field");
        let found = |name: &str, raw: Json| {
            let field = field(name);
            let stored = field.kind.parse(raw, &cx, &mut Issues::new());
            let all = conditions(&EntryColumn::Question(field), Some(&stored).filter(|it| !it.is_null()), &cx);
            let short = |it: &Json| (it["operator"].as_str().expect("an operator").to_owned(), it["value"].clone());
            all.iter().map(short).collect::<Vec<_>>()
        };
        let code = |name: &str, at: usize| field(name).kind.as_json()["choices"][at]["api_code"].clone();
        let one = |op: &str, value: Json| vec![(op.to_owned(), value)];
        assert_eq!(found("field_1", json!("Évian 20%")), one("eq", json!("Évian 20%")));
        assert_eq!(found("field_2", json!(2.5)), one("eq", json!(2.5)));
        assert_eq!(found("field_3", json!({"value": code("field_3", 1)})), one("eq", code("field_3", 1)));
        let (soup, pie) = (code("field_4", 0), code("field_4", 1));
        assert_eq!(found("field_4", json!([{"value": pie}])), one("eq", pie.clone()), "this one alone");
        let both = [json!([soup]), json!([pie])].map(|value| ("any_in".to_owned(), value));
        assert_eq!(found("field_4", json!([{"value": soup}, {"value": pie}])), both);
        assert_eq!(found("field_5", json!("2026-12-24")), one("eq", json!("2026-12-24")));
        let hall = field("field_6").kind.as_json()["choices"][0]["children"][0]["api_code"].clone();
        let way = json!({"level_1": code("field_6", 0), "level_2": hall});
        assert_eq!(found("field_6", way.clone()), one("eq", way));
        assert_eq!(found("field_7", Json::Null), one("null", Json::Null));
        assert_eq!(found("field_8", json!({"city": "Delft", "address_line1": "Oude 1"})).len(), 1);
    }
}
