//! Values whose keys are misspelt: nothing of such a value would be stored, so it is refused wherever it comes
//! from, and the keys that are read are named (contract section 1).

use serde_json::{Value, json};
use support::{Form, Server, field};

/// One field of each kind whose values have keys, with values that have no known key, and the messages.
fn misspelt() -> Vec<(Value, Value, String)> {
    let choices = json!([{"api_code": "a", "label": "A", "is_other": true}, {"api_code": "b", "label": "B"}]);
    let statements = json!([{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}]);
    let columns = json!([{"type": "number", "label": "N"}, {"type": "short_text", "label": "T"}]);
    let selection = "must be a choice's api_code or an object with value";
    let radio = field("radio", json!({"choices": choices}));
    let checkbox = field("checkbox", json!({"choices": choices}));
    let likert = field("likert", json!({"statements": statements, "choices": [{"api_code": "x", "label": "X"}]}));
    let matrix = field("matrix", json!({"statements": statements, "dimensions": columns}));
    let rated = field(
        "matrix_rating",
        json!({"statements": statements, "dimensions": [{"api_code": "y", "label": "Y"}], "rating_max": 5}),
    );
    let table = field("table", json!({"dimensions": columns}));
    let goods = json!([{"api_code": "cake", "name": "Cake", "price": 1, "dimensions": [
        {"api_code": "size", "name": "Size", "options": [{"api_code": "l", "name": "large"}]},
    ]}]);
    let product = field("product", json!({"goods_items": goods}));
    let quotas = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": null}]});
    let items = json!([{"api_code": "tour", "name": "Tour", "quota_setting": quotas}]);
    let booking = field("booking", json!({"reservation_items": items}));
    let nodes = json!([{"api_code": "n", "label": "N", "children": [{"api_code": "m", "label": "M"}]}]);
    let cascade = field("cascade", json!({"choices": nodes}));
    vec![
        (radio.clone(), json!({"valeu": "a"}), "@: {selection}"),
        (radio.clone(), json!({"other_text": "x"}), "@: {selection}"),
        (field("dropdown", json!({"choices": choices})), json!({"other_text": "x"}), "@: {selection}"),
        (radio.clone(), json!({"value": null, "other_text": "x"}), "@: {selection}"),
        (radio.clone(), json!({"value": "", "extended_text": "x"}), "@: {selection}"),
        (checkbox.clone(), json!(["b", {"valeu": "a"}]), "@[1]: {selection}"),
        (checkbox, json!([{"other_text": "x"}]), "@[0]: {selection}"),
        (
            field("phone", json!({})),
            json!({"code": "49"}),
            "@: must have at least one of country_id, country_code, number",
        ),
        (
            field("address", json!({})),
            json!({"town": "Bonn"}),
            "@: must have at least one of address_line1, address_line2, city, state, postal_code, country",
        ),
        (
            field("location", json!({})),
            json!({"lat": 1, "lng": 2}),
            "@: must have at least one of longitude, latitude, address",
        ),
        (field("time", json!({})), json!({"hours": 10}), "@: must have at least one of hour, minute, second"),
        (cascade.clone(), json!({"level1": "n"}), "@: must have at least one of level_1, level_2"),
        (cascade, json!({"level_3": "n"}), "@: must have at least one of level_1, level_2"),
        (
            field("attachment", json!({})),
            json!([{"uploadid": "x"}]),
            "@[0]: must be an id, or an object with id or upload_id",
        ),
        (likert, json!({"r": ["x"]}), "@: must have at least one of s, t"),
        (matrix.clone(), json!({"r": {"field_1": 1}}), "@: must have at least one of s, t"),
        (matrix, json!({"t": {"feild_1": 1}}), "@.t: must have at least one of field_1, field_2"),
        (rated.clone(), json!({"r": {"y": 1}}), "@: must have at least one of s, t"),
        (rated, json!({"s": {"z": 1}}), "@.s: must have at least one of y"),
        (table, json!([{}, {"feild_1": 1}]), "@[1]: must have at least one of field_1, field_2"),
        (
            field("ranking", json!({"choices": [{"api_code": "x", "label": "X"}, {"api_code": "y", "label": "Y"}]})),
            json!({"z": 1}),
            "@.z: is not one of the choices",
        ),
        (product.clone(), json!([{"code": "cake", "number": 1}]), "@[0].api_code: can't be blank"),
        (
            product,
            json!([{"api_code": "cake", "number": 1, "specification": {"sise": "l"}}]),
            "@[0].specification.size: can't be blank: use one of l (large)",
        ),
        (booking, json!([{"item": "tour", "scheduled_at": "2030-01-07"}]), "@[0].api_code: can't be blank"),
    ]
    .into_iter()
    .map(|(field, value, said)| (field, value, said.replace("{selection}", selection)))
    .collect()
}

#[test]
fn a_value_without_a_known_key_is_refused_wherever_it_comes_from() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for (definition, value, said) in misspelt() {
        let form = owner.form(json!([definition]));
        let made = owner.post(form.entries(), json!({"field_values": {}}));
        assert_eq!(made.status, 201, "{made}");
        let body = json!({"field_values": {"field_1": value}});
        let one = said.replace('@', "field_values.field_1");
        for answer in [
            owner.post(form.entries(), body.clone()),
            owner.patch(form.entry(1), body.clone()),
            anon.post(form.submissions(), body.clone()),
        ] {
            assert_eq!(answer.status, 422, "{definition} {value}: {answer}");
            assert_eq!(answer.faults(), [&*one], "{definition} {value}");
        }
        let many = owner.post(format!("{}/bulk", form.entries()), json!({"entries": [{"field_values": {}}, body]}));
        assert_eq!(many.faults(), [format!("entries[1].{one}")], "{definition} {value}");
        assert_eq!(total(&owner, &form), 1);
    }
}

fn total(owner: &support::Caller, form: &Form) -> Value {
    owner.get(form.entries()).json()["pagination"]["total"].clone()
}

#[test]
fn a_linked_entry_is_named_by_its_token() {
    let owner = Server::shared().user();
    let other = owner.form(json!([field("name", json!({}))]));
    let form = owner.form(json!([field(
        "linked_form",
        json!({"form_token": other.token, "search_fields": [], "display_fields": []}),
    )]));
    let refused = owner.post(form.entries(), json!({"field_values": {"field_1": {"tokn": "x"}}}));
    assert_eq!(
        refused.faults(),
        ["field_values.field_1: must be the token of an entry, or an object with entry_token"]
    );
}

#[test]
fn cells_of_an_import_that_are_objects_are_read_alike() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("phone", json!({}))]));
    let path = format!("{}/import", form.entries());
    let csv = "field_1\n\"{\"\"code\"\": \"\"49\"\"}\"\n";
    let refused = owner.send("POST", &path, Some("text/csv"), csv.as_bytes());
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.faults(), ["rows[0].field_1: must have at least one of country_id, country_code, number"]);
}

#[test]
fn an_object_with_nothing_in_it_is_blank() {
    let owner = Server::shared().user();
    for (definition, _, _) in misspelt() {
        let form = owner.form(json!([definition]));
        let written = match definition["type"].as_str() {
            // Their values are lists.
            Some("checkbox") => json!([{}]),
            Some("table") => json!([{}]),
            Some("attachment" | "product" | "booking") => json!([]),
            _ => json!({}),
        };
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": written}}));
        assert_eq!(made.status, 201, "{definition}: {made}");
        let blank = owner.post(form.entries(), json!({"field_values": {}}));
        assert_eq!(made.data()["field_1"], blank.data()["field_1"], "{definition}");
    }
}

#[test]
fn a_known_key_beside_unknown_ones_is_enough() {
    let owner = Server::shared().user();
    let columns = json!([{"type": "number", "label": "N"}]);
    let statements = json!([{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}]);
    for (definition, value, read) in [
        (
            field("radio", json!({"choices": [{"api_code": "a", "label": "A"}]})),
            json!({"value": "a", "valeu": "b"}),
            json!({"value": "a"}),
        ),
        (
            field("table", json!({"dimensions": columns})),
            json!([{"x": 1}, {"field_1": 1, "x": 2}]),
            json!([{"field_1": 1}]),
        ),
        (
            field("matrix", json!({"statements": statements, "dimensions": columns})),
            json!({"s": {"field_1": 1}, "t": {"x": 1}, "r": 5}),
            json!({"s": {"field_1": 1}}),
        ),
        (field("phone", json!({})), json!({"country_id": "DE", "x": 1}), Value::Null),
    ] {
        let form = owner.form(json!([definition]));
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": value}}));
        assert_eq!(made.status, 201, "{definition}: {made}");
        assert_eq!(made.data()["field_1"], read, "{definition}");
    }
}
