//! Forms: made, read, copied, deleted, restored (contract section 3).

use serde_json::{Value, json};
use support::refusals::refusals;
use support::steps::{add, set_part, simple};
use support::{Server, field, next_moment};

use crate::forms::{FORMS, NO_FOLDER, NO_FORM, choices, has, line, set_rules};

#[test]
fn new_form_needs_a_name_and_fields_and_has_defaults_for_the_rest() {
    let owner = Server::shared().user();
    let made = owner.post(FORMS, json!({"name": "Poll", "fields": [{"type": "short_text", "label": "Who?"}]}));
    let token = made.data()["token"].as_str().expect("a token").to_owned();
    let expected = [
        r#"201 {"data":{"token":"[token]","name":"Poll","description":null,"scene":"form","layout":"classic","#,
        &format!(r#""locale":"en","timezone":"UTC","url":"{}/f/{token}","published":true,"owned":true,"#, owner.base),
        r#""role":"manager","folder_token":null,"entries_count":0,"#,
        r#""fields":[{"api_code":"field_1","type":"short_text","label":"Who?","required":false,"hidden":false}],"#,
        r#""created_at":"[time]","updated_at":"[time]","last_entry_created_at":null}}"#,
    ];
    assert_eq!(made.to_string(), expected.concat());
    assert_eq!(owner.get(format!("{FORMS}/{token}")).json(), made.json());
}

#[test]
fn every_key_of_a_form_is_kept() {
    let owner = Server::shared().user();
    for scene in ["form", "survey", "registration", "vote", "exam", "evaluation", "booking", "order"] {
        let whole = json!({
            "name": "n".repeat(200), "description": "line\r\nline", "scene": scene, "layout": "card",
            "locale": "zh-cn", "timezone": "Europe/Berlin",
            "fields": [field("short_text", json!({"notes": "<b onclick=x>bold</b><script>x</script>"}))],
        });
        let mut kept = whole.clone();
        kept["description"] = json!("line\nline");
        kept["locale"] = json!("zh-CN");
        kept.as_object_mut().expect("an object").remove("fields");
        let shown = owner.get(owner.form_with(whole).path()).data();
        has(&shown, kept);
        assert_eq!(shown["fields"][0]["notes"], "<b>bold</b>");
    }
}

#[test]
fn new_form_has_the_accounts_language_and_time_zone() {
    let owner = Server::shared().user();
    let account = json!({"locale": "zh-CN", "timezone": "Asia/Shanghai"});
    owner.patch("/api/v1/me", account.clone()).is(200);
    has(&owner.form(json!([line()])).body, account);
}

#[test]
fn faulty_form_is_refused_with_paths() {
    let owner = Server::shared().user();
    let good = json!({"name": "x", "fields": [line(), field("radio", json!({"choices": choices(["a"])}))]});
    owner.post(FORMS, good.clone()).is(201);
    for row in refusals(include_str!("../tables/forms.txt")) {
        row.check(&owner.post(FORMS, row.spoil(&good)));
    }
    let with = |key: &str, value: Value| {
        let mut body = good.clone();
        body[key] = value;
        owner.post(FORMS, body)
    };
    with("fields", json!(vec![line(); 501])).refuses_with(&["fields: must have 1 to 500 fields"]);
    let riddle = with("fields", json!([{"type": "riddle", "label": "x"}])).is(422);
    assert_eq!(riddle.attributes(), ["fields[0].type"]);
    assert!(riddle.faults()[0].contains("must be one of short_text, long_text"), "{riddle}");
    assert_eq!(with("folder_token", json!("aaaaaaaaaa")).to_string(), NO_FOLDER);
}

#[test]
fn five_hundred_fields_are_fine() {
    let form = Server::shared().user().form(json!(vec![line(); 500]));
    assert_eq!(form.body["fields"][499]["api_code"], "field_500");
}

#[test]
fn form_is_changed_in_part() {
    let (owner, form) = simple();
    let change = |body: Value| owner.patch(form.path(), body);
    let mut new =
        json!({"name": "New", "description": "d", "layout": "card", "locale": "de", "timezone": "Asia/Tokyo"});
    let mut body = new.clone();
    body["scene"] = json!("exam");
    next_moment();
    let changed = change(body).is(200);
    let shown = owner.get(form.path()).data();
    assert_eq!(changed.data(), shown);
    // The scene of a form does not change.
    for key in ["scene", "fields", "created_at"] {
        new[key] = form.body[key].clone();
    }
    has(&shown, new);
    assert_eq!(shown["scene"], "form");
    assert!(shown["updated_at"].as_str() > form.body["updated_at"].as_str(), "{shown}");
    assert_eq!(change(json!({"description": null})).data()["description"], json!(null));
    let refused = change(json!({"name": null, "published": 1, "fields": null, "timezone": "x"})).is(422);
    assert_eq!(refused.attributes(), ["name", "timezone", "published", "fields"], "{refused}");
    change(json!({})).is(200);
}

#[test]
fn copy_has_all_but_the_entries() {
    let owner = Server::shared().user();
    let form = owner.form_with(json!({
        "name": "First", "description": "d", "scene": "survey", "layout": "card",
        "fields": [
            field("radio", json!({"choices": choices(["a"])})),
            field("short_text", json!({"unique": true})),
        ],
    }));
    set_part(&owner, &form, "settings", json!({"access_control": {"access_password": "sesame"}}));
    set_part(&owner, &form, "theme", json!({"font": "serif"}));
    set_rules(&owner, &form, &["show 2: 1 eq a"]);
    add(&owner, &form, json!({"field_1": "a", "field_2": "x"}));
    let copy = |body: Value| owner.post(form.part("copy"), body);
    let first = copy(json!({})).is(201).data();
    assert_ne!(first["token"], form.body["token"]);
    has(&first, json!({"name": "First (copy)", "entries_count": 0}));
    for key in ["description", "scene", "layout", "fields"] {
        assert_eq!(first[key], form.body[key], "{key}");
    }
    let path = format!("{FORMS}/{}", first["token"].as_str().expect("a token"));
    for part in ["settings", "theme", "field_rules"] {
        assert_eq!(owner.get(format!("{path}/{part}")).is(200).data(), owner.get(form.part(part)).data(), "{part}");
    }
    // Serial numbers and unique values are its own.
    let values = json!({"field_values": {"field_1": "a", "field_2": "x"}});
    assert_eq!(owner.post(format!("{path}/entries"), values).is(201).data()["serial_number"], 1);
    assert_eq!(copy(json!({"name": "Second"})).data()["name"], "Second");
    let refused = copy(json!({"name": "", "folder_token": 1})).is(422);
    assert_eq!(refused.attributes(), ["name", "folder_token"], "{refused}");
    assert_eq!(copy(json!({"folder_token": "aaaaaaaaaa"})).to_string(), NO_FOLDER);
    let long = owner.form_with(json!({"name": "n".repeat(200), "fields": [line()]}));
    let copy = owner.post(long.part("copy"), json!({})).data();
    assert_eq!(copy["name"], format!("{} (copy)", "n".repeat(193)));
}

#[test]
fn deleted_form_is_gone_at_once_and_comes_back_whole() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    add(&owner, &form, json!({"field_1": "kept"}));
    let before = owner.get(form.path()).data();
    anon.get(form.published()).is(200);
    assert_eq!(owner.delete(form.path()).to_string(), r#"200 {"data":{"deleted":true,"token":"[token]"}}"#);
    let body = || json!({"field_values": {}});
    for (n, answer) in [
        anon.get(form.published()),
        anon.post(form.submissions(), body()),
        owner.get(form.path()),
        owner.get(form.entries()),
        owner.get(form.entry(1)),
        owner.post(form.entries(), body()),
        owner.patch(form.path(), json!({"name": "x"})),
        owner.post(form.part("copy"), json!({})),
        owner.delete(form.path()),
        // Nor does somebody else bring it back.
        Server::shared().user().post(form.part("restore"), json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(answer.to_string(), NO_FORM, "{n}");
    }
    anon.get(form.page()).is(404);
    assert_eq!(owner.get(FORMS).json()["pagination"]["total"], 0);
    let mut after = owner.send("POST", &form.part("restore"), None, b"").is(200).data();
    after["updated_at"] = before["updated_at"].clone();
    assert_eq!(after, before);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "kept");
    anon.get(form.published()).is(200);
    // Only a form in the trash can be restored.
    assert_eq!(owner.post(form.part("restore"), json!({})).to_string(), NO_FORM);
}

/// All routes' answers to strangers, and submissions by API and page, are tested with all routes.
#[test]
fn unpublished_form_is_found_by_its_people_alone() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let hidden = owner.patch(form.path(), json!({"published": false})).is(200).data();
    assert_eq!(hidden["published"], false);
    anon.get(form.page()).is(404);
    owner.get(form.published()).is(404);
    owner.patch(form.path(), json!({"published": true})).is(200);
    anon.get(form.page()).is(200);
    // A new form may say so too.
    let body = json!({"name": "Draft", "published": false, "fields": [{"type": "name", "label": "Name"}]});
    let draft = owner.post("/api/v1/forms", body).is(201).data();
    assert_eq!(draft["published"], false);
    owner.get(format!("/api/v1/f/{}", draft["token"].as_str().expect("a token"))).is(404);
}

#[test]
fn strangers_change_no_form() {
    let (owner, form) = simple();
    let stranger = Server::shared().user();
    for refused in [stranger.patch(form.path(), json!({"name": "mine"})), stranger.delete(form.path())] {
        assert_eq!(refused.to_string(), NO_FORM);
    }
    assert_eq!(owner.get(form.path()).data()["name"], "A form");
}
