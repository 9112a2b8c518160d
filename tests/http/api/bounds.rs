//! Limits of one form, one entry and one answer: short requests that ask for much are refused, and what is accepted
//! stays small.

use serde_json::{Value, json};
use support::steps::make;
use support::{Caller, Form, Server, field};

use crate::form_page::own_entries::Own;

const HARD: &str = "[01]*1[01]{0,2000}";

fn texts(count: usize, own: &Value) -> Value {
    Value::from(vec![field("short_text", own.clone()); count])
}

#[test]
fn a_pattern_sees_only_texts_that_it_can_take() {
    let owner = Server::shared().user();
    let of = |own: Value| make(&owner, &json!([field("long_text", own)])).faults();
    for max in [json!(null), json!(100_000)] {
        assert_eq!(
            of(json!({"pattern": "[01]*1[01]{8000}", "max_length": max})),
            ["fields[0].pattern: is too large: use fewer or smaller repetitions"]
        );
        assert_eq!(
            of(json!({"pattern": HARD, "max_length": max})),
            ["fields[0].pattern: takes too many steps: give the field a max_length of at most 4996"]
        );
    }
    let hard = owner.form(json!([
        field("long_text", json!({"pattern": HARD, "max_length": 4000})),
        field("long_text", json!({"pattern": "[\\w\\s]+"})),
    ]));
    let submit = |key: &str, text: &str| {
        let anon = Server::shared().anon();
        anon.post(hard.submissions(), json!({"field_values": {key: text}}))
    };
    let long = "01".repeat(400_000);
    assert_eq!(submit("field_1", &long).faults(), ["field_values.field_1: is too long (at most 4000 characters)"]);
    assert_eq!(submit("field_2", &long).faults(), ["field_values.field_2: is too long (at most 100000 characters)"]);
    let wrong = "0".repeat(4_000);
    assert_eq!(submit("field_1", &wrong).faults(), ["field_values.field_1: has the wrong format"]);
    assert_eq!(submit("field_1", "0110").status, 201);
    assert_eq!(submit("field_2", &"a ".repeat(50_000)).status, 201);
    // An edit is held to the same as a new form.
    let edit = json!({"fields": [{"api_code": "field_1", "type": "long_text", "label": "x", "pattern": HARD}]});
    assert_eq!(owner.patch(hard.path(), edit).attributes(), ["fields[0].pattern"]);
}

#[test]
fn the_patterns_of_a_form_are_counted_together() {
    let owner = Server::shared().user();
    let together = "fields: have patterns that take too many steps together: give the fields with a pattern a \
                    smaller max_length";
    let hard = json!({"pattern": HARD, "max_length": 2000});
    assert_eq!(make(&owner, &texts(2, &hard)).status, 201);
    assert_eq!(make(&owner, &texts(3, &hard)).faults(), [together]);
    // Each row of a table and each statement of a matrix has its own text.
    let column = json!([{"type": "short_text", "label": "x", "pattern": HARD, "max_length": 1000}]);
    let table = |rows: usize| make(&owner, &json!([field("table", json!({"dimensions": column, "max_rows": rows}))]));
    assert_eq!(table(4).status, 201);
    assert_eq!(table(5).faults(), [together]);
    let matrix = |rows: usize| {
        let statements = vec![json!({"label": "s"}); rows];
        let own = json!({"dimensions": column, "statements": statements});
        make(&owner, &json!([field("matrix", own)]))
    };
    assert_eq!(matrix(4).status, 201);
    assert_eq!(matrix(5).faults(), [together]);
    // Usual ones count for little.
    for usual in [
        r"^\d{11}$",
        r"^[A-Z]{2}-\d{4}$",
        r"[^@\s]+@[^@\s]+\.[^@\s]+",
        r"[\w.+-]+@[\w-]+(\.[\w-]+)+",
        r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",
    ] {
        let made = make(&owner, &texts(50, &json!({"pattern": usual})));
        assert_eq!(made.status, 201, "{usual}: {made}");
    }
    let names = json!({"pattern": r"^[\p{L} '-]{2,60}$"});
    assert_eq!(make(&owner, &texts(15, &names)).status, 201);
}

#[test]
fn an_answer_lists_a_thousand_faults() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}]);
    let form = owner.form(json!([
        field("ranking", json!({"choices": choices})),
        field("table", json!({"dimensions": [{"type": "number", "label": "n"}]})),
    ]));
    let anon = Server::shared().anon();
    let ranks: Value = (0..40_000).map(|n| (format!("c{n}"), json!(1))).collect();
    let body = json!({"field_values": {"field_1": ranks}});
    let rows = vec![json!({"field_1": "x"}); 900];
    let both = json!({"field_values": {"field_1": body["field_values"]["field_1"], "field_2": rows}});
    for (answer, more) in [
        (anon.post(form.submissions(), body.clone()), 39_001),
        (owner.post(form.entries(), body), 39_001),
        // The table says 900 times that a row is wrong, and once that they are too many.
        (owner.post(form.entries(), both), 39_902),
    ] {
        let faults = answer.faults();
        assert_eq!((answer.status, faults.len()), (422, 1_000));
        assert_eq!(faults[999], format!("field_values: {more} more errors are not listed: correct these first"));
        assert!(answer.text.len() < 200_000, "{}", answer.text.len());
    }
    // The answers to the page's post and to its script are no larger.
    let names: Vec<String> = (0..900).map(|n| format!("field_1.c{n}")).collect();
    let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let page = anon.post_form(form.page(), &pairs);
    assert_eq!(page.status, 422);
    assert!(page.text.len() < 200_000, "{}", page.text.len());
    // A definition's faults are counted as well.
    let fields: Vec<Value> = (0..400).map(|_| json!({"type": 5, "required": 5, "hidden": 5})).collect();
    let faults = make(&owner, &json!(fields)).faults();
    assert_eq!(faults.len(), 1_000);
    assert_eq!(faults[999], "fields: 601 more errors are not listed: correct these first");
}

#[test]
fn names_of_a_clients_making_are_not_sent_back_whole() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let long = "k".repeat(900_000);
    let answer = owner.patch(format!("{}/settings", form.path()), json!({"exam": {"questions": {&long: 5}}}));
    assert_eq!(answer.status, 422);
    assert!(answer.text.len() < 2_000, "{}", answer.text.len());
    let twice = format!("\"{}\": 1", "k".repeat(500_000));
    for path in [form.entries(), format!("{}/bulk", form.entries())] {
        let body = format!("{{{twice}, {twice}}}");
        let answer = owner.send("POST", &path, Some("application/json"), body.as_bytes());
        assert_eq!(answer.status, 400, "{path}");
        assert!(answer.text.len() < 2_000, "{}", answer.text.len());
    }
}

/// A form whose formulas say a text over and over.
fn copying(owner: &Caller) -> Form {
    let copy = json!({"type": "formula", "label": "f", "expression": "CONCAT(field_1, \"!\")", "result_type": "text"});
    let mut fields = vec![field("long_text", json!({}))];
    fields.resize(301, copy);
    let form = owner.form(json!(fields));
    let settings = json!({"submission_options": {"allow_edit_after_submission": true}});
    let set = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(set.status, 200, "{set}");
    form
}

#[test]
fn computed_texts_of_an_entry_stay_below_a_mebibyte() {
    let owner = Server::shared().user();
    let form = copying(&owner);
    let anon = Server::shared().anon();
    let fault = "field_301: makes the computed texts of the entry longer than 1 MiB: use shorter answers";
    let (short, long) = ("x".repeat(3_494), "x".repeat(3_495));
    let values = |text: &str| json!({"field_values": {"field_1": text}});
    let made = anon.post(form.submissions(), values(&short));
    assert_eq!(made.status, 201);
    let refused = anon.post(form.submissions(), values(&long));
    assert_eq!(refused.faults(), [format!("field_values.{fault}")]);
    let refused = owner.post(form.entries(), values(&long));
    assert_eq!(refused.faults(), [format!("field_values.{fault}")]);
    let refused = owner.patch(form.entry(1), values(&long));
    assert_eq!(refused.faults(), [format!("field_values.{fault}")]);
    let own = Own::of(&form, json!({"field_1": short}));
    assert_eq!(own.patch(json!({"field_1": long})).faults(), [format!("field_values.{fault}")]);
    let bulk = json!({"entries": [values("a"), values(&long)]});
    let refused = owner.post(format!("{}/bulk", form.entries()), bulk);
    assert_eq!(refused.faults(), [format!("entries[1].field_values.{fault}")]);
    let import = format!("{}/import?dry_run=false", form.entries());
    let file = format!("field_1\n{long}\n");
    let refused = owner.send("POST", &import, Some("text/csv"), file.as_bytes());
    assert_eq!(refused.faults(), [format!("rows[0].{fault}")]);
    let page = anon.post_form(form.page(), &[("field_1", long.as_str())]);
    assert_eq!(page.status, 422);
    assert!(page.text.contains("Shorten some of them"), "{page}");
    assert!(page.text.len() < 3 << 20, "{}", page.text.len());
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 2);
}

#[test]
fn a_message_after_a_submission_holds_a_mebibyte_of_answers() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let text = json!({"title": "t", "description": "{{field_1}} ".repeat(500)});
    let settings = json!({"after_submission": {"mode": "show_message", "show_message": {"text": text}}});
    let set = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(set.status, 200, "{set}");
    let anon = Server::shared().anon();
    let submit = |letters: usize| {
        let text = "x".repeat(letters);
        let made = anon.post(form.submissions(), json!({"field_values": {"field_1": text}}));
        assert_eq!(made.status, 201, "{made}");
        made.text.matches('x').count()
    };
    assert!(submit(10) >= 501 * 10);
    let long = submit(90_000);
    assert!((1_000_000..1_300_000).contains(&long), "{long}");
}

#[test]
fn a_form_has_five_thousand_named_parts_and_a_page_of_a_mebibyte() {
    let owner = Server::shared().user();
    let choices = |count: usize| vec![json!({"label": "x"}); count];
    let dropdown = |count: usize| field("dropdown", json!({"choices": choices(count)}));
    let mut fields = vec![dropdown(1_000); 5];
    let form = owner.form(json!(fields));
    let page = Server::shared().anon().get(form.page());
    assert_eq!(page.status, 200);
    assert!(page.text.len() < 1 << 20, "{}", page.text.len());
    fields.push(dropdown(1));
    assert_eq!(
        make(&owner, &json!(fields)).faults(),
        ["fields: may have at most 5000 choices, statements and items in all, not 5001: split it into several forms"]
    );
    // Choices of columns count, and so do statements.
    let columns: Vec<Value> = vec![json!({"type": "dropdown", "label": "d", "choices": choices(90)}); 2];
    let table = field("table", json!({"dimensions": columns}));
    let refused = make(&owner, &json!(vec![table; 28]));
    assert!(refused.faults()[0].contains("not 5096"), "{refused}");
    // Each single limit is reached where its page is small enough.
    assert_eq!(make(&owner, &texts(500, &json!({}))).status, 201);
    let radio = field("radio", json!({"choices": choices(1_000)}));
    assert_eq!(make(&owner, &json!([radio])).status, 201);
}

#[test]
fn what_would_make_a_large_page_is_refused() {
    let owner = Server::shared().user();
    let large = "fields: would make a page of more than 1 MiB: use fewer or shorter choices, rows and texts, or split it into several forms";
    let anon = Server::shared().anon();
    let label = "\"".repeat(300);
    let checkbox = |count: usize| {
        let choices = vec![json!({"label": label}); count];
        json!(vec![field("checkbox", json!({"choices": choices})); 4])
    };
    assert_eq!(make(&owner, &checkbox(400)).faults(), [large]);
    let form = owner.form(checkbox(110));
    let page = anon.get(form.page());
    assert!((800_000..1_200_000).contains(&page.text.len()), "{}", page.text.len());
    // Labels of columns are repeated in each cell.
    let grid = |rows: usize| {
        let own = json!({
            "statements": vec![json!({"label": "s"}); rows],
            "choices": vec![json!({"label": "c".repeat(100)}); 100],
        });
        json!([field("likert", own)])
    };
    assert_eq!(make(&owner, &grid(100)).faults(), [large]);
    assert_eq!(make(&owner, &grid(20)).status, 201);
    let notes = json!({"notes": "n".repeat(61_500), "label": "x"});
    assert_eq!(make(&owner, &texts(17, &notes)).faults(), [large]);
    // Fields that respondents don't see make no page, until they are shown.
    let hidden = json!({"notes": "n".repeat(61_500), "label": "x", "hidden": true});
    let form = owner.form(texts(17, &hidden));
    let shown: Vec<Value> = (1..=17)
        .map(|n| json!({"api_code": format!("field_{n}"), "type": "short_text", "label": "x", "notes": "n".repeat(61_500)}))
        .collect();
    let edit = owner.patch(form.path(), json!({"fields": shown}));
    assert_eq!(edit.faults(), [large]);
}

#[test]
fn a_page_carries_so_many_rules_and_leaves_the_rest_to_the_server() {
    let owner = Server::shared().user();
    let choices = vec![json!({"label": "yes"}); 1_000];
    let form = owner.form(json!([field("dropdown", json!({"choices": choices})), field("short_text", json!({})),]));
    let like = json!({"field": "field_1", "operator": "like", "value": "e"});
    let condition = json!({"operand": "and", "items": vec![like; 50]});
    let rule = json!({"condition": condition, "action": "show", "fields": ["field_2"]});
    let rules = json!({"rules": vec![rule; 100]});
    let path = format!("{}/field_rules", form.path());
    assert_eq!(owner.put(path, rules).status, 200);
    let anon = Server::shared().anon();
    let page = anon.get(form.page());
    assert_eq!(page.status, 200);
    assert!(page.text.len() < 1 << 20, "{}", page.text.len());
    // They hold all the same.
    let submit = |values: Value| {
        let made = anon.post(form.submissions(), json!({"field_values": values}));
        made.data()["entry"]["field_2"].clone()
    };
    let chosen = form.body["fields"][0]["choices"][7]["api_code"].clone();
    assert_eq!(submit(json!({"field_1": chosen, "field_2": "x"})), "x");
    assert_eq!(submit(json!({"field_2": "x"})), json!(null));
}

#[test]
fn rows_that_anybody_sends_are_drawn_up_to_a_limit() {
    let owner = Server::shared().user();
    let options = vec![json!({"name": "o".repeat(400)}); 100];
    let good = json!({"api_code": "cake", "name": "Cake", "price": 1, "dimensions": [
        {"api_code": "size", "name": "Size", "options": options},
        {"api_code": "taste", "name": "Taste", "options": options},
    ]});
    let form = owner.form(json!([field("product", json!({"goods_items": [good]}))]));
    let names = |key: &str| -> Vec<String> { (0..450).map(|n| format!("field_1[{n}].{key}")).collect() };
    let (codes, numbers) = (names("api_code"), names("number"));
    let codes = codes.iter().map(|name| (name.as_str(), "cake"));
    let numbers = numbers.iter().map(|name| (name.as_str(), "x"));
    let pairs: Vec<(&str, &str)> = codes.chain(numbers).collect();
    let page = Server::shared().anon().post_form(form.page(), &pairs);
    assert_eq!(page.status, 422);
    assert!(page.text.len() < 6 << 20, "{}", page.text.len());
}

#[test]
fn attributes_that_no_one_asked_for_leave_rich_text() {
    let owner = Server::shared().user();
    let html = r#"<p title="Your bank" lang="de" class="c" id="i" style="color:red">x <a href="https://a.example/" title="t" lang="de">y</a></p>"#;
    let clean = r#"<p>x <a href="https://a.example/" rel="noopener noreferrer nofollow">y</a></p>"#;
    let form = owner
        .form(json!([field("short_text", json!({"notes": html})), field("description", json!({"content": html})),]));
    let fields = &form.body["fields"];
    assert_eq!((&fields[0]["notes"], &fields[1]["content"]), (&json!(clean), &json!(clean)));
    let text = json!({"after_submission": {"mode": "show_message", "show_message": {"rich_text": html}}});
    let set = owner.patch(format!("{}/settings", form.path()), text);
    assert_eq!(set.status, 200, "{set}");
    assert!(!set.text.contains("title=") && !set.text.contains("lang="), "{set}");
}

#[test]
fn masks_hide_enough_of_short_values() {
    let owner = Server::shared().user();
    let people = owner.form(json!([
        field("number", json!({})),
        field("name", json!({})),
        field("phone", json!({})),
        field("email", json!({})),
    ]));
    let fields: Vec<Value> = ["field_2", "field_3", "field_4"]
        .iter()
        .map(|code| json!({"api_code": code, "public": true, "protected": true}))
        .collect();
    let linking = owner.form(json!([field(
        "linked_form",
        json!({"form_token": people.token, "search_fields": ["field_1"], "display_fields": fields}),
    )]));
    let browse = json!({"browse_linked_entries": true});
    assert_eq!(owner.patch(format!("{}/settings", people.path()), browse).status, 200);
    let shown = |name: &str, country: &str, number: &str, email: &str| {
        let phone = json!({"country_id": country, "number": number});
        let values = json!({"field_2": name, "field_3": phone, "field_4": email});
        let made = owner.post(people.entries(), json!({"field_values": values}));
        assert_eq!(made.status, 201, "{made}");
        let address = format!("/api/v1/f/{}/associated_entry_options?field=field_1&keyword=", linking.token);
        let found = Server::shared().anon().get(address);
        let newest = &found.json()["data"][0]["display_fields"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        [text(&newest["field_2"]), text(&newest["field_3"]["number"]), text(&newest["field_4"])]
    };
    assert_eq!(shown("Zoe", "CN", "13812345678", "jane@example.com"), ["Z**", "138****5678", "j***@example.com"]);
    assert_eq!(shown("李", "SG", "81234567", "a@example.com"), ["**", "81****67", "***@example.com"]);
}
