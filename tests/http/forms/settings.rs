//! Settings of a form (spec 2.10, contract section 5).

use serde_json::{Value, json};
use support::refusals::refusals;
use support::steps::set;
use support::uploads::files_in;
use support::{Caller, Form, Server, field};

use crate::forms::{alone, choices, has, holding, line, replace, rules, set_rules};

/// A user, and a form of a radio button, two lines of text, a number and a description.
fn simple() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("radio", json!({"choices": choices(["a", "b"])})),
        line(),
        line(),
        field("number", json!({})),
        field("description", json!({"content": "x"})),
    ]));
    (owner, form)
}

#[test]
fn settings_have_defaults() {
    let (owner, form) = simple();
    let expected = concat!(
        r#"200 {"data":{"locale":"en","timezone":"UTC","#,
        r#""after_submission":{"mode":"show_message","show_message":{"style":"text","rich_text":"","text":{"title":"","description":""}},"redirect":{"url":null,"fields":[]},"report":{"score_based_feedbacks":[]},"show_answers":true},"#,
        r#""availability":{"manually_closed":false,"schedule":{"start_at":null,"end_at":null},"entries_limit":null,"show_countdown":false,"show_form_before_open":false},"#,
        r#""access_control":{"access_password":null},"#,
        r#""submission_options":{"show_progress":false,"show_field_number":false,"one_per_respondent":"none","allow_edit_after_submission":false},"#,
        r#""verification_code":{"enabled":false,"length":8},"#,
        r#""certificate":{"enabled":false,"title":"","body":"","min_score":null},"#,
        r#""exam":{"duration_minutes":null,"pass_score":null,"show_score":false,"show_answers":false,"questions":{}},"#,
        r#""pricing":{"currency":"USD","discounts":[]},"capacity":{"hold_minutes":0,"waiting_list":false},"#,
        r#""browse_linked_entries":false,"#,
        r#""notifications":{"receipt":{"enabled":false,"field":null,"subject":null,"message":null,"include_values":false,"for_programs":false},"notice":{"enabled":false,"to":[],"subject":null,"message":null,"include_values":false},"#,
        r#""waiting":{"enabled":false,"subject":null,"message":null,"include_values":false},"moved_up":{"enabled":false,"subject":null,"message":null,"include_values":false},"#,
        r#""cancelled":{"enabled":false,"subject":null,"message":null,"include_values":false},"changed":{"enabled":false,"subject":null,"message":null,"include_values":false},"#,
        r#""reminder":{"enabled":false,"subject":null,"message":null,"include_values":false}}}}"#
    );
    assert_eq!(owner.get(form.part("settings")).to_string(), expected);
}

fn letter(enabled: bool) -> Value {
    json!({"enabled": enabled, "subject": "S", "message": null, "include_values": enabled})
}

#[test]
fn settings_are_merged_and_null_clears() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let mut defaults = owner.get(&path).data();
    let whole = json!({
        "locale": "de", "timezone": "Europe/Berlin",
        "after_submission": {
            "mode": "redirect",
            "show_message": {"style": "rich_text", "rich_text": "<b>Thanks</b>", "text": {"title": "T", "description": "D"}},
            "redirect": {"url": "https://example.com/done?a=1", "fields": ["field_2", "field_4"]},
            "report": {"score_based_feedbacks": [{"start_point": 0.0, "end_point": 5.5, "comment": "ok"}]},
            "show_answers": false,
        },
        "availability": {
            "manually_closed": true, "entries_limit": 2, "show_countdown": true, "show_form_before_open": true,
            "schedule": {"start_at": "2026-01-01T00:00:00.000Z", "end_at": "2027-01-01T00:00:00.000Z"},
        },
        "access_control": {"access_password": "sesame"},
        "submission_options": {"show_progress": true, "show_field_number": true, "one_per_respondent": "browser", "allow_edit_after_submission": true},
        "verification_code": {"enabled": true, "length": 6},
        "certificate": {"enabled": true, "title": "C", "body": "for {{field_2}}", "min_score": 1.5},
        "exam": {
            "duration_minutes": 30, "pass_score": 2.0, "show_score": true, "show_answers": true,
            "questions": {"field_1": {"scored": true, "score": 2.0, "partial": "none", "answer": "a"}},
        },
        "pricing": {"currency": "EUR", "discounts": [{"min_total": 10.0, "percent_off": 5.0}, {"min_total": 20.0, "amount_off": 3.0}]},
        "capacity": {"hold_minutes": 15, "waiting_list": true},
        "browse_linked_entries": true,
        "notifications": {
            "receipt": {"enabled": false, "field": null, "subject": "Thanks", "message": "<p>Bye</p>", "include_values": true, "for_programs": false},
            "notice": {"enabled": true, "to": ["a@example.com"], "subject": null, "message": null, "include_values": true},
            "waiting": letter(false), "moved_up": letter(true), "cancelled": letter(false), "changed": letter(true),
            "reminder": letter(true),
        },
    });
    let change = |body: Value| owner.patch(&path, body).is(200).data();
    assert_eq!(change(whole.clone()), whole);
    assert_eq!(owner.get(&path).data(), whole);
    // A member alone leaves its neighbours.
    let mut expected = whole.clone();
    expected["availability"]["manually_closed"] = json!(false);
    expected["exam"]["pass_score"] = json!(null);
    let one = json!({"availability": {"manually_closed": false}, "exam": {"pass_score": null}});
    assert_eq!(change(one), expected);
    // Questions are one value.
    let questions = json!({"field_4": {"scored": true, "score": 1.0, "answer": 7}});
    assert_eq!(change(json!({"exam": {"questions": questions}}))["exam"]["questions"], questions);
    // Null takes a group back to its defaults.
    let groups =
        whole.as_object().expect("groups").keys().filter(|key| !["locale", "timezone"].contains(&key.as_str()));
    let nulls: Value = groups.map(|key| (key.clone(), Value::Null)).collect();
    for key in ["locale", "timezone"] {
        defaults[key] = whole[key].clone();
    }
    assert_eq!(change(nulls), defaults);
}

#[test]
fn faulty_settings_are_refused_with_paths() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let before = owner.get(&path).data();
    let good = json!({
        "after_submission": {"show_message": {"text": {}}, "redirect": {}, "report": {}},
        "availability": {}, "access_control": {}, "submission_options": {}, "verification_code": {}, "certificate": {},
        "exam": {}, "pricing": {"currency": "EUR"},
    });
    for row in refusals(include_str!("../tables/settings.txt")) {
        let spoilt = row.spoil(&good);
        row.check(&owner.patch(&path, json!({row.top(): spoilt[row.top()]})));
    }
    let several =
        owner.patch(&path, json!({"verification_code": {"length": 99, "enabled": "x"}, "locale": "?"})).is(422);
    assert_eq!(several.attributes(), ["locale", "verification_code.enabled", "verification_code.length"]);
    assert_eq!(owner.get(&path).data(), before, "nothing of them stays");
    set(&owner, &form, good);
    // The ends of a schedule may come one after the other, and are judged together.
    set(&owner, &form, json!({"availability": {"schedule": {"start_at": "2026-01-02T00:00:00Z"}}}));
    owner
        .patch(&path, json!({"availability": {"schedule": {"end_at": "2026-01-01T00:00:00Z"}}}))
        .refuses_with(&["availability.schedule.end_at: must be after start_at"]);
}

#[test]
fn language_and_time_zone_stand_in_form_and_settings() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let tags = || [&form.path(), &path].map(|path| owner.get(path).header("etag").to_owned());
    let first = tags();
    owner.patch(form.path(), json!({"timezone": "Asia/Tokyo"}));
    assert_eq!(owner.get(&path).data()["timezone"], "Asia/Tokyo");
    let second = tags();
    assert!(first[0] != second[0] && first[1] != second[1], "{second:?}");
    owner.patch(&path, json!({"locale": "de"}));
    assert_eq!(owner.get(form.path()).data()["locale"], "de");
    let third = tags();
    assert!(second[0] != third[0] && second[1] != third[1], "{third:?}");
    // A name is no setting.
    owner.patch(form.path(), json!({"name": "x"}));
    assert_eq!(tags()[1], third[1]);
    // Null takes them back to the account's.
    has(
        &owner.patch(&path, json!({"locale": null, "timezone": null})).data(),
        json!({"locale": "en", "timezone": "UTC"}),
    );
}

#[test]
fn password_is_sealed_at_rest() {
    let (server, owner, form) = alone("its data dir is looked at", json!([line()]));
    let change = |password: Value| {
        let set = owner.patch(form.part("settings"), json!({"access_control": {"access_password": password}}));
        set.is(200).data()["access_control"]["access_password"].clone()
    };
    let secret = "open-sesame-4711";
    assert_eq!(change(json!(secret)), secret);
    assert!(files_in(&server.dir, "").len() >= 2, "the database and its log");
    assert_eq!(holding(&server.dir, &[secret]), Vec::<String>::new());
    // Empty and null both take it away.
    for none in [json!(""), json!(null)] {
        change(json!(secret));
        server.anon().get(form.published()).is(403);
        assert_eq!(change(none), json!(null));
        server.anon().get(form.published()).is(200);
    }
}

#[test]
fn password_may_be_in_any_script() {
    let (owner, form) = simple();
    set(&owner, &form, json!({"access_control": {"access_password": "каша мё\u{0065}\u{0301}"}}));
    let anon = Server::shared().anon();
    // Composed or not: keyboards differ.
    for password in ["каша мё\u{e9}", "каша мё\u{0065}\u{0301}"] {
        anon.header("X-Form-Password", password).get(form.published()).is(200);
        anon.post(form.submissions(), json!({"field_values": {}, "password": password})).is(201);
        anon.post_form(form.page(), &[("_action", "open"), ("_password", password)]).is(200);
    }
    let wrong = anon.header("X-Form-Password", "каша").get(form.published());
    assert_eq!(wrong.json()["code"], "password_invalid", "{wrong}");
}

#[test]
fn removed_field_leaves_rules_and_settings() {
    let (owner, form) = simple();
    let questions = json!({"field_2": {"scored": false}, "field_4": {"scored": false}});
    let redirect = json!({"redirect": {"fields": ["field_2", "field_4"]}});
    set(&owner, &form, json!({"after_submission": redirect, "exam": {"questions": questions}}));
    set_rules(&owner, &form, &["show 3 4: 1 eq a or 2 eq x", "show 3: 2 eq x", "show 2: 1 eq a"]);
    let fields = &form.body["fields"];
    replace(&owner, &form, json!([fields[0], fields[2], fields[4]])).is(200);
    let settings = owner.get(form.part("settings")).data();
    assert_eq!(settings["after_submission"]["redirect"]["fields"], json!([]));
    assert_eq!(settings["exam"]["questions"], json!({}));
    let mut kept = rules(&["show 3: 1 eq a"]);
    kept["rules"][0]["condition"]["operand"] = json!("or");
    assert_eq!(owner.get(form.part("field_rules")).data(), kept);
}

#[test]
fn answer_to_a_submission_says_where_to_go_on() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let submit = || {
        let body = json!({"field_values": {"field_1": "a", "field_2": "c&d="}});
        anon.post(form.submissions(), body).data()["after_submission"].clone()
    };
    let unset = owner.get(form.part("settings")).data()["after_submission"].clone();
    assert_eq!(submit(), unset);
    assert_eq!(unset["mode"], "show_message");
    let fields = ["field_2", "field_1", "field_4"];
    let redirect = json!({"url": "https://shop.example/thanks?a=1", "fields": fields});
    set(&owner, &form, json!({"after_submission": {"mode": "redirect", "redirect": redirect}}));
    let mut complete = unset.clone();
    complete["mode"] = json!("redirect");
    complete["redirect"] =
        json!({"url": "https://shop.example/thanks?a=1&field_2=c%26d%3D&field_1=A", "fields": fields});
    assert_eq!(submit(), complete);
    // Before a submission nobody learns it.
    assert_eq!(anon.get(form.published()).data()["after_submission"], json!({"mode": "redirect"}));
    // Nor does anybody learn it once the form ends with a message again.
    set(&owner, &form, json!({"after_submission": {"mode": "show_message"}}));
    assert_eq!(submit(), unset);
}
