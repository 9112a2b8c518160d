//! Files on a disk that is full, fails, or is asked in which order it was written (S64, S79, S81).

use std::fs;
use std::io::{Read as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::raw;
use support::uploads::{files_in, path_of, prepare, send, uploaded};
use support::{Caller, Form, Response, Server, field, means, until};

use crate::store::disk::{self, Disk, EIO, FLAGS, Fault};

const KIND: &str = "a/b";

fn made(server: &Server) -> (Caller, Caller, Form) {
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({"max_size": 20})), field("long_text", json!({})),]));
    (owner, server.anon(), form)
}

/// The same callers, on a server that was started later.
fn again(owner: &Caller, server: &Server) -> (Caller, Caller) {
    let token = owner.token.as_deref().expect("a token");
    (server.anon().with_token(token), server.anon())
}

fn with_file(id: &str) -> Value {
    json!({"field_values": {"field_1": [id], "field_2": "more ".repeat(100)}})
}

fn is_busy(refused: &Response) {
    assert_eq!(refused.status, 503, "{refused}");
    assert!(refused.json()["error"].is_string(), "{refused}");
    let wait: u32 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait));
}

/// The content of an entry's file.
fn content(owner: &Caller, form: &Form, serial: i64) -> String {
    let entry = owner.get(form.entry(serial)).data();
    let url = entry["field_1"][0]["url"].as_str().expect("a link");
    let file = owner.get(path_of(owner, url));
    assert_eq!(file.status, 200, "{file}");
    file.text
}

/// Fills the disk with submissions until one is refused.
fn submit_until_refused(anon: &Caller, form: &Form) {
    for _ in 0..5000 {
        let body = json!({"field_values": {"field_2": "full ".repeat(2000)}});
        let made = anon.post(form.submissions(), body);
        if made.status != 201 {
            return is_busy(&made);
        }
    }
    panic!("the disk was never full");
}

#[test]
fn a_disk_that_fills_while_a_file_comes_keeps_none_of_it() {
    let Some(disk) = Disk::mount("32m") else {
        return;
    };
    let server = Server::over(&disk.path().join("data"), &FLAGS);
    let (owner, anon, form) = made(&server);
    let size = 8 << 20;
    let prepared = prepare(&anon, &form, "a", KIND, size).data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let mut socket = raw::connect(&anon.base);
    let head = format!(
        "PUT {} HTTP/1.1\r\nHost: a\r\nContent-Type: {KIND}\r\nContent-Length: {size}\r\n\r\n",
        path_of(&anon, url)
    );
    socket.write_all(head.as_bytes()).expect("sent");
    socket.write_all(&vec![1; 1 << 20]).expect("sent");
    until("some of it is there", || {
        let aside = files_in(&server.dir, "tmp");
        aside.iter().any(|file| fs::metadata(file).is_ok_and(|file| file.len() > 100_000))
    });
    disk.fill();
    // More than may wait before it is written, and before that is looked at.
    socket.write_all(&vec![1; 5 << 19]).expect("sent");
    let mut answer = [0; 4096];
    let read = socket.read(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("retry-after: "), "{answer}");
    until("nothing is left of it", || files_in(&server.dir, "tmp").is_empty());
    assert_eq!(files_in(&server.dir, "blobs").len(), 0);
    assert_eq!(owner.get(form.entries()).status, 200);
    assert_eq!(anon.get(form.published()).status, 200);
    disk.free();
    let sent = send(&anon, &prepared, KIND, &vec![b'x'; size]);
    assert_eq!(sent.status, 200, "{sent}");
    let id = prepared["upload_id"].as_str().expect("an id");
    let stored = anon.post(form.submissions(), with_file(id));
    assert_eq!(stored.status, 201, "{stored}");
    assert_eq!(content(&owner, &form, 1).len(), size);
}

#[test]
fn a_file_beyond_the_limit_of_file_sizes_is_refused() {
    let server = Server::with(&FLAGS);
    let (owner, anon, form) = made(&server);
    let bytes = vec![b'x'; 3 << 20];
    let prepared = prepare(&anon, &form, "a", KIND, bytes.len()).data();
    disk::limit_files(&server, Some(2 << 20));
    is_busy(&send(&anon, &prepared, KIND, &bytes));
    assert!(files_in(&server.dir, "tmp").is_empty());
    assert_eq!(owner.get(form.entries()).status, 200);
    disk::limit_files(&server, None);
    assert_eq!(send(&anon, &prepared, KIND, &bytes).status, 200);
    let id = prepared["upload_id"].as_str().expect("an id");
    assert_eq!(anon.post(form.submissions(), with_file(id)).status, 201);
    assert_eq!(content(&owner, &form, 1).len(), 3 << 20);
}

#[test]
fn whatever_room_is_left_an_answer_is_kept_or_refused() {
    let Some(disk) = Disk::mount("24m") else {
        return;
    };
    let server = Server::over(&disk.path().join("data"), &FLAGS);
    let (owner, anon, form) = made(&server);
    let mut refused = 0;
    let mut kept = Vec::new();
    for round in 0..24 {
        let text = format!("{round} ").repeat(10_000);
        let prepared = prepare(&anon, &form, "a", KIND, text.len());
        assert_eq!(prepared.status, 201, "{prepared}");
        let id = prepared.data()["upload_id"].as_str().expect("an id").to_owned();
        disk.fill_but(round * 4096);
        let sent = send(&anon, &prepared.data(), KIND, text.as_bytes());
        let before_free = sent.status;
        disk.free();
        if before_free != 200 {
            is_busy(&sent);
            refused += 1;
            let again = send(&anon, &prepared.data(), KIND, text.as_bytes());
            assert_eq!(again.status, 200, "{again}");
        }
        // Now the submission that takes the file is refused, or not.
        disk.fill_but(round % 6 * 4096);
        let stored = anon.post(form.submissions(), with_file(&id));
        disk.free();
        if stored.status != 201 {
            is_busy(&stored);
            let stored = anon.post(form.submissions(), with_file(&id));
            assert_eq!(stored.status, 201, "{stored}");
        }
        kept.push(text);
        assert!(files_in(&server.dir, "tmp").is_empty());
    }
    assert!(refused > 0);
    // A submission with a file is certainly refused when nothing more can be stored.
    let id = uploaded(&anon, &form, "a", KIND, b"last");
    disk.fill();
    submit_until_refused(&anon, &form);
    is_busy(&anon.post(form.submissions(), with_file(&id)));
    disk.free();
    let last = anon.post(form.submissions(), with_file(&id)).data();
    let last = last["entry"]["serial_number"].as_i64().expect("a number");
    assert_eq!(content(&owner, &form, last), "last");
    for (serial, text) in (1..).zip(&kept) {
        assert!(content(&owner, &form, serial) == *text, "{serial}");
    }
    assert!(server.is_running());
    assert!(server.run(&["jobs", "run-once"]).status.success());
    assert_eq!(files_in(&server.dir, "blobs").len(), kept.len() + 1);
}

#[test]
fn some_of_the_disk_stays_free() {
    let Some(disk) = Disk::mount("64m") else {
        return;
    };
    let dir = disk.path().join("data");
    let server = Server::over(&dir, &["--rate-limits", "off", "--min-free-mb", "1"]);
    let (owner, anon, form) = made(&server);
    let prepared = prepare(&anon, &form, "a", KIND, 2).data();
    let image = json!({
        "purpose": "header_image", "file_name": "a.png", "content_type": "image/png", "file_size": 5,
    });
    let text = json!({"field_values": {"field_2": "x"}});
    // More than the megabyte, but less than two percent.
    disk.fill_but(1_200_000);
    for refused in [
        prepare(&anon, &form, "a", KIND, 1),
        owner.post("/api/v1/attachments", image),
        send(&anon, &prepared, KIND, b"ab"),
        anon.post(form.submissions(), text.clone()),
    ] {
        is_busy(&refused);
    }
    assert_eq!(anon.get(form.published()).status, 200);
    assert_eq!(owner.get(form.entries()).status, 200);
    disk.free();
    disk.fill_but(2_000_000);
    assert_eq!(prepare(&anon, &form, "a", KIND, 1).status, 201);
    assert_eq!(send(&anon, &prepared, KIND, b"ab").status, 200);
    assert_eq!(anon.post(form.submissions(), text).status, 201);
}

#[test]
fn a_file_that_can_not_be_brought_onto_the_disk_ends_the_service() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (owner, anon, form) = made(&server);
    let kept = uploaded(&anon, &form, "a", KIND, b"kept");
    server.signal("TERM");
    server.wait();
    // The hash of "abc" begins so.
    for (call, file) in [("sync", "/tmp/blob-*"), ("write", "/tmp/blob-*"), ("sync", "/blobs"), ("sync", "/blobs/ba")] {
        let fault = Fault::of(call, file, EIO);
        let server = fault.server(dir.path(), 0);
        let (_, anon) = again(&owner, &server);
        let prepared = prepare(&anon, &form, "a", KIND, 3).data();
        fault.arm();
        is_busy(&send(&anon, &prepared, KIND, b"abc"));
        assert_eq!(server.wait(), Some(1), "{call} {file}");
        let said = server.stderr();
        assert!(said.contains("could not be brought onto the disk"), "{said}");
        fault.disarm();
        let server = Server::over(dir.path(), &FLAGS);
        let (_, anon) = again(&owner, &server);
        assert!(files_in(dir.path(), "tmp").is_empty());
        until("what has no row is gone", || files_in(dir.path(), "blobs").len() == 1);
        // It counts as not sent, and may be sent again.
        let url = prepared["upload_url"].as_str().expect("an address");
        let path = url.rsplit_once("/uploads/").expect("an address").1;
        let sent = anon.send("PUT", &format!("/uploads/{path}"), Some(KIND), b"abc");
        assert_eq!(sent.status, 200, "{sent}");
        let id = prepared["upload_id"].as_str().expect("an id");
        let stored = anon.post(form.submissions(), with_file(id));
        let serial = stored.data()["entry"]["serial_number"].as_i64();
        let serial = serial.expect("a number");
        let (owner, _) = again(&owner, &server);
        assert_eq!(content(&owner, &form, serial), "abc");
        // Gone again, so that its folder is made anew in the next round.
        assert_eq!(owner.delete(form.entry(serial)).status, 200);
        assert_eq!(owner.delete(form.trashed(serial)).status, 200);
        assert!(server.run(&["jobs", "run-once"]).status.success());
        let _ = fs::remove_dir(dir.path().join("blobs/ba"));
        server.signal("TERM");
        server.wait();
    }
    let server = Server::over(dir.path(), &FLAGS);
    let (owner, anon) = again(&owner, &server);
    let stored = anon.post(form.submissions(), with_file(&kept));
    let serial = stored.data()["entry"]["serial_number"].as_i64();
    assert_eq!(content(&owner, &form, serial.expect("a number")), "kept");
}

/// The calls that bring a file onto the disk, in the order in which they ended.
fn steps(trace: &str) -> Vec<&'static str> {
    let step = |call: &str| {
        let is_sync = call.starts_with("fsync(") || call.starts_with("fdatasync(");
        let on = |path: &str| call.contains(path);
        match () {
            () if call.starts_with("write(") && on("/tmp/blob-") => Some("write"),
            () if is_sync && on("/tmp/blob-") => Some("file"),
            () if call.starts_with("rename") && on("/tmp>, \"blob-") => Some("place"),
            () if is_sync && on("/blobs>") => Some("folders"),
            () if is_sync && on("/blobs/") => Some("folder"),
            () if is_sync && on("formsvc.db-wal>") => Some("row"),
            () if call.contains("HTTP/1.1 200") => Some("answer"),
            () => None,
        }
    };
    let mut steps = Vec::new();
    let mut begun: Vec<(&str, &'static str)> = Vec::new();
    for line in trace.lines() {
        let (thread, call) = line.trim().split_once(' ').unwrap_or((line, ""));
        let call = call.trim();
        if call.contains("resumed>") {
            assert!(!call.contains("= -1"), "{call}");
            if let Some(at) = begun.iter().position(|(other, _)| *other == thread) {
                steps.push(begun.remove(at).1);
            }
        } else if let Some(step) = step(call) {
            if call.ends_with("<unfinished ...>") {
                begun.push((thread, step));
            } else {
                steps.push(step);
            }
        }
    }
    steps
}

#[test]
fn a_file_is_in_its_place_before_its_row_and_the_row_before_the_answer() {
    if !means::has(&["strace"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (_, anon, form) = made(&server);
    let prepared: Vec<Value> = (0..3).map(|_| prepare(&anon, &form, "a", KIND, 100_000).data()).collect();
    server.signal("TERM");
    server.wait();
    let trace = tempfile::NamedTempFile::new().expect("a file");
    let path = trace.path().to_str().expect("text");
    let calls = "trace=write,writev,sendto,fsync,fdatasync,rename,renameat,renameat2";
    let strace = ["strace", "-D", "-f", "-y", "-s", "200", "-e", calls, "-o", path];
    let server = Server::launch(disk::serve(&strace, dir.path()), dir.path());
    // The folder of the last is there.
    let contents = [vec![1; 100_000], vec![2; 100_000], vec![1; 100_000]];
    for (prepared, content) in prepared.iter().zip(&contents) {
        let url = prepared["upload_url"].as_str().expect("an address");
        let path = url.rsplit_once("/uploads/").expect("an address").1;
        let anon = server.anon();
        let sent = anon.send("PUT", &format!("/uploads/{path}"), Some(KIND), content);
        assert_eq!(sent.status, 200, "{sent}");
    }
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let mut steps = steps(&fs::read_to_string(path).expect("a trace"));
    let first = steps.iter().position(|step| *step == "write");
    steps.drain(..first.expect("a file"));
    let last = steps.iter().rposition(|step| *step == "answer");
    steps.truncate(last.expect("answers") + 1);
    steps.dedup();
    let joined = steps.join(" ");
    let with_folder = "write file folders place folder row answer";
    let without = "write file place folder row answer";
    assert_eq!(joined, [with_folder, with_folder, without].join(" "));
}

#[test]
fn a_sweep_takes_nothing_that_comes() {
    let server = Server::alone("its jobs run now");
    let (owner, anon, form) = made(&server);
    let texts: Vec<(i64, String)> = thread::scope(|scope| {
        let senders: Vec<_> = (0..3)
            .map(|who| {
                let (anon, owner, form) = (&anon, &owner, &form);
                scope.spawn(move || {
                    let mut stored = Vec::new();
                    for round in 0..60 {
                        // Contents that come and go: the same as somebody else's a moment ago.
                        let text = format!("{}", (who + round) % 5);
                        let id = uploaded(anon, form, "a", KIND, text.as_bytes());
                        let made = owner.post(form.entries(), with_file(&id));
                        assert_eq!(made.status, 201, "{made}");
                        let serial = made.data()["serial_number"].as_i64().expect("a number");
                        if round % 2 == 0 {
                            stored.push((serial, text));
                        } else {
                            let none = json!({"field_values": {"field_1": []}});
                            assert_eq!(owner.patch(form.entry(serial), none).status, 200);
                        }
                    }
                    stored
                })
            })
            .collect();
        while !senders.iter().all(|sender| sender.is_finished()) {
            for job in ["files", "unknown-files"] {
                assert!(server.run(&["jobs", "run-once", job]).status.success());
            }
        }
        senders.into_iter().flat_map(|sender| sender.join().expect("no panic")).collect()
    });
    for (serial, text) in texts {
        assert_eq!(content(&owner, &form, serial), text);
    }
}

#[test]
fn files_that_come_at_a_kilobyte_a_second_come_and_hold_nobody_up() {
    let server = Server::alone("slow files take its turns");
    let (_, anon, form) = made(&server);
    let size = 14 * 1200;
    let dribble = || {
        let prepared = prepare(&anon, &form, "a", KIND, size).data();
        let url = prepared["upload_url"].as_str().expect("an address");
        let mut socket = raw::connect(&anon.base);
        let head = format!(
            "PUT {} HTTP/1.1\r\nHost: a\r\nContent-Type: {KIND}\r\nContent-Length: {size}\r\n\r\n",
            path_of(&anon, url)
        );
        socket.write_all(head.as_bytes()).expect("sent");
        socket
    };
    let mut slow: Vec<_> = (0..50).map(|_| (dribble(), Instant::now(), 0)).collect();
    while slow.iter().any(|(.., sent)| *sent < size) {
        let second = Instant::now();
        for (socket, begun, sent) in &mut slow {
            // By the clock, since a round may take longer than a second.
            let secs = usize::try_from(begun.elapsed().as_secs()).expect("few");
            let due = size.min((secs + 1) * 1200);
            socket.write_all(&vec![1; due - *sent]).expect("it is waited for");
            *sent = due;
        }
        // Waiting for the slow uploads would take for ever: nothing more comes of them meanwhile.
        let id = uploaded(&anon, &form, "a", KIND, &[0; 100_000]);
        let stored = anon.post(form.submissions(), with_file(&id));
        assert_eq!(stored.status, 201, "{stored}");
        thread::sleep(Duration::from_secs(1).saturating_sub(second.elapsed()));
    }
    for (mut socket, ..) in slow {
        let mut answer = [0; 12];
        socket.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200");
    }
}
