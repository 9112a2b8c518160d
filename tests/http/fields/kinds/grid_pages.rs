//! Grids on the hosted page: their controls, posts with the API's messages, and faults beside their cells with
//! everything typed kept.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::{Response, Server, field};

fn statements() -> Value {
    json!([{"api_code": "s", "label": "Tea & <b>"}, {"api_code": "t", "label": "Cake"}])
}

fn fields() -> Value {
    let choices = json!([{"api_code": "a", "label": "Good"}, {"api_code": "h", "label": "Secret", "hidden": true}, {"api_code": "b", "label": "Bad"}]);
    let columns = json!([
        {"type": "number", "label": "How many", "required": true},
        {"type": "radio", "label": "Size", "choices": choices},
        {"type": "short_text", "label": "Hidden", "hidden": true},
        {"type": "checkbox", "label": "With", "choices": choices},
        {"type": "phone", "label": "Call", "default_country": "GB"},
    ]);
    json!([
        field("likert", json!({"statements": statements(), "choices": choices, "required": true})),
        field(
            "matrix_rating",
            json!({"statements": statements(), "dimensions": [{"api_code": "x", "label": "Taste"}]})
        ),
        field("matrix", json!({"statements": statements(), "dimensions": columns})),
        field("table", json!({"dimensions": columns})),
    ])
}

/// Every id of a page, each of which may occur once.
fn ids(page: &Response) -> BTreeSet<String> {
    let shown = page.text.split("<template>").map(|part| part.split_once("</template>").map_or(part, |(_, rest)| rest));
    let mut seen = BTreeSet::new();
    for part in shown {
        for rest in part.split(" id=\"").skip(1) {
            let id = rest.split('"').next().unwrap_or_default();
            assert!(seen.insert(id.to_owned()), "{id} stands twice");
        }
    }
    seen
}

/// How many rows of a table a page has.
fn rows(page: &Response, name: &str) -> usize {
    (0..200).take_while(|i| page.text.contains(&format!("data-cell=\"{name}[{i}]\""))).count()
}

#[test]
fn a_page_has_a_control_for_each_cell() {
    let server = Server::shared();
    let form = server.user().form(fields());
    let page = server.anon().get(form.page());
    for part in [
        "Tea &amp; &lt;b&gt;",
        "type=\"radio\" id=\"field_1.s.a\" name=\"field_1.s\" value=\"a\"",
        "aria-labelledby=\"field_1.s-label field_1.s.a-label\"",
        "name=\"field_2.t.x\" value=\"5\"",
        "name=\"field_3.s.field_1\"",
        "name=\"field_3.t.field_5.country_id\"",
        "name=\"field_4[2].field_1\"",
        "name=\"field_4[#].field_1\"",
        "<legend class=\"cell-label\"><bdi>Size</bdi><span class=\"visually-hidden\"> (<bdi>Cake</bdi>)</span>",
        "table.js",
    ] {
        assert!(page.text.contains(part), "{part}: {page}");
    }
    for part in ["Secret", "Hidden", "field_3.s.field_3", "<b>", "field_4[3]"] {
        assert!(!page.text.contains(part), "{part}: {page}");
    }
    let ids = ids(&page);
    // The links of the summary lead to them.
    for code in ["field_1", "field_2", "field_3", "field_4"] {
        assert!(ids.contains(code), "{code}");
    }
    // Every label has its control, and every description its text.
    for key in ["for", "aria-labelledby", "aria-describedby"] {
        for rest in page.text.split(&format!(" {key}=\"")).skip(1) {
            let named = rest.split('"').next().unwrap_or_default();
            for id in named.split(' ').filter(|id| !id.contains('#')) {
                assert!(ids.contains(id), "{key} {id}");
            }
        }
    }
}

#[test]
fn a_post_says_what_the_api_would() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(fields());
    let sent = anon.post_form(
        form.page(),
        &[
            ("field_1.s", "a"),
            ("field_1.t", "b"),
            ("field_2.t.x", "4"),
            ("field_3.s.field_1", ""),
            ("field_3.s.field_5.country_id", "GB"),
            ("field_3.s.field_5.number", ""),
            ("field_3.t.field_1", "2"),
            ("field_3.t.field_2", "b"),
            ("field_3.t.field_3", "dropped"),
            ("field_3.t.field_4", "a"),
            ("field_3.t.field_4", "b"),
            ("field_3.t.field_5.country_id", "GB"),
            ("field_3.t.field_5.number", "020 7946 0018"),
            ("field_4[0].field_1", ""),
            ("field_4[0].field_5.country_id", "GB"),
            ("field_4[1].field_1", "7"),
            ("field_4[10].field_1", "8"),
            ("field_4[10].field_2", "a"),
            ("field_4[4294967295].field_1", "9"),
        ],
    );
    assert_eq!(sent.status, 303, "{sent}");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_1"], json!({"s": ["a"], "t": ["b"]}));
    assert_eq!(entry["field_2"], json!({"t": {"x": 4}}));
    assert_eq!(
        entry["field_3"],
        json!({"t": {
            "field_1": 2, "field_2": {"value": "b"}, "field_4": [{"value": "a"}, {"value": "b"}],
            "field_5": {"country_id": "GB", "country_code": "44", "number": "2079460018"},
        }})
    );
    assert_eq!(entry["field_4"], json!([{"field_1": 7}, {"field_1": 8, "field_2": {"value": "a"}}, {"field_1": 9}]));
}

#[test]
fn faults_stand_beside_their_cells_and_what_was_typed_stays() {
    let server = Server::shared();
    let form = server.user().form(fields());
    let page = server.anon().post_form(
        form.page(),
        &[
            ("_page", "0"),
            ("field_1.s", "a"),
            ("field_2.s.x", "9"),
            ("field_3.s.field_1", "several"),
            ("field_3.t.field_2", "a"),
            ("field_4[0].field_1", ""),
            ("field_4[1].field_2", "b"),
            ("field_4[2].field_1", "2"),
            ("field_4[2].field_5.country_id", "GB"),
            ("field_4[2].field_5.number", "1"),
        ],
    );
    assert_eq!(page.status, 422, "{page}");
    for part in [
        "id=\"field_1.t-fault\">Choose one",
        "id=\"field_2.s.x-fault\">",
        "id=\"field_3.s.field_1-fault\">Enter a number",
        "id=\"field_3.t.field_1-fault\">Answer this question",
        "id=\"field_4[1].field_1-fault\">Answer this question",
        "id=\"field_4[2].field_5-fault\">Enter a valid phone number",
        "value=\"several\"",
        "name=\"field_4[1].field_2\" value=\"b\" checked",
        "aria-describedby=\"field_3.s.field_1-fault\"",
    ] {
        assert!(page.text.contains(part), "{part}: {page}");
    }
    for part in ["field_4[0].field_1-fault", "field_1.s-fault", "field_4[2].field_1-fault"] {
        assert!(!page.text.contains(part), "{part}");
    }
    ids(&page);
    assert_eq!(rows(&page, "field_4"), 5);
}

#[test]
fn a_table_has_always_rows_for_more() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let table = |own: Value| {
        let mut table =
            field("table", json!({"dimensions": [field("short_text", json!({"default_value": "preset"}))]}));
        for (key, value) in own.as_object().into_iter().flatten() {
            table[key] = value.clone();
        }
        owner.form(json!([table, field("short_text", json!({"required": true}))]))
    };
    let posted = |own: Value, filled: usize| {
        let names: Vec<String> = (0..filled).map(|i| format!("field_1[{i}].field_1")).collect();
        let mut pairs = vec![("_page", "0")];
        pairs.extend(names.iter().map(|name| (name.as_str(), "x")));
        let page = anon.post_form(table(own).page(), &pairs);
        assert_eq!(page.status, 422, "{page}");
        rows(&page, "field_1")
    };
    assert_eq!(posted(json!({}), 0), 3);
    assert_eq!(posted(json!({}), 1), 3);
    assert_eq!(posted(json!({}), 2), 4);
    assert_eq!(posted(json!({}), 7), 9);
    assert_eq!(posted(json!({"max_rows": 8}), 7), 8);
    assert_eq!(posted(json!({"max_rows": 2}), 1), 2);
    assert_eq!(posted(json!({"min_rows": 5}), 1), 5);
    assert_eq!(posted(json!({"min_rows": 1}), 0), 2);
    assert_eq!(posted(json!({}), 99), 100);
    // Rows that must be there show the defaults, until something was sent.
    let fresh = anon.get(table(json!({"min_rows": 2})).page());
    let shown = fresh.text.split("<template>").next().expect("text").matches("value=\"preset\"").count();
    assert_eq!((rows(&fresh, "field_1"), shown), (2, 2), "{fresh}");
    let form = table(json!({"min_rows": 2}));
    let again = anon.post_form(form.page(), &[("_page", "0"), ("field_1[0].field_1", "")]);
    assert_eq!(again.text.split("<template>").next().expect("text").matches("value=\"preset\"").count(), 0);
}

#[test]
fn an_address_fills_cells_in() {
    let server = Server::shared();
    let form = server.user().form(fields());
    let address = format!("{}?field_1.s=b&field_2.t.x=3&field_3.t.field_1=6&field_4[0].field_1=4", form.page());
    let page = server.anon().get(address);
    for part in [
        "name=\"field_1.s\" value=\"b\" checked",
        "name=\"field_3.t.field_1\" type=\"text\" value=\"6\"",
        "name=\"field_4[0].field_1\" type=\"text\" value=\"4\"",
    ] {
        assert!(page.text.contains(part), "{part}: {page}");
    }
}
