//! Choices, points, times and addresses posted by a page: the same as over the API, and a refused page shows everything
//! again.

use serde_json::{Value, json};
use support::{Server, field, steps};

type Pairs = &'static [(&'static str, &'static str)];

fn choices() -> Value {
    json!([
        {"api_code": "a", "label": "Tea"},
        {"api_code": "b", "label": "<b>Milk</b>"},
        {"api_code": "h", "label": "Hidden gin", "hidden": true, "quota": 4711, "score": 4712},
    ])
}

fn with_other() -> Value {
    json!([{"api_code": "a", "label": "Tea"}, {"api_code": "o", "label": "Other", "is_other": true}])
}

fn places() -> Value {
    json!([
        {"api_code": "eu", "label": "Europe", "children": [{"api_code": "it", "label": "<i>Italy</i>"}]},
        {"api_code": "sea", "label": "At sea"},
    ])
}

/// A definition, the posted values, and the stored ones.
#[rustfmt::skip] // A table is read by columns.
fn taken() -> Vec<(&'static str, Value, Pairs, Value)> {
    vec![
        ("url", json!({}), &[("field_1", "https://example.com/a")], json!("https://example.com/a")),
        ("url", json!({}), &[("field_1", " example.com/a ")], json!("https://example.com/a")),
        ("time", json!({}), &[("field_1", "09:05")], json!({"hour": 9, "minute": 5})),
        ("time", json!({}), &[("field_1.hour", "9"), ("field_1.minute", "5")], json!({"hour": 9, "minute": 5})),
        ("time", json!({"include_second": true}), &[("field_1", "09:05")], json!({"hour": 9, "minute": 5, "second": 0})),
        ("time", json!({"include_second": true}), &[("field_1", "09:05:07")], json!({"hour": 9, "minute": 5, "second": 7})),
        ("dropdown", json!({"choices": with_other()}), &[("field_1", "a"), ("field_1.o.other_text", "left over")], json!({"value": "a"})),
        ("dropdown", json!({"choices": with_other()}), &[("field_1", "o"), ("field_1.o.other_text", "Gin")], json!({"value": "o", "other_text": "Gin"})),
        ("dropdown", json!({"choices": with_other()}), &[("field_1.value", "o"), ("field_1.other_text", "Gin")], json!({"value": "o", "other_text": "Gin"})),
        ("image_radio", json!({"choices": choices()}), &[("field_1", "b")], json!({"value": "b"})),
        ("image_checkbox", json!({"choices": choices()}), &[("field_1", "b"), ("field_1", "a")], json!([{"value": "b"}, {"value": "a"}])),
        ("cascade", json!({"choices": places()}), &[("field_1", "eu/it")], json!({"level_1": "eu", "level_2": "it"})),
        ("cascade", json!({"choices": places()}), &[("field_1", "sea")], json!({"level_1": "sea"})),
        ("cascade", json!({"choices": places()}), &[("field_1.level_1", "eu"), ("field_1.level_2", "it")], json!({"level_1": "eu", "level_2": "it"})),
        ("ranking", json!({"choices": choices()}), &[("field_1.a", "2"), ("field_1.b", "1")], json!({"b": 1, "a": 2})),
        ("ranking", json!({"choices": choices()}), &[("field_1.a", "1"), ("field_1.b", "")], json!({"a": 1})),
        ("rating", json!({}), &[("field_1", "5")], json!(5)),
        ("nps", json!({}), &[("field_1", "0")], json!(0)),
    ]
}

/// A definition, the posted values, and the message of the page.
#[rustfmt::skip] // A table is read by columns.
fn refused() -> Vec<(&'static str, Value, Pairs, &'static str)> {
    vec![
        ("url", json!({}), &[("field_1", "not an address")], "Enter a web address like https://example.com"),
        ("url", json!({}), &[("field_1", "javascript:alert(1)")], "Enter a web address like https://example.com"),
        ("time", json!({}), &[("field_1", "noon")], "Enter a time like 14:30"),
        ("dropdown", json!({"choices": choices()}), &[("field_1", "zz")], "Choose one of the options"),
        ("dropdown", json!({"choices": choices()}), &[("field_1", "h")], "Choose one of the options"),
        ("image_radio", json!({"choices": choices()}), &[("field_1", "zz")], "Choose one of the options"),
        ("image_checkbox", json!({"choices": choices(), "max_selected": 1}), &[("field_1", "a"), ("field_1", "b")], "Choose at most one option"),
        ("cascade", json!({"choices": places()}), &[("field_1", "eu")], "Answer this question"),
        ("cascade", json!({"choices": places()}), &[("field_1", "it/eu")], "Choose one of the options"),
        ("ranking", json!({"choices": choices()}), &[("field_1.a", "1"), ("field_1.b", "1")], "Two options have the same rank"),
        ("ranking", json!({"choices": choices()}), &[("field_1.b", "2")], "Number them 1, 2, 3 … without gaps"),
        ("ranking", json!({"choices": choices(), "min_ranked": 2}), &[("field_1.b", "1")], "Rank at least 2 options"),
        ("ranking", json!({"choices": choices(), "max_ranked": 1}), &[("field_1.a", "1"), ("field_1.b", "2")], "Rank at most one option"),
        ("ranking", json!({"choices": choices()}), &[("field_1.a", "first")], "Enter a whole number"),
        ("rating", json!({}), &[("field_1", "6")], "Enter a number from 1 to 5"),
        ("rating", json!({}), &[("field_1", "many")], "Enter a whole number"),
        ("nps", json!({}), &[("field_1", "11")], "Enter a number from 0 to 10"),
    ]
}

#[test]
fn an_item_without_a_day_is_told_which() {
    let server = Server::shared();
    let owner = server.user();
    let days: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect();
    let item = |code: &str, name: &str| json!({"api_code": code, "name": name, "quota_setting": {"kind": "weekly", "weekly_quotas": days}});
    let items = json!([item("room", "The <Blue> room"), item("hall", "Hall")]);
    let form = owner.form(json!([field("booking", json!({"reservation_items": items}))]));
    let pairs = [("field_1[0].api_code", "room"), ("field_1[0].scheduled_at", "")];
    for (locale, says) in
        [("en", "Choose a day for The &lt;Blue&gt; room"), ("zh-CN", "请为“The &lt;Blue&gt; room”选择日期")]
    {
        steps::set(&owner, &form, json!({"locale": locale}));
        for pairs in [&pairs[..], &pairs[..1]] {
            let page = server.anon().post_form(form.page(), pairs);
            assert_eq!(page.status, 422, "{page}");
            assert!(page.text.contains(says), "{page}");
        }
    }
    let sent = json!({"field_values": {"field_1": [{"api_code": "room"}]}});
    let refused = server.anon().post(form.submissions(), sent);
    assert_eq!(refused.faults(), ["field_values.field_1[0].scheduled_at: can't be blank"]);
}

#[test]
fn what_a_page_posts_is_what_the_api_takes() {
    let server = Server::shared();
    let owner = server.user();
    for (kind, own, pairs, stored) in taken() {
        let form = owner.form(json!([field(kind, own)]));
        let sent = server.anon().post_form(form.page(), pairs);
        assert_eq!(sent.status, 303, "{kind} {pairs:?}: {sent}");
        let posted = owner.get(form.entry(1)).data();
        assert_eq!(posted["field_1"], stored, "{kind} {pairs:?}");
        let written = json!({"field_values": {"field_1": stored}});
        let made = owner.post(form.entries(), written);
        assert_eq!(made.data()["field_1"], posted["field_1"], "{kind}");
    }
}

#[test]
fn what_a_page_refuses_stands_there_again() {
    let server = Server::shared();
    let owner = server.user();
    for (kind, own, pairs, said) in refused() {
        let form = owner.form(json!([field(kind, own)]));
        let page = server.anon().post_form(form.page(), pairs);
        assert_eq!(page.status, 422, "{kind} {pairs:?}: {page}");
        assert!(page.text.contains(said), "{kind} {pairs:?}: {page}");
        assert_eq!(owner.get(form.path()).data()["entries_count"], 0, "{kind}");
    }
    let form = owner.form(json!([
        field("ranking", json!({"choices": choices()})),
        field("cascade", json!({"choices": places()})),
        field("dropdown", json!({"choices": with_other()})),
        field("rating", json!({})),
        field("time", json!({})),
        field("image_checkbox", json!({"choices": choices()})),
        field("url", json!({})),
    ]));
    let page = server.anon().post_form(
        form.page(),
        &[
            ("field_1.a", "1"),
            ("field_1.b", "1"),
            ("field_2", "eu/it"),
            ("field_3", "o"),
            ("field_3.o.other_text", "\"Gin\""),
            ("field_4", "3"),
            ("field_5", "23:59"),
            ("field_6", "b"),
            ("field_7", "no address <b>"),
        ],
    );
    for kept in [
        r#"<option value="1" selected>1</option>"#,
        r#"<option value="eu/it" selected"#,
        r#"<option value="o" data-other dir="auto" selected>"#,
        r#"value="&quot;Gin&quot;""#,
        r#"value="3" aria-label="3 of 5" checked"#,
        r#"value="23:59""#,
        r#"name="field_6" value="b" checked"#,
        r#"value="no address &lt;b&gt;""#,
    ] {
        assert!(page.text.contains(kept), "{kept}: {page}");
    }
}

#[test]
fn pages_show_no_secrets_and_escape_labels() {
    let server = Server::shared();
    let owner = server.user();
    for kind in ["dropdown", "image_radio", "image_checkbox", "ranking"] {
        let form = owner.form(json!([field(kind, json!({"choices": choices()}))]));
        for page in [server.anon().get(form.page()), server.anon().get(format!("/api/v1{}", form.page()))] {
            assert_eq!(page.status, 200, "{kind}: {page}");
            for secret in ["Hidden gin", "4711", "4712"] {
                assert!(!page.text.contains(secret), "{kind}: {secret}: {page}");
            }
        }
        let page = server.anon().get(form.page());
        assert!(page.text.contains("&lt;b&gt;Milk&lt;/b&gt;"), "{kind}: {page}");
        assert!(!page.text.contains("<b>Milk"), "{kind}: {page}");
    }
    let form = owner.form(json!([field("cascade", json!({"choices": places()}))]));
    let page = server.anon().get(form.page());
    assert!(page.text.contains("&lt;i&gt;Italy&lt;/i&gt;"), "{page}");
}

#[test]
fn addresses_fill_in_choices_beforehand() {
    let server = Server::shared();
    let form = server.user().form(json!([
        field("dropdown", json!({"choices": with_other()})),
        field("rating", json!({})),
        field("cascade", json!({"choices": places()})),
        field("time", json!({"default_value": {"hour": 8, "minute": 15}})),
        field("ranking", json!({"choices": choices(), "default_value": {"b": 1}})),
    ]));
    let page = server.anon().get(format!("{}?field_1=a&field_2=2&field_3=sea", form.page()));
    for filled in [
        r#"<option value="a" dir="auto" selected>"#,
        r#"value="2" aria-label="2 of 5" checked"#,
        r#"<option value="sea" selected"#,
        r#"value="08:15""#,
        r#"<option value="1" selected>1</option>"#,
    ] {
        assert!(page.text.contains(filled), "{filled}: {page}");
    }
}
