//! The `edit_token`: the row it is for, the fields that it opens, and when it ends (handbook).

use serde_json::{Value, json};
use support::clock::Clock;
use support::steps::set;
use support::uploads::send;
use support::{Caller, Form, Response, Server, at_once, field};

use crate::form_page::own_entries::Own;
use crate::queries::{Query, all_of, body, condition, fill, local, people, restore, shown};

/// A right, and its subject.
struct Right {
    anon: Caller,
    path: String,
    token: String,
}

impl Right {
    fn of(query: &Query, serial: i64) -> Self {
        let (row, path) = query.row(&json!({"field_1": "Ada"}), serial);
        Self { anon: query.anon(), path, token: row["edit_token"].as_str().expect("a right").to_owned() }
    }

    fn at(&self, path: &str, values: Value) -> Response {
        let caller = self.anon.header("x-edit-token", &self.token);
        caller.patch(path, json!({ "field_values": values }))
    }

    fn town(&self, town: &str) -> Response {
        self.at(&self.path, json!({ "field_2": town }))
    }

    fn opens(&self, town: &str) {
        self.town(town).is(200);
    }

    fn is_closed(&self, what: &str) {
        closed(&self.town("stolen"), what);
    }
}

fn closed(answer: &Response, what: &str) {
    assert!([403, 404].contains(&answer.status), "{what}: {answer}");
    let body = answer.json();
    assert!(body["error"].is_string() && body.get("data").is_none(), "{what}: {answer}");
}

fn filled(server: &Server) -> (Caller, Form) {
    let (owner, form) = people(server);
    let entry = |town: &str| json!({"field_1": "Ada", "field_2": town, "field_3": 1});
    fill(&owner, &form, &[entry("one"), entry("two")]);
    (owner, form)
}

fn whole(form: &Form) -> Value {
    let rules = json!([
        {"field": "serial_number"}, {"field": "field_2", "editable": true}, {"field": "field_3"}]);
    let mut whole = body(form, all_of(&["field_1"]), rules);
    whole["scope_conditions"] = json!([condition("field_3", "eq", json!(1))]);
    whole
}

fn made(server: &Server) -> (Caller, Form, Query) {
    let (owner, form) = filled(server);
    let query = Query::new(&owner, whole(&form));
    (owner, form, query)
}

fn town(owner: &Caller, form: &Form, serial: i64) -> Value {
    owner.get(form.entry(serial)).data()["field_2"].clone()
}

#[test]
fn rows_have_an_edit_token_where_a_field_is_editable() {
    let (owner, _, query) = made(Server::shared());
    let rows = query.rows(&json!({"field_1": "Ada"}));
    let right = |at: usize| rows[at]["edit_token"].as_str().expect("a right");
    assert_ne!(right(0), right(1));
    assert!(right(0).len() >= 40, "{}", right(0));
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number", "field_2"])}));
    for row in query.rows(&json!({"field_1": "Ada"})) {
        assert_eq!(row.get("edit_token"), None, "{row}");
    }
}

#[test]
fn edit_tokens_open_their_own_row_alone() {
    let (owner, form, query) = made(Server::shared());
    let (one, two) = (Right::of(&query, 1), Right::of(&query, 2));
    let other = Query::new(&owner, whole(&form));
    let elsewhere = Right::of(&other, 1);
    let stolen = json!({"field_2": "stolen"});
    closed(&one.at(&two.path, stolen.clone()), "another row");
    closed(&one.at(&elsewhere.path, stolen.clone()), "another query");
    closed(&elsewhere.at(&one.path, stolen.clone()), "of another query");
    let unknown = format!("{}/entries/{}", query.public(), "A".repeat(22));
    closed(&one.at(&unknown, stolen.clone()), "no row");
    // Of another form that the same token is tried on.
    let (_, _, far) = made(Server::shared());
    let entry = one.path.rsplit('/').next().expect("a token");
    closed(&one.at(&format!("{}/entries/{entry}", far.public()), stolen.clone()), "another form's query");
    let body = json!({ "field_values": stolen });
    let bare = query.anon();
    closed(&bare.patch(&one.path, body.clone()), "without a right");
    let last = one.token.chars().last().expect("a letter");
    let flipped = if last == 'A' { 'B' } else { 'A' };
    let cut = &one.token[..one.token.len() - 1];
    let first = if one.token.starts_with('A') { "B" } else { "A" };
    let forged = [
        String::new(),
        entry.to_owned(),
        format!("{cut}{flipped}"),
        cut.to_owned(),
        format!("{}x", one.token),
        format!("{first}{}", &one.token[1..]),
        one.token.to_lowercase(),
        "x".repeat(5000),
    ];
    for forged in forged {
        let caller = bare.header("x-edit-token", &forged);
        closed(&caller.patch(&one.path, body.clone()), &forged);
    }
    // A bearer token is no right, not even the owner's.
    closed(&owner.patch(&one.path, body), "the owner's token");
    for serial in [1, 2] {
        assert_ne!(town(&owner, &form, serial), "stolen");
    }
    one.opens("changed");
    assert_eq!(town(&owner, &form, 1), "changed");
    // It is good for more than one change, and the entry's own way in it is not.
    one.opens("again");
    let own = format!("{}/{entry}", form.submissions());
    closed(&one.at(&own, json!({"field_2": "stolen"})), "the respondent's way");
}

#[test]
fn edit_tokens_end_with_their_row() {
    let (owner, form, query) = made(Server::shared());
    let right = Right::of(&query, 1);
    let rules = owner.get(query.path()).data()["display_field_rules"].clone();
    right.opens("at first");
    let change = |values: Value| {
        owner.patch(form.entry(1), json!({ "field_values": values })).is(200);
    };
    change(json!({"field_3": 2}));
    right.is_closed("out of the scope");
    change(json!({"field_3": 1}));
    right.opens("in it again");
    owner.delete(form.entry(1)).is(200);
    right.is_closed("in the trash");
    restore(&owner, form.trashed(1));
    query.change(&owner, json!({"scope_conditions": [condition("field_3", "eq", json!(7))]}));
    right.is_closed("the scope changed");
    query.change(&owner, json!({"scope_conditions": []}));
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number", "field_2"])}));
    right.is_closed("no longer editable");
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number", "field_3"])}));
    right.is_closed("no longer shown");
    // The fields that are editable now are not those of the right.
    query.change(
        &owner,
        json!({"display_field_rules": [{"field": "serial_number"}, {"field": "field_3", "editable": true}]}),
    );
    let other = right.at(&right.path, json!({"field_3": 9}));
    closed(&other, "another field became editable");
    query.change(&owner, json!({ "display_field_rules": rules }));
    query.change(&owner, json!({"enabled": false}));
    right.is_closed("switched off");
    query.change(&owner, json!({"enabled": true}));
    let right = Right::of(&query, 1);
    right.opens("a new one");
    owner.delete(form.path()).is(200);
    right.is_closed("the form in the trash");
    restore(&owner, form.path());
    owner.delete(query.path()).is(200);
    right.is_closed("the query deleted");
    assert_eq!(town(&owner, &form, 1), "a new one");
    assert_eq!(owner.get(form.entry(1)).data()["field_3"], 1);
}

#[test]
fn an_edit_that_leaves_the_scope_is_the_last() {
    let server = Server::shared();
    let (owner, form) = filled(server);
    let mut whole = whole(&form);
    whole["scope_conditions"] = json!([condition("field_2", "ne", json!("gone"))]);
    let query = Query::new(&owner, whole);
    let right = Right::of(&query, 1);
    let last = right.town("gone");
    // Taken, or refused because the row would be no longer theirs: never half of it.
    if last.status == 200 {
        assert_eq!(town(&owner, &form, 1), "gone");
        right.is_closed("out of the scope by its own hand");
        assert_eq!(town(&owner, &form, 1), "gone");
    } else {
        assert!([403, 422].contains(&last.status), "{last}");
        assert_eq!(town(&owner, &form, 1), "one");
    }
}

#[test]
fn edit_tokens_end_after_an_hour() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::on_time();
    let server = clock.server(dir.path(), &["--rate-limits", "off"]);
    let (owner, form, query) = made(&server);
    let right = Right::of(&query, 1);
    clock.ahead(3500);
    right.opens("in time");
    clock.ahead(3700);
    right.is_closed("late");
    assert_eq!(town(&owner, &form, 1), "in time");
    Right::of(&query, 1).opens("a new one");
}

#[test]
fn each_secret_opens_its_own_place() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        field("name", json!({})),
        field("short_text", json!({})),
        field("attachment", json!({"max_count": 3})),
    ]));
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let own = Own::of(&form, json!({"field_1": "Ada", "field_2": "x"}));
    let anon = server.anon();
    let prepared = anon.post(
        format!("{}/entry_attachments", form.published()),
        json!({"field_api_code": "field_3", "file_name": "a.txt", "content_type": "text/plain", "file_size": 3}),
    );
    let prepared = prepared.data();
    send(&anon, &prepared, "text/plain", b"abc").is(200);
    fill(&owner, &form, &[json!({"field_1": "Ada", "field_2": "y", "field_3": [prepared["upload_id"]]})]);
    let rules = json!([
        {"field": "serial_number"}, {"field": "field_2", "editable": true}, {"field": "field_3"}]);
    let query = Query::ruled(&owner, &form, all_of(&["field_1"]), rules);
    let right = Right::of(&query, 2);
    let first = Right::of(&query, 1);
    let few = query.ask(json!({"values": {"field_1": "Ada"}, "page_size": 1}));
    let cursor = few.json()["pagination"]["next_cursor"].clone();
    let cursor = cursor.as_str().expect("more").to_owned();
    let (row, _) = query.row(&json!({"field_1": "Ada"}), 2);
    let file = local(&anon, row["field_3"][0]["url"].as_str().expect("a link"));
    let (_, signed) = file.split_once('?').expect("signed");
    let last = signed.rsplit('=').next().expect("a signature");
    // In the place of the right to a row.
    for secret in [cursor.as_str(), last, signed, own.right()] {
        let caller = anon.header("x-edit-token", secret);
        for path in [&right.path, &first.path] {
            let answer = caller.patch(path, json!({"field_values": {"field_2": "stolen"}}));
            closed(&answer, secret);
        }
    }
    // The right in all others.
    let entry = first.path.rsplit('/').next().expect("a token");
    let respondents = format!("{}/{entry}", form.submissions());
    for secret in [&first.token, &right.token, &cursor] {
        anon.header("x-edit-token", secret).get(&respondents).is(404);
        let body = json!({"values": {"field_1": "Ada"}, "cursor": format!("{secret}.")});
        query.ask(body).is(400);
        let (place, _) = file.split_once('?').expect("signed");
        for query in [format!("signature={secret}"), signed.replace(last, secret)] {
            let answer = anon.get(format!("{place}?{query}"));
            assert!([403, 404].contains(&answer.status), "{answer}");
        }
        let bearer = anon.header("authorization", &format!("Bearer {secret}"));
        bearer.get("/api/v1/me").is(401);
    }
    assert_eq!(town(&owner, &form, 1), "x");
    assert_eq!(town(&owner, &form, 2), "y");
}

#[test]
fn changes_at_once_lose_nothing() {
    let (owner, form, query) = made(Server::shared());
    query.change(
        &owner,
        json!({"display_field_rules": [
            {"field": "serial_number"}, {"field": "field_2", "editable": true}, {"field": "field_1", "editable": true}]}),
    );
    let right = Right::of(&query, 1);
    let statuses = at_once(2, |n| match n {
        0 => right.at(&right.path, json!({"field_1": "Adele"})).status,
        _ => right.town("new").status,
    });
    assert_eq!(statuses, [200, 200]);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!("Adele"), &json!("new")));
}
