//! Limits of plans: every role with every plan, and the routes that need a plan (contract section 2).

use serde_json::{Value, json};
use support::sharing::share;
use support::{Caller, Form, Response, field};

use crate::queries::{PATH, Query, all_of, body, condition, on_plan, people, set_plan, shown, simple};

/// Bodies by the features of a plan that they need.
fn bodies(form: &Form) -> [(&'static str, Value); 5] {
    let plain = body(form, all_of(&["field_1"]), shown(&["field_1"]));
    let with = |key: &str, value: Value| {
        let mut out = plain.clone();
        out[key] = value;
        out
    };
    let editable = |is: bool| json!([{"field": "field_2"}, {"field": "field_1", "editable": is}]);
    [
        ("plain", plain.clone()),
        ("no scope", with("scope_conditions", json!([]))),
        ("scope", with("scope_conditions", json!([condition("field_3", "gt", json!(1))]))),
        ("not editable", with("display_field_rules", editable(false))),
        ("editable", with("display_field_rules", editable(true))),
    ]
}

fn lacks(answer: &Response) {
    let body = answer.json();
    assert_eq!((answer.status, &body["code"]), (402, &json!("plan_required")), "{answer}");
    assert!(body["error"].is_string(), "{answer}");
    assert_eq!(body.get("error_details"), None, "{answer}");
}

#[test]
fn every_role_with_every_plan() {
    let (server, owner) = on_plan("unlimited");
    let form =
        owner.form(json!([field("name", json!({})), field("short_text", json!({})), field("number", json!({})),]));
    let roles = ["viewer", "editor", "manager"];
    let mut people: Vec<(&str, Caller)> = roles
        .iter()
        .map(|role| {
            let who = server.user();
            share(&owner, &form, &who, role);
            (*role, who)
        })
        .collect();
    people.push(("owner", owner.clone()));
    people.push(("colleague", server.user()));
    let query = simple(&owner, &form);
    for (plan, public, scoped, editable) in [
        ("free", false, false, false),
        ("standard", true, false, false),
        ("business", true, true, true),
        ("unlimited", true, true, true),
    ] {
        set_plan(&server, plan);
        for (role, who) in &people {
            for (needs, whole) in bodies(&form) {
                let at = format!("{plan}, {role}, {needs}");
                let has = match needs {
                    "scope" => scoped,
                    "editable" => editable,
                    _ => true,
                };
                let made = who.post(PATH, whole.clone());
                let mut wrong = whole.clone();
                wrong["name"] = json!(5);
                let wrong = who.post(PATH, wrong);
                let mut change = whole;
                change.as_object_mut().expect("keys").remove("form_token");
                let changed = who.patch(query.path(), change);
                match *role {
                    "colleague" => {
                        assert_eq!((made.status, wrong.status, changed.status), (404, 404, 404), "{at}");
                    }
                    "viewer" | "editor" => {
                        assert_eq!((made.status, wrong.status, changed.status), (403, 403, 403), "{at}");
                    }
                    _ => {
                        if public && has {
                            assert_eq!((made.status, wrong.status), (201, 422), "{at}: {made}");
                            who.delete(Query::of(&made, who).path()).is(200);
                        } else {
                            lacks(&made);
                            lacks(&wrong);
                        }
                        // A change needs only the features that it adds.
                        match has {
                            true => assert_eq!(changed.status, 200, "{at}: {changed}"),
                            false => lacks(&changed),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn downgrades_keep_existing_queries() {
    let (server, owner) = on_plan("business");
    let form =
        owner.form(json!([field("name", json!({})), field("short_text", json!({})), field("number", json!({})),]));
    let mut whole =
        body(&form, all_of(&["field_1"]), json!([{"field": "serial_number"}, {"field": "field_2", "editable": true}]));
    whole["scope_conditions"] = json!([condition("field_3", "gt", json!(1))]);
    let query = Query::new(&owner, whole);
    crate::queries::fill(
        &owner,
        &form,
        &[json!({"field_1": "Ada", "field_3": 5}), json!({"field_1": "Ada", "field_3": 1})],
    );
    set_plan(&server, "standard");
    // The scope still holds: nothing that was hidden appears.
    assert_eq!(query.serials(&json!({"field_1": "Ada"})), [1]);
    // Other keys are changed on any plan, and a scope may always be lifted.
    set_plan(&server, "free");
    let kept = query.change(&owner, json!({"name": "Other", "enabled": true}));
    assert_eq!(kept.data()["scope_conditions"].as_array().map(Vec::len), Some(1));
    assert_eq!(query.serials(&json!({"field_1": "Ada"})), [1]);
    lacks(&owner.patch(query.path(), json!({"scope_conditions": [condition("field_3", "gt", json!(2))]})));
    lacks(&owner.patch(query.path(), json!({"display_field_rules": [{"field": "field_2", "editable": true}]})));
    query.change(&owner, json!({"scope_conditions": []}));
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number"])}));
    assert_eq!(query.serials(&json!({"field_1": "Ada"})), [2, 1]);
    owner.get(format!("{PATH}/suggestions?form_token={}", form.token)).is(200);
    owner.delete(query.path()).is(200);
}

#[test]
fn the_plan_is_the_callers() {
    let (server, _) = on_plan("free");
    let far = crate::queries::stranger(&server, "Bigger");
    let form = far.form(json!([field("name", json!({}))]));
    far.post(PATH, body(&form, all_of(&["field_1"]), shown(&["field_1"]))).is(201);
    let (ann, form) = people(&server);
    lacks(&ann.post(PATH, body(&form, all_of(&["field_1"]), shown(&["field_1"]))));
}
