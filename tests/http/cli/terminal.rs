//! Names chosen by people, as terminals and logs are given them: no character of them moves the cursor, ends a line or
//! turns the direction of the text after it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use serde_json::{Value, json};
use support::{Server, formsvc, text, until};

/// A name that reads as another: `Ada gpj.exe`.
const NAME: &str = "Ada \u{202e}exe.jpg\u{2066}\u{200f}\u{2028}\u{feff}";
const SHOWN: &str = "Ada \\u202eexe.jpg\\u2066\\u200f\\u2028\\ufeff";

/// Checks that the output contains nothing deceptive; returns it.
fn plain(output: &Output) -> String {
    let all = [text(&output.stdout), text(&output.stderr)].concat();
    let odd = |c: char| c.is_control() && c != '\n' || NAME.contains(c) && !c.is_ascii();
    assert!(!all.contains(odd), "{all:?}");
    all
}

#[test]
fn names_are_printed_so_that_they_deceive_nobody() {
    let server = Server::alone("its data dir is looked at");
    let org = format!("Org {NAME}");
    let run = |args: &[&str]| server.run(args);
    let made = run(&["user", "create", "ada@example.org", "--name", NAME, "--organization", &org]);
    assert!(plain(&made).contains(SHOWN), "{}", plain(&made));
    let token =
        run(&["token", "create", "--user", "ada@example.org", "--name", NAME, "--scope", "form:write", "form:read"]);
    let ada = server.anon().with_token(text(&token.stdout).trim());
    let form = ada.form(json!([{"type": "short_text", "label": NAME, "required": true}]));
    let to = "https://example.org/";
    let app = run(&["app", "create", "--name", NAME, "--redirect-uri", to]);
    let id = text(&app.stdout);
    let id = id.split_whitespace().nth(1).expect("an id");
    for args in [&["user", "list"][..], &["token", "list"], &["app", "list"], &["plan", "list"]] {
        let listed = plain(&run(args));
        assert!(listed.contains(SHOWN), "{args:?}: {listed}");
        let document = run(&[args, &["--json"]].concat());
        plain(&document);
        let document: Value = serde_json::from_slice(&document.stdout).expect("one document");
        let names = document.as_array().expect("a list").iter();
        let mut names = names.flat_map(|row| [&row["name"], &row["organization"]]);
        assert!(names.any(|name| *name == NAME || *name == org), "{args:?}: {document}");
    }
    let email = format!("{NAME}@example.org");
    let rows = server.dir.join("rows.csv");
    fs::write(&rows, format!("{NAME}\n\n\n")).expect("written");
    let rows = rows.to_str().expect("text");
    for args in [
        &["app", "delete", id][..],
        &["user", "delete", &email],
        &["user", "set-role", "ada@example.org", "owner"],
        &["plan", "set", &org, "business"],
        &["plan", "set", NAME, "business"],
        &["entries", "import", &form.token, rows],
        &["entries", "import", &form.token, NAME],
        &["token", "create", "--user", NAME, "--name", NAME, "--scope", NAME],
        &[NAME],
    ] {
        plain(&run(args));
    }
    assert!(plain(&run(&["app", "delete", id])).contains(SHOWN));
}

#[test]
fn lines_of_the_log_stay_lines() {
    for format in ["text", "json"] {
        let home = tempfile::tempdir().expect("a folder");
        let dir = home.path().join(format!("a{NAME}\n\u{1b}[2J\u{9b}b"));
        let server = Server::over(&dir, &["--log-format", format]);
        let key = dir.join("keys/instance");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).expect("a mode");
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        let server = Server::over(&dir, &["--log-format", format]);
        until("it warns", || server.stderr().contains("keys/instance"));
        let log = server.stderr();
        assert!(log.contains("\\u202eexe.jpg") && log.contains("[2J"), "{log}");
        let odd = |c: char| c.is_control() && c != '\n' || NAME.contains(c) && !c.is_ascii();
        assert!(!log.contains(odd), "{log:?}");
        let line = log.lines().find(|line| line.contains("keys/instance")).expect("a line");
        assert!(line.contains("WARN") && line.contains("[2J"), "{line}");
        if format == "json" {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let message = line["message"].as_str().expect("text");
            assert!(message.contains(dir.to_str().expect("text")), "{message:?}");
        }
        let refused = formsvc(&dir, &["serve", "--listen", "127.0.0.1:0"], "");
        assert_eq!(refused.status.code(), Some(4));
        let said = text(&refused.stderr);
        assert!(!said.contains(odd) && said.lines().count() == 1, "{said:?}");
    }
}
