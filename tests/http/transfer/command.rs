//! `formsvc entries export|import`: from the command line, beside the server (contract section 10).

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use support::steps::count;
use support::uploads::{path_of, uploaded};
use support::{Caller, Form, PROGRAM, Server, field, formsvc, means, text};

fn filled() -> (Server, Caller, Form) {
    let server = Server::alone("commands change all of it");
    let owner = server.user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "number", "label": "Age"},
    ]));
    for (name, age) in [("Ada", 36), ("=Grace", 85)] {
        let entry = json!({"field_values": {"field_1": name, "field_2": age}});
        assert_eq!(owner.post(form.entries(), entry).status, 201);
    }
    (server, owner, form)
}

#[test]
fn entries_go_out_and_come_in_beside_the_server() {
    let (server, owner, form) = filled();
    let printed = server.run(&["entries", "export", &form.token]);
    assert_eq!(printed.status.code(), Some(0), "{}", text(&printed.stderr));
    let api = owner.get(format!("{}/export", form.entries()));
    assert_eq!(text(&printed.stdout), api.text);
    // On a pipe there is no bar, and nothing else to read either.
    assert_eq!(text(&printed.stderr), "");
    let document = server.run(&["entries", "export", &form.token, "--json"]);
    let entries: Value = serde_json::from_slice(&document.stdout).expect("JSON");
    assert_eq!(entries[1]["field_1"], "=Grace");
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["out.csv", "out.xlsx"] {
        let file = dir.path().join(name);
        let file = file.to_str().expect("text");
        let before = count(&owner, &form);
        let made = server.run(&["entries", "export", &form.token, "--output", file]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        assert_eq!(text(&made.stdout), "");
        assert!(text(&made.stderr).contains(&format!("{before} entries are in ")));
        let looked = server.run(&["entries", "import", &form.token, file, "--dry-run"]);
        assert_eq!(looked.status.code(), Some(0), "{}", text(&looked.stderr));
        let right = format!("{before} rows are valid; nothing was stored");
        assert!(text(&looked.stderr).contains(&right));
        assert_eq!(count(&owner, &form), before);
        let came = server.run(&["entries", "import", &form.token, file, "--json"]);
        let answer: Value = serde_json::from_slice(&came.stdout).expect("JSON");
        assert_eq!(
            [&answer["created"], &answer["rows"], &answer["dry_run"]],
            [&json!(before), &json!(before), &json!(false)]
        );
        let warnings = answer["warnings"].as_array().expect("what the service sets");
        assert!(
            warnings.iter().all(|it| it["message"]
                .as_str()
                .is_some_and(|it| it.ends_with(" is set by the service and is ignored")))
        );
        assert_eq!(count(&owner, &form), before * 2);
        let last = owner.get(form.entry(before * 2)).data();
        assert_eq!((&last["field_1"], &last["creator_name"]), (&json!("=Grace"), &json!("Ada Lovelace")));
    }
    let codes = ["entries", "export", &form.token, "--format", "csv", "--headers", "api_codes"];
    assert!(text(&server.run(&codes).stdout).contains("\"field_1\",\"field_2\""));
    let piped = formsvc(&server.dir, &["entries", "import", &form.token, "-"], "field_1\nKatherine\n");
    assert_eq!(piped.status.code(), Some(0), "{}", text(&piped.stderr));
    assert_eq!(count(&owner, &form), 9);
}

#[test]
fn links_are_whole_where_the_address_is_known() {
    let server = Server::alone("it is ended");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({}))]));
    let id = uploaded(&anon, &form, "a b.txt", "text/plain", b"text");
    let entry = json!({"field_values": {"field_1": [id]}});
    assert_eq!(owner.post(form.entries(), entry).status, 201);
    let link = |base: Option<&str>| {
        let mut command = Command::new(&*PROGRAM);
        command.args(["entries", "export", &form.token, "--format", "json"]);
        command.arg("--data-dir").arg(&server.dir);
        command.envs(base.map(|base| ("FORMSVC_BASE_URL", base)));
        let ran = command.output().expect("it runs");
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
        let entries: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        entries[0]["field_1"][0]["url"].clone()
    };
    // A command without a base address uses the last server's own.
    for base in [Some(server.base.as_str()), None] {
        let named = link(base);
        let url = named.as_str().expect("a link");
        assert!(url.starts_with(&server.base), "{url}");
        assert_eq!(anon.get(path_of(&anon, url)).text, "text");
    }
    let named = link(Some("https://forms.example.org/sub"));
    let url = named.as_str().expect("a link");
    assert!(url.starts_with("https://forms.example.org/sub/"), "{url}");
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let moved = Server::over(&server.dir, &["--base-url", "https://other.example.org"]);
    moved.kill();
    let url = link(None);
    let url = url.as_str().expect("a link");
    assert!(url.starts_with("https://other.example.org/"), "{url}");
    // Nobody says it: a link that leads nowhere is none.
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let forgotten = database.execute("DELETE FROM service_address", []);
    assert_eq!(forgotten.expect("deletes"), 1);
    drop(database);
    assert_eq!(link(None), Value::Null);
}

/// Root runs the command on another user's data dir: the file is root's, though the command no longer is at its end.
#[test]
fn root_writes_its_own_file_where_it_becomes_another() {
    const NOBODY: u32 = 65_534;
    if !means::has(&["root"]) {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    fs::set_permissions(home.path(), Permissions::from_mode(0o755)).expect("a mode");
    let data = home.path().join("data");
    fs::create_dir(&data).expect("a folder");
    std::os::unix::fs::chown(&data, Some(NOBODY), Some(NOBODY)).expect("another owner");
    let server = Server::over(&data, &[]);
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let own = tempfile::tempdir().expect("a folder");
    fs::set_permissions(own.path(), Permissions::from_mode(0o700)).expect("a mode");
    let to = own.path().join("out.csv");
    let export = |form: &str| {
        let to = to.to_str().expect("text");
        server.run(&["entries", "export", form, "-o", to]).status.code()
    };
    assert_eq!(export(&form.token), Some(0));
    let written = fs::read(&to).expect("a file");
    assert!(!written.is_empty());
    assert_eq!(export("AAAAAAAAAA"), Some(6));
    assert_eq!(fs::read(&to).expect("a file"), written);
}

#[test]
fn what_is_wrong_has_a_sentence_and_a_code() {
    let (server, owner, form) = filled();
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("in.csv");
    std::fs::write(&file, "field_1,field_2\nAda,x\n,1\n").expect("a file");
    let file = file.to_str().expect("text");
    let run = |args: &[&str]| {
        let ran = server.run(args);
        (ran.status.code(), text(&ran.stderr))
    };
    assert_eq!(
        run(&["entries", "import", &form.token, file]),
        (
            Some(1),
            "formsvc: line 2, field_2: must be a number\n\
             formsvc: line 3, field_1: can't be blank\n\
             formsvc: nothing was imported: fix the 2 errors and import again\n"
                .to_owned()
        )
    );
    // Lines and columns are counted as in a spreadsheet.
    let other = dir.path().join("other.csv");
    std::fs::write(&other, "\n\nNAME; age;Remarks;\n\n\"A\nda\";x;;\n;;;\n;7;;y\n").expect("a file");
    let other = other.to_str().expect("text");
    assert_eq!(
        run(&["entries", "import", &form.token, other]),
        (
            Some(1),
            "formsvc: line 5, age: must be a number\n\
             formsvc: line 7, NAME: can't be blank\n\
             formsvc: nothing was imported: fix the 2 errors and import again\n"
                .to_owned()
        )
    );
    std::fs::write(other, "NAME;Remarks\nAda;x\n").expect("a file");
    assert_eq!(
        run(&["entries", "import", &form.token, other, "--dry-run"]),
        (
            Some(0),
            "formsvc: line 1: \"Remarks\" names no field of this form and is ignored\n\
             formsvc: 1 row is valid; nothing was stored\n"
                .to_owned()
        )
    );
    let document = server.run(&["entries", "import", &form.token, file, "--json"]);
    assert_eq!(document.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&document.stdout).expect("JSON");
    assert_eq!(document["error_details"][1]["attribute"], "rows[1].field_1");
    assert_eq!(count(&owner, &form), 2);
    for command in ["export", "import"] {
        let mut args = vec!["entries", command, "AAAAAAAAAA"];
        args.extend((command == "import").then_some(file));
        assert_eq!(run(&args), (Some(6), "formsvc: there is no such form\n".to_owned()));
    }
    let nowhere = dir.path().join("nowhere/out.csv");
    let nowhere = nowhere.to_str().expect("text");
    let (code, said) = run(&["entries", "export", &form.token, "-o", nowhere]);
    assert_eq!(code, Some(6));
    assert!(said.contains("can't be opened"), "{said}");
    assert_eq!(run(&["entries", "import", &form.token, nowhere]).0, Some(6));
    for args in [
        &["entries", "export", &form.token, "--format", "pdf"][..],
        &["entries", "export", &form.token, "--format", "csv", "--json"],
        &["entries", "import", &form.token],
        &["entries"],
    ] {
        assert_eq!(run(args).0, Some(2), "{args:?}");
    }
    // A name says the format, unless a flag does.
    let named = |name: &str| dir.path().join(name).to_str().expect("text").to_owned();
    for name in ["out.pdf", "out.xls", "out.tar.gz"] {
        let (code, said) = run(&["entries", "export", &form.token, "-o", &named(name)]);
        assert_eq!(code, Some(2), "{name}: {said}");
        let extension = name.rsplit('.').next().expect("one");
        let says = format!(
            "formsvc: entries can't be exported as .{extension}: name a file that ends in .csv, .xlsx or .json, or say \
             the format with --format\n"
        );
        assert_eq!(said, says);
        assert!(!dir.path().join(name).exists(), "{name}");
    }
    for (name, format, begins) in [
        ("plain", None, "\u{feff}"),
        ("out.pdf", Some("csv"), "\u{feff}"),
        ("out.csv", Some("json"), "["),
        ("OUT.JSON", None, "["),
    ] {
        let path = named(name);
        let mut args = vec!["entries", "export", &form.token, "-o", &path];
        args.extend(format.into_iter().flat_map(|format| ["--format", format]));
        assert_eq!(run(&args).0, Some(0), "{args:?}");
        let written = std::fs::read_to_string(&path).expect("a file");
        assert!(written.starts_with(begins), "{name}: {written}");
    }
    // A file that could not be filled is not left behind.
    let gone = dir.path().join("gone.csv");
    let (code, _) = run(&["entries", "export", "AAAAAAAAAA", "-o", gone.to_str().expect("text")]);
    assert_eq!((code, gone.exists()), (Some(6), false));
    let without = formsvc(Path::new("/nowhere"), &["entries", "export", "x"], "");
    assert_eq!(without.status.code(), Some(4));
}

#[test]
fn a_file_is_written_whole_or_left_as_it_was() {
    let (server, _, form) = filled();
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    let export = |form: &str, to: &Path| {
        let to = to.to_str().expect("text");
        let done = server.run(&["entries", "export", form, "-o", to]);
        done.status.code()
    };
    let names = || {
        let names = fs::read_dir(dir.path()).expect("a folder");
        let mut names: Vec<String> =
            names.map(|entry| entry.expect("a name").file_name().into_string().expect("text")).collect();
        names.sort();
        names
    };
    let kept = at("kept.csv");
    fs::write(&kept, "precious").expect("a file");
    fs::set_permissions(&kept, Permissions::from_mode(0o640)).expect("its mode");
    symlink(&kept, at("link.csv")).expect("a link");
    symlink("new.csv", at("leads-nowhere.csv")).expect("a link");
    for to in [&kept, &at("link.csv")] {
        assert_eq!(export("AAAAAAAAAA", to), Some(6));
        let to = to.to_str().expect("text");
        let without = formsvc(Path::new("/nowhere"), &["entries", "export", "x", "-o", to], "");
        assert_eq!(without.status.code(), Some(4));
        assert_eq!(fs::read(&kept).expect("a file"), b"precious");
    }
    assert_eq!(names(), ["kept.csv", "leads-nowhere.csv", "link.csv"]);
    assert_eq!(export("AAAAAAAAAA", &at("none.csv")), Some(6));
    assert_eq!(export("AAAAAAAAAA", &at("leads-nowhere.csv")), Some(6));
    let none = at("none.csv");
    let args = ["entries", "export", "x", "-o", none.to_str().expect("text")];
    let without = formsvc(Path::new("/nowhere"), &args, "");
    assert_eq!(without.status.code(), Some(4));
    assert_eq!(names(), ["kept.csv", "leads-nowhere.csv", "link.csv"]);
    assert_eq!(export(&form.token, &at("link.csv")), Some(0));
    assert_eq!(export(&form.token, &at("leads-nowhere.csv")), Some(0));
    let whole = server.run(&["entries", "export", &form.token, "-o", "-"]).stdout;
    assert!(whole.windows(3).any(|part| part == b"Ada"));
    assert_eq!(fs::read(&kept).expect("a file"), whole);
    assert_eq!(fs::metadata(&kept).expect("a file").mode() & 0o777, 0o640);
    assert!(at("link.csv").is_symlink() && at("leads-nowhere.csv").is_symlink());
    assert_eq!(fs::read(at("new.csv")).expect("a file"), whole);
    assert_eq!(names(), ["kept.csv", "leads-nowhere.csv", "link.csv", "new.csv"]);
    // The earlier content was longer.
    fs::write(&kept, "precious ".repeat(1000)).expect("a file");
    assert_eq!(export(&form.token, &kept), Some(0));
    assert_eq!(fs::read(&kept).expect("a file"), whole);
    // A pipe takes it as it comes, and stays.
    let pipe = at("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for (form, expected) in [("AAAAAAAAAA", (Some(6), Vec::new())), (&form.token, (Some(0), whole))] {
        let taken = thread::scope(|scope| {
            let reader = scope.spawn(|| fs::read(&pipe).expect("a pipe"));
            let code = export(form, &pipe);
            (code, reader.join().expect("no panic"))
        });
        assert_eq!(taken, expected);
        assert!(pipe.exists());
    }
}
