//! Query parameters that nothing reads: told as warnings, or refused with `Prefer: handling=strict`, and always on an
//! import.

use serde_json::{Value, json};
use support::contract::CONTRACT;
use support::{Caller, Form, Server, field};

use super::unknown_keys::{strict, warnings};

const LIST: &str = "use name, folder_token, sort, trashed, page_size, cursor";
const ENTRIES: &str = "use filters, keyword, sort, fields, page_size, cursor";

fn filled() -> (Caller, Form) {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "red", "label": "Red"}, {"api_code": "blue", "label": "Blue"}]);
    let form = owner.form(json!([field("radio", json!({"choices": choices})), field("short_text", json!({}))]));
    owner.post(form.entries(), json!({"field_values": {"field_1": "red", "field_2": "x"}})).is(201);
    (owner, form)
}

#[test]
fn unknown_parameters_are_told_and_strictly_refused() {
    let (owner, form) = filled();
    let entries = form.entries();
    let unknown = |name: &str, known: &str| format!("{name}: is not a known parameter ({known})");
    for (path, told) in [
        ("/api/v1/forms?limit=5&q=x".to_owned(), vec![unknown("limit", LIST), unknown("q", LIST)]),
        (format!("{entries}?page=2"), vec![unknown("page", ENTRIES)]),
        (
            format!("{entries}?filter=%5B%5D&Sort=-created_at"),
            vec![unknown("filter", ENTRIES), unknown("Sort", ENTRIES)],
        ),
        (
            format!("{entries}?filters=null"),
            vec!["filters: is null, which is no condition: give a list, or leave it out".to_owned()],
        ),
        (
            format!("{entries}?page_size=5&page_size=6&x=1&x=2"),
            vec!["page_size: is given more than once: the last one counts".to_owned(), unknown("x", ENTRIES)],
        ),
        (format!("{}?expand=fields", form.path()), vec![unknown("expand", "there are none here")]),
        (format!("{}/report?from=2026", entries), vec![unknown("from", "use filters, keyword, split")]),
        (format!("{}?lang=de", form.published()), vec![unknown("lang", "there are none here")]),
    ] {
        let answer = owner.get(&path).is(200);
        assert_eq!(warnings(&answer), told, "{path}");
        assert_eq!(answer.header("preference-applied"), "");
        let refused = strict(&owner).get(&path);
        assert_eq!(refused.header("preference-applied"), "handling=strict");
        refused.refuses_with(&told.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for path in [
        "/api/v1/forms?name=&folder_token=&sort=updated_at&page_size=5&cursor=".to_owned(),
        format!("{entries}?filters=%5B%5D&keyword=&fields=&page_size=100"),
        format!("{entries}?"),
        format!("{entries}?&"),
    ] {
        let answer = strict(&owner).get(&path).is(200);
        assert_eq!(warnings(&answer), [""; 0], "{path}");
    }
    // Pages are shared with whatever parameters their visitors come by.
    Server::shared().anon().get(format!("{}?utm_source=x", form.page())).is(200);
}

#[test]
fn what_has_no_envelope_tells_them_in_a_header() {
    let (owner, form) = filled();
    let export = format!("{}/export?format=json&filter=x&%C3%A4=1", form.entries());
    let answer = owner.get(&export).is(200);
    let known = "is not a known parameter (use format, headers, filters, keyword, fields)";
    assert_eq!(answer.header("x-warnings"), format!("filter {known}; %C3%A4 {known}"));
    assert!(answer.text.starts_with('['), "{answer}");
    strict(&owner).get(&export).refuses_with(&[&format!("filter: {known}"), &format!("ä: {known}")]);
    let keys = owner.get("/api/v1/oauth/jwks?x=1").is(200);
    assert_eq!(keys.header("x-warnings"), "x is not a known parameter (there are none here)");
    assert_eq!(keys.json().get("warnings"), None);
}

#[test]
fn an_import_refuses_them_always() {
    let (owner, form) = filled();
    let import = |query: &str| {
        let path = format!("{}/import?{query}", form.entries());
        owner.send("POST", &path, Some("text/csv"), b"field_2\nx\n")
    };
    let unknown = |name: &str| format!("{name}: is not a known parameter (use dry_run, columns)");
    import("dryrun=true").refuses_with(&[&unknown("dryrun")]);
    import("dry-run=true&dry_run=false").refuses_with(&[&unknown("dry-run")]);
    import("dry_run=true&dry_run=false").refuses_with(&["dry_run: is given more than once: the last one counts"]);
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 1);
    import("dry_run=true").is(200);
    import("").is(201);
}

/// Every operation of the API reports unknown parameters before anything else of the request counts, except for those
/// of OAuth, which must ignore them.
#[test]
fn every_operation_knows_its_parameters() {
    let (owner, form) = filled();
    let mut count = 0;
    for (path, item) in CONTRACT.document["paths"].as_object().expect("paths") {
        let is_oauth = path.starts_with("/api/v1/oauth/") && !path.ends_with("/jwks");
        if !path.starts_with("/api/v1/") || is_oauth {
            continue;
        }
        for (method, operation) in item.as_object().expect("operations") {
            let address = path.replace("{form_token}", &form.token).replace("{serial_number}", "1");
            let address = address.replace(['{', '}'], "");
            let caller = strict(&owner);
            let method = method.to_ascii_uppercase();
            let refused = caller.send(&method, &format!("{address}?zz=1"), None, b"");
            assert_eq!(refused.status, 422, "{method} {path}: {refused}");
            assert_eq!(refused.attributes(), ["zz"], "{method} {path}: {refused}");
            assert!(operation["responses"]["422"].is_object(), "{method} {path}");
            count += 1;
            // Each described parameter is known.
            let own = operation["parameters"].as_array().into_iter().flatten();
            for name in own.filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str()) {
                if method == "GET" {
                    let asked = caller.get(format!("{address}?{name}="));
                    assert!(!asked.text.contains("is not a known parameter"), "{path} {name}: {asked}");
                }
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn what_a_filter_names_and_the_field_does_not_have_is_told() {
    let owner = Server::shared().user();
    let choice = |code: &str| json!({"api_code": code, "label": code.to_uppercase()});
    let days = |quota: i64| json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": quota}]});
    let form = owner.form(json!([
        field("radio", json!({"choices": [choice("a"), choice("b")]})),
        field("checkbox", json!({"choices": [choice("a"), choice("b")]})),
        field(
            "cascade",
            json!({"choices": [
                {"api_code": "eu", "label": "EU", "children": [choice("de"), choice("fr")]},
                {"api_code": "as", "label": "Asia", "children": [choice("cn")]},
            ]})
        ),
        field(
            "product",
            json!({"goods_items": [
                {"api_code": "tea", "name": "Tea", "price": 1},
                {"api_code": "cake", "name": "Cake", "price": 2, "dimensions": [
                    {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}]}]},
            ]})
        ),
        field(
            "booking",
            json!({"reservation_items": [{"api_code": "room", "name": "Room", "quota_setting": days(1)}]})
        ),
        field("table", json!({"dimensions": [{"type": "dropdown", "label": "D", "choices": [choice("x")]}]})),
    ]));
    owner.post(form.entries(), json!({"field_values": {"field_1": "a"}})).is(201);
    let condition =
        |field: &str, operator: &str, value: Value| json!({"field": field, "operator": operator, "value": value});
    let names = |at: &str, name: &str, known: &str| {
        format!("filters[0].{at}: names {name:?}, which this field does not have (use {known})")
    };
    for (field, operator, value, told) in [
        ("field_1", "eq", json!("c"), vec![names("value", "c", "a, b")]),
        ("field_1", "ne", json!("A"), vec![names("value", "A", "a, b")]),
        (
            "field_1",
            "any_in",
            json!(["a", "c", "d"]),
            vec![names("value[1]", "c", "a, b"), names("value[2]", "d", "a, b")],
        ),
        ("field_2", "eq", json!(["a", "c"]), vec![names("value[1]", "c", "a, b")]),
        ("field_3", "eq", json!({"level_1": "af"}), vec![names("value.level_1", "af", "eu, as")]),
        (
            "field_3",
            "any_in",
            json!([{"level_1": "eu", "level_2": "cn"}]),
            vec![names("value[0].level_2", "cn", "de, fr")],
        ),
        ("field_4", "any_in", json!(["tea", "gin"]), vec![names("value[1]", "gin", "tea, cake")]),
        (
            "field_4",
            "none_in",
            json!([{"api_code": "cake", "specs": ["s", "l"]}]),
            vec![names("value[0].specs[1]", "l", "s")],
        ),
        ("field_5", "eq", json!("hall"), vec![names("value", "hall", "room")]),
        ("field_6.field_1", "eq", json!("y"), vec![names("value", "y", "x")]),
        // Labels are searched, dates name nothing, and existing names are known.
        ("field_1", "like", json!("c"), vec![]),
        ("field_1", "null", json!("c"), vec![]),
        ("field_5", "eq", json!("2026-11-23"), vec![]),
        ("field_3", "eq", json!({"level_1": "eu", "level_2": "fr"}), vec![]),
        ("field_4", "any_in", json!(["tea", {"api_code": "cake", "specs": ["s"]}]), vec![]),
    ] {
        let filters = json!([condition(field, operator, value)]);
        // It may still be intended: the choice was removed, or comes later.
        for caller in [owner.clone(), strict(&owner)] {
            let listed = caller.post(form.query(), json!({"filters": filters})).is_for(200, &filters);
            assert_eq!(warnings(&listed), told, "{filters}");
        }
    }
    let filters =
        url::form_urlencoded::byte_serialize(json!([condition("field_1", "eq", json!("c"))]).to_string().as_bytes())
            .collect::<String>();
    let told = names("value", "c", "a, b");
    for path in [form.entries(), form.trash(), format!("{}/report", form.entries())] {
        assert_eq!(
            warnings(&owner.get(format!("{path}?filters={filters}")).is(200)),
            std::slice::from_ref(&told),
            "{path}"
        );
    }
    let export = owner.get(format!("{}/export?filters={filters}", form.entries())).is(200);
    assert_eq!(export.header("x-warnings"), told.replacen(": ", " ", 1));
    let query = json!({"form_token": form.token, "name": "Q",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
        "display_field_rules": [{"field": "field_1"}],
        "scope_conditions": [condition("field_1", "eq", json!("c"))]});
    let made = owner.post("/api/v1/opensearch/queries", query).is(201);
    assert_eq!(warnings(&made), [told.replacen("filters", "scope_conditions", 1)]);
}

#[test]
fn a_path_part_that_must_be_a_number_says_so() {
    let (owner, form) = filled();
    let told = |part: &str| format!(r#"404 {{"error":"Entry not found: \"{part}\" is not a serial number"}}"#);
    for part in ["count", "1a", "-1", "01", "1.0", "%20"] {
        let shown = if part == "%20" { " " } else { part };
        assert_eq!(owner.get(format!("{}/{part}", form.entries())).to_string(), told(shown));
        assert_eq!(owner.patch(format!("{}/{part}", form.entries()), json!({})).to_string(), told(shown));
        assert_eq!(owner.delete(format!("{}/{part}", form.trash())).to_string(), told(shown));
    }
    for number in ["0", "99", "99999999999999999999"] {
        assert_eq!(owner.get(format!("{}/{number}", form.entries())).to_string(), r#"404 {"error":"Entry not found"}"#);
    }
    Server::shared().anon().get(format!("{}/count", form.entries())).is(401);
}
