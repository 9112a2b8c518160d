//! Taken amounts when fields, columns, choices and products are removed, or change their type.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field, until};

use super::{Thing, assert_counted, assert_none_left, submit};

fn edit(owner: &Caller, form: &Form, fields: &Value) {
    let body = json!({"fields": fields, "confirm_data_loss": true});
    let done = owner.patch(form.path(), body);
    assert_eq!(done.status, 200, "{done}");
}

#[test]
fn what_is_removed_is_no_longer_counted() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in super::ALL {
        let form = owner.form(json!([thing.field(2), field("short_text", json!({}))]));
        submit(&server, &form, thing);
        submit(&server, &form, thing);
        let rest = json!([form.body["fields"][1]]);
        edit(&owner, &form, &rest);
        assert_counted(&server);
        for serial in [1, 2] {
            assert_eq!(owner.delete(form.entry(serial)).status, 200);
        }
        assert_counted(&server);
    }
}

#[test]
fn a_removed_choice_or_product_leaves_the_others_as_they_are() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let choices = json!({"choices": [
        {"api_code": "a", "label": "A", "quota": 2}, {"api_code": "b", "label": "B", "quota": 2}]});
    let good = |code: &str| json!({"api_code": code, "name": code, "price": 1, "stock": 3});
    let goods = json!({"goods_items": [good("tea"), good("gin")]});
    let form = owner.form(json!([field("checkbox", choices), field("product", goods)]));
    let values = json!({"field_values": {"field_1": ["a", "b"],
        "field_2": [{"api_code": "tea", "number": 1}, {"api_code": "gin", "number": 3}]}});
    let done = server.anon().post(form.submissions(), values);
    assert_eq!(done.status, 201, "{done}");
    let mut fields = form.body["fields"].clone();
    for list in ["/0/choices", "/1/goods_items"] {
        let list = fields.pointer_mut(list).and_then(Value::as_array_mut);
        list.expect("a list").remove(1);
    }
    edit(&owner, &form, &fields);
    let shown = server.anon().get(form.published()).data();
    assert_eq!(shown["fields"][0]["choices"][0]["remaining"], 1);
    assert_eq!(shown["fields"][1]["goods_items"][0]["remaining"], 2);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_counted(&server);
    let shown = server.anon().get(form.published()).data();
    assert_eq!(shown["fields"][0]["choices"][0]["remaining"], 2);
}

#[test]
fn a_removed_column_or_statement_gives_back_what_its_cells_took() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A", "quota": 5}]);
    let column = json!({"type": "radio", "label": "c", "choices": choices});
    let statements = json!([{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}]);
    let form = owner.form(json!([
        field("table", json!({"dimensions": [column, column]})),
        field("matrix", json!({"dimensions": [column], "statements": statements})),
    ]));
    let row = json!({"field_1": "a", "field_2": "a"});
    let values = json!({"field_values": {"field_1": [row, row],
        "field_2": {"s": {"field_1": "a"}, "t": {"field_1": "a"}}}});
    for _ in 0..2 {
        let done = server.anon().post(form.submissions(), values.clone());
        assert_eq!(done.status, 201, "{done}");
    }
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let mut fields = form.body["fields"].clone();
    for list in ["/0/dimensions", "/1/statements"] {
        let list = fields.pointer_mut(list).and_then(Value::as_array_mut);
        list.expect("a list").remove(1);
    }
    edit(&owner, &form, &fields);
    let left = || {
        let shown = server.anon().get(form.published()).data()["fields"].clone();
        let of = |i: usize| shown[i]["dimensions"][0]["choices"][0]["remaining"].clone();
        (of(0), of(1))
    };
    until("the entries are rewritten", || left() == (json!(3), json!(4)));
    let restored = owner.post(format!("{}/restore", form.trashed(2)), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    until("that one too", || left() == (json!(1), json!(3)));
    assert_counted(&server);
}

#[test]
fn a_field_of_another_type_keeps_its_counts() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A", "quota": 2}, {"api_code": "b", "label": "B"}]);
    let form = owner.form(json!([field("radio", json!({"choices": choices}))]));
    let values = json!({"field_values": {"field_1": "a"}});
    let done = server.anon().post(form.submissions(), values.clone());
    assert_eq!(done.status, 201, "{done}");
    for kind in ["dropdown", "radio", "checkbox"] {
        let mut fields = form.body["fields"].clone();
        fields[0]["type"] = json!(kind);
        edit(&owner, &form, &fields);
        let shown = server.anon().get(form.published()).data();
        assert_eq!(shown["fields"][0]["choices"][0]["remaining"], 1, "{kind}");
        assert_counted(&server);
    }
    let body = json!({"field_values": {"field_1": ["a"]}});
    assert_eq!(server.anon().post(form.submissions(), body.clone()).status, 201);
    assert_eq!(server.anon().post(form.submissions(), body).status, 409);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    let shown = server.anon().get(form.published()).data();
    assert_eq!(shown["fields"][0]["choices"][0]["remaining"], 1);
    assert_counted(&server);
}

#[test]
fn a_booking_of_a_time_that_is_no_longer_offered_can_be_sent_back() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    let form = owner.form(json!([Thing::Day.field(2), field("short_text", json!({}))]));
    submit(&server, &form, Thing::Day);
    let before = owner.get(form.entry(1)).data()["field_1"].clone();
    let mut slots = Thing::Slot.field(2);
    slots["api_code"] = json!("field_1");
    edit(&owner, &form, &json!([slots, form.body["fields"][1]]));
    let values = json!({"field_1": before, "field_2": "Ada"});
    let kept = owner.patch(form.entry(1), json!({ "field_values": values })).is(200).data();
    assert_eq!((&kept["field_1"], &kept["field_2"]), (&before, &json!("Ada")));
    // Another day is a new choice, and none of the times that are offered.
    let mut other = before;
    other[0]["number"] = json!(2);
    assert_eq!(owner.patch(form.entry(1), json!({"field_values": {"field_1": other}})).status, 422);
    assert_counted(&server);
}

#[test]
fn a_form_that_is_restored_has_its_counts_and_a_copy_has_none() {
    let server = Server::alone("commands change all of it");
    let owner = server.user();
    for thing in super::ALL {
        let form = owner.form(json!([thing.field(1)]));
        submit(&server, &form, thing);
        assert_eq!(owner.delete(form.path()).status, 200);
        assert_counted(&server);
        assert_eq!(owner.post(form.part("restore"), json!({})).status, 200);
        assert_none_left(&server, &form, thing);
        let copy = owner.post(form.part("copy"), json!({}));
        assert_eq!(copy.status, 201, "{copy}");
        let copy = Form { token: copy.data()["token"].as_str().expect("a token").to_owned(), body: copy.data() };
        submit(&server, &copy, thing);
        assert_none_left(&server, &copy, thing);
    }
}

#[test]
fn a_form_that_is_gone_for_good_leaves_no_counts() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(json!([Thing::Choice.field(1), Thing::Day.field(1)]));
    let values = json!({"field_values": {"field_1": ["a", "b"], "field_2": Thing::Day.value(1)}});
    assert_eq!(owner.post(form.entries(), values).status, 201);
    let path = server.dir.join("formsvc.db");
    let count = || -> i64 {
        let database = rusqlite::Connection::open(&path).expect("opens");
        let all = "SELECT count(*) FROM capacity_taken";
        database.query_row(all, [], |row| row.get(0)).expect("a number")
    };
    assert_eq!(count(), 3);
    assert_eq!(owner.delete(form.path()).status, 200);
    let database = rusqlite::Connection::open(&path).expect("opens");
    database.busy_timeout(std::time::Duration::from_secs(10)).expect("waits");
    let long_ago = "UPDATE forms SET deleted_at = 1 WHERE deleted_at IS NOT NULL";
    assert_eq!(database.execute(long_ago, []).expect("SQL"), 1);
    until("the form is gone for good", || {
        server.run(&["jobs", "run-once"]);
        count() == 0
    });
}
