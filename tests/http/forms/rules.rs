//! Field rules at work (contract section 5): over the API, on updates, with edits of the form, and on
//! the page as a browser without a script uses it.

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field};

pub fn rule(action: &str, operand: &str, items: Value, fields: Value) -> Value {
    json!({"condition": {"operand": operand, "items": items}, "action": action, "fields": fields})
}

pub fn when(field: &str, operator: &str, value: Value) -> Value {
    json!({"field": field, "operator": operator, "value": value})
}

fn set(owner: &Caller, form: &Form, rules: Value) {
    let done = owner.put(format!("{}/field_rules", form.path()), json!({"rules": rules}));
    assert_eq!(done.status, 200, "{done}");
}

fn text(own: Value) -> Value {
    field("short_text", own)
}

/// A choice and three texts; the second of them must be answered.
fn simple(owner: &Caller) -> Form {
    owner.form(json!([
        field(
            "radio",
            json!({"choices": [
            {"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}, {"api_code": "c", "label": "C"}]})
        ),
        text(json!({})),
        text(json!({"required": true})),
        text(json!({})),
    ]))
}

/// What becomes of values: the entry's fields from the second on, or the faults.
fn sent(caller: &Caller, path: &str, values: Value) -> Result<[Value; 3], Vec<String>> {
    let answer = caller.post(path, json!({"field_values": values}));
    if answer.status != 201 {
        return Err(answer.faults());
    }
    let data = answer.data();
    let entry = data.get("entry").unwrap_or(&data);
    Ok(["field_2", "field_3", "field_4"].map(|code| entry[code].clone()))
}

fn blank(code: &str) -> Result<[Value; 3], Vec<String>> {
    Err(vec![format!("field_values.{code}: can't be blank")])
}

#[test]
fn every_action_holds_for_api_and_collaborators() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let is_a = || when("field_1", "eq", json!("a"));
    let x = || when("field_2", "like", json!("X"));
    let both = |operand: &str, action: &str| rule(action, operand, json!([is_a(), x()]), json!(["field_3", "field_4"]));
    let all = json!({"field_1": "a", "field_2": "xx", "field_3": "3", "field_4": "4"});
    let none = json!({"field_1": "b", "field_2": "y", "field_3": "3", "field_4": "4"});
    let one = json!({"field_1": "a", "field_2": "y", "field_3": "3", "field_4": "4"});
    let kept = |second: &str| Ok([json!(second), json!("3"), json!("4")]);
    let gone = |second: &str| Ok([json!(second), json!(null), json!(null)]);
    for (rules, values, outcome) in [
        // Shown while it holds; hidden, it is neither kept nor needed.
        (json!([both("and", "show")]), &all, kept("xx")),
        (json!([both("and", "show")]), &one, gone("y")),
        (json!([both("or", "show")]), &one, kept("y")),
        (json!([both("or", "show")]), &none, gone("y")),
        (json!([both("or", "show")]), &json!({}), Ok([json!(null), json!(null), json!(null)])),
        (json!([both("or", "show")]), &json!({"field_1": "a"}), blank("field_3")),
        // One of several rules that show is enough; one that hides is too.
        (
            json!([
                rule("show", "and", json!([is_a()]), json!(["field_3"])),
                rule("show", "and", json!([x()]), json!(["field_3"]))
            ]),
            &json!({"field_1": "b", "field_2": "x", "field_3": "3"}),
            Ok([json!("x"), json!("3"), json!(null)]),
        ),
        (
            json!([
                rule("show", "and", json!([is_a()]), json!(["field_3"])),
                rule("hide", "and", json!([x()]), json!(["field_3"]))
            ]),
            &json!({"field_1": "a", "field_2": "x", "field_3": "3"}),
            Ok([json!("x"), json!(null), json!(null)]),
        ),
        (json!([both("and", "hide")]), &all, gone("xx")),
        (json!([both("and", "hide")]), &one, kept("y")),
        (json!([both("or", "hide")]), &one, gone("y")),
        // Needed while it holds.
        (
            json!([rule("require", "and", json!([is_a()]), json!(["field_4"]))]),
            &json!({"field_1": "a", "field_3": "3"}),
            blank("field_4"),
        ),
        (
            json!([rule("require", "and", json!([is_a()]), json!(["field_4"]))]),
            &json!({"field_1": "b", "field_3": "3"}),
            Ok([json!(null), json!("3"), json!(null)]),
        ),
        (
            json!([
                rule("require", "and", json!([is_a()]), json!(["field_4"])),
                rule("hide", "and", json!([x()]), json!(["field_4"]))
            ]),
            &json!({"field_1": "a", "field_2": "x", "field_3": "3", "field_4": "4"}),
            Ok([json!("x"), json!("3"), json!(null)]),
        ),
        // What a rule hides counts as blank for the next.
        (
            json!([
                rule("hide", "and", json!([is_a()]), json!(["field_2"])),
                rule("hide", "and", json!([{"field": "field_2", "operator": "null"}]), json!(["field_3"])),
                rule("show", "and", json!([{"field": "field_3", "operator": "not_null"}]), json!(["field_4"])),
            ]),
            &all,
            Ok([json!(null), json!(null), json!(null)]),
        ),
        (
            json!([
                rule("hide", "and", json!([is_a()]), json!(["field_2"])),
                rule("hide", "and", json!([{"field": "field_2", "operator": "null"}]), json!(["field_3"])),
                rule("show", "and", json!([{"field": "field_3", "operator": "not_null"}]), json!(["field_4"])),
            ]),
            &none,
            kept("y"),
        ),
    ] {
        let form = simple(&owner);
        set(&owner, &form, rules.clone());
        for (caller, path) in [(&anon, form.submissions()), (&owner, form.entries())] {
            assert_eq!(sent(caller, &path, values.clone()), outcome, "{rules} {values}");
        }
    }
}

#[test]
fn faults_of_hidden_fields_are_none() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("number", json!({"min": 0})),
        field("number", json!({"required": true})),
        field("email", json!({"default_value": "a@example.com"})),
    ]));
    set(
        &owner,
        &form,
        json!([rule("show", "and", json!([when("field_1", "gt", json!(5))]), json!(["field_2", "field_3"]))]),
    );
    let answer = |values: Value| anon.post(form.submissions(), json!({"field_values": values}));
    let hidden = answer(json!({"field_1": 5, "field_2": "wrong", "field_3": "wrong"}));
    assert_eq!(hidden.status, 201, "{hidden}");
    assert_eq!(hidden.data()["entry"]["field_3"], json!(null), "no default either: {hidden}");
    assert_eq!(
        answer(json!({"field_1": 6, "field_2": "wrong", "field_3": "wrong"})).faults(),
        ["field_values.field_2: must be a number", "field_values.field_3: is not an e-mail address"]
    );
    // A value that is refused is none, so nothing is shown for it.
    assert_eq!(answer(json!({"field_1": "9"})).faults(), ["field_values.field_1: must be a number"]);
    let shown = answer(json!({"field_1": 6, "field_2": 1}));
    assert_eq!(shown.data()["entry"]["field_3"], "a@example.com");
}

#[test]
fn an_update_follows_the_rules_from_what_it_changes_on() {
    let owner = Server::shared().user();
    let form = simple(&owner);
    let patch = |values: Value| owner.patch(form.entry(1), json!({"field_values": values}));
    let first = json!({"field_values": {"field_1": "a", "field_3": "3", "field_4": "4"}});
    assert_eq!(owner.post(form.entries(), first).status, 201);
    // Rules that come later take nothing away, until the entry changes where they look.
    let is_b = json!([when("field_1", "eq", json!("b"))]);
    set(
        &owner,
        &form,
        json!([
            rule("show", "and", is_b.clone(), json!(["field_4"])),
            rule("require", "and", is_b, json!(["field_2"])),
        ]),
    );
    let other = patch(json!({"field_3": "33"})).data();
    assert_eq!((&other["field_3"], &other["field_4"]), (&json!("33"), &json!("4")));
    assert_eq!(patch(json!({"field_1": "b"})).faults(), ["field_values.field_2: can't be blank"]);
    let shown = patch(json!({"field_1": "b", "field_2": "2"})).data();
    assert_eq!((&shown["field_2"], &shown["field_4"]), (&json!("2"), &json!("4")));
    let hidden = patch(json!({"field_1": "c"})).data();
    assert_eq!((&hidden["field_2"], &hidden["field_4"]), (&json!("2"), &json!(null)));
    assert_eq!(patch(json!({"field_4": "back"})).data()["field_4"], json!(null));
    assert_eq!(patch(json!({"field_3": null})).faults(), ["field_values.field_3: can't be blank"]);
}

#[test]
fn formulas_and_rules_work_together() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        field("number", json!({})),
        field("number", json!({})),
        field("formula", json!({"expression": "SUM(field_1, field_2)", "result_type": "number"})),
        text(json!({})),
        field("formula", json!({"expression": "CONCAT(field_4, \"!\")", "result_type": "text", "required": true})),
    ]));
    let path = format!("{}/field_rules", form.path());
    let big = || json!([when("field_3", "gte", json!(10))]);
    set(
        &owner,
        &form,
        json!([
            rule("show", "and", json!([when("field_1", "gt", json!(1))]), json!(["field_2"])),
            rule("show", "and", big(), json!(["field_4"])),
            rule("require", "and", big(), json!(["field_4", "field_5"])),
        ]),
    );
    let sent = |values: Value| server.anon().post(form.submissions(), json!({"field_values": values}));
    let entry = |values: Value| sent(values).data()["entry"].clone();
    let hidden = entry(json!({"field_1": 1, "field_2": 99, "field_4": "x"}));
    assert_eq!((&hidden["field_3"], &hidden["field_4"], &hidden["field_5"]), (&json!(1), &json!(null), &json!("!")));
    let shown = entry(json!({"field_1": 2, "field_2": 99, "field_4": "x"}));
    assert_eq!((&shown["field_3"], &shown["field_5"]), (&json!(101), &json!("x!")));
    assert_eq!(sent(json!({"field_1": 20})).faults(), ["field_values.field_4: can't be blank"]);
    // A rule may not hide what a formula needs for what the rule looks at.
    let fields = |first: Value| json!([first, form.body["fields"][0], form.body["fields"][1], form.body["fields"][2]]);
    let moved =
        owner.patch(form.path(), json!({"fields": fields(form.body["fields"][3].clone()), "confirm_data_loss": true}));
    assert_eq!(
        moved.faults(),
        [2, 3].map(|rule| format!("fields[3]: doesn't fit field rule {rule}, which looks at it: must stand before the fields that the rule is about"))
    );
    let early = owner.form(json!([
        field("formula", json!({"expression": "field_2 + 1", "result_type": "number"})),
        field("number", json!({})),
    ]));
    let round = json!({"rules": [rule("hide", "and", json!([when("field_1", "gt", json!(1))]), json!(["field_2"]))]});
    let refused = owner.put(format!("{}/field_rules", early.path()), round);
    assert_eq!(
        refused.faults(),
        ["rules[0].fields: must not name a field of which a formula makes what the rule looks at"]
    );
    assert_eq!(owner.get(&path).data()["rules"].as_array().map(Vec::len), Some(3));
    // Nor may an edit of the formula make it so.
    let mut later = form.body["fields"].as_array().expect("fields").clone();
    later[2]["expression"] = json!("SUM(field_1, field_2, LEN(field_4))");
    let edited = owner.patch(form.path(), json!({"fields": later}));
    assert_eq!(edited.faults(), ["fields[3]: makes what field rule 2 looks at, which is about it"]);
}

#[test]
fn the_texts_of_conditions_are_taken_as_answers_are() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("long_text", json!({})), text(json!({})), text(json!({})), text(json!({})),]));
    let shown = |value: &str| {
        let when = json!([when("field_1", "eq", json!(value))]);
        json!([rule("show", "and", when, json!(["field_2"]))])
    };
    set(&owner, &form, shown("one\r\ntwo"));
    for lines in ["one\r\ntwo", "one\ntwo"] {
        let values = json!({"field_1": lines, "field_2": "kept"});
        let kept = sent(&owner, &form.entries(), values).expect("an entry");
        assert_eq!(kept[0], "kept", "{lines:?}");
    }
    let refused = owner.put(format!("{}/field_rules", form.path()), json!({"rules": shown("one\0two")}));
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.faults(), ["rules[0].condition.items[0].value: must not contain NUL characters"]);
}

#[test]
fn conditions_look_into_columns() {
    let server = Server::shared();
    let owner = server.user();
    let column = |kind: &str| field(kind, json!({}));
    let form = owner.form(json!([
        field("table", json!({"dimensions": [column("number"), column("short_text")]})),
        text(json!({})),
        text(json!({})),
    ]));
    let path = format!("{}/field_rules", form.path());
    let of = |field: &str, operator: &str, value: Value, target: &str| {
        rule("show", "and", json!([when(field, operator, value)]), json!([target]))
    };
    for (field, operator, fault) in [
        ("field_1", "not_null", "field: can't be used in a condition"),
        ("field_1.field_3", "not_null", "field: is not a field of this form"),
        (
            "field_1.field_1",
            "like",
            "operator: must be one of eq, ne, any_in, none_in, gt, gte, lt, lte, between, not_between, null, not_null",
        ),
        ("field_1.field_1", "gt", "value: must be a number"),
    ] {
        let refused = owner.put(&path, json!({"rules": [of(field, operator, json!("x"), "field_2")]}));
        assert_eq!(refused.faults(), [format!("rules[0].condition.items[0].{fault}")], "{field} {operator}");
    }
    set(
        &owner,
        &form,
        json!([
            of("field_1.field_1", "gt", json!(5), "field_2"),
            of("field_1.field_2", "none_in", json!(["x"]), "field_3"),
        ]),
    );
    for (rows, shown) in [
        (json!([]), [false, true]),
        (json!([{"field_1": 1, "field_2": "x"}, {"field_1": 6}]), [true, false]),
        (json!([{"field_1": 5, "field_2": "y"}]), [false, true]),
    ] {
        let sent = server
            .anon()
            .post(form.submissions(), json!({"field_values": {"field_1": rows, "field_2": "2", "field_3": "3"}}));
        let entry = &sent.data()["entry"];
        assert_eq!([entry["field_2"] == "2", entry["field_3"] == "3"], shown, "{rows}: {sent}");
    }
    // The page's script is not told what it can't see: it asks.
    let page = server.anon().get(form.page());
    assert!(page.text.contains("&quot;asks&quot;:true") && !page.text.contains("field_1.field_1&quot;"), "{page}");
    // A column that goes takes its rules along.
    let mut fields = form.body["fields"].as_array().expect("fields").clone();
    fields[0]["dimensions"].as_array_mut().expect("columns").remove(0);
    let edited = owner.patch(form.path(), json!({"fields": fields, "confirm_data_loss": true}));
    assert_eq!(edited.status, 200, "{edited}");
    assert_eq!(owner.get(&path).data()["rules"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_edit_of_the_fields_keeps_rules_true() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("number", json!({})), text(json!({})), text(json!({})),]));
    set(&owner, &form, json!([rule("show", "and", json!([when("field_1", "gt", json!(1))]), json!(["field_2"]))]));
    let fields = form.body["fields"].as_array().expect("fields").clone();
    let edit = |fields: Value| owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(
        edit(json!([fields[1], fields[0], fields[2]])).faults(),
        ["fields[1]: doesn't fit field rule 1, which looks at it: must stand before the fields that the rule is about"]
    );
    let mut other = fields[0].clone();
    other["type"] = json!("short_text");
    assert_eq!(
        edit(json!([other, fields[1], fields[2]])).faults(),
        [
            "fields[0]: doesn't fit field rule 1, whose operator must be one of eq, ne, any_in, none_in, like, not_like, null, not_null"
        ]
    );
    assert_eq!(edit(json!([fields[0], fields[2], fields[1]])).status, 200);
    // A field that goes takes its rules along.
    assert_eq!(edit(json!([fields[2], fields[1]])).status, 200);
    assert_eq!(owner.get(format!("{}/field_rules", form.path())).data(), json!({"rules": []}));
}

#[test]
fn page_breaks_are_no_targets_and_hidden_fields_are_not_told() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        text(json!({})),
        text(json!({"hidden": true, "default_value": "planted"})),
        {"type": "page_break"},
        text(json!({})),
        text(json!({"hidden": true})),
    ]));
    let path = format!("{}/field_rules", form.path());
    let of =
        |field: &str, targets: Value| rule("show", "and", json!([{"field": field, "operator": "not_null"}]), targets);
    let refused = owner.put(&path, json!({"rules": [of("field_1", json!(["field_3"]))]}));
    assert_eq!(refused.faults(), ["rules[0].fields[0]: must not be a page break: name the fields of the page"]);
    set(
        &owner,
        &form,
        json!([
            of("field_2", json!(["field_4"])),
            of("field_1", json!(["field_4", "field_5"])),
            of("field_1", json!(["field_5"])),
        ]),
    );
    let shown = server.anon().get(form.published());
    assert_eq!(shown.data()["field_rules"], json!([of("field_1", json!(["field_4"]))]));
    for text in [shown.text, server.anon().get(form.page()).text] {
        assert!(!text.contains("field_2") && !text.contains("planted") && !text.contains("field_5"), "{text}");
    }
    // The default of a hidden field counts all the same.
    let sent = server.anon().post(form.submissions(), json!({"field_values": {"field_4": "x"}}));
    assert_eq!(sent.data()["entry"]["field_4"], "x");
}

/// What a page posts, as a browser without a script: the fields and where to go.
fn post(form: &Form, page: &str, action: &str, hidden: &str, fields: &[(&str, &str)]) -> Response {
    let mut pairs = vec![("_page", page), ("_action", action), ("_hidden", hidden)];
    pairs.extend(fields);
    Server::shared().anon().post_form(form.page(), &pairs)
}

/// The value of a hidden input.
fn input(page: &Response, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let rest = page.text.split(&start).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no {name}: {page}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

fn is_hidden(page: &Response, code: &str) -> bool {
    let start = format!("data-field=\"{code}\"");
    let rest = page.text.split(&start).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no {code}: {page}"));
    rest.trim_start().starts_with("hidden")
}

#[test]
fn a_round_trip_shows_what_became_visible() {
    let server = Server::shared();
    let owner = server.user();
    let form = simple(&owner);
    set(
        &owner,
        &form,
        json!([
            rule("show", "and", json!([when("field_1", "eq", json!("a"))]), json!(["field_3"])),
            rule("show", "and", json!([when("field_1", "eq", json!("b"))]), json!(["field_4"])),
        ]),
    );
    let first = server.anon().get(form.page());
    assert_eq!(input(&first, "_hidden"), "field_3 field_4");
    assert!(is_hidden(&first, "field_3") && !is_hidden(&first, "field_2"), "{first}");
    // What was not seen is shown before anything is stored, with what is wrong and all that was typed.
    let typed = [("field_1", "a"), ("field_2", "kept"), ("field_4", "typed before")];
    let again = post(&form, "0", "submit", "field_3 field_4", &typed);
    assert_eq!(again.status, 422, "{again}");
    assert!(again.text.contains("There are more questions"), "{again}");
    assert!(again.text.contains("id=\"field_3-fault\""), "{again}");
    assert!(again.text.contains("value=\"kept\"") && again.text.contains("value=\"typed before\""), "{again}");
    assert_eq!((input(&again, "_hidden"), is_hidden(&again, "field_3")), ("field_4".to_owned(), false));
    // Also where it need not be answered.
    let optional = post(&form, "0", "submit", "field_3 field_4", &[("field_1", "b"), ("field_4", "")]);
    assert_eq!(optional.status, 422, "{optional}");
    assert!(optional.text.contains("There are more questions") && !optional.text.contains("-fault\""), "{optional}");
    // What was seen is stored, what is hidden is not.
    let done = post(&form, "0", "submit", "field_4", &[typed[0], typed[1], typed[2], ("field_3", "3")]);
    assert_eq!(done.status, 303, "{done}");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_3"], &entry["field_4"]), (&json!("3"), &json!(null)), "{entry}");
    // Others may post without the page, and are taken at their word.
    let plain = server.anon().post_form(form.page(), &[("field_1", "b"), ("field_4", "4")]);
    assert_eq!(plain.status, 303, "{plain}");
}

#[test]
fn pages_without_a_question_are_passed_over() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        text(json!({})),
        {"type": "page_break"},
        text(json!({"required": true})),
        {"type": "description", "label": "d", "content": "<p>Only for those who are asked.</p>"},
        {"type": "page_break"},
        text(json!({})),
        text(json!({})),
    ]));
    set(
        &owner,
        &form,
        json!([
            rule("show", "and", json!([when("field_1", "eq", json!("more"))]), json!(["field_3", "field_4"])),
            rule("hide", "and", json!([when("field_1", "eq", json!("less"))]), json!(["field_6", "field_7"])),
            rule("show", "and", json!([{"field": "field_6", "operator": "not_null"}]), json!(["field_7"])),
        ]),
    );
    let to = |page: &str, action: &str, first: &str, hidden: &str| {
        post(&form, page, action, hidden, &[("field_1", first), ("field_3", "3")])
    };
    let page = |answer: &Response| (answer.status, input(answer, "_page"));
    assert_eq!(page(&to("0", "next", "x", "field_3 field_4 field_7")), (200, "2".to_owned()));
    assert_eq!(page(&to("0", "next", "more", "field_3 field_4 field_7")), (200, "1".to_owned()));
    assert_eq!(page(&to("2", "back", "x", "field_3 field_4 field_7")), (200, "0".to_owned()));
    assert_eq!(page(&to("2", "back", "more", "field_7")), (200, "1".to_owned()));
    // With nothing behind it, a page is the last one.
    let last = to("1", "back", "less", "field_3 field_4 field_6 field_7");
    assert!(last.text.contains("value=\"submit\"") && !last.text.contains("value=\"next\""), "{last}");
    assert_eq!(to("0", "submit", "less", "field_3 field_4 field_6 field_7").status, 303);
    // Answers that bring pages back show them first.
    assert_eq!(page(&to("0", "submit", "x", "field_3 field_4 field_6 field_7")), (422, "2".to_owned()));
    // What appears on the page itself holds it back.
    let held = post(&form, "2", "next", "field_3 field_4 field_7", &[("field_1", "x"), ("field_6", "6")]);
    assert_eq!(page(&held), (422, "2".to_owned()));
    assert!(!is_hidden(&held, "field_7"), "{held}");
}

#[test]
fn marks_and_outputs_follow_the_answers() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        field("number", json!({})),
        text(json!({})),
        field("formula", json!({"expression": "field_1 * 1.1", "result_type": "number"})),
    ]));
    set(&owner, &form, json!([rule("require", "and", json!([when("field_1", "gt", json!(5))]), json!(["field_2"]))]));
    let fresh = server.anon().get(form.page());
    assert!(fresh.text.contains("data-mark=\"required\" hidden>(required)"), "{fresh}");
    assert!(fresh.text.contains("<output"), "{fresh}");
    let faulty = post(&form, "0", "submit", "", &[("field_1", "6")]);
    assert_eq!(faulty.status, 422, "{faulty}");
    assert!(faulty.text.contains("data-mark=\"required\">(required)"), "{faulty}");
    assert!(faulty.text.contains(">6.6</output>"), "{faulty}");
    let asked = server
        .anon()
        .header("Accept", "application/json")
        .post_form(form.page(), &[("_page", "0"), ("_action", "check"), ("field_1", "0.2")]);
    let found = asked.json();
    assert_eq!((&found["hidden"], &found["outputs"]), (&json!([]), &json!({"field_3": "0.22"})), "{found}");
}
