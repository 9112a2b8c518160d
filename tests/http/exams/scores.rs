//! Exams: scores, what respondents learn of them and when, and their fate after an edit of the key. Their time is
//! tested in `exam_time`.

use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::sheets::csv;
use support::steps::{bulk, set};
use support::store::settled;
use support::{Caller, Form, Response, Server, field, rounds, until};

use crate::entries::filters::Asked;

fn choices(codes: &[&str]) -> Value {
    codes.iter().map(|code| json!({"api_code": code, "label": format!("choice {code}")})).collect()
}

/// A question with one answer, one with several, and a text.
fn questions() -> Value {
    json!([
        field("radio", json!({"label": "Capital", "choices": choices(&["a", "b"])})),
        field("checkbox", json!({"label": "Primes", "choices": choices(&["c", "d", "e"])})),
        field("short_text", json!({"label": "Author"})),
        field("short_text", json!({"label": "Your name"})),
    ])
}

fn key() -> Value {
    json!({
        "field_1": {"scored": true, "score": 2, "answer": "a"},
        "field_2": {"scored": true, "score": 3, "answer": ["c", "d"], "partial": "per_choice"},
        "field_3": {"scored": true, "score": 5, "answer": "Ada Lovelace"},
    })
}

fn exam(owner: &Caller, settings: Value) -> Form {
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": questions()}));
    set(owner, &form, json!({"exam": {"questions": key()}}));
    set(owner, &form, settings);
    form
}

/// Answers, and the points that they get.
fn table() -> Vec<(Value, Value)> {
    vec![
        (json!({"field_1": "a", "field_2": ["d", "c"], "field_3": " ADA\u{200b} LOVE\u{ad}LACE\u{a0}"}), json!(10)),
        (json!({"field_1": "b", "field_2": ["c"], "field_3": "Grace Hopper"}), json!(1.5)),
        (json!({"field_2": ["c", "e"], "field_4": "Ann"}), json!(0)),
        (json!({"field_1": "a", "field_2": ["c", "d", "e"]}), json!(3.5)),
        (json!({}), json!(0)),
    ]
}

fn pairs(values: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (name, value) in values.as_object().expect("values") {
        match value {
            Value::Array(several) => {
                let several = several.iter().map(|it| it.as_str().expect("a code"));
                out.extend(several.map(|code| (name.clone(), code.to_owned())));
            }
            one => out.push((name.clone(), one.as_str().expect("a text").to_owned())),
        }
    }
    out
}

#[test]
fn all_ways_in_score_alike() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner, json!({"exam": {"show_score": true}}));
    let mut expected = Vec::new();
    for (values, score) in table() {
        let sent = anon.post(form.submissions(), json!({"field_values": values}));
        assert_eq!((sent.status, &sent.data()["exam_score"]), (201, &score), "{values}");
        let typed = pairs(&values);
        let typed: Vec<(&str, &str)> = typed.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(anon.post_form(form.page(), &typed).status, 303, "{values}");
        let made = owner.post(form.entries(), json!({"field_values": values}));
        assert_eq!(made.data()["exam_score"], score, "{made}");
        bulk(&owner, &form, &[values]);
        expected.extend(vec![score; 4]);
    }
    let exported = owner.get(format!("{}/export?format=csv&headers=api_codes", form.entries()));
    let kind = Some("text/csv");
    let path = format!("{}/import", form.entries());
    let imported = owner.send("POST", &path, kind, exported.text.as_bytes());
    assert_eq!(imported.status, 201, "{imported}");
    let all = owner.get(format!("{}?page_size=100&sort=serial_number&order=asc", form.entries()));
    let all = all.data();
    let mut scores: Vec<(i64, Value)> = all
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| (entry["serial_number"].as_i64().expect("a number"), entry["exam_score"].clone()))
        .collect();
    scores.sort_by_key(|(serial, _)| *serial);
    let scores: Vec<Value> = scores.into_iter().map(|(_, score)| score).collect();
    let twice: Vec<Value> = expected.iter().chain(&expected).cloned().collect();
    assert_eq!(scores, twice);
}

#[test]
fn a_respondent_sees_what_the_settings_show_and_after_the_submission() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let values = json!({"field_1": "b", "field_2": ["c"], "field_3": "Ada Lovelace"});
    let typed = [("field_1", "b"), ("field_2", "c"), ("field_3", "Ada Lovelace")];
    for (settings, shown, hidden) in [
        (json!({}), vec!["choice b"], vec!["You scored", "Right answer", "Passed"]),
        (
            json!({"show_score": true}),
            vec!["You scored 6.5 of 10"],
            vec!["Right answer", "choice a", "Passed", "Not passed"],
        ),
        (json!({"show_score": true, "pass_score": 6.5}), vec!["You scored 6.5 of 10", "Passed"], vec!["Not passed"]),
        (json!({"show_score": true, "pass_score": 6.6}), vec!["Not passed"], vec!["Right answer"]),
        (
            json!({"show_answers": true}),
            vec!["Right answer:", "choice a", "choice c, choice d", "Wrong", "Partly right", "Right"],
            vec!["You scored", "points"],
        ),
        (
            json!({"show_score": true, "show_answers": true}),
            vec!["1.5 of 3 points", "5 of 5 points", "0 of 2 points"],
            vec![],
        ),
    ] {
        let form = exam(&owner, json!({"exam": settings}));
        let sent = anon.post(form.submissions(), json!({"field_values": values}));
        let is_told = settings["show_score"] == true;
        let expected = if is_told { json!(6.5) } else { Value::Null };
        assert_eq!(sent.data()["exam_score"], expected, "{sent}");
        assert!(sent.data()["entry"].get("exam_score").is_none(), "{sent}");
        let done = anon.post_form(form.page(), &typed);
        let thanks = anon.get(done.header("location"));
        for text in &shown {
            assert!(thanks.text.contains(text), "{settings} {text}: {thanks}");
        }
        for text in &hidden {
            assert!(!thanks.text.contains(text), "{settings} {text}: {thanks}");
        }
    }
    let unscored = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": questions()}));
    set(&owner, &unscored, json!({"exam": {"show_score": true}}));
    let sent = anon.post(unscored.submissions(), json!({"field_values": values}));
    assert!(sent.data().get("exam_score").is_none(), "{sent}");
    assert_eq!(owner.get(unscored.entry(1)).data()["exam_score"], Value::Null);
}

#[test]
fn answers_that_nobody_shows_stay_hidden_but_for_scored_questions() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner, json!({"exam": {"show_answers": true}, "after_submission": {"show_answers": false}}));
    let done = anon.post_form(form.page(), &[("field_1", "b"), ("field_4", "Zacharias")]);
    let thanks = anon.get(done.header("location"));
    assert!(thanks.text.contains("Right answer:"), "{thanks}");
    assert!(!thanks.text.contains("Zacharias"), "{thanks}");
    // Nor are they shown when somebody else has changed them.
    let changed = owner.patch(form.entry(1), json!({"field_values": {"field_1": "a"}}));
    assert_eq!(changed.status, 200, "{changed}");
    let thanks = anon.get(done.header("location"));
    assert!(!thanks.text.contains("Right answer:"), "{thanks}");
}

/// All that a respondent gets before a submission.
fn before_a_submission(anon: &Caller, form: &Form) -> Vec<Response> {
    let page = form.page();
    let script = anon.header("accept", "application/json");
    let wrong = json!({"field_values": {"field_1": "gone", "field_3": 5, "field_4": "x"}});
    vec![
        anon.get(form.published()),
        anon.get(&page),
        anon.get(format!("{page}?embed=1")),
        anon.get(format!("{page}?field_1=a&field_2=c&field_3=x")),
        anon.post(form.submissions(), wrong),
        anon.post(form.submissions(), json!({"field_values": []})),
        anon.post_form(&page, &[("_page", "0"), ("_action", "check"), ("field_1", "a")]),
        anon.post_form(&page, &[("_page", "0"), ("_action", "next"), ("field_1", "b")]),
        anon.post_form(&page, &[("_page", "0"), ("_action", "more")]),
        anon.post_form(&page, &[("_page", "0"), ("field_1", "gone")]),
        script.post_form(&page, &[("_page", "0"), ("_action", "check"), ("field_2", "e")]),
        script.post_form(&page, &[("_page", "0"), ("_action", "submit"), ("field_1", "gone")]),
        anon.get(form.part("settings")),
        anon.get(form.path()),
    ]
}

#[test]
fn nothing_of_the_key_leaves_before_a_submission() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for layout in ["classic", "card"] {
        let mut fields = questions();
        fields[3]["required"] = json!(true);
        let body = json!({"name": "Exam", "scene": "exam", "layout": layout, "fields": fields});
        let form = owner.form_with(body);
        set(
            &owner,
            &form,
            json!({"exam": {
                "duration_minutes": 45, "pass_score": 732173.25, "show_score": true, "show_answers": true,
                "questions": {
                    "field_1": {"scored": true, "score": 463746.5, "answer": "a"},
                    "field_2": {"scored": true, "score": 283928.25, "answer": ["c", "d"], "partial": "proportional"},
                    "field_3": {"scored": true, "score": 917391.75, "answer": "quizzaciously-planted"},
                },
            }}),
        );
        let given = before_a_submission(&anon, &form);
        assert!(given[0].status == 200 && given[1].status == 200);
        for answer in given {
            let text = format!("{answer} {:?}", answer.headers);
            for mark in [
                "463746",
                "283928",
                "917391",
                "732173",
                "1665066",
                "quizzaciously",
                "proportional",
                "scored",
                "pass_score",
            ] {
                assert!(!text.contains(mark), "{mark} in {text}");
            }
        }
        // The page of a right answer differs in nothing from that of a wrong one but the answer.
        let drawn = |code: &str| {
            let page = anon.post_form(form.page(), &[("_page", "0"), ("_action", "more"), ("field_1", code)]);
            page.text.matches("checked").count()
        };
        assert_eq!(drawn("a"), drawn("b"));
    }
}

#[test]
fn another_key_gives_other_scores_and_entries_say_so() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner, json!({"exam": {"show_score": true, "show_answers": true}}));
    let done = anon.post_form(form.page(), &[("field_1", "b"), ("field_3", "Ada Lovelace")]);
    bulk(&owner, &form, &[json!({"field_3": "Ada Lovelace"}), json!({"field_1": "b"}), json!({"field_1": "a"})]);
    assert_eq!(owner.delete(form.entry(3)).status, 200);
    let before = owner.get(form.entry(1));
    assert_eq!(before.data()["exam_score"], 5);
    assert_eq!(before.data()["rescored_at"], Value::Null);
    let mut changed = key();
    changed["field_1"]["answer"] = json!("b");
    set(&owner, &form, json!({"exam": {"questions": changed}}));
    let after = owner.get(form.entry(1));
    assert_eq!(after.data()["exam_score"], 7, "{after}");
    assert!(after.data()["rescored_at"].is_string(), "{after}");
    assert_eq!(after.data()["updated_at"], before.data()["updated_at"]);
    assert_ne!(after.header("etag"), before.header("etag"));
    let untouched = owner.get(form.entry(2)).data();
    assert_eq!((&untouched["exam_score"], &untouched["rescored_at"]), (&json!(5), &Value::Null));
    assert_eq!(owner.get(form.entry(4)).data()["exam_score"], 0);
    let restored = owner.post(format!("{}/restore", form.trashed(3)), json!({}));
    assert_eq!(restored.data()["exam_score"], 2, "{restored}");
    let thanks = anon.get(done.header("location"));
    assert!(thanks.text.contains("You scored 7 of 10"), "{thanks}");
    assert!(thanks.text.contains("Your answers"), "{thanks}");
    // A setting that scores don't depend on leaves them alone.
    set(&owner, &form, json!({"exam": {"show_score": false}}));
    let again = owner.get(form.entry(1));
    assert_eq!(again.header("etag"), after.header("etag"));
}

#[test]
fn an_edit_of_scored_questions_warns_and_scores_again() {
    let owner = Server::shared().user();
    let form = exam(&owner, json!({}));
    bulk(&owner, &form, &[json!({"field_1": "a", "field_2": ["c", "d"], "field_3": "Ada Lovelace"})]);
    let fields = |primes: &[&str], author: bool| {
        let mut fields = vec![
            field("radio", json!({"api_code": "field_1", "choices": choices(&["a", "b"])})),
            field("checkbox", json!({"api_code": "field_2", "choices": choices(primes)})),
        ];
        if author {
            fields.push(field("short_text", json!({"api_code": "field_3"})));
        }
        json!({"fields": fields, "confirm_data_loss": true})
    };
    let edited = owner.patch(form.path(), fields(&["c", "e"], true));
    assert_eq!(edited.status, 200, "{edited}");
    let warnings = edited.json()["warnings"].clone();
    assert_eq!(
        warnings,
        json!([{
            "attribute": "fields.field_2.choices.d",
            "message": "is named by exam.questions.field_2.answer of the settings, for which nobody gets points now",
        }])
    );
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["exam_score"], 7, "{entry}");
    assert!(entry["rescored_at"].is_string());
    let edited = owner.patch(form.path(), fields(&["c", "e"], false));
    assert_eq!(edited.status, 200, "{edited}");
    assert_eq!(owner.get(form.entry(1)).data()["exam_score"], 2);
}

/// The score of the first question.
fn score(owner: &Caller, form: &Form) -> f64 {
    let settings = owner.get(form.part("settings")).data();
    settings["exam"]["questions"]["field_1"]["score"].as_f64().expect("a number")
}

#[test]
fn a_kill_while_scores_are_computed_leaves_none_behind() {
    let mut rng = rand::rng();
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = exam(&owner, json!({}));
    let values: Vec<Value> =
        (0..3000).map(|i| if i % 3 == 0 { json!({"field_1": "a"}) } else { json!({"field_1": "b"}) }).collect();
    for piece in values.chunks(1000) {
        bulk(&owner, &form, piece);
    }
    let token = owner.token.clone().expect("a token");
    for round in 3..3 + rounds("TEST_CRASH_ROUNDS", 4) {
        thread::scope(|scope| {
            let own = server.anon().with_token(&token);
            let path = form.part("settings");
            scope.spawn(move || {
                let question = json!({"scored": true, "score": round, "answer": "a"});
                let body = json!({"exam": {"questions": {"field_1": question}}}).to_string();
                // It may never be answered.
                let _ =
                    std::panic::catch_unwind(|| own.send("PATCH", &path, Some("application/json"), body.as_bytes()));
            });
            let own = server.anon().with_token(&token);
            // Every other time it is stored before the kill.
            if round % 2 == 0 {
                until("it is stored", || score(&own, &form) == f64::from(round));
            }
            thread::sleep(Duration::from_millis(rng.random_range(20..200)));
            server.kill();
        });
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        settled(dir.path());
        let own = server.anon().with_token(&token);
        let score = score(&own, &form);
        for i in [0, 1, 699, 1500, 2999] {
            let entry = own.get(form.entry(i + 1)).data();
            let expected = if i % 3 == 0 { score } else { 0.0 };
            assert_eq!(entry["exam_score"].as_f64(), Some(expected), "{entry}");
            let is_rescored = expected > 0.0 && score > 2.0;
            assert_eq!(entry["rescored_at"].is_string(), is_rescored, "{entry}");
        }
    }
}

#[test]
fn the_settings_of_an_exam_are_checked() {
    let owner = Server::shared().user();
    let body = json!({"name": "Exam", "scene": "exam", "fields": [
        field("radio", json!({"choices": choices(&["a", "b"])})),
        field("checkbox", json!({"choices": choices(&["c", "d"])})),
        field("attachment", json!({})),
    ]});
    let form = owner.form_with(body);
    let path = form.part("settings");
    for (exam, fault) in [
        (
            json!({"questions": {"field_1": {"score": -1, "answer": "a"}}}),
            "exam.questions.field_1.score: must be 0 to 1000000",
        ),
        (
            json!({"questions": {"field_1": {"score": 1e9, "answer": "a"}}}),
            "exam.questions.field_1.score: must be 0 to 1000000",
        ),
        (
            json!({"questions": {"field_1": {"score": 1, "answer": "z"}}}),
            "exam.questions.field_1.answer: is not one of the choices",
        ),
        (
            json!({"questions": {"field_2": {"score": 1, "answer": []}}}),
            "exam.questions.field_2.answer: can't be blank",
        ),
        (
            json!({"questions": {"field_3": {"scored": true}}}),
            "exam.questions.field_3.scored: is not possible for this type",
        ),
        (json!({"pass_score": -1}), "exam.pass_score: must be 0 to 1000000000"),
        (
            json!({"pass_score": 6, "questions": {"field_1": {"score": 5, "answer": "a"}}}),
            "exam.pass_score: must be 5 or less: the questions give no more points",
        ),
    ] {
        let refused = owner.patch(&path, json!({"exam": exam}));
        assert_eq!((refused.status, refused.faults()), (422, vec![fault.to_owned()]), "{exam}");
    }
    set(&owner, &form, json!({"exam": {"pass_score": 5, "questions": {"field_1": {"score": 5, "answer": "a"}}}}));
    // Questions that give less: the error names the settings that have to be lowered with them.
    let fewer = json!({"field_1": {"score": 2.5, "answer": "a"}});
    let refused = owner.patch(&path, json!({"exam": {"questions": fewer}}));
    assert_eq!(
        refused.faults(),
        ["exam.pass_score: is 5, and these questions give at most 2.5 points: lower pass_score in the same request"]
    );
    assert_eq!(owner.get(&path).data()["exam"]["questions"]["field_1"]["score"], 5.0);
    set(&owner, &form, json!({"exam": {"questions": fewer, "pass_score": 2}}));
    set(&owner, &form, json!({"exam": {"pass_score": null}}));
}

#[test]
fn right_answers_go_with_their_fields_to_other_types() {
    let owner = Server::shared().user();
    let kinds = |kinds: [&str; 4], precision: &str| {
        let [radio, drop, number, date] = kinds;
        json!([
            field(radio, json!({"api_code": "field_1", "choices": choices(&["a", "b"])})),
            field(drop, json!({"api_code": "field_2", "choices": choices(&["c", "d"])})),
            field(number, json!({"api_code": "field_3"})),
            field(date, json!({"api_code": "field_4", "precision": precision})),
        ])
    };
    let mut made = kinds(["radio", "dropdown", "number", "date"], "day");
    for field in made.as_array_mut().expect("fields") {
        field.as_object_mut().expect("a field").remove("api_code");
    }
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": made}));
    let questions = json!({
        "field_1": {"scored": true, "score": 1, "answer": "a"},
        "field_2": {"scored": true, "score": 10, "answer": {"value": "c"}},
        "field_3": {"scored": true, "score": 100, "answer": 2.5},
        "field_4": {"scored": true, "score": 1000, "answer": "1969-07-20"},
    });
    set(&owner, &form, json!({"exam": {"questions": questions}}));
    let right = json!({"field_1": "a", "field_2": "c", "field_3": 2.5, "field_4": "1969-07-20"});
    let wrong = json!({"field_1": "b", "field_2": "d", "field_3": 2, "field_4": "1969-08-20"});
    bulk(&owner, &form, &[right, wrong]);
    let edited =
        owner.patch(form.path(), json!({"fields": kinds(["checkbox", "radio", "short_text", "date"], "month")}));
    assert_eq!(edited.status, 200, "{edited}");
    for (serial, score) in [(1, 1111), (2, 0)] {
        let entry = owner.get(form.entry(serial)).data();
        assert_eq!(entry["exam_score"], score, "{entry}");
        assert_eq!(entry["rescored_at"], Value::Null, "{entry}");
    }
    let values = json!({"field_1": ["a"], "field_2": "c", "field_3": "2.5", "field_4": "1969-07"});
    let sent = owner.post(form.entries(), json!({"field_values": values}));
    assert_eq!(sent.data()["exam_score"], 1111, "{sent}");
    // Settings that were read may be written back.
    let exam = owner.get(form.part("settings")).data()["exam"].clone();
    assert_eq!(exam["questions"]["field_1"]["answer"], json!([{"value": "a"}]));
    set(&owner, &form, json!({"exam": exam}));
    assert_eq!(owner.get(form.part("settings")).data()["exam"], exam, "{exam}");
}

#[test]
fn a_hidden_question_has_no_points_to_be_had() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let mut fields = questions();
    fields[2]["hidden"] = json!(true);
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": fields}));
    set(&owner, &form, json!({"exam": {"questions": key(), "show_score": true}}));
    let done = anon.post_form(form.page(), &[("field_1", "a")]);
    let thanks = anon.get(done.header("location"));
    assert!(thanks.text.contains("You scored 2 of 5"), "{thanks}");
    let refused = owner.patch(form.part("settings"), json!({"exam": {"pass_score": 6}}));
    assert_eq!(refused.faults(), ["exam.pass_score: must be 5 or less: the questions give no more points"]);
    // Shown again, it counts, also where somebody of the form had filled it in.
    let own = json!({"field_values": {"field_1": "a", "field_3": "Ada Lovelace"}});
    assert_eq!(owner.post(form.entries(), own).data()["exam_score"], 2);
    let mut shown = owner.get(form.path()).data()["fields"].clone();
    shown[2]["hidden"] = json!(false);
    let edited = owner.patch(form.path(), json!({"fields": shown}));
    assert_eq!(edited.status, 200, "{edited}");
    let entry = owner.get(form.entry(2)).data();
    assert_eq!(entry["exam_score"], 7, "{entry}");
    assert!(entry["rescored_at"].is_string(), "{entry}");
}

#[test]
fn other_rules_give_other_scores_and_entries_say_so() {
    let owner = Server::shared().user();
    let form = exam(&owner, json!({}));
    let values = json!({"field_1": "b", "field_2": ["c", "d"], "field_3": "Ada Lovelace"});
    bulk(&owner, &form, &[values, json!({"field_2": ["c"]})]);
    let score = |serial| {
        let entry = owner.get(form.entry(serial)).data();
        (entry["exam_score"].clone(), entry["rescored_at"].is_string())
    };
    assert_eq!(score(1), (json!(8), false));
    let rules = json!({"rules": [{
        "action": "hide", "fields": ["field_3"],
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "b"}]},
    }]});
    for (rules, expected) in [(rules, json!(3)), (json!({"rules": []}), json!(8))] {
        let ruled = owner.put(form.part("field_rules"), rules);
        assert_eq!(ruled.status, 200, "{ruled}");
        assert_eq!(score(1), (expected, true));
        assert_eq!(score(2), (json!(1.5), false));
    }
}

#[test]
fn right_answers_that_wait_are_warned_of() {
    let owner = Server::shared().user();
    let form = exam(&owner, json!({"exam": {"show_answers": true}}));
    let allow = json!({"submission_options": {"allow_edit_after_submission": true}});
    let warned = owner.patch(form.part("settings"), allow);
    assert_eq!(
        warned.json()["warnings"],
        json!([{
            "attribute": "exam.show_answers",
            "message": "has no effect until the form closes, since respondents may edit their answers",
        }])
    );
}

#[test]
fn a_pass_score_says_who_passed() {
    let owner = Server::shared().user();
    let form = exam(&owner, json!({"exam": {"show_score": true}}));
    let asked = Asked { owner, form };
    table().into_iter().for_each(|(values, _)| asked.add(values));
    let Asked { owner, form } = &asked;
    let first = owner.get(form.entry(1));
    assert_eq!(first.data().get("exam_passed"), None, "no pass score");
    asked.refuses("exam_passed", "eq", json!(true), "field");
    for (pass_score, passed) in [(3.5, [1, 4].as_slice()), (1.5, &[1, 2, 4]), (0.0, &[1, 2, 3, 4, 5])] {
        set(owner, form, json!({"exam": {"pass_score": pass_score}}));
        let list = owner.get(format!("{}?sort=serial_number&fields=exam_passed", form.entries())).data();
        let told: Vec<Value> = list.as_array().expect("entries").iter().map(|it| it["exam_passed"].clone()).collect();
        assert_eq!(told, [1, 2, 3, 4, 5].map(|serial| json!(passed.contains(&serial))), "{pass_score}");
        let failed: Vec<i64> = (1..=5).filter(|serial| !passed.contains(serial)).collect();
        for (operator, value, found) in [
            ("eq", json!(true), passed),
            ("ne", json!(false), passed),
            ("eq", json!(false), &failed),
            ("ne", json!(true), &failed),
            ("null", Value::Null, &[]),
            ("not_null", Value::Null, &[1, 2, 3, 4, 5]),
        ] {
            asked.finds("exam_passed", operator, value, found);
        }
    }
    assert_ne!(owner.get(form.entry(1)).header("etag"), first.header("etag"));
    asked.refuses("exam_passed", "eq", json!("true"), "value");
    asked.refuses("exam_passed", "gt", json!(true), "operator");
    set(owner, form, json!({"exam": {"pass_score": 3.5}}));
    let exported = owner.get(format!("{}/export?headers=api_codes&fields=exam_passed", form.entries()));
    let cells: Vec<String> = csv(&exported).iter().map(|row| row[4].clone()).collect();
    assert_eq!(cells, ["exam_passed", "Yes", "No", "No", "Yes", "No"]);
    // The receipt says it to respondents.
    let sent = Server::shared().anon().post(form.submissions(), json!({"field_values": {}}));
    assert_eq!(sent.data().get("exam_passed"), None, "{sent}");
    // Where nothing is scored, nobody passed or failed.
    let unscored = json!({"scored": false});
    let questions = json!({"field_1": unscored, "field_2": unscored, "field_3": unscored});
    set(owner, form, json!({"exam": {"pass_score": null, "questions": questions}}));
    set(owner, form, json!({"exam": {"pass_score": 1}}));
    until("nothing is scored", || owner.get(form.entry(1)).data()["exam_score"].is_null());
    assert_eq!(owner.get(form.entry(1)).data()["exam_passed"], Value::Null);
    asked.finds("exam_passed", "null", Value::Null, &[1, 2, 3, 4, 5, 6]);
}

#[test]
fn results_are_exported_and_not_imported() {
    let owner = Server::shared().user();
    let form = exam(&owner, json!({}));
    bulk(&owner, &form, &[json!({"field_1": "a", "field_2": ["c"], "field_4": "Ann"})]);
    let exported = |query: &str| owner.get(format!("{}/export?{query}", form.entries())).text;
    let csv = exported("format=csv&headers=api_codes&fields=exam_score,is_late,rescored_at,field_4");
    let mut lines = csv.trim_start_matches('\u{feff}').lines();
    let head = lines.next().expect("a header").replace('"', "");
    assert!(head.ends_with("exam_score,is_late,rescored_at,field_4"), "{csv}");
    assert!(lines.next().expect("a row").replace('"', "").ends_with(",3.5,No,,Ann"), "{csv}");
    let labelled = exported("format=csv&headers=labels");
    assert!(labelled.contains(r#""Score","Late","Score changed at""#), "{labelled}");
    let chosen = exported("format=csv&headers=api_codes&fields=field_4");
    assert!(!chosen.contains("exam_score"), "{chosen}");
    let kept: Value = serde_json::from_str(&exported("format=json")).expect("JSON");
    assert_eq!(kept[0]["exam_score"], 3.5);
    let file = "exam_score,is_late,field_1\r\n99,Yes,b\r\n";
    let path = format!("{}/import", form.entries());
    let imported = owner.send("POST", &path, Some("text/csv"), file.as_bytes());
    assert_eq!(imported.status, 201, "{imported}");
    let entry = owner.get(form.entry(2)).data();
    assert_eq!((&entry["exam_score"], &entry["is_late"]), (&json!(0), &json!(false)));
}
