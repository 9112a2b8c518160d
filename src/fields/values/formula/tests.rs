//! Expressions and their results, from the definition to the stored value.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base::cases::cases;
use crate::base::issue::Issues;
use crate::fields::definition::Definition;
use crate::fields::kind::Cx;
use crate::fields::values;
use crate::fields::values::rules::Rules;

/// The fields that the expressions read, and the formula as `field_13`.
fn form(expression: &str, result: &str, precision: Option<u32>) -> Json {
    json!([
        {"type": "number", "label": "n"},
        {"type": "number", "label": "blank"},
        {"type": "short_text", "label": "t"},
        {"type": "date", "label": "d"},
        {"type": "radio", "label": "r", "choices": [
            {"api_code": "red", "label": "Red", "score": 2.5}, {"api_code": "blue", "label": "Blue"}]},
        {"type": "checkbox", "label": "c", "choices": [
            {"api_code": "a", "label": "Tea", "score": 0.1}, {"api_code": "b", "label": "Milk", "score": 0.2},
            {"api_code": "c", "label": "Sugar"}]},
        {"type": "date", "label": "m", "precision": "minute"},
        {"type": "number", "label": "n2"},
        {"type": "short_text", "label": "blank"},
        {"type": "date", "label": "month", "precision": "month"},
        {"type": "description", "label": "x", "content": "x"},
        {"type": "formula", "label": "f", "expression": "field_1 * 2", "result_type": "number"},
        {"type": "formula", "label": "f", "expression": expression, "result_type": result, "precision": precision},
    ])
}

fn entry() -> Json {
    json!({
        "field_1": 7, "field_3": "Ada ÀB", "field_4": "2026-01-31", "field_5": "red",
        "field_6": ["b", "a"], "field_7": "2026-03-01 09:30", "field_8": 0.1, "field_10": "2026-02",
        "field_13": "not written",
    })
}

fn made(fields: Json) -> Result<Definition, Vec<String>> {
    let mut at = Issues::new();
    let definition = Definition::create(fields, &Cx::of_a_test(false), &mut at);
    let faults: Vec<String> = at.into_list().into_iter().map(|issue| issue.to_string()).collect();
    if faults.is_empty() { Ok(definition) } else { Err(faults) }
}

fn computed(definition: &Definition, entry: Json) -> Json {
    let cx = Cx::of_a_test(false);
    let (rules, _) = Rules::read(&json!([]), &definition.fields, &cx);
    let mut at = Issues::new();
    let values = values::create(&definition.fields, &rules, entry, &cx, &mut at).values;
    assert!(at.is_empty(), "{:?}", at.into_list());
    values.get("field_13").cloned().unwrap_or_default()
}

fn outcome(expression: &str, result: &str, precision: Option<u32>) -> Json {
    let definition =
        made(form(expression, result, precision)).unwrap_or_else(|faults| panic!("{expression}: {faults:?}"));
    computed(&definition, entry())
}

#[test]
fn numbers() {
    for (expression, outcome) in [
        ("1", json!(1)),
        ("1.50", json!(1.5)),
        (".5", json!(0.5)),
        ("1e3", json!(1000)),
        ("2.5E-1", json!(0.25)),
        ("1 + 2 * 3", json!(7)),
        ("(1 + 2) * 3", json!(9)),
        ("10 - 2 - 3", json!(5)),
        ("12 / 3 / 2", json!(2)),
        ("0.1 + 0.2", json!(0.3)),
        ("0.1 + 0.2 - 0.3", json!(0)),
        ("1.1 * 3", json!(3.3)),
        ("1 / 3 * 3", json!(1)),
        ("1 / 4", json!(0.25)),
        ("7 % 3", json!(1)),
        ("-7 % 3", json!(2)),
        ("7 % -3", json!(-2)),
        ("0.3 % 0.1", json!(0)),
        ("2 ^ 10", json!(1024)),
        ("2 ^ 3 ^ 2", json!(64)),
        ("-2 ^ 2", json!(4)),
        ("0 - 2 ^ 2", json!(-4)),
        ("2 ^ -1", json!(0.5)),
        ("0 ^ 0", json!(1)),
        ("4 ^ 0.5", json!(2)),
        ("- -+3", json!(3)),
        ("1e300 * 2", json!(2e300)),
        ("1e-20 * 1e-20", json!(1e-40)),
        ("1e300 - 1e300 + 1", json!(1)),
        ("9007199254740993 - 1", json!(9_007_199_254_740_992_i64)),
        ("field_1", json!(7)),
        ("field_1 * field_8", json!(0.7)),
        ("field_12 + 1", json!(15)),
        ("SUM(1, 2, 3.5)", json!(6.5)),
        ("sum(field_1, field_2, 1)", json!(8)),
        ("MIN(3, field_1, 2)", json!(2)),
        ("MAX(3, field_1, field_2)", json!(7)),
        ("AVERAGE(1, 2, field_2)", json!(1.5)),
        ("ROUND(2.5)", json!(3)),
        ("ROUND(-2.5)", json!(-3)),
        ("ROUND(2.345, 2)", json!(2.35)),
        ("ROUND(1.005, 2)", json!(1.01)),
        ("ROUND(1 / 3 * 7.5)", json!(3)),
        ("ROUND(1250, -2)", json!(1300)),
        ("ROUND(1e300, -2)", json!(1e300)),
        ("ABS(3 - 5)", json!(2)),
        ("LEN(field_3)", json!(6)),
        ("LEN(\"\")", json!(0)),
        ("LEN(CONCAT(field_9))", json!(0)),
        ("DATE_DIFF(field_4, \"2026-03-01\", \"day\")", json!(29)),
        ("DATE_DIFF(\"2026-03-01\", field_4, \"day\")", json!(-29)),
        ("DATE_DIFF(field_4, field_7, \"month\")", json!(1)),
        ("DATE_DIFF(\"2008-11-21\", TODAY(), \"year\")", json!(17)),
        ("DATE_DIFF(\"2008-11-20\", TODAY(), \"YEAR\")", json!(18)),
        ("SCORE(field_5)", json!(2.5)),
        ("SCORE(field_6)", json!(0.3)),
        ("SCORE(field_5) + SCORE(field_6)", json!(2.8)),
        ("IF(field_1 > 5, 1, 2)", json!(1)),
        ("IF(field_1 = 0, 0, 1 / field_1 * 7)", json!(1)),
        ("IF(1 = 2, 1 / 0, 5)", json!(5)),
        ("IF(field_5 = \"RED\", 1, 0)", json!(1)),
        ("IF(field_5 == \"Blue\", 1, 0)", json!(0)),
        ("IF(field_6 = \"Milk, Tea\", 1, 0)", json!(1)),
        ("IF(field_3 <> \"x\", 1, 0)", json!(1)),
        ("IF(field_3 != \"ａda àb\", 1, 0)", json!(0)),
        ("IF(AND(1 < 2, 2 <= 2, 3 >= 3), 1, 0)", json!(1)),
        ("IF(OR(1 > 2, NOT(1 = 1)), 1, 0)", json!(0)),
        ("IF(0.1 + 0.2 = 0.3, 1, 0)", json!(1)),
        ("IF(1 / 3 * 3 = 1, 1, 0)", json!(1)),
        ("IF(field_4 < \"2026-02-01\", 1, 0)", json!(1)),
        ("IF(field_10 > field_4, 1, 0)", json!(1)),
        ("IF(field_7 > \"2026-03-01\", 1, 0)", json!(1)),
        ("IF((1 = 1) = (2 = 2), 1, 0)", json!(1)),
        ("IF(OR(1 = 1, field_2 > 1), 1, 0)", json!(1)),
        ("IF(AND(1 = 2, field_2 > 1), 1, 0)", json!(0)),
    ] {
        assert_eq!(self::outcome(expression, "number", None), outcome, "{expression}");
    }
    for (expression, precision, outcome) in [
        ("1 / 3", 2, json!(0.33)),
        ("2 / 3", 0, json!(1)),
        ("-0.125", 2, json!(-0.13)),
        ("1e300", 6, json!(1e300)),
        ("1e-300", 6, json!(0)),
    ] {
        assert_eq!(self::outcome(expression, "number", Some(precision)), outcome, "{expression}");
    }
}

#[test]
fn texts_and_dates() {
    for (expression, result, outcome) in [
        ("\"a\"", "text", json!("a")),
        ("\"say \"\"hi\"\"\"", "text", json!("say \"hi\"")),
        ("field_3", "text", json!("Ada ÀB")),
        ("UPPER(field_3)", "text", json!("ADA ÀB")),
        ("LOWER(field_3)", "text", json!("ada àb")),
        ("CONCAT(\"n=\", field_1, \" \", 0.1 + 0.2)", "text", json!("n=7 0.3")),
        ("CONCAT(field_4, \" \", field_7, \" \", field_10)", "text", json!("2026-01-31 2026-03-01 09:30 2026-02")),
        ("CONCAT(field_9, field_3)", "text", json!("Ada ÀB")),
        ("CONCAT(field_5)", "text", json!("Red")),
        ("field_5", "text", json!("Red")),
        ("field_6", "text", json!("Milk, Tea")),
        ("IF(LEN(field_3) > 3, \"long\", \"short\")", "text", json!("long")),
        ("\"2026-01-31\"", "text", json!("2026-01-31")),
        ("field_4", "date", json!("2026-01-31")),
        ("field_7", "date", json!("2026-03-01")),
        ("field_10", "date", json!("2026-02-01")),
        ("\"2026-01-31\"", "date", json!("2026-01-31")),
        ("TODAY()", "date", json!("2026-11-20")),
        ("DATE_ADD(field_4, 1, \"day\")", "date", json!("2026-02-01")),
        ("DATE_ADD(field_4, 1, \"month\")", "date", json!("2026-02-28")),
        ("DATE_ADD(\"2024-02-29\", 1, \"year\")", "date", json!("2025-02-28")),
        ("DATE_ADD(field_4, -1, \"month\")", "date", json!("2025-12-31")),
        ("DATE_ADD(field_4, 1.9, \"day\")", "date", json!("2026-02-01")),
        ("DATE_ADD(field_10, 1, \"month\")", "date", json!("2026-03-01")),
        ("IF(field_1 > 5, field_4, \"2026-12-24\")", "date", json!("2026-01-31")),
        ("IF(field_1 < 5, field_4, \"2026-12-24\")", "date", json!("2026-12-24")),
    ] {
        assert_eq!(self::outcome(expression, result, None), outcome, "{expression}");
    }
}

#[test]
fn what_cannot_be_said_is_null() {
    for (expression, result) in [
        ("1 / 0", "number"),
        ("1 % 0", "number"),
        ("0 ^ -1", "number"),
        ("(0 - 8) ^ 0.5", "number"),
        ("1e308 * 10", "number"),
        ("10 ^ 400", "number"),
        ("field_2", "number"),
        ("field_2 + 1", "number"),
        ("-field_2", "number"),
        ("ABS(field_2)", "number"),
        ("SUM(field_2)", "number"),
        ("AVERAGE(field_2, field_2)", "number"),
        ("LEN(field_9)", "number"),
        ("SUM(1, 1 / 0) + 1 / 0", "number"),
        ("ROUND(1, field_2)", "number"),
        ("IF(field_2 > 1, 1, 2)", "number"),
        ("IF(1 = 2, 1)", "number"),
        ("IF(AND(1 = 1, field_2 > 1), 1, 0)", "number"),
        ("CONCAT(field_9, field_9)", "text"),
        ("CONCAT(\" \")", "text"),
        ("\"\"", "text"),
        ("DATE_ADD(field_4, 1e9, \"year\")", "date"),
        ("DATE_ADD(field_4, 1e300, \"day\")", "date"),
        ("DATE_ADD(field_4, -3000, \"year\")", "date"),
        ("DATE_ADD(field_4, field_2, \"day\")", "date"),
    ] {
        assert_eq!(outcome(expression, result, None), Json::Null, "{expression}");
    }
}

#[test]
fn what_is_wrong_is_said_when_the_form_is_saved() {
    for (expression, result, faults) in [
        ("1 +", "number", &["ends where a value must follow"][..]),
        ("1 2", "number", &["needs an operator before \"2\""]),
        ("field_1 SUM(1)", "number", &["needs an operator before \"SUM(\""]),
        ("* 2", "number", &["has \"*\" where a value must stand"]),
        ("(1", "number", &["has an opening bracket without its closing one"]),
        ("1)", "number", &["has a closing bracket without its opening one"]),
        ("()", "number", &["has \")\" where a value must stand"]),
        ("SUM(1,)", "number", &["has \")\" where a value must stand"]),
        ("SUM(,1)", "number", &["has \",\" where a value must stand"]),
        ("(1, 2)", "number", &["has a comma outside of a function"]),
        ("1, 2", "number", &["has a comma outside of a function"]),
        ("\"a", "text", &["has a text without its closing quote"]),
        ("1 & 2", "number", &["has '&', which means nothing in a formula"]),
        ("'a'", "text", &["has '\\'', which means nothing in a formula"]),
        (".", "number", &["has \".\", which is not a number"]),
        ("1e999", "number", &["has \"1e999\", which is not a number"]),
        ("FOO(1)", "number", &["names \"FOO\", which is not a function"]),
        ("SUM()", "number", &["gives SUM 0 values, but it needs 1"]),
        ("ABS(1, 2)", "number", &["gives ABS 2 values, but it takes 1"]),
        ("IF(1 = 1)", "number", &["gives IF 1 values, but it takes 2 to 3"]),
        ("TODAY(1)", "date", &["gives TODAY 1 values, but it takes 0"]),
        (
            "DATE_ADD(field_4, 1, \"week\")",
            "date",
            &["gives DATE_ADD a unit that is not \"day\", \"month\" or \"year\""],
        ),
        (
            "DATE_ADD(field_4, 1, field_3)",
            "date",
            &["gives DATE_ADD a unit that is not \"day\", \"month\" or \"year\""],
        ),
        ("SCORE(1)", "number", &["gives SCORE something that is not a field"]),
        ("field_99", "number", &["names field_99, which is not a field of this form"]),
        (
            "x + y",
            "number",
            &["names x, which is not a field of this form", "names y, which is not a field of this form"],
        ),
        ("SCORE(field_99)", "number", &["names field_99, which is not a field of this form"]),
        ("SCORE(field_3)", "number", &["names field_3, but a short_text has no score"]),
        ("field_11", "text", &["names field_11, but can't read a description"]),
        ("field_3 + 1", "number", &["+ needs a number, not a text"]),
        ("field_4 - 1", "number", &["- needs a number, not a date"]),
        ("-field_3", "number", &["- needs a number, not a text"]),
        ("1 * (1 = 1)", "number", &["* needs a number, not a condition"]),
        ("SUM(field_3)", "number", &["SUM needs a number, not a text"]),
        ("UPPER(1)", "text", &["UPPER needs a text, not a number"]),
        ("CONCAT(1 = 1)", "text", &["CONCAT needs a text, not a condition"]),
        ("AND(1, 2 = 2)", "text", &["AND needs a condition, not a number", "gives a condition, not a text"]),
        ("IF(1, 2, 3)", "number", &["IF needs a condition, not a number"]),
        ("IF(1 = 1, 2, \"a\")", "number", &["IF needs two values of one type, not a number and a text"]),
        ("IF(field_1 = field_3, 1, 2)", "number", &["= can't compare a number with a text"]),
        ("IF(field_4 > \"soon\", 1, 2)", "number", &["> can't compare a date with a text"]),
        ("IF((1 = 1) > (2 = 2), 1, 2)", "number", &["> can't compare a condition with a condition"]),
        ("IF(1 < 2 < 3, 1, 2)", "number", &["< can't compare a condition with a number"]),
        ("DATE_ADD(\"soon\", 1, \"day\")", "date", &["DATE_ADD needs a date, not a text"]),
        ("field_1", "text", &["gives a number, not a text"]),
        ("field_3", "number", &["gives a text, not a number"]),
        ("field_3", "date", &["gives a text, not a date"]),
        ("1 = 1", "text", &["gives a condition, not a text"]),
        ("field_13 + 1", "number", &["depends on itself"]),
        ("", "number", &["can't be blank"]),
    ] {
        let found = made(form(expression, result, None)).err().unwrap_or_default();
        let faults: Vec<String> = faults.iter().map(|fault| format!("fields[12].expression {fault}")).collect();
        assert_eq!(found, faults, "{expression}");
    }
    let found = made(json!([
        {"type": "formula", "label": "a", "expression": "field_2 + 1", "result_type": "number"},
        {"type": "formula", "label": "b", "expression": "field_3 + 1", "result_type": "number"},
        {"type": "formula", "label": "c", "expression": "field_1 + 1", "result_type": "number"},
        {"type": "formula", "label": "d", "expression": "field_1 + 1", "result_type": "number"},
    ]));
    let round = |at: usize| format!("fields[{at}].expression depends on itself");
    assert_eq!(found.err(), Some((0..3).map(round).collect()));
}

#[test]
fn faults_stand_at_their_characters() {
    for (expression, result, places) in [
        ("1 +", "number", &[(2, 1)][..]),
        (" 1 2", "number", &[(3, 1)]),
        ("1 + field_1 SUM (1)", "number", &[(12, 3)]),
        ("2 * (1", "number", &[(4, 1)]),
        ("1)", "number", &[(1, 1)]),
        ("\"é日\" \"a b ", "text", &[(5, 4)]),
        ("\"é日\" & 2", "text", &[(5, 1)]),
        ("1 + 1e999 ", "number", &[(4, 5)]),
        ("1 + FOO(1)", "number", &[(4, 3)]),
        ("1 + ABS(1, 2) + 1", "number", &[(4, 3)]),
        ("1 + x + LEN(y)", "number", &[(4, 1), (12, 1)]),
        ("1 + SCORE(field_3)", "number", &[(4, 5)]),
        ("1 + field_11", "number", &[(4, 8)]),
        ("LEN(\"日\") + field_3", "number", &[(9, 1)]),
        (" field_1 + 1 ", "text", &[(1, 11)]),
        ("1 + field_13", "number", &[(4, 8)]),
    ] {
        let mut at = Issues::new();
        Definition::create(form(expression, result, None), &Cx::of_a_test(false), &mut at);
        let place = |reason: Reason| match reason {
            Reason::InFormula { position, length, .. } => Some((position, length)),
            _ => None,
        };
        let found: Vec<_> = at.into_list().into_iter().filter_map(|issue| place(issue.reason)).collect();
        assert_eq!(found, places, "{expression}");
    }
}

#[test]
fn formulas_read_formulas_in_any_order() {
    let formula =
        |expression: &str| json!({"type": "formula", "label": "f", "expression": expression, "result_type": "number"});
    let definition = made(json!([
        formula("field_2 * 2"),
        formula("field_3 + 1"),
        formula("field_4 + 1"),
        {"type": "number", "label": "n"},
    ]))
    .expect("a form");
    let cx = Cx::of_a_test(false);
    let (rules, _) = Rules::read(&json!([]), &definition.fields, &cx);
    let mut at = Issues::new();
    let values = values::create(&definition.fields, &rules, json!({"field_4": 5}), &cx, &mut at).values;
    assert_eq!(Json::Object(values.clone()), json!({"field_4": 5, "field_3": 6, "field_2": 7, "field_1": 14}));
    let values =
        values::update(&definition.fields, &rules, &values, json!({"field_4": 1, "field_1": 9}), &cx, &mut at).values;
    assert_eq!(Json::Object(values.clone())["field_1"], 6);
    let values = values::update(&definition.fields, &rules, &values, json!({"field_4": null}), &cx, &mut at).values;
    assert!(values.is_empty() && at.is_empty(), "{values:?}");
}

#[test]
fn depth_length_and_work_are_bounded() {
    let deep = |n: usize, open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
    assert!(Formula::read(&deep(64, "(", ")")).is_ok());
    let refused = |bomb: &str| Formula::read(bomb).map(|_| ()).map_err(|fault| fault.text.to_string());
    let too_deep = Err("is nested too deeply (at most 64 levels)".to_owned());
    for bomb in [deep(65, "(", ")"), deep(65, "-", ""), deep(65, "ABS(", ")"), deep(900, "(", ")"), "(".repeat(1999)] {
        assert_eq!(refused(&bomb), too_deep, "{bomb}");
    }
    let too_long = Err("is too long (at most 2000 characters)".to_owned());
    for bomb in [deep(10_000, "(", ")"), "1+".repeat(1000) + "1"] {
        assert_eq!(refused(&bomb), too_long);
    }
    // Long, but flat.
    assert_eq!(outcome(&("1+".repeat(999) + "1"), "number", None), json!(1000));
    // Texts that double: each formula is twice the one before.
    let mut fields =
        vec![json!({"type": "formula", "label": "f", "expression": "\"0123456789\"", "result_type": "text"})];
    for n in 1..=40 {
        let expression = format!("CONCAT(field_{n}, field_{n})");
        fields.push(json!({"type": "formula", "label": "f", "expression": expression, "result_type": "text"}));
    }
    let definition = made(json!(fields)).expect("a form");
    let cx = Cx::of_a_test(false);
    let (rules, _) = Rules::read(&json!([]), &definition.fields, &cx);
    let values = values::create(&definition.fields, &rules, json!({}), &cx, &mut Issues::new()).values;
    let length = |n: usize| values.get(&format!("field_{n}")).and_then(Json::as_str).map(str::len);
    assert_eq!((length(10), length(11), length(12), length(41)), (Some(5120), None, None, None));
    // Joining long texts many times exceeds the work of one formula.
    let definition = made(json!([
        {"type": "long_text", "label": "t"},
        {"type": "formula", "label": "f", "expression": "LEN(UPPER(field_1))", "result_type": "number"},
        {"type": "formula", "label": "f", "expression": format!("SUM({}0)", "LEN(UPPER(field_1)),".repeat(95)), "result_type": "number"},
    ]))
    .expect("a form");
    let (rules, _) = Rules::read(&json!([]), &definition.fields, &cx);
    let long = json!({"field_1": "x".repeat(9000)});
    let values = values::create(&definition.fields, &rules, long, &cx, &mut Issues::new()).values;
    assert_eq!(values.get("field_2"), Some(&json!(9000)));
    assert_eq!(values.get("field_3"), None);
}

#[test]
fn computed_texts_of_an_entry_have_a_limit_together() {
    let cx = Cx::of_a_test(true);
    let copy = json!({"type": "formula", "label": "f", "expression": "CONCAT(field_1, \"!\")", "result_type": "text"});
    let mut fields = vec![json!({"type": "long_text", "label": "t"})];
    fields.resize(301, copy);
    let definition = made(json!(fields)).expect("a form");
    let (rules, _) = Rules::read(&json!([]), &definition.fields, &cx);
    let create = |letters: usize| {
        let mut at = Issues::new();
        let given = json!({"field_1": "x".repeat(letters)});
        let values = values::create(&definition.fields, &rules, given, &cx, &mut at).values;
        (values, at.into_list())
    };
    // 300 times 3,495 is less than 1 MiB, 300 times 3,496 more.
    let (values, faults) = create(3_494);
    assert_eq!((values.len(), faults), (301, Vec::new()));
    let (values, faults) = create(3_495);
    assert_eq!(values.len(), 300);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].attribute, "field_values.field_301");
    let (values, faults) = create(9_000);
    assert_eq!((values.len(), faults.len()), (1 + (1 << 20) / 9_001, 1));
    // The limit also applies to an update, whatever it changes.
    let (old, _) = create(3_494);
    for (letters, expected) in [(3_494, 0), (3_495, 1)] {
        let mut at = Issues::new();
        let given = json!({"field_1": "y".repeat(letters)});
        values::update(&definition.fields, &rules, &old, given, &cx, &mut at);
        assert_eq!(at.count(), expected, "{letters}");
    }
    // A page that shows them omits the rest.
    let given = json!({"field_1": "x".repeat(9_000)});
    let shown = values::create(&definition.fields, &rules, given, &cx, &mut Issues::new()).values;
    assert_eq!(shown.len(), 1 + (1 << 20) / 9_001);
}

/// Fragments of formulas, so that some random ones are valid.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "field_1",
            "field_3",
            "field_4",
            "field_5",
            "field_12",
            "1",
            "0",
            "0.5",
            "1e300",
            "\"a\"",
            "\"2026-01-31\"",
            "+",
            "-",
            "*",
            "/",
            "%",
            "^",
            "=",
            "<",
            ">=",
            "<>",
            "(",
            ")",
            ",",
            " ",
            "IF(",
            "SUM(",
            "ROUND(",
            "CONCAT(",
            "DATE_ADD(",
            "DATE_DIFF(",
            ",\"day\")",
            "TODAY()",
            "SCORE(",
            "AND(",
            "NOT(",
            "LEN(",
            "\"",
            ".",
            "é",
        ])
        .prop_map(str::to_owned),
        "[ -~]{1,4}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_text_is_too_much(text in pieces()) {
        for result in ["number", "text", "date"] {
            if let Ok(definition) = made(form(&text, result, Some(2))) {
                let value = computed(&definition, entry());
                let is_right = match result {
                    "number" => value.is_number(),
                    _ => value.is_string(),
                };
                prop_assert!(value.is_null() || is_right, "{text}: {value}");
            }
        }
    }

    #[test]
    fn sums_of_decimals_are_exact(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000) {
        let text = |n: i64| format!("({}{}.{:02})", if n < 0 { "-" } else { "" }, n.abs() / 100, n.abs() % 100);
        let expression = format!("({} + {}) * 100", text(a), text(b));
        let formula = Formula::read(&expression).expect("a formula");
        let computed = Computed { formula, result: Type::Number, precision: None };
        prop_assert_eq!(computed.value(&Nothing), json!(a + b));
    }
}

struct Nothing;

impl Sources for Nothing {
    fn field(&self, _: &str) -> Option<Value> {
        None
    }

    fn score(&self, _: &str) -> Option<Number> {
        None
    }

    fn today(&self) -> Option<Moment> {
        None
    }
}

#[test]
fn small_numbers_have_room_for_few_digits() {
    for text in ["2.8245865537988015e-9", "-1.5e-20", "1e-28", "0.000000001"] {
        let number = Number::read(text).expect("a number");
        assert_eq!(number.to_json().as_f64(), text.parse().ok(), "{text}");
        assert_eq!(number.compare(number), std::cmp::Ordering::Equal);
    }
}
