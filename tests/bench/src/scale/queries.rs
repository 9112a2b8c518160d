//! Queries: how entries are found.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::process::{self, Running};
use crate::rows::by_turns;
use crate::scale::Scale;
use crate::table::Table;
use crate::{ceilings, generate, peer};

/// Pages to turn to reach the depth.
const DEPTH: usize = 2_000;
const PEER_ROWS: u64 = 100_000;
/// Scans that are timed together.
const SCANS: u32 = 2;

/// A query as conditions and as SQL over JSONB, with the required speed-up.
struct Question {
    name: &'static str,
    filters: Value,
    sql: String,
    target: f64,
}

fn questions() -> Vec<Question> {
    let of = |name, filters: Value, sql: &str, target| Question { name, filters, sql: sql.to_owned(), target };
    let field = |n: usize| format!("body ->> '$.field_{n}'");
    let one =
        |field: &str, operator: &str, value: Value| json!([{"field": field, "operator": operator, "value": value}]);
    vec![
        of("a choice", one("field_7", "eq", json!("c1")), &format!("{} = 'c1'", field(7)), 50.0),
        of(
            "a range of numbers",
            one("field_5", "between", json!([100, 120])),
            &format!("{} BETWEEN 100 AND 120", field(5)),
            50.0,
        ),
        of(
            "days from one on",
            one("field_6", "gte", json!("2026-11-01")),
            &format!("{} >= '2026-11-01'", field(6)),
            50.0,
        ),
        of("an equal text", one("field_9", "eq", json!("東京")), &format!("{} = '東京'", field(9)), 50.0),
        of("part of a name", one("field_1", "like", json!("秀英")), &format!("{} LIKE '%秀英%'", field(1)), 50.0),
        of(
            "part of an address",
            one("field_2", "like", json!("r77777")),
            &format!("{} LIKE '%r77777%'", field(2)),
            50.0,
        ),
        of(
            "a choice and a range",
            json!([
                {"field": "field_13", "operator": "eq", "value": "c3"},
                {"field": "field_14", "operator": "gt", "value": 90_000},
            ]),
            &format!("{} = 'c3' AND {} > 90000", field(13), field(14)),
            50.0,
        ),
        of(
            "part of a long text",
            one(generate::LONG_TEXT, "like", json!(generate::RARE)),
            &format!("{} LIKE '%{}%'", field(4), generate::RARE),
            15.0,
        ),
    ]
}

impl Scale<'_> {
    pub(super) fn ask(&self, table: &mut Table) {
        self.pages(table);
        self.filters(table);
        self.heavy(table);
    }

    fn pages(&self, table: &mut Table) {
        let form_no = self.form_no(&self.subject.form);
        let ceiling = std::env::current_exe().expect("a program");
        let row = Running::start(Command::new(ceiling).args(["ceiling", "row"]).arg(self.database()));
        let rows = self.plan.rows;
        let one: Make = Arc::new(move |n| {
            let serial = n.wrapping_mul(7919) % rows + 1;
            load::get(&format!("/{}", form_no << 32 | serial as i64), None)
        });
        let newest = self.subject.read("/entries?page_size=20");
        let deep = self.subject.read(&format!("/entries?page_size=20&cursor={}", self.cursor()));
        let base = &self.subject.server.base;
        let all: [(&str, &[u16], &Make); 3] =
            [(base, &[200], &newest), (base, &[200], &deep), (&row.base, &[200], &one)];
        let figures = by_turns(self.plan.seconds / 2.0, 1, &all);
        for (work, figure) in
            [("newest 20, with total, 1 connection", figures[0]), ("20 after a far cursor, with total", figures[1])]
        {
            let (against, other) = ("one SELECT by rowid", figures[2].p50);
            table.at_most(work, figure.p50, "ms", against, other, 10.0);
        }
    }

    /// A cursor far from the newest entry.
    fn cursor(&self) -> String {
        let path = format!("/api/v1/forms/{}/entries", self.subject.form);
        let mut cursor = String::new();
        let pages = DEPTH.min(self.plan.rows as usize / 200);
        for _ in 0..pages {
            let path = format!("{path}?page_size=100&cursor={cursor}");
            let page = self.subject.ask("GET", &path, "");
            let next = &page["pagination"]["next_cursor"];
            cursor = next.as_str().expect("there is more").to_owned();
        }
        cursor
    }

    fn filters(&self, table: &mut Table) {
        let path = self.dir.join("rows.db");
        let bodies = (0..self.plan.rows).map(|n| generate::values(n).to_string());
        ceilings::jsonb(&path, bodies);
        let rows = ceilings::read_only(&path);
        let form = &self.subject.form;
        let base = &self.subject.server.base;
        for question in questions() {
            let body = json!({"filters": question.filters, "page_size": 20});
            let query = format!("/api/v1/forms/{form}/entries/query");
            let answer = self.subject.ask("POST", &query, &body.to_string());
            let total = answer["pagination"]["total"].as_i64();
            let make = self.question(form, &body);
            // The first scan only warms up. CPU time is used, because searches yield to other work of the machine.
            assert_eq!(total, Some(ceilings::scan(&rows, &question.sql)));
            let begun = process::own_cpu_seconds();
            for _ in 0..SCANS {
                ceilings::scan(&rows, &question.sql);
            }
            let scanned = (process::own_cpu_seconds() - begun) / f64::from(SCANS);
            let begun = self.subject.server.cpu_seconds();
            let measured = load::run(base, 1, self.plan.seconds, &[200], &make);
            let asked = self.subject.server.cpu_seconds() - begun;
            let ours = asked / (measured.rate * measured.seconds);
            let work = format!("filter, {}, with total ({}), processor", question.name, total.unwrap_or_default());
            table.quicker(&work, ours * 1000.0, "JSONB scan in SQL", scanned * 1000.0, question.target);
            table.note(&format!("{}: p50, 1 connection", question.name), &format!("{:.1} ms", measured.p50));
        }
        drop(rows);
        let _ = std::fs::remove_file(path);
    }

    /// Plain reads during expensive queries.
    fn heavy(&self, table: &mut Table) {
        let read = self.subject.by_serial(self.plan.rows);
        let base = &self.subject.server.base;
        let alone = load::run(base, 4, self.plan.seconds, &[200], &read);
        let path = format!("/api/v1/forms/{}/entries/query", self.subject.form);
        let token = self.subject.token.clone();
        let question: Make = Arc::new(move |n| {
            let filters = json!([{
                "field": generate::LONG_TEXT, "operator": "not_like", "value": format!("zq{n}"),
            }]);
            let body = json!({"filters": filters, "keyword": format!("qz{n}")});
            load::post_json(&path, &token, &body.to_string())
        });
        let (own, seconds) = (base.clone(), self.plan.seconds + 2.0);
        let asking = std::thread::spawn(move || load::run(&own, 8, seconds, &[200, 503], &question));
        std::thread::sleep(Duration::from_secs(1));
        let beside = load::run(base, 4, self.plan.seconds, &[200], &read);
        let heavy = asking.join().expect("no panic");
        table.at_most("p99 of reads beside 8 heavy questions", beside.p99, "ms", "alone", alone.p99, 3.0);
        table.note("those heavy questions, p50 with 8 at once", &format!("{:.0} ms", heavy.p50));
    }

    /// The same queries on a form of 100,000 entries, and on PocketBase.
    pub(super) fn against_peer(&self, table: &mut Table) {
        let Some(program) = &self.plan.pocketbase else {
            return;
        };
        let rows = PEER_ROWS.min(self.plan.rows);
        let form = self.subject.new_form("Peer", &generate::fields());
        self.bulk(&form, 4, rows, generate::values);
        self.wait_until_sealed();
        let other = peer::start_with(program, &self.dir, 21, &[5, 11, 12, 14, 19]);
        let next = AtomicU64::new(0);
        let record: Make = Arc::new(move |_| {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let mut body = generate::values(n);
            for value in body.as_object_mut().expect("an object").values_mut() {
                if value.is_array() || value.is_object() {
                    *value = Value::String(value.to_string());
                }
            }
            load::post("/api/collections/entries/records", "application/json", &body.to_string())
        });
        load::fill(&other.base, 64, rows, &[200], &record);
        let base = &self.subject.server.base;
        for (work, field, operator, value, theirs) in [
            ("choice", "field_7", "eq", "c1", "field_7='c1'"),
            ("text", "field_9", "eq", "Oslo", "field_9='Oslo'"),
            ("part of a name", "field_1", "like", "Lovelace", "field_1~'Lovelace'"),
        ] {
            let filters = json!([{"field": field, "operator": operator, "value": value}]);
            let body = json!({"filters": filters, "page_size": 20});
            let ours = self.question(&form, &body);
            let theirs = theirs.replace('\'', "%27").replace('=', "%3D");
            let path = format!("/api/collections/entries/records?perPage=20&sort=-@rowid&filter=({theirs})");
            let total =
                |answer: Value, key: &str| answer[key].as_i64().or_else(|| answer["pagination"]["total"].as_i64());
            let query = format!("/api/v1/forms/{form}/entries/query");
            let own = total(self.subject.ask("POST", &query, &body.to_string()), "none");
            // Long answers of PocketBase are chunked.
            let few = path.replace("perPage=20", "perPage=1");
            let peers = total(process::ask(&other.base, "GET", &few, None, ""), "totalItems");
            assert_eq!(own, peers, "{work}");
            let theirs: Make = Arc::new(move |_| load::get(&path, None));
            let all: [(&str, &[u16], &Make); 2] = [(base, &[200], &ours), (&other.base, &[200], &theirs)];
            let figures = by_turns(self.plan.seconds / 2.0, 16, &all);
            let work = format!("filter of {rows}, {work}, with total, 16 connections");
            table.ratio(&work, figures[0].rate, "PocketBase", figures[1].rate, 100.0);
        }
    }
}
