//! Kill -9 in each stage of work on many entries: while they come in, while that is undone, on the way to the trash and
//! back. Afterwards the work goes on, each entry lies in one place, and what was submitted beside it is there.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use serde_json::json;
use support::multipart::Body;
use support::raw::Talk;
use support::session::{Session, account};
use support::store::database;
use support::{Caller, Form, Server, field, until};

const ANN: &str = "ann@example.org";
const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";
const ROWS: i64 = 3_000;
const SUBMITTERS: i64 = 4;

/// What holds whenever the file is looked at: of a form's entries each lies in one place and is counted there.
fn agrees(dir: &Path) {
    let database = database(dir);
    let one = |sql: &str| -> String { database.query_row(sql, [], |row| row.get(0)).expect("a row") };
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    assert_eq!(
        one("SELECT live_count || ' ' || trash_count FROM form_counters"),
        one("SELECT (SELECT count(*) FROM entries) || ' ' || (SELECT count(*) FROM entries_trash)"),
    );
    assert_eq!(one("SELECT count(*) || '' FROM entries e JOIN entries_trash t ON e.id = t.id"), "0");
    assert_eq!(
        one("SELECT count(*) || '' FROM entry_keys"),
        one("SELECT count(*) || '' FROM entries WHERE \"values\" ->> '2' IS NOT NULL"),
        "live entries have their keys, and no others"
    );
}

/// A desk that outlives its server.
struct Desk {
    server: Server,
    owner: Caller,
    browser: Session,
    form: Form,
    /// The highest number that somebody was told of.
    told: AtomicI64,
}

impl Desk {
    fn path(&self, rest: &str) -> String {
        format!("/forms/{}/{rest}", self.form.token)
    }

    fn job(&self, job: &str) -> serde_json::Value {
        self.owner.get(format!("/api/v1{job}")).is(200).data()
    }

    fn post(&self, path: &str, pairs: &[(&str, &str)]) -> String {
        self.browser.get("/profile");
        self.browser.post(path, pairs).leads()
    }

    /// Kills the server in the middle of a job, with submitters beside it, and starts another over its data.
    fn killed(mut self, job: &str) -> Self {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..SUBMITTERS {
                scope.spawn(|| self.submit(&is_over));
            }
            let before = self.told.load(Ordering::Relaxed);
            until("it goes on beside submitters", || {
                let job = self.job(job);
                let is_begun = job["done"].as_i64().is_some_and(|done| done > 0) || job["state"] == "done";
                is_begun && self.told.load(Ordering::Relaxed) > before
            });
            self.server.kill();
            is_over.store(true, Ordering::Relaxed);
        });
        self.server = Server::over(&self.server.dir, &["--rate-limits", "off"]);
        self.owner = support::steps::again(&self.owner, &self.server);
        self.browser = Session::on(&self.server).signed_in(ANN);
        until("it is over", || self.job(job)["finished_at"].is_string());
        assert_eq!(self.job(job)["state"], "done", "{}", self.job(job));
        self
    }

    fn submit(&self, is_over: &AtomicBool) {
        let Some(mut talk) = Talk::open(&self.server.base) else { return };
        while !is_over.load(Ordering::Relaxed) {
            let body = json!({"field_values": {"field_1": "a respondent"}});
            let Some((201, text)) = talk.post(&self.form.submissions(), &body) else { return };
            let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let serial = answer["data"]["entry"]["serial_number"].as_i64().expect("a number");
            self.told.fetch_max(serial, Ordering::Relaxed);
        }
    }

    /// How many guests of the file there are, live and in the trash. All that respondents were told is there.
    fn guests(&self) -> (i64, i64) {
        agrees(&self.server.dir);
        let database = database(&self.server.dir);
        let one = |sql: &str| -> i64 { database.query_row(sql, [], |row| row.get(0)).expect("a row") };
        let told = self.told.load(Ordering::Relaxed);
        let last =
            one("SELECT max(id & 4294967295) FROM (SELECT id FROM entries UNION ALL SELECT id FROM entries_trash)");
        assert!(last >= told, "{last} {told}");
        let all = one("SELECT (SELECT count(*) FROM entries) + (SELECT count(*) FROM entries_trash)");
        assert_eq!(all, last, "no number is missing");
        let guests = |table: &str| one(&format!("SELECT count(*) FROM {table} WHERE \"values\" ->> '2' IS NOT NULL"));
        (guests("entries"), guests("entries_trash"))
    }
}

#[test]
fn work_on_many_entries_outlives_a_kill_in_each_stage() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    account(&server, ANN);
    let owner = server.token(ANN, ALL);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Guest"})),
        field("number", json!({"label": "Seat", "unique": true})),
    ]));
    let browser = Session::on(&server).signed_in(ANN);
    let desk = Desk { server, owner, browser, form, told: AtomicI64::new(0) };
    let rows: String = (1..=ROWS).map(|n| format!("Guest {n},{n}\n")).collect();
    desk.browser.get("/profile");
    let file = format!("Guest,Seat\n{rows}");
    let body = Body::default().text("csrf", &desk.browser.csrf()).file("file", "a.csv", "text/csv", file.as_bytes());
    let caller = desk.browser.caller();
    let sent = body.send(&caller.header("origin", &caller.base), &desk.path("entries/import"));
    let columns = sent.leads();
    let goes = [("column.0", "field_1"), ("column.1", "field_2")];

    let check = desk.post(&columns, &goes);
    let desk = desk.killed(&check);
    assert_eq!(desk.guests(), (0, 0));

    let import = desk.post(&columns, &[("act", "import")]);
    let desk = desk.killed(&import);
    assert_eq!(desk.guests(), (ROWS, 0));

    let undo = desk.post(&format!("{import}/undo"), &[]);
    let desk = desk.killed(&undo);
    assert_eq!(desk.guests(), (0, ROWS));

    // Back again, and once more to the trash by the condition that they have a seat.
    let back = desk.post(&format!("{undo}/undo"), &[]);
    let desk = desk.killed(&back);
    assert_eq!(desk.guests(), (ROWS, 0));

    let filters = json!([{"field": "field_2", "operator": "not_null"}]);
    let body = json!({"filters": filters, "expected_total": ROWS});
    let trash = desk.owner.post(format!("{}/entries/bulk_trash", desk.form.path()), body).is(202).data();
    let trash = desk.path(&format!("jobs/{}", trash["id"].as_str().expect("an id")));
    let desk = desk.killed(&trash);
    assert_eq!(desk.guests(), (0, ROWS));
    let restore = desk.post(&format!("{trash}/undo"), &[]);
    let desk = desk.killed(&restore);
    assert_eq!(desk.guests(), (ROWS, 0));
}
