//! Power loss (S80): every write of the server is recorded, then the files are put together again as a disk might hold
//! them after a cut at any point. Flushed writes are there; of the others, some are there, some are lost and some are
//! torn. Each such state must open, be whole and hold all answered writes, with their events that are to be delivered;
//! and the contents that it names must have been in their places, flushed, before the cut.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use serde_json::json;
use support::peers::receiver::closed_port;
use support::uploads::uploaded;
use support::{PROGRAM, Server, field, means};

const ENTRIES: i64 = 40;
const CUTS: usize = 1000;
const SECTOR: usize = 512;

/// The actions of the server, in order.
enum Event {
    Write {
        file: usize,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: usize,
        len: usize,
    },
    Flushed {
        file: usize,
    },
    /// The content of this hash is where it belongs, and stays there.
    Placed(String),
    Answered,
}

const FILES: [&str; 2] = ["formsvc.db", "formsvc.db-wal"];

/// The path of a call's first argument, `7</dir/formsvc.db>`.
fn path_of(call: &str) -> Option<&str> {
    Some(call.split_once('<')?.1.split_once('>')?.0)
}

/// Which of the files that is.
fn file_of(call: &str) -> Option<usize> {
    let name = Path::new(path_of(call)?).file_name()?.to_str()?;
    FILES.iter().position(|file| *file == name)
}

/// Contents on their way to their places.
#[derive(Default)]
struct Contents {
    flushed: HashSet<String>,
    /// Folders that were made and not flushed in their own.
    new_folders: HashSet<String>,
    /// By their folders.
    renamed: HashMap<String, Vec<String>>,
}

impl Contents {
    fn made(&mut self, path: String) {
        self.new_folders.insert(path);
    }

    fn renamed(&mut self, from: &str, to: &str) {
        assert!(self.flushed.contains(from), "{to} has its name too early");
        let (folder, hash) = to.rsplit_once('/').expect("a folder");
        let renamed = self.renamed.entry(folder.to_owned()).or_default();
        renamed.push(hash.to_owned());
    }

    fn flushed(&mut self, path: &str, events: &mut Vec<Event>) {
        self.flushed.insert(path.to_owned());
        self.new_folders.retain(|folder| folder.rsplit_once('/').map(|parts| parts.0) != Some(path));
        if self.new_folders.contains(path) {
            return;
        }
        let placed = self.renamed.remove(path).into_iter().flatten();
        events.extend(placed.map(Event::Placed));
    }
}

/// The paths among a call's arguments; `7</dir/blobs>, "3f"` is one of them.
fn paths(call: &str) -> Vec<String> {
    let parts: Vec<&str> = call.split('"').collect();
    let names = parts.chunks_exact(2).map(|pair| {
        let folder = pair[0].rsplit_once('<').and_then(|(_, path)| path.split_once('>'));
        Path::new(folder.map_or("", |(path, _)| path)).join(pair[1])
    });
    names.map(|path| path.display().to_string()).collect()
}

/// The bytes of the string that begins behind the first quote, and the text after it.
fn string(text: &str) -> Option<(Vec<u8>, &str)> {
    let text = text.split_once('"')?.1;
    let raw = text.as_bytes();
    let mut bytes = Vec::new();
    let mut i = 0;
    loop {
        match raw.get(i)? {
            b'"' => return Some((bytes, &text[i + 1..])),
            b'\\' => {
                let next = *raw.get(i + 1)?;
                let (byte, len) = match next {
                    b'x' => (u8::from_str_radix(text.get(i + 2..i + 4)?, 16).ok()?, 4),
                    b'0'..=b'7' => {
                        let digits = raw[i + 1..].iter().take(3);
                        let digits = digits.take_while(|b| (b'0'..=b'7').contains(b)).count();
                        (u8::from_str_radix(&text[i + 1..i + 1 + digits], 8).ok()?, 1 + digits)
                    }
                    b'n' => (b'\n', 2),
                    b't' => (b'\t', 2),
                    b'r' => (b'\r', 2),
                    b'v' => (0x0b, 2),
                    b'f' => (0x0c, 2),
                    other => (other, 2),
                };
                bytes.push(byte);
                i += len;
            }
            byte => {
                bytes.push(*byte);
                i += 1;
            }
        }
    }
}

/// The numbers behind a string: `, 4096, 8192) = 4096`.
fn numbers(rest: &str) -> Vec<usize> {
    rest.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn read(trace: &str) -> Vec<Event> {
    let mut events = Vec::new();
    // Flushes that have begun, by thread: they count when they have ended.
    let mut flushing: HashMap<&str, &str> = HashMap::new();
    let mut contents = Contents::default();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else {
            continue;
        };
        let call = call.trim_start();
        if call.starts_with("pwrite64(") {
            if let Some(file) = file_of(call) {
                let (bytes, rest) = string(call).expect("the bytes of a write");
                let numbers = numbers(rest);
                assert_eq!(numbers[0], bytes.len(), "a write was recorded in part");
                events.push(Event::Write { file, at: numbers[1], bytes });
            }
        } else if call.starts_with("ftruncate(") {
            if let Some(file) = file_of(call) {
                let len = numbers(call.split_once('>').expect("a file").1)[0];
                events.push(Event::Truncate { file, len });
            }
        } else if call.starts_with("fsync(") || call.starts_with("fdatasync(") {
            flushing.insert(thread, call);
            if !call.contains("unfinished") {
                flushed(flushing.remove(thread), &mut contents, &mut events);
            }
        } else if call.starts_with("<... f") && call.contains("sync resumed") {
            flushed(flushing.remove(thread), &mut contents, &mut events);
        } else if call.starts_with("mkdir") {
            contents.made(paths(call).swap_remove(0));
        } else if call.starts_with("rename") {
            let [from, to] = &paths(call)[..] else {
                panic!("{call}");
            };
            if from.contains("/tmp/blob-") {
                contents.renamed(from, to);
            }
        } else if call.contains("HTTP/1.1 201") && call.contains("serial_number") {
            events.push(Event::Answered);
        }
    }
    events
}

/// A flush has ended.
fn flushed(call: Option<&str>, contents: &mut Contents, events: &mut Vec<Event>) {
    let Some(call) = call else { return };
    match (file_of(call), path_of(call)) {
        (Some(file), _) => events.push(Event::Flushed { file }),
        (None, Some(path)) => contents.flushed(path, events),
        (None, None) => {}
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }
}

fn apply(image: &mut Vec<u8>, event: &Event, torn_at: Option<usize>) {
    match event {
        Event::Write { at, bytes, .. } => {
            let bytes = &bytes[..torn_at.unwrap_or(bytes.len()).min(bytes.len())];
            let end = at + bytes.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*at..end].copy_from_slice(bytes);
        }
        Event::Truncate { len, .. } => image.resize(*len, 0),
        Event::Flushed { .. } | Event::Placed(_) | Event::Answered => {}
    }
}

/// Checks one state of the disk: `answered` entries must be there, and no content be named that is not `placed`.
fn check(images: &[Vec<u8>; 2], answered: usize, placed: &HashSet<&str>, cut: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, image) in FILES.iter().zip(images) {
        std::fs::write(dir.path().join(name), image).expect("is written");
    }
    let database = Connection::open(dir.path().join(FILES[0])).expect("opens");
    let ask = |sql: &str| database.query_row(sql, [], |row| row.get::<_, String>(0));
    assert_eq!(ask("PRAGMA integrity_check").expect("is asked"), "ok", "cut {cut}");
    let named: Vec<String> = database
        .prepare("SELECT lower(hex(hash)) FROM blobs")
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .expect("contents");
    for hash in &named {
        assert!(placed.contains(&**hash), "cut {cut}: {hash} may be lost");
    }
    let mut select = database
        .prepare(
            "SELECT id & 4294967295, \"values\" ->> '2', \
             (SELECT count(*) FROM files WHERE entry = entries.id) FROM entries ORDER BY id",
        )
        .expect("the table is there");
    let stored: Vec<(i64, String, i64)> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .and_then(Iterator::collect)
        .expect("entries");
    assert!(stored.len() >= answered, "cut {cut}: {} of {answered}", stored.len());
    for (i, (serial, text, files)) in stored.iter().enumerate() {
        assert_eq!(*serial, i as i64 + 1, "cut {cut}");
        assert_eq!(*text, value(*serial), "cut {cut}");
        assert_eq!(*files == 1, has_file(*serial), "cut {cut}");
    }
    let without_event: i64 = database
        .query_row(
            "SELECT count(*) FROM entries WHERE NOT EXISTS (SELECT 1 FROM events JOIN outbox ON outbox.event_id = events.id \
             WHERE events.id >> 32 = entries.id >> 32 AND events.serial = entries.id & 4294967295)",
            [],
            |row| row.get(0),
        )
        .expect("events");
    assert_eq!(without_event, 0, "cut {cut}");
    let events: i64 = database.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).expect("events");
    assert_eq!(events, stored.len() as i64, "cut {cut}");
    let next: i64 =
        database.query_row("SELECT next_serial FROM form_counters", [], |row| row.get(0)).expect("counters");
    assert_eq!(next, stored.len() as i64 + 1, "cut {cut}");
}

fn value(serial: i64) -> String {
    format!("entry {serial} {}", "x".repeat((serial * 37 % 1500) as usize))
}

fn has_file(serial: i64) -> bool {
    serial % 3 == 0
}

#[test]
fn whatever_the_disk_kept_what_was_answered_is_there() {
    if !means::has(&["strace"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (trace, data) = (dir.path().join("trace"), dir.path().join("data"));
    // The users and data that are there before, since commands write from processes of their own.
    let before = Server::over(&data, &[]);
    let owner = before.user();
    let form = owner.form(json!([field("attachment", json!({})), field("long_text", json!({})),]));
    // No receiver takes the events.
    let webhook = owner.post(
        form.part("integrations/webhooks"),
        json!({"url": format!("http://127.0.0.1:{}/", closed_port()), "trigger_events": ["entry_created"]}),
    );
    assert_eq!(webhook.status, 201, "{webhook}");
    before.signal("TERM");
    assert_eq!(before.wait(), Some(0));
    let mut flushed = FILES.map(|file| std::fs::read(data.join(file)).unwrap_or_default());
    let mut command = Command::new("strace");
    command
        // With -D the program is our child, and strace ends with the program.
        .args(["-D", "-f", "-y", "-x", "-s", "100000", "-e"])
        .arg("trace=pwrite64,ftruncate,fsync,fdatasync,sendto,write,writev,mkdir,mkdirat,rename,renameat,renameat2")
        .arg("-o")
        .arg(&trace)
        .arg(&*PROGRAM)
        .args(["serve", "--listen", "127.0.0.1:0", "--rate-limits", "off", "--data-dir"])
        .arg(&data);
    let server = Server::launch(command, &data);
    for serial in 1..=ENTRIES {
        let anon = server.anon();
        let files: Vec<String> = (0..i64::from(has_file(serial)))
            .map(|_| uploaded(&anon, &form, "a", "a/b", value(serial).as_bytes()))
            .collect();
        let body = json!({"field_values": {"field_1": files, "field_2": value(serial)}});
        assert_eq!(anon.post(form.submissions(), body).status, 201);
    }
    server.kill();
    let events = read(&std::fs::read_to_string(&trace).expect("a trace"));
    let answers = events.iter().filter(|event| matches!(event, Event::Answered)).count();
    assert_eq!(answers as i64, ENTRIES);
    let is_placed = |event: &&Event| matches!(event, Event::Placed(_));
    assert_eq!(events.iter().filter(is_placed).count(), 13);
    let first = events.iter().position(|event| matches!(event, Event::Answered)).expect("an answer");
    let mut dice = Dice(20_261_120);
    let mut cuts: Vec<usize> = (0..CUTS).map(|_| first + dice.throw(events.len() - first)).collect();
    cuts.sort_unstable();

    let mut pending: [Vec<&Event>; 2] = Default::default();
    let mut answered = 0;
    let mut placed = HashSet::new();
    let mut done = 0usize;
    for cut in cuts {
        for event in &events[done..=cut] {
            match event {
                Event::Write { file, .. } | Event::Truncate { file, .. } => pending[*file].push(event),
                Event::Flushed { file } => {
                    for event in pending[*file].drain(..) {
                        apply(&mut flushed[*file], event, None);
                    }
                }
                Event::Placed(hash) => {
                    placed.insert(&**hash);
                }
                Event::Answered => answered += 1,
            }
        }
        done = done.max(cut + 1);
        let mut images = flushed.clone();
        for (image, pending) in images.iter_mut().zip(&pending) {
            for event in pending {
                match dice.throw(3) {
                    0 => {}
                    1 => apply(image, event, None),
                    _ => apply(image, event, Some(SECTOR * dice.throw(9))),
                }
            }
        }
        check(&images, answered, &placed, cut);
    }
}
