//! `radio` and `checkbox`.

use serde_json::{Value, json};

use super::Group;

/// Tea, milk, something to be named, and one with room for more words.
fn drinks() -> Value {
    json!([
        {"api_code": "a", "label": "Tea", "score": 2.5, "quota": 1},
        {"api_code": "b", "label": "Milk"},
        {"api_code": "o", "label": "Other", "is_other": true},
        {"api_code": "x", "label": "Juice", "allow_extended_text": true},
    ])
}

pub fn groups() -> Vec<Group> {
    vec![radio(), checkbox(), some_of_them()]
}

fn radio() -> Group {
    let no_selection = "must be a choice's api_code or an object with value";
    let unknown = "is not one of the choices";
    Group::of("radio", json!({"choices": drinks()}))
        .keeps([
            json!({"value": "a"}),
            json!({"value": "o", "other_text": "Water"}),
            json!({"value": "x", "extended_text": "of\napples"}),
        ])
        .takes(json!("b"), json!({"value": "b"}))
        .takes(json!("o"), json!({"value": "o"}))
        // Texts that the choice does not take are ignored, whatever they are; blank ones are left out.
        .takes(
            json!({"value": "a", "other_text": "x", "extended_text": 5, "note": 1}),
            json!({"value": "a"}),
        )
        .takes(
            json!({"value": "o", "other_text": "e\u{301}\u{7}", "extended_text": "x"}),
            json!({"value": "o", "other_text": "\u{e9}"}),
        )
        .takes(
            json!({"value": "o", "other_text": " \n"}),
            json!({"value": "o"}),
        )
        .takes(
            json!({"value": "o", "other_text": null}),
            json!({"value": "o"}),
        )
        .takes(json!({"value": null}), json!(null))
        .takes(json!({}), json!(null))
        .takes(json!(""), json!(null))
        .refuses(json!(5), no_selection)
        .refuses(json!(true), no_selection)
        .refuses(json!(["a"]), no_selection)
        .refuses(json!("zz"), unknown)
        .refuses(json!("Tea"), unknown)
        .refuses(json!("A"), unknown)
        .refuses(json!("a "), unknown)
        .refuses(json!("a\0"), unknown)
        .refuses(json!({"value": "zz"}), unknown)
        .refuses(json!({"value": 5}), "must have a string as value")
        .refuses(json!({"value": ["a"]}), "must have a string as value")
        .refuses(
            json!({"value": {"value": "a"}}),
            "must have a string as value",
        )
        .refuses(
            json!({"value": "o", "other_text": 5}),
            ".other_text: must be a string",
        )
        .refuses(
            json!({"value": "o", "other_text": "\0"}),
            ".other_text: must not contain NUL characters",
        )
        .refuses(
            json!({"value": "x", "extended_text": []}),
            ".extended_text: must be a string",
        )
        .refuses(
            json!({"value": "x", "extended_text": "x".repeat(10_001)}),
            ".extended_text: is too long (at most 10000 characters)",
        )
}

fn checkbox() -> Group {
    let no_selection = "must be a choice's api_code or an object with value";
    Group::of("checkbox", json!({"choices": drinks()}))
        .keeps([
            json!([{"value": "a"}]),
            json!([{"value": "x", "extended_text": "a"}, {"value": "o", "other_text": "b"}, {"value": "a"}]),
            json!([]),
        ])
        .takes(json!(["b", {"value": "a"}]), json!([{"value": "b"}, {"value": "a"}]))
        // Of doubles the first one counts.
        .takes(
            json!(["b", {"value": "o", "other_text": "1"}, "b", {"value": "o", "other_text": "2"}]),
            json!([{"value": "b"}, {"value": "o", "other_text": "1"}]),
        )
        .takes(json!([{"value": "a", "other_text": "ignored"}]), json!([{"value": "a"}]))
        .takes(json!([""]), json!([]))
        .takes(json!([{}, {"value": null}, "a"]), json!([{"value": "a"}]))
        .refuses(json!("a"), "must be a list of choices")
        .refuses(json!({"value": "a"}), "must be a list of choices")
        .refuses(json!({}), "must be a list of choices")
        .refuses(json!(5), "must be a list of choices")
        .refuses(json!([5]), &format!("[0]: {no_selection}"))
        .refuses(json!([null]), &format!("[0]: {no_selection}"))
        .refuses(json!([["a"]]), &format!("[0]: {no_selection}"))
        .refuses(json!(["a", "zz"]), "[1]: is not one of the choices")
        .refuses(json!([{"value": "o", "other_text": 1}]), "[0].other_text: must be a string")
        .refuses_for(
            json!(["zz", "a", {"value": 1}, false]),
            &[
                "[0]: is not one of the choices",
                "[2]: must have a string as value",
                &format!("[3]: {no_selection}"),
            ],
        )
        .refuses(json!(vec!["a"; 1001]), "may have at most 1000 choices")
}

fn some_of_them() -> Group {
    Group::of(
        "checkbox",
        json!({"choices": drinks(), "min_selected": 2, "max_selected": 3}),
    )
    .takes(json!(["a", "b"]), json!([{"value": "a"}, {"value": "b"}]))
    .takes(
        json!(["a", "b", "x", "a"]),
        json!([{"value": "a"}, {"value": "b"}, {"value": "x"}]),
    )
    // None at all is no answer, which only `required` forbids.
    .keeps([json!([])])
    .refuses(json!(["a"]), "must have at least 2 choices")
    .refuses(json!(["a", "a"]), "must have at least 2 choices")
    .refuses(json!(["a", "b", "o", "x"]), "may have at most 3 choices")
}
