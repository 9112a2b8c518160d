//! Entries that take room, give it back, and need it again.

use serde_json::{Value, json};
use support::{Form, Server, field, steps};

use super::{ALL, Thing, assert_counted, assert_full, assert_none_left, submit};

#[test]
fn as_many_as_there_are_find_room_and_no_more() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(2)]));
        submit(&server, &form, thing);
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
        // Others of the same kind are another matter.
        let other = server.anon().post(form.submissions(), json!({"field_values": {"field_1": thing.other()}}));
        assert_eq!(other.status, 201, "{thing:?}: {other}");
        assert_eq!(steps::count(&owner, &form), 3, "{thing:?}");
        let serial = other.data()["entry"]["serial_number"].clone();
        assert_eq!(serial, 3, "a refused one leaves no gap");
    }
    assert_counted(&server);
}

#[test]
fn none_at_all_is_a_limit_too() {
    let server = Server::shared();
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(0)]));
        assert_none_left(server, &form, thing);
    }
}

#[test]
fn a_number_counts_as_many_places() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in [Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot] {
        let form = owner.form(json!([thing.field(5)]));
        let post = |number| server.anon().post(form.submissions(), thing.values(number));
        assert_full(&post(6), thing);
        assert_eq!(post(3).status, 201, "{thing:?}");
        let full = post(3);
        assert_full(&full, thing);
        assert!(full.faults()[0].contains("has only 2 left"), "{full}");
        assert_eq!(post(2).status, 201, "{thing:?}");
        let gone = post(1);
        let said = gone.faults().remove(0);
        assert!(said.ends_with("is full") || said.ends_with("is sold out"), "{said}");
    }
    assert_counted(&server);
}

#[test]
fn collaborators_are_bound_by_stock_and_places_but_not_by_quotas_of_choices() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1)]));
        assert_eq!(owner.post(form.entries(), thing.values(1)).status, 201);
        assert_none_left(&server, &form, thing);
        let again = owner.post(form.entries(), thing.values(1));
        if thing == Thing::Choice {
            assert_eq!(again.status, 201, "{again}");
        } else {
            assert_full(&again, thing);
        }
        // Restored, it needs room like a new one.
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        let second = owner.post(form.entries(), thing.values(1));
        assert_eq!(second.status, 201, "{thing:?}: the trash gives back: {second}");
        let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
        if thing == Thing::Choice {
            assert_eq!(restored.status, 200, "{restored}");
        } else {
            assert_full(&restored, thing);
            assert_eq!(owner.get(form.trashed(1)).status, 405, "it has no address to read");
            assert_eq!(owner.delete(form.entry(2)).status, 200);
            let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
            assert_eq!(restored.status, 200, "{restored}");
            assert_full(&owner.post(form.entries(), thing.values(1)), thing);
        }
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn what_is_deleted_for_good_was_given_back_before() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1)]));
        submit(&server, &form, thing);
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        submit(&server, &form, thing);
        assert_eq!(owner.delete(form.trashed(1)).status, 200);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn edits_to_less_give_back_and_edits_to_more_need_room() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(3)]));
        let edit = |serial, value: Value| owner.patch(form.entry(serial), json!({"field_values": {"field_1": value}}));
        let numbered = thing != Thing::Choice;
        let post = |number| owner.post(form.entries(), thing.values(number)).status;
        assert_eq!(post(if numbered { 2 } else { 1 }), 201);
        assert_eq!(post(1), 201);
        if numbered {
            assert_full(&edit(2, thing.value(2)), thing);
            assert_eq!(edit(1, thing.value(2)).status, 200, "as many as before");
            assert_eq!(edit(1, thing.value(1)).status, 200);
            assert_eq!(edit(2, thing.value(2)).status, 200);
        } else {
            submit(&server, &form, thing);
        }
        assert_none_left(&server, &form, thing);
        assert_eq!(edit(1, thing.other()).status, 200);
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
        let again = edit(1, thing.value(1));
        if numbered {
            assert_full(&again, thing);
            let kept = owner.get(form.entry(1)).data();
            assert_eq!(kept["field_1"], json!([]), "nothing of a refused edit stays");
        } else {
            assert_eq!(again.status, 200, "a collaborator's: {again}");
        }
    }
    assert_counted(&server);
}

/// A respondent's own entry: its address, and the caller who may change it.
struct Own {
    path: String,
    caller: support::Caller,
}

fn own(server: &Server, form: &Form, values: Value) -> Own {
    let done = server.anon().post(form.submissions(), values);
    assert_eq!(done.status, 201, "{done}");
    let data = done.data();
    let token = data["entry"]["token"].as_str().expect("a token");
    let right = data["edit_token"].as_str().expect("an edit token");
    Own { path: format!("{}/{token}", form.submissions()), caller: server.anon().header("X-Edit-Token", right) }
}

#[test]
fn respondents_edits_are_bound_by_every_limit() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1)]));
        let settings = json!({"submission_options": {"allow_edit_after_submission": true}});
        steps::set(&owner, &form, settings);
        let first = own(&server, &form, thing.values(1));
        let second = own(&server, &form, json!({"field_values": {"field_1": thing.other()}}));
        assert_full(&second.caller.patch(&second.path, thing.values(1)), thing);
        let same = first.caller.patch(&first.path, thing.values(1));
        assert_eq!(same.status, 200, "what it has it keeps: {same}");
        let less = json!({"field_values": {"field_1": thing.other()}});
        assert_eq!(first.caller.patch(&first.path, less).status, 200);
        let more = second.caller.patch(&second.path, thing.values(1));
        assert_eq!(more.status, 200, "{thing:?}: {more}");
        assert_full(&first.caller.patch(&first.path, thing.values(1)), thing);
    }
    assert_counted(&server);
}

#[test]
fn a_repeated_request_takes_nothing_again() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(2)]));
        let anon = server.anon().header("Idempotency-Key", "once");
        let first = anon.post(form.submissions(), thing.values(1));
        let second = anon.post(form.submissions(), thing.values(1));
        assert_eq!((first.status, second.status), (201, 201));
        assert_eq!(first.data(), second.data());
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
        let replayed = anon.post(form.submissions(), thing.values(1));
        assert_eq!(replayed.status, 201, "also when all is gone: {replayed}");
        let other = server.anon().header("Idempotency-Key", "refused");
        assert_full(&other.post(form.submissions(), thing.values(1)), thing);
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        let later = other.post(form.submissions(), thing.values(1));
        assert_eq!(later.status, 201, "a refusal is not remembered: {later}");
    }
    assert_counted(&server);
}

#[test]
fn faults_name_the_lines_of_the_request() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B", "quota": 0}]});
    let goods = json!({"goods_items": [
        {"api_code": "tea", "name": "Tea", "price": 3, "stock": 4}, {"api_code": "gin", "name": "Gin", "price": 9, "stock": 0}]});
    let form = owner.form(json!([field("checkbox", choices), field("product", goods)]));
    let line = |code: &str, number: i64| json!({"api_code": code, "number": number});
    let values = json!({"field_values": {
        "field_1": ["a", "a", {"value": "b"}],
        "field_2": [line("tea", 3), line("tea", 2), line("gin", 1)],
    }});
    let refused = server.anon().post(form.submissions(), values);
    assert_eq!(refused.status, 409, "{refused}");
    assert_eq!(refused.json()["code"], "quota_exceeded", "that of the first");
    assert_eq!(
        refused.faults(),
        [
            "field_values.field_1[2]: is full",
            "field_values.field_2[1].number: has only 4 left in stock",
            "field_values.field_2[2].number: is sold out",
        ]
    );
}

#[test]
fn a_variant_runs_out_with_its_good() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let mut cake = Thing::Variant.field(5);
    cake["goods_items"][0]["stock"] = json!(3);
    let form = owner.form(json!([cake]));
    let order = |size: &str, number: i64| {
        let line = json!({"api_code": "cake", "number": number, "specification": {"size": size}});
        json!({"field_values": {"field_1": [line]}})
    };
    let post = |size, number| server.anon().post(form.submissions(), order(size, number));
    assert_eq!(post("s", 2).status, 201);
    assert_full(&post("l", 2), Thing::Variant);
    assert_eq!(post("l", 1).status, 201);
    assert_full(&post("s", 1), Thing::Variant);
    assert_counted(&server);
}

#[test]
fn cells_answers_and_ranks_take_of_quotas() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A", "quota": 2}, {"api_code": "b", "label": "B"}]);
    let column = json!([{"type": "radio", "label": "c", "choices": choices}]);
    let statements = json!([{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}]);
    let cell = |code: &str| json!({"field_1": code});
    for (kind, own, taking, at) in [
        ("table", json!({"dimensions": column}), json!([cell("a"), cell("b"), cell("a")]), "[0].field_1"),
        (
            "matrix",
            json!({"dimensions": column, "statements": statements}),
            json!({"s": cell("a"), "t": cell("a")}),
            ".s.field_1",
        ),
        ("likert", json!({"choices": choices, "statements": statements}), json!({"s": ["a"], "t": ["a"]}), ".s[0]"),
        ("dropdown", json!({"choices": choices}), json!("a"), ""),
        ("ranking", json!({"choices": choices}), json!({"b": 1, "a": 2}), ".a"),
    ] {
        let form = owner.form(json!([field(kind, own)]));
        let values = json!({"field_values": {"field_1": taking}});
        let one = matches!(kind, "dropdown" | "ranking");
        for _ in 0..if one { 2 } else { 1 } {
            let done = server.anon().post(form.submissions(), values.clone());
            assert_eq!(done.status, 201, "{kind}: {done}");
        }
        let full = server.anon().post(form.submissions(), values.clone());
        assert_eq!(full.status, 409, "{kind}: {full}");
        let first = full.attributes().remove(0);
        assert_eq!(first, format!("field_values.field_1{at}"));
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        let again = server.anon().post(form.submissions(), values);
        assert_eq!(again.status, 201, "{kind}: {again}");
    }
    assert_counted(&server);
}

#[test]
fn a_page_says_what_is_full_and_keeps_what_was_typed() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let name = field("short_text", json!({}));
    let choices = json!([{"api_code": "a", "label": "Pottery", "quota": 1}, {"api_code": "b", "label": "Weaving"}]);
    let form = owner.form(json!([name, field("radio", json!({"choices": choices}))]));
    let post = |pairs: &[(&str, &str)]| server.anon().post_form(form.page(), pairs);
    let typed = [("field_1", "Ada of Ockham"), ("field_2", "a")];
    assert_eq!(post(&typed).status, 303);
    let refused = post(&typed);
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("This is full. Choose another one"), "{}", refused.text);
    assert!(refused.text.contains("Ada of Ockham"));
    assert_eq!(post(&[("field_1", "Ada"), ("field_2", "b")]).status, 303);
    assert_eq!(steps::count(&owner, &form), 2);
    let body = "--x\r\nContent-Disposition: form-data; name=\"field_2\"\r\n\r\na\r\n--x--\r\n";
    let kind = Some("multipart/form-data; boundary=x");
    let refused = server.anon().send("POST", &form.page(), kind, body.as_bytes());
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("This is full. Choose another one"));
    assert_counted(&server);
}
