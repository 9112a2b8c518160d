//! `formsvc events tail` (contract section 10).

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::event_stream::{Stream, add, fields, simple};
use crate::support::{PROGRAM, Server, formsvc, text};

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
        assert_eq!(note, "formsvc: events are printed as they come: press Ctrl-C to end\n");
        tail
    }

    fn spawn(dir: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
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

    /// Its exit code, and what else it wrote.
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
    let server = Server::shared();
    let (owner, form) = simple(server);
    add(&owner, &form, "before");
    let mut tail = Tail::start(&server.dir, &[&form.token]);
    add(&owner, &form, "x");
    let created = tail.line();
    let (time, rest) = created.split_once("  ").expect("columns");
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!((shape.as_str(), rest), ("0000-00-00T00:00:00.000Z", "entry_created   2"));
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    assert!(tail.line().ends_with("  entry_deleted   2"));
    let restored = owner.post(format!("{}/restore", form.trashed(2)), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    assert!(tail.line().ends_with("  entry_restored  2"));
    let patched = owner.patch(form.entry(2), json!({"field_values": {"field_1": "y"}}));
    assert_eq!(patched.status, 200, "{patched}");
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
    let server = Server::shared();
    let (owner, form) = simple(server);
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
    let server = Server::shared();
    let (owner, form) = simple(server);
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
    let unknown = server.run(&["events", "tail", &form.token, "--after", "evt_AAAAAAAAAAAAAAAAAAAAAA"]);
    assert_eq!(
        (unknown.status.code(), text(&unknown.stderr)),
        (Some(6), "formsvc: the events after this one are no longer kept: leave out --after\n".to_owned())
    );
    let garbage = server.run(&["events", "tail", &form.token, "--after", "evt_x"]);
    assert_eq!(
        (garbage.status.code(), text(&garbage.stderr)),
        (Some(2), "formsvc: --after must be the id of an event, such as --json prints\n".to_owned())
    );
}

#[test]
fn it_needs_no_server() {
    let server = Server::start();
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
    let server = Server::shared();
    let (_, form) = simple(server);
    let mut tail = Tail::start(&server.dir, &[&form.token]);
    // While nothing happens, too. It says nothing, as other commands do.
    let (reader, _) = std::io::pipe().expect("a pipe");
    tail.out = BufReader::new(ChildStdout::from(std::os::fd::OwnedFd::from(reader)));
    assert_eq!(tail.end(), (Some(1), String::new(), String::new()));
}

#[test]
fn what_is_not_there_is_said() {
    let server = Server::start();
    let (owner, form) = simple(&server);
    let unknown = server.run(&["events", "tail", "AAAAAAAAAA"]);
    assert_eq!(
        (unknown.status.code(), text(&unknown.stderr)),
        (Some(6), "formsvc: there is no such form\n".to_owned())
    );
    assert_eq!(server.run(&["events", "tail"]).status.code(), Some(2));
    assert_eq!(server.run(&["events"]).status.code(), Some(2));
    // A form that is deleted meanwhile.
    let tail = Tail::start(&server.dir, &[&form.token]);
    assert_eq!(owner.delete(form.path()).status, 200);
    let (code, out, err) = tail.end();
    assert_eq!((code, out.as_str()), (Some(6), ""));
    assert_eq!(err, "formsvc: there is no such form\n");
    // With --quiet there is nothing but events.
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
