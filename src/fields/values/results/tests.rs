//! Decision tables: scores by the rule for partly right answers, prices by discounts and currencies.

use serde_json::json;

use super::*;
use crate::base::issue::Issues;
use crate::fields::definition::Definition;

fn definition(raw: Json) -> Definition {
    let mut at = Issues::new();
    let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

/// A form that computes results.
struct Form {
    scene: &'static str,
    definition: Definition,
    rules: Rules,
    settings: Settings,
}

impl Form {
    fn new(scene: &'static str, fields: Json, rules: &Json, settings: &Json) -> Self {
        let definition = definition(fields);
        let cx = Cx::of_a_test(false);
        let (rules, faults) = Rules::read(rules, &definition.fields, &cx);
        assert!(faults.is_empty(), "{faults:?}");
        Self { scene, definition, rules, settings: Settings::of(settings).expect("sound settings") }
    }

    fn with<T>(&self, f: impl FnOnce(&Scheme, &Cx) -> T) -> T {
        let cx = Cx::of_a_test(false);
        let fields = &self.definition.fields;
        let key = Key::of(&self.settings.exam, fields, &cx);
        let scheme = Scheme {
            scene: self.scene,
            settings: &self.settings,
            fields,
            rules: &self.rules,
            key: (self.scene == exam::SCENE).then_some(&key),
        };
        f(&scheme, &cx)
    }

    /// The results of an entry that is sent with these values.
    fn results(&self, given: &Json) -> Results {
        let cx = Cx::of_a_test(false);
        let mut at = Issues::new();
        let fields = &self.definition.fields;
        let checked = values::create(fields, &self.rules, given.clone(), &cx, &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        self.with(|scheme, cx| of(scheme, &checked, &Results::default(), cx))
    }
}

fn choices(kind: &str, codes: &[&str]) -> Json {
    let choices: Vec<Json> = codes.iter().map(|code| json!({"api_code": code, "label": code})).collect();
    json!({"type": kind, "label": kind, "choices": choices})
}

#[test]
fn partly_right_ticks_score_by_the_way_of_scoring() {
    let codes = ["a", "b", "c", "d"];
    // Out of 6 points; right are a, b and c.
    for (ticked, none, proportional, per_choice) in [
        ("", 0.0, 0.0, 0.0),
        ("a", 0.0, 2.0, 2.0),
        ("ab", 0.0, 4.0, 4.0),
        ("abc", 6.0, 6.0, 6.0),
        ("cba", 6.0, 6.0, 6.0),
        ("abcd", 0.0, 0.0, 4.0),
        ("abd", 0.0, 0.0, 2.0),
        ("ad", 0.0, 0.0, 0.0),
        ("d", 0.0, 0.0, 0.0),
    ] {
        let ticks: Json = ticked.chars().map(|code| json!(code.to_string())).collect();
        for (partial, expected) in [
            (json!("none"), none),
            (Json::Null, none),
            (json!("proportional"), proportional),
            (json!("per_choice"), per_choice),
        ] {
            let question = json!({"scored": true, "score": 6, "answer": ["a", "b", "c"], "partial": partial});
            let form = Form::new(
                "exam",
                json!([choices("checkbox", &codes)]),
                &json!([]),
                &json!({"exam": {"questions": {"field_1": question}}}),
            );
            let score = form.results(&json!({"field_1": ticks})).exam_score;
            assert_eq!(score, Some(expected), "{ticked} {partial}");
        }
    }
}

#[test]
fn answers_of_each_kind_are_right_or_wrong() {
    for (field, right, given, is_right) in [
        (json!({"type": "short_text", "label": "x"}), json!("Paris"), json!(" PARIS "), true),
        (json!({"type": "short_text", "label": "x"}), json!("Paris"), json!("Rome"), false),
        (json!({"type": "long_text", "label": "x"}), json!("Ja"), json!("ja"), true),
        (json!({"type": "name", "label": "x"}), json!("Ada"), json!("ada"), true),
        (json!({"type": "email", "label": "x"}), json!("a@example.com"), json!("A@example.com"), true),
        (json!({"type": "url", "label": "x"}), json!("https://a.org/"), json!("https://a.org/"), true),
        (json!({"type": "number", "label": "x"}), json!(2.5), json!(2.50), true),
        (json!({"type": "number", "label": "x"}), json!(2), json!(3), false),
        (json!({"type": "date", "label": "x"}), json!("1969-07-20"), json!("1969-07-20"), true),
        (json!({"type": "date", "label": "x"}), json!("1969-07-20"), json!("1969-07-21"), false),
        (json!({"type": "rating", "label": "x"}), json!(4), json!(4), true),
        (json!({"type": "nps", "label": "x"}), json!(4), json!(5), false),
        (choices("radio", &["a", "b"]), json!("a"), json!("a"), true),
        (choices("radio", &["a", "b"]), json!("a"), json!("b"), false),
        (choices("dropdown", &["a", "b"]), json!("b"), json!("b"), true),
        (choices("ranking", &["a", "b"]), json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), true),
        (choices("ranking", &["a", "b"]), json!({"a": 1, "b": 2}), json!({"b": 1, "a": 2}), false),
        (
            json!({"type": "cascade", "label": "x", "choices": [
                {"api_code": "eu", "label": "Europe", "children": [{"api_code": "it", "label": "Italy"}, {"api_code": "de", "label": "Germany"}]}]}),
            json!({"level_1": "eu", "level_2": "it"}),
            json!({"level_1": "eu", "level_2": "de"}),
            false,
        ),
        (
            json!({"type": "matrix", "label": "x", "statements": [{"api_code": "s", "label": "S"}],
                "dimensions": [{"type": "number", "label": "n"}, {"type": "short_text", "label": "t"}]}),
            json!({"s": {"field_1": 1, "field_2": "Yes"}}),
            json!({"s": {"field_1": 1.0, "field_2": "yes"}}),
            true,
        ),
        (
            json!({"type": "table", "label": "x", "dimensions": [{"type": "short_text", "label": "t"}]}),
            json!([{"field_1": "a"}, {"field_1": "b"}]),
            json!([{"field_1": "b"}, {"field_1": "a"}]),
            false,
        ),
    ] {
        let question = json!({"scored": true, "score": 2, "answer": right});
        let settings = json!({"exam": {"questions": {"field_1": question}}});
        let form = Form::new("exam", json!([field]), &json!([]), &settings);
        let score = form.results(&json!({"field_1": given})).exam_score;
        let expected = if is_right { 2.0 } else { 0.0 };
        assert_eq!(score, Some(expected), "{field} {given}");
    }
}

#[test]
fn only_what_is_scored_and_shown_counts() {
    let fields = json!([
        choices("radio", &["a", "b"]),
        {"type": "number", "label": "n"},
        {"type": "short_text", "label": "t", "hidden": true},
    ]);
    // The number is asked for if the first answer is `a`.
    let rules = json!([{
        "action": "show", "fields": ["field_2"],
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "a"}]},
    }]);
    let key = |scored: bool| {
        json!({"exam": {"questions": {
            "field_1": {"scored": scored, "score": 0.1, "answer": "a"},
            "field_2": {"scored": scored, "score": 0.2, "answer": 7},
            "field_3": {"scored": scored, "score": 100, "answer": "x"},
            "field_9": {"scored": scored, "score": 100, "answer": "gone"},
        }}})
    };
    for (scored, given, expected) in [
        (true, json!({"field_1": "a", "field_2": 7, "field_3": "x"}), Some(0.3)),
        (true, json!({"field_1": "b", "field_2": 7, "field_3": "x"}), Some(0.0)),
        (true, json!({"field_1": "a"}), Some(0.1)),
        (true, json!({}), Some(0.0)),
        (false, json!({"field_1": "a", "field_2": 7}), None),
    ] {
        let form = Form::new("exam", fields.clone(), &rules, &key(scored));
        assert_eq!(form.results(&given).exam_score, expected, "{given}");
    }
    let survey = Form::new("survey", fields, &rules, &key(true));
    assert_eq!(survey.results(&json!({"field_1": "a"})), Results::default());
}

#[test]
fn a_third_three_times_is_one() {
    let question = json!({"score": 1, "answer": ["a", "b", "c"], "partial": "proportional"});
    let questions = json!({"field_1": question, "field_2": question, "field_3": question});
    let field = choices("checkbox", &["a", "b", "c"]);
    let form = Form::new("exam", json!([field, field, field]), &json!([]), &json!({"exam": {"questions": questions}}));
    let given = json!({"field_1": ["a"], "field_2": ["b"], "field_3": ["c"]});
    assert_eq!(form.results(&given).exam_score, Some(1.0));
}

#[test]
fn a_key_that_names_what_is_gone_gives_no_points() {
    let question = json!({"score": 3, "answer": ["a", "gone"], "partial": "proportional"});
    let form = Form::new(
        "exam",
        json!([choices("checkbox", &["a", "b"])]),
        &json!([]),
        &json!({"exam": {"questions": {"field_1": question}}}),
    );
    assert_eq!(form.results(&json!({"field_1": ["a"]})).exam_score, Some(0.0));
}

fn shop(discounts: &Json, currency: &str, rules: &Json) -> Form {
    let goods = |code: &str, price: Json| json!({"api_code": code, "name": code, "price": price});
    Form::new(
        "order",
        json!([
            {"type": "product", "label": "a", "goods_items": [goods("tea", json!(3.335)), goods("cup", json!(10))]},
            {"type": "product", "label": "b", "goods_items": [goods("pot", json!("25.5"))]},
            {"type": "product", "label": "c", "hidden": true, "goods_items": [goods("tip", json!(1))]},
        ]),
        rules,
        &json!({"pricing": {"currency": currency, "discounts": discounts}}),
    )
}

fn order(tea: i64, cups: i64, pots: i64) -> Json {
    let line = |code: &str, number: i64| json!({"api_code": code, "number": number});
    let lines = |lines: [Json; 2]| -> Json { lines.into_iter().filter(|line| line["number"] != 0).collect() };
    json!({
        "field_1": lines([line("tea", tea), line("cup", cups)]),
        "field_2": lines([line("pot", pots), json!({"number": 0})]),
    })
}

#[test]
fn discounts_apply_from_their_totals_on() {
    let none = json!([]);
    let tiers = json!([
        {"min_total": 20, "percent_off": 10},
        {"min_total": 100, "amount_off": 30.5},
        {"min_total": 50, "percent_off": 33.3},
    ]);
    let all = json!([{"min_total": 0, "amount_off": 1000}]);
    for (discounts, currency, (tea, cups, pots), total, preferential) in [
        (&none, "USD", (0, 0, 0), 0.0, 0.0),
        (&none, "USD", (1, 0, 0), 3.34, 3.34),
        (&none, "USD", (2, 0, 0), 6.67, 6.67),
        (&none, "JPY", (1, 0, 0), 3.0, 3.0),
        (&none, "JPY", (0, 0, 1), 26.0, 26.0),
        (&none, "KWD", (1, 0, 0), 3.335, 3.335),
        (&none, "USD", (2, 1, 1), 42.17, 42.17),
        (&tiers, "USD", (0, 1, 0), 10.0, 10.0),
        (&tiers, "USD", (0, 2, 0), 20.0, 18.0),
        (&tiers, "USD", (1, 2, 0), 23.34, 21.01),
        (&tiers, "USD", (0, 5, 0), 50.0, 33.35),
        (&tiers, "JPY", (0, 5, 0), 50.0, 33.0),
        (&tiers, "USD", (0, 10, 0), 100.0, 69.5),
        (&tiers, "JPY", (0, 10, 0), 100.0, 70.0),
        (&tiers, "KWD", (0, 10, 1), 125.5, 95.0),
        (&all, "USD", (0, 0, 0), 0.0, 0.0),
        (&all, "USD", (0, 10, 0), 100.0, 0.0),
    ] {
        let form = shop(discounts, currency, &json!([]));
        let results = form.results(&order(tea, cups, pots));
        let prices = (results.total_price, results.preferential_price);
        assert_eq!(prices, (Some(total), Some(preferential)), "{discounts} {currency} {tea} {cups} {pots}");
    }
}

#[test]
fn what_is_hidden_costs_nothing() {
    let hides = json!([{
        "action": "hide", "fields": ["field_2"],
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "any_in", "value": ["cup"]}]},
    }]);
    let form = shop(&json!([]), "USD", &hides);
    let total = |given: &Json| form.results(given).total_price;
    assert_eq!(total(&order(0, 0, 1)), Some(25.5));
    assert_eq!(total(&order(0, 1, 1)), Some(10.0));
    let mut tipped = order(0, 1, 0);
    tipped["field_3"] = json!([{"api_code": "tip", "number": 5}]);
    assert_eq!(total(&tipped), Some(10.0), "an owner may fill in what respondents don't see");
}

#[test]
fn an_order_costs_what_it_cost_until_other_goods_are_chosen() {
    let stored = |given: &Json| given.as_object().cloned().expect("an object");
    let paid = Results {
        total_price: Some(1.0),
        preferential_price: Some(0.5),
        gen_code: Some("AB12".to_owned()),
        ..Results::default()
    };
    let form = shop(&json!([]), "USD", &json!([]));
    let before = stored(&order(0, 1, 0));
    for (after, total) in [(order(0, 1, 0), 1.0), (order(0, 2, 0), 20.0), (order(0, 1, 1), 35.5)] {
        let checked = Checked { values: stored(&after), ..Checked::default() };
        let results = form.with(|scheme, cx| of_change(scheme, &before, &checked, &paid, cx));
        assert_eq!(results.total_price, Some(total), "{after}");
        assert_eq!(results.gen_code, paid.gen_code);
    }
    let now = Time::from_millis(1);
    let again = form.with(|scheme, cx| again(scheme, &before, &paid, now, cx));
    assert_eq!(again, paid);
}

#[test]
fn a_report_is_of_the_first_range_that_holds_the_score() {
    let scored = |scores: &[Json]| -> Json {
        let choices = scores.iter().enumerate();
        choices.map(|(i, score)| json!({"api_code": format!("c{i}"), "label": "x", "score": score})).collect()
    };
    let form = Form::new(
        "evaluation",
        json!([
            {"type": "radio", "label": "a", "choices": scored(&[json!(1), json!(2.5)])},
            {"type": "checkbox", "label": "b", "choices": scored(&[json!(0.1), json!(0.2), json!(-3)])},
            {"type": "radio", "label": "c", "hidden": true, "choices": scored(&[json!(100)])},
        ]),
        &json!([]),
        &json!({"after_submission": {"report": {"score_based_feedbacks": [
            {"start_point": 0, "end_point": 1, "comment": "low"},
            {"start_point": 1, "end_point": 2.5, "comment": "middle"},
            {"start_point": 2.6, "end_point": 9, "comment": ""},
        ]}}}),
    );
    for (given, score, comment) in [
        (json!({}), 0.0, Some("low")),
        (json!({"field_1": "c0"}), 1.0, Some("low")),
        (json!({"field_1": "c0", "field_2": ["c0", "c1"]}), 1.3, Some("middle")),
        (json!({"field_1": "c1"}), 2.5, Some("middle")),
        (json!({"field_1": "c1", "field_2": ["c1"]}), 2.7, None),
        (json!({"field_2": ["c2"]}), -3.0, None),
        (json!({"field_1": "c0", "field_3": "c0"}), 1.0, Some("low")),
    ] {
        let report = form.results(&given).evaluation_report.expect("a report");
        assert_eq!((report.score, report.comment.as_deref()), (score, comment), "{given}");
    }
}

#[test]
fn another_score_is_dated() {
    let form = |score: i64| {
        let question = json!({"score": score, "answer": "a"});
        Form::new(
            "exam",
            json!([choices("radio", &["a", "b"])]),
            &json!([]),
            &json!({"exam": {"questions": {"field_1": question}}}),
        )
    };
    let values = json!({"field_1": {"value": "a"}});
    let values = values.as_object().expect("an object");
    let (first, second) = (Time::from_millis(1_000), Time::from_millis(2_000));
    let again =
        |score: i64, before: &Results, now: Time| form(score).with(|scheme, cx| again(scheme, values, before, now, cx));
    let checked = Checked { values: values.clone(), ..Checked::default() };
    let one = form(1).with(|scheme, cx| of(scheme, &checked, &Results::default(), cx));
    assert_eq!((one.exam_score, one.rescored_at), (Some(1.0), None));
    let same = again(1, &one, first);
    assert_eq!(same, one);
    let two = again(2, &one, first);
    assert_eq!((two.exam_score, two.rescored_at), (Some(2.0), Some(first)));
    assert_eq!(again(2, &two, second), two);
}

#[test]
fn an_edit_changes_scores_where_it_touches_what_counts() {
    let fields = |score: i64, label: &str, hidden: bool| {
        let made = definition(json!([
            {"type": "radio", "label": label, "hidden": hidden, "choices": [{"api_code": "a", "label": "A", "score": score}]},
            {"type": "short_text", "label": "t"},
        ]));
        made.fields
    };
    let settings = Settings::of(&json!({"exam": {"questions": {"field_1": {"score": 1, "answer": "a"}}}}));
    let settings = settings.expect("sound settings");
    let old = fields(1, "x", false);
    for (scene, new, expected) in [
        ("evaluation", fields(2, "x", false), true),
        ("evaluation", fields(1, "y", false), false),
        ("evaluation", fields(1, "x", true), true),
        ("exam", fields(2, "x", false), true),
        ("exam", definition(json!([{"type": "short_text", "label": "t"}])).fields, true),
        ("survey", fields(2, "x", false), false),
    ] {
        assert_eq!(changes(scene, &settings, &old, &new), expected, "{scene}");
    }
}
