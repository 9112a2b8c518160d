//! `likert`, `matrix_rating`, `matrix` and `table`: values inside values, and faults at each cell.

use serde_json::{Value, json};
use support::{Server, field};

use super::Group;

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
    vec![likert(), likert_of_several(), matrix_rating(), matrix(), table(), table_of_some_rows(), table_of_lists()]
}

fn likert() -> Group {
    Group::of("likert", likert_of(json!({})))
        .keeps([json!({"s": ["good"], "t": ["bad"]}), json!({"t": ["good"]})])
        .takes(json!({"t": ["bad"], "s": ["bad"]}), json!({"s": ["bad"], "t": ["bad"]}))
        // Of doubles the first one counts; unknown statements are dropped, whatever they hold.
        .takes(json!({"s": ["good", "good"], "x": 5}), json!({"s": ["good"]}))
        .takes(json!({"s": [], "t": null}), json!(null))
        .takes(json!({"s": ["", "good"]}), json!({"s": ["good"]}))
        .takes(json!({}), json!(null))
        .refuses(json!("good"), "must be an object of statements")
        .refuses(json!(["good"]), "must be an object of statements")
        .refuses(json!(5), "must be an object of statements")
        .refuses(json!({"s": "good"}), ".s: must be a list of choices")
        .refuses(json!({"s": {"value": "good"}}), ".s: must be a list of choices")
        .refuses(json!({"s": 1, "t": ["good"]}), ".s: must be a list of choices")
        .refuses(json!({"t": ["x"]}), ".t[0]: is not one of the choices")
        .refuses(json!({"t": ["Good"]}), ".t[0]: is not one of the choices")
        .refuses(json!({"t": [5]}), ".t[0]: must be a choice's api_code")
        .refuses(json!({"t": [null]}), ".t[0]: must be a choice's api_code")
        .refuses(json!({"t": [{"value": "good"}]}), ".t[0]: must be a choice's api_code")
        .refuses(json!({"s": ["good", "bad"]}), ".s: may have at most 1 choice")
        .refuses(json!({"s": vec!["good"; 1001]}), ".s: may have at most 1000 choices")
        .refuses_for(
            json!({"s": ["x", "good", "y"], "t": "good"}),
            &[".s[0]: is not one of the choices", ".s[2]: is not one of the choices", ".t: must be a list of choices"],
        )
}

fn likert_of_several() -> Group {
    Group::of("likert", likert_of(json!({"multiple": true})))
        .keeps([json!({"s": ["bad", "good"], "t": ["good"]}), json!({"s": ["good"]})])
        .takes(json!({"t": ["bad", "good", "bad"]}), json!({"t": ["bad", "good"]}))
        .refuses(json!({"t": "bad"}), ".t: must be a list of choices")
        .refuses(json!({"t": ["good", "x"]}), ".t[1]: is not one of the choices")
}

fn matrix_rating() -> Group {
    let own = json!({"statements": statements(), "rating_max": 4, "dimensions": [
        {"api_code": "x", "label": "Colour"}, {"api_code": "y", "label": "Price"},
    ]});
    Group::of("matrix_rating", own)
        .keeps([json!({"s": {"x": 1, "y": 4}, "t": {"x": 2, "y": 3}}), json!({"t": {"y": 4}})])
        .takes(
            json!({"t": {"y": 2.0, "z": "dropped"}, "s": {"y": 1, "x": 3}, "u": 5}),
            json!({"s": {"x": 3, "y": 1}, "t": {"y": 2}}),
        )
        .takes(json!({"s": {"x": null}, "t": {"x": 1}}), json!({"t": {"x": 1}}))
        .takes(json!({"s": {}, "t": null}), json!(null))
        .takes(json!({}), json!(null))
        .refuses(json!(5), "must be an object of statements")
        .refuses(json!([{"x": 1}]), "must be an object of statements")
        .refuses(json!({"s": 5}), ".s: must be an object of cells")
        .refuses(json!({"s": [5]}), ".s: must be an object of cells")
        .refuses(json!({"s": {"x": 0}}), ".s.x: must be 1 to 4")
        .refuses(json!({"s": {"x": 5}}), ".s.x: must be 1 to 4")
        .refuses(json!({"t": {"y": 1.5}}), ".t.y: must be a whole number")
        .refuses(json!({"t": {"y": "1"}}), ".t.y: must be a whole number")
        .refuses(json!({"t": {"y": true}}), ".t.y: must be a whole number")
        .refuses_for(
            json!({"t": {"y": 9, "x": []}, "s": {"y": -1}}),
            &[".s.y: must be 1 to 4", ".t.x: must be a whole number", ".t.y: must be 1 to 4"],
        )
}

/// Columns: how many, which size, since when, whom to call.
fn columns() -> Value {
    json!([
        field("number", json!({"precision": 0, "max": 9})),
        field(
            "radio",
            json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "o", "label": "O", "is_other": true}]})
        ),
        field("date", json!({})),
        field("phone", json!({})),
        field("checkbox", json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]})),
    ])
}

fn matrix() -> Group {
    let phone = json!({"country_id": "CN", "country_code": "86", "number": "13800138000"});
    Group::of("matrix", json!({"statements": statements(), "dimensions": columns()}))
        .keeps([
            json!({
                "s": {"field_1": 1, "field_2": {"value": "o", "other_text": "x"}, "field_3": "2026-11-20",
                    "field_4": phone, "field_5": [{"value": "b"}]},
                "t": {"field_1": 2, "field_2": {"value": "a"}, "field_3": "2026-11-21",
                    "field_4": phone, "field_5": [{"value": "a"}]},
            }),
            json!({"t": {"field_3": "2026-11-20"}}),
        ])
        .takes(
            json!({"t": {"field_1": 2.4, "field_2": "o", "field_9": "dropped"}, "u": "dropped", "s": null}),
            json!({"t": {"field_1": 2, "field_2": {"value": "o"}}}),
        )
        .takes(
            json!({"s": {"field_5": ["a", "a"], "field_4": {"country_id": "CN", "number": "13800138000"}}}),
            json!({"s": {"field_4": phone, "field_5": [{"value": "a"}]}}),
        )
        // Blank values are left out, cell by cell.
        .takes(
            json!({"s": {"field_1": null, "field_3": "", "field_5": []}, "t": {"field_1": 0, "field_2": {}}}),
            json!({"t": {"field_1": 0}}),
        )
        .takes(json!({"s": {}, "t": {"field_1": null}}), json!(null))
        .refuses(json!("x"), "must be an object of statements")
        .refuses(json!([]), "must be an object of statements")
        .refuses(json!({"s": "x"}), ".s: must be an object of cells")
        .refuses(json!({"s": [1]}), ".s: must be an object of cells")
        .refuses(json!({"s": {"field_1": "x"}}), ".s.field_1: must be a number")
        .refuses(json!({"s": {"field_1": 10}}), ".s.field_1: must be 9 or less")
        .refuses(json!({"t": {"field_2": "z"}}), ".t.field_2: is not one of the choices")
        .refuses(json!({"t": {"field_2": {"value": "o", "other_text": 5}}}), ".t.field_2.other_text: must be a string")
        .refuses(json!({"t": {"field_3": "2026"}}), ".t.field_3: must be a date in the format YYYY-MM-DD")
        .refuses(
            json!({"t": {"field_4": {"country_id": "ZZ", "number": "1"}}}),
            ".t.field_4.country_id: must be an ISO 3166-1 alpha-2 code such as CN",
        )
        .refuses(json!({"t": {"field_5": ["a", "z"]}}), ".t.field_5[1]: is not one of the choices")
        .refuses_for(
            json!({"t": {"field_1": "x", "field_5": 1}, "s": {"field_3": 5}}),
            &[
                ".s.field_3: must be a string such as YYYY-MM-DD",
                ".t.field_1: must be a number",
                ".t.field_5: must be a list of choices",
            ],
        )
}

fn table() -> Group {
    let own = json!({"dimensions": [
        field("name", json!({"required": true})),
        field("email", json!({})),
        field("radio", json!({"choices": [{"api_code": "a", "label": "A"}], "default_value": "a"})),
    ]});
    Group::of("table", own)
        .keeps([
            json!([{"field_1": "Ann", "field_2": "a@b.co", "field_3": {"value": "a"}}, {"field_1": "Bob", "field_3": null}]),
            json!([]),
        ])
        // An absent cell takes its default, a cleared one stays empty.
        .takes(
            json!([{"field_1": "Ann"}, {"field_1": "Bob", "field_3": null}]),
            json!([{"field_1": "Ann", "field_3": {"value": "a"}}, {"field_1": "Bob", "field_3": null}]),
        )
        // Rows of nothing are dropped.
        .takes(
            json!([{}, {"field_1": " ", "field_3": null}, {"field_1": "Ann", "field_3": "a", "x": 1}, {"x": 1}]),
            json!([{"field_1": "Ann", "field_3": {"value": "a"}}]),
        )
        .takes(json!([{}]), json!([]))
        .refuses(json!({"field_1": "Ann"}), "must be a list of rows")
        .refuses(json!("Ann"), "must be a list of rows")
        .refuses(json!(["Ann"]), "[0]: must be an object of cells")
        .refuses(json!([{"field_1": "Ann"}, null]), "[1]: must be an object of cells")
        .refuses(json!([{"field_1": "Ann"}, ["Bob"]]), "[1]: must be an object of cells")
        .refuses(json!([{"field_1": 5}]), "[0].field_1: must be a string")
        .refuses(json!([{}, {}, {"field_2": "a@b.co"}]), "[2].field_1: can't be blank")
        .refuses(json!([{"field_3": "a"}]), "[0].field_1: can't be blank")
        .refuses(json!([{"field_1": "Ann", "field_3": {"value": 5}}]), "[0].field_3.value: must be a string")
        .refuses_for(
            json!([{"field_1": "Ann", "field_2": "x"}, {"field_2": "y"}]),
            &[
                "[0].field_2: is not an email address",
                "[1].field_2: is not an email address",
                "[1].field_1: can't be blank",
            ],
        )
        .refuses(json!(vec![json!({"field_1": "x"}); 101]), "may have at most 100 rows")
        .refuses(json!(vec![json!({}); 1001]), "may have at most 100 rows")
}

fn table_of_lists() -> Group {
    let choices = json!([{"api_code": "a", "label": "A"}]);
    let own = json!({"dimensions": [
        field("short_text", json!({})),
        field("checkbox", json!({"choices": choices, "default_value": ["a"]})),
    ]});
    Group::of("table", own)
        // A cell that was cleared of its default reads as an empty one of its type.
        .keeps([json!([{"field_1": "Ann", "field_2": []}, {"field_1": "Bob", "field_2": [{"value": "a"}]}])])
        .takes(
            json!([{"field_1": "Ann"}, {"field_1": "Bob", "field_2": null}]),
            json!([{"field_1": "Ann", "field_2": [{"value": "a"}]}, {"field_1": "Bob", "field_2": []}]),
        )
}

fn table_of_some_rows() -> Group {
    let own = json!({"dimensions": [field("short_text", json!({}))], "min_rows": 2, "max_rows": 3});
    let rows = |count: usize| json!(vec![json!({"field_1": "x"}); count]);
    Group::of("table", own)
        .keeps([rows(2), rows(3)])
        // None at all is no answer, which only `required` forbids.
        .keeps([json!([])])
        .refuses(rows(1), "must have at least 2 rows")
        .refuses(rows(4), "may have at most 3 rows")
}

#[test]
fn a_required_grid_is_answered_whole() {
    let owner = Server::shared().user();
    let refused = |kind: &str, own: Value, value: Value| {
        let mut own = own;
        own["required"] = json!(true);
        let form = owner.form(json!([field(kind, own)]));
        let answer = owner.post(form.entries(), json!({"field_values": {"field_1": value}}));
        assert_eq!(answer.status, 422, "{kind} {value}: {answer}");
        let cut = |fault: &String| fault.replace("field_values.field_1", "").replace(": can't be blank", "");
        answer.faults().iter().map(cut).collect::<Vec<_>>()
    };
    let likert = || likert_of(json!({}));
    assert_eq!(refused("likert", likert(), json!(null)), [""]);
    assert_eq!(refused("likert", likert(), json!({"x": ["good"]})), [": must have at least one of s, t"]);
    assert_eq!(refused("likert", likert(), json!({"s": ["good"]})), [".t"]);
    assert_eq!(refused("likert", likert(), json!({"s": ["x"], "t": []})), [".s[0]: is not one of the choices", ".t"]);
    let rating = json!({"statements": statements(), "dimensions": [
        {"api_code": "x", "label": "X"}, {"api_code": "y", "label": "Y"},
    ]});
    assert_eq!(refused("matrix_rating", rating, json!({"t": {"y": 1}})), [".s.x", ".s.y", ".t.x"]);
    // Of a matrix the required columns count, or all where none is required.
    let matrix = |required: bool| {
        json!({"statements": statements(), "dimensions": [
            field("short_text", json!({"required": required})),
            field("number", json!({})),
            field("number", json!({"hidden": true})),
        ]})
    };
    let value = || json!({"s": {"field_2": "x"}});
    assert_eq!(
        refused("matrix", matrix(false), value()),
        [".s.field_2: must be a number", ".s.field_1", ".t.field_1", ".t.field_2"]
    );
    assert_eq!(refused("matrix", matrix(true), json!({"s": {"field_2": 5}})), [".s.field_1", ".t.field_1"]);
    let table = json!({"dimensions": [field("short_text", json!({}))]});
    assert_eq!(refused("table", table, json!([{}])), [""]);
}

#[test]
fn required_cells_bind_where_a_row_says_anything() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field(
        "matrix",
        json!({"statements": statements(), "dimensions": [
            field("short_text", json!({"required": true})),
            field("number", json!({})),
        ]})
    )]));
    let write = |value: Value| owner.post(form.entries(), json!({"field_values": {"field_1": value}}));
    assert_eq!(write(json!({"s": {"field_1": "x"}})).status, 201);
    assert_eq!(write(json!({})).status, 201);
    assert_eq!(
        write(json!({"s": {"field_2": 1}, "t": {"field_1": "x"}})).faults(),
        ["field_values.field_1.s.field_1: can't be blank"]
    );
}

#[test]
fn hidden_columns_are_for_collaborators() {
    let server = Server::shared();
    let (owner, respondent) = (server.user(), server.anon());
    let form = owner.form(json!([field(
        "table",
        json!({"dimensions": [
            field("short_text", json!({})),
            field("number", json!({"hidden": true, "default_value": 7, "required": true})),
            field("number", json!({"hidden": true, "required": true})),
        ]})
    )]));
    let value = json!({"field_values": {"field_1": [{"field_1": "x", "field_2": 1, "field_3": 2}]}});
    let sent = respondent.post(form.submissions(), value.clone());
    assert_eq!(sent.status, 201, "{sent}");
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], json!([{"field_1": "x", "field_2": 7}]));
    assert_eq!(
        owner.post(form.entries(), value).data()["field_1"],
        json!([{"field_1": "x", "field_2": 1, "field_3": 2}])
    );
    let told = &sent.data()["entry"]["field_1"];
    assert_eq!(*told, json!([{"field_1": "x"}]), "{sent}");
    let shown = respondent.get(form.published()).data();
    let columns = shown["fields"][0]["dimensions"].as_array().expect("columns").clone();
    assert_eq!(columns.len(), 1, "{shown}");
}
