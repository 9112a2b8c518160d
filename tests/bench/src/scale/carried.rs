//! What is looked up by value while it gets in, and how entries get out and in by files.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::process;
use crate::rows::by_turns;
use crate::scale::Scale;
use crate::table::Table;
use crate::{ceilings, generate};

const IMPORTED: u64 = 100_000;

impl Scale<'_> {
    pub(super) fn carry(&self, table: &mut Table) {
        self.unique(table);
        self.report(table);
        self.export(table);
        self.import(table);
    }

    /// Submissions with five fields that no two entries may share.
    fn unique(&self, table: &mut Table) {
        let make = |unique: bool| -> Make {
            let fields: Vec<Value> = (1..=10)
                .map(|n| json!({"type": "short_text", "label": format!("Column {n}"), "unique": unique && n <= 5}))
                .collect();
            let form = self.subject.new_form("Unique", &json!(fields));
            let path = format!("/api/v1/f/{form}/entries");
            Arc::new(move |n| {
                let mut values = serde_json::Map::new();
                for field in 1..=10 {
                    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (field % 4);
                    values.insert(format!("field_{field}"), json!(format!("{mixed:x}-{n}")));
                }
                let body = json!({"field_values": values}).to_string();
                load::post(&path, "application/json", &body)
            })
        };
        let (keyed, bare) = (make(true), make(false));
        let base = &self.subject.server.base;
        let all: [(&str, &[u16], &Make); 2] = [(base, &[201], &keyed), (base, &[201], &bare)];
        let figures = by_turns(self.plan.seconds, 16, &all);
        table.ratio(
            "submission with five unique fields, 16 connections",
            figures[0].rate,
            "without",
            figures[1].rate,
            0.75,
        );
    }

    fn report(&self, table: &mut Table) {
        let path = format!("/api/v1/forms/{}/entries/report", self.subject.form);
        let (token, base) = (Some(self.subject.token.as_str()), &self.subject.server.base);
        let (begun, cpu) = (Instant::now(), self.subject.server.cpu_seconds());
        process::drain(base, "GET", &path, token, ("application/json", ""));
        let ours = begun.elapsed().as_secs_f64() * 1000.0;
        let cpu = (self.subject.server.cpu_seconds() - cpu) / self.plan.rows as f64;
        let begun = Instant::now();
        let form_no = self.form_no(&self.subject.form);
        ceilings::copy_rows(&self.reader(), form_no, &mut std::io::sink());
        let read = begun.elapsed().as_secs_f64() * 1000.0;
        table.quicker("report of all fields", ours, "reading all rows", read, 0.25);
        table.note(
            "that report",
            &format!("{:.1} µs of processor an entry", cpu * 1e6),
        );
    }

    fn export(&self, table: &mut Table) {
        let path = format!(
            "/api/v1/forms/{}/entries/export?format=csv",
            self.subject.form
        );
        let (token, base) = (Some(self.subject.token.as_str()), &self.subject.server.base);
        let (begun, cpu) = (Instant::now(), self.subject.server.cpu_seconds());
        let bytes = process::drain(base, "GET", &path, token, ("application/json", ""));
        let took = begun.elapsed().as_secs_f64();
        let cpu = (self.subject.server.cpu_seconds() - cpu) / self.plan.rows as f64;
        let ours = self.plan.rows as f64 / took;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let taking = std::thread::spawn(move || {
            let mut socket = listener.accept().expect("somebody comes").0;
            let mut piece = vec![0; 1 << 16];
            while socket.read(&mut piece).expect("reads") > 0 {}
        });
        let begun = Instant::now();
        let socket = std::net::TcpStream::connect(address).expect("connects");
        let mut socket = std::io::BufWriter::with_capacity(1 << 16, socket);
        let form_no = self.form_no(&self.subject.form);
        let rows = ceilings::copy_rows(&self.reader(), form_no, &mut socket);
        socket.flush().expect("takes it");
        drop(socket);
        taking.join().expect("no panic");
        let copied = rows as f64 / begun.elapsed().as_secs_f64();
        table.ratio(
            "export as CSV, rows",
            ours,
            "rows copied unparsed",
            copied,
            0.25,
        );
        table.note(
            "that export",
            &format!(
                "{:.0} MB, {:.1} µs of processor an entry",
                bytes as f64 / 1048576.0,
                cpu * 1e6
            ),
        );
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
                let value = if i % 5 == 2 {
                    json!(value.parse::<u64>().unwrap_or_default())
                } else {
                    json!(value)
                };
                (format!("field_{}", i + 1), value)
            });
            Value::Object(fields.collect())
        });
        let imported = rows as f64 / import(&new_form());
        table.ratio("import, rows", imported, "by bulk, 1 connection", bulk, 0.5);

        let submission = self.submission();
        let seconds = self.long_enough();
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
        table.at_most(
            "p99 of submissions beside an import, 16 connections",
            beside.p99,
            "ms",
            "alone",
            alone.p99,
            3.0,
        );
    }
}

/// A file of so many rows.
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
