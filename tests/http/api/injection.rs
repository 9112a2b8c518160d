//! A corpus of texts that break out of somewhere, in every parameter that the API's description names, and in
//! every key of its bodies: no fault of the server, nothing run, nothing shown that was not escaped.

use std::collections::BTreeSet;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use support::{Caller, Form, Response, Server, field};

/// A script whose trace would be seen if it were run or shown unescaped.
const SCRIPT: &str = "<script>alert(1)</script>";

const CORPUS: &[&str] = &[
    // SQL and full-text search
    "' OR '1'='1",
    "'; DROP TABLE entries; --",
    "1 UNION SELECT password FROM users",
    "\") OR (\"1\"=\"1",
    "x' AND randomblob(1000000000) --",
    "%' ESCAPE '\\",
    "\"* NEAR(a b, 0)",
    // markup, in text and in attributes
    SCRIPT,
    "\"><script>alert(1)</script>",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</textarea><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--",
    // headers and addresses
    "x\r\nSet-Cookie: a=b",
    "x\nLocation: //example.org",
    "//example.org/%2f..",
    "\\\\example.org\\x",
    // files
    "../../../../etc/passwd",
    "..%2f..%2fkeys%2finstance.key",
    "/etc/passwd\0.png",
    "file:///etc/passwd",
    "CON",
    // templates, shells, formats
    "{{7*7}}",
    "${7*7}",
    "{{field_1}}",
    "$(sleep 30)",
    "`sleep 30`",
    "| sleep 30",
    "%s%n%x",
    "%00",
    // JSON, XML, spreadsheets
    "{\"$gt\": \"\"}",
    "[]",
    "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
    "=HYPERLINK(\"http://example.org\")",
    // Unicode
    "\u{202e}\u{2066}\u{0}",
    "\u{ff07} \u{ff1c}script\u{ff1e}",
    "\u{fdfa}\u{fdfa}\u{fdfa}",
    "𝒳\u{301}\u{301}\u{301}",
    // numbers
    "-1",
    "99999999999999999999",
    "1e309",
    "0x10",
];

/// Checks that an answer has no server error, and no sign that anything was run.
fn is_harmless(what: &str, text: &str, answer: &Response) {
    assert!(answer.status < 500, "{what} {text:?}: {answer}");
    for name in answer.headers.keys() {
        assert!(name != "set-cookie" || what.contains("/f/"), "{what} {text:?}");
    }
    let is_page = answer.header("content-type").starts_with("text/html");
    assert!(
        !is_page || !answer.text.contains(SCRIPT) && !answer.text.contains("onerror=alert(1)>"),
        "{what} {text:?}: shown as it is"
    );
    for telling in ["sqlite", "no such column", "syntax error near", "panicked", "root:x:0"] {
        assert!(!answer.text.contains(telling), "{what} {text:?}: {answer}");
    }
}

/// The address of a path of the description, with the form's own token and `text` for all that is not asked for.
fn address(path: &str, form: &Form, replaced: Option<(&str, &str)>) -> String {
    let parts = path.split('/').map(|part| {
        let Some(name) = part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) else {
            return part.to_owned();
        };
        match replaced {
            Some((known, text)) if known == name => encoded(text),
            _ if name.contains("form_token") => form.token.clone(),
            _ => "1".to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn parameters<'d>(operation: &'d Value, place: &str) -> Vec<&'d str> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    let found = all.filter(|parameter| parameter["in"] == place);
    found.filter_map(|parameter| parameter["name"].as_str()).collect()
}

/// The keys of a body that the description names.
fn keys(document: &Value, operation: &Value) -> Vec<String> {
    let mut schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    if let Some(pointer) = schema["$ref"].as_str() {
        schema = document.pointer(&pointer[1..]).expect("a schema");
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(key, _)| key.clone()).collect()
}

fn target(owner: &Caller) -> Form {
    let form = owner.form(json!([field("short_text", json!({})), field("attachment", json!({}))]));
    let values = json!({"field_values": {"field_1": "kept"}});
    assert_eq!(owner.post(form.entries(), values).status, 201);
    form
}

#[test]
fn no_parameter_breaks_out() {
    let server = Server::alone("commands change all of it");
    let owner = server.user();
    let document = owner.get("/api/v1/openapi.json").json();
    let mut asked = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let method = method.to_uppercase();
            if !["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str()) {
                continue;
            }
            let what = format!("{method} {path}");
            // Writes go to a form of their own.
            let form = target(&owner);
            let names = keys(&document, operation);
            let body = |key: Option<&str>, text: &str| {
                let pairs = key.map(|key| (key.to_owned(), json!(text)));
                Value::Object(pairs.into_iter().collect::<Map<_, _>>())
            };
            let send = |address: &str, body: &Value| {
                let text = body.to_string();
                let kind = (method != "GET" && method != "DELETE").then_some("application/json");
                let bytes = kind.map_or(&b""[..], |_| text.as_bytes());
                owner.send(&method, address, kind, bytes)
            };
            for text in CORPUS {
                for name in parameters(operation, "path") {
                    asked.insert(format!("{what} {name}"));
                    let answer = send(&address(path, &form, Some((name, text))), &json!({}));
                    is_harmless(&what, text, &answer);
                }
                for name in parameters(operation, "query") {
                    asked.insert(format!("{what} ?{name}"));
                    let place = address(path, &form, None);
                    let answer = send(&format!("{place}?{name}={}", encoded(text)), &json!({}));
                    is_harmless(&what, text, &answer);
                }
                for key in &names {
                    asked.insert(format!("{what} .{key}"));
                    let answer = send(&address(path, &form, None), &body(Some(key), text));
                    is_harmless(&what, text, &answer);
                }
            }
        }
    }
    assert!(asked.len() > 120, "{}", asked.len());
    let form = target(&owner);
    for text in CORPUS {
        for pair in ["field_1", "x_field_1", "embed", "_page", "_password", text] {
            let page = format!("{}?{}={}", form.page(), encoded(pair), encoded(text));
            is_harmless("the page", text, &server.anon().get(page));
            let posted = server.anon().post_form(form.page(), &[(pair, *text), ("_page", "0")]);
            is_harmless("POST /f/", text, &posted);
        }
    }
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "kept");
    let checked = server.run(&["doctor"]);
    assert!(checked.status.success(), "{checked:?}");
}
