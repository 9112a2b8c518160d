//! The folder: an end at any moment of its making leaves one that starts; an existing database is neither changed by an
//! older program nor made anew, and no key replaces its own; a link may lead to the folder, but not out of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::{PROGRAM, Server, field, formsvc, rounds, text, until};
use tempfile::TempDir;

/// Starts it and kills it this long after it made the folder.
fn kill_at_start(dir: &Path, after: Duration) {
    let mut child = Command::new(&*PROGRAM)
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    until("it begins", || dir.exists());
    thread::sleep(after);
    child.kill().expect("a child");
    child.wait().expect("a child");
}

#[test]
fn killed_while_it_is_made_it_starts_all_the_same() {
    let mut random = rand::rng();
    for _ in 0..rounds("TEST_CRASH_ROUNDS", 8) {
        let home = tempfile::tempdir().expect("a folder");
        let dir = home.path().join("data");
        for _ in 0..random.random_range(1..4) {
            kill_at_start(&dir, Duration::from_millis(random.random_range(0..120)));
        }
        let server = Server::over(&dir, &[]);
        let form = server.user().form(json!([field("short_text", json!({}))]));
        let made = server.anon().post(form.submissions(), json!({"field_values": {"field_1": "x"}}));
        assert_eq!(made.status, 201, "{made}");
    }
}

/// A data dir that was served, with a user in it; ended so that its log is still beside the file, or not.
fn served(in_order: bool) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &[]);
    server.user();
    if in_order {
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
    } else {
        server.kill();
    }
    dir
}

/// `serve` and a command beside it both end with this code and these words.
fn both_refuse(dir: &Path, code: i32, words: &str) {
    for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["user", "list"]] {
        let refused = formsvc(dir, args, "");
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_database_that_was_lost_is_not_made_anew() {
    for in_order in [true, false] {
        let dir = served(in_order);
        let log = dir.path().join("formsvc.db-wal");
        let before = fs::read(&log).ok();
        assert_eq!(before.is_some(), !in_order);
        let file = dir.path().join("formsvc.db");
        fs::write(&file, "").expect("empties it");
        both_refuse(dir.path(), 1, "is damaged");
        assert_eq!(fs::metadata(&file).expect("is there").len(), 0);
        fs::remove_file(&file).expect("removes it");
        both_refuse(dir.path(), 1, "is damaged");
        assert!(!file.exists());
        assert!(fs::read(&log).ok() == before, "the log may save what it holds");
    }
}

/// Makes the database one of a later version, as this program would have left it.
fn make_newer(dir: &Path) {
    let newer = rusqlite::Connection::open(dir.join("formsvc.db")).expect("opens");
    newer.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("keeps the log");
    newer
        .execute_batch(
            "INSERT INTO refinery_schema_history VALUES (9000000000, 'later', '2030-01-01T00:00:00Z', '1'); \
             PRAGMA user_version = 3014015;",
        )
        .expect("inserts");
    newer.close().expect("closes");
}

#[test]
fn a_newer_database_and_its_log_stay_as_they_are_and_every_command_says_what_to_do() {
    for in_order in [false, true] {
        let dir = served(in_order);
        make_newer(dir.path());
        let bytes = || ["formsvc.db", "formsvc.db-wal"].map(|name| fs::read(dir.path().join(name)).ok());
        let before = bytes();
        both_refuse(dir.path(), 5, "newer formsvc (formsvc 3.14.15; its version is 9000000000");
        both_refuse(dir.path(), 5, "install formsvc 3.14.15 or a newer one, or restore a backup");
        let commands: [&[&str]; 14] = [
            &["setup-link"],
            &["user", "create", "x@example.com", "--name", "X"],
            &["user", "disable", "x@example.com"],
            &["token", "list"],
            &["token", "create", "--user", "x@example.com", "--name", "x", "--scope", "form:read"],
            &["app", "list"],
            &["plan", "list"],
            &["backup", "create"],
            &["doctor"],
            &["doctor", "--fix", "--json"],
            &["keys", "rotate"],
            &["jobs", "run-once"],
            &["entries", "export", "AbCdEf"],
            &["events", "tail", "AbCdEf"],
        ];
        for args in commands {
            let refused = formsvc(dir.path(), args, "");
            let said = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(5), "{args:?}: {said}");
            assert!(said.contains("install formsvc 3.14.15"), "{args:?}: {said}");
        }
        // The copy from before the upgrade is named where there is one.
        let copy = dir.path().join("backups/before-upgrade-from-1.db");
        fs::write(&copy, "").expect("written");
        let shown = fs::canonicalize(&copy).expect("a file");
        both_refuse(dir.path(), 5, &format!("`formsvc restore {}", shown.display()));
        assert!(bytes() == before, "something was written");
    }
}

#[test]
fn an_empty_folder_becomes_the_owners_alone_and_another_stays_as_it_is() {
    let mode = |dir: &Path| fs::metadata(dir).expect("there").permissions().mode() & 0o777;
    for (is_empty, wanted) in [(true, 0o700), (false, 0o755)] {
        let dir = tempfile::tempdir().expect("a folder");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
        if !is_empty {
            fs::create_dir(dir.path().join("lost+found")).expect("a folder");
        }
        let server = Server::over(dir.path(), &[]);
        assert_eq!(mode(dir.path()), wanted);
        let doctor = formsvc(dir.path(), &["doctor"], "");
        let code = if is_empty { 0 } else { 7 };
        assert_eq!(doctor.status.code(), Some(code), "{}", text(&doctor.stdout));
        assert_eq!(server.stderr().contains("others may read"), !is_empty);
    }
}

#[test]
fn a_link_may_lead_to_the_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let (real, link) = (home.path().join("private"), home.path().join("state"));
    fs::create_dir(&real).expect("a folder");
    symlink("private", &link).expect("a link");
    // As it is, and where a part on the way to it is a link.
    for dir in [link.clone(), link.join("made/here")] {
        let server = Server::over(&dir, &[]);
        let user = server.user();
        assert_eq!(user.get("/api/v1/me").status, 200);
        let second = formsvc(&dir, &["serve", "--listen", "127.0.0.1:0"], "");
        assert_eq!(second.status.code(), Some(4), "the lock is the real folder's");
        let commands: [&[&str]; 3] = [&["user", "list"], &["doctor"], &["jobs", "run-once"]];
        for args in commands {
            let done = formsvc(&dir, args, "");
            assert_eq!(done.status.code(), Some(0), "{args:?}: {}", text(&done.stderr));
        }
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
    }
    assert!(real.join("formsvc.db").exists() && real.join("made/here/formsvc.db").exists());
    fs::remove_dir_all(&real).expect("removed");
    both_refuse(&link, 4, "is a link to private, which does not exist");
    assert!(!real.exists());
    fs::remove_file(&link).expect("removed");
    symlink("state", &link).expect("a link");
    both_refuse(&link, 4, "can't be used");
}

#[test]
fn no_link_leads_out_of_the_folder() {
    let names = [
        "keys",
        "blobs",
        "tmp",
        "backups",
        "lock",
        "formsvc.db",
        "formsvc.db-wal",
        "formsvc.db-shm",
        "formsvc.db-journal",
        "keys/instance",
    ];
    let dir = served(false);
    let outside = tempfile::tempdir().expect("a folder");
    let tree = |dir: &Path| -> Vec<_> {
        let listed = fs::read_dir(dir).expect("a folder");
        let mut names: Vec<_> = listed.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    for name in names {
        let (own, other) = (dir.path().join(name), outside.path().join("other"));
        let was_there = own.exists();
        if was_there {
            fs::rename(&own, &other).expect("moved");
        }
        symlink(&other, &own).expect("a link");
        let before = other.is_dir().then(|| tree(&other));
        let sentence =
            format!("{} in the data dir", fs::canonicalize(dir.path()).expect("a folder").join(name).display());
        both_refuse(dir.path(), 4, &sentence);
        let doctor = formsvc(dir.path(), &["doctor", "--json"], "");
        assert_eq!(doctor.status.code(), Some(7), "{name}");
        let found: Value = serde_json::from_slice(&doctor.stdout).expect("one document");
        assert_eq!(found[0]["state"], "FAIL", "{found}");
        assert!(found[0]["text"].as_str().is_some_and(|text| text.contains(&sentence)), "{found}");
        assert!(fs::symlink_metadata(&own).expect("there").is_symlink());
        assert_eq!(other.is_dir().then(|| tree(&other)), before, "{name}");
        fs::remove_file(&own).expect("removed");
        if was_there {
            fs::rename(&other, &own).expect("moved back");
        }
    }
    let doctor = formsvc(dir.path(), &["doctor"], "");
    assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor.stdout));
}

/// Sends a file to a form's upload address; its status.
fn upload(server: &Server, form: &support::Form, content: &[u8]) -> (u16, Value) {
    let anon = server.anon();
    let prepared = support::uploads::prepare(&anon, form, "a", "a/b", content.len()).data();
    let sent = support::uploads::send(&anon, &prepared, "a/b", content);
    (sent.status, prepared["upload_id"].clone())
}

#[test]
fn links_that_come_while_it_is_served_are_not_followed() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let keep = |content: &[u8]| {
        let (status, id) = upload(&server, &form, content);
        assert_eq!(status, 200);
        let stored = server.anon().post(form.submissions(), json!({"field_values": {"field_1": [id]}}));
        assert_eq!(stored.status, 201, "{stored}");
    };
    keep(b"abc");
    // SHA-256 of "abc" begins with ba, and that of "x" with 2d.
    let outside = tempfile::tempdir().expect("a folder");
    symlink(outside.path(), server.dir.join("blobs/2d")).expect("a link");
    let (status, _) = upload(&server, &form, b"x");
    assert_eq!(status, 500);
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    // Nor are the whole folders: they are held open since the start.
    for name in ["blobs", "tmp", "keys"] {
        let own = server.dir.join(name);
        fs::rename(&own, server.dir.join(format!("own-{name}"))).expect("moved");
        symlink(outside.path(), own).expect("a link");
    }
    keep(b"y");
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
}

#[test]
fn a_database_opens_with_its_own_key_alone() {
    let dir = served(true);
    let key = dir.path().join("keys/instance");
    let own = fs::read(&key).expect("a key");
    let wrong: [(Option<Vec<u8>>, &str); 5] = [
        (None, "is missing"),
        (Some(Vec::new()), "must be 32 bytes long"),
        (Some(own[..31].to_vec()), "must be 32 bytes long"),
        (Some([&own[..], b"\n"].concat()), "must be 32 bytes long"),
        (Some(vec![7; 32]), "is not the one that its database was made with"),
    ];
    let database = fs::read(dir.path().join("formsvc.db")).expect("a database");
    for (content, words) in wrong {
        match &content {
            Some(content) => fs::write(&key, content).expect("written"),
            None => fs::remove_dir_all(key.parent().expect("a folder")).expect("removed"),
        }
        both_refuse(dir.path(), 1, words);
        both_refuse(dir.path(), 1, "restore the folder keys/ from the backup");
        for args in [&["doctor"][..], &["doctor", "--json"]] {
            let doctor = formsvc(dir.path(), args, "");
            assert_eq!(doctor.status.code(), Some(7), "{words}");
            let said = text(&doctor.stdout);
            assert!(said.contains("FAIL") && said.contains(words), "{said}");
        }
        assert_eq!(fs::read(&key).ok(), content, "no other key is made");
        assert!(fs::read(dir.path().join("formsvc.db")).expect("a database") == database);
        fs::create_dir_all(key.parent().expect("a folder")).expect("made");
        fs::write(&key, &own).expect("written");
    }
    let server = Server::over(dir.path(), &[]);
    assert_eq!(server.user().get("/api/v1/me").status, 200);
}

#[test]
fn one_key_is_made_however_many_begin() {
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let ended = support::at_once(4, |n| {
        if n == 0 {
            let server = Server::over(&dir, &[]);
            server.user();
            return true;
        }
        // Beside a database that is being made they may find none.
        for _ in 0..20 {
            let listed = formsvc(&dir, &["user", "list"], "");
            assert!(matches!(listed.status.code(), Some(0 | 4)), "{}", text(&listed.stderr));
        }
        true
    });
    assert_eq!(ended, [true; 4]);
    let listed = formsvc(&dir, &["doctor"], "");
    assert_eq!(listed.status.code(), Some(0), "{}", text(&listed.stdout));
}
