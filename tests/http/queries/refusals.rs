//! Refused definitions, and the order of refusals. The faults of one place each are in `tables/public_queries.txt`.

use serde_json::{Value, json};
use support::refusals::refusals;
use support::sharing::share;
use support::{Caller, Form, Server, field};

use crate::queries::suggestions::{directory, link};
use crate::queries::{PATH, Query, all_of, body, condition, people, shown, simple};

const TABLE: &str = include_str!("../tables/public_queries.txt");

/// Fields that can be searched by, shown, both or neither.
fn form(owner: &Caller) -> Form {
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let columns = json!([field("short_text", json!({}))]);
    let room = json!({"api_code": "room", "name": "Room", "quota_setting": {
        "kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 5}]}});
    owner.form(json!([
        field("name", json!({})),
        field("short_text", json!({})),
        field("number", json!({})),
        field("phone", json!({})),
        field("checkbox", json!({ "choices": choices })),
        field("attachment", json!({})),
        link(&directory(owner)),
        field("booking", json!({ "reservation_items": [room] })),
        field("table", json!({ "dimensions": columns })),
        field("description", json!({"content": "x"})),
    ]))
}

/// A body without a fault.
fn good(form: &Form) -> Value {
    json!({
        "form_token": form.token, "name": "Look up", "description": "x", "enabled": true,
        "allow_to_export_results": true, "search_button": {"text": "Go", "color": "#2563EB"},
        "messages": {"has_result": "<p>a</p>", "no_result": "<p>b</p>"}, "header": {"background_image": null},
        "search_field_rules": [
            {"operand": "and", "fields": [{"field": "field_1", "fuzzy": true}, {"field": "field_3"}]},
            {"operand": "or", "fields": [{"field": "field_2"}, {"field": "field_8_attribute_api_code"}]},
        ],
        "display_field_rules": [{"field": "field_1"}, {"field": "field_5"}, {"field": "field_6", "label": "File"}],
        "scope_conditions": [condition("field_3", "gt", json!(1))],
    })
}

#[test]
fn faults_are_told_at_their_place() {
    let owner = Server::shared().user();
    let form = form(&owner);
    let good = good(&form);
    let query = Query::new(&owner, good.clone());
    let before = owner.get(query.path()).data();
    let rows = refusals(TABLE);
    assert!(rows.len() > 100, "{}", rows.len());
    for row in rows {
        let spoilt = row.spoil(&good);
        row.check(&owner.post(PATH, spoilt.clone()));
        let is_whole = row.place.matches('/').count() == 1;
        if row.top() != "form_token" && !(is_whole && row.value.is_none()) {
            let mut change = json!({});
            change[row.top()] = spoilt[row.top()].clone();
            row.check(&owner.patch(query.path(), change));
        }
    }
    assert_eq!(owner.get(query.path()).data(), before);
    let page = owner.get(format!("{PATH}?form_token={}", form.token));
    assert_eq!(page.json()["pagination"]["total"], 1, "none was made");
}

#[test]
fn all_faults_are_told_at_once() {
    let owner = Server::shared().user();
    let form = form(&owner);
    let mut spoilt = good(&form);
    let mut expected: Vec<&str> = Vec::new();
    for (place, value, fault) in [
        ("/name", json!(""), "name"),
        ("/description", json!(5), "description"),
        ("/enabled", json!(5), "enabled"),
        ("/search_button/color", json!("red"), "search_button.color"),
        ("/search_button/text", json!(""), "search_button.text"),
        ("/messages/no_result", json!(5), "messages.no_result"),
        ("/header/background_image", json!({"id": "x"}), "header.background_image.id"),
        ("/search_field_rules/0/operand", json!("x"), "search_field_rules[0].operand"),
        ("/search_field_rules/0/fields/0/field", json!("field_99"), "search_field_rules[0].fields[0].field"),
        ("/search_field_rules/1/fields/0/label", json!(5), "search_field_rules[1].fields[0].label"),
        ("/display_field_rules/0/field", json!("field_9"), "display_field_rules[0].field"),
        ("/display_field_rules/1/protected", json!(5), "display_field_rules[1].protected"),
        ("/scope_conditions/0/operator", json!("like"), "scope_conditions[0].operator"),
    ] {
        let (parent, key) = place.rsplit_once('/').expect("a place");
        spoilt.pointer_mut(parent).expect("its parent")[key] = value;
        expected.push(fault);
    }
    spoilt["x"] = json!(1);
    spoilt["display_field_rules"][2]["x"] = json!(1);
    expected.extend(["x", "display_field_rules[2].x"]);
    expected.sort_unstable();
    let refused = owner.post(PATH, spoilt.clone()).is(422);
    let mut told = refused.attributes();
    told.sort();
    assert_eq!(told, expected, "{refused}");
    // Without a form the fields can't be checked; the faults of the shape are reported all the same.
    spoilt.as_object_mut().expect("keys").remove("form_token");
    let refused = owner.post(PATH, spoilt).is(422);
    let told = refused.attributes();
    for attribute in ["form_token", "name", "search_button.color", "x"] {
        assert!(told.contains(&attribute.to_owned()), "{refused}");
    }
    assert!(!told.contains(&"display_field_rules[0].field".to_owned()), "{refused}");
    // So is nothing at all.
    let nothing = owner.post(PATH, json!({}));
    assert_eq!(nothing.status, 422);
    let mut told = nothing.attributes();
    told.sort();
    assert_eq!(told, ["display_field_rules", "form_token", "name", "search_field_rules"]);
}

#[test]
fn lists_and_texts_have_a_limit() {
    let owner = Server::shared().user();
    let fields: Vec<Value> = (0..21).map(|_| field("short_text", json!({}))).collect();
    let form = owner.form(json!(fields));
    let groups = |count: usize| -> Value {
        (1..=count).map(|n| json!({"operand": "or", "fields": [{"field": format!("field_{n}")}]})).collect()
    };
    let conditions =
        |count: usize| -> Value { (0..count).map(|n| condition("field_1", "ne", json!(n.to_string()))).collect() };
    let with = |groups: Value, conditions: Value| {
        let mut whole = body(&form, groups, shown(&["field_1"]));
        whole["scope_conditions"] = conditions;
        owner.post(PATH, whole)
    };
    with(groups(20), conditions(100)).is(201);
    let more = with(groups(21), conditions(101));
    assert_eq!(
        (more.status, more.attributes()),
        (422, vec!["search_field_rules".to_owned(), "scope_conditions".to_owned()]),
        "{more}"
    );
    // The longest texts are taken; they count characters.
    let long = |n: usize| "项".repeat(n);
    let mut whole = good(&self::form(&owner));
    whole["name"] = json!(long(200));
    whole["description"] = json!(long(10_000));
    whole["search_button"]["text"] = json!(long(60));
    whole["search_field_rules"][0]["fields"][0]["label"] = json!(long(500));
    whole["display_field_rules"][0]["label"] = json!(long(500));
    owner.post(PATH, whole).is(201);
}

#[test]
fn refused_conditions_tell_what_would_do() {
    let owner = Server::shared().user();
    let form = form(&owner);
    let asked = |bad: Value| {
        let mut whole = good(&form);
        whole["scope_conditions"] = json!([condition("field_3", "gt", json!(1)), bad]);
        let refused = owner.post(PATH, whole).is(422);
        refused.faults().join("; ")
    };
    let list = |bad: Value| {
        let filters = json!({"filters": [condition("field_3", "gt", json!(1)), bad]});
        let refused = owner.post(form.query(), filters).is(422);
        refused.faults().join("; ").replace("filters[", "scope_conditions[")
    };
    // Word for word the messages of the list of entries.
    for bad in [
        condition("field_99", "eq", json!("x")),
        condition("field_9", "eq", json!("x")),
        condition("field_3", "like", json!("x")),
        condition("field_3", "eq", json!("x")),
        condition("field_5", "any_in", json!("a")),
        condition("created_at", "eq", json!("x")),
    ] {
        assert_eq!(asked(bad.clone()), list(bad));
    }
}

#[test]
fn permission_is_checked_before_content() {
    let server = Server::shared();
    let (owner, form) = people(server);
    let query = simple(&owner, &form);
    let others = [server.user(), server.user()];
    for (who, role) in others.iter().zip(["viewer", "editor"]) {
        share(&owner, &form, who, role);
    }
    let good = body(&form, all_of(&["field_1"]), shown(&["field_1"]));
    let mut bad = good.clone();
    bad["name"] = json!(5);
    bad["x"] = json!(5);
    // 401 and scope before the body is looked at.
    let scopes = "form:read form:delete entry:read entry:write entry:delete form:respond";
    let reader = server.token(&owner.email, scopes);
    for kind in ["application/json", "text/plain"] {
        let post = |who: &Caller| who.send("POST", PATH, Some(kind), b"{");
        let patch = |who: &Caller| who.send("PATCH", &query.path(), Some(kind), b"{");
        for refused in [post(&server.anon()), patch(&server.anon())] {
            assert_eq!(refused.status, 401, "{refused}");
        }
        for refused in [post(&reader), patch(&reader)] {
            assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#);
        }
    }
    let unscoped = server.token(&owner.email, "form:write entry:read");
    unscoped.get(PATH).is(403);
    unscoped.get(query.path()).is(403);
    unscoped.delete(query.path()).is(403);
    // The body's syntax before the form.
    for (kind, text, status) in [
        ("text/plain", "{}", 415),
        ("application/json", "{", 400),
        ("application/json", "{\"name\": 1, \"name\": 2}", 400),
        ("application/json", "[]", 422),
    ] {
        let refused = others[0].send("POST", PATH, Some(kind), text.as_bytes());
        assert_eq!(refused.status, status, "{text}: {refused}");
    }
    let huge = format!("{{\"name\": \"{}\"}}", "x".repeat(1 << 20));
    let kind = Some("application/json");
    others[0].send("POST", PATH, kind, huge.as_bytes()).is(413);
    // The form before the content.
    for body in [&good, &bad] {
        let mut astray = body.clone();
        astray["form_token"] = json!("AAAAAAAAAA");
        let unknown = r#"404 {"error":"Form not found"}"#;
        assert_eq!(owner.post(PATH, astray).to_string(), unknown);
        assert_eq!(server.user().post(PATH, body.clone()).to_string(), unknown);
        for who in &others {
            let refused = who.post(PATH, body.clone());
            assert_eq!(refused.to_string(), r#"403 {"error":"Forbidden"}"#);
        }
    }
    let moved = owner.patch(query.path(), json!({"form_token": form.token}));
    assert_eq!(moved.faults(), ["form_token: is not allowed"]);
    // A form in the trash is none.
    owner.delete(form.path()).is(200);
    owner.post(PATH, good).is(404);
}
