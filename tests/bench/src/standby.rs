//! A standby: what Litestream, which copies the log of the database once a second, costs the submissions.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::Plan;
use crate::rows::{self, by_turns};
use crate::subject::Subject;
use crate::table::Table;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/litestream.yml");
const EXTERNAL: [&str; 4] = ["--rate-limits", "off", "--checkpoints", "external"];

/// Litestream at work; killed on drop.
struct Litestream(Child);

impl Litestream {
    fn start(program: &Path, data: &Path, replica: &Path) -> Self {
        let child = Command::new(program)
            .args(["replicate", "-config", CONFIG])
            .env("FORMSVC_DATA_DIR", data)
            .env("LITESTREAM_REPLICA_URL", format!("file://{}", replica.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let running = Self(child.expect("Litestream starts"));
        let newest = replica.join("ltx/0");
        while std::fs::read_dir(&newest).map_or(0, Iterator::count) == 0 {
            thread::sleep(Duration::from_millis(10));
        }
        running
    }
}

impl Drop for Litestream {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures a service with Litestream beside one without.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let litestream = plan.litestream.as_deref();
    let litestream = litestream.expect("name Litestream's program with --litestream");
    let dir = std::env::temp_dir().join(format!("formsvc-standby-{}", std::process::id()));
    let alone = Subject::start(&plan.program, &dir.join("alone"), &rows::fields());
    let copied = Subject::start_with(&plan.program, &dir.join("copied"), &EXTERNAL, &rows::fields());
    let running = Litestream::start(litestream, &copied.data, &dir.join("replica"));
    let log = Log::watch(&copied.data);
    for connections in [64, 1] {
        let figures = by_turns(
            plan.seconds,
            connections,
            &[
                (&copied.server.base, &[201], &rows::submission(&copied)),
                (&alone.server.base, &[201], &rows::submission(&alone)),
            ],
        );
        let of = |what: &str| format!("{what}, {connections} connections, with Litestream");
        table.ratio(&of("submission"), figures[0].rate, "without", figures[1].rate, 0.7);
        table.at_most(&of("p99 of submissions"), figures[0].p99, "ms", "without", figures[1].p99, 4.0);
    }
    table.limit("longest log of the database", log.longest(), "MB", 256.0);
    drop(running);
    drop((alone, copied));
    let _ = std::fs::remove_dir_all(&dir);
    table
}

/// Looks at the size of the log all the time.
struct Log {
    longest: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Log {
    fn watch(data: &Path) -> Self {
        let path = data.join("formsvc.db-wal");
        let log = Self { longest: Arc::default(), is_over: Arc::default() };
        let (longest, is_over) = (Arc::clone(&log.longest), Arc::clone(&log.is_over));
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let size = std::fs::metadata(&path).map_or(0, |log| log.len());
                longest.fetch_max(size, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(20));
            }
        });
        log
    }

    /// In megabytes.
    fn longest(self) -> f64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.longest.load(Ordering::Relaxed) as f64 / (1 << 20) as f64
    }
}
