//! The pages of owners: the list of ten thousand forms, and the entries and the report of one form of a million.
//! Times are of the processor unless they say otherwise: searches and reports yield to other work of the machine.

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use crate::desk::{self, Desk};
use crate::load::{self, Make, Measured};
use crate::process::{self, Running};
use crate::scale::Scale;
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, ceilings, generate};

const FORMS: usize = 10_000;
const PASSWORD: &str = "a quiet harbour";
/// Pages turned, and entries on each.
const TURNED: u64 = 2_000;
const ON_A_PAGE: u64 = 50;
/// Runs of each long measurement; the best counts.
const TURNS: usize = 3;
/// Milliseconds until a report begins, and until one that was counted before is told.
const BEGINS: f64 = 50.0;
const TOLD_AGAIN: f64 = 20.0;
/// Seconds until entries of a search are in the trash.
const TRASHED: f64 = 20.0;

/// Runs all measurements.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-console-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let subject = Subject::start(&plan.program, &dir, &generate::thirty_fields());
    let scale = Scale { plan, dir, subject, others: Vec::new() };
    let data = scale.subject.data.display().to_string();
    let set = ["user", "set-password", "bench@example.com", "--password-stdin", "--data-dir", &data];
    process::output(&plan.program, &set, PASSWORD);
    let desk = Desk::sign_in(&scale.subject.server.base, "bench@example.com", PASSWORD);
    let own = std::env::current_exe().expect("a program");
    let constant = Running::start(Command::new(own).args(["ceiling", "constant"]));
    let console = Console { scale: &scale, desk, constant };
    console.forms(&mut table);
    let rate = scale.bulk(&scale.subject.form, 4, plan.rows, generate::thirty_values);
    table.note("entries of 30 questions by bulk, 4 connections", &format!("{rate:.0}/s"));
    scale.wait_until_sealed();
    console.lists(&mut table);
    console.searches(&mut table);
    console.report(&mut table);
    console.files(&mut table);
    console.trash(&mut table);
    table.limit("memory, the most at any time", scale.subject.server.peak_mb(), "MB", 150.0);
    table.note("entries", &plan.rows.to_string());
    let dir = scale.dir.clone();
    drop(console);
    drop(scale);
    let _ = std::fs::remove_dir_all(dir);
    table
}

struct Console<'s, 'p> {
    scale: &'s Scale<'p>,
    desk: Desk,
    constant: Running,
}

impl Console<'_, '_> {
    fn server(&self) -> &Running {
        &self.scale.subject.server
    }

    fn entries(&self, query: &str) -> String {
        format!("/forms/{}/entries{query}", self.scale.subject.form)
    }

    /// Milliseconds of the processor that one answer takes, over one connection, once all is warm.
    fn cost(&self, server: &Running, make: &Make) -> (f64, Measured) {
        let seconds = self.scale.plan.seconds;
        load::run(&server.base, 1, seconds / 4.0, &[200], make);
        let begun = server.cpu_seconds();
        let measured = load::run(&server.base, 1, seconds, &[200], make);
        let used = server.cpu_seconds() - begun;
        (used / measured.count as f64 * 1000.0, measured)
    }

    /// The same of a page, with its times told.
    fn cost_of_page(&self, work: &str, path: &str, table: &mut Table) -> f64 {
        let (cost, measured) = self.cost(self.server(), &self.desk.page(path));
        let times = format!("{:.2} and {:.2} ms", measured.p50, measured.p99);
        table.note(&format!("{work}, p50 and p99, 1 connection"), &times);
        cost
    }

    fn cost_of_nothing(&self) -> f64 {
        let nothing: Make = Arc::new(|_| load::get("/", None));
        self.cost(&self.constant, &nothing).0
    }

    fn forms(&self, table: &mut Table) {
        let field = json!([{"type": "short_text", "label": "Name"}]);
        for n in 0..FORMS {
            self.scale.subject.new_form(&format!("Other {n}"), &field);
        }
        let work = format!("list of {FORMS} forms");
        let cost = self.cost_of_page(&work, "/forms", table);
        table.at_most(&work, cost, "ms", "a constant answer", self.cost_of_nothing(), 300.0);
    }

    fn lists(&self, table: &mut Table) {
        let newest = self.cost_of_page("entries, the newest", &self.entries(""), table);
        table.at_most("entries, the newest", newest, "ms", "a constant answer", self.cost_of_nothing(), 300.0);
        let turned = TURNED.min(self.scale.plan.rows / ON_A_PAGE / 2);
        let mut path = self.entries("");
        for _ in 0..turned {
            path = self.desk.link(&path, "next").expect("there is more");
        }
        let last = self.desk.link(&self.entries(""), "last").expect("there is more");
        for (work, path) in [(format!("entries, {turned} pages on"), path), ("entries, the last".to_owned(), last)] {
            let cost = self.cost_of_page(&work, &path, table);
            table.at_most(&work, cost, "ms", "the newest", newest, 1.2);
        }
    }

    /// Milliseconds to read the rows of all entries once, unparsed.
    fn cost_of_reading(&self) -> f64 {
        let form_no = self.scale.form_no(&self.scale.subject.form);
        let once = || {
            let begun = process::own_cpu_seconds();
            ceilings::copy_rows(&self.scale.reader(), form_no, &mut std::io::sink());
            process::own_cpu_seconds() - begun
        };
        (0..TURNS).map(|_| once()).fold(f64::INFINITY, f64::min) * 1000.0
    }

    fn searches(&self, table: &mut Table) {
        let three = json!([
            {"field": "field_7", "operator": "eq", "value": "c1"},
            {"field": "field_5", "operator": "between", "value": [100, 300]},
            {"field": "field_6", "operator": "gte", "value": "2026-07-01"},
        ]);
        let filters = format!("filters={}", desk::encoded(&three.to_string()));
        let keyword = format!("keyword={}", desk::encoded("秀英"));
        let reading = self.cost_of_reading();
        for (work, query, least) in [
            ("three conditions", filters.clone(), 20.0),
            ("a keyword", keyword.clone(), 0.5),
            ("three conditions and a keyword", format!("{filters}&{keyword}"), 0.5),
            ("the order of an answer", "sort=-field_14".to_owned(), 12.0),
        ] {
            let work = format!("entries, {work}");
            let cost = self.cost_of_page(&work, &self.entries(&format!("?{query}")), table);
            table.quicker(&work, cost, "reading all rows", reading, least);
        }
    }

    /// A new entry, after which the report is counted anew.
    fn submit(&self, n: u64) {
        let path = format!("/api/v1/f/{}/entries", self.scale.subject.form);
        let body = json!({"field_values": generate::thirty_values(n)}).to_string();
        assert_eq!(process::status(&self.server().base, &load::post(&path, "application/json", &body)), 201);
    }

    fn report(&self, table: &mut Table) {
        let path = format!("/forms/{}/report", self.scale.subject.form);
        let (mut first, mut whole, mut used) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for n in 0..TURNS as u64 {
            self.submit(n);
            let begun = self.server().cpu_seconds();
            let told = self.desk.fetch(&path);
            used = used.min(self.server().cpu_seconds() - begun);
            (first, whole) = (first.min(told.first), whole.min(told.whole));
        }
        table.limit("report begins", first * 1000.0, "ms", BEGINS);
        table.note("report, whole", &format!("{whole:.2} s"));
        table.at_most("report", used * 1000.0, "ms", "reading all rows", self.cost_of_reading(), 12.0);
        let again = self.cost_of_page("report, again", &path, table);
        table.limit("report, again", again, "ms", TOLD_AGAIN);
    }

    fn files(&self, table: &mut Table) {
        let reading = self.cost_of_reading();
        for (format, most) in [("csv", 35.0), ("xlsx", 80.0)] {
            let work = format!("export of all as {format}");
            let begun = self.server().cpu_seconds();
            let told = self.desk.fetch(&self.entries(&format!("/export?format={format}")));
            let used = self.server().cpu_seconds() - begun;
            let megabytes = told.bytes as f64 / 1048576.0;
            table.note(&format!("{work}, whole"), &format!("{:.1} s, {megabytes:.0} MB", told.whole));
            table.at_most(&work, used * 1000.0, "ms", "reading all rows", reading, most);
        }
    }

    /// Everything that a condition finds goes to the trash.
    fn trash(&self, table: &mut Table) {
        let filters = json!([{"field": "field_13", "operator": "eq", "value": "c3"}]);
        let query = format!("/api/v1/forms/{}/entries/query", self.scale.subject.form);
        let found = self.scale.subject.ask("POST", &query, &json!({"filters": filters}).to_string());
        let total = found["pagination"]["total"].as_u64().expect("a number");
        let path = self.entries(&format!("/bulk?filters={}", desk::encoded(&filters.to_string())));
        let begun = (Instant::now(), self.server().cpu_seconds());
        let job = self.desk.post(&path, &format!("act=trash&expected_total={total}&typed_total={total}"));
        self.desk.wait_for(&job);
        let used = self.server().cpu_seconds() - begun.1;
        table.limit("entries of a condition to the trash", begun.0.elapsed().as_secs_f64(), "s", TRASHED);
        table.note("those entries, and their processor", &format!("{total}, {used:.1} s"));
        let left = self.scale.subject.ask("POST", &query, &json!({"filters": filters}).to_string());
        assert_eq!(left["pagination"]["total"], Value::from(0), "all of them went");
    }
}
