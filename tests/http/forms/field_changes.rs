//! Changes of one field, such as its type or choices: the allowed ones, and their effect on the values (contract
//! section 3.2).

use serde_json::{Value, json};
use support::steps::add;
use support::tables::table_rows;
use support::world::World;
use support::{Server, field};

use crate::forms::{confirmed, entry, from_table, old, replace};

#[test]
fn changed_field_has_the_values_that_the_table_says() {
    for row in table_rows(include_str!("../tables/field_changes.txt")) {
        let [before, values, after, faults, shown] = row[..] else { panic!("five cells: {row:?}") };
        let list = |cell: &str| -> Vec<Value> { serde_json::from_str(cell).unwrap_or_else(|e| panic!("{row:?}: {e}")) };
        let (kind, own) = from_table(before);
        let values = list(values).into_iter().map(|value| json!({ "field_1": value }));
        let World { owner, form, .. } = World::with(json!([field(kind, own)])).entries(values);
        let steps = after.split(" > ").map(from_table).map(|(kind, own)| json!([old("field_1", kind, own)]));
        let mut steps: Vec<Value> = steps.collect();
        let last = steps.pop().expect("a change");
        for fields in steps {
            let answer = replace(&owner, &form, fields);
            assert_eq!(answer.status, 200, "{row:?}: {answer}");
        }
        let answer = replace(&owner, &form, last.clone());
        let expected: Vec<&str> = if faults == "-" { Vec::new() } else { vec![faults] };
        assert_eq!(answer.faults(), expected, "{row:?}: {answer}");
        if faults.starts_with("fields.") {
            confirmed(&owner, &form, last.clone());
        }
        if !faults.starts_with("fields[") {
            // The same again loses nothing more.
            let again = replace(&owner, &form, last.clone());
            assert_eq!((again.status, &again.data()["fields"][0]["type"]), (200, &last[0]["type"]), "{row:?}: {again}");
        }
        for (serial, value) in (1..).zip(list(shown)) {
            assert_eq!(entry(&owner, &form, serial)["field_1"], value, "{row:?}");
            // A value that was read can be written.
            let written = owner.patch(form.entry(serial), json!({"field_values": {"field_1": value}}));
            assert_eq!(written.data()["field_1"], value, "{row:?}: {written}");
        }
    }
}

#[test]
fn every_other_change_of_type_is_refused() {
    let owner = Server::shared().user();
    let texts = ["short_text", "long_text", "name"];
    let others = ["email", "phone", "number", "date", r#"radio ["a"]"#, r#"checkbox ["a"]"#, "page_break"];
    let kinds: Vec<_> =
        texts.into_iter().chain(others).chain([r#"description {"content": "x"}"#]).map(from_table).collect();
    let is_allowed = |from: &str, to: &str| {
        from == to
            || texts.contains(&from) && texts.contains(&to)
            || (from, to) == ("radio", "checkbox")
            || to == "short_text" && ["number", "email", "phone"].contains(&from)
    };
    for (from, own) in &kinds {
        let form = owner.form(json!([field(from, own.clone())]));
        for (to, own) in kinds.iter().filter(|(to, _)| !is_allowed(from, to)) {
            replace(&owner, &form, json!([old("field_1", to, own.clone())]))
                .refuses_with(&[&format!("fields[0].type: can't change from {from} to {to}")]);
        }
    }
}

#[test]
fn unique_holds_through_changes_of_type() {
    let unique = json!({"unique": true});
    let changed = |kind: &str, own: &Value, values: &[Value]| {
        let values = values.iter().map(|value| json!({ "field_1": value }));
        let world = World::with(json!([field(kind, own.clone())])).entries(values);
        replace(&world.owner, &world.form, json!([old("field_1", "short_text", unique.clone())])).is(200);
        world
    };
    for (kind, value, text) in [
        ("number", json!(12), "12"),
        ("number", json!(1.5), "1.5"),
        ("number", json!(1e21), "1e+21"),
        ("number", json!(1e17), "100000000000000000"),
        ("number", json!(-0.0), "0"),
        ("email", json!("Ada@Example.com"), "Ada@Example.com"),
        ("phone", json!({"country_id": "CN", "number": "13812345678"}), "+86 13812345678"),
        ("phone", json!({"country_id": "DE", "number": "0151 23456789"}), "+49 15123456789"),
        ("long_text", json!("Ada"), "Ada"),
    ] {
        let World { owner, form, .. } = changed(kind, &unique, &[value]);
        let double = || owner.post(form.entries(), json!({"field_values": {"field_1": text}}));
        let taken = double();
        assert_eq!(taken.faults(), ["field_values.field_1: has already been taken"], "{kind} {text}: {taken}");
        // And a value is free again with the entry that had it.
        owner.delete(form.entry(1)).is(200);
        assert_eq!(double().status, 201, "{kind} {text}");
        // A field that was not unique takes its first values then.
        let World { owner, form, .. } = changed(kind, &json!({}), &[]);
        add(&owner, &form, json!({ "field_1": text }));
    }
}
