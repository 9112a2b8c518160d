//! Unique fields, exports and imports.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::rows::by_turns;
use crate::scale::Scale;
use crate::table::Table;
use crate::{ceilings, generate, process};

const IMPORTED: u64 = 100_000;
/// Entries of a form before submissions with unique fields come.
const KEYED: u64 = 100_000;
/// What a form with five unique fields should take in a second.
const UNIQUE_RATE: f64 = 3_000.0;
/// Runs of each sequential measurement, alternating with its comparison; the best of each counts.
const TURNS: usize = 3;

impl Scale<'_> {
    pub(super) fn carry(&self, table: &mut Table) {
        self.unique(table);
        self.report(table);
        self.export(table);
        self.import(table);
    }

    /// Submissions with one and with five unique fields, to forms that have entries already.
    fn unique(&self, table: &mut Table) {
        let [none, one, five] = [0, 1, 5].map(|unique| self.keyed_form(unique));
        let base = &self.subject.server.base;
        let all: [(&str, &[u16], &Make); 3] = [&none, &one, &five].map(|make| (&**base, &[201][..], make));
        let figures = by_turns(self.plan.seconds, 16, &all);
        table.ratio(
            "submission with one unique field, 16 connections",
            figures[1].rate,
            "without",
            figures[0].rate,
            0.5,
        );
        table.ratio(
            "submission with five unique fields, 16 connections",
            figures[2].rate,
            "asked for",
            UNIQUE_RATE,
            1.0,
        );
    }

    /// Submissions to a form of ten texts, of which so many are unique.
    fn keyed_form(&self, unique: usize) -> Make {
        let fields: Vec<Value> = (1..=10)
            .map(|n| json!({"type": "short_text", "label": format!("Column {n}"), "unique": n <= unique}))
            .collect();
        let form = self.subject.new_form("Unique", &json!(fields));
        self.bulk(&form, 4, KEYED, ten_texts);
        let path = format!("/api/v1/f/{form}/entries");
        Arc::new(move |n| {
            let body = json!({"field_values": ten_texts(KEYED + n)}).to_string();
            load::post(&path, "application/json", &body)
        })
    }

    fn report(&self, table: &mut Table) {
        let path = format!("/api/v1/forms/{}/entries/report", self.subject.form);
        let form_no = self.form_no(&self.subject.form);
        let theirs = || {
            ceilings::copy_rows(&self.reader(), form_no, &mut std::io::sink());
        };
        let ([ours, theirs], cpu, _) = self.time_download(&path, theirs);
        table.note("report of all fields, in one pass", &format!("{ours:.1} s, reading all rows alone {theirs:.1} s"));
        table.note("that report", &format!("{cpu:.1} µs of processor an entry"));
    }

    fn export(&self, table: &mut Table) {
        let form = &self.subject.form;
        let path = format!("/api/v1/forms/{form}/entries/export?format=csv");
        let form_no = self.form_no(form);
        let theirs = || {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = listener.local_addr().expect("an address");
            let taking = std::thread::spawn(move || {
                let mut socket = listener.accept().expect("somebody comes").0;
                let mut piece = vec![0; 1 << 16];
                while socket.read(&mut piece).expect("reads") > 0 {}
            });
            let socket = std::net::TcpStream::connect(address).expect("connects");
            let mut socket = std::io::BufWriter::with_capacity(1 << 16, socket);
            ceilings::copy_rows(&self.reader(), form_no, &mut socket);
            socket.flush().expect("takes it");
            drop(socket);
            taking.join().expect("no panic");
        };
        let ([ours, theirs], cpu, bytes) = self.time_download(&path, theirs);
        let rows = self.plan.rows as f64;
        table.ratio("export as CSV, rows", rows / ours, "rows copied unparsed", rows / theirs, 0.25);
        table.note("that export", &format!("{:.0} MB, {cpu:.1} µs of processor an entry", bytes as f64 / 1048576.0,));
    }

    /// Alternates a download and its comparison: returns the best seconds of each, the service's CPU microseconds per
    /// entry, and the number of bytes.
    fn time_download(&self, path: &str, theirs: impl Fn()) -> ([f64; 2], f64, usize) {
        let (token, base) = (Some(self.subject.token.as_str()), &self.subject.server.base);
        let (mut best, mut least, mut bytes) = ([f64::INFINITY; 2], f64::INFINITY, 0);
        for _ in 0..TURNS {
            let (begun, cpu) = (Instant::now(), self.subject.server.cpu_seconds());
            bytes = process::drain(base, "GET", path, token, ("application/json", ""));
            best[0] = best[0].min(begun.elapsed().as_secs_f64());
            least = least.min(self.subject.server.cpu_seconds() - cpu);
            let begun = Instant::now();
            theirs();
            best[1] = best[1].min(begun.elapsed().as_secs_f64());
        }
        (best, least / self.plan.rows as f64 * 1e6, bytes)
    }

    fn import(&self, table: &mut Table) {
        let rows = IMPORTED.min(self.plan.rows);
        let file: Arc<str> = sheet(rows).into();
        let new_form = || self.subject.new_form("Import", &generate::short_fields());
        let token = self.subject.token.clone();
        let base = self.subject.server.base.clone();
        let import = {
            let (base, file) = (base.clone(), Arc::clone(&file));
            move |form: &str| {
                let path = format!("/api/v1/forms/{form}/entries/import");
                let begun = Instant::now();
                process::drain(&base, "POST", &path, Some(&token), ("text/csv", &file));
                begun.elapsed().as_secs_f64()
            }
        };
        let bulk = self.bulk(&new_form(), 1, rows, |n| {
            let values = generate::short_values(n);
            let fields = values.into_iter().enumerate().map(|(i, value)| {
                let value = if i % 5 == 2 { json!(value.parse::<u64>().unwrap_or_default()) } else { json!(value) };
                (format!("field_{}", i + 1), value)
            });
            Value::Object(fields.collect())
        });
        let imported = rows as f64 / import(&new_form());
        table.ratio("import, rows", imported, "by bulk, 1 connection", bulk, 0.5);

        let submission = self.submission();
        let seconds = self.observed_seconds();
        let alone = load::run(&base, 16, seconds, &[201], &submission);
        let over = Arc::new(AtomicBool::new(false));
        let forms: Vec<String> = (0..8).map(|_| new_form()).collect();
        let importing = {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                for form in forms {
                    if !over.load(Ordering::Relaxed) {
                        import(&form);
                    }
                }
            })
        };
        let beside = load::run(&base, 16, seconds, &[201], &submission);
        over.store(true, Ordering::Relaxed);
        importing.join().expect("no panic");
        table.at_most("p99 of submissions beside an import, 16 connections", beside.p99, "ms", "alone", alone.p99, 3.0);
    }
}

/// A CSV file with this many rows.
fn sheet(rows: u64) -> String {
    let codes: Vec<String> = (1..=10).map(|n| format!("field_{n}")).collect();
    let mut out = codes.join(",");
    out.push('\n');
    for n in 0..rows {
        out.push_str(&generate::short_values(n).join(","));
        out.push('\n');
    }
    out
}

/// Texts that no other entry has.
fn ten_texts(n: u64) -> Value {
    let text = |field: u64| {
        let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (field % 4);
        (format!("field_{field}"), json!(format!("{mixed:x}-{n}")))
    };
    Value::Object((1..=10).map(text).collect())
}
