//! The command line (contract section 10): flags, variables, the config file, exit codes, and the split of output
//! between stdout and stderr.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use support::tls::make_certificate;
use support::{PROGRAM, Server, formsvc, means, raw, text, until};
use tempfile::TempDir;

/// A command in an environment that holds nothing of the machine's.
fn command(home: &Path) -> Command {
    let mut command = Command::new(&*PROGRAM);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .stdin(Stdio::null());
    command
}

fn run(home: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    command(home).args(args).envs(variables.iter().copied()).output().expect("the program runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("a mode");
    folder
}

/// A data dir that was served once.
fn data_dir() -> TempDir {
    let dir = folder();
    let server = Server::over(dir.path(), &[]);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    dir
}

/// The settings that `config show` prints with these flags and variables.
fn settings(home: &Path, args: &[&str], variables: &[(&str, &str)]) -> Value {
    let shown = run(home, &[&["config", "show", "--json"], args].concat(), variables);
    assert_eq!(code(&shown), 0, "{}", text(&shown.stderr));
    serde_json::from_slice(&shown.stdout).expect("one document")
}

/// One sentence on stderr, nothing on stdout.
fn refusal(output: &Output) -> String {
    assert_eq!(text(&output.stdout), "");
    let said = text(&output.stderr);
    let said = said.trim_end();
    assert!(!said.contains('\n'), "one sentence: {said}");
    assert!(!said.contains(".rs"), "{said}");
    said.strip_prefix("formsvc: ").expect("ours").to_owned()
}

#[test]
fn serve_says_where_and_gives_a_link_while_there_is_no_account() {
    let dir = folder();
    let server = Server::over(dir.path(), &[]);
    let port: u16 = raw::host(&server.base).rsplit(':').next().expect("a port").parse().expect("a number");
    assert_ne!(port, 0);
    let link = server.setup_link.clone().expect("a link");
    assert!(link.starts_with(&format!("{}/setup/", server.base)), "{link}");
    assert_eq!(server.anon().get("/healthz").status, 200);
    assert_eq!(server.anon().get("/readyz").status, 200);
    let made = server.run(&["user", "create", "ann@example.org", "--name", "Ann"]);
    assert_eq!(code(&made), 0);
    server.signal("INT");
    assert_eq!(server.wait(), Some(0));

    let again = command(dir.path())
        .args(["serve", "--listen", "127.0.0.1:0", "--json", "--data-dir"])
        .arg(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let mut again = again;
    let mut line = String::new();
    let mut out = std::io::BufReader::new(again.stdout.take().expect("piped"));
    std::io::BufRead::read_line(&mut out, &mut line).expect("a line");
    let said: Value = serde_json::from_str(&line).expect("one document");
    assert_eq!(said["setup_link"], Value::Null);
    assert!(said["listening"][0].as_str().expect("text").starts_with("http://127.0.0.1:"));
    assert_eq!(said["listening"].as_array().map(Vec::len), Some(1));
    again.kill().expect("ends");
    again.wait().expect("ends");
}

#[test]
fn links_are_built_from_the_base_url() {
    let server = Server::with(&["--base-url", "https://forms.example.org/sub/"]);
    let link = server.setup_link.clone().expect("a link");
    assert!(link.starts_with("https://forms.example.org/sub/setup/"), "{link}");
    let flags = ["setup-link", "--base-url", "https://forms.example.org/sub"];
    let other = text(&server.run(&flags).stdout);
    assert!(other.starts_with("https://forms.example.org/sub/setup/"), "{other}");
    assert_ne!(other.trim(), link);
    let said = server.run(&["setup-link", "--json"]);
    let said: Value = serde_json::from_slice(&said.stdout).expect("one document");
    assert!(
        said["setup_link"].as_str().expect("text").starts_with("https://forms.example.org/sub/setup/"),
        "the last server's address"
    );
    let other = server.run(&["setup-link", "--listen", "127.0.0.1:8081"]);
    assert!(text(&other.stdout).starts_with("http://127.0.0.1:8081/setup/"));
    assert!(said["expires_at"].as_str().expect("text").ends_with('Z'));
    server.user();
    let refused = server.run(&["setup-link"]);
    assert_eq!(code(&refused), 6);
    assert!(refusal(&refused).contains("formsvc user create"));
}

#[test]
fn a_second_serve_is_refused() {
    let server = Server::alone("its data dir is looked at");
    let second = formsvc(&server.dir, &["serve", "--listen", "127.0.0.1:0"], "");
    assert_eq!(code(&second), 4);
    assert!(refusal(&second).contains("stop that one first"));
    assert_eq!(server.anon().get("/readyz").status, 200);
}

#[test]
fn a_newer_database_is_not_touched() {
    let dir = data_dir();
    let file = dir.path().join("formsvc.db");
    let database = rusqlite::Connection::open(&file).expect("opens");
    database
        .execute("INSERT INTO refinery_schema_history VALUES (9000000000, 'later', '2030-01-01T00:00:00Z', '1')", [])
        .expect("inserts");
    // Closing writes the log back into the file.
    database.close().expect("closes");
    let before = fs::read(&file).expect("reads");
    for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["user", "list"]] {
        let refused = formsvc(dir.path(), args, "");
        assert_eq!(code(&refused), 5);
        assert!(refusal(&refused).contains("newer formsvc"));
        assert!(fs::read(&file).expect("reads") == before, "{args:?} changed the file");
    }
}

#[test]
fn only_serve_makes_a_data_dir() {
    let home = folder();
    let missing = home.path().join("none");
    for args in [&["user", "list"][..], &["token", "list"], &["jobs", "run-once"], &["setup-link"]] {
        let refused = formsvc(&missing, args, "");
        assert_eq!(code(&refused), 4, "{args:?}");
        assert!(refusal(&refused).contains("formsvc serve"));
        assert!(!missing.exists());
    }
    fs::write(&missing, "a file").expect("writes");
    let refused = formsvc(&missing, &["serve", "--listen", "127.0.0.1:0"], "");
    assert_eq!(code(&refused), 4);
    refusal(&refused);
}

#[test]
fn a_wrong_command_line_is_2() {
    let home = folder();
    let secs = |args: &[&str]| run(home.path(), args, &[]);
    for args in [
        &["fly"][..],
        &["serve", "--fly"],
        &["serve", "--listen", "localhost"],
        &["serve", "--listen", "127.0.0.1:99999"],
        &["serve", "--base-url", "example.org"],
        &["serve", "--base-url", "https://example.org/?a=1"],
        &["serve", "--trusted-proxies", "x"],
        &["serve", "--rate-limits", "maybe"],
        &["serve", "--limit-api", "0"],
        &["serve", "--max-connections", "-1"],
        &["serve", "--max-upload-mb", "0"],
        &["serve", "--request-timeout", "0"],
        &["serve", "--request-timeout", "30s"],
        &["serve", "--log-format", "xml"],
        &["serve", "--access-log", "maybe"],
        &["serve", "--log-level", "loud"],
        &["serve", "--tls-cert", "cert.pem"],
        &["--config", "/nowhere/formsvc.toml", "config", "show"],
        &["user", "create", "a@example.org"],
        &["token", "create", "--user", "a@example.org", "--name", "x", "--scope", "form:fly"],
        &["token", "create", "--user", "a@example.org", "--name", "x", "--scope", "form:read", "--expires", "1"],
        &["jobs", "run-once", "fly"],
        &["healthcheck", "--listen", "127.0.0.1:0"],
    ] {
        let refused = secs(args);
        assert_eq!(code(&refused), 2, "{args:?}: {}", text(&refused.stderr));
        refusal(&refused);
    }
    let bare = secs(&[]);
    assert_eq!(code(&bare), 2);
    assert!(text(&bare.stderr).contains("serve"));
    for args in [&["--help"][..], &["serve", "--help"], &["--version"], &["help", "token"]] {
        let shown = secs(args);
        assert_eq!(code(&shown), 0);
        assert!(!shown.stdout.is_empty() && shown.stderr.is_empty());
    }
}

#[test]
fn a_wrong_variable_or_file_is_3() {
    let home = folder();
    for (name, value) in [
        ("FORMSVC_LISTEN", "localhost"),
        ("FORMSVC_BASE_URL", "ftp://example.org"),
        ("FORMSVC_MAX_CONNECTIONS", "many"),
        ("FORMSVC_RATE_LIMITS", "maybe"),
        ("FORMSVC_ACCESS_LOG", "maybe"),
        ("FORMSVC_TLS_KEY", "key.pem"),
        ("FORMSVC_CONFIG", "/nowhere/formsvc.toml"),
        ("FORMSVC_JSON", "perhaps"),
        ("FORMSVC_PASSWORD_FILE", "/nowhere/password"),
    ] {
        let refused = run(home.path(), &["config", "show"], &[(name, value)]);
        assert_eq!(code(&refused), 3, "{name}");
        refusal(&refused);
    }
    let file = home.path().join("formsvc.toml");
    for (content, told) in [
        ("max_connections = \"many\"", "max_connections"),
        ("listen = [1.5]", "listen"),
        ("base_url = [\"http://a\", \"http://b\"]", "base_url"),
        ("listen = ", "line 1"),
        ("\n\nx = = 1", "line 3"),
    ] {
        fs::write(&file, content).expect("writes");
        let variables = [("FORMSVC_CONFIG", file.to_str().expect("text"))];
        let refused = run(home.path(), &["config", "show"], &variables);
        assert_eq!(code(&refused), 3, "{content}");
        let said = refusal(&refused);
        assert!(said.contains(told) && said.contains("formsvc.toml"), "{said}");
    }
}

#[test]
fn flag_then_variable_then_file_then_default() {
    let home = folder();
    let file = home.path().join("my.toml");
    fs::write(
        &file,
        "listen = [\"127.0.0.1:1\", \"unix:/tmp/x\"]\nlimit_api = 5\nlimit-submissions = 6\n\
         rate_limits = false\ntrusted_proxies = \"10.0.0.0/8, 192.168.0.1\"\nodd = 1\n",
    )
    .expect("writes");
    let file = file.to_str().expect("text");
    let shown = settings(home.path(), &["--config", file], &[]);
    let from_file = format!("file {file}");
    assert_eq!(shown["listen"]["value"], json!(["127.0.0.1:1", "unix:/tmp/x"]));
    assert_eq!(shown["limit_api"], json!({"value": "5", "source": from_file}));
    assert_eq!(shown["limit_submissions"]["value"], "6");
    assert_eq!(shown["limit_sign_ins"], json!({"value": "10", "source": "default"}));
    assert_eq!(shown["rate_limits"]["value"], "off");
    assert_eq!(shown["access_log"], json!({"value": "off", "source": "default"}));
    assert_eq!(shown["trusted_proxies"]["value"], json!(["10.0.0.0/8", "192.168.0.1/32"]));
    assert_eq!(shown["max_connections"]["value"], "4096");
    assert_eq!(shown["max_upload_mb"]["value"], "100");
    assert_eq!(shown["request_timeout"]["value"], "30");
    assert_eq!(shown["log_format"]["value"], "text");
    let variables = [
        ("FORMSVC_CONFIG", file),
        ("FORMSVC_LISTEN", "127.0.0.1:2,127.0.0.1:3"),
        ("FORMSVC_LIMIT_API", "7"),
        ("FORMSVC_LIMIT_SUBMISSIONS", ""),
    ];
    let shown = settings(home.path(), &["--limit-api", "8"], &variables);
    assert_eq!(shown["limit_api"], json!({"value": "8", "source": "flag"}));
    assert_eq!(shown["listen"], json!({"value": ["127.0.0.1:2", "127.0.0.1:3"], "source": "variable FORMSVC_LISTEN"}));
    assert_eq!(shown["limit_submissions"]["value"], "6", "an empty variable says nothing");
}

#[test]
fn the_config_file_is_found() {
    let home = folder();
    let own = home.path().join("conf/formsvc");
    fs::create_dir_all(&own).expect("a folder");
    fs::write(own.join("formsvc.toml"), "limit_api = 9").expect("writes");
    let conf = home.path().join("conf");
    let variables = [("XDG_CONFIG_HOME", conf.to_str().expect("text"))];
    assert_eq!(settings(home.path(), &[], &variables)["limit_api"]["value"], "9");
    assert_eq!(settings(home.path(), &[], &[])["limit_api"]["value"], "600");
}

#[test]
fn the_data_dir_is_found() {
    let home = folder();
    let of = |args: &[&str], variables: &[(&str, &str)]| settings(home.path(), args, variables)["data_dir"].clone();
    let own = home.path().join(".local/share/formsvc");
    assert_eq!(of(&[], &[]), json!({"value": own, "source": "default"}));
    let state = ("STATE_DIRECTORY", "/var/lib/formsvc:/var/lib/other");
    assert_eq!(of(&[], &[state]), json!({"value": "/var/lib/formsvc", "source": "variable STATE_DIRECTORY"}));
    let variable = ("FORMSVC_DATA_DIR", "/var/lib/third");
    assert_eq!(of(&[], &[state, variable])["value"], "/var/lib/third");
    assert_eq!(of(&["--data-dir", "/x"], &[state, variable])["value"], "/x");
    let homeless =
        command(home.path()).env_remove("HOME").args(["user", "list"]).env("XDG_DATA_HOME", "").output().expect("runs");
    assert!([3, 4].contains(&code(&homeless)), "{homeless:?}");
}

#[test]
fn unknown_settings_are_warned_of() {
    let home = folder();
    let file = home.path().join("my.toml");
    fs::write(&file, "lissten = \"127.0.0.1:1\"").expect("writes");
    let args = ["config", "show", "--config", file.to_str().expect("text")];
    let shown = run(home.path(), &args, &[("FORMSVC_LISSTEN", "x")]);
    assert_eq!(code(&shown), 0);
    let said = text(&shown.stderr);
    assert!(said.contains("FORMSVC_LISSTEN is unknown"), "{said}");
    assert!(said.contains("lissten in "), "{said}");
    let quiet = run(home.path(), &["config", "show", "--quiet"], &[("FORMSVC_LISSTEN", "x")]);
    assert_eq!(text(&quiet.stderr), "");
}

#[test]
fn secrets_come_from_variables_and_files_and_are_masked() {
    let dir = data_dir();
    let home = folder();
    let file = home.path().join("password");
    fs::write(&file, "a quiet harbour\n").expect("writes");
    let file = file.to_str().expect("text");
    let shown = settings(home.path(), &[], &[("FORMSVC_PASSWORD", "a quiet harbour")]);
    assert_eq!(shown["password"], json!({"value": "********", "source": "variable FORMSVC_PASSWORD"}));
    let shown = settings(home.path(), &[], &[("FORMSVC_PASSWORD_FILE", file)]);
    assert_eq!(shown["password"]["source"], "variable FORMSVC_PASSWORD_FILE");
    assert_eq!(settings(home.path(), &[], &[])["password"]["value"], Value::Null);
    let data = dir.path().to_str().expect("text");
    let args = ["user", "create", "ann@example.org", "--name", "Ann", "--data-dir", data];
    let lines = home.path().join("lines");
    fs::write(&lines, "a quiet harbour\nanother one\n").expect("writes");
    let lines = lines.to_str().expect("text");
    let refused = run(home.path(), &args, &[("FORMSVC_PASSWORD_FILE", lines)]);
    assert_eq!(code(&refused), 3);
    assert_eq!(
        refusal(&refused),
        format!("the variable FORMSVC_PASSWORD_FILE names the file {lines}, which must contain a single line")
    );
    let made = run(home.path(), &args, &[("FORMSVC_PASSWORD_FILE", file)]);
    assert_eq!(code(&made), 0);
    assert!(!text(&made.stderr).contains("until there is a password"));
    let short = run(
        home.path(),
        &["user", "set-password", "ann@example.org", "--data-dir", data],
        &[("FORMSVC_PASSWORD_FILE", file), ("FORMSVC_PASSWORD", "short")],
    );
    assert_eq!(code(&short), 2, "the variable counts before the file");
}

#[test]
fn people_are_made_listed_and_disabled_while_it_serves() {
    let server = Server::alone("its data dir is looked at");
    let create = |args: &[&str], stdin: &str| formsvc(&server.dir, &[&["user", "create"], args].concat(), stdin);
    let first = create(&["ann@example.org", "--name", "Ann Lee", "--json"], "");
    let first: Value = serde_json::from_slice(&first.stdout).expect("one document");
    assert_eq!(first["email"], "ann@example.org");
    assert_eq!(first["organization"]["role"], "owner");
    assert_eq!(first["organization"]["name"], "Ann Lee");
    let second = create(&["bob@example.org", "--name", "Bob", "--json"], "");
    let second: Value = serde_json::from_slice(&second.stdout).expect("one document");
    assert_eq!(second["organization"]["id"], first["organization"]["id"]);
    assert_eq!(second["organization"]["role"], "member");
    let args = ["cy@example.org", "--name", "Cy", "--organization", "Cy & Co", "--json"];
    let third: Value = serde_json::from_slice(&create(&args, "").stdout).expect("one document");
    assert_eq!(third["organization"]["name"], "Cy & Co");
    assert_eq!(third["organization"]["role"], "owner");
    let args = ["di@example.org", "--name", "Di", "--organization", "Cy & Co", "--json"];
    let fourth: Value = serde_json::from_slice(&create(&args, "").stdout).expect("one document");
    assert_eq!(fourth["organization"]["id"], third["organization"]["id"]);
    assert_eq!(fourth["organization"]["role"], "member");

    for email in ["ann@example.org", "ANN@Example.org", "ａｎｎ@example.org"] {
        let double = create(&[email, "--name", "Ann"], "");
        assert_eq!(code(&double), 6, "{email}");
        refusal(&double);
    }
    assert_eq!(code(&create(&["nobody", "--name", "X"], "")), 2);
    assert_eq!(code(&create(&["e@example.org", "--name", " "], "")), 2);
    for password in ["short", "Password123\n", "e@example.org\n", &"x".repeat(257)] {
        let weak = create(&["e@example.org", "--name", "E", "--password-stdin"], password);
        assert_eq!(code(&weak), 2);
        refusal(&weak);
    }

    let listed = server.run(&["user", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    let emails: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|u| u["email"].as_str()).collect();
    assert_eq!(emails, ["ann@example.org", "bob@example.org", "cy@example.org", "di@example.org"]);
    assert!(text(&server.run(&["user", "list"]).stdout).starts_with("EMAIL "));

    let bob = server.token("bob@example.org", "form:read");
    assert_eq!(bob.get("/api/v1/me").status, 200);
    let disabled = server.run(&["user", "disable", "bob@example.org", "--json"]);
    let disabled: Value = serde_json::from_slice(&disabled.stdout).expect("one document");
    assert!(disabled["disabled_at"].is_string());
    assert_eq!(bob.get("/api/v1/me").status, 401);
    assert_eq!(code(&server.run(&["user", "disable", "bob@example.org"])), 0);
    for args in [&["user", "disable", "no@example.org"][..], &["token", "list", "--user", "no@example.org"]] {
        let unknown = server.run(args);
        assert_eq!(code(&unknown), 6);
        assert_eq!(refusal(&unknown), "there is no such user");
    }
    let none = server.run(&["user", "set-password", "ann@example.org"]);
    assert_eq!(code(&none), 2);
    assert!(refusal(&none).contains("--password-stdin"));
}

#[test]
fn tokens_are_shown_once_and_end_at_once() {
    let server = Server::alone("commands change all of it");
    server.user_named("ann@example.org", "Ann");
    let made = server.run(&[
        "token",
        "create",
        "--user",
        "ann@example.org",
        "--name",
        "CI",
        "--scope",
        "form:read,entry:read",
        "--scope",
        "form:write",
    ]);
    assert_eq!(code(&made), 0);
    let token = text(&made.stdout);
    assert!(token.starts_with("fsv_") && token.ends_with('\n') && token.trim().len() == 37, "{token:?}");
    let ann = server.anon().with_token(token.trim());
    let me = ann.get("/api/v1/me").data();
    assert_eq!(me["token"]["scopes"], json!(["form:read", "form:write", "entry:read"]));

    let made = server.run(&[
        "token",
        "create",
        "--user",
        "ann@example.org",
        "--name",
        "Other",
        "--scope",
        "form:read",
        "--expires",
        "never",
        "--json",
    ]);
    let made: Value = serde_json::from_slice(&made.stdout).expect("one document");
    assert_eq!(made["expires_at"], Value::Null);
    let other = server.anon().with_token(made["token"].as_str().expect("a token"));
    let list = || -> Value {
        let listed = server.run(&["token", "list", "--user", "ann@example.org", "--json"]);
        assert!(!text(&listed.stdout).contains(token.trim()));
        serde_json::from_slice(&listed.stdout).expect("one document")
    };
    until("the use of a token is noted", || list()[1]["last_used_at"].is_string());
    // A use soon after that is noted as soon.
    let first = list()[1]["last_used_at"].clone();
    let caller = server.anon().with_token(token.trim());
    until("the next use is noted", || {
        assert_eq!(caller.get("/api/v1/me").status, 200);
        list()[1]["last_used_at"] != first
    });
    let listed = list();
    assert_eq!(listed[1]["name"], "CI");
    assert_eq!(listed[2]["last_used_at"], Value::Null);
    assert!(listed[1]["expires_at"].is_string());

    assert_eq!(other.get("/api/v1/me").status, 200);
    let id = made["id"].to_string();
    assert_eq!(code(&server.run(&["token", "revoke", &id])), 0);
    assert_eq!(other.get("/api/v1/me").status, 401);
    for id in [id.as_str(), "999"] {
        let again = server.run(&["token", "revoke", id]);
        assert_eq!(code(&again), 6);
        assert_eq!(refusal(&again), "there is no such token");
    }
    let brief = server.run(&[
        "token",
        "create",
        "--user",
        "ann@example.org",
        "--name",
        "Brief",
        "--scope",
        "form:read",
        "--expires",
        "1s",
    ]);
    let brief = server.anon().with_token(text(&brief.stdout).trim());
    until("the token has ended", || brief.get("/api/v1/me").status == 401);
    let nobody = server.run(&["token", "create", "--user", "no@example.org", "--name", "x", "--scope", "form:read"]);
    assert_eq!(code(&nobody), 6);
}

#[test]
fn routes_are_listed_as_text_and_as_data() {
    let home = folder();
    let listed = run(home.path(), &["routes", "--json"], &[]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    let rows = listed.as_array().expect("a list");
    let me = json!({"method": "GET", "path": "/api/v1/me", "access": "known"});
    assert!(rows.contains(&me));
    // Routes under a form name the role that they take.
    let update = json!({
        "method": "PATCH", "path": "/api/v1/forms/{form_token}", "access": "form:write", "role": "manager",
    });
    assert!(rows.contains(&update));
    let table = text(&run(home.path(), &["routes"], &[]).stdout);
    assert_eq!(table.lines().count(), rows.len() + 1);
    let before = run(home.path(), &["--json", "routes"], &[]);
    assert_eq!(before.stdout, run(home.path(), &["routes", "--json"], &[]).stdout);
}

#[test]
fn health_is_asked_where_serve_listens() {
    let home = folder();
    let dir = folder();
    let socket = home.path().join("http.sock");
    let on = format!("unix:{}", socket.display());
    let server = Server::over(dir.path(), &["--listen", &on, "--base-url", "http://127.0.0.1:9/sub"]);
    let address = raw::host(&server.base).to_owned();
    for args in [&["--listen", address.as_str()][..], &["--listen", on.as_str()]] {
        let asked = run(home.path(), &[&["healthcheck"], args].concat(), &[]);
        assert_eq!(code(&asked), 0, "{}", text(&asked.stderr));
        assert_eq!(text(&asked.stdout), "ok\n");
    }
    let by_variable = run(home.path(), &["healthcheck", "--json"], &[("FORMSVC_LISTEN", &address)]);
    let said: Value = serde_json::from_slice(&by_variable.stdout).expect("one document");
    assert_eq!(said, json!({"status": "ok", "address": address}));
    assert_eq!(fs::metadata(&socket).expect("a socket").permissions().mode() & 0o777, 0o660);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(!socket.exists());
    let asked = run(home.path(), &["healthcheck", "--listen", &address], &[]);
    assert_eq!(code(&asked), 7);
    assert!(refusal(&asked).contains("nothing answers"));
}

#[test]
fn health_is_asked_where_the_last_serve_listened() {
    let dir = folder();
    let data = dir.path().display().to_string();
    let ask = |more: &[&str], vars: &[(&str, &str)]| {
        run(dir.path(), &[&["healthcheck", "--data-dir", &data, "--json"], more].concat(), vars)
    };
    let server = Server::over(dir.path(), &["--base-url", "http://127.0.0.1:9/sub"]);
    let address = raw::host(&server.base).to_owned();
    for asked in [ask(&[], &[]), ask(&[], &[("FORMSVC_LISTEN", "127.0.0.1:0")])] {
        assert_eq!(code(&asked), 0, "{}", text(&asked.stderr));
        let said: Value = serde_json::from_slice(&asked.stdout).expect("one document");
        assert_eq!(said, json!({"status": "ok", "address": address}));
    }
    // An address that is named is the one that counts.
    let asked = ask(&["--listen", "127.0.0.1:9"], &[]);
    assert_eq!(code(&asked), 7);
    assert!(refusal(&asked).contains("nothing answers at 127.0.0.1:9"));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let asked = ask(&[], &[]);
    assert_eq!(code(&asked), 7);
    assert!(refusal(&asked).contains(&format!("nothing answers at {address}")));
    if !means::has(&["openssl"]) {
        return;
    }
    // The next one has a certificate, which was named on its command line alone.
    make_certificate(dir.path(), "forms.example.org");
    let path = |file: &str| dir.path().join(file).display().to_string();
    let server = Server::over(dir.path(), &["--tls-cert", &path("cert.pem"), "--tls-key", &path("key.pem")]);
    let asked = ask(&[], &[]);
    assert_eq!(code(&asked), 0, "{}", text(&asked.stderr));
    drop(server);
}

#[test]
fn health_over_tls_knows_the_very_certificate() {
    if !means::has(&["openssl"]) {
        return;
    }
    let home = folder();
    let made = |name: &str| {
        let dir = home.path().join(name);
        fs::create_dir(&dir).expect("a folder");
        make_certificate(&dir, "forms.example.org");
        let path = |file: &str| dir.join(file).display().to_string();
        (path("cert.pem"), path("key.pem"))
    };
    let ((cert, key), (other_cert, other_key)) = (made("one"), made("two"));
    let dir = folder();
    let server = Server::over(dir.path(), &["--tls-cert", &cert, "--tls-key", &key]);
    let address = server.base.strip_prefix("https://").expect("TLS").to_owned();
    let ask = |cert: &str, key: &str| {
        run(home.path(), &["healthcheck", "--listen", &address, "--tls-cert", cert, "--tls-key", key], &[])
    };
    let asked = ask(&cert, &key);
    assert_eq!(code(&asked), 0, "{}", text(&asked.stderr));
    assert_eq!(code(&ask(&other_cert, &other_key)), 7);
    assert_eq!(code(&run(home.path(), &["healthcheck", "--listen", &address], &[])), 7);
    // A certificate that can't be read stops the start, in one sentence.
    let refused = formsvc(
        folder().path(),
        &["serve", "--listen", "127.0.0.1:0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"],
        "",
    );
    assert_eq!(code(&refused), 3);
    refusal(&refused);
}

#[test]
fn a_taken_address_is_said_in_one_sentence() {
    let server = Server::alone("its data dir is looked at");
    let address = raw::host(&server.base);
    let dir = folder();
    let refused = formsvc(dir.path(), &["serve", "--listen", address], "");
    assert_eq!(code(&refused), 1);
    let said = refusal(&refused);
    assert!(said.contains(address) && said.contains("--listen"), "{said}");
}

#[test]
fn jobs_run_beside_the_server() {
    let server = Server::alone("its jobs run now");
    let ran = server.run(&["jobs", "run-once", "--json"]);
    assert_eq!(code(&ran), 0);
    let ran: Value = serde_json::from_slice(&ran.stdout).expect("one document");
    let names: Vec<&str> = ran.as_array().expect("a list").iter().filter_map(|job| job["job"].as_str()).collect();
    assert!(names.contains(&"sessions") && names.contains(&"setup-links"), "{names:?}");
    let one = server.run(&["jobs", "run-once", "sessions"]);
    assert_eq!(text(&one.stdout), "JOB       DONE\nsessions  0\n");
}

/// Every file and folder below, with its mode and owner.
fn tree(dir: &Path) -> Vec<(PathBuf, fs::Metadata)> {
    let mut found = vec![(dir.to_owned(), fs::symlink_metadata(dir).expect("there"))];
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        let there = fs::symlink_metadata(&path).expect("there");
        if there.is_dir() {
            found.extend(tree(&path));
        } else {
            found.push((path, there));
        }
    }
    found
}

#[test]
fn files_are_the_owners_alone() {
    let home = folder();
    let dir = home.path().join("data");
    let server = Server::over(&dir, &[]);
    server.user();
    server.run(&["jobs", "run-once"]);
    let found = tree(&dir);
    assert!(found.iter().any(|(path, _)| path.ends_with("formsvc.db-wal")));
    for (path, there) in found {
        let wanted = if there.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(there.permissions().mode() & 0o777, wanted, "{}", path.display());
    }
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).expect("limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a line");
    assert!(core.split_whitespace().filter(|word| *word == "0").count() == 2, "{core}");
}

#[test]
fn root_becomes_the_owner_of_the_data_dir() {
    const NOBODY: u32 = 65_534;
    // Nobody else can hand a folder to another user.
    if !means::has(&["root"]) {
        return;
    }
    let home = folder();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let dir = home.path().join("data");
    fs::create_dir(&dir).expect("a folder");
    std::os::unix::fs::chown(&dir, Some(NOBODY), Some(NOBODY)).expect("another owner");
    // A link that the owner may have planted must not lead root anywhere.
    let victim = home.path().join("victim");
    fs::write(&victim, "root's own").expect("writes");
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o600)).expect("a mode");
    std::os::unix::fs::symlink(&victim, dir.join("lock")).expect("a link");
    let refused = formsvc(&dir, &["serve", "--listen", "127.0.0.1:0"], "");
    assert_eq!(code(&refused), 4, "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(&victim).expect("reads"), "root's own");
    fs::remove_file(dir.join("lock")).expect("removes");

    let server = Server::over(&dir, &[]);
    server.user();
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("status");
    for (name, wanted) in [("Uid:", 4), ("Gid:", 4)] {
        let line = status.lines().find(|line| line.starts_with(name)).expect("a line");
        let ids = line.split_whitespace().filter(|id| *id == "65534").count();
        assert_eq!(ids, wanted, "{line}");
    }
    let groups = status.lines().find(|line| line.starts_with("Groups:")).expect("a line");
    assert_eq!(groups.split_whitespace().collect::<Vec<_>>(), ["Groups:", "65534"]);
    for (path, there) in tree(&dir) {
        assert_eq!((there.uid(), there.gid()), (NOBODY, NOBODY), "{}", path.display());
    }
}

#[test]
fn another_users_data_dir_is_refused() {
    const NOBODY: u32 = 65_534;
    // Nobody else can become another user.
    if !means::has(&["root"]) {
        return;
    }
    let dir = data_dir();
    let home = folder();
    for path in [dir.path(), home.path()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    // Where the tests run need not be open to others.
    let program = home.path().join("formsvc");
    fs::copy(&*PROGRAM, &program).expect("copies");
    for args in [&["user", "list"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let refused = Command::new(&program)
            .args(args)
            .arg("--data-dir")
            .arg(dir.path())
            .uid(NOBODY)
            .gid(NOBODY)
            .current_dir("/")
            .output()
            .expect("runs");
        assert_eq!(code(&refused), 4, "{args:?}");
        assert!(refusal(&refused).contains("belongs to another user"));
    }
}

#[test]
fn modes_that_are_too_wide_are_warned_of() {
    let dir = data_dir();
    let narrow = Server::over(dir.path(), &[]);
    narrow.signal("TERM");
    narrow.wait();
    assert!(!narrow.stderr().contains("others may read"));
    let key = dir.path().join("keys/instance");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).expect("a mode");
    let wide = Server::over(dir.path(), &[]);
    until("it warns", || wide.stderr().contains("keys/instance"));
    until("it counts them", || wide.stderr().contains("others may read 1 in the data dir"));
}

#[test]
fn secrets_are_not_logged() {
    let server = Server::with(&["--log-level", "trace", "--log-format", "json"]);
    let link = server.setup_link.clone().expect("a link");
    let link_secret = link.rsplit('/').next().expect("a token").to_owned();
    server.anon().get(&link[server.base.len()..]);
    let user = server.user();
    let password = "a password that is nowhere";
    user.header("x-form-password", password).get("/api/v1/me?access_token=query-secret");
    user.post("/api/v1/forms", json!({"name": "body-secret", "fields": []}));
    server.anon().with_token("fsv_wrong-secret").get("/api/v1/me");
    until("requests are logged", || server.stderr().contains("/api/v1/me"));
    let token = user.token.clone().expect("a token");
    server.signal("TERM");
    server.wait();
    let log = server.stderr();
    for secret in [&token, &link_secret, "query-secret", "body-secret", "wrong-secret", password] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(line["level"].is_string());
    }
}

#[test]
fn a_reader_that_wants_no_more_is_told_nothing() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
    assert_eq!(made.status, 201, "{made}");
    for args in [&["routes"][..], &["openapi"], &["--help"], &["config", "show"], &["entries", "export", &form.token]] {
        // Gone before anything is written.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = command(&server.dir)
            .args(args)
            .env("FORMSVC_DATA_DIR", &server.dir)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let ended = child.wait_with_output().expect("ends");
        assert_eq!(text(&ended.stderr), "", "{args:?}");
        assert_eq!(code(&ended), 1, "{args:?}");
    }
}

/// Whether the terminal that this program opened for its command echoes typed text.
fn echoes(script: u32) -> bool {
    let below = fs::read_to_string(format!("/proc/{script}/task/{script}/children"));
    let below = below.expect("its command");
    let Some(command) = below.split_whitespace().next() else {
        return false;
    };
    let terminal = format!("/proc/{command}/fd/0");
    let settings = Command::new("stty").args(["-a", "-F", &terminal]).output();
    let settings = text(&settings.expect("stty runs").stdout);
    settings.split_whitespace().any(|word| word == "echo")
}

/// Runs a command at its own terminal, with this text typed.
fn at_terminal(dir: &Path, args: &[&str], typed: &[&str]) -> Output {
    let words: Vec<String> = [PROGRAM.as_str()].iter().chain(args).map(|word| format!("'{word}'")).collect();
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &words.join(" "), "/dev/null"])
        .env("FORMSVC_DATA_DIR", dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs");
    let mut terminal = child.stdin.take().expect("piped");
    let mut shown = child.stdout.take().expect("piped");
    let (mut said, mut typed) = (Vec::new(), typed.iter().copied());
    let mut piece = [0; 1024];
    // Typed text waits until it is asked for: a prompt for a password throws away any text before it.
    while let Ok(n @ 1..) = std::io::Read::read(&mut shown, &mut piece) {
        said.extend_from_slice(&piece[..n]);
        let asks_for = |ends: &[&str]| ends.iter().any(|end| text(&said).ends_with(end));
        let is_hidden = asks_for(&["Password: ", "Repeat the password: "]);
        if is_hidden || asks_for(&["Ctrl-D\r\n"]) {
            if is_hidden {
                until("what is typed is hidden", || !echoes(child.id()));
            }
            let line = typed.next().unwrap_or_default();
            std::io::Write::write_all(&mut terminal, line.as_bytes()).expect("typed");
        }
    }
    drop(terminal);
    let mut output = child.wait_with_output().expect("ends");
    output.stdout = said;
    output
}

#[test]
fn a_password_at_a_terminal_is_asked_for_and_not_shown() {
    if !means::has(&["script"]) {
        return;
    }
    let dir = data_dir();
    let args = ["user", "create", "ann@example.org", "--name", "Ann", "--password-stdin"];
    let made = at_terminal(dir.path(), &args, &["a quiet harbour\n"; 2]);
    let said = text(&made.stdout);
    assert_eq!(code(&made), 0, "{said}");
    assert!(said.contains("Password: ") && said.contains("Repeat the password: "), "{said}");
    assert!(!said.contains("harbour") && said.contains("ann@example.org"), "{said}");
    let args = ["user", "set-password", "ann@example.org", "--password-stdin"];
    let other = at_terminal(dir.path(), &args, &["a quiet harbour\n", "another harbour\n"]);
    assert_eq!(code(&other), 2, "{}", text(&other.stdout));
    // With `--no-input`, the program says what it waits for.
    let args = [&args[..], &["--no-input"]].concat();
    let told = at_terminal(dir.path(), &args, &["a quiet harbour\n\u{4}"]);
    let said = text(&told.stdout);
    assert_eq!(code(&told), 0, "{said}");
    assert!(said.contains("type the password, then press Enter and Ctrl-D"), "{said}");
    // In a pipe it is read as it comes.
    let args = ["user", "set-password", "ann@example.org", "--password-stdin"];
    let piped = formsvc(dir.path(), &args, "a quiet harbour\n");
    assert_eq!(code(&piped), 0);
    assert!(!text(&piped.stderr).contains("type the password"));
}
