//! Backups of many entries and files: how long each command takes, and the most memory that it has at any time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, files, generate};

const BULK: u64 = 500;
const MAX_MEMORY_MB: f64 = 150.0;
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
const PASSPHRASE: &str = "correct horse battery staple";

/// Measures them beside a running service.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-backups-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let attachment = json!([{"type": "attachment", "label": "File"}]);
    let subject = Subject::start(&plan.program, &dir, &attachment);
    files::small_files(&subject);
    let entries = subject.new_form("Many", &generate::fields());
    fill(&subject, &entries, plan.rows);
    let database = std::fs::metadata(subject.data.join("formsvc.db")).expect("there");
    let (rows, files) = (plan.rows, files::SMALL_FILES);
    let mb = database.len() >> 20;
    table.note("entries, files, database", &format!("{rows}, {files}, {mb} MB"));
    let run = Run { plan, table: &mut table };
    run.all(&subject, &dir);
    drop(subject);
    std::fs::remove_dir_all(&dir).expect("our own folder");
    table
}

struct Run<'r> {
    plan: &'r Plan,
    table: &'r mut Table,
}

impl Run<'_> {
    fn all(mut self, subject: &Subject, dir: &Path) {
        for (name, passphrase, what) in
            [("plain.tar.zst", None, ""), ("sealed.tar.zst.age", Some(PASSPHRASE), ", encrypted")]
        {
            let path = dir.join(name).display().to_string();
            let create = ["backup", "create", "-o", &path];
            self.command(&format!("create{what}"), &create, &subject.data, passphrase);
            let size = std::fs::metadata(&path).expect("there").len() >> 20;
            self.table.note(&format!("size{what}"), &format!("{size} MB"));
            let verify = ["backup", "verify", &path];
            self.command(&format!("verify{what}"), &verify, &subject.data, passphrase);
            let restored = dir.join("restored");
            let restore = ["restore", &path, "--no-input"];
            self.command(&format!("restore{what}"), &restore, &restored, passphrase);
            std::fs::remove_dir_all(restored).expect("our own folder");
            std::fs::remove_file(&path).expect("our own file");
        }
        let standby = dir.join("standby");
        std::fs::create_dir(&standby).expect("a folder");
        let path = standby.display().to_string();
        let sync = ["backup", "sync", &path];
        self.command("sync, all files", &sync, &subject.data, None);
        self.command("sync, none new", &sync, &subject.data, None);
        let memory = subject.server.memory_mb();
        self.table.note("memory of the service meanwhile", &format!("{memory:.1} MB"));
    }

    fn command(&mut self, what: &str, args: &[&str], data: &PathBuf, passphrase: Option<&str>) {
        let begun = Instant::now();
        let mut child = Command::new(&self.plan.program)
            .args(args)
            .arg("--data-dir")
            .arg(data)
            .envs(passphrase.map(|it| ("FORMSVC_BACKUP_PASSPHRASE", it)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0.0_f64;
        let ended = loop {
            if let Some(ended) = child.try_wait().expect("a child") {
                break ended;
            }
            most = most.max(peak_mb(&status));
            std::thread::sleep(BETWEEN_LOOKS);
        };
        let seconds = begun.elapsed().as_secs_f64();
        assert!(ended.success(), "{args:?} failed");
        self.table.note(what, &format!("{seconds:.1} s"));
        let memory = format!("memory of {what}");
        self.table.limit(&memory, most, "MB", MAX_MEMORY_MB);
    }
}

/// The most that a process had in memory so far.
fn peak_mb(status: &str) -> f64 {
    let status = std::fs::read_to_string(status).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kb.unwrap_or_default() / 1024.0
}

fn fill(subject: &Subject, form: &str, rows: u64) {
    let path = format!("/api/v1/forms/{form}/entries/bulk");
    let (token, next) = (subject.token.clone(), AtomicU64::new(0));
    let make: Make = Arc::new(move |_| {
        let first = next.fetch_add(BULK, Ordering::Relaxed);
        let upto = (first + BULK).min(rows);
        let entries: Vec<Value> = (first..upto).map(|n| json!({"field_values": generate::values(n)})).collect();
        load::post_json(&path, &token, &json!({"entries": entries}).to_string())
    });
    load::fill(&subject.server.base, 2, rows.div_ceil(BULK), &[201], &make);
}
