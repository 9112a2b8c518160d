//! Linked entries: searched by their label, number or public fields; shown as far as their form allows.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::queries::suggestions::{directory, link};
use crate::queries::{Query, all_of, fill, group, shown};

struct Case {
    owner: Caller,
    directory: Form,
    form: Form,
}

impl Case {
    fn new() -> Self {
        let owner = Server::shared().user();
        let directory = directory(&owner);
        let person = |name: &str, number: &str, town: &str| {
            let values = json!({
                "field_1": name, "field_2": {"country_id": "CN", "number": number},
                "field_3": format!("{town}-mail@example.com"), "field_4": town, "field_5": 4,
            });
            let made = owner.post(directory.entries(), json!({ "field_values": values })).is(201);
            made.data()["token"].clone()
        };
        let ada = person("Ada Lovelace", "13800138000", "mk-london");
        let grace = person("Grace Hopper", "13900139000", "mk-york");
        let form = owner.form(json!([link(&directory), field("short_text", json!({"label": "Topic"}))]));
        fill(
            &owner,
            &form,
            &[
                json!({"field_1": ada, "field_2": "Engines"}),
                json!({"field_1": grace, "field_2": "Compilers"}),
                json!({"field_2": "Nobody's"}),
                json!({"field_1": ada, "field_2": "Numbers"}),
            ],
        );
        Self { owner, directory, form }
    }

    fn by(&self, code: &str, fuzzy: bool) -> Query {
        let groups = json!([group("and", &[code], fuzzy)]);
        Query::ruled(&self.owner, &self.form, groups, shown(&["serial_number", "field_2"]))
    }

    fn finds(&self, code: &str, fuzzy: bool, value: Value, expected: &[i64]) {
        self.by(code, fuzzy).finds(json!({ code: value }), expected);
    }
}

#[test]
fn linked_entries_are_found_by_label_or_number() {
    let case = Case::new();
    for (value, expected) in [
        (json!("ada lovelace"), &[4, 1][..]),
        (json!("Ada"), &[]),
        (json!(2), &[2]),
        (json!("1"), &[4, 1]),
        (json!(9), &[]),
        // Neither by fields that are only searched by, nor by masked or private ones.
        (json!("mk-london"), &[]),
        (json!("13800138000"), &[]),
        (json!("mk-london-mail@example.com"), &[]),
    ] {
        case.finds("field_1", false, value, expected);
    }
    // Its token is no name.
    let token = case.owner.get(case.directory.entry(1)).data()["token"].clone();
    case.finds("field_1", false, token, &[]);
}

#[test]
fn linked_entries_are_found_by_public_fields() {
    let case = Case::new();
    let name = "field_1_associated_field_1";
    case.finds(name, false, json!("GRACE HOPPER"), &[2]);
    case.finds(name, false, json!("Grace"), &[]);
    case.finds(name, true, json!("lace"), &[4, 1]);
    let number = "field_1_associated_serial_number";
    case.finds(number, false, json!(1), &[4, 1]);
    case.finds(number, false, json!("2"), &[2]);
    case.finds(number, false, json!(3), &[]);
    // Changes of a linked entry are found here; one in the trash counts as none.
    case.owner.patch(case.directory.entry(1), json!({"field_values": {"field_1": "Ada King"}})).is(200);
    case.finds(name, false, json!("Ada King"), &[4, 1]);
    case.finds("field_1", false, json!("Ada King"), &[4, 1]);
    case.owner.delete(case.directory.entry(1)).is(200);
    case.finds(name, false, json!("Ada King"), &[]);
    case.finds("field_1", false, json!("Ada King"), &[]);
    case.finds(number, false, json!(1), &[]);
    case.owner.delete(case.directory.path()).is(200);
    case.finds("field_2", false, json!("Compilers"), &[2]);
}

#[test]
fn linked_values_shown_are_public_and_masked() {
    let case = Case::new();
    let codes = [
        "field_1_associated_field_1",
        "field_1_associated_field_2",
        "field_1_associated_field_5",
        "field_1_associated_serial_number",
    ];
    let rules = |protected: bool| -> Vec<Value> {
        let mut rules = vec![json!({"field": "serial_number"}), json!({"field": "field_1"})];
        rules.extend(codes.map(|field| json!({"field": field, "protected": protected})));
        rules
    };
    let query = Query::with(
        &case.owner,
        &case.form,
        all_of(&["field_2"]),
        json!(rules(true)),
        json!({"allow_to_export_results": true}),
    );
    let asked = json!({"field_2": "Engines"});
    let row = query.rows(&asked).remove(0);
    assert_eq!(row[codes[0]], "A**", "{row}");
    assert_eq!(row[codes[1]]["number"], "138****8000", "{row}");
    assert_eq!(row[codes[2]], 4, "{row}");
    assert_eq!(row[codes[3]], 1, "{row}");
    // Where a rule masks nothing, the linked form's own protection holds all the same.
    query.change(&case.owner, json!({"display_field_rules": rules(false)}));
    let row = query.rows(&asked).remove(0);
    assert_eq!(row[codes[0]], "Ada Lovelace", "{row}");
    assert_eq!(row[codes[1]]["number"], "138****8000", "{row}");
    let token = case.owner.get(case.directory.entry(1)).data()["token"].clone();
    for answer in [
        query.search(&asked),
        query.anon().get(query.typed(&asked)),
        query.anon().get(query.export("csv", &asked)),
        query.anon().get(query.page()),
        query.anon().get(query.public()),
    ] {
        assert_eq!(answer.status, 200, "{answer}");
        answer.lacks(["13800138000", "mk-london", "mk-york", "Hopper"]);
    }
    // Without a link, or with one into the trash, there is nothing to show.
    let row = query.rows(&json!({"field_2": "Nobody's"})).remove(0);
    for code in codes {
        assert_eq!(row[code], Value::Null, "{row}");
    }
    case.owner.delete(case.directory.entry(1)).is(200);
    let found = query.search(&asked);
    let row = found.data()[0].clone();
    for code in codes {
        assert_eq!(row[code], Value::Null, "{row}");
    }
    found.lacks(["Lovelace", token.as_str().expect("a token")]);
}

#[test]
fn fields_no_longer_public_are_no_longer_shown() {
    let case = Case::new();
    let rules = shown(&["serial_number", "field_1_associated_field_1", "field_1_associated_field_5"]);
    let query = Query::ruled(&case.owner, &case.form, all_of(&["field_2"]), rules);
    let by_name = case.by("field_1_associated_field_1", false);
    let asked = json!({"field_2": "Engines"});
    assert_eq!(query.rows(&asked)[0]["field_1_associated_field_1"], "Ada Lovelace");
    let mut fields = case.owner.get(case.form.path()).data()["fields"].clone();
    fields[0]["display_fields"][0]["public"] = json!(false);
    let edited = case.owner.patch(case.form.path(), json!({ "fields": fields }));
    // Either the edit is refused for the query's sake, or the query shows it no more.
    if edited.status == 200 {
        let row = query.rows(&asked).remove(0);
        assert_eq!(row.get("field_1_associated_field_1"), None, "{row}");
        assert_eq!(row["field_1_associated_field_5"], 4);
        by_name.finds(json!({"field_1_associated_field_1": "Ada Lovelace"}), &[]);
    } else {
        assert_eq!(edited.status, 422, "{edited}");
    }
}
