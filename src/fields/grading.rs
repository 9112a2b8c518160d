//! Comparisons of stored answers with the right ones, shared by the kinds.

use crate::base::json::Json;
use crate::base::text::{self, identity};
use crate::fields::choices::stored_selection::StoredSelection;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::kind::{Grading, Marks};

/// Values that are equal as they are stored: dates, times, codes.
pub struct Same;

impl Grading for Same {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        given == right
    }
}

/// Numbers, however they are written.
pub struct Number;

impl Grading for Number {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        match (given.as_f64(), right.as_f64()) {
            (Some(given), Some(right)) => given == right,
            _ => false,
        }
    }
}

/// Texts that are the same to people, in each part of a value.
pub struct Text;

impl Grading for Text {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        match (given, right) {
            (Json::String(given), Json::String(right)) => is_same_text(given, right),
            (Json::Object(given), Json::Object(right)) => {
                let mut keys = given.keys().chain(right.keys());
                keys.all(|key| {
                    let part = |of: &serde_json::Map<String, Json>| of.get(key).cloned();
                    let (given, right) = (part(given), part(right));
                    self.is_right(&given.unwrap_or_default(), &right.unwrap_or_default())
                })
            }
            _ => given == right,
        }
    }
}

fn is_same_text(given: &str, right: &str) -> bool {
    identity::of_text(given) == identity::of_text(right)
}

/// One choice. A text beside it counts if the right answer has one.
pub struct Choice;

impl Grading for Choice {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        code_of(given) == code_of(right) && has_texts(given, right)
    }
}

fn has_texts(given: &Json, right: &Json) -> bool {
    let (given, right) = (StoredSelection::of(given), StoredSelection::of(right));
    let texts = [(given.other_text, right.other_text), (given.extended_text, right.extended_text)];
    texts.into_iter().all(|(given, wanted)| {
        let wanted = wanted.filter(|text| !text::is_blank(text));
        wanted.is_none_or(|wanted| is_same_text(given.unwrap_or_default(), wanted))
    })
}

/// Several choices, in any order.
pub struct Choices;

impl Grading for Choices {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        self.marks(given, right).is_some_and(|marks| marks.wrong == 0 && marks.right == marks.all)
    }

    fn marks(&self, given: &Json, right: &Json) -> Option<Marks> {
        let (given, right) = (given.as_array()?, right.as_array()?);
        let is_found = |chosen: &&Json| right.iter().any(|right| Choice.is_right(chosen, right));
        let found = given.iter().filter(is_found).count();
        Some(Marks { right: found, wrong: given.len() - found, all: right.len() })
    }

    fn has_parts(&self) -> bool {
        true
    }
}

/// Rows of codes by statement, each row in any order.
pub struct Rows;

impl Grading for Rows {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        let (Some(given), Some(right)) = (given.as_object(), right.as_object()) else {
            return false;
        };
        let sorted = |row: &Json| {
            let codes = row.as_array().into_iter().flatten();
            let mut codes: Vec<String> = codes.map(ToString::to_string).collect();
            codes.sort_unstable();
            codes
        };
        given.len() == right.len()
            && right.iter().all(|(statement, right)| {
                let given = given.get(statement);
                given.is_some_and(|given| sorted(given) == sorted(right))
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_compared_as_people_would() {
        let table: &[(&dyn Grading, Json, Json, bool)] = &[
            (&Text, json!("  PARIS\n"), json!("Paris"), true),
            (&Text, json!("ｐａｒｉｓ"), json!("Paris"), true),
            (&Text, json!("\u{200b}Pa\u{ad}ris\u{a0}"), json!("Paris"), true),
            (&Text, json!("Paris!"), json!("Paris"), false),
            (
                &Text,
                json!({"city": "BERN", "country": "CH"}),
                json!({"city": "Bern", "country": "CH", "state": null}),
                true,
            ),
            (&Text, json!({"city": "Bern"}), json!({"city": "Basel"}), false),
            (&Number, json!(5), json!(5.0), true),
            (&Number, json!(5.1), json!(5.10), true),
            (&Number, json!(5), json!(-5), false),
            (&Number, json!("5"), json!(5), false),
            (&Same, json!("2026-11-20"), json!("2026-11-20"), true),
            (&Same, json!("2026-11-20"), json!("2026-11-21"), false),
            (&Same, json!({"b": 1, "a": 2}), json!({"a": 2, "b": 1}), true),
            (&Same, json!({"b": 2, "a": 1}), json!({"a": 2, "b": 1}), false),
            (&Choice, json!({"value": "a"}), json!({"value": "a"}), true),
            (&Choice, json!({"value": "a"}), json!({"value": "A"}), false),
            (&Choice, json!({"value": "o", "other_text": "Green"}), json!({"value": "o"}), true),
            (
                &Choice,
                json!({"value": "o", "other_text": " GREEN"}),
                json!({"value": "o", "other_text": "green"}),
                true,
            ),
            (&Choice, json!({"value": "o"}), json!({"value": "o", "other_text": "green"}), false),
            (&Choices, json!([{"value": "b"}, {"value": "a"}]), json!([{"value": "a"}, {"value": "b"}]), true),
            (&Choices, json!([{"value": "a"}]), json!([{"value": "a"}, {"value": "b"}]), false),
            (
                &Choices,
                json!([{"value": "a"}, {"value": "b"}, {"value": "c"}]),
                json!([{"value": "a"}, {"value": "b"}]),
                false,
            ),
            (&Rows, json!({"s": ["b", "a"]}), json!({"s": ["a", "b"]}), true),
            (&Rows, json!({"s": ["a"]}), json!({"s": ["a"], "t": ["b"]}), false),
            (&Rows, json!({"s": ["a"], "t": ["a"]}), json!({"s": ["a"], "t": ["b"]}), false),
        ];
        for (grading, given, right, expected) in table {
            assert_eq!(grading.is_right(given, right), *expected, "{given} {right}");
        }
    }

    #[test]
    fn ticks_are_counted_one_by_one() {
        let of = |codes: &str| {
            let codes = codes.chars().map(|code| json!({"value": code.to_string()}));
            codes.collect::<Json>()
        };
        for (given, right, marks) in [("ab", "ab", (2, 0, 2)), ("ac", "ab", (1, 1, 2)), ("", "ab", (0, 0, 2))] {
            let found = Choices.marks(&of(given), &of(right)).expect("sets");
            assert_eq!((found.right, found.wrong, found.all), marks, "{given}");
        }
    }
}
