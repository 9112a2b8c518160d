//! Formulas are computed again wherever what they read changes, be it an entry, the form or its rules: as soon as the
//! change is answered, wherever entries are read.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::steps::{bulk, set};
use support::store::{count, database, settled};
use support::{Caller, Form, Server, field, formsvc, raw, rounds, text, until};

use crate::forms::rules::{rule, when};

fn formula(api_code: Option<&str>, expression: &str, result: &str) -> Value {
    let own = json!({"api_code": api_code, "expression": expression, "result_type": result});
    field("formula", own)
}

fn number(api_code: Option<&str>) -> Value {
    field("number", json!({"api_code": api_code}))
}

/// Changes the fields, which takes nothing away.
fn edit(owner: &Caller, form: &Form, fields: Value) {
    let edited = owner.patch(form.path(), json!({ "fields": fields }));
    assert_eq!(edited.status, 200, "{edited}");
}

fn matching(owner: &Caller, form: &Form, field: &str, operator: &str, value: Value) -> Vec<i64> {
    let body = json!({"filters": [{"field": field, "operator": operator, "value": value}], "page_size": 100, "sort": "serial_number"});
    let listed = owner.post(form.query(), body);
    assert_eq!(listed.status, 200, "{listed}");
    let listed = listed.data();
    let serials = listed.as_array().expect("a list").iter();
    let mut serials: Vec<i64> = serials.map(|entry| entry["serial_number"].as_i64().expect("a number")).collect();
    serials.sort_unstable();
    serials
}

fn entry(owner: &Caller, form: &Form, serial: i64) -> Value {
    owner.get(form.entry(serial)).data()
}

#[test]
fn everything_that_reads_entries_shows_the_new_formula() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        number(None),
        formula(None, "field_1 + 1", "number"),
        formula(None, "CONCAT(\"is \", field_2)", "text"),
    ]));
    bulk(&owner, &form, &[json!({"field_1": 1}), json!({"field_1": 2}), json!({}), json!({"field_1": 9})]);
    assert_eq!(owner.delete(form.entry(4)).status, 200);
    let before = owner.get(form.entry(2));
    edit(
        &owner,
        &form,
        json!([
            number(Some("field_1")),
            formula(Some("field_2"), "field_1 * 100", "number"),
            formula(Some("field_3"), "CONCAT(\"is \", field_2)", "text"),
            formula(None, "field_2 / 8", "number"),
        ]),
    );
    let shown = owner.get(form.entry(2));
    assert_eq!(shown.data()["field_2"], 200);
    assert_eq!(shown.data()["field_3"], "is 200");
    assert_eq!(shown.data()["field_4"], 25);
    assert_eq!(shown.data()["updated_at"], before.data()["updated_at"]);
    assert_ne!(shown.header("etag"), before.header("etag"));
    assert_eq!(entry(&owner, &form, 3)["field_2"], json!(null));
    assert_eq!(entry(&owner, &form, 3)["field_3"], "is ");
    let listed = owner.get(form.entries()).data();
    let mut values: Vec<i64> =
        listed.as_array().expect("a list").iter().filter_map(|it| it["field_2"].as_i64()).collect();
    values.sort_unstable();
    assert_eq!(values, [100, 200]);
    assert_eq!(matching(&owner, &form, "field_2", "gte", json!(100)), [1, 2]);
    assert_eq!(matching(&owner, &form, "field_2", "lt", json!(100)), Vec::<i64>::new());
    assert_eq!(matching(&owner, &form, "field_3", "eq", json!("is 100")), [1]);
    assert_eq!(matching(&owner, &form, "field_4", "eq", json!(25)), [2]);
    let report = owner.get(format!("{}/entries/report", form.path())).data();
    assert_eq!(report["fields"][1]["sum"], 300, "{report}");
    assert_eq!(report["fields"][3]["max"], 25, "{report}");
    let csv = owner.get(format!("{}/export?format=csv", form.entries())).text;
    assert!(csv.contains("\"is 200\"") && !csv.contains("\"is 3\""), "{csv}");
    // What lay in the trash shows it when it comes back.
    let restored = owner.post(format!("{}/restore", form.trashed(4)), json!({}));
    assert_eq!(restored.data()["field_2"], 900, "{restored}");
}

#[test]
fn result_precision_and_labels_count_too() {
    let owner = Server::shared().user();
    let choices = |label: &str| json!([{"api_code": "a", "label": label, "score": 3}]);
    let form = owner.form(json!([
        number(None),
        formula(None, "field_1 / 3", "number"),
        field("radio", json!({"choices": choices("Tea")})),
        formula(None, "CONCAT(field_3, \"!\")", "text"),
    ]));
    bulk(&owner, &form, &[json!({"field_1": 1, "field_3": "a"})]);
    let fields = |thirds: Value, label: &str, text: &str| {
        json!([
            number(Some("field_1")),
            thirds,
            field("radio", json!({"api_code": "field_3", "choices": choices(label)})),
            formula(Some("field_4"), text, "text"),
        ])
    };
    let mut thirds = formula(Some("field_2"), "field_1 / 3", "number");
    thirds["precision"] = json!(2);
    edit(&owner, &form, fields(thirds.clone(), "Green tea", "CONCAT(field_3, \"!\")"));
    let shown = entry(&owner, &form, 1);
    assert_eq!((&shown["field_2"], &shown["field_4"]), (&json!(0.33), &json!("Green tea!")));
    thirds["precision"] = json!(4);
    edit(&owner, &form, fields(thirds, "Green tea", "CONCAT(SCORE(field_3), \"\")"));
    let shown = entry(&owner, &form, 1);
    assert_eq!((&shown["field_2"], &shown["field_4"]), (&json!(0.3333), &json!("3")));
    let words = formula(Some("field_2"), "CONCAT(\"n\", field_1)", "text");
    edit(&owner, &form, fields(words, "Tea", "CONCAT(field_3, field_2)"));
    let shown = entry(&owner, &form, 1);
    assert_eq!((&shown["field_2"], &shown["field_4"]), (&json!("n1"), &json!("Tean1")));
    assert_eq!(matching(&owner, &form, "field_2", "like", json!("N1")), [1]);
}

/// One change of an operand, and what the formulas show then.
struct Way {
    name: &'static str,
    change: fn(&Case),
    shown: [Value; 3],
}

/// A form whose formulas read a number, a choice's label and its score, with one entry; a rule hides the number.
struct Case {
    owner: Caller,
    form: Form,
    /// What the respondent of the entry got.
    sent: Value,
}

fn tea(score: i64, label: &str) -> Value {
    json!([
        {"api_code": "tea", "label": label, "score": score},
        {"api_code": "milk", "label": "Milk", "score": 1},
    ])
}

fn operands(choices: &Value) -> Value {
    json!([
        field("radio", json!({"api_code": "field_1", "choices": choices})),
        field("number", json!({"api_code": "field_2"})),
        formula(Some("field_3"), "field_2 * 2", "number"),
        formula(Some("field_4"), "CONCAT(field_1, \"!\")", "text"),
        formula(Some("field_5"), "SCORE(field_1) + field_3", "number"),
    ])
}

impl Case {
    fn new() -> Self {
        let owner = Server::shared().user();
        let mut fields = operands(&tea(3, "Tea"));
        for field in fields.as_array_mut().expect("a list") {
            field.as_object_mut().expect("a field").remove("api_code");
        }
        let form = owner.form(fields);
        let options = json!({"submission_options": {"allow_edit_after_submission": true}});
        set(&owner, &form, options);
        let values = json!({"field_values": {"field_1": "tea", "field_2": 5}});
        let sent = Server::shared().anon().post(form.submissions(), values);
        assert_eq!(sent.status, 201, "{sent}");
        let sent = sent.data();
        Self { owner, form, sent }
    }

    fn edit(&self, choices: &Value) {
        edit(&self.owner, &self.form, operands(choices));
    }

    fn rules(&self, rules: Value) {
        let path = format!("{}/field_rules", self.form.path());
        let done = self.owner.put(path, json!({ "rules": rules }));
        assert_eq!(done.status, 200, "{done}");
    }

    fn patch(&self, values: Value) {
        let done = self.owner.patch(self.form.entry(1), json!({ "field_values": values }));
        assert_eq!(done.status, 200, "{done}");
    }

    fn hides_number_with(&self, choice: &str) {
        let condition = json!([when("field_1", "eq", json!(choice))]);
        self.rules(json!([rule("hide", "and", condition, json!(["field_2"]))]));
    }

    /// The formulas of the newest entry, wherever it is read.
    fn shown(&self) -> [Value; 3] {
        let (owner, form) = (&self.owner, &self.form);
        let entry = owner.get(form.entries()).data()[0].clone();
        let codes = ["field_3", "field_4", "field_5"];
        let shown = codes.map(|code| entry[code].clone());
        let serial = entry["serial_number"].as_i64().expect("a number");
        for (code, value) in codes.into_iter().zip(&shown) {
            let (operator, value) = match value {
                Value::Null => ("null", json!(null)),
                value => ("eq", value.clone()),
            };
            let found = matching(owner, form, code, operator, value);
            assert!(found.contains(&serial), "{code}: {entry}");
        }
        shown
    }
}

#[test]
fn formulas_follow_their_operands_whatever_changes_them() {
    for Way { name, change, shown } in [
        Way {
            name: "an edit",
            change: |case| case.patch(json!({"field_2": 6})),
            shown: [json!(12), json!("Tea!"), json!(15)],
        },
        Way {
            name: "an edit that clears an operand",
            change: |case| case.patch(json!({"field_1": null})),
            shown: [json!(10), json!("!"), json!(null)],
        },
        Way {
            name: "its respondent",
            change: |case| {
                let token = case.sent["entry"]["token"].as_str().expect("a token");
                let right = case.sent["edit_token"].as_str().expect("a right");
                let path = format!("/api/v1/f/{}/entries/{token}", case.form.token);
                let own = Server::shared().anon().header("x-edit-token", right);
                let done = own.patch(path, json!({"field_values": {"field_1": "milk"}}));
                assert_eq!(done.data()["field_4"], "Milk!", "{done}");
            },
            shown: [json!(10), json!("Milk!"), json!(11)],
        },
        Way {
            name: "a bulk request",
            change: |case| bulk(&case.owner, &case.form, &[json!({"field_2": 1})]),
            shown: [json!(2), json!("!"), json!(null)],
        },
        Way {
            name: "an import",
            change: |case| {
                let path = format!("{}/entries/import", case.form.path());
                let file = "field_1,field_2,field_3\nmilk,8,99\n";
                let done = case.owner.send("POST", &path, Some("text/csv"), file.as_bytes());
                assert_eq!(done.status, 201, "{done}");
            },
            shown: [json!(16), json!("Milk!"), json!(17)],
        },
        Way {
            name: "a change of scores while it lies in the trash",
            change: |case| {
                assert_eq!(case.owner.delete(case.form.entry(1)).status, 200);
                case.edit(&tea(7, "Tea"));
                let path = format!("{}/restore", case.form.trashed(1));
                assert_eq!(case.owner.post(path, json!({})).status, 200);
            },
            shown: [json!(10), json!("Tea!"), json!(17)],
        },
        Way {
            name: "another score and label",
            change: |case| case.edit(&tea(4, "Green tea")),
            shown: [json!(10), json!("Green tea!"), json!(14)],
        },
        Way {
            name: "a choice that is removed",
            change: |case| {
                let fields = operands(&json!([tea(3, "Tea")[1]]));
                let body = json!({"fields": fields, "confirm_data_loss": true});
                let done = case.owner.patch(case.form.path(), body);
                assert_eq!(done.status, 200, "{done}");
            },
            shown: [json!(10), json!("!"), json!(null)],
        },
        Way {
            name: "rules that hide an operand",
            change: |case| case.hides_number_with("tea"),
            shown: [json!(null), json!("Tea!"), json!(null)],
        },
        Way {
            name: "rules that hide it no more",
            change: |case| {
                case.hides_number_with("tea");
                case.rules(json!([]));
            },
            shown: [json!(10), json!("Tea!"), json!(13)],
        },
        Way {
            name: "an edit on which rules hide an operand",
            change: |case| {
                case.hides_number_with("milk");
                case.patch(json!({"field_1": "milk"}));
            },
            shown: [json!(null), json!("Milk!"), json!(null)],
        },
        Way {
            name: "rules whose choice is removed",
            change: |case| {
                let condition = json!([when("field_1", "eq", json!("tea"))]);
                case.rules(json!([rule("show", "and", condition, json!(["field_3"]))]));
                let fields = operands(&json!([tea(3, "Tea")[1]]));
                let body = json!({"fields": fields, "confirm_data_loss": true});
                let done = case.owner.patch(case.form.path(), body);
                assert_eq!(done.status, 200, "{done}");
            },
            shown: [json!(null), json!("!"), json!(null)],
        },
    ] {
        let case = Case::new();
        let before = [json!(10), json!("Tea!"), json!(13)];
        assert_eq!(case.shown(), before, "before {name}");
        change(&case);
        assert_eq!(case.shown(), shown, "{name}");
    }
}

#[test]
fn a_rule_that_goes_with_its_field_hides_no_formula() {
    let owner = Server::shared().user();
    let form = owner.form(json!([number(None), number(None), formula(None, "field_2 + 1", "number"),]));
    let condition = json!([when("field_1", "eq", json!(1))]);
    let rules = json!({"rules": [rule("hide", "and", condition, json!(["field_3"]))]});
    let done = owner.put(format!("{}/field_rules", form.path()), rules);
    assert_eq!(done.status, 200, "{done}");
    bulk(&owner, &form, &[json!({"field_1": 1, "field_2": 4})]);
    assert_eq!(entry(&owner, &form, 1)["field_3"], json!(null));
    let left = json!([number(Some("field_2")), formula(Some("field_3"), "field_2 + 1", "number"),]);
    let body = json!({"fields": left, "confirm_data_loss": true});
    let edited = owner.patch(form.path(), body);
    assert_eq!(edited.status, 200, "{edited}");
    assert_eq!(entry(&owner, &form, 1)["field_3"], 5);
    assert_eq!(matching(&owner, &form, "field_3", "eq", json!(5)), [1]);
}

#[test]
fn a_texts_language_is_that_of_the_form() {
    let owner = Server::shared().user();
    let form = owner.form_with(json!({"name": "x", "locale": "en", "fields": [
        field("address", json!({})),
        formula(None, "CONCAT(\"to \", field_1)", "text"),
    ]}));
    let place = json!({"city": "Bern", "country": "CH"});
    bulk(&owner, &form, &[json!({ "field_1": place })]);
    let shown = || {
        let text = entry(&owner, &form, 1)["field_2"].clone();
        let found = matching(&owner, &form, "field_2", "eq", text.clone());
        assert_eq!(found, [1], "{text}");
        text.as_str().expect("a text").to_owned()
    };
    assert!(shown().contains("Switzerland"), "{}", shown());
    let changed = owner.patch(form.path(), json!({"locale": "zh-CN"}));
    assert_eq!(changed.status, 200, "{changed}");
    assert!(shown().contains("瑞士"), "{}", shown());
    set(&owner, &form, json!({"locale": "en"}));
    assert!(shown().contains("Switzerland"), "{}", shown());
}

#[test]
fn filters_over_many_entries_are_right_at_once() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(json!([number(None), formula(None, "field_1 + 1", "number")]));
    // As if those before were gone for good, so that one block is full soon.
    let near = "UPDATE form_counters SET next_serial = 3800 WHERE next_serial = 1";
    assert_eq!(database(&server.dir).execute(near, []).expect("SQL"), 1);
    let values: Vec<Value> = (0..900).map(|i| json!({"field_1": i})).collect();
    bulk(&owner, &form, &values);
    let seal = || {
        for job in ["sealing", "resealing"] {
            let done = formsvc(&server.dir, &["jobs", "run-once", job], "");
            assert!(done.status.success(), "{}", text(&done.stderr));
        }
    };
    seal();
    assert!(count(&server.dir, "SELECT count(*) FROM segments") > 0);
    assert_eq!(matching(&owner, &form, "field_2", "eq", json!(11)), [3810]);
    assert_eq!(matching(&owner, &form, "field_2", "eq", json!(801)), [4600]);
    for factor in [2, 3] {
        let doubled = formula(Some("field_2"), &format!("field_1 * {factor}"), "number");
        edit(&owner, &form, json!([number(Some("field_1")), doubled]));
        assert_eq!(entry(&owner, &form, 3810)["field_2"], 10 * factor);
        for sealed_again in [false, true] {
            assert_eq!(matching(&owner, &form, "field_2", "eq", json!(10 * factor)), [3810]);
            assert_eq!(matching(&owner, &form, "field_2", "eq", json!(800 * factor)), [4600]);
            let above = matching(&owner, &form, "field_2", "gt", json!(898 * factor));
            assert_eq!(above, [4699], "sealed again: {sealed_again}");
            seal();
        }
    }
    let doctor = server.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor.stdout));
}

#[test]
fn a_kill_while_formulas_are_computed_leaves_none_behind() {
    let mut rng = rand::rng();
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(json!([number(None), formula(None, "field_1 + 1", "number")]));
    let values: Vec<Value> = (0..3000).map(|i| json!({"field_1": i})).collect();
    bulk(&owner, &form, &values);
    for round in 2..2 + rounds("TEST_CRASH_ROUNDS", 4) {
        thread::scope(|scope| {
            let own = server.anon().with_token(owner.token.as_deref().expect("a token"));
            let path = form.path();
            scope.spawn(move || {
                let times = formula(Some("field_2"), &format!("field_1 * {round}"), "number");
                let body = json!({"fields": [number(Some("field_1")), times]}).to_string();
                let kind = Some("application/json");
                // It may never be answered.
                let _ = std::panic::catch_unwind(|| own.send("PATCH", &path, kind, body.as_bytes()));
            });
            thread::sleep(Duration::from_millis(rng.random_range(20..200)));
            server.kill();
        });
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        settled(dir.path());
        let own = server.anon().with_token(owner.token.as_deref().expect("a token"));
        let shown = own.get(form.path()).data();
        let expression = shown["fields"][1]["expression"].as_str().expect("a text");
        let factor: Option<i64> = expression.strip_prefix("field_1 * ").map(|n| n.parse().expect("a number"));
        let of = |i: i64| factor.map_or(i + 1, |factor| i * factor);
        for i in [0, 1, 700, 1500, 2999] {
            assert_eq!(own.get(form.entry(i + 1)).data()["field_2"], of(i), "{expression}");
            assert_eq!(matching(&own, &form, "field_2", "eq", json!(of(i))), [i + 1], "{expression}");
        }
    }
}

#[test]
fn many_changes_at_once_hold_up_nobody() {
    let server = Server::alone("its database is changed");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([number(None), formula(None, "field_1", "number")]));
    let other = owner.form(json!([number(None)]));
    for _ in 0..3 {
        bulk(&owner, &form, &vec![json!({"field_1": 1}); 1000]);
    }
    // Whoever asks goes away at once.
    for n in 0..150 {
        let fields = json!([number(Some("field_1")), formula(Some("field_2"), &format!("field_1 + {n}"), "number"),]);
        let body = json!({ "fields": fields }).to_string();
        let head = format!(
            "PATCH {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            form.path(),
            owner.token.as_deref().expect("a token"),
            body.len()
        );
        let mut socket = raw::connect(&server.base);
        socket.write_all((head + &body).as_bytes()).expect("sent");
    }
    let values = json!({"field_values": {"field_1": 1}});
    assert_eq!(anon.post(other.submissions(), values).status, 201);
    assert_eq!(anon.get("/healthz").status, 200);
    // They don't do the same work side by side.
    until("the last change counts", || {
        let shown = owner.get(form.path()).data();
        let expression = shown["fields"][1]["expression"].as_str().expect("text");
        let added = expression.strip_prefix("field_1 + ").unwrap_or("0");
        let added: i64 = added.parse().expect("a number");
        [1, 3000].iter().all(|serial| entry(&owner, &form, *serial)["field_2"] == json!(1 + added))
    });
}
