//! `radio`, `checkbox` and `dropdown`, those with pictures, `cascade` and `ranking`.

use serde_json::{Value, json};

use super::Group;

/// Tea, milk, something to be named, and one with room for more words.
fn drinks() -> Value {
    json!([
        {"api_code": "a", "label": "Tea", "score": 2.5, "quota": 100},
        {"api_code": "b", "label": "Milk"},
        {"api_code": "o", "label": "Other", "is_other": true},
        {"api_code": "x", "label": "Juice", "allow_extended_text": true},
    ])
}

pub fn groups() -> Vec<Group> {
    vec![
        radio(),
        checkbox(),
        some_of_them(),
        dropdown(),
        image_radio(),
        image_checkbox(),
        some_pictures(),
        cascade(),
        deep_cascade(),
        ranking(),
        part_of_a_ranking(),
    ]
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
        .takes(json!({"value": "a", "other_text": "x", "extended_text": 5, "note": 1}), json!({"value": "a"}))
        .takes(
            json!({"value": "o", "other_text": "e\u{301}\u{7}", "extended_text": "x"}),
            json!({"value": "o", "other_text": "\u{e9}"}),
        )
        .takes(json!({"value": "o", "other_text": " \n"}), json!({"value": "o"}))
        .takes(json!({"value": "o", "other_text": null}), json!({"value": "o"}))
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
        .refuses(json!({"value": 5}), ".value: must be a string")
        .refuses(json!({"value": ["a"]}), ".value: must be a string")
        .refuses(json!({"value": {"value": "a"}}), ".value: must be a string")
        .refuses(json!({"value": "o", "other_text": 5}), ".other_text: must be a string")
        .refuses(json!({"value": "o", "other_text": "\0"}), ".other_text: must not contain NUL characters")
        .refuses(json!({"value": "x", "extended_text": []}), ".extended_text: must be a string")
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
            &["[0]: is not one of the choices", "[2].value: must be a string", &format!("[3]: {no_selection}")],
        )
        .refuses(json!(vec!["a"; 1001]), "may have at most 1000 choices")
}

fn some_of_them() -> Group {
    Group::of("checkbox", json!({"choices": drinks(), "min_selected": 2, "max_selected": 3}))
        .takes(json!(["a", "b"]), json!([{"value": "a"}, {"value": "b"}]))
        .takes(json!(["a", "b", "x", "a"]), json!([{"value": "a"}, {"value": "b"}, {"value": "x"}]))
        // None at all is no answer, which only `required` forbids.
        .keeps([json!([])])
        .refuses(json!(["a"]), "must have at least 2 choices")
        .refuses(json!(["a", "a"]), "must have at least 2 choices")
        .refuses(json!(["a", "b", "o", "x"]), "may have at most 3 choices")
}

fn dropdown() -> Group {
    let no_selection = "must be a choice's api_code or an object with value";
    let choices = json!([
        {"api_code": "a", "label": "Tea", "score": 2.5, "quota": 100},
        {"api_code": "b", "label": "Milk"},
        {"api_code": "o", "label": "Other", "is_other": true},
    ]);
    Group::of("dropdown", json!({"choices": choices}))
        .keeps([json!({"value": "a"}), json!({"value": "o", "other_text": "Water"})])
        .takes(json!("b"), json!({"value": "b"}))
        .takes(json!({"value": "b", "other_text": 5, "extended_text": "x"}), json!({"value": "b"}))
        .takes(json!({"value": "o", "other_text": " ", "extended_text": "x"}), json!({"value": "o"}))
        .takes(json!(""), json!(null))
        .takes(json!({}), json!(null))
        .refuses(json!({"other_text": "x"}), "must be a choice's api_code or an object with value")
        .refuses(json!(5), no_selection)
        .refuses(json!(false), no_selection)
        .refuses(json!([{"value": "a"}]), no_selection)
        .refuses(json!("zz"), "is not one of the choices")
        .refuses(json!("Tea"), "is not one of the choices")
        .refuses(json!({"value": "zz"}), "is not one of the choices")
        .refuses(json!({"value": 5}), ".value: must be a string")
        .refuses(json!({"value": "o", "other_text": ["x"]}), ".other_text: must be a string")
        .refuses(json!({"value": "o", "other_text": "\0"}), ".other_text: must not contain NUL characters")
        .refuses(
            json!({"value": "o", "other_text": "x".repeat(10_001)}),
            ".other_text: is too long (at most 10000 characters)",
        )
}

fn views() -> Value {
    json!([
        {"api_code": "sea", "label": "Sea", "image": null, "quota": 100},
        {"api_code": "hills", "label": "Hills", "score": -1.5},
        {"api_code": "town", "label": "Town"},
    ])
}

fn image_radio() -> Group {
    let no_selection = "must be a choice's api_code or an object with value";
    Group::of("image_radio", json!({"choices": views()}))
        .keeps([json!({"value": "sea"}), json!({"value": "town"})])
        .takes(json!("hills"), json!({"value": "hills"}))
        .takes(json!({"value": "sea", "other_text": "x", "extended_text": 5, "image": {}}), json!({"value": "sea"}))
        .takes(json!({"value": null}), json!(null))
        .takes(json!(""), json!(null))
        .refuses(json!(1), no_selection)
        .refuses(json!(true), no_selection)
        .refuses(json!(["sea"]), no_selection)
        .refuses(json!([]), no_selection)
        .refuses(json!("Sea"), "is not one of the choices")
        .refuses(json!("lake"), "is not one of the choices")
        .refuses(json!({"value": "lake"}), "is not one of the choices")
        .refuses(json!({"value": ["sea"]}), ".value: must be a string")
        .refuses(json!({"value": {}}), ".value: must be a string")
}

fn image_checkbox() -> Group {
    let no_selection = "must be a choice's api_code or an object with value";
    Group::of("image_checkbox", json!({"choices": views()}))
        .keeps([json!([{"value": "sea"}]), json!([{"value": "town"}, {"value": "sea"}]), json!([])])
        .takes(json!(["sea", "town", {"value": "sea"}]), json!([{"value": "sea"}, {"value": "town"}]))
        .takes(json!([{"value": "sea", "other_text": "x", "extended_text": 1}]), json!([{"value": "sea"}]))
        .takes(json!(["", {}, "sea"]), json!([{"value": "sea"}]))
        .refuses(json!("sea"), "must be a list of choices")
        .refuses(json!({"value": "sea"}), "must be a list of choices")
        .refuses(json!(1), "must be a list of choices")
        .refuses(json!([1]), &format!("[0]: {no_selection}"))
        .refuses(json!(["sea", null]), &format!("[1]: {no_selection}"))
        .refuses(json!([["sea"]]), &format!("[0]: {no_selection}"))
        .refuses(json!(["lake"]), "[0]: is not one of the choices")
        .refuses_for(
            json!(["lake", "sea", {"value": 5}]),
            &["[0]: is not one of the choices", "[2].value: must be a string"],
        )
        .refuses(json!(vec!["sea"; 1001]), "may have at most 1000 choices")
}

fn some_pictures() -> Group {
    Group::of("image_checkbox", json!({"choices": views(), "min_selected": 2, "max_selected": 2}))
        .takes(json!(["sea", "town"]), json!([{"value": "sea"}, {"value": "town"}]))
        .keeps([json!([])])
        .refuses(json!(["sea", "sea"]), "must have at least 2 choices")
        .refuses(json!(["sea", "hills", "town"]), "may have at most 2 choices")
}

fn cascade() -> Group {
    let unknown = "is not one of the choices";
    let shape = "must be an object with level_1 and the levels below it";
    let choices = json!([
        {"api_code": "eu", "label": "Europe", "children": [{"api_code": "it", "label": "Italy"}, {"api_code": "va", "label": "Vatican"}]},
        {"api_code": "as", "label": "Asia", "children": [{"api_code": "cn", "label": "China"}]},
        {"api_code": "sea", "label": "At sea"},
    ]);
    Group::of("cascade", json!({"choices": choices}))
        .keeps([
            json!({"level_1": "eu", "level_2": "va"}),
            json!({"level_1": "as", "level_2": "cn"}),
            // A way that ends early is whole.
            json!({"level_1": "sea"}),
        ])
        .takes(
            json!({"level_3": 5, "level_2": "it", "level_1": "eu", "note": {}}),
            json!({"level_1": "eu", "level_2": "it"}),
        )
        .takes(json!({"level_1": "sea", "level_2": null}), json!({"level_1": "sea"}))
        .takes(json!({"level_1": "", "level_2": null}), json!(null))
        .takes(json!({}), json!(null))
        .refuses(json!("eu"), shape)
        .refuses(json!(["eu", "it"]), shape)
        .refuses(json!(5), shape)
        .refuses(json!({"level_1": "eu"}), ".level_2: can't be blank")
        .refuses(json!({"level_1": "eu", "level_2": ""}), ".level_2: can't be blank")
        .refuses(json!({"level_2": "it"}), ".level_1: can't be blank")
        .refuses(json!({"level_1": "zz", "level_2": "it"}), &format!(".level_1: {unknown}"))
        .refuses(json!({"level_1": "it", "level_2": "it"}), &format!(".level_1: {unknown}"))
        .refuses(json!({"level_1": "eu", "level_2": "cn"}), &format!(".level_2: {unknown}"))
        .refuses(json!({"level_1": "eu", "level_2": "Italy"}), &format!(".level_2: {unknown}"))
        .refuses(json!({"level_1": "sea", "level_2": "it"}), &format!(".level_2: {unknown}"))
        .refuses(json!({"level_1": ["eu"], "level_2": "it"}), ".level_1: must be a string")
        .refuses(json!({"level_1": "eu", "level_2": 1}), ".level_2: must be a string")
}

fn deep_cascade() -> Group {
    let down = |code: &str, children: Value| json!([{"api_code": code, "label": code, "children": children}]);
    let choices = down("a", down("b", down("c", down("d", json!([{"label": "e", "api_code": "e"}])))));
    Group::of("cascade", json!({"levels": 5, "choices": choices}))
        .keeps([json!({"level_1": "a", "level_2": "b", "level_3": "c", "level_4": "d", "level_5": "e"})])
        .refuses(json!({"level_1": "a", "level_2": "b", "level_3": "c", "level_4": "d"}), ".level_5: can't be blank")
}

fn ranking() -> Group {
    let shape = "must be an object of ranks by choice";
    Group::of(
        "ranking",
        json!({"choices": [
            {"api_code": "a", "label": "Tea", "score": 1.5}, {"api_code": "b", "label": "Milk"}, {"api_code": "c", "label": "Juice"},
        ]}),
    )
    .keeps([json!({"a": 1}), json!({"c": 1, "a": 2, "b": 3})])
    .takes(json!({"a": 2, "b": 1}), json!({"b": 1, "a": 2}))
    .takes(json!({"a": 1.0, "b": null, "c": ""}), json!({"a": 1}))
    .takes(json!({"a": null}), json!(null))
    .takes(json!({}), json!(null))
    .refuses(json!("a"), shape)
    .refuses(json!(["a", "b"]), shape)
    .refuses(json!(1), shape)
    .refuses(json!({"zz": 1}), ".zz: is not one of the choices")
    .refuses(json!({"Tea": 1}), ".Tea: is not one of the choices")
    .refuses(json!({"a": 1, "not a code": 2}), "is not one of the choices")
    .refuses(json!({"a": "1"}), ".a: must be a whole number")
    .refuses(json!({"a": 1.5}), ".a: must be a whole number")
    .refuses(json!({"a": true}), ".a: must be a whole number")
    .refuses(json!({"a": 0}), ".a: must be 1 to 3")
    .refuses_for(json!({"a": -1, "b": 4}), &[".a: must be 1 to 3", ".b: must be 1 to 3"])
    .refuses(json!({"a": 1, "b": 1}), ".b: has the rank of another choice")
    .refuses(json!({"a": 2}), "must use the ranks from 1 without gaps")
    .refuses(json!({"a": 1, "c": 3}), "must use the ranks from 1 without gaps")
    .refuses_for(
        json!({"zz": 1, "a": [], "b": 9}),
        &[".zz: is not one of the choices", ".a: must be a whole number", ".b: must be 1 to 3"],
    )
}

fn part_of_a_ranking() -> Group {
    Group::of(
        "ranking",
        json!({"min_ranked": 2, "max_ranked": 2, "choices": [
            {"api_code": "a", "label": "Tea"}, {"api_code": "b", "label": "Milk"}, {"api_code": "c", "label": "Juice"},
        ]}),
    )
    .keeps([json!({"c": 1, "a": 2})])
    // No rank at all is no answer, which only `required` forbids.
    .takes(json!({}), json!(null))
    .refuses(json!({"a": 1}), "must rank at least 2 choices")
    .refuses(json!({"a": 1, "b": 2, "c": 3}), "may rank at most 2 choices")
}
