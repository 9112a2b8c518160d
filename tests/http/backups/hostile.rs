//! Archives that somebody made to do harm: a restore takes nothing that a backup can't have.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::steps::again;
use support::{Server, formsvc, text};

use crate::backups::{backup, names, refused, restore_refused};

/// A part to be written: name in the archive, kind, content.
#[derive(Clone)]
pub(in crate::backups) struct Entry {
    name: String,
    kind: tar::EntryType,
    pub content: Vec<u8>,
}

/// A backup that can be altered and written with a right hash.
#[derive(Clone)]
pub(in crate::backups) struct Forged {
    pub head: Value,
    lines: Vec<Value>,
    entries: Vec<Entry>,
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(name: &str, content: &[u8]) -> Value {
    json!({"name": name, "size": content.len(), "sha256": hash(content)})
}

impl Forged {
    fn of(path: &Path) -> Self {
        let bytes = zstd::decode_all(File::open(path).expect("there")).expect("unpacked");
        let mut archive = tar::Archive::new(bytes.as_slice());
        let mut parts = archive.entries().expect("an archive").map(|entry| {
            let mut entry = entry.expect("a part");
            let name = entry.path().expect("a path").display().to_string();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("read");
            (name, content)
        });
        let (_, manifest) = parts.next().expect("a manifest");
        let mut lines = manifest.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        let mut lines = lines.by_ref().map(|line| serde_json::from_slice(line).expect("JSON"));
        let head = lines.next().expect("a line");
        let mut forged = Self { head, lines: Vec::new(), entries: Vec::new() };
        for (name, content) in parts {
            forged.add(&name, &content);
        }
        forged
    }

    /// Adds a part and its line.
    fn add(&mut self, name: &str, content: &[u8]) {
        self.lines.push(line(name, content));
        self.entries.push(Entry { name: name.to_owned(), kind: tar::EntryType::Regular, content: content.to_vec() });
    }

    pub fn set(&mut self, name: &str, content: &[u8]) {
        for (entry, line_of) in self.entries.iter_mut().zip(&mut self.lines) {
            if entry.name == name {
                entry.content = content.to_vec();
                *line_of = line(name, content);
            }
        }
    }

    pub fn entry(&mut self, name: &str) -> &mut Entry {
        let mut entries = self.entries.iter_mut();
        entries.find(|entry| entry.name == name).expect("a part")
    }

    pub fn write(&self, path: &Path) {
        let mut head = self.head.clone();
        head["parts"] = json!(self.lines.len());
        let mut manifest = format!("{head}\n");
        for line in &self.lines {
            manifest.push_str(&format!("{line}\n"));
        }
        let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).expect("memory"));
        let mut add = |name: &str, kind: tar::EntryType, content: &[u8]| {
            let mut header = tar::Header::new_ustar();
            // Names that the library would refuse.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(content.len() as u64);
            header.set_entry_type(kind);
            if kind != tar::EntryType::Regular {
                header.as_old_mut().linkname[..11].copy_from_slice(b"/etc/passwd");
            }
            header.set_cksum();
            tar.append(&header, content).expect("memory");
        };
        add("manifest.jsonl", tar::EntryType::Regular, manifest.as_bytes());
        for entry in &self.entries {
            add(&entry.name, entry.kind, &entry.content);
        }
        let packed = tar.into_inner().expect("memory").finish().expect("memory");
        write_sealed(path, packed);
    }
}

pub(in crate::backups) fn write_sealed(path: &Path, mut bytes: Vec<u8>) {
    bytes.extend(b"\x50\x2a\x4d\x18\x28\0\0\0formsvc1");
    let hash = Sha256::digest(&bytes);
    let mut file = File::create(path).expect("a file");
    file.write_all(&bytes).expect("written");
    file.write_all(&hash).expect("written");
}

/// A backup to alter, and where to write the result.
pub(in crate::backups) fn forged() -> (Forged, tempfile::TempDir, PathBuf) {
    let server = Server::alone("its data dir is looked at");
    server.user();
    let forged = Forged::of(&backup(&server.dir));
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("forged");
    forged.write(&path);
    // Unaltered it is taken.
    let out = crate::backups::restore(&home.path().join("taken"), &path);
    assert!(out.status.success(), "{}", support::text(&out.stderr));
    (forged, home, path)
}

#[test]
fn names_and_kinds_that_no_backup_has_are_refused() {
    let (good, _home, path) = forged();
    for name in [
        "../evil",
        "/tmp/evil",
        "keys/../../evil",
        "keys/a/b",
        "keys/",
        "keys/.hidden",
        "blobs/../evil",
        "lock",
        "backups/evil",
        "formsvc.db-wal",
        "./formsvc.db",
        "blobs/00/0000000000000000000000000000000000000000000000000000000000000000",
    ] {
        let mut bad = good.clone();
        bad.add(name, b"evil");
        bad.write(&path);
        refused(&path, 7, "manifest.jsonl");
        // In the archive alone.
        bad.lines.pop();
        bad.write(&path);
        refused(&path, 7, "parts that its manifest lacks");
        // Under a name that the manifest does not say.
        let mut bad = good.clone();
        bad.entry("formsvc.db").name = name.to_owned();
        bad.write(&path);
        refused(&path, 7, "formsvc.db");
    }
    for kind in [
        tar::EntryType::Symlink,
        tar::EntryType::Link,
        tar::EntryType::Directory,
        tar::EntryType::Fifo,
        tar::EntryType::GNULongName,
        tar::EntryType::XHeader,
        tar::EntryType::GNUSparse,
    ] {
        let mut bad = good.clone();
        bad.entry("keys/instance").kind = kind;
        bad.write(&path);
        refused(&path, 7, "keys/instance");
    }
}

#[test]
fn sizes_contents_and_orders_beside_the_manifest_are_refused() {
    let (good, _home, path) = forged();
    let mut longer = good.clone();
    longer.entry("formsvc.db").content.extend([0; 4096]);
    longer.write(&path);
    refused(&path, 7, "formsvc.db has another size");
    for name in ["formsvc.db", "keys/instance"] {
        let mut altered = good.clone();
        *altered.entry(name).content.last_mut().expect("a byte") ^= 1;
        altered.write(&path);
        refused(&path, 7, &format!("{name} has another content"));
    }
    let mut twice = good.clone();
    twice.lines.push(good.lines[0].clone());
    twice.entries.push(good.entries[0].clone());
    twice.write(&path);
    refused(&path, 7, "another order");
    let mut without = good.clone();
    without.lines.retain(|line| line["name"] != "keys/instance");
    without.entries.retain(|entry| entry.name != "keys/instance");
    without.write(&path);
    refused(&path, 7, "keys/instance");
    let mut more = good.clone();
    let huge = 1_u64 << 60;
    more.lines.last_mut().expect("a line")["size"] = json!(huge);
    more.write(&path);
    refused_for_size(&path);
    // Megabytes of zeros behind the end, in some kilobytes.
    let mut bomb = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    good.write(&path);
    let bytes = fs::read(&path).expect("there");
    bomb.write_all(&zstd::decode_all(bytes.as_slice()).expect("unpacked")).expect("memory");
    for _ in 0..64 {
        bomb.write_all(&vec![0; 1 << 20]).expect("memory");
    }
    write_sealed(&path, bomb.finish().expect("memory"));
    let verified =
        support::formsvc(path.parent().expect("a folder"), &["backup", "verify", path.to_str().expect("plain")], "");
    assert_eq!(verified.status.code(), Some(7));
}

/// A backup that no disk has room for is refused before anything is unpacked.
fn refused_for_size(path: &Path) {
    restore_refused(path, 1, "there is too little space");
}

#[test]
fn a_backup_of_a_newer_version_leaves_data_as_it_is_and_says_what_to_install() {
    let (good, home, path) = forged();
    let old = home.path().join("old");
    let server = Server::over(&old, &["--rate-limits", "off"]);
    let owner = server.user();
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let state = || {
        let database = fs::read(old.join("formsvc.db")).expect("there");
        let key = fs::read(old.join("keys/instance")).expect("there");
        (names(&old), hash(&database), hash(&key))
    };
    let before = state();
    // By the backup's own head, and by its database.
    let mut by_head = good.clone();
    by_head.head["schema"] = json!(99_999_999_999_i64);
    by_head.head["program"] = json!("9.8.7");
    let mut by_database = good.clone();
    let file = home.path().join("altered.db");
    fs::write(&file, &by_database.entry("formsvc.db").content).expect("written");
    let connection = Connection::open(&file).expect("a database");
    connection
        .execute_batch(
            "INSERT INTO refinery_schema_history SELECT 99999999999, 'x', applied_on, checksum \
                 FROM refinery_schema_history LIMIT 1;
             PRAGMA user_version = 9008007; PRAGMA journal_mode = DELETE",
        )
        .expect("altered");
    drop(connection);
    by_database.set("formsvc.db", &fs::read(&file).expect("there"));
    for newer in [by_head, by_database] {
        newer.write(&path);
        let file = path.to_str().expect("a plain path");
        let out = formsvc(&old, &["restore", file, "--yes", "--no-input"], "");
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(5), "{said}");
        assert!(
            said.contains("was made by a newer formsvc (formsvc 9.8.7; its version is 99999999999,")
                && said.contains("): install that version or a newer one")
                && said.lines().count() == 1,
            "{said}"
        );
        assert_eq!(state(), before);
    }
    let kept = Server::over(&old, &["--rate-limits", "off"]);
    assert_eq!(again(&owner, &kept).get("/api/v1/me").status, 200);
}

#[test]
fn databases_of_others_and_of_later_versions_are_refused() {
    let (good, home, path) = forged();
    let mut later = good.clone();
    later.head["format"] = json!(2);
    later.write(&path);
    refused(&path, 5, "newer formsvc");
    let mut later = good.clone();
    later.head["schema"] = json!(99_999_999_999_i64);
    later.write(&path);
    refused(&path, 5, "newer formsvc");
    let original = good.clone().entry("formsvc.db").content.clone();
    for (sql, code, word) in [
        (
            "INSERT INTO refinery_schema_history SELECT 99999999999, 'x', applied_on, checksum FROM refinery_schema_history LIMIT 1",
            5,
            "newer formsvc",
        ),
        ("CREATE TABLE more (x)", 7, "other tables"),
        ("CREATE TRIGGER more AFTER DELETE ON sessions BEGIN DELETE FROM users; END", 7, "other tables"),
        ("CREATE VIEW more AS SELECT * FROM users", 7, "other tables"),
        ("DROP TABLE refinery_schema_history", 7, "not one of formsvc"),
        ("UPDATE canary SET sealed = zeroblob(40)", 7, "keys/instance"),
        ("INSERT INTO blobs (hash, size) VALUES (zeroblob(32), 5)", 7, "1 files of its database are missing"),
    ] {
        let file = home.path().join("altered.db");
        fs::write(&file, &original).expect("written");
        let connection = Connection::open(&file).expect("a database");
        connection.execute_batch(sql).expect("altered");
        connection.pragma_update(None, "journal_mode", "DELETE").expect("one file");
        connection.close().map_err(|(_, e)| e).expect("closed");
        let mut bad = good.clone();
        bad.set("formsvc.db", &fs::read(&file).expect("there"));
        bad.write(&path);
        refused(&path, code, word);
    }
    let mut other = good.clone();
    other.set("formsvc.db", b"no database at all");
    other.write(&path);
    refused(&path, 7, "formsvc.db");
    let mut other = good.clone();
    other.set("keys/instance", &[9; 32]);
    other.write(&path);
    refused(&path, 7, "keys/instance");
}
