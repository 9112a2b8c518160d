//! Published forms: shown to respondents, filled over the API (contract section 5).

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::{Caller, Form, Server, at_once, field};

/// A form of one text field, and its owner.
fn simple() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    (owner, form)
}

#[test]
fn anybody_submits_and_is_answered_with_the_entry() {
    let (_, form) = simple();
    let anon = Server::shared().anon();
    let made = anon.post(form.submissions(), json!({"field_values": {"field_1": "Ada", "field_9": "unknown"}}));
    assert_eq!(
        made.to_string(),
        r#"201 {"data":{"entry":{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","field_1":"Ada"},"after_submission":{"mode":"show_message","show_message":{"style":"text","rich_text":"","text":{"title":"","description":""}},"redirect":{"url":null,"fields":[]},"report":{"score_based_feedbacks":[]},"show_answers":true}}}"#
    );
}

#[test]
fn a_form_is_shown_without_what_is_not_for_respondents() {
    let owner = Server::shared().user();
    let choices = json!([
        {"api_code": "a", "label": "A", "score": 5, "quota": 3},
        {"api_code": "b", "label": "PLANTED-CHOICE", "hidden": true},
    ]);
    let form = owner.form(json!([
        field("radio", json!({"choices": choices})),
        field("short_text", json!({"label": "PLANTED-FIELD", "hidden": true})),
    ]));
    let shown = Server::shared().anon().get(form.published());
    assert_eq!(shown.status, 200);
    let data = shown.data();
    assert_eq!(
        data["fields"],
        json!([{"api_code": "field_1", "type": "radio", "label": "radio", "required": false,
                "choices": [{"api_code": "a", "label": "A", "remaining": 3}]}])
    );
    assert!(!shown.text.contains("PLANTED"), "{}", shown.text);
    assert_eq!(data["status"], "open");
    let keys: BTreeSet<&str> = data.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "token",
        "name",
        "description",
        "scene",
        "layout",
        "locale",
        "timezone",
        "fields",
        "field_rules",
        "submission_options",
        "after_submission",
        "status",
        "opens_at",
        "closes_at",
        "show_countdown",
        "theme",
    ];
    assert_eq!(keys, BTreeSet::from(expected));
}

#[test]
fn hidden_fields_of_a_respondent_are_dropped_and_collaborators_write_them() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({})),
        field("short_text", json!({"hidden": true, "required": true, "default_value": "web"})),
    ]));
    let anon = Server::shared().anon();
    let body = json!({"field_values": {"field_1": "x", "field_2": "mine"}});
    let entry = anon.post(form.submissions(), body.clone()).data()["entry"].clone();
    assert_eq!(entry.get("field_2"), None);
    assert_eq!(owner.get(form.entry(1)).data()["field_2"], "web");
    assert_eq!(owner.post(form.entries(), body).data()["field_2"], "mine");
}

#[test]
fn a_token_needs_form_respond() {
    let (owner, form) = simple();
    let server = Server::shared();
    let reader = server.token(&owner.email, "form:read");
    let refused = reader.post(form.submissions(), json!({"field_values": {}}));
    assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#);
    assert_eq!(refused.header("www-authenticate"), r#"Bearer error="insufficient_scope", scope="form:respond""#);
    assert_eq!(reader.get(form.published()).status, 403);
    let respondent = server.token(&owner.email, "form:respond");
    let made = respondent.post(form.submissions(), json!({"field_values": {"field_1": "x"}}));
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(owner.get(form.entry(1)).data()["creator_name"], "Ada Lovelace");
    let garbage = server.anon().with_token("fsv_garbage");
    assert_eq!(garbage.get(form.published()).status, 401);
}

#[test]
fn unpublished_unknown_and_deleted_forms_are_not_found() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let not_found = r#"404 {"error":"Form not found"}"#;
    assert_eq!(anon.get("/api/v1/f/aaaaaaaaaa").to_string(), not_found);
    owner.patch(form.path(), json!({"published": false}));
    assert_eq!(anon.get(form.published()).to_string(), not_found);
    let body = json!({"field_values": {"field_1": "x"}});
    assert_eq!(anon.post(form.submissions(), body.clone()).to_string(), not_found);
    owner.patch(form.path(), json!({"published": true}));
    assert_eq!(anon.post(form.submissions(), body.clone()).status, 201);
    owner.delete(form.path());
    assert_eq!(anon.post(form.submissions(), body).to_string(), not_found);
}

#[test]
fn availability_decides() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let set = |group: Value| {
        let set = owner.patch(format!("{}/settings", form.path()), json!({"availability": group}));
        assert_eq!(set.status, 200, "{set}");
    };
    let submit = || anon.post(form.submissions(), json!({"field_values": {"field_1": "x"}}));
    set(json!({"manually_closed": true}));
    assert_eq!(submit().to_string(), r#"403 {"error":"This form no longer takes submissions","code":"form_closed"}"#);
    let shown = anon.get(form.published()).data();
    assert_eq!((&shown["status"], &shown["fields"]), (&json!("closed"), &json!([])));
    set(json!({"manually_closed": false, "schedule": {"start_at": "2100-01-01T00:00:00Z"}}));
    assert_eq!(submit().json()["code"], "form_not_open");
    assert_eq!(anon.get(form.published()).data()["fields"], json!([]));
    set(json!({"show_form_before_open": true}));
    let shown = anon.get(form.published()).data();
    assert_eq!(shown["status"], "not_open");
    assert_eq!(shown["opens_at"], "2100-01-01T00:00:00.000Z");
    assert_eq!(shown["fields"].as_array().map(Vec::len), Some(1));
    set(json!({"schedule": null, "entries_limit": 2}));
    assert_eq!([submit().status, submit().status], [201, 201]);
    assert_eq!(submit().json()["code"], "form_full");
    assert_eq!(anon.get(form.published()).data()["status"], "full");
    owner.delete(form.entry(1));
    assert_eq!(submit().data()["entry"]["serial_number"], 3);
}

#[test]
fn a_limit_holds_under_many_submissions_at_once() {
    let (owner, form) = simple();
    owner.patch(format!("{}/settings", form.path()), json!({"availability": {"entries_limit": 10}}));
    let stored = at_once(16, |_| {
        let anon = Server::shared().anon();
        anon.post(form.submissions(), json!({"field_values": {"field_1": "x"}})).status
    });
    assert_eq!(stored.iter().filter(|status| **status == 201).count(), 10, "{stored:?}");
}

#[test]
fn a_password_guards_every_way_in() {
    let (owner, form) = simple();
    owner.patch(format!("{}/settings", form.path()), json!({"access_control": {"access_password": "sesame"}}));
    let anon = Server::shared().anon();
    assert_eq!(
        anon.get(form.published()).to_string(),
        r#"403 {"error":"This form needs a password","code":"password_required"}"#
    );
    let wrong = anon.header("X-Form-Password", "simsim");
    assert_eq!(wrong.get(form.published()).json()["code"], "password_invalid");
    let body = |password: Value| json!({"field_values": {"field_1": "x"}, "password": password});
    assert_eq!(anon.post(form.submissions(), body(json!(null))).json()["code"], "password_required");
    assert_eq!(anon.post(form.submissions(), body(json!("no"))).json()["code"], "password_invalid");
    assert_eq!(anon.post(form.submissions(), body(json!("sesame"))).status, 201);
    let right = anon.header("X-Form-Password", "sesame");
    assert_eq!(right.get(form.published()).status, 200);
    assert_eq!(right.post(form.submissions(), body(json!(null))).status, 201);
}

#[test]
fn the_time_of_filling_in_and_the_addresss_field_are_kept() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let body = json!({"field_values": {"field_1": "x"}, "x_field_1": "flyer", "started_at": "2020-01-01T00:00:00Z"});
    assert_eq!(anon.post(form.submissions(), body).status, 201);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["x_field_1"], "flyer");
    let years = entry["info_filling_duration"].as_i64().expect("seconds");
    assert!(years > 6 * 365 * 86_400, "{years}");
    let bad = json!({"field_values": {}, "x_field_1": "x".repeat(256), "started_at": "yesterday", "password": 1});
    assert_eq!(anon.post(form.submissions(), bad).attributes(), ["password", "x_field_1", "started_at"]);
    assert_eq!(anon.post(form.submissions(), json!({})).faults(), ["field_values: is required"]);
    assert_eq!(
        anon.post(form.submissions(), json!({"field_values": []})).faults(),
        ["field_values: must be an object"]
    );
}

#[test]
fn serial_numbers_have_no_gaps_and_no_doubles() {
    let (owner, form) = simple();
    owner.patch(
        form.path(),
        json!({"fields": [{"api_code": "field_1", "type": "short_text", "label": "Name", "required": true}]}),
    );
    let serials = at_once(8, |n| {
        let anon = Server::shared().anon();
        let mut serials = Vec::new();
        for i in 0..20 {
            // Every third one is refused and must leave no gap.
            let value = if i % 3 == 0 { json!("") } else { json!(format!("{n}.{i}")) };
            let made = anon.post(form.submissions(), json!({"field_values": {"field_1": value}}));
            if made.status == 201 {
                serials.push(made.data()["entry"]["serial_number"].as_i64().expect("a number"));
            }
        }
        serials
    });
    let mut serials: Vec<i64> = serials.into_iter().flatten().collect();
    serials.sort_unstable();
    assert_eq!(serials, (1..=8 * 13).collect::<Vec<_>>());
}

#[test]
fn of_two_equal_unique_values_one_is_stored() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("email", json!({"unique": true}))]));
    let statuses = at_once(8, |n| {
        let address = if n % 2 == 0 { "Ada@Example.com" } else { "ada@example.com" };
        let anon = Server::shared().anon();
        anon.post(form.submissions(), json!({"field_values": {"field_1": address}})).status
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    let anon = Server::shared().anon();
    let again = anon.post(form.submissions(), json!({"field_values": {"field_1": "ADA@example.com"}}));
    assert_eq!(again.faults(), ["field_values.field_1: has already been taken"]);
    // A deleted entry gives its value free, a changed one too.
    owner.delete(form.entry(1));
    let taken = json!({"field_values": {"field_1": "ada@example.com"}});
    assert_eq!(anon.post(form.submissions(), taken.clone()).status, 201);
    owner.patch(form.entry(2), json!({"field_values": {"field_1": "b@example.com"}}));
    assert_eq!(anon.post(form.submissions(), taken.clone()).status, 201);
    let own = owner.patch(form.entry(2), taken);
    assert_eq!(own.faults(), ["field_values.field_1: has already been taken"]);
}

#[test]
fn passwords_are_not_tried_without_end() {
    // The limits of requests are off here, and this one holds all the same.
    let (owner, form) = simple();
    owner.patch(format!("{}/settings", form.path()), json!({"access_control": {"access_password": "sesame"}}));
    let given = |password: &str| {
        let caller = Server::shared().anon().header("X-Form-Password", password);
        caller.get(form.published())
    };
    for _ in 0..10 {
        assert_eq!(given("no").json()["code"], "password_invalid");
    }
    // The next wrong ones wait; a right one gets in all the same, and takes no try back.
    for _ in 0..2 {
        let refused = given("no");
        assert_eq!(refused.status, 429, "{refused}");
        assert!(refused.header("retry-after").parse::<u32>().is_ok());
        let right = given("sesame");
        assert_eq!(right.status, 200, "{right}");
    }
    let body = json!({"field_values": {"field_1": "x"}, "password": "sesame"});
    let anon = Server::shared().anon();
    assert_eq!(anon.post(form.submissions(), body).status, 201);
}

#[test]
fn somebody_who_guesses_without_end_is_not_told_the_right_password_either() {
    let (owner, form) = simple();
    owner.patch(format!("{}/settings", form.path()), json!({"access_control": {"access_password": "sesame"}}));
    let given = |password: &str| {
        let caller = Server::shared().anon().header("X-Form-Password", password);
        caller.get(form.published()).status
    };
    let wrong: Vec<u16> = (0..100).map(|n| given(&format!("guess {n}"))).collect();
    assert!(wrong[..10].iter().all(|status| *status == 403), "{wrong:?}");
    assert!(wrong[10..].iter().all(|status| *status == 429), "{wrong:?}");
    assert_eq!(given("sesame"), 429);
}

#[test]
fn passwords_and_submissions_count_by_address() {
    let server = Server::with(&["--trusted-proxies", "127.0.0.0/8", "--limit-submissions", "2"]);
    let owner = server.user();
    let from = |address: &str| server.anon().header("x-forwarded-for", address);
    let form = owner.form(json!([field("short_text", json!({}))]));
    let submit = |address: &str| {
        let body = json!({"field_values": {"field_1": "x"}});
        from(address).post(form.submissions(), body).status
    };
    // Neighbours of one network have limits of their own, while an IPv6 network of one owner has one.
    for (addresses, statuses) in [
        (["192.0.2.1", "192.0.2.1", "192.0.2.1"], [201, 201, 429]),
        (["192.0.2.2", "192.0.2.3", "192.0.2.4"], [201, 201, 201]),
        (["2001:db8::1", "2001:db8::2", "2001:db8::3"], [201, 201, 429]),
        (["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:3::1"], [201, 201, 201]),
    ] {
        assert_eq!(addresses.map(submit), statuses, "{addresses:?}");
    }
    let locked = owner.form(json!([field("short_text", json!({}))]));
    owner.patch(format!("{}/settings", locked.path()), json!({"access_control": {"access_password": "sesame"}}));
    let wrong = |address: &str| {
        let caller = from(address).header("X-Form-Password", "no");
        caller.get(locked.published()).status
    };
    for _ in 0..10 {
        assert_eq!(wrong("192.0.2.1"), 403);
        assert_eq!(wrong("2001:db8::1"), 403);
    }
    for (address, status) in [("192.0.2.1", 429), ("192.0.2.2", 403), ("2001:db8::2", 429), ("2001:db8:0:1::1", 403)] {
        assert_eq!(wrong(address), status, "{address}");
    }
}

#[test]
fn who_may_not_submit_is_told_that_before_any_fault() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let set = |settings: Value| {
        let answer = owner.patch(format!("{}/settings", form.path()), settings);
        assert_eq!(answer.status, 200, "{answer}");
    };
    let faulty = [
        json!({}),
        json!({"field_values": 5}),
        json!({"field_values": {"field_1": 5}, "x_field_1": 5, "started_at": 5}),
    ];
    set(json!({"access_control": {"access_password": "open sesame"}}));
    for body in &faulty {
        let refused = anon.post(form.submissions(), body.clone());
        assert_eq!(refused.status, 403, "{refused}");
        assert_eq!(refused.json()["code"], "password_required", "{refused}");
    }
    set(json!({"access_control": {"access_password": null}, "availability": {"manually_closed": true}}));
    for body in &faulty {
        let refused = anon.post(form.submissions(), body.clone());
        assert_eq!(refused.json()["code"], "form_closed", "{refused}");
    }
    set(json!({"availability": {"manually_closed": false}}));
    let mut all = anon.post(form.submissions(), faulty[2].clone()).attributes();
    all.sort();
    assert_eq!(all, ["field_values.field_1", "started_at", "x_field_1"]);
}

#[test]
fn a_taken_value_is_told_beside_other_faults() {
    let owner = Server::shared().user();
    let form =
        owner.form(json!([field("email", json!({"unique": true})), field("short_text", json!({"required": true})),]));
    let anon = Server::shared().anon();
    let body = |text: &str| json!({"field_values": {"field_1": "a@example.com", "field_2": text}});
    assert_eq!(anon.post(form.submissions(), body("x")).status, 201);
    for address in [form.submissions(), form.entries()] {
        let mut faults = owner.post(&address, body("")).faults();
        faults.sort();
        assert_eq!(
            faults,
            ["field_values.field_1: has already been taken", "field_values.field_2: can't be blank"],
            "{address}"
        );
    }
}
