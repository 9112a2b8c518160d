//! Paths and parts of them, moved and removed choices, and the limits of a tree.

use super::*;

fn built(raw: Json) -> (Box<dyn Kind>, Vec<String>) {
    let mut at = Issues::new();
    let cx = BuildCx::default();
    let kind = build(&mut Reader::new(raw, &mut at), &cx);
    let faults = at.into_list().into_iter();
    let faults = faults.map(|issue| format!("{}: {}", issue.attribute, issue.message()));
    (kind, faults.collect())
}

/// Three levels; one path ends early.
fn world() -> Box<dyn Kind> {
    let (kind, faults) = built(json!({"levels": 3, "choices": [
        {"api_code": "eu", "label": "Europe", "children": [
            {"api_code": "it", "label": "Italy", "children": [
                {"api_code": "rome", "label": "Rome"}, {"api_code": "bari", "label": "Bari"}]},
            {"api_code": "va", "label": "Vatican"}]},
        {"api_code": "sea", "label": "At sea"},
    ]}));
    assert_eq!(faults, Vec::<String>::new());
    kind
}

#[test]
fn a_part_of_the_way_finds_what_lies_below() {
    let cx = Cx::of_a_test(false);
    let world = world();
    let rome = world.keys(&json!({"level_1": "eu", "level_2": "it", "level_3": "rome"}), &cx);
    let holds = |op, value: Json| {
        let cond = world.condition(op, &value, &cx).expect("a condition");
        cond.holds(&rome)
    };
    assert!(holds(Op::Eq, json!({"level_1": "eu"})));
    assert!(holds(Op::Eq, json!({"level_1": "eu", "level_2": "it", "level_3": null})));
    assert!(holds(Op::Eq, json!({"level_1": "eu", "level_2": "it", "level_3": "rome"})));
    assert!(!holds(Op::Eq, json!({"level_1": "eu", "level_2": "va"})));
    assert!(holds(Op::Ne, json!({"level_1": "sea"})));
    assert!(holds(Op::AnyIn, json!([{"level_1": "sea"}, {"level_1": "eu", "level_2": "it"}])));
    assert!(!holds(Op::NoneIn, json!([{"level_1": "eu"}])));
    assert!(holds(Op::Like, json!("ital")) && holds(Op::Like, json!("ROM")));
    assert!(!holds(Op::Like, json!("eu/")) && !holds(Op::Like, json!("vatican")));
    assert!(!holds(Op::Eq, json!({"level_1": "nowhere"})));
    for bad in [
        json!("eu"),
        json!({}),
        json!({"level_2": "it"}),
        json!({"level_1": "eu", "level_3": "rome"}),
        json!({"level_1": "eu", "level_4": "x"}),
        json!({"level_1": ""}),
        json!({"level_1": 5}),
        json!([{"level_1": "eu"}]),
    ] {
        assert!(world.condition(Op::Eq, &bad, &cx).is_err(), "{bad}");
    }
}

#[test]
fn what_was_moved_is_found_and_what_is_gone_leaves_the_rest() {
    let cx = Cx::of_a_test(false);
    for (stored, today) in [
        (
            json!({"level_1": "sea", "level_2": "it", "level_3": "bari"}),
            json!({"level_1": "eu", "level_2": "it", "level_3": "bari"}),
        ),
        (json!({"level_1": "gone", "level_2": "va"}), json!({"level_1": "eu", "level_2": "va"})),
        (json!({"level_1": "eu", "level_2": "gone"}), json!({"level_1": "eu"})),
        (json!({"level_1": "gone"}), json!({})),
    ] {
        assert_eq!(world().prune(stored, &cx), today);
    }
}

#[test]
fn the_list_holds_whole_ways_alone() {
    let texts = crate::base::text::texts::texts("en");
    let cx = Cx::of_a_test(true);
    let drawn = |value: Json| {
        let input = InputCx {
            posted: None,
            name: "field_1",
            label: "Where?",
            value: &value,
            required: false,
            placeholder: None,
            invalid: false,
            faults: &[],
            described_by: "",
            currency: "USD",
            seed: "",
            texts,
            cx: &cx,
        };
        world().input(&input).into_string()
    };
    let page = drawn(json!({"level_1": "eu", "level_2": "va"}));
    let values: Vec<&str> = page.split("<option value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(values, ["", "eu/it/rome", "eu/it/bari", "eu/va", "sea"]);
    assert!(page.contains(r#"<option value="eu/va" selected"#), "{page}");
    assert!(page.contains("Italy / Rome"), "{page}");
    // A path that a script left incomplete is kept.
    assert!(drawn(json!({"level_1": "eu"})).contains(r#"<option value="eu" data-partial selected>Europe<"#));
    let posted = |pairs: &[(&'static str, &'static str)]| {
        let tree = FormPart::tree(pairs.iter().copied());
        world().form_value(tree.member("field_1").expect("posted"), &Cx::of_a_test(true))
    };
    assert_eq!(posted(&[("field_1", "eu/va")]), json!({"level_1": "eu", "level_2": "va"}));
    assert_eq!(posted(&[("field_1.level_1", "sea")]), json!({"level_1": "sea"}));
    assert_eq!(posted(&[("field_1", "")]), json!(null));
}

#[test]
fn definitions_are_bounded() {
    let leaf = json!({"label": "x"});
    let faults = |raw: Json| built(raw).1;
    assert_eq!(faults(json!({"levels": 6})), ["levels: must be 2 to 5", "choices: is required"]);
    assert_eq!(faults(json!({"choices": []})), ["choices: must have 1 to 5000 choices"]);
    let deep = json!([{"label": "a", "children": [{"label": "b", "children": [leaf]}]}]);
    assert_eq!(faults(json!({"choices": deep})), ["choices[0].children[0].children: must not be deeper than levels"]);
    assert_eq!(
        faults(json!({"choices": [{"api_code": "a", "label": "a", "children": [{"api_code": "a", "label": ""}]}]})),
        ["choices[0].children[0].api_code: is listed twice", "choices[0].children[0].label: can't be blank"]
    );
    let wide = |count| json!({"choices": [{"label": "a", "children": vec![leaf.clone(); count]}]});
    assert_eq!(faults(wide(4999)).len(), 0);
    assert_eq!(faults(wide(5000)), ["choices: must have 1 to 5000 choices"]);
}
