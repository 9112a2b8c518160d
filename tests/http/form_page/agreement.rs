//! Random submissions to random forms: the API, the page without a script and the import take the same ones, refuse
//! the same answers and store the same values, scores and prices. `tests/browser/agreement.rs` has the page with a
//! script do so too.

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use support::random_forms::{TO_EACH, answers, entries, make, of_json, of_page, plan, unique};
use support::{Response, Server, rounds};

/// The fields whose values are refused, whatever room there is: an import looks for room once all of its rows are right.
fn unless_full(answer: &Response, before: &str) -> Vec<String> {
    let Some(details) = answer.json()["error_details"].as_array().cloned() else {
        return Vec::new();
    };
    let text = |detail: &Value, key: &str| detail[key].as_str().expect("text").to_owned();
    let is_room = |message: &str| ["is full", "is sold out", "has only"].iter().any(|words| message.starts_with(words));
    let known = details.iter().filter(|detail| !is_room(&text(detail, "message")));
    let field = |detail| text(detail, "attribute").trim_start_matches(before).to_owned();
    unique(known.map(field).map(|at| at.split(['.', '[']).next().unwrap_or_default().to_owned()).collect())
}

#[test]
fn all_ways_agree_on_random_submissions() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let submissions = rounds("TEST_SUBMISSIONS", 200_usize);
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..submissions.div_ceil(TO_EACH) as u64 {
        let mut dice = StdRng::seed_from_u64(seed);
        let plan = plan(&mut dice);
        let [api, page, imported] = [(); 3].map(|()| make(&owner, &plan));
        for _ in 0..TO_EACH {
            let mut answers = answers(&mut dice);
            if answers.csv().ends_with("\"\",\"\",\"\",\"\",\"\",\"\"\n") {
                // A row of blanks is no entry of an import.
                answers.last = Some("g");
            }
            let sent = anon.post(api.submissions(), json!({"field_values": answers.json()}));
            let by_api = of_json(&sent, "field_values.");
            let typed = answers.typed();
            let typed: Vec<(&str, &str)> = typed.iter().map(|(a, b)| (&**a, &**b)).collect();
            let by_page = of_page(&anon.post_form(page.page(), &typed));
            assert_eq!(by_api, by_page, "seed {seed}: {answers:?}: {sent}");
            // Quotas of choices do not refuse entries that an owner imports.
            if sent.status != 409 {
                let path = format!("{}/import", imported.entries());
                let csv = answers.csv();
                let done = owner.send("POST", &path, Some("text/csv"), csv.as_bytes());
                let by_import = of_json(&done, "rows[0].");
                let known = unless_full(&sent, "field_values.");
                assert_eq!(known, by_import, "seed {seed}: {csv}: {done}");
            }
            *(if by_api.is_empty() { &mut taken } else { &mut refused }) += 1;
        }
        let stored = entries(&owner, &api);
        assert_eq!(stored, entries(&owner, &page), "seed {seed}");
        assert_eq!(stored, entries(&owner, &imported), "seed {seed}");
    }
    assert!(taken * 4 > submissions && refused * 20 > submissions, "{taken} {refused}");
}
