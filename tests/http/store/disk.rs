//! Answered writes are on disk (S79, S81, S86): the order of writing, flushing and answering, and the effects of a full
//! disk, a limit of file sizes and a failing disk.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use rusqlite::Connection;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};
use support::raw::Talk;
use support::steps::again;
use support::{Caller, FAULTY_PROGRAM, Form, PROGRAM, Server, field, means};
use tempfile::TempDir;

pub const FLAGS: [&str; 4] = ["--rate-limits", "off", "--min-free-mb", "0"];

/// `serve` on a data dir, started by `before` (a program and its arguments) when there is any.
pub fn serve(before: &[&str], dir: &Path) -> Command {
    let mut words = before.iter().copied().chain([PROGRAM.as_str()]);
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words);
    on(command, dir)
}

fn on(mut command: Command, dir: &Path) -> Command {
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir).args(FLAGS);
    command
}

fn one_field(server: &Server) -> (Caller, Form) {
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    (owner, form)
}

fn values(text: &str) -> Value {
    json!({"field_values": {"field_1": text}})
}

/// A call that one thread began and had not ended yet is written with `unfinished` and `resumed`.
fn calls(trace: &str) -> Vec<&'static str> {
    let mut syncing = Vec::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let (thread, call) = line.trim().split_once(' ').unwrap_or((line, ""));
        let call = call.trim();
        if call.starts_with("pwrite64(") && call.contains("formsvc.db-wal>") {
            if call.contains("PLANTED-VALUE") {
                calls.push("write");
            }
        } else if (call.starts_with("fsync(") || call.starts_with("fdatasync(")) && call.contains("formsvc.db-wal>") {
            if call.ends_with("= 0") {
                calls.push("sync");
            } else {
                syncing.push(thread);
            }
        } else if call.contains("sync resumed>") && syncing.contains(&thread) {
            assert!(call.ends_with("= 0"), "{call}");
            syncing.retain(|other| *other != thread);
            calls.push("sync");
        } else if call.contains("HTTP/1.1 201") {
            calls.push("answer");
        }
    }
    calls
}

#[test]
fn the_log_is_on_disk_before_the_answer_leaves() {
    if !means::has(&["strace"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (_, form) = one_field(&server);
    server.signal("TERM");
    server.wait();
    let trace = tempfile::NamedTempFile::new().expect("a file");
    let path = trace.path().to_str().expect("text");
    let names = "trace=pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync";
    // With -D the program is our child, and strace ends with the program.
    let strace = ["strace", "-D", "-f", "-y", "-s", "20000", "-e", names, "-o", path];
    let server = Server::launch(serve(&strace, dir.path()), dir.path());
    for _ in 0..5 {
        let made = server.anon().post(form.submissions(), values("PLANTED-VALUE"));
        assert_eq!(made.status, 201, "{made}");
    }
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let mut calls = calls(&fs::read_to_string(path).expect("a trace"));
    let end = calls.iter().rposition(|call| *call == "answer");
    calls.truncate(end.expect("answers") + 1);
    // A page may hold earlier submissions too, so that one commit writes it more than once; and a job may commit in
    // between.
    calls.dedup();
    let joined = calls.join(" ");
    assert_eq!(joined.matches("answer").count(), 5, "{joined}");
    for commit in joined.split_terminator("answer") {
        assert!(commit.trim().ends_with("write sync"), "{joined}");
    }
}

/// A small file system; removed on drop.
pub struct Disk(TempDir);

impl Disk {
    /// `None` where this user may not mount, and the test may be skipped.
    pub fn mount(size: &str) -> Option<Self> {
        let dir = tempfile::tempdir().expect("a folder");
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(dir.path())
            .stderr(Stdio::null())
            .status();
        let is_mounted = done.is_ok_and(|status| status.success());
        if !is_mounted {
            means::skip("the right to mount");
        }
        is_mounted.then_some(Self(dir))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// Leaves no byte free.
    pub fn fill(&self) {
        let mut file = fs::File::create(self.filler()).expect("a file");
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    /// Leaves so many bytes free.
    pub fn fill_but(&self, free: u64) {
        self.fill();
        let file = fs::OpenOptions::new().write(true).open(self.filler());
        let file = file.expect("a file");
        let size = file.metadata().expect("a size").len();
        file.set_len(size - free).expect("cut");
    }

    /// Removes the filling.
    pub fn free(&self) {
        fs::remove_file(self.filler()).expect("removed");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Submits until one is refused; how many were stored.
fn submit_until_refused(server: &Server, form: &Form) -> i64 {
    let anon = server.anon();
    for stored in 0..2000 {
        let made = anon.post(form.submissions(), values(&"full ".repeat(2000)));
        if made.status == 201 {
            continue;
        }
        assert_eq!(made.status, 503, "{made}");
        assert!(made.json()["error"].is_string(), "{made}");
        let wait: u32 = made.header("retry-after").parse().expect("seconds");
        assert!((1..=60).contains(&wait));
        return stored;
    }
    panic!("the disk was never full");
}

/// Reads go on, and the process is the same.
fn reads(owner: &Caller, form: &Form, stored: i64) {
    let list = owner.get(form.entries());
    assert_eq!(list.status, 200, "{list}");
    assert_eq!(list.json()["pagination"]["total"], stored);
    assert_eq!(owner.get(form.published()).status, 200);
    assert_eq!(owner.get(form.page()).status, 200);
}

#[test]
fn a_full_disk_refuses_and_recovers() {
    let Some(disk) = Disk::mount("4m") else {
        return;
    };
    let dir = disk.path().join("data");
    let server = Server::over(&dir, &FLAGS);
    let (owner, form) = one_field(&server);
    let mut stored = 0;
    for _ in 0..3 {
        disk.fill();
        stored += submit_until_refused(&server, &form);
        reads(&owner, &form, stored);
        let changed = owner.patch(form.path(), json!({"name": "x".repeat(200)}));
        assert!([200, 503].contains(&changed.status), "{changed}");
        disk.free();
        let made = server.anon().post(form.submissions(), values("there again"));
        stored += 1;
        assert_eq!(made.data()["entry"]["serial_number"], stored, "{made}");
    }
    // Nor does a stop or a kill while it is full lose anything.
    disk.fill();
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    disk.free();
    let server = Server::over(&dir, &FLAGS);
    disk.fill();
    stored += submit_until_refused(&server, &form);
    server.kill();
    disk.free();
    let server = Server::over(&dir, &FLAGS);
    reads(&again(&owner, &server), &form, stored);
    let database = Connection::open(dir.join("formsvc.db")).expect("opens");
    let found: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a row");
    assert_eq!(found, "ok");
}

/// How long a file of the server may become; none: as long as it likes.
pub fn limit_files(server: &Server, bytes: Option<u64>) {
    let pid = i32::try_from(server.pid()).ok().and_then(Pid::from_raw);
    let limit = Rlimit { current: bytes, maximum: None };
    prlimit(pid, Resource::Fsize, limit).expect("a limit of our own process");
}

#[test]
fn a_limit_of_file_sizes_refuses_and_recovers() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (owner, form) = one_field(&server);
    let mut stored = 0;
    // The log grows, then the file beyond the log's limit; then one that is larger already.
    for limit in [400_000, 8_000_000, 100_000] {
        limit_files(&server, Some(limit));
        stored += submit_until_refused(&server, &form);
        reads(&owner, &form, stored);
        limit_files(&server, None);
        let made = server.anon().post(form.submissions(), values("there again"));
        stored += 1;
        assert_eq!(made.data()["entry"]["serial_number"], stored, "{made}: {}", server.stderr());
    }
    limit_files(&server, Some(100_000));
    submit_until_refused(&server, &form);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0), "{}", server.stderr());
    let server = Server::over(dir.path(), &FLAGS);
    reads(&again(&owner, &server), &form, stored);
}

#[test]
fn commands_outlive_a_limit_of_file_sizes() {
    let server = Server::with(&FLAGS);
    let (_, form) = one_field(&server);
    assert_eq!(server.anon().post(form.submissions(), values(&"long ".repeat(4000))).status, 201);
    let to = server.dir.join("entries.csv");
    let ended = Command::new("sh")
        .args(["-c", "ulimit -f 1; exec \"$0\" \"$@\"", PROGRAM.as_str()])
        .args(["entries", "export", form.token.as_str(), "-o"])
        .arg(&to)
        .arg("--data-dir")
        .arg(&server.dir)
        .output()
        .expect("sh runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("the write could not be stored"), "{said}");
    assert!(!to.exists(), "half of it is nothing");
}

/// A disk that fails on command: see `tests/faults/disk.c`.
pub struct Fault {
    folder: TempDir,
    call: &'static str,
    file: &'static str,
    errno: i32,
}

impl Fault {
    /// One on which calls of this sort on files of this name fail with this error.
    pub fn of(call: &'static str, file: &'static str, errno: i32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, call, file, errno }
    }

    /// A server on this disk, on which the calls after the `after`-th of the armed time fail.
    pub fn server(&self, dir: &Path, after: u32) -> Server {
        let mut command = on(Command::new(&*FAULTY_PROGRAM), dir);
        command
            .env("FAULT_ARMED", self.armed())
            .env("FAULT_CALL", self.call)
            .env("FAULT_FILE", self.file)
            .env("FAULT_ERRNO", self.errno.to_string())
            .env("FAULT_AFTER", after.to_string());
        Server::launch(command, dir)
    }

    fn armed(&self) -> PathBuf {
        self.folder.path().join("armed")
    }

    /// From now on.
    pub fn arm(&self) {
        fs::write(self.armed(), "").expect("written");
    }

    /// Not any more.
    pub fn disarm(&self) {
        fs::remove_file(self.armed()).expect("removed");
    }
}

pub const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const EDQUOT: i32 = 122;

/// Eight submit until the end of the server; the texts that were answered 201.
fn answered_until_the_end(server: &Server, form: &Form, round: &str, filler: usize) -> Vec<String> {
    let send = |writer: usize| {
        let mut stored = Vec::new();
        // One that comes late may find it ended.
        let Some(mut talk) = Talk::open(&server.base) else {
            return stored;
        };
        for n in 0.. {
            let text = format!("{round}.{writer}.{n}.{}", "x".repeat(filler));
            match talk.post(&form.submissions(), &values(&text)) {
                Some((201, _)) => stored.push(text),
                Some((503, _)) => {}
                Some(other) => panic!("{other:?}"),
                None => break,
            }
        }
        stored
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|writer| scope.spawn(move || send(writer))).collect();
        assert_eq!(server.wait(), Some(1), "{}", server.stderr());
        all.into_iter().flat_map(|one| one.join().expect("no panic")).collect()
    })
}

#[test]
fn a_disk_that_fails_ends_the_service_and_loses_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (_, form) = one_field(&server);
    server.signal("TERM");
    server.wait();
    let mut answered = Vec::new();
    let log = "formsvc.db-wal";
    let faults = [0, 1, 2, 7].map(|n| ("sync", log, n)).into_iter();
    let faults = faults.chain([0, 1, 20].map(|n| ("write", log, n)));
    // The file itself is written when the log has grown: a failing write there was answered long ago.
    let faults = faults.chain([("sync", "formsvc.db", 0), ("write", "formsvc.db", 3)]);
    for (call, file, after) in faults {
        let fault = Fault::of(call, file, EIO);
        let server = fault.server(dir.path(), after);
        fault.arm();
        let round = format!("{call} {file} {after}");
        let filler = if file == log { 1 } else { 90_000 };
        answered.extend(answered_until_the_end(&server, &form, &round, filler));
        let said = server.stderr();
        assert!(said.contains("recovery reads the disk again"), "{said}");
    }
    assert!(!answered.is_empty());
    let _server = Server::over(dir.path(), &FLAGS);
    let database = Connection::open(dir.path().join("formsvc.db")).expect("opens");
    for text in &answered {
        let there: i64 = database
            .query_row("SELECT count(*) FROM entries WHERE \"values\" ->> '1' = ?1", [text], |row| row.get(0))
            .expect("a row");
        assert_eq!(there, 1, "{text} was answered 201");
    }
    let (entries, last): (i64, i64) = database
        .query_row("SELECT count(*), max(id & 0xffffffff) FROM entries", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("a row");
    assert_eq!(entries, last, "serials have no gap");
}

#[test]
fn an_error_that_passes_is_waited_for() {
    for errno in [ENOSPC, EDQUOT, EROFS] {
        let dir = tempfile::tempdir().expect("a folder");
        let fault = Fault::of("write", "-wal", errno);
        let server = fault.server(dir.path(), 0);
        let (owner, form) = one_field(&server);
        for stored in [0, 1] {
            fault.arm();
            assert_eq!(submit_until_refused(&server, &form), 0, "{errno}");
            reads(&owner, &form, stored);
            // An export that can't be noted in the audit log is refused.
            let export = format!("{}/export", form.entries());
            let refused = owner.get(&export);
            assert_eq!(refused.status, 503, "{refused}");
            assert!(refused.header("retry-after").parse::<u32>().is_ok());
            fault.disarm();
            assert_eq!(owner.get(&export).status, 200);
            let made = server.anon().post(form.submissions(), values("there again"));
            let serial = &made.data()["entry"]["serial_number"];
            assert_eq!(*serial, stored + 1, "{errno}: {made}: {}", server.stderr());
        }
        assert!(server.is_running());
    }
}
