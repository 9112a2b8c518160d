//! Keys that nothing reads, in bodies that write forms, settings, themes and rules: told as warnings, or refused with
//! `Prefer: handling=strict` (contract section 1).

use serde_json::{Value, json};
use support::contract::CONTRACT;
use support::{Caller, Form, Response, Server, field};

/// The warnings, as `attribute: message`.
fn warnings(answer: &Response) -> Vec<String> {
    let body = answer.json();
    let list = body["warnings"].as_array().cloned().unwrap_or_default();
    let word = |it: &Value, key: &str| it[key].as_str().expect("a text").to_owned();
    list.iter().map(|it| format!("{}: {}", word(it, "attribute"), word(it, "message"))).collect()
}

fn strict(caller: &Caller) -> Caller {
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
    // What is all right is answered as ever, and that the wish was heard.
    let fine = strict(&owner).patch(form.path(), json!({"name": "B"}));
    assert_eq!(fine.status, 200, "{fine}");
    assert_eq!(fine.header("preference-applied"), "handling=strict");
    assert_eq!(fine.json().as_object().map(serde_json::Map::len), Some(1));
    let lenient = owner.header("Prefer", "handling=lenient").patch(form.path(), json!({"nmae": 1}));
    assert_eq!((lenient.status, lenient.header("preference-applied")), (200, ""));
    // Where no keys are looked for, nothing is promised.
    let entry = strict(&owner).post(form.entries(), json!({"field_values": {}, "x": 1}));
    assert_eq!((entry.status, entry.header("preference-applied")), (201, ""));
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

/// Every definition that the description gives as an example, without what only its own server has.
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
    assert_eq!(warnings(&told), ["rules[0].condition.items[0].value: names \"green\", which is no choice of field_1"]);
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
        assert_eq!(schema["properties"]["warnings"]["type"], "array", "{path}");
        assert_eq!(schema["required"], json!(["data"]), "{path}");
        assert!(answer["headers"]["Preference-Applied"].is_object(), "{path}");
        let wish = json!({"$ref": "#/components/parameters/Prefer"});
        let parameters = operation["parameters"].as_array().expect("parameters");
        assert!(parameters.contains(&wish), "{path}");
    }
}
