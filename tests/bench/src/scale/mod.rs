//! A form of a million entries beside 200 other forms: inserting, finding and exporting entries.

pub mod console;
mod inserts;
mod public_queries;
mod queries;
mod transfers;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, ceilings, generate, process};

/// Entries per request.
const BULK: u64 = 500;
/// Minimum seconds to observe submissions beside other work: over fewer, the 99th percentile shows only a single slow
/// sync of the disk.
const MIN_OBSERVED: f64 = 8.0;
/// Forms besides the large one.
const OTHERS: usize = 200;

/// The subject of the measurements and its parameters.
struct Scale<'p> {
    plan: &'p Plan,
    dir: PathBuf,
    subject: Subject,
    /// Tokens of the other forms, which have the same questions.
    others: Vec<String>,
}

/// Runs all measurements.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-scale-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let fields = generate::fields();
    let subject = Subject::start(&plan.program, &dir, &fields);
    let others = (0..OTHERS).map(|n| subject.new_form(&format!("Other {n}"), &fields));
    let others = others.collect();
    let scale = Scale { plan, dir, subject, others };
    scale.grow(&mut table);
    scale.ask(&mut table);
    scale.visit(&mut table);
    scale.carry(&mut table);
    table.limit("memory, the most at any time", scale.subject.server.peak_mb(), "MB", 150.0);
    scale.check(&mut table);
    scale.against_peer(&mut table);
    table.note(
        "entries and machine",
        &format!(
            "{} of 21 fields; {} cores, {}",
            plan.rows,
            std::thread::available_parallelism().map_or(0, usize::from),
            std::env::consts::ARCH
        ),
    );
    let dir = scale.dir.clone();
    drop(scale);
    let _ = std::fs::remove_dir_all(dir);
    table
}

impl Scale<'_> {
    /// The service's database, read by the bench as well.
    fn database(&self) -> PathBuf {
        self.subject.data.join("formsvc.db")
    }

    fn reader(&self) -> Connection {
        ceilings::read_only(&self.database())
    }

    fn number(&self, sql: &str) -> i64 {
        let answer = self.reader().query_row(sql, [], |row| row.get(0));
        answer.expect("a number")
    }

    fn form_no(&self, form: &str) -> i64 {
        let asked = "SELECT form_no FROM forms WHERE token = ?1";
        let answer = self.reader().query_row(asked, [form], |row| row.get(0));
        answer.expect("a form")
    }

    /// Checks all stored data beside the running service.
    fn check(&self, table: &mut Table) {
        let data = self.subject.data.to_str().expect("a path");
        let entries = self.number("SELECT count(*) FROM entries");
        let begun = std::time::Instant::now();
        process::output(&self.plan.program, &["doctor", "--data-dir", data], "");
        let seconds = begun.elapsed().as_secs_f64();
        table.note("doctor, all checks", &format!("{seconds:.1} s over {entries} entries"));
    }

    /// Inserts entries into a form in bulk.
    fn bulk(&self, form: &str, connections: usize, rows: u64, value: fn(u64) -> Value) -> f64 {
        let path = format!("/api/v1/forms/{form}/entries/bulk");
        let (token, next) = (self.subject.token.clone(), AtomicU64::new(0));
        let make: Make = Arc::new(move |_| {
            let first = next.fetch_add(BULK, Ordering::Relaxed);
            let upto = (first + BULK).min(rows);
            let entries: Vec<Value> = (first..upto).map(|n| json!({"field_values": value(n)})).collect();
            load::post_json(&path, &token, &json!({"entries": entries}).to_string())
        });
        let requests = rows.div_ceil(BULK);
        let base = &self.subject.server.base;
        let begun = std::time::Instant::now();
        load::fill(base, connections, requests, &[201], &make);
        rows as f64 / begun.elapsed().as_secs_f64()
    }

    /// How many seconds to observe submissions.
    fn observed_seconds(&self) -> f64 {
        self.plan.seconds.max(MIN_OBSERVED)
    }

    /// Submissions to the other forms in turn, so that none of them grows large.
    fn submission(&self) -> Make {
        let forms = self.others.clone();
        Arc::new(move |n| {
            let form = &forms[n as usize % forms.len()];
            let body = json!({"field_values": generate::values(n)}).to_string();
            load::post(&format!("/api/v1/f/{form}/entries"), "application/json", &body)
        })
    }

    /// A query on the large form, with total.
    fn question(&self, form: &str, body: &Value) -> Make {
        let path = format!("/api/v1/forms/{form}/entries/query");
        let (token, body) = (self.subject.token.clone(), body.to_string());
        Arc::new(move |_| load::post_json(&path, &token, &body))
    }
}
