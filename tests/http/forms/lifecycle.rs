//! Forms: made, read, listed, copied, deleted, restored (contract section 3).

use serde_json::{Value, json};
use support::steps::simple;
use support::{Server, field};

fn names(page: &Value) -> Vec<&str> {
    let rows = page["data"].as_array().expect("rows");
    rows.iter().map(|row| row["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_form_needs_a_name_and_fields_and_has_defaults_for_the_rest() {
    let owner = Server::shared().user();
    let body = json!({"name": "Poll", "fields": [{"type": "short_text", "label": "Who?"}]});
    let made = owner.post("/api/v1/forms", body);
    let token = made.data()["token"].as_str().expect("a token").to_owned();
    let url = format!("{}/f/{token}", owner.base);
    assert_eq!(
        made.to_string(),
        format!(
            r#"201 {{"data":{{"token":"[token]","name":"Poll","description":null,"scene":"form","layout":"classic","locale":"en","timezone":"UTC","url":"{url}","published":true,"owned":true,"role":"manager","folder_token":null,"entries_count":0,"fields":[{{"api_code":"field_1","type":"short_text","label":"Who?","required":false,"hidden":false}}],"created_at":"[time]","updated_at":"[time]","last_entry_created_at":null}}}}"#
        )
    );
    assert_eq!(owner.get(format!("/api/v1/forms/{token}")).json(), made.json());
}

#[test]
fn every_key_of_a_form_is_kept() {
    let owner = Server::shared().user();
    for scene in ["form", "survey", "registration", "vote", "exam", "evaluation", "booking", "order"] {
        let form = owner.form_with(json!({
            "name": "n".repeat(200), "description": "line\r\nline", "scene": scene, "layout": "card",
            "locale": "zh-cn", "timezone": "Europe/Berlin",
            "fields": [field("short_text", json!({"notes": "<b onclick=x>bold</b><script>x</script>"}))],
        }));
        let shown = owner.get(form.path()).data();
        assert_eq!(shown["name"], "n".repeat(200));
        assert_eq!(shown["description"], "line\nline");
        assert_eq!(shown["scene"], scene);
        assert_eq!(shown["layout"], "card");
        assert_eq!(shown["locale"], "zh-CN");
        assert_eq!(shown["timezone"], "Europe/Berlin");
        assert_eq!(shown["fields"][0]["notes"], "<b>bold</b>");
    }
}

#[test]
fn an_account_brings_its_language_and_time_zone() {
    let owner = Server::shared().user();
    let me = json!({"locale": "zh-CN", "timezone": "Asia/Shanghai"});
    assert_eq!(owner.patch("/api/v1/me", me).status, 200);
    let form = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(form.body["locale"], "zh-CN");
    assert_eq!(form.body["timezone"], "Asia/Shanghai");
}

#[test]
fn a_faulty_form_is_refused_with_paths() {
    let owner = Server::shared().user();
    let text = || field("short_text", json!({}));
    let radio = |choices: Value| field("radio", json!({"choices": choices}));
    let with = |key: &str, value: Value| {
        let mut body = json!({"name": "x", "fields": [text()]});
        body[key] = value;
        body
    };
    for (body, fault) in [
        (json!({"fields": [text()]}), "name: can't be blank"),
        (with("name", json!(" ")), "name: can't be blank"),
        (with("name", json!(7)), "name: must be a string"),
        (with("name", json!("n".repeat(201))), "name: is too long (at most 200 characters)"),
        (json!({"name": "x"}), "fields: is required"),
        (with("fields", json!({})), "fields: must be a list"),
        (with("fields", json!([])), "fields: must have 1 to 500 fields"),
        (with("fields", json!(vec![text(); 501])), "fields: must have 1 to 500 fields"),
        (with("fields", json!([{"label": "x"}])), "fields[0].type: is required"),
        (with("fields", json!([{"type": "short_text"}])), "fields[0].label: can't be blank"),
        (
            with("fields", json!([text(), field("short_text", json!({"api_code": "field_1"}))])),
            "fields[1].api_code: is not a field of this form",
        ),
        (with("fields", json!([radio(json!([]))])), "fields[0].choices: must have 1 to 1000 choices"),
        (
            with("fields", json!([radio(json!([{"api_code": "a", "label": "A"}, {"label": ""}]))])),
            "fields[0].choices[1].label: can't be blank",
        ),
        (
            with("fields", json!([radio(json!([{"api_code": "a b", "label": "A"}]))])),
            "fields[0].choices[0].api_code: must be 1 to 32 letters, digits or underscores",
        ),
        (with("description", json!([])), "description: must be a string"),
        (with("locale", json!("not a tag")), "locale: must be a language tag such as en or zh-CN"),
        (with("timezone", json!("Mars/Base")), "timezone: must be an IANA time zone such as Europe/Berlin"),
        (with("layout", json!("round")), "layout: must be one of classic, card"),
        (
            with("scene", json!("party")),
            "scene: must be one of form, survey, registration, vote, exam, evaluation, booking, order",
        ),
    ] {
        let refused = owner.post("/api/v1/forms", body);
        assert_eq!((refused.status, refused.faults()), (422, vec![fault.to_owned()]));
    }
    let riddle = owner.post("/api/v1/forms", with("fields", json!([{"type": "riddle", "label": "x"}])));
    assert_eq!(riddle.attributes(), ["fields[0].type"]);
    assert!(riddle.faults()[0].contains("must be one of short_text, long_text"), "{riddle}");
    assert_eq!(
        owner.post("/api/v1/forms", with("folder_token", json!("aaaaaaaaaa"))).to_string(),
        r#"404 {"error":"Folder not found"}"#
    );
}

#[test]
fn five_hundred_fields_are_fine() {
    let owner = Server::shared().user();
    let form = owner.form(json!(vec![field("short_text", json!({})); 500]));
    assert_eq!(form.body["fields"][499]["api_code"], "field_500");
}

#[test]
fn a_list_item_has_its_keys_and_no_more() {
    let (owner, form) = simple();
    owner.post(form.entries(), json!({"field_values": {}}));
    assert_eq!(
        owner.get("/api/v1/forms").to_string(),
        r#"200 {"data":[{"name":"A form","description":"","token":"[token]","scene":"form","layout":"classic","created_at":"[time]","updated_at":"[time]","last_entry_created_at":"[time]","entries_count":1,"owned":true,"role":"manager"}],"pagination":{"total":1,"next_cursor":""}}"#
    );
}

#[test]
fn forms_are_found_by_part_of_their_name() {
    let owner = Server::shared().user();
    for name in ["Summer FÊTE", "ｓｕｍｍｅｒ school", "Straße 100%", "夏のアンケート"] {
        owner.form_with(json!({"name": name, "fields": [field("short_text", json!({}))]}));
    }
    let find = |part: &str| {
        let query: String = url::form_urlencoded::byte_serialize(part.as_bytes()).collect();
        let page = owner.get(format!("/api/v1/forms?name={query}")).json();
        let names: Vec<String> = names(&page).into_iter().map(str::to_owned).collect();
        assert_eq!(page["pagination"]["total"], names.len());
        names
    };
    assert_eq!(find("summer"), ["ｓｕｍｍｅｒ school", "Summer FÊTE"]);
    assert_eq!(find("ＳＵＭＭＥＲ"), ["ｓｕｍｍｅｒ school", "Summer FÊTE"]);
    assert_eq!(find("fête"), ["Summer FÊTE"]);
    assert_eq!(find("STRASSE"), ["Straße 100%"]);
    assert_eq!(find("アンケート"), ["夏のアンケート"]);
    // No character stands for others.
    assert_eq!(find("%"), ["Straße 100%"]);
    assert_eq!(find("_"), [""; 0]);
    assert_eq!(find("*"), [""; 0]);
    assert_eq!(find("").len(), 4);
}

#[test]
fn a_list_may_ask_for_a_folder_and_an_order() {
    let (owner, _) = simple();
    let list = |query: &str| owner.get(format!("/api/v1/forms?{query}"));
    assert_eq!(list("folder_token=").json()["pagination"]["total"], 1);
    assert_eq!(list("folder_token=aaaaaaaaaa").to_string(), r#"404 {"error":"Folder not found"}"#);
    for sort in ["name", "-created_at", "CREATED_AT"] {
        assert_eq!(
            list(&format!("sort={sort}")).to_string(),
            r#"400 {"error":"sort must be one of created_at, updated_at, last_entry_created_at"}"#
        );
    }
}

#[test]
fn a_form_is_changed_in_part() {
    let (owner, form) = simple();
    let change = |body: Value| owner.patch(form.path(), body);
    let body = json!({
        "name": "New", "description": "d", "layout": "card", "locale": "de",
        "timezone": "Asia/Tokyo", "scene": "exam",
    });
    let changed = change(body);
    assert_eq!(changed.status, 200, "{changed}");
    let shown = owner.get(form.path()).data();
    assert_eq!(changed.data(), shown);
    for (key, value) in [
        ("name", "New"),
        ("description", "d"),
        ("layout", "card"),
        ("locale", "de"),
        ("timezone", "Asia/Tokyo"),
        // What a form is for does not change.
        ("scene", "form"),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    assert_eq!(shown["fields"], form.body["fields"]);
    assert_eq!(shown["created_at"], form.body["created_at"]);
    assert!(shown["updated_at"].as_str() > form.body["updated_at"].as_str());
    assert_eq!(change(json!({"description": null})).data()["description"], json!(null));
    let refused = change(json!({"name": null, "published": 1, "fields": null, "timezone": "x"}));
    assert_eq!(refused.attributes(), ["name", "timezone", "published", "fields"]);
    assert_eq!(change(json!({})).status, 200);
}

#[test]
fn an_unpublished_form_is_found_by_its_people_alone() {
    let (owner, form) = simple();
    let hidden = owner.patch(form.path(), json!({"published": false})).data();
    assert_eq!(hidden["published"], false);
    let anon = Server::shared().anon();
    assert_eq!(anon.get(form.published()).status, 404);
    assert_eq!(anon.get(form.page()).status, 404);
    assert_eq!(owner.get(form.published()).status, 404);
    let body = json!({"field_values": {}});
    assert_eq!(anon.post(form.submissions(), body.clone()).status, 404);
    assert_eq!(owner.post(form.entries(), body).status, 201);
    owner.patch(form.path(), json!({"published": true}));
    assert_eq!(anon.get(form.page()).status, 200);
}

#[test]
fn a_copy_has_all_but_the_entries() {
    let owner = Server::shared().user();
    let form = owner.form_with(json!({
        "name": "First", "description": "d", "scene": "survey", "layout": "card",
        "fields": [
            field("radio", json!({"choices": [{"api_code": "a", "label": "A"}]})),
            field("short_text", json!({"unique": true})),
        ],
    }));
    let path = form.path();
    owner.patch(format!("{path}/settings"), json!({"access_control": {"access_password": "sesame"}}));
    owner.patch(format!("{path}/theme"), json!({"font": "serif"}));
    let rule = json!({
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "a"}]},
        "action": "show", "fields": ["field_2"],
    });
    owner.put(format!("{path}/field_rules"), json!({"rules": [rule]}));
    owner.post(form.entries(), json!({"field_values": {"field_2": "x"}}));
    let copied = owner.post(format!("{path}/copy"), json!({}));
    assert_eq!(copied.status, 201, "{copied}");
    let copy = copied.data();
    assert_ne!(copy["token"], form.body["token"]);
    assert_eq!(copy["name"], "First (copy)");
    assert_eq!(copy["entries_count"], 0);
    for key in ["description", "scene", "layout", "fields"] {
        assert_eq!(copy[key], form.body[key], "{key}");
    }
    let copy_path = format!("/api/v1/forms/{}", copy["token"].as_str().expect("a token"));
    for part in ["settings", "theme", "field_rules"] {
        let both = [&path, &copy_path].map(|path| owner.get(format!("{path}/{part}")).data());
        assert_eq!(both[0], both[1], "{part}");
    }
    // Serial numbers and unique values are its own.
    let made = owner.post(format!("{copy_path}/entries"), json!({"field_values": {"field_2": "x"}}));
    assert_eq!(made.data()["serial_number"], 1, "{made}");
    let named = owner.post(format!("{path}/copy"), json!({"name": "Second"}));
    assert_eq!(named.data()["name"], "Second");
    assert_eq!(
        owner.post(format!("{path}/copy"), json!({"name": "", "folder_token": 1})).attributes(),
        ["name", "folder_token"]
    );
    assert_eq!(
        owner.post(format!("{path}/copy"), json!({"folder_token": "aaaaaaaaaa"})).to_string(),
        r#"404 {"error":"Folder not found"}"#
    );
    let long = owner.form_with(json!({"name": "n".repeat(200), "fields": [field("date", json!({}))]}));
    let copy = owner.post(format!("{}/copy", long.path()), json!({})).data();
    assert_eq!(copy["name"], format!("{} (copy)", "n".repeat(193)));
}

#[test]
fn a_deleted_form_is_gone_at_once_and_comes_back_whole() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    owner.post(form.entries(), json!({"field_values": {"field_1": "kept"}}));
    let before = owner.get(form.path()).data();
    assert_eq!(anon.get(form.published()).status, 200);
    let deleted = owner.delete(form.path());
    assert_eq!(deleted.to_string(), r#"200 {"data":{"deleted":true,"token":"[token]"}}"#);
    let not_found = r#"404 {"error":"Form not found"}"#;
    for answer in [
        anon.get(form.published()),
        anon.post(form.submissions(), json!({"field_values": {}})),
        owner.get(form.path()),
        owner.get(form.entries()),
        owner.get(form.entry(1)),
        owner.post(form.entries(), json!({"field_values": {}})),
        owner.patch(form.path(), json!({"name": "x"})),
        owner.post(format!("{}/copy", form.path()), json!({})),
        owner.delete(form.path()),
    ] {
        assert_eq!(answer.to_string(), not_found);
    }
    assert_eq!(anon.get(form.page()).status, 404);
    assert_eq!(owner.get("/api/v1/forms").json()["pagination"]["total"], 0);
    let restore = format!("{}/restore", form.path());
    assert_eq!(Server::shared().user().post(&restore, json!({})).to_string(), not_found);
    let restored = owner.send("POST", &restore, None, b"");
    assert_eq!(restored.status, 200, "{restored}");
    let mut after = restored.data();
    after["updated_at"] = before["updated_at"].clone();
    assert_eq!(after, before);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "kept");
    assert_eq!(anon.get(form.published()).status, 200);
    // Only what is in the trash comes out of it.
    assert_eq!(owner.post(&restore, json!({})).to_string(), not_found);
}

#[test]
fn strangers_find_no_form() {
    let (owner, form) = simple();
    owner.post(form.entries(), json!({"field_values": {}}));
    let stranger = Server::shared().user();
    let path = form.path();
    let part = |name: &str| format!("{path}/{name}");
    for answer in [
        stranger.get(&path),
        stranger.patch(&path, json!({"name": "mine"})),
        stranger.delete(&path),
        stranger.post(part("copy"), json!({})),
        stranger.post(part("restore"), json!({})),
        stranger.get(part("settings")),
        stranger.patch(part("settings"), json!({})),
        stranger.get(part("theme")),
        stranger.patch(part("theme"), json!({})),
        stranger.get(part("field_rules")),
        stranger.put(part("field_rules"), json!({"rules": []})),
        stranger.get(form.entries()),
        stranger.post(form.entries(), json!({"field_values": {}})),
        stranger.get(form.entry(1)),
        stranger.patch(form.entry(1), json!({"field_values": {}})),
        stranger.delete(form.entry(1)),
    ] {
        assert_eq!(answer.to_string(), r#"404 {"error":"Form not found"}"#);
    }
    assert_eq!(stranger.get("/api/v1/forms").json()["data"], json!([]));
    assert_eq!(owner.get(&path).data()["name"], "A form");
}
