//! Definitions of `likert`, `matrix_rating`, `matrix` and `table`: what is kept, what is refused and
//! where, and what an edit keeps of the answers.

use serde_json::{Value, json};

use crate::support::{Caller, Server, field};

fn statements() -> Value {
    json!([{"api_code": "s", "label": "S"}, {"api_code": "t_1", "label": "T"}])
}

/// What is said of one definition, behind `fields[0]`.
fn faults(owner: &Caller, kind: &str, own: &Value) -> Vec<String> {
    let fields = json!([field(kind, own.clone())]);
    let answer = owner.post("/api/v1/forms", json!({"name": "x", "fields": fields}));
    assert_eq!(answer.status, 422, "{kind} {own}: {answer}");
    let cut = |fault: &String| fault.strip_prefix("fields[0]").unwrap_or(fault).to_owned();
    answer.faults().iter().map(cut).collect()
}

#[test]
fn every_key_is_kept() {
    let owner = Server::shared().user();
    let choices = json!([
        {"api_code": "a", "label": "A", "hidden": true, "quota": 2},
        {"api_code": "b", "label": "B", "score": 2.5},
    ]);
    for (kind, own) in [(
        "likert",
        json!({"statements": statements(), "choices": choices, "multiple": true}),
    )] {
        let form = owner.form(json!([field(kind, own.clone())]));
        let kept = form.body["fields"][0].clone();
        for (key, value) in own.as_object().into_iter().flatten() {
            assert_eq!(kept[key], *value, "{kind} {key}");
        }
        let again = owner.patch(form.path(), json!({"fields": [kept]}));
        assert_eq!(again.data()["fields"], json!([kept]), "{kind}: {again}");
    }
}

#[test]
fn a_likert_needs_statements_and_choices() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}]);
    let many = |count: usize| json!(vec![json!({"label": "x"}); count]);
    for (own, expected) in [
        (
            json!({}),
            vec![".statements: is required", ".choices: is required"],
        ),
        (
            json!({"statements": [], "choices": choices}),
            vec![".statements: must have 1 to 100 statements"],
        ),
        (
            json!({"statements": many(101), "choices": choices}),
            vec![".statements: must have 1 to 100 statements"],
        ),
        (
            json!({"statements": {"s": "S"}, "choices": choices}),
            vec![".statements: must be a list"],
        ),
        (
            json!({"statements": [{"label": ""}, 5, {"api_code": "x y", "label": "X"}], "choices": choices}),
            vec![
                ".statements[0].label: can't be blank",
                ".statements[1]: must be an object",
                ".statements[2].api_code: must be 1 to 32 letters, digits or underscores",
            ],
        ),
        (
            json!({"statements": [{"api_code": "s", "label": "S"}, {"api_code": "s", "label": "S"}], "choices": choices}),
            vec![".statements[1].api_code: stands twice"],
        ),
        // A name means one thing in a field.
        (
            json!({"statements": [{"api_code": "a", "label": "S"}], "choices": choices}),
            vec![".choices[0].api_code: stands twice"],
        ),
        (
            json!({"statements": statements(), "choices": [{"label": "A", "is_other": true}, {"label": "B", "allow_extended_text": true}]}),
            vec![
                ".choices[0].is_other: is not possible for this type",
                ".choices[1].allow_extended_text: is not possible for this type",
            ],
        ),
        (
            json!({"statements": statements(), "choices": choices, "multiple": "yes"}),
            vec![".multiple: must be true or false"],
        ),
        (
            json!({"statements": many(100), "choices": many(501)}),
            vec![".choices: are too many for so many rows"],
        ),
        (
            json!({"statements": statements(), "choices": choices, "default_value": {"s": ["z"]}}),
            vec![".default_value.s[0]: is not one of the choices"],
        ),
    ] {
        assert_eq!(faults(&owner, "likert", &own), expected, "{own}");
    }
}

#[test]
fn what_goes_from_a_likert_goes_from_its_answers() {
    let server = Server::shared();
    let owner = server.user();
    let likert = |statements: &[&str], choices: &[&str]| {
        let named = |codes: &[&str]| -> Vec<Value> {
            codes
                .iter()
                .map(|code| json!({"api_code": code, "label": code}))
                .collect()
        };
        json!({"statements": named(statements), "choices": named(choices), "multiple": true})
    };
    let form = owner.form(json!([field("likert", likert(&["s", "t"], &["a", "b"]))]));
    let answers = json!({"field_1": {"s": ["a", "b"], "t": ["a"]}});
    assert_eq!(
        owner
            .post(form.entries(), json!({"field_values": answers}))
            .status,
        201
    );
    let edit = |own: Value, confirmed: bool| {
        let mut field = field("likert", own);
        field["api_code"] = json!("field_1");
        owner.patch(
            form.path(),
            json!({"fields": [field], "confirm_data_loss": confirmed}),
        )
    };
    let less = likert(&["s"], &["b"]);
    assert_eq!(
        edit(less.clone(), false).faults(),
        [
            "fields.field_1.statements.t: holds data of 1 entry",
            "fields.field_1.choices.a: holds data of 1 entry",
        ]
    );
    assert_eq!(edit(less, true).status, 200);
    assert_eq!(
        owner.get(form.entry(1)).data()["field_1"],
        json!({"s": ["b"]})
    );
    // Their names are spent.
    assert_eq!(
        edit(likert(&["s", "t"], &["b", "a"]), true).faults(),
        [
            "fields[0].statements[1].api_code: was used before in this field",
            "fields[0].choices[1].api_code: was used before in this field",
        ]
    );
}
