//! `/metrics` on its own listener: its figures for operators, in the format of Prometheus, and the data that it keeps
//! to itself.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use support::raw::{self, statuses};
use support::{PROGRAM, Server, field, formsvc, means, text, until};

use crate::delivery::event_stream::Stream;

/// Reads the format with the library that publishes it: `python -c PARSE` with the page on stdin.
const PARSE: &str = r#"
import json, sys
from prometheus_client.parser import text_string_to_metric_families as parse
families = [
    [family.name, family.type, family.documentation, [[one.name, one.labels, one.value] for one in family.samples]]
    for family in parse(sys.stdin.read())
]
json.dump(families, sys.stdout)
"#;

/// A server with figures on a unix socket.
struct Watched {
    server: Server,
    socket: PathBuf,
    _dir: tempfile::TempDir,
}

impl Watched {
    fn start() -> Self {
        Self::with(&[])
    }

    fn with(flags: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let socket = dir.path().join("metrics.sock");
        let on = format!("unix:{}", socket.display());
        let server = Server::with(&[&["--rate-limits", "off", "--metrics-listen", &on], flags].concat());
        Self { server, socket, _dir: dir }
    }

    fn ask(&self, request: &str) -> String {
        let mut socket = UnixStream::connect(&self.socket).expect("connects");
        socket.write_all(request.as_bytes()).expect("sent");
        let mut got = String::new();
        socket.read_to_string(&mut got).expect("an answer");
        got
    }

    /// The page as plain text.
    fn page(&self) -> String {
        let got = self.ask("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let (head, body) = got.split_once("\r\n\r\n").expect("a head");
        assert_eq!(statuses(head), ["200"], "{head}");
        let kind = "content-type: text/plain; version=0.0.4; charset=utf-8";
        assert!(head.contains(kind) && head.contains("cache-control: no-store"), "{head}");
        body.to_owned()
    }

    fn figures(&self) -> Figures {
        Figures::parse(&self.page())
    }
}

/// A figure as the library reads it: name, labels and value.
type Sample = (String, BTreeMap<String, String>, f64);

/// The figures of a page, by name and labels: `name{label="value"}`.
#[derive(Debug)]
struct Figures(BTreeMap<String, f64>);

impl Figures {
    fn parse(page: &str) -> Self {
        let mut child = Command::new(means::python())
            .args(["-c", PARSE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(page.as_bytes()).expect("written");
        drop(stdin);
        let done = child.wait_with_output().expect("it ends");
        assert!(done.status.success(), "{page}");
        let families: Vec<(String, String, String, Vec<Sample>)> =
            serde_json::from_slice(&done.stdout).expect("families");
        let mut all = BTreeMap::new();
        for (name, kind, help, samples) in families {
            let kinds = ["counter", "gauge", "histogram"];
            assert!(kinds.contains(&kind.as_str()), "{name} is of the type {kind}");
            assert!(help.len() > 10 && help.ends_with('.'), "{name}: {help}");
            for (sample, labels, value) in samples {
                assert!(sample.starts_with(&name), "{sample} in {name}");
                let labels: Vec<_> = labels.iter().map(|(k, v)| format!("{k}={v:?}")).collect();
                let key = match labels.is_empty() {
                    true => sample,
                    false => format!("{sample}{{{}}}", labels.join(",")),
                };
                assert!(all.insert(key.clone(), value).is_none(), "{key} twice");
            }
        }
        Self(all)
    }

    fn get(&self, key: &str) -> f64 {
        let value = self.0.get(key);
        *value.unwrap_or_else(|| panic!("no {key} in {:#?}", self.0))
    }
}

fn has_parser() -> bool {
    let has_it = Command::new(means::python())
        .args(["-c", "import prometheus_client.parser"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_it {
        means::skip("TEST_PYTHON, a Python with prometheus-client, as tests/run sets it");
    }
    has_it
}

fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("after 1970").as_secs_f64()
}

#[test]
fn requests_and_writes_are_counted() {
    if !has_parser() {
        return;
    }
    let before = now();
    let watched = Watched::start();
    let server = &watched.server;
    let form = server.user().form(json!([field("short_text", json!({"required": true}))]));
    for n in 0..3 {
        let body = json!({"field_values": {"field_1": format!("{n}")}});
        assert_eq!(server.anon().post(form.submissions(), body).status, 201);
    }
    let faulty = json!({"field_values": {}});
    assert_eq!(server.anon().post(form.submissions(), faulty).status, 422);
    assert_eq!(server.anon().get("/nowhere").status, 404);
    let malformed = raw::exchange(&server.base, b"GET / HTTP/1.1\nHost: a\n\n");
    assert_eq!(statuses(&malformed), ["400"]);
    let found = watched.figures();
    let row = "method=\"POST\",route=\"/api/v1/f/{form_token}/entries\"";
    let requests = |status| format!("formsvc_http_requests_total{{{row},status=\"{status}\"}}");
    assert_eq!(found.get(&requests("2xx")), 3.0);
    assert_eq!(found.get(&requests("4xx")), 1.0);
    let none = "formsvc_http_requests_total{method=\"-\",route=\"-\",status=\"4xx\"}";
    assert_eq!(found.get(none), 2.0);
    assert_eq!(found.get("formsvc_entries_total"), 3.0);
    assert_eq!(found.get("formsvc_failed_commits_total"), 0.0);
    assert!(found.get("formsvc_writes_total") >= 4.0);
    until("no write waits", || watched.figures().get("formsvc_write_queue") == 0.0);

    // A histogram's buckets grow up to the number of all.
    for (name, labels) in [("formsvc_http_request_duration_seconds", row), ("formsvc_commit_seconds", "")] {
        let plain = |suffix| match labels {
            "" => format!("{name}{suffix}"),
            labels => format!("{name}{suffix}{{{labels}}}"),
        };
        let count = found.get(&plain("_count"));
        let sum = found.get(&plain("_sum"));
        assert!(count >= 3.0 && sum > 0.0 && sum < 60.0, "{name}: {count} {sum}");
        let mut buckets: Vec<(f64, f64)> = found
            .0
            .iter()
            .filter(|(key, _)| key.starts_with(&format!("{name}_bucket{{")))
            .filter(|(key, _)| labels.is_empty() || key.contains("POST") && key.contains("/f/{form_token}/entries\""))
            .map(|(key, value)| {
                let bound = key.split("le=\"").nth(1).and_then(|rest| rest.split('"').next());
                (bound.expect("a bound").parse().expect("a number"), *value)
            })
            .collect();
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(buckets.len() > 5, "{buckets:?}");
        assert!(buckets.is_sorted_by_key(|(_, count)| *count), "{buckets:?}");
        let last = buckets.last().expect("some");
        assert!(last.0.is_infinite() && last.1 == count, "{buckets:?}");
    }

    let version = text(&server.run(&["--version"]).stdout);
    let version = version.trim().trim_start_matches("formsvc ");
    assert_eq!(found.get(&format!("formsvc_build_info{{version={version:?}}}")), 1.0);
    let started = found.get("process_start_time_seconds");
    assert!(before - 1.0 <= started && started <= now() + 1.0, "{started}");
    let memory = found.get("process_resident_memory_bytes");
    assert!((1e6..1e9).contains(&memory), "{memory}");
    assert!(found.get("process_cpu_seconds_total") > 0.0);
    assert!(found.get("process_open_fds") > 5.0);
}

#[test]
fn storage_backups_streams_and_deliveries_are_told() {
    if !has_parser() {
        return;
    }
    let watched = Watched::start();
    let server = &watched.server;
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let size = |name: &str| {
        let file = server.dir.join(name).metadata();
        file.map_or(0, |file| file.len()) as f64
    };
    // A job may write between the two looks.
    until("the sizes are told", || {
        let found = watched.figures();
        found.get("formsvc_database_bytes") == size("formsvc.db")
            && found.get("formsvc_wal_bytes") == size("formsvc.db-wal")
    });
    let found = watched.figures();
    let free = found.get("formsvc_disk_free_bytes");
    assert!(free > 0.0 && free <= found.get("formsvc_disk_bytes"));
    assert_eq!(found.get("formsvc_blobs"), 0.0);
    assert_eq!(found.get("formsvc_blobs_bytes"), 0.0);
    assert_eq!(found.get("formsvc_backups"), 0.0);
    let newest = "formsvc_newest_backup_timestamp_seconds";
    assert!(!found.0.contains_key(newest), "there is none");
    assert_eq!(found.get("formsvc_event_streams"), 0.0);

    let before = now();
    assert!(server.run(&["backup", "create"]).status.success());
    let stream = Stream::open(&owner, &form);
    until("the stream is counted", || watched.figures().get("formsvc_event_streams") == 1.0);
    let found = watched.figures();
    assert_eq!(found.get("formsvc_backups"), 1.0);
    let made = found.get(newest);
    assert!(before - 1.0 <= made && made <= now() + 1.0, "{before} {made}");
    assert!(found.get("formsvc_connections") >= 1.0);
    drop(stream);

    // To an address that is not public, which is tried again later.
    let hook = json!({"url": "http://127.0.0.1:9009/", "trigger_events": ["entry_created"]});
    let hooks = format!("{}/integrations/webhooks", form.path());
    assert_eq!(owner.post(&hooks, hook).status, 201);
    let body = json!({"field_values": {"field_1": "a"}});
    assert_eq!(server.anon().post(form.submissions(), body).status, 201);
    let put_off = "formsvc_deliveries_total{kind=\"webhook\",outcome=\"put_off\"}";
    until("it is put off", || watched.figures().get(put_off) >= 1.0);
    let found = watched.figures();
    assert_eq!(found.get("formsvc_outbox_waiting{kind=\"webhook\"}"), 1.0);
    assert_eq!(found.get("formsvc_outbox_waiting{kind=\"mail\"}"), 0.0);
    for (kind, outcome) in [("webhook", "delivered"), ("webhook", "failed"), ("mail", "failed")] {
        let key = format!("formsvc_deliveries_total{{kind={kind:?},outcome={outcome:?}}}");
        assert_eq!(found.get(&key), 0.0);
    }
}

#[test]
fn nothing_of_users_is_told_and_strangers_add_nothing() {
    if !has_parser() {
        return;
    }
    let watched = Watched::start();
    let server = &watched.server;
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let body = json!({"field_values": {"field_1": "a-secret-answer"}});
    let made = server.anon().post(form.submissions(), body);
    let entry = made.data()["entry"]["token"].as_str().map(str::to_owned);
    assert_eq!(server.anon().get("/nowhere-at-all").status, 404);
    let lines = watched.page().lines().count();
    for n in 0..100 {
        assert_eq!(server.anon().get(format!("/nowhere-{n}")).status, 404);
        let line = format!("BREW{n} /f/{} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", form.token);
        assert_eq!(statuses(&raw::exchange(&server.base, line.as_bytes())), ["405"]);
    }
    let page = watched.page();
    assert_eq!(page.lines().count(), lines, "as many figures as before: {page}");
    let dir = server.dir.display().to_string();
    let secrets = [Some(form.token.clone()), entry, owner.token.clone(), Some(dir)];
    let words = ["a-secret-answer", "nowhere", "BREW", "example.com", "127.0.0.1", "Ada"];
    let words = words.iter().map(|word| (*word).to_owned());
    for word in secrets.into_iter().flatten().chain(words) {
        assert!(!page.contains(&word), "{word} in {page}");
    }
    // Routes are named by their patterns.
    let routes = formsvc(&server.dir, &["routes", "--json"], "");
    let routes: Vec<Value> = serde_json::from_slice(&routes.stdout).expect("a list");
    for (key, _) in Figures::parse(&page).0 {
        let Some(route) = key.split("route=\"").nth(1) else {
            continue;
        };
        let route = route.split('"').next().expect("an end");
        let is_known = route == "-" || routes.iter().any(|known| known["path"] == route);
        assert!(is_known, "{key}");
    }
}

#[test]
fn the_page_is_on_its_own_listener_alone() {
    let watched = Watched::start();
    assert_eq!(watched.server.anon().get("/metrics").status, 404);
    let mode = watched.socket.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    for (line, status) in [
        ("GET /", "404"),
        ("GET /healthz", "404"),
        ("GET /metrics/", "404"),
        ("GET /api/v1/me", "404"),
        ("POST /metrics", "405"),
        ("HEAD /metrics", "200"),
        ("GET /metrics?a=b", "200"),
    ] {
        let got = watched.ask(&format!("{line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
        assert_eq!(statuses(&got), [status], "{line}: {got}");
        let has_figures = got.contains("formsvc_build_info");
        assert_eq!(has_figures, line.starts_with("GET /metrics?"), "{line}");
        assert_eq!(got.contains("allow: GET, HEAD"), status == "405", "{got}");
    }
    assert_eq!(statuses(&watched.ask("GET /metrics HTTP/1.1\nHost: a\n\n")), ["400"]);
    watched.server.signal("TERM");
    assert_eq!(watched.server.wait(), Some(0));
    assert!(!watched.socket.exists());
}

#[test]
fn it_listens_where_flag_variable_or_file_say() {
    let dir = tempfile::tempdir().expect("a folder");
    let shown = |args: &[&str], variables: &[(&str, &str)]| {
        let done = Command::new(&*PROGRAM)
            .args(["config", "show", "--json", "--data-dir"])
            .arg(dir.path())
            .args(args)
            .envs(variables.iter().copied())
            .output()
            .expect("it runs");
        let shown: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        shown["metrics_listen"].clone()
    };
    assert_eq!(shown(&[], &[]), json!({"value": null, "source": "default"}));
    let variable = [("FORMSVC_METRICS_LISTEN", "unix:/run/m.sock")];
    assert_eq!(
        shown(&[], &variable),
        json!({"value": "unix:/run/m.sock", "source": "variable FORMSVC_METRICS_LISTEN"})
    );
    assert_eq!(shown(&["--metrics-listen", "[::1]:9464"], &variable), json!({"value": "[::1]:9464", "source": "flag"}));
    let wrong = formsvc(dir.path(), &["serve", "--metrics-listen", "9464"], "");
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));

    // A port that the system chose is printed; one that is taken is refused.
    let (child, url) = announced(dir.path(), "127.0.0.1:0");
    let base = url.strip_suffix("/metrics").expect("the page's address");
    let got = raw::exchange(base, b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(statuses(&got), ["200"], "{got}");
    let other = tempfile::tempdir().expect("a folder");
    let on = base.trim_start_matches("http://");
    let args = ["serve", "--listen", "127.0.0.1:0", "--metrics-listen", on];
    let taken = formsvc(other.path(), &args, "");
    assert_eq!(taken.status.code(), Some(1));
    let said = text(&taken.stderr);
    assert!(said.contains(on) && said.contains("choose another place with --metrics-listen"), "{said}");
    drop(child);
}

#[test]
fn an_address_that_others_reach_is_warned_of() {
    for (on, is_open) in [("0.0.0.0:0", true), ("[::]:0", true), ("127.0.0.1:0", false)] {
        let server = Server::with(&["--metrics-listen", on]);
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        let warns =
            server.stderr().contains("can read the metrics: give --metrics-listen a loopback or private address");
        assert_eq!(warns, is_open, "{on}: {}", server.stderr());
    }
}

struct Killed(std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server, and where it says that its figures are.
fn announced(dir: &Path, on: &str) -> (Killed, String) {
    let mut child = Command::new(&*PROGRAM)
        .args(["serve", "--json", "--listen", "127.0.0.1:0", "--metrics-listen", on, "--data-dir"])
        .arg(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    stdout.read_line(&mut line).expect("an announcement");
    let child = Killed(child);
    let said: Value = serde_json::from_str(&line).expect("JSON");
    (child, said["metrics"].as_str().expect("an address").to_owned())
}

/// An alert on the age of the newest backup fires where none can be made.
#[test]
fn backups_that_can_not_be_made_are_as_old_as_can_be() {
    if !has_parser() {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let missing = home.path().join("missing").display().to_string();
    let watched = Watched::with(&["--backup-every", "1h", "--backup-to", &missing]);
    let found = watched.figures();
    assert_eq!(found.get("formsvc_backups"), 0.0);
    assert_eq!(found.get("formsvc_newest_backup_timestamp_seconds"), 0.0);
}
