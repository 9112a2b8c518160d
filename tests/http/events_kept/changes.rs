//! Which changes make events, how many, and which make none.

use serde_json::{Value, json};

use crate::events_kept::oracle::Oracle;
use crate::events_kept::programs::{booked, coded, place, text_field};
use crate::events_kept::receiver::firsts;
use crate::events_kept::{FLAGS, KINDS};
use crate::support::steps::set;
use crate::support::{Form, Server, field, until};

const CREATED: &str = "entry_created";
const UPDATED: &str = "entry_updated";
const DELETED: &str = "entry_deleted";
const NONE: [(&str, i64); 0] = [];

pub fn values(values: Value) -> Value {
    json!({ "field_values": values })
}

/// A server, and an oracle of one form with one webhook for everything.
pub fn world(fields: Value) -> (Server, Oracle) {
    let server = Server::with(&FLAGS);
    let mut oracle = Oracle::new(server.user());
    let form = oracle.owner.form(fields);
    oracle.watch(form);
    oracle.want(0, &KINDS);
    (server, oracle)
}

#[test]
fn what_is_refused_tells_nobody() {
    let (server, mut oracle) = world(json!([
        text_field(),
        field("number", json!({"unique": true, "min": 0})),
        field("product", json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": 3, "stock": 1}]})),
    ]));
    let (owner, anon) = (oracle.owner.clone(), server.anon());
    let form = Form { token: oracle.form(0).token.clone(), body: Value::Null };
    let tea = json!([{"api_code": "tea", "number": 1}]);
    let first = values(json!({"field_1": "a", "field_2": 1, "field_3": tea}));
    assert_eq!(owner.post(form.entries(), first).status, 201);
    assert_eq!(owner.post(form.entries(), values(json!({"field_2": 2}))).status, 201);
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let came = oracle.noted("two are made and one is moved to the trash");
    // The second is in the trash by now: what the oracle sees is one new entry.
    assert_eq!(came, [(CREATED, 1)]);
    assert_eq!(owner.post(form.entries(), values(json!({"field_2": 2}))).status, 201);
    assert_eq!(oracle.noted("its number is taken"), [(CREATED, 3)]);
    let viewer = server.user();
    let share = crate::collaborators::path(&form, &viewer);
    assert_eq!(owner.put(share, json!({"role": "viewer"})).status, 200);
    let stale = owner.header("If-Match", "\"stale\"");
    let import = |query: &str, file: &str| {
        let path = format!("{}{query}", form.part("entries/import"));
        owner.send("POST", &path, Some("text/csv"), file.as_bytes())
    };
    let long = "x".repeat(41);
    let bulk = |rows: Vec<Value>| {
        let rows: Vec<Value> = rows.into_iter().map(values).collect();
        owner.post(form.part("entries/bulk"), json!({"entries": rows}))
    };
    let refusals = [
        (422, owner.post(form.entries(), values(json!({"field_2": -1})))),
        (422, owner.post(form.entries(), values(json!({"field_2": 1})))),
        (409, owner.post(form.entries(), values(json!({"field_3": tea})))),
        (422, anon.post(form.submissions(), values(json!({"field_1": long})))),
        (409, anon.post(form.submissions(), values(json!({"field_3": tea})))),
        (422, anon.post_form(form.page(), &[("field_1", &long)])),
        (422, bulk(vec![json!({"field_1": "fine"}), json!({"field_2": 1}), json!({"field_1": long})])),
        (422, bulk(vec![json!({"field_1": "fine"}), json!({"field_3": tea})])),
        (422, import("", &format!("field_1\nfine\n{long}\n"))),
        (422, import("", "field_2\n7\n7\n")),
        (200, import("?dry_run=true", "field_1\nfine\n")),
        (422, owner.patch(form.entry(1), values(json!({"field_2": 2})))),
        (412, stale.patch(form.entry(1), values(json!({"field_1": "b"})))),
        (412, stale.delete(form.entry(1))),
        (404, owner.delete(form.entry(2))),
        (422, owner.post(format!("{}/restore", form.trashed(2)), json!({}))),
        (404, owner.post(format!("{}/restore", form.trashed(1)), json!({}))),
        (403, viewer.patch(form.entry(1), values(json!({"field_1": "b"})))),
        (403, viewer.delete(form.entry(1))),
        (200, owner.delete(form.trashed(2))),
    ];
    for (nth, (status, answer)) in refusals.iter().enumerate() {
        assert_eq!(answer.status, *status, "{nth}: {answer}");
    }
    assert_eq!(oracle.noted("nothing was done"), NONE);
    set(&owner, &form, json!({"availability": {"manually_closed": true}}));
    assert_eq!(anon.post(form.submissions(), values(json!({}))).status, 403);
    assert_eq!(oracle.noted("the form is closed"), NONE);
    // The entry that came and went before anybody looked is the one whose events are not foreseen here.
    let webhook = oracle.webhook(0, 0).clone();
    let foreseen = [(CREATED, 1), (CREATED, 2), (DELETED, 2), (CREATED, 3)];
    assert_eq!(owner.post(form.entries(), values(json!({"field_1": "last"}))).status, 201);
    let came = oracle.receiver.first_taken("/0/0", foreseen.len() + 1);
    let came: Vec<(&str, i64)> = came.iter().map(|got| (got.kind(), got.serial())).collect();
    let all = [&foreseen[..], &[(CREATED, 4)]].concat();
    assert_eq!(came, all);
    // Entry 2 is gone for good, and so is what was delivered of it.
    until("the rest is noted", || {
        let rows = webhook.deliveries(&owner);
        rows.len() == 3 && rows.iter().all(|row| row["status"] == "delivered")
    });
}

#[test]
fn who_moves_up_from_the_waiting_list_is_an_update() {
    let (server, mut oracle) = world(json!([text_field(), booked(1)]));
    let (owner, anon) = (oracle.owner.clone(), server.anon());
    let settings = json!({"capacity": {"waiting_list": true},
        "submission_options": {"allow_edit_after_submission": true}});
    set(&owner, oracle.form(0), settings);
    let mut respondents = Vec::new();
    for serial in 1..=6 {
        let mut body = values(json!({"field_1": format!("guest {serial}"), "field_2": place(0)}));
        body["waiting_list"] = json!(true);
        let made = anon.post(oracle.form(0).submissions(), body);
        assert_eq!(made.status, 201, "{made}");
        let data = made.data();
        let path = format!("{}/{}", oracle.form(0).submissions(), data["entry"]["token"].as_str().expect("a token"));
        let right = data["edit_token"].as_str().expect("a right");
        respondents.push((anon.header("x-edit-token", right), path));
        assert_eq!(oracle.noted(format!("{serial} comes")), [(CREATED, serial)]);
    }
    assert_eq!(owner.delete(oracle.form(0).entry(1)).status, 200);
    assert_eq!(oracle.noted("1 goes"), [(UPDATED, 2), (DELETED, 1)]);
    let (second, path) = &respondents[1];
    let cancelled = second.post(format!("{path}/cancel_booking"), json!({}));
    assert_eq!(cancelled.status, 200, "{cancelled}");
    assert_eq!(oracle.noted("2 cancels"), [(UPDATED, 2), (UPDATED, 3)]);
    let status = format!("{}/reservation_status", oracle.form(0).entry(3));
    let done = owner.patch(&status, json!({"status": "cancelled"}));
    assert_eq!(done.status, 200, "{done}");
    assert_eq!(oracle.noted("3 is cancelled"), [(UPDATED, 3), (UPDATED, 4)]);
    let less = owner.patch(oracle.form(0).entry(4), values(json!({"field_2": []})));
    assert_eq!(less.status, 200, "{less}");
    assert_eq!(oracle.noted("4 books nothing"), [(UPDATED, 4), (UPDATED, 5)]);
    let (sixth, path) = &respondents[5];
    let left = sixth.delete(format!("{path}/waiting"));
    assert_eq!(left.status, 200, "{left}");
    oracle.noted("6 leaves");
    let full = owner.post(format!("{}/restore", oracle.form(0).trashed(1)), json!({}));
    assert_eq!(full.status, 409, "{full}");
    assert_eq!(oracle.noted("there is no room for 1"), NONE);
    let fields = coded([text_field(), booked(2)]);
    let more = owner.patch(oracle.form(0).path(), json!({"fields": fields}));
    assert_eq!(more.status, 200, "{more}");
    oracle.noted("there is more room");
    let back = owner.post(format!("{}/restore", oracle.form(0).trashed(1)), json!({}));
    assert_eq!(back.status, 200, "{back}");
    assert_eq!(oracle.noted("1 is back"), [("entry_restored", 1)]);
    oracle.settle();
    // Places are given before they are taken: who goes is told of before who moves up.
    let first = firsts(oracle.receiver.taken("/0/0"));
    let place = |kind: &str, serial: i64| {
        let mut all = first.iter();
        all.position(|got| (got.kind(), got.serial()) == (kind, serial))
    };
    assert!(place(DELETED, 1) < place(UPDATED, 2), "1 goes before 2 moves up");
}

#[test]
fn entries_that_are_linked_to_change_alone() {
    let (_server, mut oracle) = world(json!([text_field()]));
    let owner = oracle.owner.clone();
    for under in 0..2 {
        let link = field(
            "linked_form",
            json!({"form_token": oracle.form(under).token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}]}),
        );
        let form = owner.form(json!([text_field(), link]));
        let at = oracle.watch(form);
        oracle.want(at, &KINDS);
    }
    let mut token = Value::Null;
    for at in 0..3 {
        let body = values(json!({"field_1": format!("chain {at}"), "field_2": token}));
        let made = owner.post(oracle.form(at).entries(), body);
        assert_eq!(made.status, 201, "{made}");
        token = made.data()["token"].clone();
        assert_eq!(oracle.noted(format!("{at} is made")), [(CREATED, 1)]);
    }
    for at in [0, 1] {
        let renamed = owner.patch(oracle.form(at).entry(1), values(json!({"field_1": "renamed"})));
        assert_eq!(renamed.status, 200, "{renamed}");
        assert_eq!(oracle.noted(format!("{at} is renamed")), [(UPDATED, 1)]);
        assert_eq!(owner.delete(oracle.form(at).entry(1)).status, 200);
        assert_eq!(oracle.noted(format!("{at} goes")), [(DELETED, 1)]);
        let trashed = oracle.form(at).trashed(1);
        if at == 0 {
            assert_eq!(owner.post(format!("{trashed}/restore"), json!({})).status, 200);
            assert_eq!(oracle.noted("0 is back"), [("entry_restored", 1)]);
            assert_eq!(owner.delete(oracle.form(at).entry(1)).status, 200);
            assert_eq!(oracle.noted("0 goes again"), [(DELETED, 1)]);
        }
        assert_eq!(owner.delete(trashed).status, 200);
        assert_eq!(oracle.noted(format!("{at} is gone for good")), NONE);
    }
    // What links to nothing any more is changed and says so.
    let changed = owner.patch(oracle.form(2).entry(1), values(json!({"field_1": "loose"})));
    assert_eq!(changed.status, 200, "{changed}");
    assert_eq!(oracle.noted("2 is changed"), [(UPDATED, 1)]);
    assert_eq!(oracle.entry(2, 1)["field_2"], json!({"deleted": true}));
    oracle.settle();
}

#[test]
fn changes_of_the_form_are_none_of_its_entries() {
    let (_server, mut oracle) = world(json!([
        text_field(),
        field("number", json!({})),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
    ]));
    let owner = oracle.owner.clone();
    for n in 1..=3 {
        let body = values(json!({"field_1": format!("entry {n}"), "field_2": n}));
        assert_eq!(owner.post(oracle.form(0).entries(), body).status, 201);
        oracle.noted("an entry");
    }
    let form = oracle.form(0);
    let number = field("number", json!({}));
    let formula = |times: i64| {
        let expression = format!("field_2 * {times}");
        field("formula", json!({"expression": expression, "result_type": "number"}))
    };
    let path = form.path();
    let fields = json!({"fields": coded([text_field(), number.clone(), formula(10)])});
    assert_eq!(owner.patch(&path, fields).status, 200);
    until("formulas are computed again", || owner.get(format!("{path}/entries/3")).data()["field_3"] == 30.0);
    let exam = json!({"exam": {"questions": {"field_1": {"scored": true, "score": 2, "answer": "entry 1"}}}});
    assert_eq!(owner.patch(format!("{path}/settings"), exam).status, 200);
    let fields = json!({"fields": coded([text_field(), number]), "confirm_data_loss": true});
    let removed = owner.patch(&path, fields);
    assert_eq!(removed.status, 200, "{removed}");
    until("the values are gone", || {
        let entry = owner.get(format!("{path}/entries/1")).data();
        entry.get("field_3").is_none()
    });
    oracle.noted("the form was changed");
    // In the trash and back is no change of entries either.
    assert_eq!(owner.delete(&path).status, 200);
    assert_eq!(owner.post(format!("{path}/restore"), json!({})).status, 200);
    assert_eq!(oracle.noted("the form is back"), NONE);
    oracle.settle();
    assert_eq!(oracle.counts()["entry_updated"], 1, "the last one's own");
}

#[test]
fn many_at_once_come_in_the_order_of_their_numbers() {
    let (_server, mut oracle) = world(json!([text_field()]));
    let owner = oracle.owner.clone();
    let rows: Vec<Value> = (0..150).map(|n| values(json!({"field_1": format!("row {n}")}))).collect();
    let made = owner.post(oracle.form(0).part("entries/bulk"), json!({"entries": rows}));
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(oracle.noted("bulk").len(), 150);
    let file = (0..150).fold("field_1\n".to_owned(), |file, n| format!("{file}line {n}\n"));
    let path = oracle.form(0).part("entries/import");
    let imported = owner.send("POST", &path, Some("text/csv"), file.as_bytes());
    assert_eq!(imported.status, 201, "{imported}");
    assert_eq!(oracle.noted("import").len(), 150);
    let first = oracle.receiver.first_taken("/0/0", 300);
    let serials: Vec<i64> = first.iter().map(|got| got.serial()).collect();
    assert_eq!(serials, (1..=300).collect::<Vec<i64>>());
    assert_eq!((first[0].text(), first[299].text()), ("row 0", "line 149"));
    oracle.settle();
    let ids: std::collections::HashSet<&str> = first.iter().map(|got| got.id()).collect();
    assert_eq!(ids.len(), 300);
}
