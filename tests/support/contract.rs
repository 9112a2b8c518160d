//! Checks every answer of every test against the program's own description of its API.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};

use crate::client::Response;
use crate::{formsvc, text};

const NAME: &str = "urn:formsvc";

/// The description of the built program.
pub struct Contract {
    /// The OpenAPI document.
    pub document: Value,
    registry: Registry<'static>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// Read once, from `formsvc openapi`.
pub static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let printed = formsvc(Path::new("/nowhere"), &["openapi"], "");
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let document: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    let registry = Registry::new()
        .add(NAME, document.clone())
        .expect("a name")
        .prepare()
        .expect("every reference leads somewhere");
    Contract { document, registry, validators: Mutex::default() }
});

impl Contract {
    /// The schema at a place of the document, given as a JSON pointer.
    pub fn validator(&self, pointer: &str) -> Arc<Validator> {
        let known = || self.validators.lock().expect("no panic");
        if let Some(validator) = known().get(pointer) {
            return Arc::clone(validator);
        }
        let place = pointer.replace('{', "%7B").replace('}', "%7D");
        let schema = json!({"$ref": format!("{NAME}#{place}")});
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_registry(&self.registry)
            .build(&schema)
            .unwrap_or_else(|fault| panic!("{pointer} is no schema: {fault}"));
        let validator = Arc::new(validator);
        known().insert(pointer.to_owned(), Arc::clone(&validator));
        validator
    }

    /// The faults of a value by the schema at that place.
    pub fn faults(&self, pointer: &str, value: &Value) -> Vec<String> {
        let validator = self.validator(pointer);
        if validator.is_valid(value) {
            return Vec::new();
        }
        let faults = validator.iter_errors(value);
        faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
    }

    /// The path of the document that answers an address.
    fn path(&self, address: &str) -> Option<&str> {
        let plain = address.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = plain.split('/').collect();
        let paths = self.document["paths"].as_object().expect("paths");
        let fits = |path: &&String| {
            let known: Vec<&str> = path.split('/').collect();
            known.len() == parts.len()
                && known
                    .iter()
                    .zip(&parts)
                    .all(|(known, part)| known == part || known.starts_with('{') && !part.is_empty())
        };
        // A word at a place goes before a parameter there.
        paths.keys().filter(fits).min_by_key(|path| path.matches('{').count()).map(String::as_str)
    }

    /// A place of the document, behind its reference if it is one.
    fn resolve(&self, pointer: String) -> String {
        match self.document.pointer(&pointer) {
            Some(Value::Object(map)) if map.contains_key("$ref") => {
                let to = map["$ref"].as_str().expect("an address");
                to.trim_start_matches('#').to_owned()
            }
            _ => pointer,
        }
    }
}

/// Holds an answer against the description: its status is one that the route can have, its body is of
/// the shape, and its headers are there.
pub fn check(method: &str, address: &str, response: &Response) {
    let contract = &*CONTRACT;
    let at = || format!("{method} {address}: {} {}", response.status, response.text);
    // The posts of pages are not described.
    if method == "POST" && address.starts_with("/api/v1/oauth/authorize") {
        return;
    }
    let Some(path) = contract.path(address) else {
        if address.starts_with("/api/") {
            assert_eq!(response.status, 404, "{}: not described", at());
            no_faults(contract.faults("/components/schemas/Error", &response.json()), &at);
        }
        return;
    };
    let operation = if method == "HEAD" { "GET" } else { method }.to_ascii_lowercase();
    let operation = format!("/paths/{}/{operation}", path.replace('/', "~1"));
    if contract.document.pointer(&operation).is_none() {
        let fits = response.status == 405 || method == "OPTIONS" && response.status == 204;
        assert!(fits, "{}: not described", at());
        return;
    }
    // A request refused by the transport never reaches a route, and some rows answer no HEAD.
    if matches!(response.status, 414 | 431) || method == "HEAD" && response.status == 405 {
        return;
    }
    let answer = contract.resolve(format!("{operation}/responses/{}", response.status));
    let Some(described) = contract.document.pointer(&answer) else {
        panic!("{}: this status is not described", at());
    };
    for name in described["headers"].as_object().into_iter().flat_map(|all| all.keys()) {
        let header = contract.resolve(format!("{answer}/headers/{name}"));
        let required = contract.document.pointer(&format!("{header}/required"));
        if required == Some(&json!(true)) || name == "WWW-Authenticate" && response.status == 401 {
            assert!(!response.header(name).is_empty(), "{}: lacks {name}", at());
        }
    }
    if described["headers"].get("ETag").is_none() {
        assert_eq!(response.header("etag"), "", "{}: its ETag is not described", at());
    }
    if method == "HEAD" || !response.header("content-encoding").is_empty() {
        return;
    }
    if described.get("content").is_none() {
        assert_eq!(response.text, "", "{}: no body is described", at());
        return;
    }
    let kind = response.header("content-type");
    let essence = kind.split(';').next().unwrap_or_default();
    let family = format!("{}/*", essence.split('/').next().unwrap_or_default());
    let mut known = [essence, &family].into_iter();
    assert!(known.any(|kind| described["content"].get(kind).is_some()), "{}: {kind}", at());
    if essence != "application/json" {
        return;
    }
    assert_eq!(kind, "application/json", "{}", at());
    let body = response.json();
    let schema = format!("{answer}/content/application~1json/schema");
    no_faults(contract.faults(&schema, &body), &at);
    if body.get("code").is_some() {
        let codes = contract.document.pointer(&format!("{schema}/allOf/1/properties/code"));
        assert!(codes.is_some(), "{}: this code is not described", at());
    }
}

fn no_faults(faults: Vec<String>, at: &dyn Fn() -> String) {
    assert!(faults.is_empty(), "{}\n{}", at(), faults.join("\n"));
}
