//! Proof of work before searches of public queries, where the operator asks for it (S87).

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Response, Server, field, formsvc, text};

const BITS: u32 = 10;

struct Desk {
    server: Server,
    query: String,
}

impl Desk {
    fn with(flags: &[&str]) -> Self {
        let server = Server::with(flags);
        let owner = server.user();
        let form = owner.form(json!([field("name", json!({}))]));
        owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
        let body = json!({
            "form_token": form.token, "name": "Look-up",
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [{"field": "serial_number"}],
        });
        let made = owner.post("/api/v1/opensearch/queries", body).data();
        let query = made["token"].as_str().expect("a token").to_owned();
        Self { server, query }
    }

    fn outline(&self) -> Value {
        let path = format!("/api/v1/q/{}", self.query);
        self.server.anon().get(path).data()
    }

    fn search(&self, name: &str, proof: Option<&str>) -> Response {
        let mut body = json!({"values": {"field_1": name}});
        if let Some(proof) = proof {
            body["proof"] = json!(proof);
        }
        let path = format!("/api/v1/q/{}/search", self.query);
        self.server.anon().post(path, body)
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
fn who_does_the_work_may_search_ten_times_as_often() {
    let bits = BITS.to_string();
    let desk = Desk::with(&["--proof-of-work", &bits]);
    let challenge = desk.challenge();
    // Without it, a tenth of 30 a minute.
    for n in 0..3 {
        assert_eq!(desk.search("Ada", None).status, 200, "{n}");
    }
    let refused = desk.search("Ada", None);
    assert_eq!(refused.status, 429, "{refused}");
    assert!(!refused.header("retry-after").is_empty());
    assert!(refused.text.contains("proof_of_work"), "{refused}");
    let page = desk.server.anon().get(format!("/q/{}?field_1=Ada", desk.query));
    assert_eq!(page.status, 429, "{page}");
    assert!(page.text.contains("With JavaScript on"), "{page}");
    // What proves nothing counts as none.
    let (expires, signature) = challenge.split_once('.').expect("two parts");
    let later: i64 = expires.parse::<i64>().expect("a time") + 60;
    for wrong in [
        challenge.clone(),
        format!("{challenge}."),
        proof(&challenge, "Grace"),
        proof(&format!("{later}.{signature}"), "Ada"),
        proof(&format!("{expires}.x{signature}"), "Ada"),
        "x".to_owned(),
        "..".to_owned(),
    ] {
        assert_eq!(desk.search("Ada", Some(&wrong)).status, 429, "{wrong}");
    }
    // Of another query.
    let other = Desk::with(&["--proof-of-work", &bits]);
    let theirs = proof(&other.challenge(), "Ada");
    assert_eq!(desk.search("Ada", Some(&theirs)).status, 429);
    for n in 0..30 {
        let name = format!("Ada {n}");
        let found = desk.search(&name, Some(&proof(&challenge, &name)));
        assert_eq!(found.status, 200, "{found}");
    }
    let own = proof(&challenge, "Ada");
    assert_eq!(desk.search("Ada", Some(&own)).status, 429);
}

#[test]
fn nobody_is_asked_for_it_otherwise() {
    let desk = Desk::with(&[]);
    assert!(desk.outline().get("proof_of_work").is_none());
    for n in 0..30 {
        assert_eq!(desk.search("Ada", None).status, 200, "{n}");
    }
    let refused = desk.search("Ada", None);
    assert_eq!(refused.status, 429, "{refused}");
    assert!(!refused.text.contains("proof"), "{refused}");
    for wrong in ["7", "25", "x"] {
        let args = ["serve", "--proof-of-work", wrong];
        let ran = formsvc(&desk.server.dir, &args, "");
        assert_eq!(ran.status.code(), Some(2), "{wrong}");
        let said = text(&ran.stderr);
        assert!(said.contains("from 8 to 24"), "{said}");
    }
}
