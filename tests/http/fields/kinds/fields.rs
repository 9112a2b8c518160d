//! Common behaviour of all fields, whatever their kind: defaults, hidden fields, required ones.

use serde_json::{Value, json};
use support::{Server, field};

#[test]
fn a_default_stands_where_nothing_is_sent() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let defaults = [
        ("short_text", json!("x"), json!("x")),
        ("number", json!(2.0), json!(2)),
        ("radio", json!("a"), json!({"value": "a"})),
        ("checkbox", json!(["b", "a"]), json!([{"value": "b"}, {"value": "a"}])),
        (
            "phone",
            json!({"country_id": "CN", "number": "138 0013 8000"}),
            json!({"country_id": "CN", "country_code": "86", "number": "13800138000"}),
        ),
        ("time", json!({"hour": 9, "minute": 30}), json!({"hour": 9, "minute": 30})),
        ("dropdown", json!("a"), json!({"value": "a"})),
        ("image_checkbox", json!(["a"]), json!([{"value": "a"}])),
        ("cascade", json!({"level_1": "b"}), json!({"level_1": "b"})),
        ("ranking", json!({"b": 1, "a": 2}), json!({"b": 1, "a": 2})),
        ("rating", json!(4), json!(4)),
        ("nps", json!(0), json!(0)),
    ];
    for (kind, default, read) in defaults {
        let form =
            owner.form(json!([field(kind, json!({"choices": choices, "default_value": default, "required": true}))]));
        assert_eq!(form.body["fields"][0]["default_value"], default, "{kind}");
        let made = owner.post(form.entries(), json!({"field_values": {}}));
        assert_eq!(made.data()["field_1"], read, "{kind}: {made}");
        let sent = server.anon().post(form.submissions(), json!({"field_values": {}}));
        assert_eq!(sent.data()["entry"]["field_1"], read, "{kind}: {sent}");
        // Null is an answer: none.
        let null = owner.post(form.entries(), json!({"field_values": {"field_1": null}}));
        assert_eq!(null.faults(), ["field_values.field_1: can't be blank"], "{kind}");
        // A change of other fields brings no default back.
        let changed = owner.patch(form.entry(1), json!({"field_values": {}}));
        assert_eq!(changed.data()["field_1"], read, "{kind}");
    }
}

#[test]
fn dates_know_today_and_now_in_the_forms_time_zone() {
    let owner = Server::shared().user();
    // A day ahead of each other, always.
    let [east, west] = ["Pacific/Kiritimati", "Pacific/Niue"].map(|timezone| {
        let date = |precision: &str, word: &str| field("date", json!({"precision": precision, "default_value": word}));
        let form = owner.form_with(json!({
            "name": "x",
            "timezone": timezone,
            "fields": [
                date("day", "today"), date("month", "today"), date("minute", "now"), date("second", "now"),
                field("date", json!({"max": "today"})),
                field("date", json!({"min": "today"})),
            ],
        }));
        assert_eq!(form.body["fields"][0]["default_value"], "today");
        let made = owner.post(form.entries(), json!({"field_values": {}})).data();
        let text = |code: &str| made[code].as_str().expect("a date").to_owned();
        let (day, second) = (text("field_1"), text("field_4"));
        assert_eq!(["field_2", "field_3", "field_4"].map(|code| text(code).len()), [7, 16, 19]);
        assert!(second.starts_with(&text("field_3")) && day.starts_with(&text("field_2")), "{made}");
        let bounded = json!({"field_values": {"field_5": "9999-01-01", "field_6": "1000-01-01"}});
        let refused = owner.post(form.entries(), bounded).faults();
        let begun = [
            format!("field_values.field_5: must not be after {day}"),
            format!("field_values.field_6: must not be before {day}"),
        ];
        // Midnight may pass between the two.
        assert!(refused == begun || refused.len() == 2, "{refused:?}");
        day
    });
    assert!(east > west, "{east} {west}");
}

#[test]
fn all_faults_of_an_entry_are_told_and_nothing_is_stored() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field("number", json!({})),
        field("description", json!({"content": "<p>x</p>"})),
        field("email", json!({})),
        field("date", json!({})),
        field("checkbox", json!({"choices": [{"api_code": "a", "label": "A"}]})),
    ]));
    let bad =
        json!({"field_2": "x", "field_3": "dropped", "field_4": "x", "field_5": "2026", "field_6": ["a", 1], "zz": 1});
    let refused = owner.post(form.entries(), json!({"field_values": bad}));
    assert_eq!(
        refused.attributes(),
        [
            "field_values.field_1",
            "field_values.field_2",
            "field_values.field_4",
            "field_values.field_5",
            "field_values.field_6[1]",
        ]
    );
    assert_eq!(owner.get(form.path()).data()["entries_count"], 0);
    let good = json!({"field_1": "x", "field_3": "dropped", "page_break": 1});
    let made = owner.post(form.entries(), json!({"field_values": good}));
    assert_eq!(made.data().get("field_3"), None, "{made}");
    let first = made.data()["serial_number"].clone();
    assert_eq!(first, 1);
}

#[test]
fn hidden_choices_are_for_collaborators() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "h", "label": "H", "hidden": true}]);
    for (kind, one, at) in [
        ("radio", json!("h"), ""),
        ("checkbox", json!(["a", "h"]), "[1]"),
        ("dropdown", json!("h"), ""),
        ("image_radio", json!("h"), ""),
        ("image_checkbox", json!(["a", "h"]), "[1]"),
        ("ranking", json!({"h": 1}), ".h"),
    ] {
        let form = owner.form(json!([field(kind, json!({"choices": choices}))]));
        let body = json!({"field_values": {"field_1": one}});
        assert_eq!(owner.post(form.entries(), body.clone()).status, 201, "{kind}");
        let refused = server.anon().post(form.submissions(), body);
        assert_eq!(refused.faults(), [format!("field_values.field_1{at}: is not one of the choices")]);
    }
}

#[test]
fn conditions_know_the_operators_of_each_kind() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}]);
    let text = "eq, ne, any_in, none_in, like, not_like, null, not_null";
    let choice = "eq, ne, any_in, none_in, like, null, not_null";
    for (kind, operators) in [
        ("short_text", text),
        ("long_text", text),
        ("name", text),
        ("email", text),
        ("phone", text),
        ("number", "eq, ne, any_in, none_in, gt, gte, lt, lte, between, not_between, null, not_null"),
        ("date", "eq, ne, any_in, none_in, gt, gte, lt, lte, between, not_between, like, null, not_null"),
        ("radio", choice),
        ("checkbox", choice),
        ("url", text),
        ("time", choice),
        ("dropdown", choice),
        ("image_radio", choice),
        ("image_checkbox", choice),
        ("cascade", choice),
        ("rating", "eq, ne, any_in, none_in, gt, gte, lt, lte, null, not_null"),
        ("nps", "eq, ne, any_in, none_in, gt, gte, lt, lte, null, not_null"),
    ] {
        let form = owner.form(json!([field(kind, json!({"choices": choices})), field("name", json!({}))]));
        let rule = |condition: Value| {
            json!({"rules": [{
                "condition": {"operand": "and", "items": [condition]}, "action": "show", "fields": ["field_2"],
            }]})
        };
        let rules = format!("{}/field_rules", form.path());
        let refused = owner.put(&rules, rule(json!({"field": "field_1", "operator": "is", "value": "x"})));
        assert_eq!(
            refused.faults(),
            [format!("rules[0].condition.items[0].operator: must be one of {operators}")],
            "{kind}"
        );
        for operator in ["null", "not_null"] {
            let set = owner.put(&rules, rule(json!({"field": "field_1", "operator": operator})));
            assert_eq!(set.status, 200, "{kind}: {set}");
        }
    }
    for unfilterable in [json!({"type": "page_break"}), field("ranking", json!({"choices": choices}))] {
        let form = owner.form(json!([unfilterable, field("name", json!({}))]));
        let rule = json!({"rules": [{
            "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "null"}]},
            "action": "show", "fields": ["field_2"],
        }]});
        let refused = owner.put(format!("{}/field_rules", form.path()), rule);
        assert_eq!(refused.faults(), ["rules[0].condition.items[0].field: can't be used in a condition"]);
    }
}
