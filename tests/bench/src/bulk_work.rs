//! Long work on many entries by the pages, beside 64 respondents who submit to the same form: a file comes in and is
//! undone, entries go to the trash and come back. Nothing may be lost, and respondents wait at most twice as long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::json;

use crate::desk::{self, Desk};
use crate::load::{self, Make};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, process};

/// Rows of the file: by default, and as many as an import may have.
const ROWS: u64 = 20_000;
const ALL_ROWS: u64 = 200_000;
const RESPONDENTS: usize = 64;
/// What the p99 of submissions may grow by.
const SLOWER: f64 = 2.0;
const EMAIL: &str = "desk@example.com";
const PASSWORD: &str = "a quiet harbour";
const EDGE: &str = "----bench-edge";

/// Measures each stage beside the same load alone.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let rows = if plan.full { ALL_ROWS } else { ROWS };
    let dir = std::env::temp_dir().join(format!("formsvc-bulk-{}", std::process::id()));
    let subject = Subject::start(&plan.program, &dir, &json!([{"type": "short_text", "label": "x"}]));
    let work = Work::new(plan, &subject, rows);
    let alone = load::run(work.base(), RESPONDENTS, plan.seconds, &[201], &work.submission());
    table.note("entries that come in, and half of them to the trash", &rows.to_string());
    let mut submitted = alone.count;
    let mut stage = |what: &str, begin: &dyn Fn() -> String| -> String {
        let job = begin();
        let begun = Instant::now();
        let is_over = Arc::new(AtomicBool::new(false));
        let beside = thread::scope(|scope| {
            scope.spawn(|| {
                work.desk.wait_for(&job);
                is_over.store(true, Ordering::Relaxed);
            });
            load::run_until(work.base(), RESPONDENTS, &is_over, &[201], &work.submission())
        });
        submitted += beside.count;
        table.note(what, &format!("{:.1} s", begun.elapsed().as_secs_f64()));
        let name = format!("p99 of submissions beside: {what}, {RESPONDENTS} connections");
        table.at_most(&name, beside.p99, "ms", "alone", alone.p99, SLOWER);
        job
    };
    let columns = work.send_file();
    stage("a check", &|| work.desk.post(&columns, "column.0=field_1&column.1=field_2"));
    let import = stage("an import", &|| work.desk.post(&columns, "act=import"));
    let undo = stage("its undoing", &|| work.desk.post(&undo_of(&import), ""));
    stage("bringing all back", &|| work.desk.post(&undo_of(&undo), ""));
    let trash = stage("half of them to the trash", &|| work.trash_half());
    stage("bringing them back", &|| work.desk.post(&undo_of(&trash), ""));
    let total = work.total();
    assert_eq!(total, submitted + rows, "nothing is lost: all that came in and all that was submitted");
    table.note("entries at the end, as many as came", &total.to_string());
    drop(subject);
    std::fs::remove_dir_all(&dir).expect("our own folder");
    table
}

/// The address that undoes a job, whose own address may name the list that it was begun from.
fn undo_of(job: &str) -> String {
    format!("{}/undo", job.split('?').next().unwrap_or_default())
}

/// A form, and somebody signed in to its pages.
struct Work<'s> {
    subject: &'s Subject,
    desk: Desk,
    form: String,
    token: String,
    rows: u64,
}

impl<'s> Work<'s> {
    fn new(plan: &Plan, subject: &'s Subject, rows: u64) -> Self {
        let data = subject.data.display().to_string();
        let run = |args: &[&str], stdin: &str| {
            process::output(&plan.program, &[args, &["--data-dir", &data]].concat(), stdin)
        };
        run(&["user", "create", EMAIL, "--name", "Desk", "--password-stdin"], PASSWORD);
        let scopes = ["--scope", "form:read", "form:write", "entry:read"];
        let token = run(&[&["token", "create", "--user", EMAIL, "--name", "bench"], &scopes[..]].concat(), "");
        let fields = json!([
            {"type": "short_text", "label": "Guest"},
            {"type": "number", "label": "Seat", "unique": true},
        ]);
        let form = json!({"name": "Guests", "fields": fields}).to_string();
        let made = process::ask(&subject.server.base, "POST", "/api/v1/forms", Some(&token), &form);
        let form = made["data"]["token"].as_str().expect("a form").to_owned();
        let desk = Desk::sign_in(&subject.server.base, EMAIL, PASSWORD);
        Self { subject, desk, form, token, rows }
    }

    fn base(&self) -> &str {
        &self.subject.server.base
    }

    fn submission(&self) -> Make {
        let path = format!("/api/v1/f/{}/entries", self.form);
        Arc::new(move |n| {
            let body = json!({"field_values": {"field_1": format!("Respondent {n}")}}).to_string();
            load::post(&path, "application/json", &body)
        })
    }

    /// Sends the file; the address of its columns.
    fn send_file(&self) -> String {
        let mut body = format!(
            "--{EDGE}\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{}\r\n--{EDGE}\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"guests.csv\"\r\nContent-Type: text/csv\r\n\r\n\
             Guest,Seat\n",
            self.desk.csrf()
        );
        for n in 1..=self.rows {
            body.push_str(&format!("Guest {n},{n}\n"));
        }
        body.push_str(&format!("\r\n--{EDGE}--\r\n"));
        let kind = format!("multipart/form-data; boundary={EDGE}");
        let path = format!("/forms/{}/entries/import", self.form);
        desk::led(&self.desk.exchange("POST", &path, "text/html", (&kind, body.as_bytes())))
    }

    fn trash_half(&self) -> String {
        let half = self.rows / 2;
        let filters = format!("[{{\"field\":\"field_2\",\"operator\":\"lte\",\"value\":{half}}}]");
        let path = format!("/forms/{}/entries/bulk?filters={}", self.form, desk::encoded(&filters));
        self.desk.post(&path, &format!("act=trash&expected_total={half}&typed_total={half}"))
    }

    fn total(&self) -> u64 {
        let path = format!("/api/v1/forms/{}/entries", self.form);
        let list = process::ask(self.base(), "GET", &path, Some(&self.token), "");
        list["pagination"]["total"].as_u64().expect("a number")
    }
}
