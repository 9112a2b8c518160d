//! Definitions of `likert`, `matrix_rating`, `matrix` and `table`: their stored members, their faults, and the answers
//! that an edit keeps.

use serde_json::{Value, json};
use support::{Caller, Server, field};

use crate::fields::kinds::faults;

fn statements() -> Value {
    json!([{"api_code": "s", "label": "S"}, {"api_code": "t_1", "label": "T"}])
}

#[test]
fn every_key_is_kept() {
    let owner = Server::shared().user();
    let choices = json!([
        {"api_code": "a", "label": "A", "hidden": true, "quota": 2},
        {"api_code": "b", "label": "B", "score": 2.5},
    ]);
    let named = json!([{"api_code": "x", "label": "X"}, {"api_code": "y", "label": "Y"}]);
    let columns = json!([
        {"api_code": "field_1", "type": "radio", "label": "R", "notes": "<p>n</p>", "required": true, "hidden": false,
            "placeholder": "p", "default_value": "b", "choices": choices, "random_order": true},
        {"api_code": "field_2", "type": "date", "label": "D", "required": false, "hidden": true,
            "default_value": "today", "precision": "minute"},
    ]);
    for (kind, own) in [
        ("likert", json!({"statements": statements(), "choices": choices, "multiple": true})),
        ("matrix_rating", json!({"statements": statements(), "dimensions": named, "rating_max": 10})),
        ("matrix", json!({"statements": statements(), "dimensions": columns})),
        ("table", json!({"dimensions": columns, "min_rows": 0, "max_rows": 100})),
    ] {
        let mut new = own.clone();
        for column in new["dimensions"].as_array_mut().into_iter().flatten().filter(|_| kind != "matrix_rating") {
            column.as_object_mut().expect("an object").remove("api_code");
        }
        let form = owner.form(json!([field(kind, new)]));
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
        (json!({}), vec![".statements: is required", ".choices: is required"]),
        (json!({"statements": [], "choices": choices}), vec![".statements: must have 1 to 100 statements"]),
        (json!({"statements": many(101), "choices": choices}), vec![".statements: must have 1 to 100 statements"]),
        (json!({"statements": {"s": "S"}, "choices": choices}), vec![".statements: must be a list"]),
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
            vec![".statements[1].api_code: is listed twice"],
        ),
        // A name means one thing in a field.
        (
            json!({"statements": [{"api_code": "a", "label": "S"}], "choices": choices}),
            vec![".choices[0].api_code: is listed twice"],
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
        (json!({"statements": many(100), "choices": many(501)}), vec![".choices: are too many for so many rows"]),
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
            codes.iter().map(|code| json!({"api_code": code, "label": code})).collect()
        };
        json!({"statements": named(statements), "choices": named(choices), "multiple": true})
    };
    let form = owner.form(json!([field("likert", likert(&["s", "t"], &["a", "b"]))]));
    let answers = json!({"field_1": {"s": ["a", "b"], "t": ["a"]}});
    assert_eq!(owner.post(form.entries(), json!({"field_values": answers})).status, 201);
    let edit = |own: Value, confirmed: bool| {
        let mut field = field("likert", own);
        field["api_code"] = json!("field_1");
        owner.patch(form.path(), json!({"fields": [field], "confirm_data_loss": confirmed}))
    };
    let less = likert(&["s"], &["b"]);
    assert_eq!(
        edit(less.clone(), false).faults(),
        ["fields.field_1.statements.t: holds data of 1 entry", "fields.field_1.choices.a: holds data of 1 entry",]
    );
    assert_eq!(edit(less, true).status, 200);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], json!({"s": ["b"]}));
    // Their names are spent.
    assert_eq!(
        edit(likert(&["s", "t"], &["b", "a"]), true).faults(),
        [
            "fields[0].statements[1].api_code: was used before in this field",
            "fields[0].choices[1].api_code: was used before in this field",
        ]
    );
}

#[test]
fn columns_and_rows_are_checked() {
    let owner = Server::shared().user();
    let named = json!([{"api_code": "x", "label": "X"}]);
    let text = || field("short_text", json!({}));
    let types = "must be one of short_text, long_text, name, email, phone, number, date, radio, checkbox, url, time, dropdown, rating, attachment";
    for (kind, own, expected) in [
        (
            "matrix_rating",
            json!({"rating_max": 11}),
            vec![".statements: is required", ".dimensions: is required", ".rating_max: must be 2 to 10"],
        ),
        (
            "matrix_rating",
            json!({"statements": named, "dimensions": named}),
            vec![".dimensions[0].api_code: is listed twice"],
        ),
        (
            "matrix_rating",
            json!({"statements": statements(), "dimensions": vec![json!({"label": "x"}); 51]}),
            vec![".dimensions: must have 1 to 50 dimensions"],
        ),
        ("matrix", json!({}), vec![".statements: is required", ".dimensions: is required"]),
        (
            "matrix",
            json!({"statements": [{"api_code": "field_1", "label": "S"}], "dimensions": [text()]}),
            vec![".statements[0].api_code: is a name for columns"],
        ),
        ("table", json!({"dimensions": []}), vec![".dimensions: must have 1 to 50 dimensions"]),
        ("table", json!({"dimensions": "x"}), vec![".dimensions: must be a list"]),
        (
            "table",
            json!({"dimensions": [text()], "min_rows": -1, "max_rows": 101}),
            vec![".min_rows: must be 0 to 100", ".max_rows: must be 1 to 100"],
        ),
        (
            "table",
            json!({"dimensions": [text()], "min_rows": 5, "max_rows": 4}),
            vec![".max_rows: must not be less than min_rows"],
        ),
        (
            "table",
            json!({"dimensions": [
                5,
                {"label": "x"},
                {"type": "short_text"},
                {"type": "number", "label": "x", "precision": 7, "min": 3, "max": 2},
                {"type": "name", "label": "x", "unique": true},
                {"type": "name", "label": "x", "api_code": "field_1"},
                {"type": "radio", "label": "x", "choices": [{"label": "A"}, {"label": ""}]},
                {"type": "short_text", "label": "x", "pattern": "("},
            ]}),
            vec![
                "[0]: must be an object",
                "[1].type: is required",
                "[2].label: can't be blank",
                "[3].max: must not be less than min",
                "[3].precision: must be 0 to 6",
                "[4].unique: is not possible in a cell",
                "[5].api_code: is not a column of this field",
                "[6].choices[1].label: can't be blank",
                "[7].pattern: is not a valid RE2 pattern",
            ],
        ),
        // A default is a value of its cell, and one of the table a value of the table.
        (
            "table",
            json!({"dimensions": [
                {"type": "number", "label": "x", "default_value": "x"},
                {"type": "date", "label": "x", "default_value": "today"},
            ], "default_value": [{"field_1": 1}, {"field_1": "y"}]}),
            vec!["[0].default_value: must be a number", ".default_value[1].field_1: must be a number"],
        ),
    ] {
        let expected: Vec<String> = expected
            .into_iter()
            .map(|fault| if fault.starts_with('[') { format!(".dimensions{fault}") } else { fault.to_owned() })
            .collect();
        let mut said = faults(&owner, kind, &own);
        said.sort();
        let mut wanted = expected;
        wanted.sort();
        assert_eq!(said, wanted, "{kind} {own}");
    }
    for other in ["likert", "table", "matrix", "page_break", "description", "nps", "formula", "ranking", "hologram"] {
        let own = json!({"dimensions": [field(other, json!({}))]});
        let said = faults(&owner, "table", &own);
        assert_eq!(said.len(), 1, "{other}: {said:?}");
        let (at, message) = said[0].split_once(": ").expect("a fault");
        assert_eq!(at, ".dimensions[0].type", "{other}");
        for word in message.trim_start_matches("must be one of ").split(", ") {
            assert!(types.contains(word), "{word}");
        }
    }
    // The patterns of cells count as those of fields.
    let with_patterns = |count: usize| {
        let cells = json!({"dimensions": vec![field("name", json!({"pattern": "a"})); count]});
        json!([field("name", json!({"pattern": "a"})), field("table", cells)])
    };
    let make = |fields: Value| owner.post("/api/v1/forms", json!({"name": "x", "fields": fields}));
    assert_eq!(make(with_patterns(49)).status, 201);
    assert_eq!(make(with_patterns(50)).faults(), ["fields: may have at most 50 patterns"]);
}

/// A form of one table, and how to change its columns.
struct Table {
    owner: Caller,
    form: support::Form,
}

impl Table {
    fn of(dimensions: Value) -> Self {
        let owner = Server::shared().user();
        let form = owner.form(json!([field("table", json!({"dimensions": dimensions}))]));
        Self { owner, form }
    }

    fn edit(&self, dimensions: Value, confirmed: bool) -> support::Response {
        let table = json!({"api_code": "field_1", "type": "table", "label": "t", "dimensions": dimensions});
        self.owner.patch(self.form.path(), json!({"fields": [table], "confirm_data_loss": confirmed}))
    }

    fn write(&self, rows: Value) -> support::Response {
        self.owner.post(self.form.entries(), json!({"field_values": {"field_1": rows}}))
    }

    fn read(&self) -> Value {
        self.owner.get(self.form.entry(1)).data()["field_1"].clone()
    }

    fn codes(&self) -> Vec<String> {
        let form = self.owner.get(self.form.path()).data();
        let columns = form["fields"][0]["dimensions"].as_array().expect("columns").clone();
        columns.iter().map(|column| column["api_code"].as_str().expect("a name").to_owned()).collect()
    }
}

fn column(api_code: &str, kind: &str) -> Value {
    json!({"api_code": api_code, "type": kind, "label": kind})
}

#[test]
fn columns_are_numbered_within_their_field_and_never_again() {
    let table = Table::of(json!([field("name", json!({})), field("number", json!({})), field("date", json!({}))]));
    assert_eq!(table.codes(), ["field_1", "field_2", "field_3"]);
    let row = json!([{"field_1": "Ann", "field_2": 5, "field_3": "2026-11-20"}]);
    assert_eq!(table.write(row).status, 201);
    // The order is the list's; missing columns are removed, if that is confirmed.
    let less = json!([column("field_2", "number"), column("field_1", "name")]);
    assert_eq!(table.edit(less.clone(), false).faults(), ["fields.field_1.dimensions.field_3: holds data of 1 entry"]);
    assert_eq!(table.edit(less, true).status, 200);
    assert_eq!(table.codes(), ["field_2", "field_1"]);
    assert_eq!(table.read(), json!([{"field_1": "Ann", "field_2": 5}]));
    let more = json!([column("field_2", "number"), field("date", json!({}))]);
    assert_eq!(table.edit(more, true).status, 200);
    assert_eq!(table.codes(), ["field_2", "field_4"]);
    assert_eq!(table.read(), json!([{"field_2": 5}]));
    for (columns, fault) in [
        (json!([column("field_1", "name")]), "fields[0].dimensions[0].api_code: is not a column of this field"),
        (json!([column("field_9", "name")]), "fields[0].dimensions[0].api_code: is not a column of this field"),
        (
            json!([column("field_2", "number"), column("field_2", "number")]),
            "fields[0].dimensions[1].api_code: is listed twice",
        ),
        (json!([column("field_2", "date")]), "fields[0].dimensions[0].type: can't change from number to date"),
    ] {
        assert_eq!(table.edit(columns, true).faults(), [fault]);
    }
    // With the last column that a row had a value in, the row is removed.
    assert_eq!(table.edit(json!([column("field_4", "date")]), true).status, 200);
    assert_eq!(table.read(), json!([]));
}

#[test]
fn cells_go_with_the_type_of_their_column() {
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let of = |api_code: &str, kind: &str, choices: &Value| json!({"api_code": api_code, "type": kind, "label": kind, "choices": choices});
    let table = Table::of(json!([
        field("number", json!({})),
        field("radio", json!({"choices": choices})),
        field("date", json!({"precision": "day"})),
    ]));
    let row = json!({"field_1": 2.5, "field_2": {"value": "a"}, "field_3": "2026-11-20"});
    assert_eq!(table.write(json!([row, {"field_2": "b"}])).status, 201);
    let mut date = column("field_3", "date");
    date["precision"] = json!("month");
    let changed = json!([column("field_1", "short_text"), of("field_2", "checkbox", &choices), date]);
    assert_eq!(table.edit(changed, false).status, 200);
    assert_eq!(
        table.read(),
        json!([
            {"field_1": "2.5", "field_2": [{"value": "a"}], "field_3": "2026-11"},
            {"field_2": [{"value": "b"}]},
        ])
    );
    // A value that was read may be written back, and stays.
    let again = table.owner.patch(table.form.entry(1), json!({"field_values": {"field_1": table.read()}}));
    assert_eq!(again.data()["field_1"], table.read(), "{again}");
    // A choice that goes takes its answers along, and its name is spent.
    let only_b = json!([{"api_code": "b", "label": "B"}]);
    let less = json!([column("field_1", "short_text"), of("field_2", "checkbox", &only_b), column("field_3", "date")]);
    assert_eq!(
        table.edit(less.clone(), false).faults(),
        ["fields.field_1.dimensions.field_2.a: holds data of 1 entry"]
    );
    assert_eq!(table.edit(less, true).status, 200);
    assert_eq!(table.read(), json!([{"field_1": "2.5", "field_3": "2026-11-01"}, {"field_2": [{"value": "b"}]}]));
    let back = json!([column("field_1", "short_text"), of("field_2", "checkbox", &choices), column("field_3", "date")]);
    assert_eq!(
        table.edit(back, true).faults(),
        ["fields[0].dimensions[1].choices[0].api_code: was used before in this field"]
    );
}
