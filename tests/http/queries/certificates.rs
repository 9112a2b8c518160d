//! A query that masks values of the form's certificate does not offer the certificate, and its managers are told
//! (handbook `public-queries.md`).

use serde_json::{Value, json};
use support::steps::set;
use support::{Caller, Form, Response, Server, field};

use crate::queries::suggestions::{directory, link};
use crate::queries::{PATH, Query, all_of, body, fill, local};

const CERTIFICATE: &str = "x_field_certificate";

/// A form of a name, a town and a greeting that is computed from the name, with a certificate of this text.
fn diplomas(text: &str) -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("name", json!({"label": "Name"})),
        field("short_text", json!({"label": "Town"})),
        field("formula", json!({"expression": "CONCAT(\"Dear \", field_1)", "result_type": "text"})),
        field("formula", json!({"expression": "CONCAT(field_3, \"!\")", "result_type": "text"})),
    ]));
    set(&owner, &form, certificate(text));
    fill(&owner, &form, &[json!({"field_1": "Ada Lovelace", "field_2": "London"})]);
    (owner, form)
}

fn certificate(text: &str) -> Value {
    json!({"certificate": {"enabled": true, "title": "Diploma", "body": text}})
}

/// Rules that show the name, masked or not, and the certificate.
fn rules(is_masked: bool) -> Value {
    json!([{"field": "field_1", "protected": is_masked}, {"field": "field_2"}, {"field": CERTIFICATE}])
}

fn by_town() -> Value {
    json!({"field_2": "London"})
}

/// Whether visitors are offered one: in rows, in the outline, on the page, and in files.
fn is_offered(query: &Query) -> bool {
    let row = query.rows(&by_town())[0].clone();
    let is_offered = row.get(CERTIFICATE).is_some();
    let outline = query.anon().get(query.public()).is(200);
    assert_eq!(outline.text.contains(CERTIFICATE), is_offered, "{outline}");
    let page = query.anon().get(query.typed(&by_town())).is(200);
    assert_eq!(page.text.contains("/certificate?"), is_offered, "{page}");
    let file = query.anon().get(query.export("csv", &by_town())).is(200);
    assert_eq!(file.text.contains("/certificate?"), is_offered, "{file}");
    is_offered
}

fn warnings(answer: &Response) -> Value {
    answer.json().get("warnings").cloned().unwrap_or_default()
}

/// The warning of a query that masks the name.
fn withheld(placeholders: &str) -> Value {
    json!([{"attribute": "display_field_rules[2].field", "message": format!(
        "is not offered to visitors, because the form's certificate shows what this query masks: remove {placeholders} \
         from its texts, or do not mask it")}])
}

#[test]
fn a_query_that_masks_what_the_certificate_tells_says_so_and_does_not_offer_it() {
    let (owner, form) = diplomas("For {{field_1}}, {{ field_2 }}");
    let exported = |masked: bool| {
        let mut whole = body(&form, all_of(&["field_2"]), rules(masked));
        whole["allow_to_export_results"] = json!(true);
        whole
    };
    let open = owner.post(PATH, exported(false)).is(201);
    assert_eq!(warnings(&open), Value::Null);
    let query = Query::of(&open, &owner);
    assert!(is_offered(&query));
    let link = query.rows(&by_town())[0][CERTIFICATE]["url"].as_str().expect("a link").to_owned();
    let link = local(&query.anon(), &link);
    query.anon().get(&link).is(200);
    // A change says it, and links from before end.
    let masked = query.change(&owner, json!({"display_field_rules": rules(true)}));
    assert_eq!(warnings(&masked), withheld("{{field_1}}"));
    assert!(!is_offered(&query));
    query.anon().get(&link).is(404);
    assert_eq!(query.rows(&by_town())[0]["field_1"], "A**");
    // So does a new one, and one that is changed otherwise.
    let masked = owner.post(PATH, exported(true)).is(201);
    assert_eq!(warnings(&masked), withheld("{{field_1}}"));
    let again = Query::of(&masked, &owner).change(&owner, json!({"name": "Again"}));
    assert_eq!(warnings(&again), withheld("{{field_1}}"));
    // One that does not show the certificate has nothing to say.
    let without = json!([{"field": "field_1", "protected": true}, {"field": "field_2"}]);
    let quiet = owner.post(PATH, body(&form, all_of(&["field_2"]), without)).is(201);
    assert_eq!(warnings(&quiet), Value::Null);
}

#[test]
fn a_certificate_that_begins_to_tell_what_a_query_masks_says_so() {
    let (owner, form) = diplomas("From {{field_2}}");
    let mut whole = body(&form, all_of(&["field_2"]), rules(true));
    whole["allow_to_export_results"] = json!(true);
    let made = owner.post(PATH, whole).is(201);
    assert_eq!(warnings(&made), Value::Null);
    let query = Query::of(&made, &owner);
    assert!(is_offered(&query));
    let change = |settings: Value| warnings(&owner.patch(form.part("settings"), settings).is(200));
    let told = |key: &str, placeholders: &str| {
        let text = format!(
            "has {placeholders}, which the public query \"Look up\" masks: that query does not offer the certificate"
        );
        json!({"attribute": format!("certificate.{key}"), "message": text})
    };
    // A formula reveals the fields that it is computed from.
    for text in ["For {{field_1}}", "{{field_3}}", "{{field_4}}"] {
        let placeholder = &text[text.find('{').expect("a placeholder")..];
        assert_eq!(change(certificate(text)), json!([told("body", placeholder)]), "{text}");
        assert!(!is_offered(&query), "{text}");
    }
    let both = json!({"certificate": {"title": "{{field_1}}"}});
    assert_eq!(change(both), json!([told("title", "{{field_1}}"), told("body", "{{field_4}}")]));
    let off = json!({"certificate": {"enabled": false}});
    assert_eq!(change(off), Value::Null, "there is none to offer");
    assert_eq!(change(certificate("From {{field_2}}")), Value::Null);
    assert!(is_offered(&query));
}

#[test]
fn a_link_in_a_certificate_tells_what_a_query_masks_of_its_entry() {
    let owner = Server::shared().user();
    let directory = directory(&owner);
    let person = json!({"field_1": "Ada Lovelace", "field_2": {"country_id": "CN", "number": "13800138000"}});
    let person = owner.post(directory.entries(), json!({ "field_values": person })).is(201).data();
    let form = owner.form(json!([link(&directory), field("short_text", json!({}))]));
    fill(&owner, &form, &[json!({"field_1": person["token"], "field_2": "London"})]);
    set(&owner, &form, certificate("For {{field_1}}"));
    for (code, protected, is_masked) in [
        ("field_1_associated_field_1", false, false),
        ("field_1_associated_field_1", true, true),
        // Masked by the form: in the certificate too.
        ("field_1_associated_field_2", false, false),
    ] {
        let rules = json!([{"field": code, "protected": protected}, {"field": "field_2"}, {"field": CERTIFICATE}]);
        let made = owner.post(PATH, body(&form, all_of(&["field_2"]), rules)).is(201);
        let told = if is_masked { withheld("{{field_1}}") } else { Value::Null };
        assert_eq!(warnings(&made), told, "{code}");
        let row = Query::of(&made, &owner).rows(&by_town())[0].clone();
        assert_eq!(row.get(CERTIFICATE).is_none(), is_masked, "{code}: {row}");
    }
}
