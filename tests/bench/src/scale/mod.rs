//! What a million entries of one form beside 200 other forms come to: how they get in, how they are found,
//! how they get out again.

mod asked;
mod carried;
mod grown;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, ceilings, generate};

/// Entries of one request.
const BULK: u64 = 500;
/// What submissions take beside other work is watched for so many seconds at least: over fewer, one slow
/// flush of the disk is all that a 99th percentile says.
const LONG_ENOUGH: f64 = 8.0;
/// Forms beside the great one.
const OTHERS: usize = 200;

/// What is measured, and with what.
struct Scale<'p> {
    plan: &'p Plan,
    dir: PathBuf,
    subject: Subject,
    /// Tokens of the other forms, which have the same questions.
    others: Vec<String>,
}

/// Runs everything.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-scale-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let fields = generate::fields();
    let subject = Subject::start(&plan.program, &dir, &fields);
    let others = (0..OTHERS).map(|n| subject.new_form(&format!("Other {n}"), &fields));
    let others = others.collect();
    let scale = Scale {
        plan,
        dir,
        subject,
        others,
    };
    scale.grow(&mut table);
    scale.ask(&mut table);
    scale.carry(&mut table);
    table.limit(
        "memory, the most at any time",
        scale.subject.server.peak_mb(),
        "MB",
        150.0,
    );
    scale.beside_peer(&mut table);
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
    /// The service's file, read beside it.
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

    /// Sends entries to a form by the route for many.
    fn bulk(&self, form: &str, connections: usize, rows: u64, value: fn(u64) -> Value) -> f64 {
        let path = format!("/api/v1/forms/{form}/entries/bulk");
        let (token, next) = (self.subject.token.clone(), AtomicU64::new(0));
        let make: Make = Arc::new(move |_| {
            let first = next.fetch_add(BULK, Ordering::Relaxed);
            let upto = (first + BULK).min(rows);
            let entries: Vec<Value> = (first..upto)
                .map(|n| json!({"field_values": value(n)}))
                .collect();
            load::post_json(&path, &token, &json!({"entries": entries}).to_string())
        });
        let requests = rows.div_ceil(BULK);
        let base = &self.subject.server.base;
        let begun = std::time::Instant::now();
        load::fill(base, connections, requests, &[201], &make);
        rows as f64 / begun.elapsed().as_secs_f64()
    }

    /// How many seconds submissions are watched for.
    fn long_enough(&self) -> f64 {
        self.plan.seconds.max(LONG_ENOUGH)
    }

    /// Submissions to the other forms by turns, so that none of them has much.
    fn submission(&self) -> Make {
        let forms = self.others.clone();
        Arc::new(move |n| {
            let form = &forms[n as usize % forms.len()];
            let body = json!({"field_values": generate::values(n)}).to_string();
            load::post(
                &format!("/api/v1/f/{form}/entries"),
                "application/json",
                &body,
            )
        })
    }

    /// A question for a list of the great form with total.
    fn question(&self, form: &str, body: &Value) -> Make {
        let path = format!("/api/v1/forms/{form}/entries/query");
        let (token, body) = (self.subject.token.clone(), body.to_string());
        Arc::new(move |_| load::post_json(&path, &token, &body))
    }
}
