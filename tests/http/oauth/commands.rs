//! `formsvc app` and `formsvc keys`.

use serde_json::{Value, json};
use support::{Server, formsvc, text};

use crate::oauth::{REDIRECT, app, database};

fn code(server: &Server, args: &[&str]) -> (Option<i32>, String) {
    let done = server.run(args);
    (done.status.code(), text(&done.stderr))
}

#[test]
fn apps_are_registered_listed_and_removed() {
    let server = Server::alone("its database is changed");
    let create = ["app", "create", "--name", "  Notes  ", "--redirect-uri"];
    let uris = [REDIRECT, "com.example.notes:/cb"];
    let scopes = ["--scope", "entry:read", "form:read"];
    let made = server.run(&[&create[..], &uris, &scopes].concat());
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let shown = text(&made.stdout);
    let words: Vec<&str> = shown.split_whitespace().collect();
    let [_, id, _, secret] = words.as_slice() else {
        panic!("{shown}");
    };
    assert_eq!((words[0], words[2]), ("client_id", "client_secret"));
    assert_eq!(secret.len(), 43, "256 bits");
    assert!(text(&made.stderr).contains("shown only once"));
    let public = app(&server, &["--public"]);
    assert_eq!(public.secret, None);
    assert_eq!(public.id.len(), 22);

    let listed = server.run(&["app", "list", "--json"]);
    let mut listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    for row in listed.as_array_mut().expect("a list") {
        let time = row.as_object_mut().expect("a row").remove("created_at");
        assert!(time.is_some_and(|time| time.as_str().is_some_and(|time| time.ends_with('Z'))));
    }
    assert_eq!(
        listed[0],
        json!({
            "client_id": id,
            "name": "Notes",
            "redirect_uris": uris,
            "scopes": ["form:read", "entry:read"],
            "public": false,
        })
    );
    assert_eq!(listed[1]["public"], true);
    assert_eq!(listed[1]["scopes"].as_array().map(Vec::len), Some(9), "all of them");
    let table = text(&server.run(&["app", "list"]).stdout);
    assert!(table.contains(id) && !table.contains(secret), "{table}");

    let (exit, said) = code(&server, &["app", "delete", id, "--no-input"]);
    assert_eq!(exit, Some(2), "{said}");
    assert!(said.contains("--yes"), "{said}");
    let (exit, _) = code(&server, &["app", "delete", id]);
    assert_eq!(exit, Some(2), "nobody can be asked here either");
    let gone = server.run(&["app", "delete", id, "--yes", "--json"]);
    assert_eq!(gone.status.code(), Some(0), "{}", text(&gone.stderr));
    let gone: Value = serde_json::from_slice(&gone.stdout).expect("JSON");
    assert_eq!(gone, json!({"client_id": id, "deleted": true}));
    for id in [id, "nobody"] {
        let (exit, said) = code(&server, &["app", "delete", id, "--yes"]);
        assert_eq!((exit, said.trim()), (Some(6), "formsvc: there is no such app"));
    }
}

#[test]
fn what_cannot_be_registered_is_said_all_at_once() {
    let server = Server::shared();
    let create = |name: &str, uris: &[&str]| {
        let args = ["app", "create", "--name", name, "--redirect-uri"];
        code(server, &[&args[..], uris].concat())
    };
    let (exit, said) = create(" ", &["http://app.example.com/cb", REDIRECT, "javascript:alert(1)"]);
    assert_eq!(exit, Some(2));
    for part in ["name can't be blank", "redirect_uris[0] must be https", "redirect_uris[2] must be https"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("redirect_uris[1]"));
    for uri in [
        "https://app.example.com/cb#x",
        "https://me@app.example.com/cb",
        "https://*.example.com/cb",
        "https://App.example.com/cb",
        "data:text/html,x",
        "/callback",
        "myapp:/cb",
    ] {
        let (exit, said) = create("App", &[uri]);
        assert_eq!(exit, Some(2), "{uri}: {said}");
    }
    for args in [
        &["app", "create", "--name", "App"][..],
        &["app", "create", "--redirect-uri", REDIRECT],
        &["app", "create", "--name", "App", "--redirect-uri", REDIRECT, "--scope", "everything"],
        &["app"],
        &["keys"],
    ] {
        assert_eq!(code(server, args).0, Some(2), "{args:?}");
    }
}

#[test]
fn they_need_a_data_dir() {
    let empty = tempfile::tempdir().expect("a folder");
    for args in [
        &["app", "list"][..],
        &["app", "create", "--name", "App", "--redirect-uri", REDIRECT],
        &["app", "delete", "x", "--yes"],
        &["keys", "rotate"],
    ] {
        let done = formsvc(empty.path(), args, "");
        assert_eq!(done.status.code(), Some(4), "{args:?}: {}", text(&done.stderr));
    }
}

#[test]
fn keys_are_named_when_they_change() {
    let server = Server::with(&[]);
    let rotated = server.run(&["keys", "rotate", "--json"]);
    assert_eq!(rotated.status.code(), Some(0), "{}", text(&rotated.stderr));
    let rotated: Value = serde_json::from_slice(&rotated.stdout).expect("JSON");
    let active: String = database(&server)
        .query_row("SELECT kid FROM signing_keys WHERE retired_at IS NULL", [], |row| row.get(0))
        .expect("a key");
    assert_eq!(rotated, json!({"kid": active}));
}
