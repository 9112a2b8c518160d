//! Query parameters of a few known values: another one is refused on every route, never passed over.

use serde_json::{Value, json};
use support::contract::CONTRACT;
use support::{Server, field, text};

/// Answered to an application by a redirect, and by a picture that has to be there first: tests of theirs say how.
const APART: [&str; 2] = ["/api/v1/oauth/authorize", "/images/{id}"];

/// A value that a parameter does not have; `None` where it takes any text.
fn unknown(schema: &Value) -> Option<&'static str> {
    let is_closed = ["enum", "anyOf", "format"].iter().any(|key| schema.get(key).is_some());
    let is_text = schema["type"] == "string";
    (is_closed || !is_text).then_some("zz")
}

/// A parameter itself, where one is described for several operations.
fn described(parameter: &Value) -> &Value {
    let reference = parameter["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    reference.and_then(|path| CONTRACT.document.pointer(path)).unwrap_or(parameter)
}

#[test]
fn an_unknown_value_is_refused_on_every_route() {
    let server = Server::alone("its user reads the audit log");
    let owner = server.user();
    let made = server.run(&["user", "set-role", &owner.email, "owner"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let form = owner.form_with(json!({"name": "A", "fields": [field("short_text", json!({}))]}));
    let hook = json!({"url": "https://example.org/", "trigger_events": ["entry_created"]});
    let hook = owner.post(form.part("integrations/webhooks"), hook).is(201).data();
    let hook = hook["id"].as_str().expect("an id").to_owned();
    let paths = CONTRACT.document["paths"].as_object().expect("paths");
    let mut asked = Vec::new();
    for (path, operations) in paths.iter().filter(|(path, _)| !APART.contains(&path.as_str())) {
        let address = path.replace("{form_token}", &form.token).replace("{webhook_id}", &hook);
        for (method, operation) in operations.as_object().expect("operations") {
            for parameter in operation["parameters"].as_array().into_iter().flatten().map(described) {
                let name = parameter["name"].as_str().expect("a name");
                let Some(value) = unknown(&parameter["schema"]).filter(|_| parameter["in"] == "query") else {
                    continue;
                };
                assert!(!address.contains('{'), "{path}: the test has no value for it");
                let address = format!("{address}?{name}={value}");
                let refused = match method.as_str() {
                    "get" => owner.get(&address),
                    _ => owner.send("POST", &address, Some("text/csv"), b"field_1\na\n"),
                };
                assert!([400, 422].contains(&refused.status), "{address}: {refused}");
                assert!(refused.text.contains(name), "{address}: {refused}");
                asked.push(name.to_owned());
            }
        }
    }
    for name in ["sort", "trashed", "format", "headers", "dry_run", "action", "page_size", "from"] {
        assert!(asked.iter().any(|known| known == name), "{name} in {asked:?}");
    }
}
