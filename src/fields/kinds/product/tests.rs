//! Orders: totals, quantities, conditions by line, and edits of the goods.

use rust_decimal::Decimal;

use super::*;
use crate::fields::definition::Definition;
use crate::fields::form_part::FormPart;

fn cafe() -> Json {
    json!([{"type": "product", "label": "Order", "goods_items": [
        {"api_code": "tea", "name": "Green tea", "price": "3.10", "stock": 10, "min_number": 2, "max_number": 5},
        {"api_code": "cake", "name": "Cake", "price": 12, "dimensions": [
            {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]},
            {"api_code": "icing", "name": "Icing", "options": [{"api_code": "r", "name": "red"}, {"api_code": "w", "name": "white"}]},
        ], "skus": [{"specification": {"icing": "w", "size": "l"}, "price": 20.05, "stock": 3}]},
        {"api_code": "gin", "name": "Gin", "price": 9, "hidden": true, "stock": 77},
    ]}])
}

fn made(raw: Json) -> Definition {
    let mut at = Issues::new();
    let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

fn with<T>(f: impl FnOnce(&dyn Kind) -> T) -> T {
    let definition = made(cafe());
    f(&*definition.fields.get("field_1").expect("the field").kind)
}

fn order() -> Json {
    json!([
        {"api_code": "tea", "number": 3},
        {"api_code": "cake", "number": 2, "specification": {"size": "l", "icing": "w"}},
        {"api_code": "cake", "number": 1, "specification": {"size": "s", "icing": "w"}},
    ])
}

#[test]
fn totals_are_exact() {
    with(|kind| {
        assert_eq!(kind.total(&order()), Some(Decimal::new(6140, 2)));
        assert_eq!(kind.total(&json!([])), Some(Decimal::ZERO));
    });
}

#[test]
fn pieces_are_taken_of_goods_and_of_variants() {
    with(|kind| {
        let takes = kind.takes(&order());
        let takes: Vec<_> = takes
            .iter()
            .map(|take| {
                let limit = kind.capacity().and_then(|own| own.limit(&take.counter));
                (take.counter.as_str(), take.amount, limit.map(|limit| limit.most), take.at.as_str())
            })
            .collect();
        assert_eq!(
            takes,
            [
                ("tea", 3, Some(10), "[0].number"),
                ("cake", 2, None, "[1].number"),
                ("cake/icing=w/size=l", 2, Some(3), "[1].number"),
                ("cake", 1, None, "[2].number"),
                ("cake/icing=w/size=s", 1, None, "[2].number"),
            ]
        );
    });
}

#[test]
fn conditions_look_at_each_line_whole() {
    with(|kind| {
        let cx = Cx::of_a_test(false);
        let holds = |op, value: Json| {
            let cond = kind.condition(op, &value, &cx).expect("a condition");
            cond.holds(&kind.keys(&order(), &cx))
        };
        let one = |specs: &[&str]| json!([{"api_code": "cake", "specs": specs}]);
        assert!(holds(Op::AnyIn, json!(["tea", "pie"])));
        assert!(!holds(Op::AnyIn, json!(["gin", "pie"])));
        assert!(holds(Op::NoneIn, json!(["gin"])));
        assert!(holds(Op::AnyIn, one(&["w", "l"])));
        assert!(holds(Op::AnyIn, one(&["s"])));
        assert!(holds(Op::AnyIn, one(&[])));
        // One line is large, another small.
        assert!(!holds(Op::AnyIn, one(&["s", "l"])));
        assert!(holds(Op::NoneIn, one(&["r"])));
        assert!(holds(Op::Like, json!("GREEN")));
        assert!(!holds(Op::Like, json!("tea/")));
        assert!(holds(Op::NotNull, json!(null)));
        assert!(kind.condition(Op::Null, &json!(1), &cx).expect("one").holds(&[]));
        for odd in [
            json!("tea"),
            json!([]),
            json!([""]),
            json!([5]),
            json!([{"specs": ["l"]}]),
            json!([{"api_code": "cake", "specs": "l"}]),
            json!([{"api_code": "cake", "specs": [1]}]),
        ] {
            let fault = kind.condition(Op::AnyIn, &odd, &cx).expect_err("a fault");
            assert_eq!(fault.attribute, "value", "{odd}");
        }
    });
}

#[test]
fn what_is_gone_is_pruned_and_said() {
    let form = made(cafe());
    let mut raw = cafe();
    raw[0]["api_code"] = json!("field_1");
    let goods = raw[0]["goods_items"].as_array_mut().expect("a list");
    goods.remove(0);
    goods[0]["dimensions"][0]["options"] = json!([{"api_code": "l", "name": "large"}]);
    goods[0]["dimensions"].as_array_mut().expect("a list").remove(1);
    goods[0]["skus"] = json!([]);
    let edit = form.replace(raw, &Cx::of_a_test(false), &mut Issues::new());
    let removed: Vec<_> = edit.removals.iter().map(|removal| removal.attribute.as_str()).collect();
    assert_eq!(
        removed,
        [
            "fields.field_1.goods_items.tea",
            "fields.field_1.goods_items.cake.size.s",
            "fields.field_1.goods_items.cake.icing",
        ]
    );
    let old = &form.fields.get("field_1").expect("the field").kind;
    for (code, is_held) in [
        ("tea", true),
        ("gin", false),
        ("cake.size", true),
        ("cake.size.s", true),
        ("cake.icing.r", false),
        ("tea.size", false),
    ] {
        assert_eq!(old.points_to(&order(), code), is_held, "{code}");
    }
    let new = Definition::from_stored(edit.definition.to_stored()).expect("reads back");
    let field = new.fields.get("field_1").expect("the field");
    assert!(!field.splices());
    let left = json!([{"api_code": "cake", "number": 2, "specification": {"size": "l"}}]);
    assert_eq!(field.kind.prune(order(), &Cx::of_a_test(false)), left);
    // A used name is not used again.
    let mut again = cafe();
    again[0]["api_code"] = json!("field_1");
    let mut at = Issues::new();
    new.replace(again, &Cx::of_a_test(false), &mut at);
    let faults: Vec<_> = at.into_list().into_iter().map(|issue| issue.attribute).collect();
    assert_eq!(
        faults,
        [
            "fields[0].goods_items[0].api_code",
            "fields[0].goods_items[1].dimensions[0].options[0].api_code",
            "fields[0].goods_items[1].dimensions[1].api_code",
            "fields[0].goods_items[1].dimensions[1].options[0].api_code",
            "fields[0].goods_items[1].dimensions[1].options[1].api_code",
        ]
    );
}

#[test]
fn respondents_see_no_stock_and_nothing_hidden() {
    with(|kind| {
        let shown = kind.for_respondent();
        assert_eq!(shown["goods_items"].as_array().map(Vec::len), Some(2));
        let text = shown.to_string();
        assert!(!text.contains("stock") && !text.contains("gin"), "{text}");
        assert_eq!(shown["goods_items"][0]["price"], json!(3.1));
    });
}

#[test]
fn a_page_posts_a_line_for_every_good() {
    let part = FormPart::tree([
        ("f[0].api_code", "tea"),
        ("f[0].number", ""),
        ("f[1].api_code", "cake"),
        ("f[1].specification.size", "l"),
        ("f[1].specification.icing", ""),
        ("f[1].number", " 2 "),
        ("f[2].api_code", "cake"),
        ("f[2].number", "0"),
        ("f[3].api_code", "tea"),
        ("f[3].number", "a few"),
        ("f.x", "1"),
    ]);
    let value = with(|kind| kind.form_value(part.member("f").expect("posted"), &Cx::of_a_test(true)));
    assert_eq!(
        value,
        json!([
            {"api_code": "cake", "number": 2, "specification": {"size": "l", "icing": null}},
            {"api_code": "tea", "number": "a few"},
        ])
    );
}

#[test]
fn the_definition_is_described_alike_each_time() {
    let describe = || Reader::describe(|reader| drop(build(reader, &BuildCx::default())));
    let schema = describe();
    assert_eq!(schema, describe());
    let good = &schema["properties"]["goods_items"]["items"];
    assert_eq!(good["required"], json!(["name", "price"]));
    assert_eq!(good["properties"]["price"]["type"], json!(["number", "string"]));
    let own = &good["properties"]["skus"]["items"]["properties"]["specification"];
    assert_eq!(own["additionalProperties"], json!({"type": "string"}));
}
