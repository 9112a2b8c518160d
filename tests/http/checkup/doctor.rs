//! `doctor` on the machine below the data dir: modes, file system, free space, sizes; as lines and as one document.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{PROGRAM, Server, formsvc, means, text, until};
use tempfile::TempDir;

/// A data dir with an account, not served any more.
fn data_dir() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &[]);
    server.user();
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    dir
}

/// The exit code, and the check of this name as `--json` prints it.
fn look(dir: &Path, name: &str) -> (i32, Value) {
    let done = formsvc(dir, &["doctor", "--json"], "");
    (done.status.code().expect("a code"), check(&done.stdout, name))
}

fn check(printed: &[u8], name: &str) -> Value {
    let found: Value = serde_json::from_slice(printed).expect("one document");
    let mut found = found.as_array().expect("checks").iter();
    let own = found.find(|check| check["check"] == name);
    own.unwrap_or_else(|| panic!("no check {name}")).clone()
}

#[test]
fn a_doctor_fails_where_others_may_read() {
    let dir = data_dir();
    let (code, own) = look(dir.path(), "modes");
    assert_eq!((code, &own["state"]), (0, &"OK".into()), "{own}");
    for (name, narrow, wide) in [
        ("", 0o700, 0o755),
        ("", 0o700, 0o710),
        ("keys", 0o700, 0o750),
        ("keys/instance", 0o600, 0o640),
        ("formsvc.db", 0o600, 0o604),
        ("blobs", 0o700, 0o701),
    ] {
        let path = dir.path().join(name);
        let mode = |bits| fs::set_permissions(&path, fs::Permissions::from_mode(bits));
        mode(wide).expect("a mode");
        let (code, own) = look(dir.path(), "modes");
        assert_eq!((code, &own["state"]), (7, &"FAIL".into()), "{name}: {own}");
        let said = own["text"].as_str().expect("text");
        assert!(said.contains("chmod -R go= "), "{said}");
        let real = fs::canonicalize(&path).expect("there");
        assert!(said.contains(real.to_str().expect("text")), "{said}");
        let lines = formsvc(dir.path(), &["doctor"], "");
        assert_eq!(lines.status.code(), Some(7));
        assert!(text(&lines.stdout).contains("FAIL  modes: others may read "));
        assert!(text(&lines.stderr).contains("1 of "));
        let kept = fs::metadata(&path).expect("there").permissions().mode() & 0o777;
        assert_eq!(kept, wide, "it looks, and changes nothing");
        mode(narrow).expect("a mode");
    }
    assert_eq!(look(dir.path(), "modes").0, 0);
}

#[test]
fn a_doctor_tells_programs_about_the_machine() {
    if !means::has(&["findmnt"]) {
        return;
    }
    let dir = data_dir();
    fs::write(dir.path().join("backups/one"), [7; 3000]).expect("written");
    fs::set_permissions(dir.path().join("backups/one"), fs::Permissions::from_mode(0o600)).expect("a mode");
    let (code, sqlite) = look(dir.path(), "sqlite");
    assert_eq!(code, 0);
    let version = sqlite["version"].as_str().expect("a version");
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().expect("a number")).collect();
    assert!(parts >= vec![3, 51, 3], "{version}");

    let (_, disk) = look(dir.path(), "disk space");
    let bytes = |of: &Value, key: &str| of[key].as_u64().unwrap_or_else(|| panic!("{key}: {of}"));
    assert!(bytes(&disk, "free_bytes") <= bytes(&disk, "total_bytes"));
    assert!(bytes(&disk, "total_bytes") > 0);

    let (_, sizes) = look(dir.path(), "sizes");
    let file = fs::metadata(dir.path().join("formsvc.db")).expect("there");
    assert_eq!(bytes(&sizes, "database_bytes"), file.size());
    assert_eq!(bytes(&sizes, "backups_bytes"), 3000);
    assert_eq!(bytes(&sizes, "blobs_bytes"), 0);
    bytes(&sizes, "log_bytes");

    let (_, system) = look(dir.path(), "file system");
    // The file system of the same folder as another program names it.
    let asked = Command::new("findmnt")
        .args(["--noheadings", "--output", "FSTYPE", "--target"])
        .arg(dir.path())
        .output()
        .expect("findmnt runs");
    assert_eq!(system["file_system"], text(&asked.stdout).trim(), "{system}");
}

#[test]
fn a_full_disk_is_warned_of() {
    let dir = data_dir();
    let mut command = Command::new(&*PROGRAM);
    command.args(["doctor", "--json", "--data-dir"]).arg(dir.path());
    let done = command.env("FORMSVC_MIN_FREE_MB", "1048576").output().expect("runs");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let own = check(&done.stdout, "disk space");
    let said = own["text"].as_str().expect("text");
    assert_eq!(own["state"], "WARN", "{own}");
    assert!(said.contains("below 1048576 MB"), "{said}");
}

#[test]
fn a_network_file_system_is_a_failed_check() {
    // Only root can mount something.
    if !means::has(&["root", "unshare"]) {
        return;
    }
    let dir = data_dir();
    let outside = tempfile::tempdir().expect("a folder");
    let mounts = outside.path().join("mounts");
    let real = fs::canonicalize(dir.path()).expect("there");
    let line =
        format!("22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 0:40 / {} rw - nfs4 host:/forms rw\n", real.display());
    fs::write(&mounts, line).expect("written");
    let on_nfs = |args: &[&str]| {
        // In a view of the mounts that is its own, its list of them says so.
        let script = "mount --bind \"$0\" /proc/$$/mountinfo && exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", script]).arg(&mounts);
        command.arg(&*PROGRAM).args(args).arg("--data-dir").arg(dir.path());
        command
    };
    let done = on_nfs(&["doctor", "--json"]).output().expect("runs");
    assert_eq!(done.status.code(), Some(7), "{}", text(&done.stderr));
    let own = check(&done.stdout, "file system");
    assert_eq!(own["state"], "FAIL", "{own}");
    assert_eq!(own["file_system"], "nfs4");
    assert_eq!(own["mount_point"], real.to_str().expect("text"));
    let said = own["text"].as_str().expect("text");
    assert!(said.contains("move it to a local disk"), "{said}");

    let serve = on_nfs(&["serve", "--listen", "127.0.0.1:0"]);
    let server = Server::launch(serve, dir.path());
    until("it warns", || {
        let log = server.stderr();
        log.contains("WARN") && log.contains("network file system (nfs4 at ")
    });
    assert_eq!(server.anon().get("/readyz").status, 200, "it serves");
}
