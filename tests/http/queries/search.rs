//! "Visitors must satisfy every group" (handbook): the inputs, the entries found, and the contents of a row.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::queries::{Query, all_of, any_of, condition, fill, group, people, restore, set_values, shown, simple};

/// Names, towns and ages.
fn filled() -> (Caller, Form) {
    let (owner, form) = people(Server::shared());
    fill(
        &owner,
        &form,
        &[
            json!({"field_1": "Ada Lovelace", "field_2": "London", "field_3": 36}),
            json!({"field_1": "Grace Hopper", "field_2": "New York", "field_3": 85}),
            json!({"field_1": "Ada Yonath", "field_2": "Jerusalem", "field_3": 36}),
            json!({"field_1": "Ada Lovelace", "field_2": "new york"}),
            json!({"field_2": "London", "field_3": 36}),
        ],
    );
    (owner, form)
}

fn asked(owner: &Caller, form: &Form, groups: Value) -> Query {
    Query::ruled(owner, form, groups, shown(&["serial_number"]))
}

#[test]
fn the_outline_has_what_a_page_needs() {
    let (owner, form) = filled();
    let query = Query::with(
        &owner,
        &form,
        json!([
            {"operand": "and", "fields": [{"field": "field_1", "label": "Your name", "fuzzy": true}]},
            {"operand": "or", "fields": [{"field": "field_2"}, {"field": "field_3"}]},
        ]),
        json!([{"field": "field_2"}, {"field": "field_3", "label": "Years"}]),
        json!({"scope_conditions": [condition("field_3", "ne", json!(4711))], "description": "Who is it?", "search_button": {"text": "Find them"}}),
    );
    let told = query.anon().get(query.public()).is(200);
    let data = told.data();
    assert_eq!(
        (&data["name"], &data["description"], &data["search_button"]["text"]),
        (&json!("Look up"), &json!("Who is it?"), &json!("Find them"))
    );
    // A field without its own label has the form's.
    told.has(["Your name", "Town", "Age", "Years", "field_1", "field_2", "field_3"]);
    // The owner's own data is not shown.
    told.lacks(["4711", "scope_conditions", "views_count", "searches_count", "entry_token", "London"]);
    assert!(!told.text.contains(&form.token), "{told}");
    // The page has an input of each, with its label.
    let page = query.anon().get(query.page()).is(200);
    page.has([
        "name=\"field_1\"",
        "name=\"field_2\"",
        "name=\"field_3\"",
        "Your name",
        "Town",
        "Age",
        "Find them",
        "Who is it?",
    ]);
    assert!(!page.text.contains("London"), "{page}");
}

#[test]
fn and_groups_need_every_field() {
    let (owner, form) = filled();
    let query = asked(&owner, &form, all_of(&["field_1", "field_3"]));
    query.finds(json!({"field_1": "Ada Lovelace", "field_3": 36}), &[1]);
    query.finds(json!({"field_1": "Grace Hopper", "field_3": 36}), &[]);
    let both = query.refuses(json!({}), &["values.field_1", "values.field_3"]);
    assert_eq!(both.faults(), ["values.field_1: can't be blank", "values.field_3: can't be blank"]);
    for blank in [json!(""), json!("  "), json!("\u{3000}\n"), Value::Null] {
        query.refuses(json!({"field_1": "Ada Lovelace", "field_3": blank}), &["values.field_3"]);
        query.refuses(json!({"field_1": blank, "field_3": 36}), &["values.field_1"]);
    }
    // Blank fields of entries are found by nobody.
    query.finds(json!({"field_1": "null", "field_3": 36}), &[]);
}

#[test]
fn or_groups_need_one_field() {
    let (owner, form) = filled();
    let query = asked(&owner, &form, any_of(&["field_1", "field_2", "field_3"]));
    query.finds(json!({"field_1": "ada lovelace"}), &[4, 1]);
    query.finds(json!({"field_2": "London"}), &[5, 1]);
    query.finds(json!({"field_1": "", "field_2": "LONDON", "field_3": null}), &[5, 1]);
    // Any of them that matches is enough.
    query.finds(json!({"field_1": "Grace Hopper", "field_3": 36}), &[5, 3, 2, 1]);
    query.finds(json!({"field_1": "Nobody", "field_2": "Nowhere"}), &[]);
    let none = query.refuses(json!({}), &["values.field_1", "values.field_2", "values.field_3"]);
    for fault in none.faults() {
        assert!(fault.contains(": can't be blank unless"), "{none}");
    }
    query.refuses(json!({"field_1": " "}), &["values.field_1", "values.field_2", "values.field_3"]);
}

#[test]
fn every_group_must_hold() {
    let (owner, form) = filled();
    let groups = json!([group("and", &["field_1"], true), group("or", &["field_2", "field_3"], false),]);
    let query = asked(&owner, &form, groups);
    query.finds(json!({"field_1": "ada", "field_3": 36}), &[3, 1]);
    query.finds(json!({"field_1": "ada", "field_2": "New York"}), &[4]);
    query.finds(json!({"field_1": "ada", "field_2": "New York", "field_3": "36"}), &[4, 3, 1]);
    query.finds(json!({"field_1": "grace", "field_3": 36}), &[]);
    // All missing values are reported at once.
    query.refuses(json!({}), &["values.field_1", "values.field_2", "values.field_3"]);
    query.refuses(json!({"field_1": "ada"}), &["values.field_2", "values.field_3"]);
    query.refuses(json!({"field_2": "London"}), &["values.field_1"]);
}

#[test]
fn malformed_searches_are_refused() {
    let (owner, form) = filled();
    let query = asked(&owner, &form, all_of(&["field_1"]));
    for (body, attribute) in [
        (json!({}), "values"),
        (json!({"values": "x"}), "values"),
        (json!({"values": []}), "values"),
        (json!({"values": {"field_1": {}}}), "values.field_1"),
        (json!({"values": {"field_1": ["x"]}}), "values.field_1"),
        (json!({"values": {"field_1": true}}), "values.field_1"),
    ] {
        let refused = query.ask(body.clone());
        assert_eq!(refused.status, 422, "{body}: {refused}");
        let told = refused.attributes();
        assert!(told.iter().all(|it| it.starts_with(attribute)), "{body}: {refused}");
    }
    let path = format!("{}/search", query.public());
    let kind = Some("application/json");
    query.anon().send("POST", &path, kind, b"{").is(400);
    query.anon().send("POST", &path, Some("text/plain"), b"{}").is(415);
    for size in [json!(0), json!(101), json!(-1)] {
        let asked = json!({"values": {"field_1": "Ada Lovelace"}, "page_size": size});
        let refused = query.ask(asked);
        assert!([400, 422].contains(&refused.status), "{refused}");
    }
}

#[test]
fn fuzzy_values_have_two_characters() {
    let (owner, form) = filled();
    let query = asked(&owner, &form, json!([group("or", &["field_1", "field_2"], true)]));
    query.finds(json!({"field_1": "ov"}), &[4, 1]);
    query.finds(json!({"field_2": "new y"}), &[4, 2]);
    for short in ["a", " a ", "é", "%", "Я", "。"] {
        query.refuses(json!({"field_1": short}), &["values.field_1"]);
    }
    query.refuses(json!({"field_1": "a", "field_2": "b"}), &["values.field_1", "values.field_2"]);
    // Patterns are ordinary characters.
    for odd in ["%%", "__", "a%", "**", "L_n", ".*"] {
        query.finds(json!({"field_2": odd}), &[]);
    }
    // Exactly, one character is enough.
    let exact = asked(&owner, &form, all_of(&["field_1"]));
    exact.finds(json!({"field_1": "A"}), &[]);
    // The page shows the fault, and nothing runs.
    let page = query.anon().get(query.typed(&json!({"field_1": "a"})));
    assert!([200, 422].contains(&page.status), "{page}");
    assert!(!page.text.contains("Lovelace"), "{page}");
}

#[test]
fn a_character_that_is_a_word_is_enough_unless_it_is_masked() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("name", json!({})), field("short_text", json!({}))]));
    for (name, word) in [("蓝天", "あい"), ("雷", "김치"), ("Ada", "𠮷野家")] {
        owner.post(form.entries(), json!({"field_values": {"field_1": name, "field_2": word}})).is(201);
    }
    let groups = || json!([group("or", &["field_1", "field_2"], true)]);
    let query = asked(&owner, &form, groups());
    for (given, found) in [
        (json!({"field_1": "雷"}), 2),
        (json!({"field_1": " 蓝 "}), 1),
        (json!({"field_2": "あ"}), 1),
        (json!({"field_2": "김"}), 2),
        (json!({"field_2": "𠮷"}), 3),
    ] {
        query.finds(given, &[found]);
    }
    let rules = |code: &str, protected: bool| json!({"field": code, "protected": protected});
    let number = json!({"field": "serial_number"});
    for (protected, is_enough) in [(true, false), (false, true)] {
        let query =
            Query::ruled(&owner, &form, groups(), json!([number, rules("field_1", protected), rules("field_2", true)]));
        if is_enough {
            query.finds(json!({"field_1": "雷"}), &[2]);
        } else {
            query.refuses(json!({"field_1": "雷"}), &["values.field_1"]);
            query.finds(json!({"field_1": "蓝天"}), &[1]);
        }
        // Only names, phone numbers and emails are masked.
        query.finds(json!({"field_2": "김"}), &[2]);
    }
}

#[test]
fn the_page_finds_what_the_api_finds() {
    let (owner, form) = filled();
    let groups = json!([group("and", &["field_1"], true), group("or", &["field_2", "field_3"], false),]);
    let query = Query::with(
        &owner,
        &form,
        groups,
        shown(&["serial_number", "field_1", "field_2"]),
        json!({"messages": {"has_result": "<p>Here they <b>are</b></p>", "no_result": "<p>Nobody at all</p>"}}),
    );
    let page = |values: Value| query.anon().get(query.typed(&values));
    let found = page(json!({"field_1": "ada", "field_2": "", "field_3": "36"})).is(200);
    for (word, is_there) in [
        ("Ada Lovelace", true),
        ("Ada Yonath", true),
        ("Jerusalem", true),
        ("Grace", false),
        ("<p>Here they <b>are</b></p>", true),
        ("Nobody at all", false),
    ] {
        assert_eq!(found.text.contains(word), is_there, "{word}: {found}");
    }
    let newest = found.text.find("Yonath").expect("shown");
    assert!(newest < found.text.find("Lovelace").expect("shown"));
    let none = page(json!({"field_1": "nobody", "field_3": "36"})).is(200);
    assert!(none.text.contains("<p>Nobody at all</p>"), "{none}");
    assert!(!none.text.contains("Here they"), "{none}");
    // Missing values are reported, typed ones are kept, and nothing is searched.
    let missing = page(json!({"field_1": "ada", "field_2": "", "field_3": ""}));
    assert!([200, 422].contains(&missing.status), "{missing}");
    assert!(missing.text.contains("value=\"ada\""), "{missing}");
    missing.lacks(["Lovelace", "Here they", "Nobody at all"]);
    let before = page(json!({}));
    before.lacks(["Lovelace", "Here they", "Nobody at all"]);
}

#[test]
fn entries_out_of_scope_or_in_the_trash_are_not_found() {
    let (owner, form) = filled();
    let query = Query::with(
        &owner,
        &form,
        json!([group("and", &["field_1"], true)]),
        shown(&["serial_number"]),
        json!({"scope_conditions": [condition("field_3", "gte", json!(36)), condition("field_2", "ne", json!("Jerusalem")),]}),
    );
    let ada = json!({"field_1": "ada"});
    query.finds(ada.clone(), &[1]);
    // It follows the changes of entries.
    let change = |serial: i64, values: Value| set_values(&owner, &form, serial, values);
    change(4, json!({"field_3": 40}));
    query.finds(ada.clone(), &[4, 1]);
    change(1, json!({"field_3": 35}));
    query.finds(ada.clone(), &[4]);
    owner.delete(form.entry(4)).is(200);
    query.finds(ada.clone(), &[]);
    restore(&owner, form.trashed(4));
    query.finds(ada.clone(), &[4]);
    // A condition can't be lifted by a value for the same field.
    query.change(&owner, json!({"search_field_rules": [group("or", &["field_2", "field_3"], false)]}));
    query.finds(json!({"field_2": "Jerusalem"}), &[]);
    query.finds(json!({"field_3": 35}), &[]);
    query.change(&owner, json!({"scope_conditions": []}));
    query.finds(json!({"field_2": "Jerusalem"}), &[3]);
    query.finds(json!({"field_3": 35}), &[1]);
}

#[test]
fn rows_have_what_is_shown_and_no_more() {
    let (owner, form) = filled();
    let query = simple(&owner, &form);
    let row = query.rows(&json!({"field_1": "Grace Hopper"})).remove(0);
    let keys: Vec<&String> = row.as_object().expect("a row").keys().collect();
    assert_eq!(keys, ["entry_token", "serial_number", "field_1", "field_2"], "in the order of the rules: {row}");
    let entry = owner.get(form.entry(2)).data();
    assert_eq!(row["entry_token"], entry["token"]);
    for key in ["serial_number", "field_1", "field_2"] {
        assert_eq!(row[key], entry[key]);
    }
    // Each field at most once, in another order, and the entry's own properties.
    query.change(
        &owner,
        json!({"display_field_rules": shown(&["field_3", "created_at", "updated_at", "info_filling_duration"])}),
    );
    let row = query.rows(&json!({"field_1": "Grace Hopper"})).remove(0);
    let keys: Vec<&String> = row.as_object().expect("a row").keys().collect();
    assert_eq!(keys, ["entry_token", "field_3", "created_at", "updated_at", "info_filling_duration"]);
    for key in ["field_3", "created_at", "updated_at", "info_filling_duration"] {
        assert_eq!(row[key], entry[key], "{key}");
    }
}

#[test]
fn changes_are_found_at_once() {
    let (owner, form) = filled();
    let query = simple(&owner, &form);
    query.finds(json!({"field_1": "Newcomer"}), &[]);
    fill(&owner, &form, &[json!({"field_1": "Newcomer"})]);
    query.finds(json!({"field_1": "Newcomer"}), &[6]);
    set_values(&owner, &form, 6, json!({"field_1": "Gone"}));
    query.finds(json!({"field_1": "Newcomer"}), &[]);
    query.finds(json!({"field_1": "Gone"}), &[6]);
    // So is a change of the query.
    query.change(&owner, json!({"search_field_rules": all_of(&["field_3"])}));
    query.finds(json!({"field_3": 85}), &[2]);
    query.refuses(json!({"field_1": "Gone"}), &["values.field_3"]);
    // Respondents' entries are found like others.
    query.anon().post(form.submissions(), json!({"field_values": {"field_3": 85}})).is(201);
    query.finds(json!({"field_3": 85}), &[7, 2]);
}

#[test]
fn masked_values_are_masked_everywhere() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("name", json!({"label": "Name"})),
        field("phone", json!({"label": "Phone"})),
        field("email", json!({"label": "Mail"})),
        field("short_text", json!({"label": "Town"})),
    ]));
    let phone = |number: &str| json!({"country_id": "CN", "country_code": "86", "number": number});
    fill(
        &owner,
        &form,
        &[
            json!({"field_1": "Zoe Quartz", "field_2": phone("13812345678"), "field_3": "jabberwocky@example.com", "field_4": "X"}),
            json!({"field_4": "X"}),
        ],
    );
    let rules = |protected: bool| {
        ["serial_number", "field_1", "field_2", "field_3", "field_4"]
            .map(|code| json!({"field": code, "protected": protected}))
    };
    let query =
        Query::with(&owner, &form, all_of(&["field_4"]), json!(rules(true)), json!({"allow_to_export_results": true}));
    let x = json!({"field_4": "X"});
    let rows = query.rows(&x);
    assert_eq!(rows[1]["field_1"], "Z**");
    assert_eq!(rows[1]["field_2"], phone("138****5678"));
    assert_eq!(rows[1]["field_3"], "j***@example.com");
    // Values that are never masked are shown, and blank ones are blank.
    assert_eq!(rows[1]["field_4"], "X");
    for code in ["field_1", "field_2", "field_3"] {
        assert_eq!(rows[0][code], Value::Null, "{code}");
    }
    let answers =
        [query.search(&x).text, query.anon().get(query.typed(&x)).text, query.anon().get(query.export("csv", &x)).text];
    for text in answers {
        for (shown, hidden) in [("Z**", "Quartz"), ("138****5678", "13812345678"), ("j***@example.com", "jabberwocky")]
        {
            assert!(text.contains(shown) && !text.contains(hidden), "{text}");
        }
    }
    query.change(&owner, json!({"display_field_rules": rules(false)}));
    assert_eq!(query.rows(&x)[1]["field_1"], "Zoe Quartz");
}
