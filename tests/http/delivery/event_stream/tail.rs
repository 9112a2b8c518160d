//! `formsvc events tail`: each event as it happens, with `--json` the whole document, with `--after` from an event on
//! (contract section 10).

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use support::world::World;
use support::{PROGRAM, Server, formsvc, text};

use crate::delivery::event_stream::{Stream, add, fields, simple};
use crate::delivery::{ok, restore};

/// A running `events tail`; killed on drop.
struct Tail {
    child: Child,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
}

impl Tail {
    /// Waits until it has begun.
    fn start(dir: &Path, args: &[&str]) -> Self {
        let mut tail = Self::spawn(dir, args);
        let mut note = String::new();
        tail.err.read_line(&mut note).expect("text");
        assert_eq!(note, "formsvc: events are printed as they happen: press Ctrl-C to stop\n");
        tail
    }

    fn spawn(dir: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(&*PROGRAM)
            .args(["events", "tail", "--data-dir"])
            .arg(dir)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let (out, err) = (child.stdout.take(), child.stderr.take());
        Self { child, out: BufReader::new(out.expect("piped")), err: BufReader::new(err.expect("piped")) }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        assert!(line.ends_with('\n'), "{line:?}");
        line.pop();
        line
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let done = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(done.expect("kill runs").success());
    }

    /// Its exit code, and its remaining output.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).expect("text");
        self.err.read_to_string(&mut err).expect("text");
        let status = self.child.wait().expect("ends");
        (status.code(), out, err)
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn events_are_printed_as_they_come() {
    let World { server, owner, form, .. } = World::with(fields());
    add(&owner, &form, "before");
    let mut tail = Tail::start(&server.dir, &[&form.token]);
    add(&owner, &form, "x");
    let created = tail.line();
    let (time, rest) = created.split_once("  ").expect("columns");
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!((shape.as_str(), rest), ("0000-00-00T00:00:00.000Z", "entry_created   2"));
    ok(owner.delete(form.entry(2)));
    assert!(tail.line().ends_with("  entry_deleted   2"));
    ok(restore(&owner, &form, 2));
    assert!(tail.line().ends_with("  entry_restored  2"));
    ok(owner.patch(form.entry(2), json!({"field_values": {"field_1": "y"}})));
    assert!(tail.line().ends_with("  entry_updated   2"));
    for signal in ["INT", "TERM"] {
        let tail = Tail::start(&server.dir, &[&form.token]);
        tail.signal(signal);
        assert_eq!(tail.end(), (Some(0), String::new(), String::new()), "{signal}");
    }
    tail.signal("INT");
    assert_eq!(tail.end(), (Some(0), String::new(), String::new()));
}

#[test]
fn with_json_each_line_is_the_document_of_webhooks() {
    let World { server, owner, form, .. } = World::with(fields());
    let mut stream = Stream::open(&owner, &form);
    let mut tail = Tail::start(&server.dir, &[&form.token, "--json"]);
    for text in ["Ada", "two\nlines and \u{202e}more", "Grace"] {
        add(&owner, &form, text);
        let line = tail.line();
        assert!(!line.contains('\u{202e}'), "{line}");
        let document: Value = serde_json::from_str(&line).expect("JSON");
        let event = stream.event();
        assert_eq!(document, event.data);
    }
}

#[test]
fn it_goes_on_after_an_event() {
    let World { server, owner, form, .. } = World::with(fields());
    let mut stream = Stream::open(&owner, &form);
    for n in 1..=250 {
        add(&owner, &form, &format!("{n}"));
    }
    let first = stream.event().id;
    let mut tail = Tail::start(&server.dir, &[&form.token, "--after", &first]);
    for n in 2..=250 {
        assert!(tail.line().ends_with(&format!("  {n}")), "{n}");
    }
    add(&owner, &form, "251");
    assert!(tail.line().ends_with("  251"));
}

#[test]
fn it_needs_no_server() {
    let server = Server::alone("it is ended");
    let (_, form) = simple(&server);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let mut tail = Tail::start(&server.dir, &[&form.token]);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "field_1\nAda\nGrace\n").expect("written");
    let path = file.path().to_str().expect("a name");
    let done = formsvc(&server.dir, &["entries", "import", &form.token, path], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(tail.line().ends_with("  entry_created   1"));
    assert!(tail.line().ends_with("  entry_created   2"));
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let World { server, form, .. } = World::with(fields());
    let mut tail = Tail::start(&server.dir, &[&form.token]);
    // While nothing happens, too. It says nothing, as other commands do.
    let (reader, _) = std::io::pipe().expect("a pipe");
    tail.out = BufReader::new(ChildStdout::from(std::os::fd::OwnedFd::from(reader)));
    assert_eq!(tail.end(), (Some(1), String::new(), String::new()));
}

#[test]
fn what_is_not_there_is_said() {
    let World { server, owner, form, .. } = World::with(fields());
    let no_form = "formsvc: there is no such form\n";
    let after = ["events", "tail", &form.token, "--after"];
    for (args, code, said) in [
        (vec!["events", "tail", "AAAAAAAAAA"], 6, no_form),
        (
            [&after[..], &["evt_AAAAAAAAAAAAAAAAAAAAAA"]].concat(),
            6,
            "formsvc: the events after this one are no longer stored: leave out --after\n",
        ),
        ([&after[..], &["evt_x"]].concat(), 2, "formsvc: --after must be the id of an event, such as --json prints\n"),
        (vec!["events", "tail"], 2, ""),
        (vec!["events"], 2, ""),
    ] {
        let done = server.run(&args);
        let err = text(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {err}");
        assert!(said.is_empty() || err == said, "{args:?}: {err}");
    }
    // A form that is deleted meanwhile.
    let tail = Tail::start(&server.dir, &[&form.token]);
    ok(owner.delete(form.path()));
    assert_eq!(tail.end(), (Some(6), String::new(), no_form.to_owned()));
    // With --quiet it prints only events.
    let other = owner.form(fields());
    let mut tail = Tail::spawn(&server.dir, &[&other.token, "--quiet"]);
    let line = std::thread::scope(|scope| {
        let line = scope.spawn(|| tail.line());
        while !line.is_finished() {
            add(&owner, &other, "x");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        line.join().expect("no panic")
    });
    assert!(line.contains("  entry_created   "), "{line}");
    tail.signal("INT");
    let (code, _, err) = tail.end();
    assert_eq!((code, err.as_str()), (Some(0), ""));
}
