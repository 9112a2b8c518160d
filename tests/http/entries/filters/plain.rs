//! Text, telephone numbers, numbers, files and computed values.

use serde_json::{Value, json};
use support::field;

use crate::entries::filters::{Asked, tea_and_coffee};

#[test]
fn text_ignores_case_and_width_and_has_no_wildcards() {
    let kinds = ["short_text", "long_text", "name", "email", "url"];
    let fields: Vec<Value> = kinds.iter().map(|kind| field(kind, json!({}))).collect();
    let asked = Asked::new(
        "UTC",
        json!(fields),
        &[
            json!({"field_1": "Straße", "field_2": "ＨＥＬＬＯ\nworld", "field_3": "李明", "field_4": "Ada@Example.com",
               "field_5": "https://example.com/A_b"}),
            json!({"field_1": "100% _*", "field_2": "e\u{301}t\u{e9}", "field_3": "Ada Lovelace"}),
            json!({}),
            json!({"field_1": "strasse 5", "field_2": "🦀 ﬁn", "field_3": "ADA LOVELACE"}),
        ],
    );
    for (code, operator, value, expected) in [
        ("field_1", "eq", json!("STRASSE"), vec![1]),
        ("field_1", "eq", json!("straß"), vec![]),
        ("field_1", "ne", json!("STRASSE"), vec![2, 3, 4]),
        ("field_1", "like", json!("ß"), vec![1, 4]),
        ("field_1", "like", json!("%"), vec![2]),
        ("field_1", "like", json!("_"), vec![2]),
        ("field_1", "like", json!("*"), vec![2]),
        ("field_1", "like", json!("1%0"), vec![]),
        ("field_1", "like", json!("５"), vec![4]),
        ("field_1", "not_like", json!("s"), vec![2, 3]),
        ("field_1", "any_in", json!(["strasse", "１００％ _*", "x"]), vec![1, 2]),
        ("field_1", "none_in", json!(["strasse", "x"]), vec![2, 3, 4]),
        ("field_1", "null", json!(null), vec![3]),
        ("field_1", "not_null", json!(null), vec![1, 2, 4]),
        ("field_2", "eq", json!("hello\r\nWORLD"), vec![1]),
        ("field_2", "like", json!("lo\nwo"), vec![1]),
        ("field_2", "eq", json!("été"), vec![2]),
        ("field_2", "like", json!("te\u{301}"), vec![2]),
        ("field_2", "like", json!("te"), vec![]),
        ("field_2", "like", json!("🦀 f"), vec![4]),
        ("field_2", "eq", json!("🦀 fin"), vec![4]),
        ("field_3", "eq", json!("ada lovelace"), vec![2, 4]),
        ("field_3", "like", json!("明"), vec![1]),
        ("field_3", "ne", json!("ada lovelace"), vec![1, 3]),
        ("field_4", "eq", json!("ada@example.com"), vec![1]),
        ("field_4", "like", json!("@EX"), vec![1]),
        ("field_4", "null", json!(null), vec![2, 3, 4]),
        ("field_5", "like", json!("a_B"), vec![1]),
        ("field_5", "not_like", json!("example"), vec![2, 3, 4]),
    ] {
        asked.finds(code, operator, value, &expected);
    }
}

#[test]
fn a_keyword_is_part_of_any_text_of_an_entry() {
    let columns = json!([field("short_text", json!({})), field("number", json!({}))]);
    let asked = Asked::new(
        "UTC",
        json!([
            field("short_text", json!({})),
            field("long_text", json!({})),
            field("email", json!({})),
            field("phone", json!({})),
            field("number", json!({})),
            field("radio", json!({"choices": tea_and_coffee()})),
            field("table", json!({"dimensions": columns})),
            field("date", json!({})),
        ]),
        &[
            json!({"field_1": "Straße", "field_5": 4711, "field_6": "tea", "field_8": "2026-11-20"}),
            json!({"field_2": "ＡＢＣ", "field_7": [{"field_1": "Sourdough", "field_2": 4711}]}),
            json!({"field_3": "abc@example.com", "field_4": {"country_id": "CN", "number": "13800138000"}}),
            json!({}),
        ],
    );
    for (keyword, expected) in [
        ("STRASSE", vec![1]),
        ("abc", vec![2, 3]),
        ("sour", vec![2]),
        ("138001", vec![3]),
        ("4711", vec![]),
        ("darjeeling", vec![]),
        ("tea", vec![]),
        ("2026", vec![]),
        ("a%c", vec![]),
        ("", vec![1, 2, 3, 4]),
    ] {
        asked.finds_all(&json!({ "keyword": keyword }), &expected);
    }
    // Together with conditions.
    asked.finds_all(&json!({"keyword": "abc", "filters": [{"field": "field_3", "operator": "not_null"}]}), &[3]);
}

#[test]
fn phones_are_found_by_the_local_number_and_partly_with_the_code() {
    let cn = |number: &str| json!({"field_1": {"country_id": "CN", "number": number}});
    let de = json!({"field_1": {"country_id": "DE", "number": "30123456"}});
    let us = json!({"field_1": {"country_id": "US", "number": "2025550123"}});
    let asked = Asked::new("UTC", json!([field("phone", json!({}))]), &[cn("13800138000"), de, json!({}), us]);
    for (operator, value, expected) in [
        ("eq", json!("13800138000"), vec![1]),
        ("eq", json!("+8613800138000"), vec![1]),
        ("eq", json!("+86 138-0013-8000"), vec![1]),
        ("eq", json!("0086 138 0013 8000"), vec![1]),
        ("eq", json!("8613800138000"), vec![]),
        ("eq", json!("+49 30123456"), vec![2]),
        ("eq", json!("030 123456"), vec![2]),
        ("eq", json!("+49 (0)30 123456"), vec![2]),
        ("eq", json!("+43 30 123456"), vec![]),
        ("eq", json!("1 (202) 555-0123"), vec![4]),
        ("eq", json!("0202 555 0123"), vec![]),
        ("eq", json!("1380013800"), vec![]),
        ("eq", json!("１３８００１３８０００"), vec![1]),
        ("ne", json!("13800138000"), vec![2, 3, 4]),
        ("ne", json!("030/123456"), vec![1, 3, 4]),
        ("any_in", json!(["13800138000", "30123456"]), vec![1, 2]),
        ("any_in", json!(["+86 138 0013 8000", "030 123456"]), vec![1, 2]),
        ("none_in", json!(["13800138000"]), vec![2, 3, 4]),
        ("none_in", json!(["+49 30 123456", "+1 202-555-0123"]), vec![1, 3]),
        ("like", json!("800138"), vec![1]),
        ("like", json!("+86138"), vec![1]),
        ("like", json!("+86 138"), vec![1]),
        ("like", json!("138 0013"), vec![1]),
        ("like", json!("030 12"), vec![2]),
        ("like", json!("+1 202-555"), vec![4]),
        ("like", json!("+49"), vec![2]),
        ("not_like", json!("+86"), vec![2, 3, 4]),
        ("null", json!(null), vec![3]),
        ("not_null", json!(null), vec![1, 2, 4]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
}

#[test]
fn numbers_and_scores_are_compared() {
    let fields = json!([field("number", json!({})), field("nps", json!({})), field("rating", json!({}))]);
    let asked = Asked::new(
        "UTC",
        fields,
        &[
            json!({"field_1": -1.5, "field_2": 0, "field_3": 1}),
            json!({"field_1": 0, "field_2": 7, "field_3": 3}),
            json!({"field_1": 10, "field_2": 10, "field_3": 5}),
            json!({}),
        ],
    );
    for (code, operator, value, expected) in [
        ("field_1", "eq", json!(0), vec![2]),
        ("field_1", "eq", json!(-0.0), vec![2]),
        ("field_1", "eq", json!(10.0), vec![3]),
        ("field_1", "ne", json!(10), vec![1, 2, 4]),
        ("field_1", "any_in", json!([10, -1.5]), vec![1, 3]),
        ("field_1", "none_in", json!([10, -1.5]), vec![2, 4]),
        ("field_1", "gt", json!(0), vec![3]),
        ("field_1", "gte", json!(0), vec![2, 3]),
        ("field_1", "lt", json!(0), vec![1]),
        ("field_1", "lte", json!(0), vec![1, 2]),
        // Inclusive; reversed bounds match nothing.
        ("field_1", "between", json!([-1.5, 0]), vec![1, 2]),
        ("field_1", "between", json!([0, -1.5]), vec![]),
        ("field_1", "between", json!([1, 9.99]), vec![]),
        // Empty values are not outside of anything.
        ("field_1", "not_between", json!([-1.5, 0]), vec![3]),
        ("field_1", "not_between", json!([0, -1.5]), vec![1, 2, 3]),
        ("field_1", "null", json!(null), vec![4]),
        ("field_1", "not_null", json!(null), vec![1, 2, 3]),
        ("field_2", "gte", json!(7), vec![2, 3]),
        ("field_2", "eq", json!(0), vec![1]),
        ("field_2", "lt", json!(0), vec![]),
        ("field_2", "ne", json!(0), vec![2, 3, 4]),
        ("field_2", "any_in", json!([0, 10]), vec![1, 3]),
        ("field_2", "null", json!(null), vec![4]),
        ("field_3", "lte", json!(3), vec![1, 2]),
        ("field_3", "eq", json!(2.5), vec![]),
        ("field_3", "none_in", json!([1, 3]), vec![3, 4]),
        ("field_3", "not_null", json!(null), vec![1, 2, 3]),
    ] {
        asked.finds(code, operator, value, &expected);
    }
}

#[test]
fn serial_numbers_filter_like_numbers() {
    let asked = Asked::new("UTC", json!([field("number", json!({}))]), &[json!({}), json!({}), json!({}), json!({})]);
    assert_eq!(asked.owner.delete(asked.form.entry(2)).status, 200);
    for (operator, value, expected) in [
        ("eq", json!(3), vec![3]),
        ("eq", json!(2), vec![]),
        ("eq", json!(3.5), vec![]),
        ("ne", json!(3), vec![1, 4]),
        ("any_in", json!([1, 4, 9_007_199_254_740_992_i64]), vec![1, 4]),
        ("none_in", json!([1, 4]), vec![3]),
        ("gt", json!(1), vec![3, 4]),
        ("gte", json!(3), vec![3, 4]),
        ("lt", json!(3), vec![1]),
        ("lte", json!(3.9), vec![1, 3]),
        ("between", json!([2, 3]), vec![3]),
        ("not_between", json!([2, 3]), vec![1, 4]),
        ("null", json!(null), vec![]),
        ("not_null", json!(null), vec![1, 3, 4]),
    ] {
        asked.finds("serial_number", operator, value, &expected);
    }
}

#[test]
fn files_are_there_or_not() {
    let asked = Asked::new("UTC", json!([field("attachment", json!({})), field("signature", json!({}))]), &[json!({})]);
    for code in ["field_1", "field_2"] {
        asked.finds(code, "null", json!(null), &[1]);
        asked.finds(code, "not_null", json!(null), &[]);
    }
    asked.finds("field_1", "like", json!("x"), &[]);
}

#[test]
fn a_formula_filters_as_its_result() {
    let formula =
        |expression: &str, kind: &str| field("formula", json!({"expression": expression, "result_type": kind}));
    let asked = Asked::new(
        "UTC",
        json!([
            field("number", json!({})),
            field("short_text", json!({})),
            formula("field_1 * 2", "number"),
            formula("concat(field_2, \"!\")", "text"),
        ]),
        &[json!({"field_1": 2, "field_2": "Ada"}), json!({"field_1": 5})],
    );
    asked.finds("field_3", "between", json!([4, 9]), &[1]);
    asked.finds("field_3", "gt", json!(4), &[2]);
    asked.finds("field_4", "like", json!("A!"), &[1]);
    asked.finds_all(&json!({"keyword": "ada!"}), &[1]);
}
