//! "One address may search 30 times a minute and 300 times an hour; with `--proof-of-work` …" (handbook), and exports.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::clock::Clock;
use support::steps::bulk;
use support::{Caller, Form, Response, Server, formsvc, text};

use crate::queries::{Query, all_of, body, fill, people, shown, simple};

/// A server with its rate limits, one of them as wide as a test needs.
fn limited() -> Server {
    Server::with(&["--limit-api", "100000"])
}

fn is_refused(answer: &Response) {
    assert_eq!(answer.status, 429, "{answer}");
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
}

fn editable(owner: &Caller, form: &Form) -> Query {
    let mut whole =
        body(form, all_of(&["field_1"]), json!([{"field": "serial_number"}, {"field": "field_2", "editable": true}]));
    whole["allow_to_export_results"] = json!(true);
    Query::new(owner, whole)
}

#[test]
fn addresses_have_thirty_searches_a_minute() {
    let server = limited();
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
    let query = editable(&owner, &form);
    let ada = json!({"field_1": "Adèle"});
    let (row, path) = query.row(&ada, 1);
    let right = row["edit_token"].as_str().expect("a right").to_owned();
    let edit = || {
        let who = query.anon().header("x-edit-token", &right);
        who.patch(&path, json!({"field_values": {"field_2": "x"}}))
    };
    for n in 1..30 {
        let answer = match n % 3 {
            0 => query.anon().get(query.typed(&ada)),
            1 => query.search(&ada),
            _ => edit(),
        };
        assert_eq!(answer.status, 200, "the {n}th: {answer}");
    }
    is_refused(&query.search(&ada));
    is_refused(&query.anon().get(query.typed(&ada)));
    is_refused(&edit());
    let told = query.search(&ada);
    assert!(told.json()["error"].is_string(), "{told}");
    assert!(!told.text.contains("Adèle"), "{told}");
    // The page before a search is open, and so is another query.
    query.anon().get(query.page()).is(200);
    query.anon().get(query.public()).is(200);
    let other = simple(&owner, &form);
    other.search(&ada).is(200);
}

#[test]
fn each_address_has_its_own_searches() {
    let server = Server::with(&["--limit-api", "100000", "--trusted-proxies", "127.0.0.1/32"]);
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
    let query = simple(&owner, &form);
    let from = |address: &str| {
        let who = query.anon().header("x-forwarded-for", address);
        let body = json!({"values": {"field_1": "Adèle"}});
        who.post(format!("{}/search", query.public()), body)
    };
    for _ in 0..30 {
        from("203.0.113.7").is(200);
    }
    is_refused(&from("203.0.113.7"));
    from("203.0.113.8").is(200);
    // An IPv6 network is one address.
    for n in 0..30 {
        from(&format!("2001:db8:1:2::{n:x}")).is(200);
    }
    is_refused(&from("2001:db8:1:2:ffff::1"));
    from("2001:db8:1:3::1").is(200);
}

#[test]
fn guesses_count_like_hits() {
    let server = limited();
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
    let query = simple(&owner, &form);
    for n in 0..30 {
        query.search(&json!({"field_1": format!("guess {n}")})).is(200);
    }
    is_refused(&query.search(&json!({"field_1": "Adèle"})));
}

#[test]
fn addresses_have_five_exports_a_minute() {
    let server = limited();
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
    let query = editable(&owner, &form);
    let ada = json!({"field_1": "Adèle"});
    for n in 0..5 {
        let format = ["csv", "xlsx"][n % 2];
        query.anon().get(query.export(format, &ada)).is(200);
    }
    is_refused(&query.anon().get(query.export("csv", &ada)));
    is_refused(&query.anon().get(query.export("xlsx", &ada)));
    // Searches are counted apart.
    query.search(&ada).is(200);
}

#[test]
fn exports_have_ten_thousand_rows_at_most() {
    let server = Server::shared();
    let (owner, form) = people(server);
    let many: Vec<Value> = (0..10_000).map(|_| json!({"field_1": "Adèle"})).collect();
    bulk(&owner, &form, &many);
    let query = Query::with(
        &owner,
        &form,
        all_of(&["field_1"]),
        shown(&["serial_number"]),
        json!({"allow_to_export_results": true}),
    );
    let ada = json!({"field_1": "Adèle"});
    let file = query.anon().get(query.export("csv", &ada));
    assert_eq!(file.status, 200, "{} bytes", file.bytes.len());
    assert_eq!(file.text.lines().count(), 10_001, "a header and so many rows");
    // One more is refused, rather than left out unsaid.
    fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
    for format in ["csv", "xlsx"] {
        let refused = query.anon().get(query.export(format, &ada));
        assert_eq!(refused.status, 422, "{} bytes", refused.bytes.len());
    }
    let found = query.search(&ada);
    assert_eq!(found.json()["pagination"]["total"], 10_001);
}

#[test]
fn addresses_have_three_hundred_searches_an_hour() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::on_time();
    let server = clock.server(dir.path(), &["--limit-api", "100000"]);
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
    let query = editable(&owner, &form);
    let ada = json!({"field_1": "Adèle"});
    for minute in 0..10 {
        clock.ahead(minute * 61);
        for n in 0..30 {
            let found = query.search(&ada);
            assert_eq!(found.status, 200, "minute {minute}, {n}: {found}");
        }
    }
    is_refused(&query.search(&ada));
    // A minute later it would do, were it not for the hour.
    clock.ahead(11 * 61);
    is_refused(&query.search(&ada));
    clock.ahead(2 * 3600);
    query.search(&ada).is(200);
    // The same with exports, by the minute.
    for _ in 0..5 {
        query.anon().get(query.export("csv", &ada)).is(200);
    }
    is_refused(&query.anon().get(query.export("csv", &ada)));
    clock.ahead(2 * 3600 + 61);
    query.anon().get(query.export("csv", &ada)).is(200);
}

const BITS: u32 = 10;

struct Desk {
    server: Server,
    query: Query,
}

impl Desk {
    fn with(flags: &[&str]) -> Self {
        let server = Server::with(flags);
        let (owner, form) = people(&server);
        fill(&owner, &form, &[json!({"field_1": "Adèle"})]);
        Self { query: simple(&owner, &form), server }
    }

    fn outline(&self) -> Value {
        self.query.anon().get(self.query.public()).data()
    }

    fn search(&self, name: &str, proof: Option<&str>) -> Response {
        let mut body = json!({"values": {"field_1": name}});
        if let Some(proof) = proof {
            body["proof"] = json!(proof);
        }
        self.query.ask(body)
    }

    fn challenge(&self) -> String {
        let outline = self.outline();
        assert_eq!(outline["proof_of_work"]["bits"], BITS);
        let challenge = outline["proof_of_work"]["challenge"].as_str();
        challenge.expect("a challenge").to_owned()
    }
}

/// The first proof for a search by name whose hash begins with enough zero bits.
fn proof(challenge: &str, name: &str) -> String {
    let proofs = (0..).map(|n: u64| format!("{challenge}.{n}"));
    let is_done = |proof: &String| {
        let hash = Sha256::digest(format!("{proof}\nfield_1={name}"));
        let start = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
        start.leading_zeros() >= BITS
    };
    proofs.into_iter().find(is_done).expect("one of them")
}

#[test]
fn proof_of_work_allows_ten_times_the_searches() {
    let bits = BITS.to_string();
    let desk = Desk::with(&["--proof-of-work", &bits]);
    let challenge = desk.challenge();
    // Without it, a tenth of 30 a minute.
    for n in 0..3 {
        assert_eq!(desk.search("Adèle", None).status, 200, "{n}");
    }
    let refused = desk.search("Adèle", None).is(429);
    assert!(!refused.header("retry-after").is_empty());
    assert!(refused.text.contains("proof_of_work"), "{refused}");
    let page = desk.query.anon().get(desk.query.typed(&json!({"field_1": "Adèle"}))).is(429);
    assert!(page.text.contains("With JavaScript on"), "{page}");
    // An invalid proof counts as none.
    let (expires, signature) = challenge.split_once('.').expect("two parts");
    let later: i64 = expires.parse::<i64>().expect("a time") + 60;
    for wrong in [
        challenge.clone(),
        format!("{challenge}."),
        proof(&challenge, "Grace"),
        proof(&format!("{later}.{signature}"), "Adèle"),
        proof(&format!("{expires}.x{signature}"), "Adèle"),
        "x".to_owned(),
        "..".to_owned(),
    ] {
        assert_eq!(desk.search("Adèle", Some(&wrong)).status, 429, "{wrong}");
    }
    // Of another query.
    let other = Desk::with(&["--proof-of-work", &bits]);
    let theirs = proof(&other.challenge(), "Adèle");
    desk.search("Adèle", Some(&theirs)).is(429);
    for n in 0..30 {
        let name = format!("Adèle {n}");
        desk.search(&name, Some(&proof(&challenge, &name))).is(200);
    }
    let own = proof(&challenge, "Adèle");
    desk.search("Adèle", Some(&own)).is(429);
}

#[test]
fn no_work_is_asked_for_by_default() {
    let desk = Desk::with(&[]);
    assert!(desk.outline().get("proof_of_work").is_none());
    for n in 0..30 {
        assert_eq!(desk.search("Adèle", None).status, 200, "{n}");
    }
    let refused = desk.search("Adèle", None).is(429);
    assert!(!refused.text.contains("proof"), "{refused}");
    for wrong in ["7", "25", "x"] {
        let args = ["serve", "--proof-of-work", wrong];
        let ran = formsvc(&desk.server.dir, &args, "");
        assert_eq!(ran.status.code(), Some(2), "{wrong}");
        let said = text(&ran.stderr);
        assert!(said.contains("from 8 to 24"), "{said}");
    }
}
