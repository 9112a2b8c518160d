//! The cost of verifying and restoring a backup of unknown origin, before it is refused or taken (S102): 150 MB of
//! memory at most, whatever it holds; and the disk space that a check needs. Manifests have 1,500,000 lines, which took
//! 170 MB once; `TEST_MANIFEST_LINES=6000000` asks for more.

use std::fs;
use std::io::{Read as _, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use support::uploads::uploaded;
use support::{PROGRAM, Server, field, rounds};

use crate::backups::hostile::{Forged, forged, write_sealed};
use crate::backups::{backup, names};

const MOST_MB: usize = 150;

/// The result of a command.
struct Ended {
    code: Option<i32>,
    said: String,
    /// The most memory that it took, in MB.
    peak: usize,
}

fn command(args: &[&Path], temporary: &Path) -> Command {
    let mut command = Command::new(&*PROGRAM);
    command.args(args).args(["--no-input", "--yes"]).env("TMPDIR", temporary);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Its highest memory so far; `None` once it has ended.
fn peak_of(child: &Child) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}

fn run(mut command: Command) -> Ended {
    let mut child = command.spawn().expect("the program starts");
    let mut peak = 0;
    let status = loop {
        peak = peak_of(&child).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    Ended { code: status.code(), said, peak }
}

/// Verifies and restores a file, at once. Both must end with this code and word, take little and leave nothing.
fn costs_little(file: &Path, code: i32, word: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let (temporary, restored) = (home.path().join("tmp"), home.path().join("restored"));
    fs::create_dir(&temporary).expect("a folder");
    let (verify, restore) = (Path::new("verify"), Path::new("restore"));
    let commands = [
        command(&[Path::new("backup"), verify, file], &temporary),
        command(&[restore, file, Path::new("--data-dir"), &restored], &temporary),
    ];
    let ended = thread::scope(|scope| {
        let both = commands.map(|command| scope.spawn(|| run(command)));
        both.map(|it| it.join().expect("an end"))
    });
    eprintln!("verify: {} MB, restore: {} MB", ended[0].peak, ended[1].peak);
    for (what, Ended { code: ended, said, peak }) in ["verify", "restore"].iter().zip(ended) {
        assert_eq!(ended, Some(code), "{what}: {said}");
        assert!(said.contains(word), "{what}: {said}");
        assert!(peak < MOST_MB, "{what}: {peak} MB");
    }
    assert!(names(&temporary).is_empty(), "{:?}", names(&temporary));
    assert!(code == 0 || !restored.exists());
}

/// The head of a tar archive's part.
fn tar_head(name: &str, size: u64) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.set_path(name).expect("a path");
    header.set_size(size);
    header.set_entry_type(tar::EntryType::Regular);
    header.set_cksum();
    header
}

/// A manifest that announces so many files, of which none comes.
fn write_manifest(path: &Path, mut head: serde_json::Value, files: u32) {
    head["parts"] = json!(files + 2);
    let hash = "0".repeat(64);
    let first = format!(
        "{head}\n{{\"name\":\"keys/instance\",\"size\":32,\"sha256\":\"{hash}\"}}\n\
         {{\"name\":\"formsvc.db\",\"size\":4096,\"sha256\":\"{hash}\"}}\n"
    );
    let line = format!("{{\"name\":\"blobs/00/{hash}\",\"size\":1,\"sha256\":\"{hash}\"}}\n");
    let mut line = line.into_bytes();
    let text = String::from_utf8(line.clone()).expect("text");
    let name = text.find("00/0").expect("there");
    let places = [name + 3, text.rfind(&hash).expect("there")];
    let mut archive = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    let size = first.len() as u64 + u64::from(files) * line.len() as u64;
    archive.write_all(tar_head("manifest.jsonl", size).as_bytes()).expect("memory");
    archive.write_all(first.as_bytes()).expect("memory");
    let mut piece = Vec::with_capacity(1 << 20);
    for nth in 0..files {
        let digits = format!("{nth:08x}");
        line[name..name + 2].copy_from_slice(&digits.as_bytes()[..2]);
        for at in places {
            line[at..at + 8].copy_from_slice(digits.as_bytes());
        }
        piece.extend_from_slice(&line);
        if piece.len() > 1_000_000 {
            archive.write_all(&piece).expect("memory");
            piece.clear();
        }
    }
    piece.resize(piece.len() + usize::try_from(size.next_multiple_of(512) - size).expect("small"), 0);
    archive.write_all(&piece).expect("memory");
    write_sealed(path, archive.finish().expect("memory"));
}

#[test]
fn a_manifest_of_millions_of_lines_takes_little_memory() {
    let (good, _home, path) = forged();
    let lines = rounds("TEST_MANIFEST_LINES", 1_000_000);
    write_manifest(&path, good.head.clone(), lines);
    eprintln!("{lines} lines: {} MB", fs::metadata(&path).expect("there").len() >> 20);
    costs_little(&path, 7, "keys/instance is missing");
}

/// The database of a backup, altered.
fn altered(good: &mut Forged, home: &Path, sql: &str) -> Vec<u8> {
    let file = home.join("altered.db");
    fs::write(&file, &good.entry("formsvc.db").content).expect("written");
    let connection = Connection::open(&file).expect("a database");
    connection.execute_batch(sql).expect("altered");
    connection.pragma_update(None, "journal_mode", "DELETE").expect("one file");
    connection.close().map_err(|(_, e)| e).expect("closed");
    fs::read(&file).expect("there")
}

#[test]
fn a_database_that_is_costly_to_read_is_refused_before_it_costs() {
    let (mut good, home, path) = forged();
    for (sql, word) in [
        (
            "PRAGMA writable_schema = ON; \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700000) \
             INSERT INTO sqlite_schema SELECT 'table', 't' || i, 't' || i, 2, \
                 'CREATE TABLE t' || i || '(a,b,c,d,e,f)' FROM n",
            "other tables",
        ),
        (
            "PRAGMA writable_schema = ON; \
             UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) \
                 || '/*' || hex(zeroblob(60000000)) || '*/)' WHERE name = 'rewrites'",
            "other tables",
        ),
        ("UPDATE canary SET sealed = zeroblob(150000000)", "other tables"),
        (
            "DROP TABLE refinery_schema_history; \
          CREATE VIEW refinery_schema_history AS WITH RECURSIVE n (version) AS \
             (SELECT 1 UNION ALL SELECT version FROM n) SELECT version FROM n",
            "not one of formsvc",
        ),
    ] {
        let mut bad = good.clone();
        let database = altered(&mut good, home.path(), sql);
        bad.set("formsvc.db", &database);
        drop(database);
        bad.write(&path);
        drop(bad);
        eprintln!("{} MB: {}", fs::metadata(&path).expect("there").len() >> 20, &sql[..40]);
        costs_little(&path, 7, word);
    }
}

#[test]
fn a_check_copies_the_database_and_leaves_nothing() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let id = uploaded(&owner, &form, "a.json", "application/json", b"[1,2,3]");
    assert_eq!(owner.post(form.entries(), json!({"field_values": {"field_1": [id]}})).status, 201);
    let file = backup(&server.dir);
    costs_little(&file, 0, "");

    let home = tempfile::tempdir().expect("a folder");
    let verify = |temporary: &Path| run(command(&[Path::new("backup"), Path::new("verify"), &file], temporary));
    let missing = home.path().join("missing");
    let Ended { code, said, .. } = verify(&missing);
    assert_eq!(code, Some(1), "{said}");
    let named = format!("{} can't take a copy of the backup's database to check it", missing.display());
    assert!(said.contains(&named) && said.contains("name another folder in the variable TMPDIR"), "{said}");
    // Nobody else may read the files there meanwhile, and they are gone afterwards.
    let mut child = command(&[Path::new("backup"), Path::new("verify"), &file], home.path()).spawn().expect("starts");
    let mut modes = Vec::new();
    while child.try_wait().expect("a status").is_none() {
        for name in names(home.path()) {
            let mode = fs::metadata(home.path().join(name)).map(|it| it.permissions().mode() & 0o777);
            modes.extend(mode);
        }
    }
    assert!(modes.iter().all(|mode| *mode == 0o700), "{modes:?}");
    assert!(names(home.path()).is_empty());
}
