//! `unique`: what counts as the same value in each kind that may be so (contract 3.1, S46).

use serde_json::{Value, json};

use crate::support::{Server, field};

/// For each kind: values that are one and the same, then values that are others.
fn table() -> Vec<(&'static str, Vec<Value>, Vec<Value>)> {
    let text = |same: &[&str], other: &[&str]| {
        let list = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect::<Vec<Value>>();
        (list(same), list(other))
    };
    // Case, width, ligatures and composed letters make no difference; spaces and accents do.
    let (same, other) = text(
        &[
            "Straße ﬁx",
            "STRASSE FIX",
            "strasse ﬁx",
            "Ｓｔｒａｓｓｅ　ｆｉｘ",
        ],
        &["Strase fix", "Straße  fix", " Straße ﬁx", "Stráße ﬁx"],
    );
    let mut table: Vec<_> = ["short_text", "long_text", "name"]
        .map(|kind| (kind, same.clone(), other.clone()))
        .to_vec();
    let (same, other) = text(
        &["Ada@Example.com", "ada@example.com", "ADA@EXAMPLE.COM"],
        &["ada@example.org", "a.da@example.com", "ada+1@example.com"],
    );
    table.push(("email", same, other));
    let (same, other) = text(
        &["https://example.com/A", "HTTPS://EXAMPLE.COM/a"],
        &["http://example.com/a", "https://example.com/a/"],
    );
    table.push(("url", same, other));
    table.push((
        "number",
        vec![json!(3), json!(3.0)],
        vec![json!(3.5), json!(-3), json!(30)],
    ));
    let phone = |country: &str, number: &str| json!({"country_id": country, "number": number});
    table.push((
        "phone",
        vec![
            phone("CN", "13800138000"),
            phone("CN", "138 0013-8000"),
            phone("CN", "+86 13800138000"),
        ],
        vec![phone("CN", "13800138001"), phone("DE", "13800138000")],
    ));
    table
}

fn values(value: &Value) -> Value {
    json!({"field_values": {"field_1": value}})
}

const TAKEN: &str = "field_values.field_1: has already been taken";

#[test]
fn the_same_value_in_another_spelling_is_taken() {
    let server = Server::shared();
    let owner = server.user();
    for (kind, same, others) in table() {
        let form = owner.form(json!([field(kind, json!({"unique": true}))]));
        assert_eq!(
            owner.post(form.entries(), values(&same[0])).status,
            201,
            "{kind}"
        );
        for again in &same {
            for refused in [
                owner.post(form.entries(), values(again)),
                server.anon().post(form.submissions(), values(again)),
            ] {
                assert_eq!(refused.faults(), [TAKEN], "{kind} {again}: {refused}");
            }
            // Its own value is no double.
            let kept = owner.patch(form.entry(1), values(again));
            assert_eq!(kept.status, 200, "{kind} {again}: {kept}");
        }
        for other in &others {
            let made = owner.post(form.entries(), values(other));
            assert_eq!(made.status, 201, "{kind} {other}: {made}");
        }
        // No value at all is none that could be taken.
        for _ in 0..2 {
            assert_eq!(
                owner.post(form.entries(), values(&json!(null))).status,
                201,
                "{kind}"
            );
        }
    }
}

#[test]
fn a_field_with_data_becomes_unique_unless_it_has_doubles() {
    let owner = Server::shared().user();
    for (kind, same, others) in table() {
        let form = owner.form(json!([field(kind, json!({}))]));
        for value in others.iter().chain(&same[..2]) {
            assert_eq!(
                owner.post(form.entries(), values(value)).status,
                201,
                "{kind} {value}"
            );
        }
        let unique = |unique: bool| {
            let own = json!({"api_code": "field_1", "unique": unique});
            owner.patch(form.path(), json!({"fields": [field(kind, own)]}))
        };
        assert_eq!(
            unique(true).faults(),
            ["fields[0].unique: is not possible: entries have the same value already"],
            "{kind}"
        );
        // A double that is no longer there is none.
        let last = i64::try_from(others.len()).expect("few") + 2;
        assert_eq!(owner.delete(form.entry(last)).status, 200);
        assert_eq!(unique(true).status, 200, "{kind}");
        for value in same.iter().chain(&others) {
            assert_eq!(
                owner.post(form.entries(), values(value)).faults(),
                [TAKEN],
                "{kind} {value}"
            );
        }
        // Once it is so no longer, anything goes, and the keys of before count no more.
        assert_eq!(unique(false).status, 200);
        assert_eq!(owner.post(form.entries(), values(&same[0])).status, 201);
        assert_eq!(unique(true).status, 422, "{kind}");
    }
}
