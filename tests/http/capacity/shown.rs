//! `remaining` in published forms, and the warnings for owners about limits below the amounts taken.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use super::{ALL, Thing, assert_counted, assert_full, assert_none_left, monday, submit};

#[test]
fn a_published_form_says_how_many_are_left() {
    let server = Server::shared();
    let owner = server.user();
    for thing in [Thing::Choice, Thing::Stock, Thing::Variant] {
        let form = owner.form(json!([thing.field(2)]));
        let left = || thing.remaining(&server.anon(), &form);
        assert_eq!(left(), 2, "{thing:?}");
        submit(server, &form, thing);
        assert_eq!(left(), 1, "{thing:?}");
        submit(server, &form, thing);
        assert_eq!(left(), 0, "{thing:?}");
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        assert_eq!(left(), 1, "{thing:?}");
        // Quotas themselves, and fields without one, are not shown.
        let shown = server.anon().get(form.published());
        assert!(!shown.text.contains("quota") && !shown.text.contains("stock"), "{shown}");
        assert_eq!(shown.text.matches("remaining").count(), 1, "{shown}");
        let own = owner.get(form.path());
        assert!(!own.text.contains("remaining"), "{own}");
    }
    let form = owner.form(json!([Thing::Choice.field(1)]));
    for _ in 0..3 {
        owner.post(form.entries(), Thing::Choice.values(1));
    }
    let left = Thing::Choice.remaining(&server.anon(), &form);
    assert_eq!(left, 0, "never less");
}

#[test]
fn a_weekday_and_a_slot_say_what_is_left_on_the_next_day_that_can_be_booked() {
    let server = Server::shared();
    let owner = server.user();
    for (thing, list) in [(Thing::Day, "weekly_quotas"), (Thing::Slot, "daily_time_range_quotas")] {
        let mut own = thing.field(4);
        let setting = &mut own["reservation_items"][0]["quota_setting"];
        setting["start_date"] = json!(monday().to_string());
        let form = owner.form(json!([own]));
        let days = || {
            let shown = server.anon().get(form.published()).data();
            shown["fields"][0]["reservation_items"][0]["quota_setting"][list].clone()
        };
        assert_eq!(days()[0]["remaining"], 4, "{thing:?}");
        assert_eq!(days()[1].get("remaining"), None, "it has no limit");
        let three = server.anon().post(form.submissions(), thing.values(3));
        assert_eq!(three.status, 201, "{three}");
        assert_eq!(days()[0]["remaining"], 1, "{thing:?}");
        let mut over = form.body["fields"].clone();
        let setting = &mut over[0]["reservation_items"][0]["quota_setting"];
        setting["start_date"] = json!("2020-01-01");
        setting["end_date"] = json!("2020-12-31");
        assert_eq!(owner.patch(form.path(), json!({"fields": over})).status, 200);
        assert_eq!(days()[0]["remaining"], 0, "no day is left to book");
    }
}

#[test]
fn columns_and_answers_say_what_is_left() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A", "quota": 3}, {"api_code": "b", "label": "B"}]);
    let column = json!([{"type": "radio", "label": "c", "choices": choices}]);
    let statements = json!([{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}]);
    let form = owner.form(json!([
        field("table", json!({"dimensions": column})),
        field("matrix", json!({"dimensions": column, "statements": statements})),
        field("likert", json!({"choices": choices, "statements": statements})),
        field("ranking", json!({"choices": choices})),
    ]));
    let values = json!({"field_values": {
        "field_1": [{"field_1": "a"}, {"field_1": "a"}], "field_2": {"s": {"field_1": "a"}, "t": {"field_1": "b"}},
        "field_3": {"s": ["a"], "t": ["b"]}, "field_4": {"a": 1}}});
    let done = server.anon().post(form.submissions(), values);
    assert_eq!(done.status, 201, "{done}");
    let shown = server.anon().get(form.published()).data()["fields"].clone();
    let of_column = |i: usize| shown[i]["dimensions"][0]["choices"][0]["remaining"].clone();
    assert_eq!((of_column(0), of_column(1)), (json!(1), json!(2)));
    for i in [2, 3] {
        assert_eq!(shown[i]["choices"][0]["remaining"], 2);
    }
}

/// A field of choices, of which `a` is there once, `b` three times and `c` without a limit; the value that takes one of
/// `a` and one of `b`; and the name of a choice's control, with its posted value.
fn limited_choices() -> Vec<(Value, Value, &'static str)> {
    let choices = json!([{"api_code": "a", "label": "A", "quota": 1},
        {"api_code": "b", "label": "B", "quota": 3}, {"api_code": "c", "label": "C"}]);
    let choices = || choices.clone();
    let statements = || json!([{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}]);
    let both = || json!(["a", "b"]);
    let mut all = Vec::new();
    for kind in ["checkbox", "image_checkbox"] {
        let own = json!({"choices": choices()});
        all.push((field(kind, own), both(), "field_1=CODE"));
    }
    for kind in ["radio", "dropdown", "image_radio"] {
        // One entry takes one of them: the others are taken by entries of their own.
        let own = json!({"choices": choices()});
        all.push((field(kind, own), json!("a"), "field_1=CODE"));
    }
    for multiple in [false, true] {
        let own = json!({"choices": choices(), "statements": statements(), "multiple": multiple});
        let value = json!({"s": ["a"], "t": ["b"]});
        all.push((field("likert", own), value, "field_1.s=CODE"));
    }
    for kind in ["radio", "dropdown", "checkbox"] {
        let columns = json!([{"type": kind, "label": "C", "choices": choices()}]);
        let cell = |code: &str| match kind {
            "checkbox" => json!({"field_1": [code]}),
            _ => json!({"field_1": code}),
        };
        let own = json!({"dimensions": columns, "statements": statements()});
        let value = json!({"s": cell("a"), "t": cell("b")});
        all.push((field("matrix", own), value, "field_1.s.field_1=CODE"));
        let value = json!([cell("a"), cell("b")]);
        let own = json!({ "dimensions": columns });
        all.push((field("table", own), value, "field_1[0].field_1=CODE"));
    }
    let own = json!({"choices": choices()});
    all.push((field("ranking", own), json!({"a": 1, "b": 2}), "field_1.CODE=1"));
    all
}

/// The tag of a page that a name and a value lead to; a list's is that of its option.
fn control<'p>(page: &'p str, name: &str, value: &str) -> &'p str {
    let named = format!(" name=\"{name}\"");
    let at = page.find(&named).unwrap_or_else(|| panic!("no {name}"));
    let start = page[..at].rfind('<').expect("a tag");
    let tag = |start: usize| page[start..].split_inclusive('>').next().expect("an end");
    let own = tag(start);
    if own.starts_with("<select") && value.parse::<u32>().is_err() {
        let option = page[at..].find(&format!("<option value=\"{value}\""));
        return tag(at + option.expect("an option"));
    }
    if own.starts_with("<select") || own.contains(&format!(" value=\"{value}\"")) {
        return own;
    }
    control(&page[at + named.len()..], name, value)
}

#[test]
fn the_page_says_what_is_left_and_does_not_offer_what_is_full() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for (own, value, control_of) in limited_choices() {
        let form = owner.form(json!([own]));
        let named = |code: &str| {
            let control = control_of.replace("CODE", code);
            let (name, value) = control.split_once('=').expect("a pair");
            (name.to_owned(), value.to_owned())
        };
        let page = || anon.get(form.page()).text;
        let is_shut = |page: &str, code: &str| {
            let (name, value) = named(code);
            control(page, &name, &value).contains(" disabled")
        };
        let says = |words: &str| {
            let page = page();
            page.contains(&format!(">{words}</span>")) || page.contains(&format!("({words})"))
        };
        assert!(says("1 left") && says("3 left") && !says("Full"), "{own}");
        let values = json!({"field_values": {"field_1": value}});
        assert_eq!(anon.post(form.submissions(), values).status, 201, "{own}");
        if value == "a" {
            let values = json!({"field_values": {"field_1": "b"}});
            assert_eq!(anon.post(form.submissions(), values).status, 201, "{own}");
        }
        assert!(says("Full") && says("2 left") && !says("1 left"), "{own}");
        let shown = page();
        let shut = ["a", "b", "c"].map(|code| is_shut(&shown, code));
        assert_eq!(shut, [true, false, false], "{own}: {shown}");
        // A respondent who has chosen it meanwhile is told, and sees it chosen.
        let (name, posted) = named("a");
        let refused = anon.post_form(form.page(), &[(&name, &posted)]);
        assert_eq!(refused.status, 409, "{own}: {refused}");
        assert!(refused.text.contains("This is full"), "{own}: {refused}");
        assert!(!is_shut(&refused.text, "a"), "{own}: {refused}");
        assert!(!is_shut(&refused.text, "c"), "{own}: {refused}");
    }
}

#[test]
fn a_variant_has_no_more_left_than_its_good() {
    let server = Server::shared();
    let owner = server.user();
    let mut cake = Thing::Variant.field(5);
    cake["goods_items"][0]["stock"] = json!(3);
    let form = owner.form(json!([cake]));
    submit(server, &form, Thing::Variant);
    let shown = server.anon().get(form.published()).data();
    let good = &shown["fields"][0]["goods_items"][0];
    assert_eq!(good["remaining"], 2);
    assert_eq!(good["skus"][0]["remaining"], 2);
}

/// The definition of a thing with another limit, and where that stands.
fn limited(thing: Thing, form: &Form, most: Value) -> (Value, String) {
    let mut fields = form.body["fields"].clone();
    let (pointer, path) = match thing {
        Thing::Choice => ("/0/choices/0/quota", "choices[0].quota"),
        Thing::Stock => ("/0/goods_items/0/stock", "goods_items[0].stock"),
        Thing::Variant => ("/0/goods_items/0/skus/0/stock", "goods_items[0].skus[0].stock"),
        Thing::Day => (
            "/0/reservation_items/0/quota_setting/weekly_quotas/0/quota",
            "reservation_items[0].quota_setting.weekly_quotas[0].quota",
        ),
        Thing::Slot => (
            "/0/reservation_items/0/quota_setting/daily_time_range_quotas/0/quota",
            "reservation_items[0].quota_setting.daily_time_range_quotas[0].quota",
        ),
    };
    *fields.pointer_mut(pointer).expect("the limit") = most;
    (fields, format!("fields[0].{path}"))
}

fn edit(owner: &Caller, form: &Form, fields: &Value) -> Vec<Value> {
    let done = owner.patch(form.path(), json!({ "fields": fields }));
    assert_eq!(done.status, 200, "{done}");
    let warnings = done.json()["warnings"].as_array().cloned();
    warnings.unwrap_or_default()
}

#[test]
fn a_limit_below_what_is_taken_is_told_and_holds_for_what_comes() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(5)]));
        for _ in 0..3 {
            submit(&server, &form, thing);
        }
        assert_eq!(edit(&owner, &form, &limited(thing, &form, json!(3)).0), [] as [Value; 0]);
        assert_none_left(&server, &form, thing);
        let (fields, path) = limited(thing, &form, json!(1));
        let warnings = edit(&owner, &form, &fields);
        assert_eq!(warnings.len(), 1, "{thing:?}: {warnings:?}");
        assert_eq!(warnings[0]["attribute"], path);
        let message = warnings[0]["message"].as_str().expect("text");
        assert!(message.contains("below the 3 that are taken"), "{message}");
        assert_none_left(&server, &form, thing);
        // Nobody loses anything: an entry keeps its amounts, and gives them back.
        let kept = owner.patch(form.entry(1), thing.values(1));
        assert_eq!(kept.status, 200, "{thing:?}: {kept}");
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        assert_none_left(&server, &form, thing);
        assert_eq!(edit(&owner, &form, &fields), [] as [Value; 0], "what was said is not said again");
        assert_eq!(edit(&owner, &form, &limited(thing, &form, json!(2)).0), [] as [Value; 0]);
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn a_limit_that_is_set_later_counts_what_was_taken_before() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(9)]));
        let (unlimited, path) = limited(thing, &form, Value::Null);
        edit(&owner, &form, &unlimited);
        for _ in 0..3 {
            submit(&server, &form, thing);
        }
        let (four, _) = limited(thing, &form, json!(4));
        edit(&owner, &form, &four);
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
        edit(&owner, &form, &unlimited);
        submit(&server, &form, thing);
        let warnings = edit(&owner, &form, &four);
        assert_eq!(warnings[0]["attribute"], path, "{thing:?}");
        assert_full(&server.anon().post(form.submissions(), thing.values(1)), thing);
    }
    assert_counted(&server);
}
