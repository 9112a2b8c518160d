//! `likert`, `matrix_rating`, `matrix` and `table`: values inside values, and faults at each cell.

use serde_json::{Value, json};

use super::Group;
use crate::support::{Server, field};

fn statements() -> Value {
    json!([{"api_code": "s", "label": "Speed"}, {"api_code": "t", "label": "Taste"}])
}

fn likert_of(own: Value) -> Value {
    let mut likert = json!({"statements": statements(), "choices": [
        {"api_code": "good", "label": "Good", "score": 2},
        {"api_code": "bad", "label": "Bad"},
    ]});
    for (key, value) in own.as_object().into_iter().flatten() {
        likert[key] = value.clone();
    }
    likert
}

pub fn groups() -> Vec<Group> {
    vec![likert(), likert_of_several()]
}

fn likert() -> Group {
    Group::of("likert", likert_of(json!({})))
        .keeps([json!({"s": ["good"], "t": ["bad"]}), json!({"t": ["good"]})])
        .takes(
            json!({"t": ["bad"], "s": ["bad"]}),
            json!({"s": ["bad"], "t": ["bad"]}),
        )
        // Of doubles the first one counts; unknown statements are dropped, whatever they hold.
        .takes(
            json!({"s": ["good", "good"], "x": 5}),
            json!({"s": ["good"]}),
        )
        .takes(json!({"s": [], "t": null}), json!(null))
        .takes(json!({"s": ["", "good"]}), json!({"s": ["good"]}))
        .takes(json!({}), json!(null))
        .refuses(json!("good"), "must be an object of statements")
        .refuses(json!(["good"]), "must be an object of statements")
        .refuses(json!(5), "must be an object of statements")
        .refuses(json!({"s": "good"}), ".s: must be a list of choices")
        .refuses(
            json!({"s": {"value": "good"}}),
            ".s: must be a list of choices",
        )
        .refuses(
            json!({"s": 1, "t": ["good"]}),
            ".s: must be a list of choices",
        )
        .refuses(json!({"t": ["x"]}), ".t[0]: is not one of the choices")
        .refuses(json!({"t": ["Good"]}), ".t[0]: is not one of the choices")
        .refuses(json!({"t": [5]}), ".t[0]: must be a choice's api_code")
        .refuses(json!({"t": [null]}), ".t[0]: must be a choice's api_code")
        .refuses(
            json!({"t": [{"value": "good"}]}),
            ".t[0]: must be a choice's api_code",
        )
        .refuses(
            json!({"s": ["good", "bad"]}),
            ".s: may have at most 1 choices",
        )
        .refuses(
            json!({"s": vec!["good"; 1001]}),
            ".s: may have at most 1000 choices",
        )
        .refuses_for(
            json!({"s": ["x", "good", "y"], "t": "good"}),
            &[
                ".s[0]: is not one of the choices",
                ".s[2]: is not one of the choices",
                ".t: must be a list of choices",
            ],
        )
}

fn likert_of_several() -> Group {
    Group::of("likert", likert_of(json!({"multiple": true})))
        .keeps([
            json!({"s": ["bad", "good"], "t": ["good"]}),
            json!({"s": ["good"]}),
        ])
        .takes(
            json!({"t": ["bad", "good", "bad"]}),
            json!({"t": ["bad", "good"]}),
        )
        .refuses(json!({"t": "bad"}), ".t: must be a list of choices")
        .refuses(
            json!({"t": ["good", "x"]}),
            ".t[1]: is not one of the choices",
        )
}

#[test]
fn a_required_grid_is_answered_whole() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field(
        "likert",
        likert_of(json!({"required": true}))
    )]));
    for (values, faults) in [
        (json!({}), vec!["field_values.field_1: can't be blank"]),
        (
            json!({"field_1": {"x": ["good"]}}),
            vec!["field_values.field_1: can't be blank"],
        ),
        (
            json!({"field_1": {"s": ["good"]}}),
            vec!["field_values.field_1.t: can't be blank"],
        ),
        (
            json!({"field_1": {"s": ["x"], "t": []}}),
            vec!["field_values.field_1.s[0]: is not one of the choices"],
        ),
    ] {
        let refused = owner.post(form.entries(), json!({"field_values": values}));
        assert_eq!(refused.faults(), faults, "{values}");
    }
}
