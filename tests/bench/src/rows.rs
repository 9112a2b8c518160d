//! The measurements, in their order, with what they are compared to.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::load::{self, Make, Measured};
use crate::process::{self, Running};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, features, pages, peer, sign_in_attack};

const ROUNDS: usize = 3;

/// The ten fields that are submitted.
pub fn fields() -> Value {
    let text = |label: &str| json!({"type": "short_text", "label": label});
    json!([
        {"type": "name", "label": "Name", "required": true},
        {"type": "email", "label": "E-mail", "required": true},
        text("Company"),
        {"type": "long_text", "label": "What brings you here?"},
        {"type": "number", "label": "People", "min": 1, "max": 500},
        {"type": "date", "label": "Day"},
        {"type": "radio", "label": "Lunch", "choices": [
            {"api_code": "meat", "label": "Meat"}, {"api_code": "veg", "label": "Vegetarian"}]},
        {"type": "checkbox", "label": "Topics", "choices": [
            {"api_code": "a", "label": "Forms"}, {"api_code": "b", "label": "Data"},
            {"api_code": "c", "label": "Law"}]},
        text("City"),
        text("Remarks"),
    ])
}

pub fn values(n: u64) -> Value {
    json!({
        "field_1": format!("Ada Lovelace {n}"),
        "field_2": format!("ada{n}@example.com"),
        "field_3": "Analytical Engines Ltd.",
        "field_4": "I read about it in a paper and would like to see for myself how it works, and when.",
        "field_5": n % 500 + 1,
        "field_6": "2026-11-20",
        "field_7": if n.is_multiple_of(2) { "meat" } else { "veg" },
        "field_8": ["a", "c"],
        "field_9": "London",
        "field_10": "none",
    })
}

pub fn submission(subject: &Subject) -> Make {
    let path = format!("/api/v1/f/{}/entries", subject.form);
    Arc::new(move |n| {
        let body = json!({"field_values": values(n)}).to_string();
        load::post(&path, "application/json", &body)
    })
}

fn page_post(subject: &Subject) -> Make {
    let path = format!("/f/{}", subject.form);
    Arc::new(move |n| {
        let mut pairs = Vec::new();
        for (name, value) in values(n).as_object().expect("an object") {
            match value {
                Value::Array(items) => {
                    for item in items {
                        pairs.push(format!("{name}={}", item.as_str().unwrap_or_default()));
                    }
                }
                Value::String(text) => {
                    pairs.push(format!("{name}={}", text.replace(' ', "+").replace('@', "%40")));
                }
                other => pairs.push(format!("{name}={other}")),
            }
        }
        load::post(&path, "application/x-www-form-urlencoded", &pairs.join("&"))
    })
}

pub fn ceiling(name: &str, dir: &Path) -> Running {
    let own = std::env::current_exe().expect("a program");
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    Running::start(Command::new(own).args(["ceiling", name]).arg(folder))
}

/// Alternates several measurements and returns the median of each by rate.
pub fn by_turns(seconds: f64, connections: usize, all: &[(&str, &[u16], &Make)]) -> Vec<Measured> {
    let mut rounds: Vec<Vec<Measured>> = vec![Vec::new(); all.len()];
    for round in 0..=ROUNDS {
        for (i, (base, statuses, make)) in all.iter().enumerate() {
            // The first round only warms up.
            let seconds = if round == 0 { seconds / 2.0 } else { seconds };
            let measured = load::run(base, connections, seconds, statuses, make);
            if round > 0 {
                rounds[i].push(measured);
            }
        }
    }
    rounds
        .into_iter()
        .map(|mut rounds| {
            rounds.sort_by(|a, b| a.rate.total_cmp(&b.rate));
            rounds[rounds.len() / 2]
        })
        .collect()
}

/// Runs all measurements.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir: PathBuf = std::env::temp_dir().join(format!("formsvc-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    start_and_size(plan, &dir, &mut table);
    let subject = Subject::start(&plan.program, &dir, &fields());
    let peer = plan.pocketbase.as_deref().map(|program| peer::start(program, &dir));
    submissions(plan, &dir, &subject, peer.as_ref(), &mut table);
    memory(plan, &dir, &mut table);
    features::measure(plan, &dir, &subject, &mut table);
    pages::measure(plan, &subject, &ceiling("constant", &dir), &mut table);
    reads(plan, &dir, &subject, peer.as_ref(), &mut table);
    drop((subject, peer));
    sign_in_attack::measure(plan, &dir, &mut table);
    table.note(
        "machine",
        &format!("{} cores, {}", std::thread::available_parallelism().map_or(0, usize::from), std::env::consts::ARCH),
    );
    let _ = std::fs::remove_dir_all(&dir);
    table
}

fn start_and_size(plan: &Plan, dir: &Path, table: &mut Table) {
    let size = std::fs::metadata(&plan.program).expect("the program").len();
    table.limit("size of the program", size as f64 / 1048576.0, "MB", 20.0);
    let data = dir.join("start");
    let start = || {
        let args = ["serve", "--listen", "127.0.0.1:0", "--data-dir"];
        Running::start(Command::new(&plan.program).args(args).arg(&data))
    };
    drop(start());
    let server = start();
    let ready = server.ready_after.as_secs_f64() * 1000.0;
    table.limit("start to first answer", ready, "ms", 100.0);
    table.limit("memory, idle", server.memory_mb(), "MB", 20.0);
}

fn submissions(plan: &Plan, dir: &Path, subject: &Subject, peer: Option<&Running>, table: &mut Table) {
    let grouped = ceiling("grouped", dir);
    let single = ceiling("single", dir);
    let (submission, page) = (submission(subject), page_post(subject));
    let record: Make = Arc::new(|n| {
        let mut body = values(n);
        body["field_8"] = json!("a,c");
        body["field_11"] = json!("x");
        body["field_12"] = json!("y");
        load::post("/api/collections/entries/records", "application/json", &body.to_string())
    });
    for (connections, least) in [(64, 0.4), (1, 0.6)] {
        let mut all: Vec<(&str, &[u16], &Make)> = vec![
            (&subject.server.base, &[201], &submission),
            (&grouped.base, &[200], &submission),
            (&single.base, &[200], &submission),
            (&subject.server.base, &[303], &page),
        ];
        if let Some(peer) = peer {
            all.push((&peer.base, &[200], &record));
        }
        let figures = by_turns(plan.seconds, connections, &all);
        let work = format!("submission, API, {connections} connections");
        table.ratio(&work, figures[0].rate, "grouped ceiling", figures[1].rate, least);
        table.note(&format!("{work}, p50 and p99"), &format!("{:.2} and {:.2} ms", figures[0].p50, figures[0].p99));
        table.note(&format!("one commit each, {connections} connections"), &format!("{:.0}/s", figures[2].rate));
        if connections == 64 {
            if let Some(other) = figures.get(4) {
                table.ratio(&work, figures[0].rate, "PocketBase", other.rate, 4.5);
            }
            table.ratio("submission, page, 64 connections", figures[3].rate, "API", figures[0].rate, 0.7);
        }
    }
}

fn memory(plan: &Plan, dir: &Path, table: &mut Table) {
    let fresh = Subject::start(&plan.program, &dir.join("memory"), &fields());
    load::fill(&fresh.server.base, 16, 100_000, &[201], &submission(&fresh));
    table.limit("memory after 100,000 submissions", fresh.server.memory_mb(), "MB", 60.0);
}

fn reads(plan: &Plan, dir: &Path, subject: &Subject, peer: Option<&Running>, table: &mut Table) {
    let constant = ceiling("constant", dir);
    let submission = submission(subject);
    let entries = plan.entries as u64;
    load::fill(&subject.server.base, 64, entries, &[201], &submission);
    let nothing: Make = Arc::new(|_| load::get("/", None));
    let by_serial = subject.by_serial(entries);
    let newest_20 = subject.read("/entries?page_size=20");
    let newest_50 = subject.read("/entries?page_size=50");
    let theirs_50: Make = Arc::new(|_| load::get("/api/collections/entries/records?perPage=50&sort=-@rowid", None));
    let mut all: Vec<(&str, &[u16], &Make)> = vec![
        (&subject.server.base, &[200], &by_serial),
        (&subject.server.base, &[200], &newest_20),
        (&constant.base, &[200], &nothing),
        (&subject.server.base, &[200], &newest_50),
    ];
    if let Some(peer) = peer {
        let record: Make = Arc::new(|n| {
            let mut body = values(n);
            body["field_8"] = json!("a,c");
            load::post("/api/collections/entries/records", "application/json", &body.to_string())
        });
        load::fill(&peer.base, 64, entries, &[200], &record);
        all.push((&peer.base, &[200], &theirs_50));
    }
    let figures = by_turns(plan.seconds, 16, &all);
    table.ratio("entry by serial number", figures[0].rate, "constant answer", figures[2].rate, 0.2);
    table.ratio("newest 20, with total", figures[1].rate, "constant answer", figures[2].rate, 0.08);
    if let Some(theirs) = figures.get(4) {
        table.ratio("newest 50, with total", figures[3].rate, "PocketBase", theirs.rate, 30.0);
        let one: Make = Arc::new({
            let base = peer.map(|peer| peer.base.clone()).unwrap_or_default();
            let listed = process::ask(&base, "GET", "/api/collections/entries/records?perPage=1", None, "");
            let id = listed["items"][0]["id"].as_str().unwrap_or_default().to_owned();
            move |_| load::get(&format!("/api/collections/entries/records/{id}"), None)
        });
        let base = peer.map(|peer| peer.base.as_str()).unwrap_or_default();
        let theirs = by_turns(plan.seconds, 16, &[(base, &[200], &one)]);
        table.ratio("entry by serial number", figures[0].rate, "PocketBase", theirs[0].rate, 5.0);
    }
    let floor = (constant.base.as_str(), &nothing);
    beside_writers(plan, subject, &by_serial, floor, &submission, table);
}

/// Reads while others write. A server that does nothing, in a process of its own with the same writers, shows how much
/// of the latency is the machine's.
fn beside_writers(
    plan: &Plan,
    subject: &Subject,
    read: &Make,
    (floor, nothing): (&str, &Make),
    submission: &Make,
    table: &mut Table,
) {
    let base = subject.server.base.clone();
    let alone = load::run(&base, 4, plan.seconds, &[200], read);
    let while_writing = |asked: &str, make: &Make| {
        let (seconds, submission) = (plan.seconds + 1.0, Arc::clone(submission));
        let base = base.clone();
        let writing = std::thread::spawn(move || load::run(&base, 64, seconds, &[201, 503], &submission));
        let beside = load::run(asked, 4, plan.seconds, &[200], make);
        writing.join().expect("no panic");
        beside
    };
    let beside = while_writing(&base, read);
    table.at_most("p99 of reads beside 64 writers", beside.p99, "ms", "alone", alone.p99, 3.0);
    let constant = while_writing(floor, nothing);
    table.note("p99 of a constant answer beside the same writers", &format!("{:.2} ms", constant.p99));
}
