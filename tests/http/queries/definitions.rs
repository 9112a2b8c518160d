//! Definitions: created, read, listed, changed, deleted, and the `warnings` about rules that give away too much.

use serde_json::{Value, json};
use support::sharing::share;
use support::{Caller, Server, field};

use crate::queries::{PATH, Query, all_of, any_of, body, condition, group, people, restore, shown, simple};

/// All keys of a read, in the specification's order.
const KEYS: [&str; 18] = [
    "token",
    "form_token",
    "url",
    "status",
    "name",
    "description",
    "enabled",
    "allow_to_export_results",
    "search_button",
    "messages",
    "header",
    "search_field_rules",
    "display_field_rules",
    "scope_conditions",
    "searches_count",
    "views_count",
    "created_at",
    "updated_at",
];

#[test]
fn keys_left_out_have_defaults() {
    let (owner, form) = people(Server::shared());
    let made = owner.post(PATH, body(&form, all_of(&["field_1"]), shown(&["field_1", "field_3"]))).is(201);
    assert_eq!(made.json().as_object().map(serde_json::Map::len), Some(1), "no warnings: {made}");
    let data = made.data();
    let keys: Vec<&String> = data.as_object().expect("a query").keys().collect();
    assert_eq!(keys, KEYS, "{made}");
    let token = data["token"].as_str().expect("a token");
    assert!(token.len() == 10 && token.bytes().all(|b| b.is_ascii_alphanumeric()), "{token}");
    assert_eq!(data["form_token"], form.token);
    assert_eq!(data["url"], format!("{}/q/{token}", owner.base));
    for (key, value) in [
        ("status", json!("active")),
        ("name", json!("Look up")),
        ("description", Value::Null),
        ("enabled", json!(true)),
        ("allow_to_export_results", json!(false)),
        ("search_button", json!({"text": "Search", "color": "#2563EB"})),
        ("header", json!({"background_image": null})),
        (
            "search_field_rules",
            json!([{"operand": "and", "fields": [{"field": "field_1", "label": null, "fuzzy": false}]}]),
        ),
        (
            "display_field_rules",
            json!([
                {"field": "field_1", "label": null, "editable": false, "protected": false, "highlight": null},
                {"field": "field_3", "label": null, "editable": false, "protected": false, "highlight": null},
            ]),
        ),
        ("scope_conditions", json!([])),
        ("searches_count", json!(0)),
        ("views_count", json!(0)),
    ] {
        assert_eq!(data[key], value, "{key}");
    }
    assert_eq!(data["created_at"], data["updated_at"]);
    for key in ["has_result", "no_result"] {
        assert_ne!(data["messages"][key].as_str().expect("a text"), "", "{made}");
    }
    let read = owner.get(format!("{PATH}/{token}"));
    assert_eq!((read.status, read.json()), (200, made.json()));
    assert_eq!(read.header("etag"), made.header("etag"));
    // It shows that ids and times have their form.
    assert!(read.to_string().contains("[time]"));
}

#[test]
fn default_messages_are_in_the_forms_language() {
    let owner = Server::shared().user();
    let messages = |locale: &str| {
        let fields = json!([field("name", json!({}))]);
        let form = owner.form_with(json!({"name": "F", "locale": locale, "fields": fields}));
        let query = simple_of(&owner, &form);
        owner.get(query.path()).data()["messages"].clone()
    };
    let (english, chinese) = (messages("en"), messages("zh-CN"));
    for key in ["has_result", "no_result"] {
        let han = |text: &Value| text.as_str().expect("a text").chars().any(|c| c > '\u{3400}');
        assert!(!han(&english[key]), "{english}");
        assert!(han(&chinese[key]), "{chinese}");
    }
}

fn simple_of(owner: &Caller, form: &support::Form) -> Query {
    Query::ruled(owner, form, all_of(&["field_1"]), shown(&["field_1"]))
}

#[test]
fn definitions_read_back_as_given() {
    let (owner, form) = people(Server::shared());
    let whole = json!({
        "form_token": form.token, "name": "Wer ist da?", "description": "Look <up> people", "enabled": false,
        "allow_to_export_results": true,
        "search_button": {"text": "Los", "color": "#aB00fF"},
        "messages": {"has_result": "<p>Found <b>some</b></p>", "no_result": "<p>Nobody</p>"},
        "header": {"background_image": null},
        "search_field_rules": [
            {"operand": "and", "fields": [
                {"field": "field_1", "label": "Your name", "fuzzy": true}, {"field": "serial_number", "label": ""}]},
            {"operand": "or", "fields": [{"field": "field_3"}, {"field": "field_2", "label": null, "fuzzy": false}]},
        ],
        "display_field_rules": [
            {"field": "serial_number", "label": "No."},
            {"field": "field_2", "label": "", "editable": true, "highlight": {"color": "#00ff00", "position": 1000}},
            {"field": "field_1", "protected": true, "highlight": {"color": "#ABCDEF", "position": 0}},
            {"field": "field_3", "highlight": null},
        ],
        "scope_conditions": [
            condition("field_3", "between", json!([1, 99])),
            {"field": "field_2", "operator": "not_null"},
            condition("created_at", "gte", json!("2026-01-01")),
        ],
    });
    let made = owner.post(PATH, whole.clone());
    let query = Query::of(&made, &owner);
    let mut expected = whole;
    expected["search_button"]["color"] = json!("#AB00FF");
    expected["search_field_rules"] = json!([
        {"operand": "and", "fields": [
            {"field": "field_1", "label": "Your name", "fuzzy": true},
            {"field": "serial_number", "label": null, "fuzzy": false}]},
        {"operand": "or", "fields": [
            {"field": "field_3", "label": null, "fuzzy": false},
            {"field": "field_2", "label": null, "fuzzy": false}]},
    ]);
    let rule = |field: &str, label: Value, editable: bool, protected: bool, highlight: Value| json!({"field": field, "label": label, "editable": editable, "protected": protected, "highlight": highlight});
    expected["display_field_rules"] = json!([
        rule("serial_number", json!("No."), false, false, Value::Null),
        rule("field_2", Value::Null, true, false, json!({"color": "#00FF00", "position": 1000})),
        rule("field_1", Value::Null, false, true, json!({"color": "#ABCDEF", "position": 0})),
        rule("field_3", Value::Null, false, false, Value::Null),
    ]);
    let read = owner.get(query.path()).data();
    for (key, value) in expected.as_object().expect("keys") {
        assert_eq!(&read[key], value, "{key}");
    }
    // A definition that was read may be written back, without its read-only keys.
    let mut again = read.clone();
    for key in ["token", "form_token", "url", "status", "searches_count", "views_count", "created_at", "updated_at"] {
        again.as_object_mut().expect("keys").remove(key);
    }
    let mut written = query.change(&owner, again).data();
    written["updated_at"] = read["updated_at"].clone();
    assert_eq!(written, read);
}

#[test]
fn messages_are_sanitized() {
    let (owner, form) = people(Server::shared());
    let mut whole = body(&form, all_of(&["field_1"]), shown(&["field_1"]));
    let odd = "<p onclick=\"x()\">a<script>alert(1)</script><a href=\"javascript:x\">b</a></p><table>c</table>";
    whole["messages"] = json!({"has_result": odd});
    let made = owner.post(PATH, whole).data();
    let text = made["messages"]["has_result"].as_str().expect("a text");
    for gone in ["onclick", "script", "<table"] {
        assert!(!text.contains(gone), "{text}");
    }
    assert!(text.contains("<p>a"), "{text}");
    // The other one has its default beside it.
    assert_ne!(made["messages"]["no_result"], "");
    // Description and labels are plain text: kept as they are.
    let path = format!("{PATH}/{}", made["token"].as_str().expect("a token"));
    let kept = owner.patch(&path, json!({"description": "<b>x</b> & y"}));
    assert_eq!(kept.data()["description"], "<b>x</b> & y");
}

#[test]
fn changes_merge_objects_and_replace_lists() {
    let (owner, form) = people(Server::shared());
    let query = simple(&owner, &form);
    let before = owner.get(query.path()).data();
    let mut same = query.change(&owner, json!({})).data();
    same["updated_at"] = before["updated_at"].clone();
    assert_eq!(same, before);
    let data = |change: Value| query.change(&owner, change).data();
    assert_eq!(
        data(json!({"search_button": {"text": "Go"}}))["search_button"],
        json!({"text": "Go", "color": "#2563EB"})
    );
    assert_eq!(
        data(json!({"search_button": {"color": "#ff0000"}}))["search_button"],
        json!({"text": "Go", "color": "#FF0000"})
    );
    let messages = data(json!({"messages": {"no_result": "<p>None</p>"}}))["messages"].clone();
    assert_eq!(messages, json!({"has_result": before["messages"]["has_result"], "no_result": "<p>None</p>"}));
    assert_eq!(data(json!({"description": "x"}))["description"], "x");
    let kept = data(json!({"name": "Other", "enabled": false}));
    assert_eq!((&kept["description"], &kept["name"], &kept["enabled"]), (&json!("x"), &json!("Other"), &json!(false)));
    assert_eq!(data(json!({"description": null}))["description"], Value::Null);
    let rules = data(json!({
        "search_field_rules": any_of(&["field_2", "field_3"]), "display_field_rules": shown(&["field_3"]),
        "scope_conditions": [condition("field_3", "gt", json!(1))],
    }));
    assert_eq!(
        rules["search_field_rules"],
        json!([{"operand": "or", "fields": [
            {"field": "field_2", "label": null, "fuzzy": false}, {"field": "field_3", "label": null, "fuzzy": false}]}])
    );
    assert_eq!(rules["display_field_rules"].as_array().map(Vec::len), Some(1));
    assert_eq!(data(json!({"scope_conditions": []}))["scope_conditions"], json!([]));
    let last = owner.get(query.path()).data();
    assert_eq!(last["form_token"], form.token);
    assert_eq!(last["created_at"], before["created_at"]);
    assert_ne!(last["updated_at"], before["updated_at"]);
    // A refused change changes nothing of it.
    let refused = owner.patch(query.path(), json!({"name": "Third", "enabled": "x"}));
    assert_eq!((refused.status, refused.attributes()), (422, vec!["enabled".to_owned()]));
    assert_eq!(owner.get(query.path()).data(), last);
}

#[test]
fn etags_guard_changes_and_ignore_counters() {
    let (owner, form) = people(Server::shared());
    crate::queries::fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = simple(&owner, &form);
    let read = owner.get(query.path());
    let tag = read.header("etag").to_owned();
    assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    for none_match in [tag.as_str(), "*", &format!("\"x\", {tag}")] {
        let same = owner.header("if-none-match", none_match).get(query.path());
        assert_eq!((same.status, same.text.as_str()), (304, ""), "{none_match}");
        assert_eq!(same.header("etag"), tag);
    }
    let other = owner.header("if-none-match", "\"x\"").get(query.path());
    assert_eq!(other.status, 200);
    // Counters and the status belong to no version.
    query.anon().get(query.page()).is(200);
    assert_eq!(query.rows(&json!({"field_1": "Ada"})).len(), 1);
    support::until("both are counted", || {
        let data = owner.get(query.path()).data();
        (&data["views_count"], &data["searches_count"]) == (&json!(1), &json!(1))
    });
    assert_eq!(owner.get(query.path()).header("etag"), tag);
    owner.delete(form.path()).is(200);
    assert_eq!(owner.get(query.path()).data()["status"], "form_not_found");
    assert_eq!(owner.get(query.path()).header("etag"), tag);
    restore(&owner, form.path());

    let guarded = owner.header("if-match", &tag);
    let changed = guarded.patch(query.path(), json!({"name": "Second"})).is(200);
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(changed.header("etag"), owner.get(query.path()).header("etag"));
    let late = guarded.patch(query.path(), json!({"name": "Third"}));
    assert_eq!((late.status, &late.json()["code"]), (412, &json!("version_conflict")), "{late}");
    guarded.delete(query.path()).is(412);
    assert_eq!(owner.get(query.path()).data()["name"], "Second");
    for fits in [changed.header("etag"), "*"] {
        let done = owner.header("if-match", fits).patch(query.path(), json!({"name": "Second"}));
        assert_eq!(done.status, 200, "{fits}: {done}");
    }
}

#[test]
fn queries_are_listed_newest_first() {
    let server = Server::shared();
    let (owner, form) = people(server);
    let other = owner.form(json!([field("name", json!({}))]));
    let made: Vec<Query> = (0..3).map(|_| simple(&owner, &form)).collect();
    let apart = simple_of(&owner, &other);
    let tokens = |caller: &Caller, rest: &str| -> Vec<String> {
        let page = caller.get(format!("{PATH}?{rest}")).is(200);
        let page = page.json();
        let rows = page["data"].as_array().expect("rows").iter();
        rows.map(|row| row["token"].as_str().expect("a token").to_owned()).collect()
    };
    let of = |queries: &[&Query]| -> Vec<String> { queries.iter().map(|query| query.token.clone()).collect() };
    let newest = of(&[&apart, &made[2], &made[1], &made[0]]);
    assert_eq!(tokens(&owner, ""), newest);
    let own = format!("form_token={}", form.token);
    assert_eq!(tokens(&owner, &own), newest[1..]);
    // A row of the list equals a read.
    let listed = owner.get(format!("{PATH}?form_token={}", other.token)).json();
    assert_eq!(listed["data"][0], owner.get(apart.path()).data());
    assert_eq!(listed["pagination"], json!({"total": 1, "next_cursor": ""}));
    // By pages.
    let first = owner.get(format!("{PATH}?page_size=3")).json();
    assert_eq!(first["pagination"]["total"], 4);
    let cursor = first["pagination"]["next_cursor"].as_str().expect("more");
    assert_eq!(tokens(&owner, &format!("page_size=3&cursor={cursor}")), newest[3..]);
    let refused = owner.get(format!("{PATH}?{own}&cursor={cursor}"));
    assert_eq!(refused.status, 400, "of another list: {refused}");
    for odd in ["page_size=0", "page_size=101", "cursor=x"] {
        assert_eq!(owner.get(format!("{PATH}?{odd}")).status, 400, "{odd}");
    }
    // Managers of a form see its queries, viewers do not.
    let (manager, viewer) = (server.user(), server.user());
    share(&owner, &form, &manager, "manager");
    share(&owner, &form, &viewer, "viewer");
    assert_eq!(tokens(&manager, ""), newest[1..]);
    assert_eq!(tokens(&viewer, ""), [""; 0]);
    let refused = viewer.get(format!("{PATH}?{own}"));
    assert_eq!(refused.to_string(), r#"403 {"error":"Forbidden"}"#);
    for unknown in [&form.token, "AAAAAAAAAA"] {
        let refused = server.user().get(format!("{PATH}?form_token={unknown}"));
        assert_eq!(refused.to_string(), r#"404 {"error":"Form not found"}"#);
    }
}

#[test]
fn deleted_and_other_peoples_queries_are_not_found() {
    let server = Server::shared();
    let (owner, form) = people(server);
    let query = simple(&owner, &form);
    let (manager, editor, viewer) = (server.user(), server.user(), server.user());
    share(&owner, &form, &manager, "manager");
    share(&owner, &form, &editor, "editor");
    share(&owner, &form, &viewer, "viewer");
    let far = crate::queries::stranger(server, "Queries far away");
    for (who, answer) in [
        (&viewer, r#"403 {"error":"Forbidden"}"#),
        (&editor, r#"403 {"error":"Forbidden"}"#),
        (&server.user(), r#"404 {"error":"Query not found"}"#),
        (&far, r#"404 {"error":"Query not found"}"#),
    ] {
        for refused in [
            who.get(query.path()),
            who.patch(query.path(), json!({"name": "x"})),
            who.patch(query.path(), json!({"name": 1, "x": 1})),
            who.delete(query.path()),
        ] {
            assert_eq!(refused.to_string(), answer);
        }
    }
    let renamed = manager.patch(query.path(), json!({"name": "Ours"}));
    assert_eq!(renamed.data()["name"], "Ours", "{renamed}");
    assert_eq!(owner.get(query.path()).data()["name"], "Ours");
    let deleted = manager.delete(query.path());
    assert_eq!((deleted.status, deleted.data()), (200, json!({"deleted": true, "token": query.token})));
    for gone in [
        owner.get(query.path()),
        owner.patch(query.path(), json!({})),
        owner.delete(query.path()),
        owner.get(format!("{PATH}/AAAAAAAAAA")),
        owner.get(format!("{PATH}/x")),
    ] {
        assert_eq!(gone.to_string(), r#"404 {"error":"Query not found"}"#);
    }
    assert_eq!(owner.get(PATH).json()["data"], json!([]));
    query.anon().get(query.page()).is(404);
}

#[test]
fn fuzzy_search_of_masked_fields_gets_a_warning() {
    let (owner, form) = people(Server::shared());
    let masked = |fuzzy: bool, field: &str| {
        let mut whole = body(
            &form,
            json!([{"operand": "and", "fields": [{"field": "field_3"}, {"field": field, "fuzzy": fuzzy}]}]),
            json!([{"field": "field_1", "protected": true}]),
        );
        whole["name"] = json!("W");
        whole
    };
    let told = owner.post(PATH, masked(true, "field_1")).is(201);
    let warnings = told.json()["warnings"].clone();
    assert_eq!(warnings.as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!(warnings[0]["attribute"], "search_field_rules[0].fields[1].fuzzy");
    assert_ne!(warnings[0]["message"].as_str().expect("a text"), "");
    for quiet in [masked(false, "field_1"), masked(true, "field_2")] {
        let made = owner.post(PATH, quiet).is(201);
        assert_eq!(made.json().get("warnings"), None, "{made}");
    }
    // A change that leaves it so says it again, whichever of the two it brings.
    let query = Query::of(&told, &owner);
    for change in [
        json!({"display_field_rules": [{"field": "field_1", "protected": true}]}),
        json!({"search_field_rules": [{"operand": "or", "fields": [{"field": "field_1", "fuzzy": true}]}]}),
    ] {
        let told = query.change(&owner, change);
        assert!(told.json()["warnings"][0]["attribute"].as_str().is_some_and(|at| at.ends_with(".fuzzy")), "{told}");
    }
    // `protected` on a field that is never masked is no fault and no warning.
    let odd = json!({"display_field_rules": [{"field": "field_3", "protected": true}]});
    let done = query.change(&owner, odd);
    assert_eq!(done.json().get("warnings"), None, "{done}");
    assert_eq!(done.data()["display_field_rules"][0]["protected"], json!(true));
}

#[test]
fn rules_that_give_entries_away_get_warnings() {
    let (owner, form) = people(Server::shared());
    let told = |groups: Value, display: Value, scope: Value| -> Vec<String> {
        let mut whole = body(&form, groups, display);
        whole["scope_conditions"] = scope;
        let made = owner.post(PATH, whole).is(201);
        // A change that leaves it so says it again.
        let again = Query::of(&made, &owner).change(&owner, json!({"name": "Again"}));
        assert_eq!(again.json().get("warnings"), made.json().get("warnings"), "{again}");
        let warnings = made.json()["warnings"].as_array().cloned().unwrap_or_default();
        let at = |one: &Value| one["attribute"].as_str().expect("a path").to_owned();
        warnings.iter().map(at).collect()
    };
    let shows = || shown(&["field_1"]);
    let number = |operand: &str, fields: &[&str]| json!([group(operand, fields, false)]);
    // Numbers can be counted up.
    let alone = number("and", &["serial_number"]);
    assert_eq!(told(alone, shows(), json!([])), ["search_field_rules[0].fields[0].field"]);
    let any = number("or", &["field_1", "serial_number"]);
    assert_eq!(told(any, shows(), json!([])), ["search_field_rules[0].fields[1].field"]);
    let both = number("and", &["field_1", "serial_number"]);
    assert_eq!(told(both, shows(), json!([])), [""; 0]);
    let groups = json!([group("and", &["serial_number"], false), group("and", &["field_1"], false)]);
    assert_eq!(told(groups, shows(), json!([])), [""; 0]);
    // An edit can take the entry out of the scope.
    let rules = |editable: bool| json!([{"field": "field_1"}, {"field": "field_3", "editable": editable}, {"field": "field_2", "editable": true}]);
    let scope = json!([condition("field_3", "gt", json!(5))]);
    let by = || number("and", &["field_1"]);
    assert_eq!(told(by(), rules(true), scope.clone()), ["display_field_rules[1].editable"]);
    assert_eq!(told(by(), rules(false), scope), [""; 0]);
}
