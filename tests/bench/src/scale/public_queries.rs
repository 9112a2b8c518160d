//! Visitors of a public query among a million entries.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::generate;
use crate::load::{self, Make};
use crate::process::Running;
use crate::rows::by_turns;
use crate::scale::Scale;
use crate::table::Table;

/// How long the exact keys may take to come.
const PATIENCE: Duration = Duration::from_secs(600);
/// Of a part of a name: two Chinese characters.
const PART: &str = "秀英";

impl Scale<'_> {
    pub(super) fn visit(&self, table: &mut Table) {
        let exact = self.new_query(&json!([{"field": "field_2"}]));
        let fuzzy = self.new_query(&json!([{"field": "field_1", "fuzzy": true}]));
        let begun = Instant::now();
        let ready = "SELECT count(*) FROM key_fields WHERE field > (1 << 24) AND state = 'ready'";
        while self.number(ready) < 1 {
            assert!(begun.elapsed() < PATIENCE, "the keys take too long");
            std::thread::sleep(Duration::from_millis(200));
        }
        table.note(
            "public query: exact keys of one field in the background",
            &format!("{:.0} s", begun.elapsed().as_secs_f64()),
        );
        self.look_up(&exact, table);
        self.part_of_a_name(&fuzzy, table);
        self.beside_submitters(&exact, table);
    }

    fn new_query(&self, fields: &serde_json::Value) -> String {
        let shown = ["field_1", "field_2", "field_5", "field_7", "serial_number"];
        let body = json!({
            "form_token": self.subject.form, "name": "Look-up",
            "search_field_rules": [{"operand": "and", "fields": fields}],
            "display_field_rules": shown.map(|field| json!({"field": field})),
        });
        let made = self.subject.ask("POST", "/api/v1/opensearch/queries", &body.to_string());
        made["data"]["token"].as_str().expect("a query").to_owned()
    }

    /// The address of one entry of many, in turn.
    fn email(&self, n: u64) -> String {
        let values = generate::values(n.wrapping_mul(7919) % self.plan.rows);
        values["field_2"].as_str().expect("text").to_owned()
    }

    fn emails(&self) -> Arc<Vec<String>> {
        Arc::new((0..10_000).map(|n| self.email(n)).collect())
    }

    fn search(&self, query: &str) -> Make {
        let (path, emails) = (format!("/api/v1/q/{query}/search"), self.emails());
        Arc::new(move |n| {
            let email = &emails[n as usize % emails.len()];
            let body = json!({"values": {"field_2": email}});
            load::post(&path, "application/json", &body.to_string())
        })
    }

    fn look_up(&self, query: &str, table: &mut Table) {
        let ceiling = std::env::current_exe().expect("a program");
        let constant = Running::start(Command::new(ceiling).args(["ceiling", "constant"]));
        let nothing: Make = Arc::new(|_| load::get("/", None));
        let search = self.search(query);
        let emails = self.emails();
        let address = format!("/q/{query}?field_2=");
        let page: Make = Arc::new(move |n| {
            let email = emails[n as usize % emails.len()].replace('@', "%40");
            load::get(&format!("{address}{email}"), None)
        });
        let base = &*self.subject.server.base;
        let (ours, floor) = ((base, &[200][..], &search), (&*constant.base, &[200][..], &nothing));
        let alone = by_turns(self.plan.seconds, 1, &[ours, floor]);
        table.limit(
            "public query: exact look-up, 1 connection, p99 above a constant answer's",
            alone[0].p99 - alone[1].p99,
            "ms",
            1.0,
        );
        let figures = by_turns(self.plan.seconds, 16, &[(base, &[200], &page), floor]);
        table.ratio(
            "public query: page with its result, 16 connections",
            figures[0].rate,
            "constant answer",
            figures[1].rate,
            0.3,
        );
    }

    fn part_of_a_name(&self, query: &str, table: &mut Table) {
        let path = format!("/api/v1/q/{query}/search");
        let body = json!({"values": {"field_1": PART}}).to_string();
        let search: Make = Arc::new(move |_| load::post(&path, "application/json", &body));
        let begun = self.subject.server.cpu_seconds();
        let measured = load::run(&self.subject.server.base, 1, self.plan.seconds, &[200], &search);
        let used = self.subject.server.cpu_seconds() - begun;
        table.limit(
            "public query: part of a name, with total, processor",
            used / (measured.rate * measured.seconds) * 1000.0,
            "ms",
            10.0,
        );
    }

    /// Visitors and submitters at once, and each alone.
    fn beside_submitters(&self, query: &str, table: &mut Table) {
        let (search, submission) = (self.search(query), self.submission());
        let base = &self.subject.server.base;
        let seconds = self.observed_seconds();
        let visitors_alone = load::run(base, 64, seconds, &[200], &search);
        let submitters_alone = load::run(base, 16, seconds, &[201], &submission);
        let (own, visits) = (base.clone(), Arc::clone(&search));
        let visiting = std::thread::spawn(move || load::run(&own, 64, seconds, &[200], &visits));
        let submitters = load::run(base, 16, seconds, &[201], &submission);
        let visitors = visiting.join().expect("no panic");
        for (work, beside, alone) in [
            ("public query: p99 of 64 visitors beside 16 submitters", visitors, visitors_alone),
            ("public query: p99 of 16 submitters beside 64 visitors", submitters, submitters_alone),
        ] {
            table.at_most(work, beside.p99, "ms", "alone", alone.p99, 3.0);
        }
    }
}
