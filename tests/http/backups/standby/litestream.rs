//! Litestream with `packaging/litestream.yml` beside a service under load: when both are killed, its restored copy
//! lacks at most the writes answered in the last 2 seconds.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use support::raw::Talk;
use support::steps::again;
use support::{Form, PATIENCE, Server, field, formsvc, rounds, text, until};

use super::{EXTERNAL, log_size, printed, program};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/litestream.yml");
const WRITERS: usize = 4;
/// The replication lag that a standby may have.
const LAG: Duration = Duration::from_secs(2);

/// Litestream's program, and the folder that it copies to.
struct Standby {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Standby {
    /// With the shipped configuration, except for a log that is written back sooner, so that the test takes less time.
    fn new(program: PathBuf) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let config = fs::read_to_string(CONFIG).expect("there");
        let sooner = config.replace("page-count: 4000", "page-count: 400");
        assert_ne!(sooner, config);
        fs::write(home.path().join("litestream.yml"), sooner).expect("written");
        Self { program, home }
    }

    fn config(&self) -> PathBuf {
        self.home.path().join("litestream.yml")
    }

    fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.program);
        let replica = self.home.path().join("database");
        command.env("FORMSVC_DATA_DIR", dir).env("LITESTREAM_REPLICA_URL", format!("file://{}", replica.display()));
        command
    }

    /// Starts to copy the database of a data dir, and waits until it does.
    fn start(&self, dir: &Path) -> Litestream {
        let log = self.home.path().join("log");
        let log = File::options().create(true).append(true).open(log);
        let before = self.copied();
        let child = self
            .command(dir)
            .args(["replicate", "-config"])
            .arg(self.config())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.expect("a file"))
            .spawn()
            .expect("it starts");
        let running = Litestream(child);
        self.copies_beyond(&before, String::new);
        running
    }

    /// Waits until it has copied more than that. If it does not, `state` tells why that may be.
    fn copies_beyond(&self, before: &str, state: impl Fn() -> String) {
        let begun = Instant::now();
        while self.copied().as_str() <= before {
            let is_patient = begun.elapsed() < PATIENCE;
            assert!(is_patient, "nothing is copied: {}\n{}", state(), self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// The newest transaction that it copied.
    fn copied(&self) -> String {
        let listed = fs::read_dir(self.home.path().join("database/ltx/0"));
        let names = listed.into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let newest = names.filter(|name| name.ends_with(".ltx")).max();
        newest.unwrap_or_default()
    }

    /// Restores its copy; returns the database.
    fn restore(&self, dir: &Path, name: &str) -> PathBuf {
        let path = self.home.path().join(name);
        let out = self
            .command(dir)
            .args(["restore", "-config"])
            .arg(self.config())
            .arg("-o")
            .args([&path, &dir.join("formsvc.db")])
            .output()
            .expect("it runs");
        let said = text(&out.stderr);
        assert!(out.status.success(), "{said}\n{}", self.log());
        path
    }
}

/// Litestream at work; killed on drop.
struct Litestream(Child);

impl Drop for Litestream {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Submissions that were answered, and when.
type Answered = Vec<(i64, Instant)>;

/// Sends entries until `meanwhile` is over or the service is gone. `meanwhile` gets the number of answers.
fn load(server: &Server, form: &Form, meanwhile: impl FnOnce(&AtomicUsize)) -> Answered {
    let (is_over, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    let answered = Mutex::new(Answered::new());
    // Two pages of the database each.
    let long = "long enough ".repeat(600);
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut talk = Talk::open(&server.base).expect("a connection");
                let body = json!({"field_values": {"field_1": long}});
                while !is_over.load(Ordering::Relaxed) {
                    let Some((status, made)) = talk.post(&form.submissions(), &body) else {
                        return;
                    };
                    // A write waits for Litestream, and is not refused.
                    assert_eq!(status, 201, "{made}");
                    let at = Instant::now();
                    let made: Value = serde_json::from_str(&made).expect("JSON");
                    let serial = made["data"]["entry"]["serial_number"].as_i64();
                    let mut answered = answered.lock().expect("no panic");
                    answered.push((serial.expect("a number"), at));
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let over = Over(&is_over);
        meanwhile(&count);
        drop(over);
    });
    answered.into_inner().expect("no panic")
}

/// Ends the load, also when the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The numbers that change when the log begins anew.
fn salts(dir: &Path) -> Option<Vec<u8>> {
    let log = fs::read(dir.join("formsvc.db-wal")).ok()?;
    log.get(16..24).map(<[u8]>::to_vec)
}

/// The serial numbers in a database, after its check.
fn serials(path: &Path) -> Vec<i64> {
    let database = Connection::open(path).expect("a database");
    let sound: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a row");
    assert_eq!(sound, "ok");
    let mut select = database.prepare("SELECT id & 0xffffffff FROM entries ORDER BY id").expect("a table");
    let rows = select.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a number")).collect()
}

/// How long before `killed` the first missing entry was answered, and the longest time without an answer before that:
/// nothing is copied while the machine stands still.
fn lag(there: &[i64], answered: &Answered, killed: Instant) -> (Duration, Duration) {
    let last = there.last().copied().unwrap_or_default();
    assert!(there.iter().copied().eq(1..=last), "numbers are missing");
    let mut times: Vec<Instant> = answered.iter().map(|(_, at)| *at).collect();
    times.push(killed);
    times.retain(|at| *at <= killed && *at + 3 * LAG > killed);
    times.sort();
    let pauses = times.windows(2).map(|pair| pair[1] - pair[0]);
    let lost = answered.iter().filter(|(serial, _)| *serial > last);
    let ages = lost.map(|(_, at)| killed.saturating_duration_since(*at));
    (ages.max().unwrap_or_default(), pauses.max().unwrap_or_default())
}

#[test]
fn a_standby_lacks_at_most_the_last_two_seconds() {
    let Some(program) = program() else { return };
    let standby = Standby::new(program);
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let server = Server::over(dir, &EXTERNAL);
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let litestream = standby.start(dir);

    // The service is killed, once Litestream has written the log back. The log does not grow meanwhile.
    let begun = salts(dir);
    let mut longest = 0;
    let mut answered = load(&server, &form, |_| {
        until("the log begins anew", || {
            longest = longest.max(log_size(dir));
            salts(dir) != begun
        });
        server.kill();
    });
    assert!(longest < 64 << 20, "{longest}");
    drop(litestream);

    // Commands beside the service change nothing for Litestream. Then both are killed, up to three times: while others
    // keep the machine busy, Litestream may be late.
    let mut lags = Vec::new();
    let restored = (0..3).find_map(|round| {
        let server = Server::over(dir, &EXTERNAL);
        let mut litestream = None;
        let mut killed = Instant::now();
        answered.extend(load(&server, &form, |count| {
            litestream = Some(standby.start(dir));
            for command in [&["doctor", "--fix"][..], &["backup", "create"], &["jobs", "run-once"]] {
                let out = server.run(command);
                assert!(out.status.success(), "{command:?}: {}", text(&out.stderr));
            }
            // It goes on under load for longer than the lag that it may have.
            standby.copies_beyond(&standby.copied(), || {
                let answered = count.load(Ordering::Relaxed);
                let is_running = server.is_running();
                format!("{answered} answered, running: {is_running}\n{}", server.stderr())
            });
            thread::sleep(LAG + LAG / 2);
            killed = Instant::now();
            litestream = None;
            server.kill();
        }));
        let database = standby.restore(dir, &format!("restored-{round}.db"));
        let there = serials(&database);
        let (lag, pause) = lag(&there, &answered, killed);
        lags.push(format!("{lag:?} are missing; nothing was answered for {pause:?}"));
        (lag <= LAG + pause).then_some((database, there))
    });
    let (database, there) = restored.unwrap_or_else(|| panic!("{lags:#?}"));

    // The restored service works like the first.
    let new = standby.home.path().join("data");
    let folder = dir.to_str().expect("a plain path");
    let args = ["restore", folder, "--json", "--database"];
    let restored = formsvc(&new, &[&args[..], &[database.to_str().expect("a plain path")]].concat(), "");
    assert!(restored.status.success(), "{}", text(&restored.stderr));
    assert_eq!(printed(&restored)["lost_files"], 0);
    let server = Server::over(&new, &EXTERNAL);
    let owner = again(&owner, &server);
    let looked = server.run(&["doctor"]);
    assert!(looked.status.success(), "{}", text(&looked.stdout));
    let total = owner.get(form.entries()).json()["pagination"]["total"].clone();
    assert_eq!(total, there.len());
    let entry = owner.get(form.entry(1));
    let etag = entry.header("etag").to_owned();
    let same = owner.header("If-None-Match", &etag).get(form.entry(1));
    assert_eq!(same.status, 304, "{same}");
    let changed = owner.header("If-Match", &etag);
    let changed = changed.patch(form.entry(1), json!({"field_values": {"field_1": "new"}}));
    assert_eq!(changed.status, 200, "{changed}");
    let exported = owner.get(format!("{}/entries/export?format=csv", form.path()));
    assert_eq!(exported.text.lines().count(), there.len() + 1);

    // It has a standby in turn, which continues in place of the first.
    let litestream = standby.start(&new);
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "after"}}));
    let serial = made.data()["serial_number"].as_i64().expect("a number");
    assert!(serial > there[there.len() - 1]);
    let mut round = 0;
    until("the new entry is there", || {
        round += 1;
        let database = standby.restore(&new, &format!("again-{round}.db"));
        serials(&database).last() == Some(&serial)
    });
    drop(litestream);
}

/// Litestream may come and go while the service writes. If the service is killed in the middle of a write, Litestream
/// may have copied a write that then never happened: it ends with the service and begins after it, as the handbook's
/// unit has it.
#[test]
fn copies_go_on_after_each_crash() {
    let Some(program) = program() else { return };
    let standby = Standby::new(program);
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let mut server = Server::over(dir, &EXTERNAL);
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let mut litestream = Some(standby.start(dir));
    let mut last = 0;
    let some_are_answered = |count: &AtomicUsize| {
        let wanted = count.load(Ordering::Relaxed) + 100;
        until("some are answered", || count.load(Ordering::Relaxed) >= wanted);
    };
    for round in 0..rounds("TEST_CRASH_ROUNDS", 4) {
        let is_of_both = round % 2 == 1;
        let answered = load(&server, &form, |count| {
            // Each time something new is copied.
            litestream.get_or_insert_with(|| standby.start(dir));
            some_are_answered(count);
            if is_of_both {
                server.kill();
            }
            drop(litestream.take());
            if !is_of_both {
                some_are_answered(count);
                litestream = Some(standby.start(dir));
            }
        });
        last = answered.iter().map(|(serial, _)| *serial).fold(last, i64::max);
        if is_of_both {
            server = Server::over(dir, &EXTERNAL);
        }
    }
    drop(load(&server, &form, |count| {
        litestream.get_or_insert_with(|| standby.start(dir));
        some_are_answered(count);
    }));
    let owner = again(&owner, &server);
    let total = owner.get(form.entries()).json()["pagination"]["total"].clone();
    let total = total.as_i64().expect("a number");
    assert!(total > last, "{total} {last}");
    let mut round = 0;
    until("all are there", || {
        round += 1;
        let database = standby.restore(dir, &format!("restored-{round}.db"));
        serials(&database) == (1..=total).collect::<Vec<i64>>()
    });
    drop(litestream);
}
