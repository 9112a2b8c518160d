//! What was answered is on disk (S79, S86): the order of writing, flushing and answering, and what a full
//! disk does.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::{PROGRAM, Server, field, text, until};

#[test]
fn the_log_is_written_and_flushed_before_the_answer_leaves() {
    let dir = tempfile::tempdir().expect("a folder");
    let trace = dir.path().join("trace");
    let data = dir.path().join("data");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-y", "-s", "48", "-e"])
        .arg("trace=pwrite64,fsync,fdatasync,write,writev,sendto")
        .arg("-o")
        .arg(&trace)
        .arg(PROGRAM)
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(&data);
    let server = Server::launch(command, &data);
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let body = json!({"field_values": {"field_1": "traced"}});
    assert_eq!(server.anon().post(form.submissions(), body).status, 201);
    server.kill();
    let calls = std::fs::read_to_string(&trace).expect("a trace");
    let calls: Vec<&str> = calls.lines().collect();
    // The last answer that was sent is the submission's.
    let answer = calls
        .iter()
        .rposition(|call| call.contains("HTTP/1.1 201"))
        .expect("the answer");
    let flush = calls[..answer]
        .iter()
        .rposition(|call| call.contains("sync(") && call.contains("formsvc.db-wal"))
        .expect("a flush of the log before it");
    let write = calls[..flush]
        .iter()
        .rposition(|call| call.contains("pwrite64(") && call.contains("formsvc.db-wal"))
        .expect("a write to the log before that");
    let since: Vec<_> = calls[flush..answer]
        .iter()
        .filter(|call| call.contains("pwrite64(") && call.contains("formsvc.db-wal"))
        .collect();
    assert!(write < flush && since.is_empty(), "{since:?}");
}

/// A small file system in memory; unmounted on drop.
struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    /// None where this user may not mount.
    fn mount(dir: &'a Path, megabytes: u32) -> Option<Self> {
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(dir)
            .output()
            .expect("mount runs");
        done.status.success().then_some(Self(dir))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_refuses_clearly_loses_nothing_and_recovers() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(disk) = Small::mount(dir.path(), 12) else {
        assert_ne!(
            text(
                &Command::new("id")
                    .arg("-u")
                    .output()
                    .expect("id runs")
                    .stdout
            )
            .trim(),
            "0"
        );
        return;
    };
    let ballast = dir.path().join("ballast");
    let server = Server::over(&dir.path().join("data"), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let submit = |value: &str| {
        server.anon().post(
            form.submissions(),
            json!({"field_values": {"field_1": value}}),
        )
    };
    assert_eq!(submit("before").status, 201);
    // Nothing is left but what is taken already.
    let mut size = 16 << 20;
    while size >= 4096 {
        let filled = std::fs::read(&ballast).map_or(0, |bytes| bytes.len());
        if std::fs::write(&ballast, vec![0; filled + size]).is_err() {
            let _ = std::fs::write(&ballast, vec![0; filled]);
            size /= 2;
        }
    }
    let mut stored = 1;
    let mut refused = None;
    for _ in 0..50 {
        let answer = submit(&"x".repeat(60_000));
        match answer.status {
            201 => stored += 1,
            _ => {
                refused = Some(answer);
                break;
            }
        }
    }
    let refused = refused.expect("the disk is full");
    assert_eq!(refused.status, 503, "{refused}");
    assert!(refused.header("retry-after").parse::<u32>().is_ok());
    let listed = owner.get(format!("{}?page_size=1", form.entries()));
    assert_eq!(listed.json()["pagination"]["total"], stored, "{listed}");
    std::fs::remove_file(&ballast).expect("frees the disk");
    until("it stores again", || submit("after").status == 201);
    assert!(server.is_running());
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_1"], "before");
    drop(server);
    drop(disk);
}
