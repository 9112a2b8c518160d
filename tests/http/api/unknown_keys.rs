//! Keys that nothing reads, in bodies: told as warnings, or refused with `Prefer: handling=strict` (contract section 1).

use serde_json::{Value, json};
use support::contract::CONTRACT;
use support::{Caller, Form, Response, Server, field};

/// The warnings, as `attribute: message`.
pub fn warnings(answer: &Response) -> Vec<String> {
    let body = answer.json();
    let list = body["warnings"].as_array().cloned().unwrap_or_default();
    let word = |it: &Value, key: &str| it[key].as_str().expect("a text").to_owned();
    list.iter().map(|it| format!("{}: {}", word(it, "attribute"), word(it, "message"))).collect()
}

pub fn strict(caller: &Caller) -> Caller {
    caller.header("Prefer", "handling=strict")
}

fn choices() -> Value {
    json!([{"api_code": "red", "label": "Red"}, {"api_code": "blue", "label": "Blue"}])
}

#[test]
fn unknown_keys_are_told_at_every_level() {
    let owner = Server::shared().user();
    let made = owner.post(
        "/api/v1/forms",
        json!({"name": "A form", "desciption": "x", "fields": [
            field("short_text", json!({"requird": true})),
            field("number", json!({"maximum": 5})),
            field("radio", json!({"choices": [
                {"api_code": "a", "label": "A"},
                {"api_code": "b", "label": "B", "lable": "b", "qouta": 3},
            ]})),
            field("table", json!({"dimensions": [{"type": "number", "label": "N", "mni": 1}]})),
            field("booking", json!({"reservation_items": [{"api_code": "room", "name": "Room", "quota_setting": {
                "kind": "weekly", "closed_date": [], "weekly_quotas": [{"weekday": 1, "quotas": 5}],
            }}]})),
            field("product", json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": 1, "stok": 3}]})),
        ]}),
    );
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(
        warnings(&made),
        [
            "desciption: is not a known key",
            "fields[0].requird: is not a known key",
            "fields[1].maximum: is not a known key",
            "fields[2].choices[1].lable: is not a known key",
            "fields[2].choices[1].qouta: is not a known key",
            "fields[3].dimensions[0].mni: is not a known key",
            "fields[4].reservation_items[0].quota_setting.closed_date: is not a known key",
            "fields[4].reservation_items[0].quota_setting.weekly_quotas[0].quotas: is not a known key",
            "fields[5].goods_items[0].stok: is not a known key",
        ]
    );
    assert_eq!(made.header("preference-applied"), "");
}

#[test]
fn each_part_of_a_form_tells_of_its_own() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("radio", json!({"choices": choices()})), field("name", json!({}))]));
    let rule = json!({
        "condition": {"operand": "and", "items": [
            {"field": "field_1", "operator": "eq", "value": "red", "values": ["red"]},
        ], "operator": "or"},
        "action": "show", "fields": ["field_2"], "field": "field_2",
    });
    for (method, path, body, told) in [
        (
            "PATCH",
            form.path(),
            json!({"publishd": false, "layuot": "card"}),
            vec!["publishd: is not a known key", "layuot: is not a known key"],
        ),
        (
            "POST",
            form.part("copy"),
            json!({"nmae": "x", "fields": []}),
            vec!["nmae: is not a known key", "fields: is not a known key"],
        ),
        (
            "PATCH",
            form.part("settings"),
            json!({"access_controll": {"access_password": "x"}, "availability": {"schedule": {"starts_at": null}},
                "exam": {"questions": {"field_1": {"scored": false, "scor": 1}}}}),
            vec![
                "access_controll: is not a known key",
                "availability.schedule.starts_at: is not a known key",
                "exam.questions.field_1.scor: is not a known key",
            ],
        ),
        (
            "PATCH",
            form.part("theme"),
            json!({"primaryColor": "#000000", "header": {"txt": "x"}}),
            vec!["primaryColor: is not a known key", "header.txt: is not a known key"],
        ),
        (
            "PUT",
            form.part("field_rules"),
            json!({"rules": [rule], "rule": 1}),
            vec![
                "rules[0].condition.items[0].values: is not a known key",
                "rules[0].condition.operator: is not a known key",
                "rules[0].field: is not a known key",
                "rule: is not a known key",
            ],
        ),
    ] {
        let kind = Some("application/json");
        let text = body.to_string();
        let before = owner.get(form.path()).header("etag").to_owned();
        let refused = strict(&owner).send(method, &path, kind, text.as_bytes());
        assert_eq!(refused.status, 422, "{path}: {refused}");
        assert_eq!(refused.faults(), told, "{path}");
        assert_eq!(refused.header("preference-applied"), "handling=strict");
        assert_eq!(owner.get(form.path()).header("etag"), before, "{path}");
        let taken = owner.send(method, &path, kind, text.as_bytes());
        assert!([200, 201].contains(&taken.status), "{path}: {taken}");
        assert_eq!(warnings(&taken), told, "{path}");
    }
}

#[test]
fn strictness_adds_to_the_other_faults_and_comes_after_rights() {
    let server = Server::shared();
    let (owner, stranger) = (server.user(), server.user());
    let form = owner.form(json!([field("short_text", json!({}))]));
    let body = json!({"name": "", "nmae": "x", "fields": [{"type": "radio", "lable": "x"}]});
    let refused = strict(&owner).patch(form.path(), body.clone());
    assert_eq!(refused.attributes(), ["nmae", "fields[0].lable", "name", "fields[0].label", "fields[0].choices"]);
    assert_eq!(strict(&stranger).patch(form.path(), body.clone()).status, 404);
    let elsewhere = strict(&owner).header("If-Match", "\"other\"").patch(form.path(), body);
    assert_eq!(elsewhere.status, 412, "{elsewhere}");
    // A correct request is answered as ever, and the preference is confirmed.
    let fine = strict(&owner).patch(form.path(), json!({"name": "B"}));
    assert_eq!(fine.status, 200, "{fine}");
    assert_eq!(fine.header("preference-applied"), "handling=strict");
    assert_eq!(fine.json().as_object().map(serde_json::Map::len), Some(1));
    let lenient = owner.header("Prefer", "handling=lenient").patch(form.path(), json!({"nmae": 1}));
    assert_eq!((lenient.status, lenient.header("preference-applied")), (200, ""));
    // OAuth ignores unknown keys (RFC 6749), so nothing is promised there.
    let keys = strict(&server.anon()).post("/api/v1/oauth/revoke?x=1", json!({"x": 1}));
    assert_eq!((keys.status, keys.header("preference-applied")), (401, ""), "{keys}");
}

#[test]
fn very_many_unknown_keys_are_counted() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let many: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("k{n}"), json!(1))).collect();
    let told = owner.patch(form.path(), Value::Object(many));
    assert_eq!(told.status, 200);
    assert_eq!(warnings(&told).len(), 1_000);
}

/// Every definition that the description gives as an example, without members that only its own server has.
fn examples(other: &Form) -> Vec<Value> {
    let schemas = CONTRACT.document["components"]["schemas"].as_object().expect("schemas");
    let definitions = schemas.iter().filter(|(name, _)| name.ends_with("Definition"));
    let examples = definitions.flat_map(|(_, schema)| schema["examples"].as_array().cloned().unwrap_or_default());
    examples
        .map(|mut example| {
            if example["type"] == "linked_form" {
                example["form_token"] = json!(other.token);
                example["search_fields"] = json!(["field_1"]);
                example["display_fields"] = json!([{"api_code": "field_1", "public": true}]);
            }
            example
        })
        .collect()
}

#[test]
fn what_a_read_gives_may_be_written_back_without_a_warning() {
    let owner = Server::shared().user();
    let other = owner.form(json!([field("name", json!({}))]));
    let mut kinds = std::collections::BTreeSet::new();
    for example in examples(&other) {
        let kind = example["type"].as_str().expect("a type").to_owned();
        let mut body = json!({"name": "A form", "fields": [field("number", json!({})), example]});
        body["fields"][1]["label"] = json!("A label");
        if kind == "formula" {
            body["fields"][1]["expression"] = json!("field_1 + 1");
            body["fields"][1]["result_type"] = json!("number");
        }
        let made = owner.post("/api/v1/forms", body.clone());
        if made.status == 422 && kind.starts_with("image_") {
            // Its images are another's; those of our own are below.
            continue;
        }
        assert_eq!(made.status, 201, "{body}: {made}");
        assert_eq!(warnings(&made), [""; 0], "{body}");
        kinds.insert(kind);
        let path = format!("/api/v1/forms/{}", made.data()["token"].as_str().expect("a token"));
        let read = owner.get(&path);
        let again = strict(&owner).patch(&path, read.data());
        assert_eq!(again.status, 200, "{read}: {again}");
        assert_eq!(warnings(&again), [""; 0]);
        let copied = strict(&owner).post("/api/v1/forms", without_names(read.data()));
        assert_eq!(copied.status, 201, "{read}: {copied}");
    }
    assert!(kinds.len() > 28, "{kinds:?}");
    let form = owner.form(json!([
        field("radio", json!({"choices": choices()})),
        field("checkbox", json!({"choices": choices()})),
        field("short_text", json!({})),
    ]));
    let set = owner.patch(
        form.part("settings"),
        json!({
            "after_submission": {"mode": "redirect", "redirect": {"url": "https://a.example/", "fields": ["field_1"]},
                "report": {"score_based_feedbacks": [{"start_point": 0, "end_point": 1, "comment": "x"}]}},
            "exam": {"questions": {"field_1": {"scored": true, "score": 1, "answer": "red"}}},
            "pricing": {"discounts": [{"min_total": 1, "percent_off": 5}]},
        }),
    );
    assert_eq!(set.status, 200, "{set}");
    let rules = json!({"rules": [{
        "condition": {"operand": "or", "items": [
            {"field": "field_1", "operator": "eq", "value": "red"},
            {"field": "field_2", "operator": "any_in", "value": ["blue"]},
            {"field": "field_2", "operator": "not_null"},
        ]},
        "action": "show", "fields": ["field_3"],
    }]});
    assert_eq!(owner.put(form.part("field_rules"), rules).status, 200);
    for (method, name) in [("PATCH", "settings"), ("PATCH", "theme"), ("PUT", "field_rules")] {
        let path = form.part(name);
        let read = owner.get(&path);
        let body = read.data().to_string();
        let again = strict(&owner).send(method, &path, Some("application/json"), body.as_bytes());
        assert_eq!((again.status, warnings(&again)), (200, vec![]), "{read}: {again}");
        assert_eq!(again.data(), read.data());
    }
}

/// A form as another one can be made of it: fields get names of their own.
fn without_names(mut form: Value) -> Value {
    for field in form["fields"].as_array_mut().expect("fields") {
        field.as_object_mut().expect("a field").remove("api_code");
        let columns = field.get_mut("dimensions").and_then(Value::as_array_mut);
        for column in columns.into_iter().flatten() {
            if column.get("type").is_some() {
                column.as_object_mut().expect("a column").remove("api_code");
            }
        }
    }
    form
}

#[test]
fn a_rule_that_names_a_choice_which_is_not_there_is_told_of() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("radio", json!({"choices": choices()})), field("name", json!({}))]));
    let rules = |value: Value, operator: &str| {
        json!({"rules": [{
            "condition": {"operand": "and", "items": [{"field": "field_1", "operator": operator, "value": value}]},
            "action": "show", "fields": ["field_2"],
        }]})
    };
    let path = form.part("field_rules");
    let told = owner.put(&path, rules(json!(["red", "green"]), "any_in"));
    assert_eq!(told.status, 200, "{told}");
    assert_eq!(
        warnings(&told),
        ["rules[0].condition.items[0].value[1]: names \"green\", which this field does not have (use red, blue)"]
    );
    let fine = owner.put(&path, rules(json!("red"), "eq"));
    assert_eq!((fine.status, warnings(&fine)), (200, vec![]));
    let like = owner.put(&path, rules(json!("gre"), "like"));
    assert_eq!((like.status, warnings(&like)), (200, vec![]));
    assert_eq!(owner.put(&path, rules(json!("red"), "eq")).status, 200);
    // Removing the choice leaves the rule, and says so.
    let mut fields = owner.get(form.path()).data()["fields"].clone();
    fields[0]["choices"].as_array_mut().expect("choices").remove(0);
    let edited = owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(edited.status, 200, "{edited}");
    assert_eq!(
        warnings(&edited),
        [
            "fields.field_1.choices.red: is named by rules[0].condition.items[0] of the field rules, which matches nothing now"
        ]
    );
    assert_eq!(owner.get(&path).data(), rules(json!("red"), "eq"));
    let again = owner.patch(form.path(), json!({"name": "B"}));
    assert_eq!((again.status, warnings(&again)), (200, vec![]));
}

#[test]
fn the_description_knows_of_warnings_and_of_the_wish() {
    let paths = &CONTRACT.document["paths"];
    for (path, method, status) in [
        ("/api/v1/forms", "post", "201"),
        ("/api/v1/forms/{form_token}", "patch", "200"),
        ("/api/v1/forms/{form_token}/copy", "post", "201"),
        ("/api/v1/forms/{form_token}/settings", "patch", "200"),
        ("/api/v1/forms/{form_token}/theme", "patch", "200"),
        ("/api/v1/forms/{form_token}/field_rules", "put", "200"),
        ("/api/v1/forms/{form_token}/entries/import", "post", "201"),
    ] {
        let operation = &paths[path][method];
        let answer = &operation["responses"][status];
        let schema = &answer["content"]["application/json"]["schema"];
        assert_eq!(schema["properties"]["warnings"], json!({"$ref": "#/components/schemas/Warnings"}), "{path}");
        assert_eq!(schema["required"], json!(["data"]), "{path}");
        assert!(answer["headers"]["Preference-Applied"].is_object(), "{path}");
        let wish = json!({"$ref": "#/components/parameters/Prefer"});
        let parameters = operation["parameters"].as_array().expect("parameters");
        assert!(parameters.contains(&wish), "{path}");
    }
}

#[test]
fn entries_tell_what_they_drop() {
    let (server, owner) = (Server::shared(), Server::shared().user());
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("phone", json!({})),
        field("radio", json!({"choices": choices()})),
        field("table", json!({"dimensions": [{"type": "number", "label": "N"}]})),
        field("short_text", json!({"hidden": true})),
        field("formula", json!({"expression": "1 + 1", "result_type": "number"})),
        field(
            "booking",
            json!({"reservation_items": [{"api_code": "room", "name": "Room", "quota_setting": {
            "kind": "weekly", "weekly_quotas": (1..=7).map(|day| json!({"weekday": day})).collect::<Vec<_>>()}}]})
        ),
        field(
            "product",
            json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": 1, "dimensions": [
            {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "S"}]}]}]})
        ),
    ]));
    let values = json!({
        "feild_1": "x", "field_99": "x", "Name": "x", "created_at": "2026-01-01T00:00:00Z", "field_6": 3,
        "field_1": "Ada",
        "field_2": {"country_id": "DE", "number": "30 123456", "extension": "7"},
        "field_3": {"value": "red", "label": "Red"},
        "field_4": [{"field_1": 1, "field_2": 2}],
        "field_5": "mine",
        "field_7": [{"api_code": "room", "scheduled_at": "2090-01-02", "item_name": "Room", "places": 2}],
        "field_8": [{"api_code": "tea", "number": 1, "specification": {"size": "s", "colour": "red"}}],
    });
    let told = |own: &[&str], root: &str| -> Vec<String> {
        let all = [
            "feild_1: is not a known key",
            "field_99: is not a known key",
            "Name: is not a known key",
            "created_at: can't be set",
            "field_6: can't be set",
            "field_2.extension: is not a known key",
            "field_3.label: is not a known key",
            "field_4[0].field_2: is not a known key",
        ];
        let last = ["field_7[0].places: is not a known key", "field_8[0].specification.colour: is not a known key"];
        all.iter().chain(own).chain(&last).map(|line| format!("{root}{line}")).collect()
    };
    let with_key = |top: &str| -> Vec<String> { vec![format!("{top}: is not a known key")] };
    let body = json!({"field_values": values, "notify": false});
    let collaborators = [with_key("notify"), told(&[], "field_values.")].concat();
    let respondents = [with_key("notify"), told(&["field_5: is not a known key"], "field_values.")].concat();
    // The callers that add an entry, and where.
    let anon = server.anon();
    for (caller, path, expected) in
        [(&owner, form.entries(), &collaborators), (&anon, form.submissions(), &respondents)]
    {
        assert_eq!(warnings(&caller.post(&path, body.clone()).is(201)), *expected, "{path}");
        strict(caller).post(&path, body.clone()).refuses_with(&expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 2);
    assert_eq!(warnings(&owner.patch(form.entry(1), body.clone()).is(200)), collaborators);
    strict(&owner).patch(form.entry(1), body.clone()).is(422);
    let many = json!({"entries": [{"field_values": {}}, body], "notify": 1});
    let expected = [with_key("notify"), told(&[], "entries[1].field_values."), with_key("entries[1].notify")].concat();
    let path = format!("{}/bulk", form.entries());
    assert_eq!(warnings(&owner.post(&path, many.clone()).is(201)), expected);
    strict(&owner).post(&path, many).refuses_with(&expected.iter().map(String::as_str).collect::<Vec<_>>());
    // The fields of a read may be sent back; the entry's own keys are not among them.
    let read = owner.get(form.entry(1)).data();
    let fields: serde_json::Map<String, Value> = read
        .as_object()
        .expect("an entry")
        .iter()
        .filter(|(key, value)| key.starts_with("field_") && *key != "field_6" && !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let again = strict(&owner).patch(form.entry(1), json!({"field_values": fields})).is(200);
    assert_eq!(warnings(&again), [""; 0]);
}

#[test]
fn a_repeated_submission_warns_again() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let body = json!({"field_values": {"field_1": "x", "field_2": "y"}});
    let once = owner.header("Idempotency-Key", "one");
    let first = once.post(form.entries(), body.clone()).is(201);
    assert_eq!(warnings(&first), ["field_values.field_2: is not a known key"]);
    assert_eq!(once.post(form.entries(), body).is(201).text, first.text);
}

#[test]
fn folders_and_the_rest_tell_what_they_drop() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let path = "/api/v1/folders";
    let made = owner.post(path, json!({"name": "A", "colour": "red"})).is(201);
    assert_eq!(warnings(&made), ["colour: is not a known key"]);
    let token = made.data()["token"].as_str().expect("a token").to_owned();
    let own = format!("{path}/{token}");
    // It can only be renamed.
    let moved = json!({"name": "B", "parent_folder_token": null});
    assert_eq!(warnings(&owner.patch(&own, moved.clone()).is(200)), ["parent_folder_token: is not a known key"]);
    let refused = json!({"name": "", "parent_folder_token": null});
    strict(&owner)
        .patch(&own, refused)
        .refuses_with(&["parent_folder_token: is not a known key", "name: can't be blank"]);
    strict(&owner).post(path, json!({"name": "C", "colour": "red"})).refuses_with(&["colour: is not a known key"]);
    for method in ["PUT", "PATCH"] {
        let body = json!({"folder_token": token, "position": 1}).to_string();
        let placed = owner.send(method, &form.part("folder"), Some("application/json"), body.as_bytes()).is(200);
        assert_eq!(warnings(&placed), ["position: is not a known key"], "{method}");
        assert_eq!(placed.data()["folder_token"], token);
    }
    let other = Server::shared().user();
    let share = format!("{}/collaborators/{}", form.path(), support::sharing::id(&other));
    let webhooks = format!("{}/integrations/webhooks", form.path());
    for (method, path, body) in [
        ("PATCH", "/api/v1/me".to_owned(), json!({"odd": 1})),
        ("PUT", share, json!({"role": "viewer", "odd": 1})),
        ("POST", format!("{}/query", form.entries()), json!({"filter": [], "odd": 1})),
        ("POST", webhooks, json!({"url": "https://example.com/", "trigger_events": ["entry_created"], "odd": 1})),
        (
            "POST",
            "/api/v1/attachments".to_owned(),
            json!({"purpose": "header_image", "file_name": "a.png", "content_type": "image/png", "file_size": 5, "odd": 1}),
        ),
    ] {
        let send = |caller: &Caller| caller.send(method, &path, Some("application/json"), body.to_string().as_bytes());
        let told = send(&owner);
        assert!([200, 201].contains(&told.status), "{path}: {told}");
        let odd = "odd: is not a known key";
        assert!(warnings(&told).contains(&odd.to_owned()), "{path}: {told}");
        let refused = send(&strict(&owner)).is_for(422, &path);
        assert!(refused.faults().contains(&odd.to_owned()), "{path}: {refused}");
    }
}

#[test]
fn answers_that_stand_beside_each_other_are_told_where_they_belong() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let fault = "field_values: is required: put the answers inside field_values";
    let body = json!({"field_1": "Ada"});
    owner.post(form.entries(), body.clone()).refuses_with(&[fault]);
    Server::shared().anon().post(form.submissions(), body.clone()).refuses_with(&[fault]);
    owner
        .post(format!("{}/bulk", form.entries()), json!({"entries": [body.clone()]}))
        .refuses_with(&[&format!("entries[0].{fault}")]);
    owner.post(form.entries(), json!({"field_values": {}})).is(201);
    owner.patch(form.entry(1), body.clone()).refuses_with(&[fault]);
    // A caller who may not write is told that alone.
    Server::shared().user().post(form.entries(), body).is(404);
}
