//! Formulas are computed again wherever their inputs change, be it an entry, the form or its rules: as soon as the
//! change is answered, wherever entries are read.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::steps::{add, again, bulk, newest, serials};
use support::store::{count, settled};
use support::world::World;
use support::{Caller, Form, Response, Server, field, raw, rounds, until};

use crate::forms::{
    FLAGS, alone, entry, formula, has, is_healthy, next_serial, numbered, replace, rules, run_jobs, set_rules, when,
};

fn number() -> Value {
    field("number", json!({}))
}

/// The answer to a change, which comes when the formulas were computed again.
#[track_caller]
fn computed(answer: Response) -> Response {
    assert!([200, 201].contains(&answer.status), "{answer}");
    assert!(!answer.text.contains("are still being recomputed"), "{answer}");
    answer
}

#[test]
fn changes_at_once_wait_for_their_turn() {
    let (server, owner, _) = alone("nobody else changes forms there", json!([number()]));
    let forms: Vec<Form> = (0..5)
        .map(|_| {
            let form = owner.form(json!([number(), formula("field_1 + 1", "number")]));
            for _ in 0..3 {
                bulk(&owner, &form, &(0..1000).map(|n| json!({ "field_1": n })).collect::<Vec<_>>());
            }
            form
        })
        .collect();
    support::at_once(forms.len(), |n| {
        let form = &forms[n];
        edit(&owner, form, [number(), formula("field_1 * 2", "number")]);
        assert_eq!(entry(&owner, form, 3000)["field_2"], 1998, "{n}");
    });
    is_healthy(&server);
}

/// Changes the fields, which takes nothing away.
fn edit<const N: usize>(owner: &Caller, form: &Form, fields: [Value; N]) {
    computed(replace(owner, form, numbered(fields)));
}

/// The serial numbers of the entries that match.
fn matching(owner: &Caller, form: &Form, field: &str, operator: &str, value: impl Into<Value>) -> Vec<i64> {
    let body = json!({"filters": [when(field, operator, value)], "page_size": 100, "sort": "serial_number"});
    serials(&owner.post(form.query(), body).is(200).json())
}

#[test]
fn everything_that_reads_entries_shows_the_new_formula() {
    let text = || formula("CONCAT(\"is \", field_2)", "text");
    let World { owner, form, .. } = World::with(json!([number(), formula("field_1 + 1", "number"), text()])).entries([
        json!({"field_1": 1}),
        json!({"field_1": 2}),
        json!({}),
        json!({"field_1": 9}),
    ]);
    owner.delete(form.entry(4)).is(200);
    let before = owner.get(form.entry(2));
    let mut fields = numbered([number(), formula("field_1 * 100", "number"), text()]);
    fields.as_array_mut().expect("a list").push(formula("field_2 / 8", "number"));
    computed(replace(&owner, &form, fields));
    let shown = owner.get(form.entry(2));
    let updated = before.data()["updated_at"].clone();
    has(&shown.data(), json!({"field_2": 200, "field_3": "is 200", "field_4": 25, "updated_at": updated}));
    assert_ne!(shown.header("etag"), before.header("etag"));
    has(&entry(&owner, &form, 3), json!({"field_2": null, "field_3": "is "}));
    let listed = owner.get(form.entries()).data();
    assert_eq!([0, 1, 2].map(|i| listed[i]["field_2"].clone()), [json!(null), json!(200), json!(100)], "{listed}");
    assert_eq!(matching(&owner, &form, "field_2", "gte", 100), [1, 2]);
    assert_eq!(matching(&owner, &form, "field_2", "lt", 100), [0; 0]);
    assert_eq!(matching(&owner, &form, "field_3", "eq", "is 100"), [1]);
    assert_eq!(matching(&owner, &form, "field_4", "eq", 25), [2]);
    let report = owner.get(form.part("entries/report")).data();
    assert_eq!((&report["fields"][1]["sum"], &report["fields"][3]["max"]), (&json!(300), &json!(25)), "{report}");
    let csv = owner.get(format!("{}/export?format=csv", form.entries())).text;
    assert!(csv.contains("\"is 200\"") && !csv.contains("\"is 3\""), "{csv}");
    // An entry from the trash shows it when it is restored.
    let restored = owner.post(format!("{}/restore", form.trashed(4)), json!({}));
    assert_eq!(restored.data()["field_2"], 900, "{restored}");
}

#[test]
fn result_precision_and_labels_count_too() {
    let tea = |label: &str| field("radio", json!({"choices": [{"api_code": "a", "label": label, "score": 3}]}));
    let exclaimed = "CONCAT(field_3, \"!\")";
    let World { owner, form, .. } =
        World::with(json!([number(), formula("field_1 / 3", "number"), tea("Tea"), formula(exclaimed, "text")]))
            .entries([json!({"field_1": 1, "field_3": "a"})]);
    let thirds = |precision: i64| {
        let mut field = formula("field_1 / 3", "number");
        field["precision"] = json!(precision);
        field
    };
    for (second, label, text, shown) in [
        (thirds(2), "Green tea", exclaimed, json!({"field_2": 0.33, "field_4": "Green tea!"})),
        (thirds(4), "Green tea", "CONCAT(SCORE(field_3), \"\")", json!({"field_2": 0.3333, "field_4": "3"})),
        (
            formula("CONCAT(\"n\", field_1)", "text"),
            "Tea",
            "CONCAT(field_3, field_2)",
            json!({"field_2": "n1", "field_4": "Tean1"}),
        ),
    ] {
        edit(&owner, &form, [number(), second, tea(label), formula(text, "text")]);
        has(&entry(&owner, &form, 1), shown);
    }
    assert_eq!(matching(&owner, &form, "field_2", "like", "N1"), [1]);
}

/// A form of formulas over a choice and a number, and an entry.
struct Case {
    owner: Caller,
    form: Form,
    /// The entry as its respondent got it.
    sent: Value,
}

fn tea(score: i64, label: &str) -> Value {
    json!([{"api_code": "tea", "label": label, "score": score}, {"api_code": "milk", "label": "Milk", "score": 1}])
}

fn operands(choices: &Value) -> [Value; 5] {
    [
        field("radio", json!({ "choices": choices })),
        number(),
        formula("field_2 * 2", "number"),
        formula("CONCAT(field_1, \"!\")", "text"),
        formula("SCORE(field_1) + field_3", "number"),
    ]
}

impl Case {
    fn new() -> Self {
        let World { owner, anon, form, .. } = World::with(json!(operands(&tea(3, "Tea"))))
            .settings(json!({"submission_options": {"allow_edit_after_submission": true}}));
        let values = json!({"field_values": {"field_1": "tea", "field_2": 5}});
        let sent = anon.post(form.submissions(), values).is(201).data();
        Self { owner, form, sent }
    }

    /// Takes a step, such as `score 7 Tea`.
    fn take(&self, step: &str) {
        let Self { owner, form, sent } = self;
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let values = || json!({"field_values": serde_json::from_str::<Value>(rest).expect("values")});
        let text = |of: &Value| of.as_str().expect("a text").to_owned();
        let done = match verb {
            "edit" => owner.patch(form.entry(1), values()),
            "respond" => {
                let own = Server::shared().anon().header("x-edit-token", &text(&sent["edit_token"]));
                own.patch(format!("{}/{}", form.submissions(), text(&sent["entry"]["token"])), values())
            }
            "bulk" => owner.post(form.part("entries/bulk"), json!({"entries": [values()]})),
            "import" => owner.send("POST", &form.part("entries/import"), Some("text/csv"), rest.as_bytes()),
            "delete" => owner.delete(form.entry(1)),
            "restore" => owner.post(format!("{}/restore", form.trashed(1)), json!({})),
            "score" => {
                let (score, label) = rest.split_once(' ').expect("a score and a label");
                replace(owner, form, numbered(operands(&tea(score.parse().expect("a number"), label))))
            }
            "remove" => {
                let left = numbered(operands(&json!([tea(3, "Tea")[1]])));
                owner.patch(form.path(), json!({"fields": left, "confirm_data_loss": true}))
            }
            "rules" => owner
                .put(form.part("field_rules"), rules(if rest.is_empty() { &[] } else { std::slice::from_ref(&rest) })),
            _ => panic!("{step}"),
        };
        let done = computed(done);
        assert!(verb != "respond" || done.data()["field_4"] == "Milk!", "{step}: {done}");
    }

    /// The formulas of the newest entry, wherever it is read.
    fn shown(&self) -> Value {
        let entry = newest(&self.owner, &self.form);
        let codes = ["field_3", "field_4", "field_5"];
        let serial = entry["serial_number"].as_i64().expect("a number");
        for code in codes {
            let operator = if entry[code].is_null() { "null" } else { "eq" };
            let found = matching(&self.owner, &self.form, code, operator, entry[code].clone());
            assert!(found.contains(&serial), "{code}: {entry}");
        }
        json!(codes.map(|code| entry[code].clone()))
    }
}

#[test]
fn formulas_follow_their_operands_whatever_changes_them() {
    for (steps, shown) in [
        (r#"edit {"field_2": 6}"#, json!([12, "Tea!", 15])),
        (r#"edit {"field_1": null}"#, json!([10, "!", null])),
        (r#"respond {"field_1": "milk"}"#, json!([10, "Milk!", 11])),
        (r#"bulk {"field_2": 1}"#, json!([2, "!", null])),
        ("import field_1,field_2,field_3\nmilk,8,99\n", json!([16, "Milk!", 17])),
        ("delete; score 7 Tea; restore", json!([10, "Tea!", 17])),
        ("score 4 Green tea", json!([10, "Green tea!", 14])),
        ("remove tea", json!([10, "!", null])),
        ("rules hide 2: 1 eq tea", json!([null, "Tea!", null])),
        ("rules hide 2: 1 eq tea; rules", json!([10, "Tea!", 13])),
        (r#"rules hide 2: 1 eq milk; edit {"field_1": "milk"}"#, json!([null, "Milk!", null])),
        ("rules show 3: 1 eq tea; remove tea", json!([null, "!", null])),
    ] {
        let case = Case::new();
        assert_eq!(case.shown(), json!([10, "Tea!", 13]), "before {steps}");
        steps.split("; ").for_each(|step| case.take(step));
        assert_eq!(case.shown(), shown, "{steps}");
    }
}

#[test]
fn rule_that_goes_with_its_field_hides_no_formula() {
    let World { owner, form, .. } = World::with(json!([number(), number(), formula("field_2 + 1", "number")]));
    set_rules(&owner, &form, &["hide 3: 1 eq 1"]);
    add(&owner, &form, json!({"field_1": 1, "field_2": 4}));
    assert_eq!(entry(&owner, &form, 1)["field_3"], json!(null));
    let fields = &form.body["fields"];
    computed(owner.patch(form.path(), json!({"fields": [fields[1], fields[2]], "confirm_data_loss": true})));
    assert_eq!(entry(&owner, &form, 1)["field_3"], 5);
    assert_eq!(matching(&owner, &form, "field_3", "eq", 5), [1]);
}

#[test]
fn language_of_a_text_is_that_of_the_form() {
    let fields = json!([field("address", json!({})), formula("CONCAT(\"to \", field_1)", "text")]);
    let World { owner, form, .. } = World::of(json!({"name": "x", "locale": "en", "fields": fields}))
        .entries([json!({"field_1": {"city": "Bern", "country": "CH"}})]);
    let is_in = |country: &str| {
        let text = entry(&owner, &form, 1)["field_2"].clone();
        assert!(text.as_str().is_some_and(|text| text.contains(country)), "{country}: {text}");
        assert_eq!(matching(&owner, &form, "field_2", "eq", text.clone()), [1], "{text}");
    };
    is_in("Switzerland");
    computed(owner.patch(form.path(), json!({"locale": "zh-CN"})));
    is_in("瑞士");
    computed(owner.patch(form.part("settings"), json!({"locale": "en"})));
    is_in("Switzerland");
}

#[test]
fn filters_over_many_entries_are_right_at_once() {
    let fields = json!([number(), formula("field_1 + 1", "number")]);
    let (server, owner, form) = alone("its jobs run now", fields);
    next_serial(&server, &form, 3800);
    bulk(&owner, &form, &(0..900).map(|i| json!({"field_1": i})).collect::<Vec<_>>());
    let seal = || run_jobs(&server, &["sealing", "resealing"]);
    // The service may be building the same block, and then does it alone.
    until("the block has segments", || {
        seal();
        count(&server.dir, "SELECT count(*) FROM segments") > 0
    });
    assert_eq!(matching(&owner, &form, "field_2", "eq", 11), [3810]);
    assert_eq!(matching(&owner, &form, "field_2", "eq", 801), [4600]);
    for factor in [2, 3] {
        edit(&owner, &form, [number(), formula(&format!("field_1 * {factor}"), "number")]);
        assert_eq!(entry(&owner, &form, 3810)["field_2"], 10 * factor);
        for is_sealed_again in [false, true] {
            for (operator, value, serial) in [("eq", 10, 3810), ("eq", 800, 4600), ("gt", 898, 4699)] {
                let found = matching(&owner, &form, "field_2", operator, value * factor);
                assert_eq!(found, [serial], "{operator} {value} times {factor}, sealed again: {is_sealed_again}");
            }
            seal();
        }
    }
    is_healthy(&server);
}

/// The formula of the second field, which it computes of the first.
fn expression(owner: &Caller, form: &Form) -> String {
    let shown = owner.get(form.path()).data();
    shown["fields"][1]["expression"].as_str().expect("a text").to_owned()
}

#[test]
fn kill_while_formulas_are_computed_leaves_none_behind() {
    let mut rng = rand::rng();
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &FLAGS);
    let mut owner = server.user();
    let form = owner.form(json!([number(), formula("field_1 + 1", "number")]));
    bulk(&owner, &form, &(0..3000).map(|i| json!({"field_1": i})).collect::<Vec<_>>());
    for round in 2..2 + rounds("TEST_CRASH_ROUNDS", 4) {
        thread::scope(|scope| {
            // It may never be answered.
            let fields = numbered([number(), formula(&format!("field_1 * {round}"), "number")]);
            let (owner, form) = (&owner, &form);
            scope.spawn(move || {
                std::panic::catch_unwind(|| replace(owner, form, fields)).ok().map(|it: Response| it.status)
            });
            // Every other time it is stored before the kill.
            if round % 2 == 0 {
                until("it is stored", || expression(owner, form) == format!("field_1 * {round}"));
            }
            thread::sleep(Duration::from_millis(rng.random_range(20..200)));
            server.kill();
        });
        server = Server::over(dir.path(), &FLAGS);
        settled(dir.path());
        owner = again(&owner, &server);
        let expression = expression(&owner, &form);
        let factor: Option<i64> = expression.strip_prefix("field_1 * ").map(|n| n.parse().expect("a number"));
        for i in [0, 1, 700, 1500, 2999] {
            let value = factor.map_or(i + 1, |factor| i * factor);
            assert_eq!(entry(&owner, &form, i + 1)["field_2"], value, "{expression}");
            assert_eq!(matching(&owner, &form, "field_2", "eq", value), [i + 1], "{expression}");
        }
    }
}

#[test]
fn many_changes_at_once_hold_up_nobody() {
    let fields = json!([number(), formula("field_1", "number")]);
    let (server, owner, form) = alone("all its time goes into one form", fields);
    let (other, anon) = (owner.form(json!([number()])), server.anon());
    bulk(&owner, &form, &vec![json!({"field_1": 1}); 3000]);
    // The clients close their connections at once.
    let token = owner.token.as_deref().expect("a token");
    for n in 0..150 {
        let fields = numbered([number(), formula(&format!("field_1 + {n}"), "number")]);
        let body = json!({ "fields": fields }).to_string();
        let head = format!(
            "PATCH {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            form.path(),
            body.len()
        );
        raw::connect(&server.base).write_all((head + &body).as_bytes()).expect("sent");
    }
    anon.post(other.submissions(), json!({"field_values": {"field_1": 1}})).is(201);
    anon.get("/healthz").is(200);
    // They don't do the same work side by side.
    until("the last change counts", || {
        let expression = expression(&owner, &form);
        let added: i64 = expression.strip_prefix("field_1 + ").unwrap_or("0").parse().expect("a number");
        [1, 3000].iter().all(|serial| entry(&owner, &form, *serial)["field_2"] == json!(1 + added))
    });
}
