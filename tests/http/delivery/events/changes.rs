//! Every way of changing an entry counts, also a move up from the waiting list; a refused request is no event, nor is
//! editing the form.

use serde_json::{Value, json};
use support::peers::receiver::firsts;
use support::steps::set;
use support::{Form, Server, field, until};

use crate::delivery::events::oracle::Oracle;
use crate::delivery::events::programs::{booked, coded, place, text_field};
use crate::delivery::{FLAGS, KINDS, enter_many, import, link, ok, respondent, restore, values};

const CREATED: &str = "entry_created";
const UPDATED: &str = "entry_updated";
const DELETED: &str = "entry_deleted";
const NONE: [(&str, i64); 0] = [];

#[test]
fn what_is_refused_tells_nobody() {
    let server = Server::shared_with(&FLAGS);
    let mut oracle = Oracle::of(json!([
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
    ok(owner.delete(form.entry(2)));
    let came = oracle.noted("two are made and one is moved to the trash");
    // The second is in the trash by now: the oracle sees one new entry.
    assert_eq!(came, [(CREATED, 1)]);
    assert_eq!(owner.post(form.entries(), values(json!({"field_2": 2}))).status, 201);
    assert_eq!(oracle.noted("its number is taken"), [(CREATED, 3)]);
    let viewer = server.user();
    support::sharing::share(&owner, &form, &viewer, "viewer");
    let stale = owner.header("If-Match", "\"stale\"");
    let import = |query: &str, file: &str| import(&owner, &form, query, file);
    let long = "x".repeat(41);
    let bulk = |rows: Vec<Value>| {
        let rows: Vec<Value> = rows.into_iter().map(values).collect();
        owner.post(form.part("entries/bulk"), json!({"entries": rows}))
    };
    let text = |text: &str| values(json!({"field_1": text}));
    let number = |number: Value| values(json!({"field_2": number}));
    let fine = || json!({"field_1": "fine"});
    for (what, status, answer) in [
        ("too small a number", 422, owner.post(form.entries(), number(json!(-1)))),
        ("a text for a number", 422, owner.post(form.entries(), number(json!("x")))),
        ("a number that is taken", 422, owner.post(form.entries(), number(json!(1)))),
        ("sold out", 409, owner.post(form.entries(), values(json!({"field_3": tea})))),
        ("submitted: too long", 422, anon.post(form.submissions(), text(&long))),
        ("submitted: a number that is taken", 422, anon.post(form.submissions(), number(json!(1)))),
        ("submitted: sold out", 409, anon.post(form.submissions(), values(json!({"field_3": tea})))),
        ("on the page: too long", 422, anon.post_form(form.page(), &[("field_1", &long)])),
        ("bulk: taken and too long", 422, bulk(vec![fine(), json!({"field_2": 1}), json!({"field_1": long})])),
        ("bulk: taken", 422, bulk(vec![fine(), json!({"field_2": 1})])),
        ("bulk: the same twice", 422, bulk(vec![json!({"field_2": 7}), json!({"field_2": 7})])),
        ("bulk: sold out", 422, bulk(vec![fine(), json!({"field_3": tea})])),
        ("import: too long", 422, import("", &format!("field_1\nfine\n{long}\n"))),
        ("import: the same twice", 422, import("", "field_2\n7\n7\n")),
        ("import: taken", 422, import("", "field_2\n7\n1\n")),
        ("import: a dry run", 200, import("?dry_run=true", "field_1\nfine\n")),
        ("changed: taken", 422, owner.patch(form.entry(1), number(json!(2)))),
        ("changed: a text for a number", 422, owner.patch(form.entry(1), number(json!("x")))),
        ("changed: no such entry", 404, owner.patch(form.entry(9), text("b"))),
        ("changed: an old version", 412, stale.patch(form.entry(1), text("b"))),
        ("changed by a viewer", 403, viewer.patch(form.entry(1), text("b"))),
        ("deleted: an old version", 412, stale.delete(form.entry(1))),
        ("deleted: in the trash", 404, owner.delete(form.entry(2))),
        ("deleted: no such entry", 404, owner.delete(form.entry(9))),
        ("deleted by a viewer", 403, viewer.delete(form.entry(1))),
        ("restored: its number is taken", 422, restore(&owner, &form, 2)),
        ("restored: not in the trash", 404, restore(&owner, &form, 1)),
        ("deleted for good", 200, owner.delete(form.trashed(2))),
    ] {
        assert_eq!(answer.status, status, "{what}: {answer}");
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
    // Entry 2 is gone for good, and so are its deliveries.
    until("the rest is noted", || {
        let rows = webhook.deliveries(&owner);
        rows.len() == 3 && rows.iter().all(|row| row["status"] == "delivered")
    });
}

#[test]
fn who_moves_up_from_the_waiting_list_is_an_update() {
    let server = Server::shared_with(&FLAGS);
    let mut oracle = Oracle::of(json!([text_field(), booked(1)]));
    let (owner, anon) = (oracle.owner.clone(), server.anon());
    let settings = json!({"capacity": {"waiting_list": true},
        "submission_options": {"allow_edit_after_submission": true}});
    set(&owner, oracle.form(0), settings);
    let mut respondents = Vec::new();
    for serial in 1..=6 {
        let mut body = values(json!({"field_1": format!("guest {serial}"), "field_2": place(0)}));
        body["waiting_list"] = json!(true);
        let made = anon.post(oracle.form(0).submissions(), body);
        respondents.push(respondent(&anon, oracle.form(0), &made));
        assert_eq!(oracle.noted(format!("{serial} comes")), [(CREATED, serial)]);
    }
    ok(owner.delete(oracle.form(0).entry(1)));
    assert_eq!(oracle.noted("1 goes"), [(UPDATED, 2), (DELETED, 1)]);
    let (path, second) = &respondents[1];
    ok(second.post(format!("{path}/cancel_booking"), json!({})));
    assert_eq!(oracle.noted("2 cancels"), [(UPDATED, 2), (UPDATED, 3)]);
    let status = format!("{}/reservation_status", oracle.form(0).entry(3));
    ok(owner.patch(&status, json!({"status": "cancelled"})));
    assert_eq!(oracle.noted("3 is cancelled"), [(UPDATED, 3), (UPDATED, 4)]);
    ok(owner.patch(oracle.form(0).entry(4), values(json!({"field_2": []}))));
    assert_eq!(oracle.noted("4 books nothing"), [(UPDATED, 4), (UPDATED, 5)]);
    let (path, sixth) = &respondents[5];
    ok(sixth.delete(format!("{path}/waiting")));
    assert_eq!(oracle.noted("6 leaves"), [(DELETED, 6)]);
    let full = restore(&owner, oracle.form(0), 1);
    assert_eq!(full.status, 409, "{full}");
    assert_eq!(oracle.noted("there is no room for 1"), NONE);
    let fields = coded([text_field(), booked(2)]);
    ok(owner.patch(oracle.form(0).path(), json!({"fields": fields})));
    oracle.noted("there is more room");
    ok(restore(&owner, oracle.form(0), 1));
    assert_eq!(oracle.noted("1 is back"), [("entry_restored", 1)]);
    oracle.settle();
    // Places are given before they are taken: the event of the entry that goes comes before that of the one that moves
    // up.
    let first = firsts(oracle.receiver.taken("/0/0"));
    let place = |kind: &str, serial: i64| {
        let mut all = first.iter();
        all.position(|got| (got.kind(), got.serial()) == (kind, serial))
    };
    assert!(place(DELETED, 1) < place(UPDATED, 2), "1 goes before 2 moves up");
}

#[test]
fn entries_that_are_linked_to_change_alone() {
    let mut oracle = Oracle::of(json!([text_field()]));
    let owner = oracle.owner.clone();
    for under in 0..2 {
        let form = owner.form(json!([text_field(), link(oracle.form(under))]));
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
    let linking = oracle.receiver.first_taken("/1/0", 1).remove(0);
    let shown = linking.body["entry"]["field_2"].to_string();
    assert!(shown.contains("chain 0"), "what is linked to is shown: {shown}");
    for at in [0, 1] {
        ok(owner.patch(oracle.form(at).entry(1), values(json!({"field_1": "renamed"}))));
        assert_eq!(oracle.noted(format!("{at} is renamed")), [(UPDATED, 1)]);
        ok(owner.delete(oracle.form(at).entry(1)));
        assert_eq!(oracle.noted(format!("{at} goes")), [(DELETED, 1)]);
        let trashed = oracle.form(at).trashed(1);
        if at == 0 {
            assert_eq!(restore(&owner, oracle.form(at), 1).status, 200);
            assert_eq!(oracle.noted("0 is back"), [("entry_restored", 1)]);
            ok(owner.delete(oracle.form(at).entry(1)));
            assert_eq!(oracle.noted("0 goes again"), [(DELETED, 1)]);
        }
        oracle.delivered();
        ok(owner.delete(trashed));
        assert_eq!(oracle.noted(format!("{at} is gone for good")), NONE);
    }
    // An entry that no longer links to anything is changed and says so.
    ok(owner.patch(oracle.form(2).entry(1), values(json!({"field_1": "loose"}))));
    assert_eq!(oracle.noted("2 is changed"), [(UPDATED, 1)]);
    assert_eq!(oracle.entry(2, 1)["field_2"], json!({"deleted": true}));
    oracle.settle();
}

#[test]
fn changes_of_the_form_are_none_of_its_entries() {
    let mut oracle = Oracle::of(json!([
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
    ok(owner.patch(&path, fields));
    until("formulas are computed again", || owner.get(format!("{path}/entries/3")).data()["field_3"] == 30.0);
    let exam = json!({"exam": {"questions": {"field_1": {"scored": true, "score": 2, "answer": "entry 1"}}}});
    ok(owner.patch(format!("{path}/settings"), exam));
    oracle.delivered();
    let fields = json!({"fields": coded([text_field(), number]), "confirm_data_loss": true});
    ok(owner.patch(&path, fields));
    until("the values are gone", || {
        let entry = owner.get(format!("{path}/entries/1")).data();
        entry.get("field_3").is_none()
    });
    oracle.noted("the form was changed");
    // In the trash and back is no change of entries either.
    ok(owner.delete(&path));
    ok(owner.post(format!("{path}/restore"), json!({})));
    assert_eq!(oracle.noted("the form is back"), NONE);
    oracle.settle();
    assert_eq!(oracle.counts()["entry_updated"], 1, "the last one's own");
}

#[test]
fn many_at_once_come_in_the_order_of_their_numbers() {
    let mut oracle = Oracle::of(json!([text_field()]));
    let owner = oracle.owner.clone();
    enter_many(&owner, oracle.form(0), 500);
    assert_eq!(oracle.noted("bulk").len(), 500);
    let file = (0..150).fold("field_1\n".to_owned(), |file, n| format!("{file}line {n}\n"));
    let imported = import(&owner, oracle.form(0), "", &file);
    assert_eq!(imported.status, 201, "{imported}");
    assert_eq!(oracle.noted("import").len(), 150);
    let first = oracle.receiver.first_taken("/0/0", 650);
    let serials: Vec<i64> = first.iter().map(|got| got.serial()).collect();
    assert_eq!(serials, (1..=650).collect::<Vec<i64>>());
    assert_eq!((first[0].text(), first[649].text()), ("n0", "line 149"));
    oracle.settle();
    let ids: std::collections::HashSet<&str> = first.iter().map(|got| got.id()).collect();
    assert_eq!(ids.len(), 650);
}
